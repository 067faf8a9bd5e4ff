// SPDX-License-Identifier: Apache-2.0

package study_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/isa"
	"meshwright/firmware/plan"
	"meshwright/internal/rational"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/study"
)

// inCopies plans a collective of one word a message, on the machine of Fragopoulou and Akl.
func inCopies(t testing.TB, kind, spec string, copies int) *plan.Plan {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("store-forward")
	require.NoError(t, err)
	m.Ports, m.Channels, m.Setup = machine.AllPort, machine.Links, rational.Rational{}
	j := collective.Job{Topology: topo, Machine: m, Copies: copies, Seed: 1, Lengths: make([]int, topo.Nodes())}
	for n := range j.Lengths {
		j.Lengths[n] = 1
	}
	p, err := collective.Generate(t.Context(), kind, "edst", j)
	require.NoError(t, err)
	return p
}

var kindsInCopies = []string{plan.Broadcast, plan.Scatter, plan.Gossip, plan.Exchange}

// amongAll are faults of nodes, of links, and of both.
func amongAll(count int) []fault.Random {
	return []fault.Random{{Count: count, Nodes: true}, {Count: count, Links: true}, {Count: count, Nodes: true, Links: true}}
}

// Three copies survive all pairs of faults of star:4, whatever fails.
func TestStar4SurvivesAllPairs(t *testing.T) {
	for _, kind := range kindsInCopies {
		p := inCopies(t, kind, "star:4", 3)
		for _, among := range amongAll(2) {
			c := study.Campaign{Plan: p, Among: among, Model: soak.Number(4, 2000)}
			r, err := c.Run(t.Context())
			require.NoError(t, err)
			require.Equal(t, pairsOf(kind, among), r.Tried)
			require.Equal(t, study.CampaignResult{Copies: 3, Withstands: 2, Sets: r.Tried, All: true, Tried: r.Tried, Model: min(c.Model, r.Tried)}, *r)
		}
	}
}

// pairsOf counts the pairs of 24 nodes, 23 without a root, and 36 links.
func pairsOf(kind string, among fault.Random) int {
	all := 0
	if among.Nodes {
		all += 24
		if kind == plan.Broadcast || kind == plan.Scatter {
			all--
		}
	}
	if among.Links {
		all += 36
	}
	return all * (all - 1) / 2
}

// Any x-1 faults are survived by x copies; of x faults some set is not, and none of the x can be left out.
func TestCopiesSurviveFewerFaults(t *testing.T) {
	for _, spec := range []string{"star:4", "hypercube:3"} {
		for _, kind := range kindsInCopies {
			for copies := 1; copies <= 3; copies++ {
				p := inCopies(t, kind, spec, copies)
				for _, row := range []struct{ faults, model int }{{copies - 1, 1}, {copies, 1}} {
					c := study.Campaign{Plan: p, Among: fault.Random{Count: row.faults, Nodes: true, Links: true}, Model: row.model}
					if copies == 3 && row.faults == 3 {
						c.Sets, c.Seed = 2000, 3
					}
					r, err := c.Run(t.Context())
					require.NoError(t, err)
					name := fmt.Sprintf("%s on %s, %d copies, %d faults", kind, spec, copies, row.faults)
					require.Equal(t, copies-1, r.Withstands, name)
					if row.faults < copies {
						require.Zero(t, r.Failed, name)
						continue
					}
					require.NotNil(t, r.First, name)
					require.Len(t, r.First.Needed, copies, name)
					require.NotEmpty(t, r.First.Account.Nodes, name)
				}
			}
		}
	}
}

// A counterexample is shrunk to faults each of which is needed.
func TestCounterexamplesAreShrunk(t *testing.T) {
	p := inCopies(t, plan.Broadcast, "mesh:4x4", 1)
	c := study.Campaign{Plan: p, Among: fault.Random{Count: 5, Nodes: true, Links: true}, Sets: 64, Seed: 1, Model: 64}
	r, err := c.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, 64, r.Failed)
	require.Equal(t, 1, r.First.Set)
	require.Len(t, r.First.Faults, 5)
	require.Len(t, r.First.Needed, 1)
	require.Subset(t, r.First.Faults, r.First.Needed)
	require.Positive(t, r.Apart)
}

// A dead corner's neighbours cut it off, which no algorithm survives.
func TestSetsThatCutTheNetwork(t *testing.T) {
	p := inCopies(t, plan.Gossip, "path:4", 1)
	c := study.Campaign{Plan: p, Among: fault.Random{Count: 1, Nodes: true}}
	r, err := c.Run(t.Context())
	require.NoError(t, err)
	require.Equal(t, 2, r.Failed) // node 1 and node 2
	require.Equal(t, 2, r.Apart)
	require.Equal(t, []router.NodeID{0}, r.First.Apart)
}

