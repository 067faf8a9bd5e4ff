// SPDX-License-Identifier: Apache-2.0

package fabric_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/soak"
	"meshwright/router"
)

var anyNetwork = []string{"mesh:5x4", "torus:4x4", "ring:8", "hypercube:4", "path:5", "star:4", "debruijn:4", "random:24,4,3", "twisted-torus:3x6", "complete:7", "random-tree:9,2", "mesh:3x3x2"}

// someFaults are dead nodes, and links that are dead in one direction or both; some of the faults are over, or begin late, and do not count.
func someFaults(t *topology.Topology, random *rand.Rand) *fault.List {
	all := fault.Candidates(t, fault.Random{Nodes: true, Links: true}, router.None)
	l := &fault.List{Known: true, Seed: 1}
	for range random.IntN(5) {
		f := all[random.IntN(len(all))]
		switch random.IntN(6) {
		case 0:
			f.Start = 5
		case 1:
			f.End = 90
		}
		l.Faults = append(l.Faults, f)
		if f.Kind == fault.Link && random.IntN(2) == 0 {
			f.From, f.To = f.To, f.From
			l.Faults = append(l.Faults, f)
		}
	}
	return l
}

// left is what known faults leave of a network, with distances by Floyd and Warshall.
type left struct {
	live     []bool
	uses     map[[2]router.NodeID]bool
	distance [][]int
}

func leave(t *topology.Topology, l *fault.List, bothWays bool) *left {
	nodes := t.Nodes()
	r := &left{live: make([]bool, nodes), uses: map[[2]router.NodeID]bool{}, distance: make([][]int, nodes)}
	dead := map[[2]router.NodeID]bool{}
	for _, f := range l.Faults {
		if f.Start == 0 && f.End == fault.Never {
			dead[[2]router.NodeID{f.From, f.To}] = true
			if bothWays && f.Kind == fault.Link {
				dead[[2]router.NodeID{f.To, f.From}] = true
			}
		}
	}
	for n := range nodes {
		r.live[n] = !dead[[2]router.NodeID{router.NodeID(n), router.NodeID(n)}]
		r.distance[n] = make([]int, nodes)
		for m := range nodes {
			if r.distance[n][m] = 1 << 20; n == m {
				r.distance[n][m] = 0
			}
		}
	}
	for _, link := range t.Links() {
		ends := [2]router.NodeID{link.From, link.To}
		if r.live[link.From] && r.live[link.To] && !dead[ends] {
			r.uses[ends], r.distance[link.From][link.To] = true, 1
		}
	}
	for k := range nodes {
		for i := range nodes {
			for j := range nodes {
				r.distance[i][j] = min(r.distance[i][j], r.distance[i][k]+r.distance[k][j])
			}
		}
	}
	return r
}

// parted reports whether some live node has no route to another, or is alone.
func (r *left) parted() bool {
	count, parted := 0, false
	for i, live := range r.live {
		if !live {
			continue
		}
		count++
		for j := range r.live {
			parted = parted || r.live[j] && r.distance[i][j] >= 1<<20
		}
	}
	return parted || count < 2
}

