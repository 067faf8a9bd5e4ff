// SPDX-License-Identifier: Apache-2.0

package check

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule"
)

var largeMessages = flag.Int("messages", 10_000_000, "messages of BenchmarkCheckLarge")

// pairsOf draws other ends of messages and their distances from a root.
func pairsOf(t *topology.Topology, messages int) (ends []router.NodeID, depth []int32) {
	r := rand.New(rand.NewPCG(11, 12))
	depth = topology.BreadthFirst(t, 0).Depth
	ends = make([]router.NodeID, messages)
	for i := range ends {
		ends[i] = router.NodeID(1 + r.IntN(t.Nodes()-1))
	}
	slices.SortFunc(ends, func(a, b router.NodeID) int { return int(depth[a] - depth[b]) })
	return ends, depth
}

// scattered is a scatter of 1 to 4 flits a message from node 0, the furthest first.
func scattered(t *topology.Topology, messages int) *schedule.Schedule {
	ends, _ := pairsOf(t, messages)
	s := &schedule.Schedule{Rows: make([]schedule.Row, messages)}
	now := router.Cycle(0)
	for i := range s.Rows {
		s.Rows[i] = schedule.Row{Message: int32(i), Destination: ends[messages-1-i], Flits: 1 + i*7%4, Dispatch: now}
		now += router.Cycle(s.Rows[i].Flits)
	}
	return s
}

// gathered is a gather to node 0, in which one message follows the other into the root.
func gathered(t *topology.Topology, messages int) *schedule.Schedule {
	ends, depth := pairsOf(t, messages)
	s := &schedule.Schedule{Rows: make([]schedule.Row, messages)}
	now := router.Cycle(0)
	for i, v := range ends {
		now = max(now, router.Cycle(depth[v]))
		s.Rows[i] = schedule.Row{Message: int32(i), Source: v, Flits: 1 + i*7%4, Dispatch: now - router.Cycle(depth[v])}
		now += router.Cycle(s.Rows[i].Flits)
	}
	return s
}

// shifted is rounds in which every node of a torus sends one flit over the same distance, the
// total exchange again and again: all nodes are busy all the time, in all directions.
func shifted(t *topology.Topology, messages int) *schedule.Schedule {
	s := &schedule.Schedule{Rows: make([]schedule.Row, 0, messages)}
	now, offset := router.Cycle(0), 0
	for len(s.Rows) < messages {
		offset = offset%(t.Nodes()-1) + 1
		x, y := offset%t.Dims[0], offset/t.Dims[0]
		for v := router.NodeID(0); int(v) < t.Nodes() && len(s.Rows) < messages; v++ {
			at := t.Coordinates(v)
			to := t.At([]int{(at[0] + x) % t.Dims[0], (at[1] + y) % t.Dims[1]})
			s.Rows = append(s.Rows, schedule.Row{Message: int32(len(s.Rows)), Source: v, Destination: to, Flits: 1, Dispatch: now})
		}
		now += router.Cycle(min(x, t.Dims[0]-x) + min(y, t.Dims[1]-y) + 1)
	}
	return s
}

// inBlocks is rounds in which a grid is cut into blocks at random places, and in every block a
// message goes between random nodes. Side is that of the blocks.
func inBlocks(side int) func(t *topology.Topology, messages int) *schedule.Schedule {
	return func(t *topology.Topology, messages int) *schedule.Schedule {
		r := rand.New(rand.NewPCG(13, 14))
		s := &schedule.Schedule{Rows: make([]schedule.Row, 0, messages)}
		width, height := t.Dims[0], t.Dims[1]
		for now := router.Cycle(0); len(s.Rows) < messages; now += router.Cycle(2*side + 8) {
			for top := r.IntN(min(side, height-side+1)); top+side <= height; top += side {
				for left := r.IntN(min(side, width-side+1)); left+side <= width && len(s.Rows) < messages; left += side {
					a, b := r.IntN(side*side), r.IntN(side*side-1)
					if b >= a {
						b++
					}
					node := func(i int) router.NodeID {
						return router.NodeID((top+i/side)*width + left + i%side)
					}
					s.Rows = append(s.Rows, schedule.Row{
						Message: int32(len(s.Rows)), Source: node(a), Destination: node(b), Flits: 1 + r.IntN(4), Dispatch: now + router.Cycle(r.IntN(4)),
					})
				}
			}
		}
		return s
	}
}

