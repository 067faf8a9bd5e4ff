// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/schedule"
)

func Example() {
	s, _ := schedule.Parse("s.csv", strings.NewReader("1,0,5,3,0\n2,0,4,4,2\n"))
	path, _ := topology.Parse("path:6")
	m, _ := machine.Preset("bufferless")
	r, _ := Check(s, path, m)
	c := r.First[0]
	fmt.Printf("cycle %d: messages %d and %d, rule %s at node %d; delay %d by %d\n", c.Cycle, c.First, c.Second, c.Conflict, c.Node, c.Second, c.Delay)
	s.Rows[1].Dispatch += c.Delay
	r, _ = Check(s, path, m)
	fmt.Println(r.OK, r.Cycles, r.LowerBound, r.Ratio)
	// Output:
	// cycle 2: messages 1 and 2, rule injection at node 0; delay 2 by 1
	// true 11 11 1
}

// with returns the bufferless machine with keys set.
func with(t testing.TB, settings ...string) machine.Machine {
	m, err := machine.Preset("bufferless")
	require.NoError(t, err)
	for _, s := range settings {
		key, value, _ := strings.Cut(s, "=")
		require.NoError(t, m.Set(key, value))
	}
	return m
}

func parse(t testing.TB, spec string, rows string) (*topology.Topology, *schedule.Schedule) {
	top, err := topology.Parse(spec)
	require.NoError(t, err)
	s, err := schedule.Parse("s.csv", strings.NewReader(strings.ReplaceAll(rows, " ", "\n")))
	require.NoError(t, err)
	return top, s
}

// The second message is legal at its dispatch; one cycle earlier it collides.
func TestCheckIsTightAtEveryRule(t *testing.T) {
	for _, row := range []struct {
		name, spec string
		machine    []string
		rows       string
		conflict   router.Conflict
		cycle      router.Cycle // of the collision
		node       router.NodeID
	}{
		{"injection", "path:4", nil, "1,1,3,3,0 2,1,0,2,3", schedule.InjectionConflict, 2, 1},
		{"injection with startup", "path:4", []string{"startup=5"}, "1,1,3,3,5 2,1,0,2,13", schedule.InjectionConflict, 12, 1},
		{"startup before cycle 0", "path:4", []string{"startup=5"}, "1,1,3,1,9 2,2,0,1,5", schedule.InjectionConflict, 4, 2},
		{"link", "path:4", nil, "1,0,3,3,0 2,1,3,1,4", router.LinkConflict, 3, 1},
		{"link, slow flits", "path:4", []string{"flit=3"}, "1,0,3,3,0 2,1,3,1,10", router.LinkConflict, 9, 1},
		{"link, slow hops", "path:4", []string{"hop=3"}, "1,0,3,3,0 2,1,3,1,6", router.LinkConflict, 5, 1},
		{"link round the ring", "ring:5", []string{"ports=all"}, "1,3,0,4,0 2,4,1,1,5", router.LinkConflict, 4, 4},
		{"send", "path:5", nil, "1,0,4,3,0 2,2,0,1,5", router.SendConflict, 4, 2},
		{"receive", "path:5", nil, "1,0,2,3,0 2,4,2,1,3", router.ReceiveConflict, 3, 2},
		{"receive on the way", "path:5", nil, "1,0,2,3,0 2,4,1,1,3", router.ReceiveConflict, 3, 2},
		{"eject", "path:5", []string{"ports=all"}, "1,0,2,3,0 2,4,2,1,3", router.EjectConflict, 4, 2},
		{"duplex", "path:5", []string{"nic.duplex=half"}, "1,0,2,3,0 2,2,4,1,5", router.DuplexConflict, 4, 2},
		{"duplex, sender first", "path:5", []string{"nic.duplex=half"}, "2,2,4,4,0 1,0,2,3,2", router.DuplexConflict, 3, 2},
		{"prescribed route", "mesh:2x2", []string{"ports=all"}, "1,0,3,2,0 2,0,3,1,2,0>1>3", schedule.InjectionConflict, 1, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			top, s := parse(t, row.spec, row.rows)
			m := with(t, row.machine...)
			r, err := Check(s, top, m)
			require.NoError(t, err)
			require.True(t, r.OK, r.First)
			s.Rows[1].Dispatch--
			r, err = Check(s, top, m)
			require.NoError(t, err)
			require.False(t, r.OK)
			first := r.First[0]
			require.Equal(t, []any{row.conflict, row.cycle, row.node}, []any{first.Conflict, first.Cycle, first.Node})
			if first.Second == 2 {
				require.Equal(t, router.Cycle(1), first.Delay)
			}
		})
	}
}

