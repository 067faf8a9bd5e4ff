// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/collective/rerouted"
	"meshwright/firmware/contest"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/soak"
	"meshwright/router"
)

// autoSpecs are networks of all kinds.
var autoSpecs = []string{
	"path:5", "path:9", "ring:6", "ring:9", "hub:7", "comb:3x2", "recursive-tree:9,2", "complete:6", "mesh:4x4", "mesh:3x5", "mesh:2x3x3", "torus:4x4", "torus:3x5",
	"torus:3x2x3", "hypercube:3", "hypercube:4", "debruijn:3", "binary:3", "random:10,3,1", "random-tree:11,1", "twisted-torus:3x4",
}

// smallSpecs are those on which a search for packets is soon done.
var smallSpecs = []string{"path:4", "ring:5", "hub:5", "mesh:2x2", "torus:2x3", "hypercube:2", "binary:2"}

// autoJob is a job for auto, on any machine: both regimes, all channels and
// duplexes, startups up to 1000, buffers that allow the full rate or do not.
func autoJob(t testing.TB, random *rand.Rand) collective.Job {
	pick := func(n ...int) int { return n[random.IntN(len(n))] }
	m := collectivetest.RandomMachine(random)
	m.Startup, m.Hop, m.Flit, m.Width = pick(0, 0, 1, 5, 40, 300, 1000), pick(1, 1, 1, 2, 4), pick(1, 1, 1, 2), 32
	specs, most := autoSpecs, pick(1, 4, 16, 40)
	switch random.IntN(8) {
	case 0:
		m.Switching = machine.CutThrough
	case 1:
		m.Switching, specs, most = machine.StoreForward, smallSpecs, pick(1, 2, 3)
	}
	if m.PacketSwitched() {
		m.Ports, m.Channels, m.Duplex, m.VCs, m.Buffer, m.Routing, m.Hop = machine.SinglePort, 1, machine.Full, 0, 0, "", 1
		require.NoError(t, m.Set("setup", collectivetest.Setups[random.IntN(len(collectivetest.Setups))]))
	}
	topo, err := topology.Parse(specs[random.IntN(len(specs))])
	require.NoError(t, err)
	j := collective.Job{Topology: topo, Machine: m, Root: router.NodeID(random.IntN(topo.Nodes())), Seed: random.Uint64()}
	j.Lengths = slices.Repeat([]int{most}, topo.Nodes())
	if random.IntN(2) == 0 {
		for n := range j.Lengths {
			j.Lengths[n] = random.IntN(most + 1)
		}
	}
	return j
}

// autoOption gives a job now and then an option that some algorithms take, and says
// which options the job has.
func autoOption(t testing.TB, random *rand.Rand, j *collective.Job) string {
	options := collective.Options()
	if random.IntN(3) == 0 {
		o := options[random.IntN(len(options))]
		switch o.Type {
		case collective.Number:
			require.NoError(t, o.Set(j, strconv.Itoa(o.Least+random.IntN(3))))
		case collective.Word:
			require.NoError(t, o.Set(j, o.Values[random.IntN(len(o.Values))]))
		case collective.Truth:
			require.NoError(t, o.Set(j, "true"))
		case collective.Nodes: // few orders fit a job
		}
	} else if j.Machine.PacketSwitched() && random.IntN(8) == 0 {
		j.Split = plan.BestSplit
	}
	text := ""
	for _, o := range options {
		text += fmt.Sprintf("%s %q ", o.Name, o.Value(j))
	}
	return text + fmt.Sprintf("split %q ", j.Split)
}

// timed is the time of a job by an algorithm; ok is false when it does not fit.
func timed(t *testing.T, kind, algorithm string, j collective.Job, name string) (r *collective.Result, ok bool) {
	plan, err := collective.Generate(t.Context(), kind, algorithm, j)
	var unfit *input.Error
	if errors.As(err, &unfit) {
		return nil, false
	}
	require.NoError(t, err, name)
	r, err = collective.Execute(t.Context(), plan)
	require.NoError(t, err, name)
	if r.Failure == nil {
		collectivetest.RequirePrediction(t, r, name)
	}
	return r, true
}

// contests counts how often something is best, and how much slower it is.
type contests struct {
	jobs, best int
	worst      float64
}

func (c *contests) note(cycles, least router.Cycle) {
	c.jobs++
	if cycles == least {
		c.best++
	}
	c.worst = max(c.worst, float64(cycles)/float64(max(1, least)))
}

