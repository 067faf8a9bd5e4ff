// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

// takeOut takes nodes, and links in the directions given, out of a network.
func takeOut(t *testing.T, spec string, nodes []router.NodeID, links ...[2]router.NodeID) (*Survivors, error) {
	t.Helper()
	topo, err := Parse(spec)
	require.NoError(t, err)
	dead, cut := map[router.NodeID]bool{}, map[[2]router.NodeID]bool{}
	for _, n := range nodes {
		dead[n] = true
	}
	for _, l := range links {
		cut[l] = true
	}
	return topo.Without(func(n router.NodeID) bool { return dead[n] }, func(from, to router.NodeID) bool { return cut[[2]router.NodeID{from, to}] })
}

// The links of what is left are the links of the whole network between live nodes that are not cut.
func TestSurvivors(t *testing.T) {
	s, err := takeOut(t, "torus:4x3", []router.NodeID{5}, [2]router.NodeID{0, 1}, [2]router.NodeID{1, 0}, [2]router.NodeID{2, 3})
	require.NoError(t, err)
	require.Equal(t, 11, s.Topology.Nodes())
	require.NoError(t, s.Topology.Valid())
	links, loose := 0, 0
	for _, l := range s.Whole.Links() {
		a, b := s.Place[l.From], s.Place[l.To]
		if a == router.None || b == router.None {
			continue
		}
		require.Equal(t, l.From, s.Node[a])
		_, left := s.Topology.PortTo(a, b)
		_, counts := s.Loose.PortTo(a, b)
		low, high := min(l.From, l.To), max(l.From, l.To)
		require.Equal(t, !(low == 0 && high == 1) && !(low == 2 && high == 3), left, "%d>%d", l.From, l.To)
		require.Equal(t, !(low == 0 && high == 1), counts, "%d>%d", l.From, l.To)
		if left {
			links++
		}
		if counts {
			loose++
		}
	}
	require.Len(t, s.Topology.Links(), links)
	require.Len(t, s.Loose.Links(), loose)
	nodes, dead := s.Dead()
	require.Equal(t, []int{1, 4}, []int{nodes, dead})
}

func TestNetworksThatFallApart(t *testing.T) {
	for _, row := range []struct {
		spec  string
		nodes []router.NodeID
		links [][2]router.NodeID
		want  string
	}{
		{"path:5", []router.NodeID{3}, nil, "the faults cut node 4 off from the other nodes of path:5 (expected a network in one part)"},
		{"path:5", []router.NodeID{1}, nil, "the faults cut node 0 off from the other nodes of path:5 (expected a network in one part)"},
		{"path:6", nil, [][2]router.NodeID{{1, 2}}, "the faults cut nodes 0, 1 off from the other nodes of path:6 (expected a network in one part)"},
		{"path:30", nil, [][2]router.NodeID{{11, 10}}, "the faults cut nodes 0, 1, 2, 3, 4, 5, 6, 7 and 3 more off from the other nodes of path:30 (expected a network in one part)"},
		{"path:3", []router.NodeID{1, 2}, nil, "the faults leave 1 node of path:3 (expected at least 2 live nodes)"},
		{"path:2", []router.NodeID{0, 1}, nil, "the faults leave 0 nodes of path:2 (expected at least 2 live nodes)"},
	} {
		_, err := takeOut(t, row.spec, row.nodes, row.links...)
		require.EqualError(t, err, row.want)
	}
	_, err := (*Topology)(nil).Without(nil, nil)
	require.EqualError(t, err, "no topology (expected one that topology.Parse has made)")
	path, err := Parse("path:3")
	require.NoError(t, err)
	s, err := path.Without(nil, nil)
	require.NoError(t, err)
	require.Equal(t, path.Nodes(), s.Topology.Nodes())
	require.Len(t, s.Topology.Links(), len(path.Links()))
}
