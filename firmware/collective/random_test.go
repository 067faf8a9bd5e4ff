// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"meshwright/firmware/plan"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/router"
)

// randomTree writes a tree of n nodes and returns its spec.
func randomTree(t testing.TB, random *rand.Rand, n int) string {
	t.Helper()
	var b strings.Builder
	name := random.Perm(n)
	fmt.Fprintf(&b, "node,parent\n%d,\n", name[0])
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "%d,%d\n", name[i], name[random.IntN(i)])
	}
	return writeSpec(t, "tree", b.String())
}

// randomGraph writes a connected graph of n nodes and returns its spec.
func randomGraph(t testing.TB, random *rand.Rand, n int) string {
	t.Helper()
	seen := map[[2]int]bool{}
	var b strings.Builder
	b.WriteString("node,node\n")
	edge := func(x, y int) {
		key := [2]int{min(x, y), max(x, y)}
		if x != y && !seen[key] {
			seen[key] = true
			fmt.Fprintf(&b, "%d,%d\n", x, y)
		}
	}
	for i := 1; i < n; i++ {
		edge(i, random.IntN(i))
	}
	for range n {
		edge(random.IntN(n), random.IntN(n))
	}
	return writeSpec(t, "graph", b.String())
}

func writeSpec(t testing.TB, kind, text string) string {
	file := filepath.Join(t.TempDir(), kind+".csv")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return kind + ":" + file
}

var (
	seeds     = flag.Uint64("seeds", 1500, "random jobs to run")
	firstSeed = flag.Uint64("first", 0, "seed of the first random job")
)

// randomSpec picks a topology.
func randomSpec(t testing.TB, random *rand.Rand) string {
	specs := []string{
		"path:2", "path:7", "path:12", "ring:3", "ring:4", "ring:7", "ring:8", "mesh:3x4", "mesh:5x1x3", "mesh:2x2", "mesh:4x4",
		"torus:3x3", "torus:4x5", "torus:2x5", "torus:3x2x4", "hypercube:1", "hypercube:3", "hypercube:4", "mesh:9",
	}
	switch k := random.IntN(len(specs) + 8); {
	case k < len(specs):
		return specs[k]
	case k%2 == 0:
		return randomTree(t, random, 2+random.IntN(14))
	default:
		return randomGraph(t, random, 2+random.IntN(14))
	}
}

// randomMachine picks parameters.
func randomMachine(random *rand.Rand) machine.Machine {
	pick := func(n ...int) int { return n[random.IntN(len(n))] }
	m := machine.Machine{
		Switching: machine.Wormhole, Buffer: pick(1, 2, 3, 4, 8), VCs: pick(0, 1, 2, 4), Ports: machine.AllPort, Channels: pick(1, machine.Links),
		Duplex: machine.Full, Startup: pick(0, 0, 1, 3, 17), Hop: pick(1, 1, 2, 5), Flit: pick(1, 1, 2, 3), Width: pick(8, 16, 32, 32), Watchdog: 1000,
	}
	if random.IntN(2) == 0 {
		m.Switching, m.VCs = machine.Bufferless, 0
	}
	if random.IntN(2) == 0 {
		m.Ports = machine.SinglePort
	}
	if random.IntN(4) == 0 {
		m.Duplex = machine.Half
	}
	if random.IntN(4) == 0 {
		m.Routing = machine.Source
	}
	return m
}

// randomLengths has many nulls, and a few long blocks.
func randomLengths(random *rand.Rand, n int) []int {
	lengths := make([]int, n)
	for i := range lengths {
		switch random.IntN(4) {
		case 0:
		case 1:
			lengths[i] = random.IntN(30)
		default:
			lengths[i] = random.IntN(5)
		}
	}
	return lengths
}

// describe gives what is needed to run a job again.
func describe(j collective.Job) string {
	return fmt.Sprintf("%s root %d lengths %v machine %+v", j.Topology, j.Root, j.Lengths, j.Machine)
}

func randomJob(t testing.TB, random *rand.Rand) collective.Job {
	topo, err := topology.Parse(randomSpec(t, random))
	require.NoError(t, err)
	return collective.Job{
		Topology: topo, Machine: randomMachine(random), Root: router.NodeID(random.IntN(topo.Nodes())),
		Lengths: randomLengths(random, topo.Nodes()), Seed: random.Uint64(),
	}
}