func (c *contests) String() string {
	return fmt.Sprintf("best of those listed in %3.0f %% of %d jobs, up to %.2f times slower", 100*float64(c.best)/float64(max(1, c.jobs)), c.jobs, c.worst)
}

// TestAutoIsNeverSlower: auto's time is that of the fastest algorithm of the
// table, or less. The row behind auto that fits a job was the default once; the
// statistics say what that cost.
func TestAutoIsNeverSlower(t *testing.T) {
	firsts, autos, chosen := map[string]*contests{}, map[string]*contests{}, map[string]int{}
	jobs := max(soak.Number[uint64](10, 40), *seeds/5)
	for seed := *firstSeed; seed < *firstSeed+jobs; seed++ {
		random := rand.New(rand.NewPCG(seed, 91))
		j := autoJob(t, random)
		j.Effort = collectivetest.Effort()
		kinds := plan.Kinds()
		kind := kinds[random.IntN(len(kinds))]
		if kind.Name == "exchange" && random.IntN(3) > 0 {
			kind = kinds[0] // a timetable takes its time
		}
		if kind.Holders == plan.Equal {
			j.Lengths = slices.Repeat(j.Lengths[:1], len(j.Lengths))
		}
		name := fmt.Sprintf("seed %d %s %s", seed, kind.Name, autoOption(t, random, &j)+collectivetest.Describe(j))
		best, ok := timed(t, kind.Name, "", j, name)
		least, first := router.Cycle(-1), router.Cycle(-1)
		for _, a := range collective.Algorithms(kind.Name)[1:] {
			if a == rerouted.Name { // auto takes it around known faults only
				continue
			}
			r, fits := timed(t, kind.Name, a, j, name+" "+a)
			if !fits || r.Failure != nil {
				continue
			}
			require.True(t, ok, "%s: %s fits", name, a)
			require.LessOrEqual(t, best.Cycles, r.Cycles, "%s: %s, not %s: %v", name, a, best.Plan.Algorithm, best.Plan.Chosen)
			if first < 0 {
				first = r.Cycles
			}
			if least < 0 || r.Cycles < least {
				least = r.Cycles
			}
		}
		if !ok || least < 0 {
			continue
		}
		require.NoError(t, best.Failure, name)
		if best.Plan.Chosen == nil { // there is no auto on the network: the first that runs is the default
			_, autoFits := timed(t, kind.Name, collective.Auto, j, name)
			require.False(t, autoFits, name)
			continue
		}
		won := best.Plan.Chosen.Weighed[0]
		if won.How != contest.Only {
			require.Equal(t, best.Cycles, won.Cycles, "%s: %v", name, best.Plan.Chosen)
		}
		for _, w := range best.Plan.Chosen.Weighed {
			require.NotEqual(t, contest.LeftOut, w.How, "%s: %s", name, w.Name)
		}
		if firsts[kind.Name] == nil {
			firsts[kind.Name], autos[kind.Name] = &contests{}, &contests{}
		}
		firsts[kind.Name].note(first, least)
		autos[kind.Name].note(max(best.Cycles, least), least)
		chosen[kind.Name+" "+best.Plan.Algorithm]++
	}
	for _, k := range plan.Kinds() {
		if firsts[k.Name] != nil {
			t.Logf("%-9s first row: %s", k.Name, firsts[k.Name])
			t.Logf("%-9s auto:      %s", k.Name, autos[k.Name])
		}
	}
	t.Log(chosen)
}

// Where packets are switched, edge-disjoint spanning trees are compared as others are, and where a list names them.
func TestAutoComparesDisjointTrees(t *testing.T) {
	for _, row := range []struct {
		kind, spec, switching string
		words                 int
		setup                 string
		among                 []string
		cycles                router.Cycle
	}{
		{plan.Gossip, "hypercube:5", "store-forward", 4, "0", nil, 25},
		{plan.Gossip, "hypercube:5", "store-forward", 4, "0", []string{"highdimgos", "edst"}, 25},
		{plan.Gossip, "torus:5x5", "store-forward", 4, "1", nil, 30},
		{plan.Scatter, "hypercube:4", "store-forward", 4, "0", nil, 17},
		{plan.Gossip, "hypercube:3", "cut-through", 16, "0", nil, 0},
	} {
		j := collectivetest.Equal(t, row.spec, "store-forward", 0, row.words)
		require.NoError(t, j.Machine.Set("switching", row.switching))
		require.NoError(t, j.Machine.Set("ports", "all"))
		require.NoError(t, j.Machine.Set("nic.channels", "links"))
		require.NoError(t, j.Machine.Set("setup", row.setup))
		j.Among = row.among
		r := collectivetest.Run(t, row.kind, "auto", j)
		require.True(t, r.Delivered)
		require.True(t, slices.ContainsFunc(r.Plan.Chosen.Weighed, func(w contest.Weighed) bool {
			return w.Name == "edst" && w.How != contest.LeftOut
		}) || r.Plan.Algorithm == "greedy" && r.Plan.Chosen.AtFloor, row.spec)
		if row.cycles > 0 {
			require.Equal(t, row.cycles, r.Cycles, row.spec)
		}
	}
}