// oneByOne is messages between random nodes, each after the one before has arrived.
func oneByOne(t *topology.Topology, messages int) *schedule.Schedule {
	s := random(t, messages)
	d := &distances{t: t, axes: t.Axes(), known: map[router.NodeID][]int32{}}
	if t.Kind == topology.Tree {
		d.tree = newLines(t).tree
	}
	now := router.Cycle(0)
	for i := range s.Rows {
		r := &s.Rows[i]
		r.Dispatch = now
		now += router.Cycle(d.between(r.Source, r.Destination)) + router.Cycle(r.Flits)
	}
	return s
}

// random is messages between random nodes at random times: they collide everywhere.
func random(t *topology.Topology, messages int) *schedule.Schedule {
	return unrelated(messages, t.Nodes())
}

func onPath(make func(messages, n int) *schedule.Schedule) func(*topology.Topology, int) *schedule.Schedule {
	return func(t *topology.Topology, messages int) *schedule.Schedule { return make(messages, t.Nodes()) }
}

// BenchmarkCheckLarge checks ten million messages that are in memory.
// On Linux bytes/message is the most memory that the check had beyond the schedule and the network.
func BenchmarkCheckLarge(b *testing.B) {
	for _, bench := range []struct {
		name, spec string
		make       func(t *topology.Topology, messages int) *schedule.Schedule
		ok         bool
		regimes    []machine.Regime
	}{
		{"scatter", "path:1000", scattered, true, both},
		{"gather", "path:1000", gathered, true, both},
		{"sections", "path:1000", onPath(shortHauls), true, both[:1]},
		{"two-ways", "path:1000", onPath(twoWays), true, both[1:]},
		{"one-by-one", "path:1000", oneByOne, true, both},
		{"random", "path:1000", random, false, both},
		{"scatter", "random-tree:100000", scattered, true, both},
		{"gather", "random-tree:100000", gathered, true, both},
		{"random", "random-tree:100000", random, false, both},
		{"one-by-one", "random-tree:100000", oneByOne, true, both},
		{"scatter", "mesh:32x32", scattered, true, both},
		{"blocks", "mesh:32x32", inBlocks(8), true, both},
		{"one-by-one", "mesh:32x32", oneByOne, true, both},
		{"random", "mesh:32x32", random, false, both},
		{"gather", "mesh:1000x1000", gathered, true, both},
		{"blocks", "mesh:1000x1000", inBlocks(100), true, both},
		{"one-by-one", "mesh:1000x1000", oneByOne, true, both},
		{"random", "mesh:1000x1000", random, false, both},
		{"exchange", "torus:32x32", shifted, true, both},
		{"one-by-one", "torus:32x32", oneByOne, true, both},
		{"random", "torus:32x32", random, false, both},
		{"exchange", "torus:255x255", shifted, true, both},
	} {
		for _, regime := range bench.regimes {
			b.Run(bench.name+"/"+bench.spec+"/"+string(regime), func(b *testing.B) {
				top, err := topology.Parse(bench.spec)
				require.NoError(b, err)
				m := with(b, "ports="+string(regime))
				s := bench.make(top, *largeMessages)
				forgetPeak()
				before := residentMegabytes()
				start, clock := cpuSeconds(), time.Now()
				for b.Loop() {
					got, err := Check(s, top, m)
					require.NoError(b, err)
					require.Equal(b, bench.ok, got.OK)
				}
				b.ReportMetric(time.Since(clock).Seconds()/float64(b.N), "s")
				b.ReportMetric((cpuSeconds()-start)/float64(b.N), "cpu-s")
				if peak := peakMegabytes(); peak > 0 {
					b.ReportMetric((peak-before)*(1<<20)/float64(len(s.Rows)), "bytes/message")
				}
				b.ReportMetric(0, "ns/op")
				runtime.KeepAlive(s)
			})
		}
	}
}

var both = []machine.Regime{machine.AllPort, machine.SinglePort}
