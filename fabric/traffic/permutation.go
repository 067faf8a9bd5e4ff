// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// This file is the patterns in which each node sends to one other. They are
// defined as in BookSim2. A node that would send to itself does not send.

// permutation is a pattern in which node n sends to to[n].
type permutation struct {
	to      []router.NodeID
	sources []router.NodeID // that do not send to themselves; nil: all
}

func (p *permutation) Sources() []router.NodeID { return p.sources }

func (p *permutation) nodes() int { return len(p.to) }

func (p *permutation) Destination(from router.NodeID, _ *rand.Rand) router.NodeID { return p.to[from] }

// newPermutation tabulates a mapping of nodes.
func newPermutation(nodes int, to func(router.NodeID) router.NodeID) (Pattern, error) {
	p := &permutation{to: make([]router.NodeID, nodes)}
	moved := 0
	for n := range router.NodeID(nodes) {
		if p.to[n] = to(n); p.to[n] != n {
			moved++
		}
	}
	switch moved {
	case 0:
		return nil, input.Errorf("expected a pattern in which at least one node sends", "every node would send to itself")
	case nodes:
		return p, nil
	}
	p.sources = make([]router.NodeID, 0, moved)
	for n, to := range p.to {
		if to != router.NodeID(n) {
			p.sources = append(p.sources, router.NodeID(n))
		}
	}
	return p, nil
}

// mapping returns the function of a pattern on a topology; nil if no pattern has the name.
func mapping(name string, t *topology.Topology) (func(router.NodeID) router.NodeID, error) {
	switch name {
	case "bitcomp", "bitrev", "shuffle":
		return bitMapping(name, t)
	case "transpose":
		return transpose(t)
	case "tornado":
		return shift(name, t, func(size int) int { return (size+1)/2 - 1 })
	case "neighbor":
		return shift(name, t, func(int) int { return 1 })
	}
	return nil, nil
}

// bitMapping returns a function of the bits of the node's number.
func bitMapping(name string, t *topology.Topology) (func(router.NodeID) router.NodeID, error) {
	nodes := uint32(t.Nodes())
	if bits.OnesCount32(nodes) != 1 {
		return nil, input.Errorf("expected a power of two", "%s on %s with %d nodes", name, t, nodes)
	}
	width, mask := bits.TrailingZeros32(nodes), nodes-1
	return func(n router.NodeID) router.NodeID {
		b := uint32(n)
		switch name {
		case "bitcomp":
			b = ^b
		case "bitrev":
			b = bits.Reverse32(b) >> (32 - width)
		case "shuffle":
			b = b<<1 | b>>(width-1)
		}
		return router.NodeID(b & mask)
	}, nil
}

// transpose exchanges the two halves of the coordinates.
func transpose(t *topology.Topology) (func(router.NodeID) router.NodeID, error) {
	half := len(t.Dims) / 2
	if !t.IsGrid() || len(t.Dims)%2 != 0 || !slices.Equal(t.Dims[:half], t.Dims[half:]) {
		return nil, input.Errorf("expected a square: mesh:AxA, torus:AxA, a hypercube of even dimension", "transpose on %s", t)
	}
	low := 1
	for _, size := range t.Dims[:half] {
		low *= size
	}
	return func(n router.NodeID) router.NodeID {
		return router.NodeID(int(n)%low*low + int(n)/low)
	}, nil
}

// shift moves every coordinate on, round the end of its dimension.
func shift(name string, t *topology.Topology, by func(size int) int) (func(router.NodeID) router.NodeID, error) {
	if !t.IsGrid() {
		return nil, input.Errorf("expected a path, ring, mesh, torus or hypercube", "%s on %s", name, t)
	}
	axes := t.Axes()
	return func(n router.NodeID) router.NodeID {
		for _, a := range axes {
			n = a.Move(n, (a.Coordinate(n)+by(a.Size))%a.Size)
		}
		return n
	}, nil
}

// readPermutation reads a file of source,destination. Nodes without a row do not send.
func readPermutation(file string, nodes int) (Pattern, error) {
	if file == "" {
		return nil, input.Errorf("expected permutation:FILE", "a permutation without a file")
	}
	text, err := input.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return scanPermutation(text, file, nodes)
}

func scanPermutation(text []byte, file string, nodes int) (Pattern, error) {
	to := make([]router.NodeID, nodes)
	for n := range to {
		to[n] = router.NodeID(n)
	}
	sent, taken := make([]int, nodes), make([]int, nodes) // lines
	rows := 0
	err := input.Rows(file, text, "source,destination", func(fields []string, line int) error {
		rows++
		source, err := parseNode(fields[0], nodes)
		if err != nil {
			return err
		}
		destination, err := parseNode(fields[1], nodes)
		switch {
		case err != nil:
			return err
		case sent[source] != 0:
			return input.Errorf("expected a permutation: one row a source", "source %d has a row already, in line %d", source, sent[source])
		case taken[destination] != 0:
			return input.Errorf("expected a permutation: each destination once", "destination %d has a row already, in line %d", destination, taken[destination])
		}
		sent[source], taken[destination], to[source] = line, line, destination
		return nil
	})
	if err != nil {
		return nil, err
	}
	if rows == 0 {
		return nil, input.At(file, 0, "expected rows of source,destination", "no rows")
	}
	pattern, err := newPermutation(nodes, func(n router.NodeID) router.NodeID { return to[n] })
	return pattern, input.Locate(err, file, 0)
}