func TestCheckIsIndifferentWhereTheMachineIs(t *testing.T) {
	for _, row := range []struct {
		name, spec string
		machine    []string
		rows       string
	}{
		{"all ports send to both sides", "path:5", []string{"ports=all"}, "1,1,4,9,0 2,3,0,9,0"},
		{"a channel a link", "path:3", []string{"ports=all", "nic.channels=links"}, "1,1,0,5,0 2,1,2,5,0 3,0,1,5,0 4,2,1,5,0"},
		{"full duplex", "path:2", nil, "1,0,1,5,0 2,1,0,5,0"},
		{"head follows tail", "ring:6", nil, "1,0,3,4,0 2,0,2,4,4 3,5,1,1,8"},
	} {
		t.Run(row.name, func(t *testing.T) {
			top, s := parse(t, row.spec, row.rows)
			r, err := Check(s, top, with(t, row.machine...))
			require.NoError(t, err)
			require.True(t, r.OK, r.First)
			require.Zero(t, r.Collisions)
		})
	}
}

func TestCheckMeasures(t *testing.T) {
	top, s := parse(t, "path:4", "1,0,3,3,0 2,1,3,1,8 3,3,2,2,0")
	r, err := Check(s, top, with(t, "ports=all", "hop=2", "flit=2"), WithFloor(func(*schedule.Schedule, *topology.Topology, machine.Machine) router.Cycle { return 7 }))
	require.NoError(t, err)
	require.True(t, r.OK, r.First)
	require.Equal(t, router.Cycle(14), r.Cycles)
	require.Equal(t, 2.0, r.Ratio)
	require.Equal(t, []LinkUse{{3, 6}, {4, 8}, {}, {4, 8}, {}, {2, 4}}, r.Links)
	require.Equal(t, 1, r.Hottest)
	require.Equal(t, uint64(13), r.FlitHops)
}

func TestCheckRefuses(t *testing.T) {
	for _, row := range []struct {
		name, spec string
		machine    []string
		rows, want string
	}{
		{"buffers", "path:3", []string{"switching=wormhole"}, "1,0,1,1,0", "switching wormhole: the checker knows no buffers (expected switching bufferless, as of machine.Machine.WithoutBuffers; collective.CheckSchedule takes any machine)"},
		{"virtual channels", "path:3", []string{"vcs=2"}, "1,0,1,1,0", "vcs 2: a bufferless chip has no virtual channels (expected vcs 1)"},
		{"bad rows", "path:3", nil, "1,0,3,1,0", "s.csv:1: message 1: destination 3 (expected a node from 0 to 2)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			top, s := parse(t, row.spec, row.rows)
			_, err := Check(s, top, with(t, row.machine...))
			require.EqualError(t, err, row.want)
			var fault *input.Error
			require.True(t, errors.As(err, &fault))
		})
	}
}

func TestNoDelayHelpsAMessageThatMeetsItself(t *testing.T) {
	top, s := parse(t, "path:3", "7,0,2,5,0,0>1>0>1>2")
	r, err := Check(s, top, with(t, "ports=all"))
	require.NoError(t, err)
	c := r.First[0]
	require.Equal(t, Collision{Cycle: 2, Conflict: router.LinkConflict, Node: 0, Link: 0, First: 7, Second: 7, Rows: [2]int{0, 0}}, c)
}

// More pairs than a report lists: the first ones by cycle are kept.
func TestReportListsTheFirstCollisions(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 12))
	for _, spec := range []string{"path:6", "torus:3x3"} {
		top, err := topology.Parse(spec)
		require.NoError(t, err)
		for _, m := range []machine.Machine{with(t), with(t, "ports=all", "nic.duplex=half", "nic.channels=links")} {
			s := &schedule.Schedule{}
			for i := range 400 {
				s.Rows = append(s.Rows, randomRow(r, top, m, i, 40, true))
			}
			want := slices.Sorted(maps.Values(newTwin(top, m).pairs(s)))
			for _, how := range []approach{byHeads, bySections} {
				got, err := Check(s, top, m, withEarly(100), withApproach(how, 2))
				require.NoError(t, err)
				require.Len(t, got.First, Listed)
				require.Equal(t, len(want), got.Collisions)
				require.False(t, got.More)
				for i, c := range got.First {
					require.Equal(t, want[i], c.Cycle)
				}
			}
		}
	}
}

// Millions of pairs: they are counted up to a bound, so that memory is bounded.
func TestMillionsOfCollisions(t *testing.T) {
	path, err := topology.Parse("path:3")
	require.NoError(t, err)
	for _, test := range []struct {
		messages, collisions int
		more                 bool
		how                  approach
	}{{1448, 1448 * 1447 / 2, false, byHeads}, {100_000, Counted, true, byHeads}, {2000, Counted, true, bySections}} {
		s := &schedule.Schedule{}
		for i := range test.messages {
			s.Rows = append(s.Rows, schedule.Row{Message: int32(i), Source: 0, Destination: 2, Flits: 2})
		}
		got, err := Check(s, path, with(t), withApproach(test.how, 0))
		require.NoError(t, err)
		require.Equal(t, test.collisions, got.Collisions)
		require.Equal(t, test.more, got.More)
		require.Len(t, got.First, Listed)
	}
}