// rejects reports whether an algorithm cannot run a job, with a clear error.
func rejects(a collective.Algorithm, j collective.Job) bool {
	m := j.Machine
	if a.Name == "edge-disjoint" || a.Name == "shared-edges" {
		return m.Ports != machine.AllPort || m.Channels != machine.Links || j.Topology.Degree(j.Root) == 0
	}
	slow := m.Switching == machine.Wormhole && m.Buffer <= m.Hop/m.Flit
	if slow && (a.Collective == "exchange" || a.Name == "doubling" || a.Name == "combining" || a.Name == "scatter-gossip" || a.Name == "strides" || a.Name == "crosses") {
		return true // may deadlock on rings and graphs
	}
	if a.Name == "timetable" && m.Switching == machine.Wormhole && m.Buffer < 1+(m.Hop+m.Flit-1)/m.Flit {
		return true // wants some room to spare
	}
	ordered := a.Collective == "gather" && a.Name != "nearest-first"
	if m.Switching != machine.Bufferless {
		return ordered && m.Width == 8 // orders may not fit
	}
	switch a.Collective {
	case "gather":
		perLink := m.Ports == machine.AllPort && m.Channels == machine.Links
		return ordered && (m.Startup > 0 || m.Hop > 1 || m.Flit > 1 || m.Duplex == machine.Half || m.Width == 8) ||
			a.Name == "certification-parallel" && !perLink
	case "gossip":
		return m.Duplex == machine.Half
	}
	return false
}

func TestRandomJobsAreDelivered(t *testing.T) {
	runs := map[string]int{}
	for seed := *firstSeed; seed < *firstSeed+*seeds; seed++ {
		random := rand.New(rand.NewPCG(seed, 1))
		j := randomJob(t, random)
		for _, a := range collective.Table() {
			if a.Name == "auto" {
				continue // it is one of the others: see TestAutoIsNeverSlower
			}
			searches := a.Name == "timetable"
			if searches && seed%100 != 0 {
				continue // a search takes its time
			}
			j := fitted(t, a, j)
			plan, err := collective.Generate(t.Context(), a.Collective, a.Name, j)
			if err != nil {
				if !strings.Contains(err.Error(), "does not run on") {
					require.True(t, rejects(a, j), "seed %d %s: %v: %s", seed, a.Name, err, describe(j))
				}
				continue
			}
			r, err := collective.Execute(t.Context(), plan)
			require.NoError(t, err, "seed %d %s", seed, a.Name)
			require.NoError(t, r.Failure, "seed %d %s %s: %v", seed, a.Name, describe(j), r.Collisions)
			require.Zero(t, r.CollisionCount)
			require.GreaterOrEqual(t, r.Cycles, plan.LowerBound, "seed %d %s %s", seed, a.Name, describe(j))
			requireLog(t, r)
			requireForetold(t, r, fmt.Sprintf("seed %d %s %s %s", seed, a.Collective, a.Name, describe(j)))
			if plan.Machine.Switching == machine.Wormhole {
				require.LessOrEqual(t, r.MaxBufferFlits, plan.Machine.Buffer)
			}
			runs[a.Collective+" "+a.Name+" "+string(j.Machine.Switching)]++
		}
	}
	t.Log(runs)
	if *seeds < 1000 { // too few to meet every algorithm on every machine
		return
	}
	want := 0
	for _, a := range collective.Table() {
		for _, s := range a.Switchings {
			if a.Name != "auto" && (s == machine.Bufferless || s == machine.Wormhole) {
				want++
			}
		}
	}
	require.Len(t, runs, want)
}

// fitted gives a job the lengths that a collective can have.
func fitted(t *testing.T, a collective.Algorithm, j collective.Job) collective.Job {
	kind, err := plan.KindOf(a.Collective)
	require.NoError(t, err)
	if kind.Holders == plan.Equal {
		j.Lengths = slices.Repeat(j.Lengths[j.Root:j.Root+1], len(j.Lengths))
	}
	return j
}

// requireForetold checks that a time that was predicted came true.
func requireForetold(t *testing.T, r *collective.Result, name string) {
	if p := r.Plan.Predicted; p.Exact {
		require.Equal(t, p.Least, r.Cycles, name)
	} else {
		require.LessOrEqual(t, p.Least, r.Cycles, name)
	}
}

// requireLog checks that the plan sent what it says, and no more.
func requireLog(t *testing.T, r *collective.Result) {
	messages, flits, last, quiet := 0, 0, router.Cycle(0), router.Cycle(0)
	for _, sent := range r.Log {
		quiet = max(quiet, sent.Arrival)
		if sent.Kind == router.Data {
			messages, flits, last = messages+1, flits+sent.Length, max(last, sent.Arrival)
		}
	}
	require.Equal(t, r.Plan.Messages, messages)
	require.Equal(t, r.Plan.Flits, flits)
	require.Equal(t, last, r.Cycles)
	require.Equal(t, quiet, r.Network.Quiet())
}

// TestMessagesOfAPairDoNotOvertake: gossip takes its blocks by source, in the
// order of sending, whatever the virtual channels.
func TestMessagesOfAPairDoNotOvertake(t *testing.T) {
	j := job(t, "mesh:5x1x3", "wormhole", 0, 2, 3, 25, 0, 4, 1, 3, 0, 4, 1, 1, 9, 25, 4, 3)
	j.Machine.VCs, j.Machine.Channels, j.Machine.Startup, j.Machine.Hop = 4, 1, 3, 2
	run(t, "gossip", "highdimgos", j)
}
