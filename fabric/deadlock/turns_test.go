// SPDX-License-Identifier: Apache-2.0

package deadlock_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/deadlock"
	"meshwright/fabric/machine"
	"meshwright/router"
)

// turning says whether a message must not turn from a direction to another one, in a column. Directions are ports.
type turning func(from, to router.Port, column int) bool

// forbiddenTurns are the rules of the turn models as their papers have them, of two dimensions by the letters of directions.
var forbiddenTurns = map[machine.Routing]turning{
	machine.WestFirst: letters("NW SW", "NW SW"),
	machine.NorthLast: letters("NW NE", "NW NE"),
	machine.OddEven:   letters("EN ES", "NW SW"),
	machine.NegativeFirst: func(from, to router.Port, _ int) bool {
		return from%2 == 0 && to%2 == 1
	},
}

// letters makes rules of lists of turns, one for even columns and one for odd ones.
func letters(even, odd string) turning {
	return func(from, to router.Port, column int) bool {
		turns, turn := even, "EWNS"[from:from+1]+"EWNS"[to:to+1]
		if column%2 == 1 {
			turns = odd
		}
		return strings.Contains(turns, turn)
	}
}

// shortest lists all shortest routes between two nodes of a mesh without forbidden turns, by the ports that they take.
func shortest(n *fabric.Network, from, to router.NodeID, forbidden turning) [][]router.Port {
	var all [][]router.Port
	var follow func(at router.NodeID, way []router.Port)
	follow = func(at router.NodeID, way []router.Port) {
		if at == to {
			all = append(all, slices.Clone(way))
			return
		}
		for k := range n.Topology.Dims {
			if n.Topology.Coordinate(at, k) == n.Topology.Coordinate(to, k) {
				continue
			}
			p := shorter(n, at, to, k)
			if len(way) > 0 && way[len(way)-1] != p && forbidden(way[len(way)-1], p, n.Topology.Coordinate(at, 0)) {
				continue
			}
			follow(n.Topology.Neighbor(at, p), append(way, p))
		}
	}
	follow(from, nil)
	return all
}

// turn adds the channels of all routes of a message without forbidden turns: any virtual channel of each link.
func (g *twin) turn(n *fabric.Network, from, to router.NodeID, forbidden turning) {
	for _, way := range shortest(n, from, to, forbidden) {
		var before []deadlock.Channel
		at := from
		for _, p := range way {
			var here []deadlock.Channel
			next := n.Topology.Neighbor(at, p)
			for vc := range n.Machine.VCs {
				c := deadlock.Channel{Node: at, Port: p, VC: router.VC(vc), To: next}
				here = append(here, c)
				g.channels[c] = true
				for _, b := range before {
					g.edges[[2]deadlock.Channel{b, c}] = true
				}
			}
			before, at = here, next
		}
	}
}

// Every turn model has a route between any two nodes, and a model that forbids a turn less has a cycle of four links.
func TestTurnModelsNeedTheirTurns(t *testing.T) {
	for _, model := range []struct {
		name      string
		forbidden turning
		cycle     int
	}{
		{"west-first", forbiddenTurns[machine.WestFirst], 0},
		{"north-last", forbiddenTurns[machine.NorthLast], 0},
		{"negative-first", forbiddenTurns[machine.NegativeFirst], 0},
		{"odd-even", forbiddenTurns[machine.OddEven], 0},
		{"no turn", letters("", ""), 4},
		{"one from north to west", letters("NW", "NW"), 4},
		{"one from north to east", letters("NE", "NE"), 4},
		{"one from east to south", letters("ES", "ES"), 4},
		{"two, of different columns", letters("EN", "ES"), 4},
		{"those of even columns", letters("EN ES", ""), 4},
	} {
		t.Run(model.name, func(t *testing.T) {
			r := row{"mesh:5x4", nil, 0}
			n := r.network(t)
			g := &twin{map[deadlock.Channel]bool{}, map[[2]deadlock.Channel]bool{}}
			nodes := router.NodeID(n.Topology.Nodes())
			for from := range nodes {
				for to := range nodes {
					if from != to {
						require.NotEmpty(t, shortest(n, from, to, model.forbidden), "%d to %d", from, to)
						g.turn(n, from, to, model.forbidden)
					}
				}
			}
			require.Equal(t, model.cycle, g.girth())
		})
	}
}
