// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/soak"
	"meshwright/router"
)

// Timetables of a few nodes that the search by places and prices misses, and the search with symmetries finds.
func TestExactTimes(t *testing.T) {
	for _, row := range soak.Some(2, []struct {
		spec, ports string
		cycles      router.Cycle
	}{{"mesh:3x3", "all", 10}, {"mesh:3x3", "single", 19}, {"mesh:2x4", "single", 17}, {"mesh:2x4", "all", 9}}) {
		m, err := Reference()
		require.NoError(t, err)
		m.Ports = machine.Regime(row.ports)
		table, err := Find(t.Context(), parse(t, row.spec), m, 1, Options{Seed: 1})
		require.NoError(t, err)
		require.LessOrEqual(t, table.Cycles, row.cycles, row.spec)
		requireExchange(t, table, row.spec)
	}
}

// Where a node has nothing to send, or other lengths than its image, timetables without symmetry remain, and no message is forgotten.
func TestUnequalLengthsHaveNoSymmetry(t *testing.T) {
	m, err := Reference()
	require.NoError(t, err)
	for _, lengths := range [][]int{{0, 1, 1, 1}, {1, 2, 1, 1}, {1, 1, 1, 1}} {
		topo := parse(t, "mesh:2x2")
		g, err := newGoal(topo, m, lengths, &Options{})
		require.NoError(t, err)
		for _, s := range symmetries(topo) {
			q := &question{goal: g, space: newSpace(topo, m, nil), maps: s}
			equal := slices.Min(lengths) == slices.Max(lengths)
			require.Equal(t, equal || len(s) == 1, q.listWays(), "%v, %d maps", lengths, len(s))
		}
		table, err := FindLengths(t.Context(), topo, m, lengths, Options{})
		require.NoError(t, err)
		requireExchange(t, table, "mesh:2x2")
	}
}

// The maps of a symmetry are a group, and take links to links.
func TestSymmetriesAreGroupsOfMaps(t *testing.T) {
	for spec, sizes := range map[string][]int{
		"mesh:3x3": {4, 4, 2, 1}, "mesh:2x4": {4, 2, 1}, "mesh:2x2x2": {8, 2, 1}, "path:5": {2, 1}, "torus:3x2": {4, 2, 1}, "hub:5": {1}, "path:1": {1},
	} {
		topo := parse(t, spec)
		var orders []int
		for _, s := range symmetries(topo) {
			orders = append(orders, len(s))
			for _, a := range s {
				requireLinks(t, topo, a, spec)
				for _, b := range s {
					product := after(a, b)
					require.True(t, slices.ContainsFunc(s, func(m []router.NodeID) bool { return slices.Equal(m, product) }), spec)
				}
			}
		}
		require.Equal(t, sizes, orders, spec)
	}
}

func requireLinks(t *testing.T, topo *topology.Topology, m []router.NodeID, spec string) {
	t.Helper()
	type ends struct{ from, to router.NodeID }
	links := map[ends]bool{}
	for _, l := range topo.Links() {
		links[ends{l.From, l.To}] = true
	}
	for l := range links {
		require.True(t, links[ends{m[l.from], m[l.to]}], spec)
	}
}

// Of every message either it or one of its images has variables, and the images are all different.
func TestWaysAndTheirImagesAreAllMessages(t *testing.T) {
	m, err := Reference()
	require.NoError(t, err)
	for _, spec := range []string{"mesh:3x3", "mesh:2x4", "path:5", "mesh:2x2x2"} {
		topo := parse(t, spec)
		o := &Options{}
		g, err := newGoal(topo, m, slices.Repeat([]int{1}, topo.Nodes()), o)
		require.NoError(t, err)
		for _, s := range symmetries(topo) {
			q := &question{goal: g, space: newSpace(topo, m, nil), maps: s}
			require.True(t, q.listWays())
			of := map[[2]router.NodeID]int{}
			for _, w := range q.ways {
				for _, i := range w.images {
					key := [2]router.NodeID{i.source, i.destination}
					before, known := of[key]
					require.True(t, !known || before == w.message, "%s: %v", spec, key)
					of[key] = w.message
				}
			}
			require.Len(t, of, topo.Nodes()*(topo.Nodes()-1), spec)
		}
	}
}
