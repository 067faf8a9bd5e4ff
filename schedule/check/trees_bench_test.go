// SPDX-License-Identifier: Apache-2.0

package check

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule"
)

// trees are shapes of n nodes with root 0, as parents.
var trees = []struct {
	name string
	make func(r *rand.Rand, n int) []int32
}{
	{"uniform", uniformTree},
	{"recursive", func(r *rand.Rand, n int) []int32 { return growTree(n, func(v int) int { return r.IntN(v) }) }},
	{"path", func(_ *rand.Rand, n int) []int32 { return growTree(n, func(v int) int { return v - 1 }) }},
	{"shuffled-path", func(r *rand.Rand, n int) []int32 {
		return relabel(r, growTree(n, func(v int) int { return v - 1 }))
	}},
	{"star", func(_ *rand.Rand, n int) []int32 { return growTree(n, func(int) int { return 0 }) }},
	{"broom", func(_ *rand.Rand, n int) []int32 { return growTree(n, func(v int) int { return min(v-1, n/2) }) }},
	{"caterpillar", func(_ *rand.Rand, n int) []int32 { return growTree(n, func(v int) int { return max(0, v-2) &^ 1 }) }},
	{"comb", func(_ *rand.Rand, n int) []int32 {
		return growTree(n, func(v int) int {
			if v%1000 == 0 {
				return v - 1000
			}
			return v - 1
		})
	}},
	{"binary", func(_ *rand.Rand, n int) []int32 { return growTree(n, func(v int) int { return (v - 1) / 2 }) }},
}

// growTree asks for the parent, a lower node, of every node but 0.
func growTree(n int, parent func(v int) int) []int32 {
	tree := make([]int32, n)
	tree[0] = -1
	for v := 1; v < n; v++ {
		tree[v] = int32(parent(v))
	}
	return tree
}

// relabel numbers the nodes anew at random, but for the root.
func relabel(r *rand.Rand, tree []int32) []int32 {
	name := r.Perm(len(tree) - 1)
	renamed := make([]int32, len(tree))
	renamed[0] = -1
	for v := 1; v < len(tree); v++ {
		p := int32(0)
		if tree[v] > 0 {
			p = int32(name[tree[v]-1]) + 1
		}
		renamed[name[v-1]+1] = p
	}
	return renamed
}

// uniformTree is a labelled tree drawn with equal chances: a walk on the
// complete graph, in which every node's parent is where the walk first came to
// it from (Aldous, Broder).
func uniformTree(r *rand.Rand, n int) []int32 {
	tree := make([]int32, n)
	for v := range tree {
		tree[v] = -2
	}
	tree[0] = -1
	at := int32(0)
	for met := 1; met < n; {
		to := r.Int32N(int32(n))
		if tree[to] == -2 {
			tree[to] = at
			met++
		}
		at = to
	}
	return tree
}

// depths returns the nodes, parents first, and their distances from the root.
func depths(tree []int32) (order []int32, depth []int32) {
	depth = make([]int32, len(tree))
	order = make([]int32, 0, len(tree))
	for v := range tree {
		first := len(order)
		for at := int32(v); at > 0 && depth[at] == 0; at = tree[at] {
			order = append(order, at)
			depth[at] = -1
		}
		slices.Reverse(order[first:])
		for _, u := range order[first:] {
			depth[u] = depth[tree[u]] + 1
		}
	}
	return order, depth
}

// gatherAll is the gather in which messages of 1 to 4 flits from all nodes come to
// the root one behind the other, the nearest first.
func gatherAll(r *rand.Rand, tree []int32) *schedule.Schedule {
	order, depth := depths(tree)
	slices.SortFunc(order, func(a, b int32) int { return int(depth[a] - depth[b]) })
	s := &schedule.Schedule{Rows: make([]schedule.Row, 0, len(order))}
	now := router.Cycle(0)
	for _, v := range order {
		now = max(now, router.Cycle(depth[v]))
		s.Rows = append(s.Rows, schedule.Row{
			Message: int32(len(s.Rows)), Source: router.NodeID(v), Flits: 1 + r.IntN(4), Dispatch: now - router.Cycle(depth[v]),
		})
		now += router.Cycle(s.Rows[len(s.Rows)-1].Flits)
	}
	return s
}

// scatterAll is the scatter in which the root sends to all nodes without a
// pause, the furthest first.
func scatterAll(r *rand.Rand, tree []int32) *schedule.Schedule {
	order, depth := depths(tree)
	slices.SortFunc(order, func(a, b int32) int { return int(depth[b] - depth[a]) })
	s := &schedule.Schedule{Rows: make([]schedule.Row, 0, len(order))}
	now := router.Cycle(0)
	for _, v := range order {
		s.Rows = append(s.Rows, schedule.Row{
			Message: int32(len(s.Rows)), Destination: router.NodeID(v), Flits: 1 + r.IntN(4), Dispatch: now,
		})
		now += router.Cycle(s.Rows[len(s.Rows)-1].Flits)
	}
	return s
}

// verdict is the expected result of a check.
type verdict string

const (
	clean     verdict = "clean"
	colliding verdict = "colliding"
	either    verdict = "either"
)

