// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule"
)

// million is the size of the benchmarks' schedules.
const million = 1_000_000

// farthestFirst is a scatter of random lengths from node 0 of a path of n nodes.
func farthestFirst(messages, n int) *schedule.Schedule {
	r := rand.New(rand.NewPCG(5, 6))
	to := make([]int, messages)
	for i := range to {
		to[i] = 1 + r.IntN(n-1)
	}
	slices.SortFunc(to, func(a, b int) int { return b - a })
	s := &schedule.Schedule{Rows: make([]schedule.Row, messages)}
	now := router.Cycle(0)
	for i := range s.Rows {
		s.Rows[i] = schedule.Row{Message: int32(i), Destination: router.NodeID(to[i]), Flits: 1 + r.IntN(20), Dispatch: now}
		now += router.Cycle(s.Rows[i].Flits)
	}
	return s
}

// shortHauls is a mix of messages in both directions. Rounds of a fixed number
// of cycles: in each, a random one of 16 shifts of sections of 16 nodes, and in
// every section one message up between even nodes and one down between odd ones.
func shortHauls(messages, n int) *schedule.Schedule {
	r := rand.New(rand.NewPCG(7, 8))
	s := &schedule.Schedule{Rows: make([]schedule.Row, 0, messages)}
	const section, round = 16, 40
	for now := router.Cycle(0); len(s.Rows) < messages; now += round {
		for first := r.IntN(section); first+section <= n && len(s.Rows)+2 <= messages; first += section {
			for direction := range 2 {
				a, b := r.IntN(section/2), r.IntN(section/2-1)
				if b >= a {
					b++
				}
				a, b = first+2*min(a, b), first+2*max(a, b)
				if direction == 1 {
					a, b = b+1, a+1
				}
				s.Rows = append(s.Rows, schedule.Row{
					Message: int32(len(s.Rows)), Source: router.NodeID(a), Destination: router.NodeID(b),
					Flits: 1 + r.IntN(16), Dispatch: now + router.Cycle(r.IntN(round-section-16)),
				})
			}
		}
	}
	r.Shuffle(len(s.Rows), func(i, j int) { s.Rows[i], s.Rows[j] = s.Rows[j], s.Rows[i] })
	return s
}

// unrelated is messages between random nodes at random times: they collide everywhere.
func unrelated(messages, n int) *schedule.Schedule {
	r := rand.New(rand.NewPCG(9, 10))
	s := &schedule.Schedule{Rows: make([]schedule.Row, messages)}
	for i := range s.Rows {
		from := r.IntN(n)
		s.Rows[i] = schedule.Row{
			Message: int32(i), Source: router.NodeID(from), Destination: router.NodeID((from + 1 + r.IntN(n-1)) % n),
			Flits: 1 + r.IntN(20), Dispatch: router.Cycle(r.IntN(10 * messages)),
		}
	}
	return s
}

// twoWays is shortHauls up and down in turn, so that one-port nodes bear it:
// the case in which the uses of nodes are listed one by one.
func twoWays(messages, n int) *schedule.Schedule {
	s := shortHauls(messages, n)
	const round = 40
	for i := range s.Rows {
		r := &s.Rows[i]
		r.Dispatch += r.Dispatch / round * round
		if r.Source > r.Destination {
			r.Dispatch += round
		}
	}
	return s
}

func millionMachine(t testing.TB, regime machine.Regime) (*topology.Topology, machine.Machine) {
	top, err := topology.Parse("path:1000")
	require.NoError(t, err)
	m, err := machine.Preset("bufferless")
	require.NoError(t, err)
	m.Ports = regime
	return top, m
}

func BenchmarkCheckMillion(b *testing.B) {
	for _, bench := range []struct {
		name   string
		regime machine.Regime
		make   func(messages, n int) *schedule.Schedule
		ok     bool
	}{
		{"scatter-single", machine.SinglePort, farthestFirst, true},
		{"short-hauls-all", machine.AllPort, shortHauls, true},
		{"unrelated-all", machine.AllPort, unrelated, false},
		{"unrelated-single", machine.SinglePort, unrelated, false},
		{"two-ways-single", machine.SinglePort, twoWays, true},
	} {
		b.Run(bench.name, func(b *testing.B) {
			top, m := millionMachine(b, bench.regime)
			s := bench.make(million, 1000)
			b.ReportAllocs()
			for b.Loop() {
				r, err := Check(s, top, m)
				require.NoError(b, err)
				require.Equal(b, bench.ok, r.OK)
			}
			b.ReportMetric(float64(len(s.Rows))*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
		})
	}
}