// Where heads wait for claims, no time is known before a run. The time that auto tells of its choice is that of a simulation all the same, also
// of a refined schedule.
func TestAutoTellsTrueTimesWhereHeadsWaitForClaims(t *testing.T) {
	for _, row := range []struct {
		kind, spec string
		words      int
		keys       [][2]string
	}{
		{plan.Gossip, "debruijn:2", 3, [][2]string{{"nic.channels", "1"}, {"startup", "5"}, {"flit", "3"}}},
		{plan.Allreduce, "debruijn:2", 8, [][2]string{{"hop", "2"}, {"flit", "5"}, {"buffer", "8"}, {"header", "flit"}}},
		{plan.Allreduce, "mesh:3x2", 2, [][2]string{{"startup", "1"}, {"hop", "2"}, {"flit", "2"}, {"buffer", "8"}}},
		{plan.Broadcast, "torus:2x3", 1, [][2]string{{"ports", "single"}, {"flit", "3"}}},
		{plan.Reduce, "path:5", 6, [][2]string{{"startup", "10"}, {"buffer", "2"}}},
		{plan.ReduceScatter, "ring:5", 4, [][2]string{{"startup", "3"}, {"flit", "2"}}},
	} {
		j := collectivetest.Equal(t, row.spec, "wormhole", 0, row.words)
		require.NoError(t, j.Machine.Set("claim", "1"))
		for _, k := range row.keys {
			require.NoError(t, j.Machine.Set(k[0], k[1]))
		}
		r := collectivetest.Run(t, row.kind, "auto", j)
		require.True(t, r.Delivered)
		first := r.Plan.Chosen.Weighed[0]
		require.Equal(t, r.Cycles, first.Cycles, "%s on %s: %+v", row.kind, row.spec, r.Plan.Chosen)
		require.GreaterOrEqual(t, first.Cycles, r.Plan.LowerBound())
		require.Equal(t, first.Cycles == r.Plan.LowerBound(), r.Plan.Chosen.AtFloor)
	}
}

// An option that leaves one algorithm leaves nothing to compare: its plan is not
// simulated, so auto says "only", or "predicted" where the plan knows its time.
func TestAnOptionThatLeavesOneAlgorithmEndsTheComparison(t *testing.T) {
	topo, err := topology.Parse("path:4")
	require.NoError(t, err)
	for _, row := range []struct {
		name   string
		buffer int // below the full rate nothing is predicted
		order  []router.NodeID
		want   contest.How
		rivals bool
	}{
		{"no option", 1, nil, contest.Simulated, true},
		{"one algorithm takes the order", 1, []router.NodeID{3, 2, 1}, contest.Only, false},
		{"its time is predicted", 4, []router.NodeID{3, 2, 1}, contest.Predicted, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			m, err := machine.Preset("wormhole")
			require.NoError(t, err)
			m.Buffer, m.Hop, m.Startup = row.buffer, 2, 5
			p, err := collective.Generate(t.Context(), "scatter", "", collective.Job{Topology: topo, Machine: m, Lengths: []int{0, 2, 2, 2}, Order: row.order})
			require.NoError(t, err)
			won := p.Chosen.Weighed[0]
			require.Equal(t, row.want, won.How)
			if won.How == contest.Only {
				require.Zero(t, won.Cycles)
			} else {
				r, err := collective.Execute(t.Context(), p)
				require.NoError(t, err)
				require.Equal(t, r.Cycles, won.Cycles)
			}
			require.Equal(t, row.rivals, len(p.Chosen.Weighed) > 1)
		})
	}
}