// The result does not depend on the number of workers.
func TestCampaignsAreTheSameWithAnyWorkers(t *testing.T) {
	p := inCopies(t, plan.Broadcast, "star:4", 2)
	var first *study.CampaignResult
	for _, workers := range []int{1, 2, 5} {
		c := study.Campaign{Plan: p, Among: fault.Random{Count: 3, Nodes: true, Links: true}, Sets: 1000, Seed: 7, Model: 10, Workers: workers}
		r, err := c.Run(t.Context())
		require.NoError(t, err)
		if first == nil {
			first = r
		}
		require.Equal(t, first, r)
	}
	require.Positive(t, first.Failed)
	require.Less(t, first.Failed, 1000)
}

// A campaign that is interrupted keeps what it has found.
func TestInterruptedCampaigns(t *testing.T) {
	p := inCopies(t, plan.Broadcast, "star:4", 2)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := study.Campaign{Plan: p, Among: fault.Random{Count: 2, Links: true}, Sets: 1000}
	r, err := c.Run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, r.Tried, 1000)
	require.Equal(t, 1000, r.Sets)
}

// A model that differs from the replay ends the campaign: here its PEs halt at once.
func TestModelsThatDifferAreTold(t *testing.T) {
	p := inCopies(t, plan.Broadcast, "star:3", 2)
	program, err := isa.Assemble(p.Programs[0].Name, strings.NewReader("halt"))
	require.NoError(t, err)
	p.Programs = []*isa.Program{program}
	c := study.Campaign{Plan: p, Among: fault.Random{Count: 1, Links: true}, Model: 1}
	_, err = c.Run(t.Context())
	var differ *study.Disagreement
	require.ErrorAs(t, err, &differ)
	require.ErrorContains(t, err, "broadcast on star:3 with link 0-2: the replay says 0 of 5 live PEs lack messages, fewest copies 1, the model says 5 of 5 live PEs lack messages")
}

func TestBadCampaigns(t *testing.T) {
	p := inCopies(t, plan.Broadcast, "star:3", 1)
	for _, row := range []struct {
		campaign study.Campaign
		want     string
	}{
		{study.Campaign{Among: fault.Random{Count: 12, Nodes: true, Links: true}}, "sets of 12 faults on star:3 (expected 0 to 11)"},
		{study.Campaign{Among: fault.Random{Count: 1, Nodes: true}, Sets: 1 << 30}, "1073741824 sets (expected 1 to 100000000)"},
	} {
		row.campaign.Plan = p
		_, err := row.campaign.Run(t.Context())
		require.EqualError(t, err, row.want)
	}
	c := study.Campaign{Plan: inCopies(t, plan.Broadcast, "star:5", 1), Among: fault.Random{Count: 6, Links: true}}
	_, err := c.Run(t.Context())
	require.EqualError(t, err, "all sets of 6 of 240 faults (expected 1 to 100000000)")
}

// Random sets of as many faults as the paper allows. Larger gossips and exchanges need too much memory; there the
// routes are shown to be disjoint instead: package tolerant.
func TestLargeCampaigns(t *testing.T) {
	type row struct {
		spec          string
		sets, symbols int
		kinds         []string
	}
	rows := []row{{"star:5", 1000, 5, kindsInCopies[:3]}}
	if soak.On() {
		rows = []row{{"star:5", 10_000, 5, kindsInCopies}, {"star:6", 10_000, 6, kindsInCopies[:3]}, {"star:7", 1000, 7, kindsInCopies[:2]}}
	}
	for _, row := range rows {
		for _, kind := range row.kinds {
			p := inCopies(t, kind, row.spec, row.symbols-1)
			c := study.Campaign{Plan: p, Among: fault.Random{Count: row.symbols - 2, Nodes: true, Links: true}, Sets: row.sets, Seed: 1, Model: 3}
			r, err := c.Run(t.Context())
			require.NoError(t, err)
			require.Equal(t, row.sets, r.Tried)
			require.Zero(t, r.Failed, "%s on %s", kind, row.spec)
			require.Equal(t, row.symbols-2, r.Withstands)
		}
	}
}

// BenchmarkCampaignStar5 replays 10 000 random sets of three faults on a broadcast in four copies on star:5.
func BenchmarkCampaignStar5(b *testing.B) {
	p := inCopies(b, plan.Broadcast, "star:5", 4)
	for b.Loop() {
		c := study.Campaign{Plan: p, Among: fault.Random{Count: 3, Nodes: true, Links: true}, Sets: 10_000, Seed: 1}
		r, err := c.Run(b.Context())
		require.NoError(b, err)
		require.Zero(b, r.Failed)
	}
}

// BenchmarkCampaignStar5InModel runs each of 10 000 such sets in the model as well.
func BenchmarkCampaignStar5InModel(b *testing.B) {
	p := inCopies(b, plan.Broadcast, "star:5", 4)
	for b.Loop() {
		c := study.Campaign{Plan: p, Among: fault.Random{Count: 3, Nodes: true, Links: true}, Sets: 10_000, Seed: 1, Model: 10_000}
		r, err := c.Run(b.Context())
		require.NoError(b, err)
		require.Equal(b, 10_000, r.Model)
	}
}