// Tables go around what is dead for good: each route uses live links alone, and arrives. Those of routing table are as short as any. Networks
// that fall into parts are refused.
func TestTablesGoAroundKnownFaults(t *testing.T) {
	refused, ran := 0, 0
	for seed := range soak.Number[uint64](240, 4000) {
		random := rand.New(rand.NewPCG(seed, 5))
		topo, err := topology.Parse(anyNetwork[seed%uint64(len(anyNetwork))])
		require.NoError(t, err)
		m, err := machine.Preset("wormhole")
		require.NoError(t, err)
		m.Routing = []machine.Routing{machine.Table, machine.UpDown}[random.IntN(2)]
		m.Faults = someFaults(topo, random)
		name := fmt.Sprintf("seed %d: %s, routing %s, %v", seed, topo, m.Routing, m.Faults.Faults)
		left := leave(topo, m.Faults, m.Routing == machine.UpDown)
		n, err := fabric.New(topo, m)
		if left.parted() {
			require.Error(t, err, name)
			require.True(t, strings.Contains(err.Error(), "leave no route from node") || strings.Contains(err.Error(), "the faults leave "), "%s: %v", name, err)
			refused++
			continue
		}
		require.NoError(t, err, name)
		ran++
		routes, err := fabric.NewRoutes(topo, m)
		require.NoError(t, err)
		dead, cut := 0, 0
		for from := range router.NodeID(topo.Nodes()) {
			require.Equal(t, left.live[from], n.Around().Live(from), name)
			if !left.live[from] {
				dead++
				continue
			}
			for to := range router.NodeID(topo.Nodes()) {
				if !left.live[to] {
					continue
				}
				at, way := from, n.Route(from, to)
				for _, p := range way {
					next := topo.Neighbor(at, p)
					require.True(t, left.uses[[2]router.NodeID{at, next}], "%s: %d>%d of the route from %d to %d", name, at, next, from, to)
					at = next
				}
				require.Equal(t, to, at, name)
				require.Equal(t, way, routes.Route(from, to), name)
				if m.Routing == machine.Table {
					require.Len(t, way, left.distance[from][to], name)
				} else {
					require.GreaterOrEqual(t, len(way), left.distance[from][to], name)
				}
			}
		}
		for _, l := range topo.Links() {
			if left.live[l.From] && left.live[l.To] && !left.uses[[2]router.NodeID{l.From, l.To}] {
				cut++
			}
		}
		nodes, links := n.Around().Dead()
		require.Equal(t, [2]int{dead, cut}, [2]int{nodes, links}, name)
	}
	require.Greater(t, refused, 20)
	require.Greater(t, ran, 100)
}

// The error names two nodes, of which one does not reach the other.
func TestNetworksThatFaultsPart(t *testing.T) {
	node := func(n router.NodeID) fault.Fault {
		return fault.Fault{Kind: fault.Node, From: n, To: n, End: fault.Never}
	}
	link := func(a, b router.NodeID) fault.Fault {
		return fault.Fault{Kind: fault.Link, From: a, To: b, End: fault.Never}
	}
	for _, c := range []struct {
		spec    string
		routing machine.Routing
		faults  []fault.Fault
		want    string
	}{
		{"path:5", machine.Table, []fault.Fault{node(2)}, "the faults of path:5 leave no route from node 0 to node 3 (expected routes between all live nodes)"},
		{"path:5", machine.Table, []fault.Fault{link(3, 2)}, "the faults of path:5 leave no route from node 3 to node 0 (expected routes between all live nodes)"},
		{"path:5", machine.UpDown, []fault.Fault{link(3, 2)}, "the faults of path:5 leave no route from node 0 to node 3 by links that live in both directions (expected routes between all live nodes)"},
		{"ring:4", machine.Table, []fault.Fault{link(3, 2)}, ""},
		{"ring:4", machine.UpDown, []fault.Fault{link(0, 1), link(3, 2)}, "the faults of ring:4 leave no route from node 0 to node 1 by links that live in both directions (expected routes between all live nodes)"},
		{"ring:4", machine.Table, []fault.Fault{node(0), node(1), node(3)}, "the faults leave 1 node of ring:4 (expected at least 2 live nodes)"},
		{"path:5", machine.DimensionOrder, []fault.Fault{node(2)}, ""},
	} {
		topo, err := topology.Parse(c.spec)
		require.NoError(t, err)
		m, err := machine.Preset("wormhole")
		require.NoError(t, err)
		m.Routing, m.Faults = c.routing, &fault.List{Known: true, Faults: c.faults}
		_, err = fabric.New(topo, m)
		if c.want == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, c.want)
	}
}
