// SPDX-License-Identifier: Apache-2.0

package router_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/router"
)

// planes sends the same messages in every plane of a mesh of three dimensions,
// the planes in another order in each cycle.
type planes struct {
	rng         *rand.Rand
	nodes, many int // of a plane; planes
}

func (p *planes) Evaluate(s fabric.Signals) {
	order := p.rng.Perm(p.many)
	for n := range p.nodes {
		to := p.rng.IntN(p.nodes)
		if p.rng.Float64() > 0.05 || to == n {
			continue
		}
		length := 1 + p.rng.IntN(7)
		for _, z := range order {
			s.Send(fabric.Message{
				Source: router.NodeID(z*p.nodes + n), Destination: router.NodeID(z*p.nodes + to), Length: length, Tag: uint32(n + 1),
			})
		}
	}
}
func (p *planes) Update(fabric.Signals) {}

// Wherever in the arrays a network lies, and so whenever in a cycle it is
// evaluated and updated, it does the same: each plane of a mesh is a network of
// its own when no message leaves its plane.
func TestPlaceInTheOrderOfEvaluationDoesNotMatter(t *testing.T) {
	for _, row := range []struct {
		name, topology string
		nodes, many    int
		settings       []string
	}{
		{"one virtual channel", "mesh:5x3x7", 15, 7, nil},
		{"one channel a node", "mesh:4x4x5", 16, 5, []string{"nic.channels", "1", "buffer", "1"}},
		{"virtual channels", "mesh:5x3x4", 15, 4, []string{"vcs", "3", "buffer", "2"}},
		{"single port", "mesh:3x4x5", 12, 5, []string{"ports", "single", "nic.duplex", "half", "nic.channels", "1"}},
		{"slow links", "mesh:5x2x6", 10, 6, []string{"hop", "2", "flit", "3"}},
		{"claims that take a cycle", "mesh:4x3x4", 12, 4, []string{"claim", "1", "nic.channels", "1"}},
		{"datelines", "torus:5x3x4", 15, 4, nil},
	} {
		t.Run(row.name, func(t *testing.T) {
			n := network(t, row.topology, row.settings...)
			n.KeepBlocked()
			seen := &recorder{}
			n.Attach(&planes{rand.New(rand.NewPCG(1, 9)), row.nodes, row.many})
			n.Attach(seen)
			blocked := 0
			for cycle := range 1500 {
				n.Step()
				byPlane := make([][]plain, row.many)
				for _, o := range seen.offers {
					z := int(o.Node) / row.nodes
					byPlane[z] = append(byPlane[z], plain{int(o.Node) % row.nodes, o.Port, o.Input, o.Flit.Seq, o.Flit.VC, o.Fired})
					if !o.Fired {
						blocked++
					}
				}
				for z := 1; z < row.many; z++ {
					require.Equal(t, byPlane[0], byPlane[z], "cycle %d, plane %d", cycle, z)
				}
			}
			require.Positive(t, n.Delivered())
			require.Positive(t, blocked, "the load must lead to contention")
		})
	}
}

// plain is an offer without what tells planes apart.
type plain struct {
	node  int
	port  router.Port
	input int32
	seq   uint32
	vc    router.VC
	fired bool
}