// orders are the schedules of the benchmark.
var orders = []struct {
	name string
	want verdict
	make func(r *rand.Rand, tree []int32) *schedule.Schedule
}{
	{"gather", clean, gatherAll},
	{"scatter", clean, scatterAll},
	{"one-late", colliding, func(r *rand.Rand, tree []int32) *schedule.Schedule {
		s := gatherAll(r, tree)
		s.Rows[len(s.Rows)/2].Dispatch++
		return s
	}},
	{"some-late", colliding, func(r *rand.Rand, tree []int32) *schedule.Schedule {
		s := gatherAll(r, tree)
		for range len(s.Rows) / 100 {
			s.Rows[r.IntN(len(s.Rows))].Dispatch += router.Cycle(r.IntN(1000))
		}
		return s
	}},
	{"all-at-once", colliding, func(r *rand.Rand, tree []int32) *schedule.Schedule {
		s := gatherAll(r, tree)
		for i := range s.Rows {
			s.Rows[i].Dispatch = 0
		}
		return s
	}},
	{"one-astray", either, func(r *rand.Rand, tree []int32) *schedule.Schedule {
		s := gatherAll(r, tree)
		at := &s.Rows[len(s.Rows)/2]
		at.Destination = s.Rows[len(s.Rows)-1].Source
		return s
	}},
	{"there-and-back", clean, func(r *rand.Rand, tree []int32) *schedule.Schedule {
		s, back := gatherAll(r, tree), scatterAll(r, tree)
		last := s.Rows[len(s.Rows)-1]
		start := last.Dispatch + router.Cycle(len(tree)+last.Flits)
		half := len(s.Rows) / 2
		back.Rows = back.Rows[half:]
		for i := range back.Rows {
			back.Rows[i].Dispatch += start
			back.Rows[i].Message += int32(half)
		}
		s.Rows = append(s.Rows[:half], back.Rows...)
		for i := range s.Rows {
			s.Rows[i].Message = int32(i)
		}
		return s
	}},
}

// writeTree writes a tree as a file of node,parent.
func writeTree(t testing.TB, file string, tree []int32) {
	f, err := os.Create(file)
	require.NoError(t, err)
	w := bufio.NewWriter(f)
	fmt.Fprintln(w, "node,parent")
	for v, p := range tree[1:] {
		fmt.Fprintf(w, "%d,%d\n", v+1, p)
	}
	require.NoError(t, w.Flush())
	require.NoError(t, f.Close())
}

func writeSchedule(t testing.TB, file string, s *schedule.Schedule) {
	f, err := os.Create(file)
	require.NoError(t, err)
	require.NoError(t, s.Write(f))
	require.NoError(t, f.Close())
}

// BenchmarkCheckTrees checks a million messages on trees of a million nodes,
// as the command does: topology and schedule are read from files, the machine
// has one port. On Linux peak-MB is the most memory the process ever had in the
// row, the test's own input excepted.
func BenchmarkCheckTrees(b *testing.B) {
	for _, shape := range trees {
		b.Run(shape.name, func(b *testing.B) {
			for _, order := range orders {
				b.Run(order.name, func(b *testing.B) {
					r := rand.New(rand.NewPCG(17, 18))
					tree := shape.make(r, million)
					dir := b.TempDir()
					treeFile, file := filepath.Join(dir, "tree.csv"), filepath.Join(dir, "schedule.csv")
					writeTree(b, treeFile, tree)
					writeSchedule(b, file, order.make(r, tree))
					tree = nil
					benchmarkFiles(b, "tree:"+treeFile, file, order.want)
				})
			}
		})
	}
}

func benchmarkFiles(b *testing.B, spec, file string, want verdict) {
	m := with(b)
	var parts [3]time.Duration
	forgetPeak()
	start := cpuSeconds()
	for b.Loop() {
		clock := time.Now()
		lap := func(part int) {
			parts[part] += time.Since(clock)
			clock = time.Now()
		}
		top, err := topology.Parse(spec)
		require.NoError(b, err)
		lap(0)
		s, err := schedule.Read(file)
		require.NoError(b, err)
		lap(1)
		got, err := Check(s, top, m)
		require.NoError(b, err)
		lap(2)
		if want != either {
			require.Equal(b, want == clean, got.OK)
		}
	}
	b.ReportMetric((cpuSeconds()-start)/float64(b.N), "cpu-s")
	for i, part := range []string{"topology-s", "schedule-s", "check-s"} {
		b.ReportMetric(parts[i].Seconds()/float64(b.N), part)
	}
	if peak := peakMegabytes(); peak > 0 {
		b.ReportMetric(peak, "peak-MB")
	}
}

// forgetPeak makes the process's peak of memory what it has now.
func forgetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// peakMegabytes returns the most memory that was resident, 0 where the system does not say.
func peakMegabytes() float64 { return statusMegabytes("VmHWM:") }

// residentMegabytes returns the memory that is resident, 0 where the system does not say.
func residentMegabytes() float64 { return statusMegabytes("VmRSS:") }

func statusMegabytes(key string) float64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), key)
	kilobytes := 0.0
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		return 0
	}
	return kilobytes / 1024
}

// cpuSeconds returns the time that the process has had of processors, which other
// processes do not disturb as much as the time of the clock; 0 where the system
// does not say.
func cpuSeconds() float64 {
	text, _ := os.ReadFile("/proc/self/stat")
	fields := strings.Fields(string(text))
	if len(fields) < 15 {
		return 0
	}
	const ticks = 100 // a second
	user, _ := strconv.Atoi(fields[13])
	system, _ := strconv.Atoi(fields[14])
	return float64(user+system) / ticks
}
