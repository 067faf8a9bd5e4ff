// SPDX-License-Identifier: Apache-2.0

package symmetric

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/booking"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective/symmetries"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// networksOf returns a network for each of some groups of a job.
func networksOf(t *testing.T, spec string, random *rand.Rand) (list []*network) {
	t.Helper()
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	for key, values := range map[string][]string{"ports": {"single", "all"}, "nic.channels": {"1", "links"}, "nic.duplex": {"full", "half"}, "startup": {"0", "7", "40"}, "hop": {"1", "3"}} {
		require.NoError(t, m.Set(key, values[random.IntN(len(values))]))
	}
	x, err := topology.Parse(spec)
	require.NoError(t, err)
	kind, err := plan.KindOf(plan.Gossip)
	require.NoError(t, err)
	task, err := plan.NewTask(t.Context(), plan.Job{Topology: x, Machine: m, Lengths: slices.Repeat([]int{1 + random.IntN(4)}, x.Nodes()), Seed: 1}, kind)
	require.NoError(t, err)
	pairs, err := plan.NewPairs(task)
	require.NoError(t, err)
	for _, g := range symmetries.Groups(x, func(s symmetries.Symmetry) bool { return symmetries.KeepsRoutes(task, pairs, s) }, random) {
		if j := newJob(task, pairs, g); j != nil {
			list = append(list, j.forwards)
		}
	}
	return list
}

// A route uses each calendar as often as all messages do to which symmetries bring the first one.
func TestWaysCountTheUsesOfAllImages(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, spec := range []string{"ring:6", "torus:4x3", "hypercube:3", "star:3", "mesh:3x2", "binary:2", "complete:5", "twisted-torus:3x4,1", "hub:4"} {
		for _, n := range networksOf(t, spec, random) {
			book := n.newBook()
			c := n.classes(book)
			calendars := make([]booking.Calendar, c.Count())
			number := map[*booking.Calendar]int32{}
			for i := range calendars {
				number[&calendars[i]] = int32(i)
			}
			for k, u := range n.firsts {
				for v := range int32(n.nodes) {
					if u == v {
						continue
					}
					w := n.way(int32(k), v)
					type slot struct {
						calendar *booking.Calendar
						at, long router.Cycle
					}
					used := map[slot]int{} // of each calendar
					for _, h := range w.images {
						for _, x := range n.uses(book, n.group[h][u], n.group[h][v]) {
							used[slot{x.Calendar, x.At, x.Long}]++
						}
					}
					type class struct {
						calendar int32
						at, long router.Cycle
					}
					ofClass := map[class]int{}
					for _, x := range w.AppendUses(nil, calendars, n.model, 0) {
						ofClass[class{number[x.Calendar], x.At, x.Long}]++
					}
					for s, count := range used {
						require.Equal(t, ofClass[class{c.Number(s.calendar), s.at, s.long}], count, "%s %d>%d", spec, u, v)
					}
				}
			}
		}
	}
}

// A schedule that grows is complete, and its steps make it again.
func TestGrownSchedulesAreComplete(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	complete := 0
	for _, spec := range []string{"ring:9", "torus:4x3", "hypercube:4", "star:3", "mesh:4x2", "binary:2", "complete:6", "torus:9x8", "hypercube:7"} {
		list := networksOf(t, spec, random)
		for _, n := range list[:min(len(list), 4)] {
			s := newSpread(n, ownOf(n))
			for i := range 3 {
				steps := s.grow(n.habit(i, random), never, random)
				if s.missing > 0 { // several messages would bring the same
					continue
				}
				complete++
				cycles := s.cycles
				for k := range s.has {
					require.Equal(t, s.own, s.has[k], spec)
				}
				s.run(steps)
				require.Zero(t, s.missing, spec)
				require.Equal(t, cycles, s.cycles, spec)
				require.Empty(t, s.grow(habit{far: 1, reach: n.Furthest}, 0, random), "within no time")
			}
		}
	}
	require.Greater(t, complete, 40)
}

// ownOf is all nodes.
func ownOf(n *network) (own []uint64) {
	own = make([]uint64, (n.nodes+63)/64)
	for v := range n.nodes {
		own[v/64] |= 1 << (v % 64)
	}
	return own
}

// The schedules that grow are sorted, the fastest first, and are given up at the limit.
func TestGrownSchedulesAreSorted(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for _, n := range networksOf(t, "torus:5x4", random)[:1] {
		s := newSpread(n, ownOf(n))
		list := s.grown(8, never, random)
		require.Len(t, list, mostGrown)
		require.LessOrEqual(t, list[0].cycles, list[1].cycles)
		require.Empty(t, s.grown(8, list[0].cycles/2, random))
	}
}
