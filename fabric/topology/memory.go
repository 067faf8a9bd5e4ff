// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"context"
	"math"
	"strconv"
	"strings"

	"meshwright/fabric/topology/star"
	"meshwright/fabric/topology/twisted"
	"meshwright/internal/memory"
	"meshwright/internal/progress"
)

// Bytes that a network takes while it is wired. Grids and star
// graphs have an entry of two words for each port and one for each node; the others sort lists of edges
// first. Measured as the growth of the heap (trees of 500 000 nodes, complete
// graphs of 1000) and rounded up.
const (
	perGridPort = 8
	perEdgePort = 90
	perNode     = 24
)

// ParseWithin is [Parse], but refuses a network that needs more memory than
// the context's limit, with a *memory.TooLarge, before it is made.
func ParseWithin(ctx context.Context, spec string) (*Topology, error) {
	defer progress.Begin(ctx, "build "+spec, 0).End()
	if bytes := memoryOf(spec); bytes > 0 {
		if err := memory.Need(ctx, "the network "+spec, bytes); err != nil {
			return nil, err
		}
	}
	return Parse(spec)
}

// memoryOf estimates what the topology of a spec takes; 0 when SizeOf knows no size.
func memoryOf(spec string) memory.Bytes {
	kind, _, _ := strings.Cut(spec, ":")
	nodes, ports := SizeOf(spec)
	perPort := float64(perEdgePort)
	if grid(kind) {
		perPort = perGridPort
	}
	return memory.Of(perNode*nodes + perPort*ports)
}

// SizeOf returns the nodes of the network of a spec, and the link ports of all of them; 0
// when its file says how large it is, when the spec is no good, and when it is
// beyond MaxNodes.
func SizeOf(spec string) (nodes, ports float64) {
	kind, rest, _ := strings.Cut(spec, ":")
	nodes, ports = sizeOf(kind, rest)
	if !(nodes >= 1) || nodes > MaxNodes || !(ports >= 0) || ports > 2*maxEdges && !grid(kind) {
		return 0, 0
	}
	return nodes, ports
}

// grid reports whether a kind of network is wired by arithmetic.
func grid(kind string) bool {
	switch Kind(kind) {
	case Path, Ring, Mesh, Torus, TwistedTorus, Hypercube, Star:
		return true
	}
	return false
}

// sizeOf counts, without judging, the nodes of a spec and the ports of all of them.
func sizeOf(kind, rest string) (nodes, ports float64) {
	var sizes []float64
	for _, text := range strings.FieldsFunc(rest, func(r rune) bool { return r == 'x' || r == ',' }) {
		size, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return 0, 0
		}
		sizes = append(sizes, size)
	}
	if len(sizes) == 0 {
		return 0, 0
	}
	n := sizes[0]
	switch kind {
	case "path", "ring", "mesh", "torus", "comb":
		nodes = 1
		for _, size := range sizes {
			nodes *= size
		}
		if kind == "comb" {
			nodes += n // of the spine
			return nodes, 2 * nodes
		}
		return nodes, nodes * 2 * float64(len(sizes))
	case "twisted-torus":
		if len(sizes) > 1 {
			return n * sizes[1], n * sizes[1] * twisted.Ports
		}
	case "hypercube":
		return math.Exp2(n), math.Exp2(n) * 2 * n
	case "star":
		if n == math.Trunc(n) && n >= star.MinSymbols && n <= star.MaxSymbols {
			nodes = math.Round(math.Gamma(n + 1))
			return nodes, nodes * (n - 1)
		}
	case "hub", "random-tree", "recursive-tree":
		return n, 2 * n
	case "binary":
		return math.Exp2(n + 1), math.Exp2(n + 2)
	case "complete":
		return n, n * (n - 1)
	case "debruijn":
		return math.Exp2(n), 4 * math.Exp2(n)
	case "random":
		if len(sizes) > 1 && sizes[1] < n {
			return n, n * sizes[1]
		}
	}
	return 0, 0
}