func TestFloorOfTotalExchangeOnTori(t *testing.T) {
	floors := map[int]router.Cycle{3: 10, 4: 18, 5: 27, 6: 39, 7: 52, 8: 68, 9: 91, 10: 126}
	for n, want := range floors {
		top, err := topology.Parse(fmt.Sprintf("torus:%dx%d", n, n))
		require.NoError(t, err)
		s := &schedule.Schedule{}
		for a := range router.NodeID(n * n) {
			for b := range router.NodeID(n * n) {
				if a != b {
					s.Rows = append(s.Rows, schedule.Row{Message: int32(len(s.Rows)), Source: a, Destination: b, Flits: 1})
				}
			}
		}
		require.Equal(t, want, FloorOf(s, top, with(t, "ports=all")), "n = %d", n)
	}
}

// Bhatt, Pucci, Ranade, Rosenberg: farthest destination first is optimal, and
// the floor says so.
func TestFloorIsMetByScatters(t *testing.T) {
	top, err := topology.Parse("path:9")
	require.NoError(t, err)
	for n := range 20 {
		r, err := Check(farthestFirst(1+n, 9), top, with(t))
		require.NoError(t, err)
		require.True(t, r.OK)
		require.Equal(t, r.LowerBound, r.Cycles)
	}
}

// No choice of dispatches undercuts the floor: all of them are tried.
func TestFloorIsAFloor(t *testing.T) {
	r := rand.New(rand.NewPCG(13, 14))
	topologies := randomTopologies(t)
	met := 0
	for range soak.Number(50, 150) {
		top, m := topologies[r.IntN(len(topologies))], randomMachine(r)
		s := &schedule.Schedule{}
		for i := range 3 {
			s.Rows = append(s.Rows, randomRow(r, top, m, i, 1, false))
		}
		const window = 7
		best := router.Cycle(1 << 20)
		for code := range window * window * window {
			for i := range s.Rows {
				s.Rows[i].Dispatch = router.Cycle(m.Startup + code%window)
				code /= window
			}
			got, err := Check(s, top, m)
			require.NoError(t, err)
			require.True(t, !got.OK || got.LowerBound <= got.Cycles)
			if got.OK {
				best = min(best, got.Cycles)
			}
		}
		if best == FloorOf(s, top, m) {
			met++
		}
	}
	require.Greater(t, met, soak.Number(15, 50))
}

func TestSortOfWideKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(15, 16))
	for _, groups := range []int32{1, 5, 1 << 30} {
		keys := make([]uint64, 500)
		for i := range keys {
			keys[i] = r.Uint64() >> (60 * (i % 2)) * uint64(groups)
		}
		order := (&sorter{}).sort(len(keys), func(i int) uint64 { return keys[i] })
		require.True(t, slices.IsSortedFunc(order, func(a, b int32) int { return cmp.Or(cmp.Compare(keys[a], keys[b]), int(a-b)) }))
		rects := make([]rect, 500)
		for i := range rects {
			rects[i] = rect{from: router.Cycle(r.Int64N(1<<42) - 1<<41), x1: r.Int32N(groups), row: int32(i)}
		}
		got := (&sorter{}).byGroupAndStart(rects, func(r *rect) int32 { return r.x1 })
		slices.SortStableFunc(rects, func(a, b rect) int {
			if a.x1 != b.x1 {
				return int(a.x1 - b.x1)
			}
			return int(a.from - b.from)
		})
		require.Equal(t, rects, got)
	}
}

// Deep trees and hubs: chains are found without recursion, routes in few steps.
func TestRoutesOnLargeTrees(t *testing.T) {
	var b strings.Builder
	b.WriteString("node,parent\n")
	const half = 20_000
	for n := 1; n < half; n++ {
		fmt.Fprintf(&b, "%d,%d\n%d,0\n", n, n-1, half+n)
	}
	fmt.Fprintf(&b, "%d,%d\n", half, half-1)
	path := filepath.Join(t.TempDir(), "comet.csv")
	require.NoError(t, os.WriteFile(path, []byte(b.String()), 0o644))
	top, s := parse(t, "tree:"+path, fmt.Sprintf("1,%d,%d,3,0 2,%d,%d,3,0", half, half+7, half+9, half-5))
	r, err := Check(s, top, with(t))
	require.NoError(t, err)
	require.False(t, r.OK)
	require.Equal(t, router.Cycle(half+1+3), r.Cycles)
	require.Equal(t, router.Cycle(half/2), r.First[0].Cycle)
	require.Equal(t, uint64(3*(half+1+half-4)), r.FlitHops)
}

// Four messages leave by one channel, each with a startup of its own.
func TestFloorCountsStartups(t *testing.T) {
	top, err := topology.Parse("path:5")
	require.NoError(t, err)
	s := &schedule.Schedule{}
	for n := range 4 {
		s.Rows = append(s.Rows, schedule.Row{Message: int32(n), Source: 4, Destination: router.NodeID(n), Flits: 1, Dispatch: router.Cycle(5 + 6*n)})
	}
	r, err := Check(s, top, with(t, "startup=5", "nic.channels=links"))
	require.NoError(t, err)
	require.True(t, r.OK)
	require.EqualValues(t, 5+3*6+1+1, r.LowerBound)
	require.Equal(t, r.LowerBound, r.Cycles)
}
