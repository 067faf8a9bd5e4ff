// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
	"meshwright/study"
)

// An empty job, and jobs with one thing wrong, are errors of every function
// that takes one.
func TestWrongJobs(t *testing.T) {
	path, err := topology.Parse("path:4")
	require.NoError(t, err)
	m, err := machine.Preset("bufferless")
	require.NoError(t, err)
	good := collective.Job{Topology: path, Machine: m, Lengths: []int{0, 1, 1, 1}}
	for _, row := range []struct {
		change func(*collective.Job)
		want   string
	}{
		{func(j *collective.Job) { *j = collective.Job{} }, "no topology (expected one that topology.Parse has made)"},
		{func(j *collective.Job) { j.Topology = &topology.Topology{} }, "a topology without nodes (expected one that topology.Parse has made)"},
		{func(j *collective.Job) { j.Lengths = nil }, "0 lengths for 4 nodes (expected one for each node)"},
		{func(j *collective.Job) { j.Lengths = make([]int, 5) }, "5 lengths for 4 nodes (expected one for each node)"},
		{func(j *collective.Job) { j.Machine = machine.Machine{} }, "no machine (expected one that machine.Preset, machine.Open or machine.Parse has made)"},
		{func(j *collective.Job) { j.Trees = -1 }, "trees -1 (expected at least 1)"},
		{func(j *collective.Job) { j.Steps = -1 }, "steps -1 (expected at least 0)"},
		{func(j *collective.Job) { j.A = -1 }, "bridgeheads -1 (expected at least 1)"},
		{func(j *collective.Job) { j.B = -1 }, "round-steps -1 (expected at least 1)"},
		{func(j *collective.Job) { j.Colours = -1 }, "colours -1 (expected at least 1)"},
		{func(j *collective.Job) { j.Parts = -1 }, "parts -1 (expected at least 1)"},
	} {
		j := good
		row.change(&j)
		for _, kind := range plan.Kinds() {
			_, err := collective.Generate(t.Context(), kind.Name, "", j)
			require.EqualError(t, err, row.want)
			_, err = collective.Formula(kind.Name, "", j)
			require.EqualError(t, err, row.want)
			_, err = collective.Predict(kind.Name, "", j)
			require.EqualError(t, err, row.want)
		}
		_, err := study.SpeedUps(t.Context(), "scatter", j)
		require.EqualError(t, err, row.want)
		_, err = study.CompareTrees(t.Context(), j)
		require.EqualError(t, err, row.want)
	}
	bad := good
	bad.Tree = "bredth-first"
	for _, kind := range plan.Kinds() {
		_, err = collective.Generate(t.Context(), kind.Name, "", bad)
		require.EqualError(t, err, `unknown tree "bredth-first" (did you mean breadth-first?)`)
	}
	bad = good
	bad.Root = 4
	_, err = collective.Generate(t.Context(), "scatter", "furthest-first", bad)
	require.ErrorContains(t, err, "root 4 is not a node")
	bad = good
	bad.Lengths = []int{0, 1, -1, 1}
	_, err = collective.Generate(t.Context(), "scatter", "furthest-first", bad)
	require.EqualError(t, err, "length -1 of node 2 (expected at least 0, all together at most 2^28)")
}

func TestWrongPlansAndLists(t *testing.T) {
	path, err := topology.Parse("path:4")
	require.NoError(t, err)
	m, err := machine.Preset("bufferless")
	require.NoError(t, err)
	for _, row := range []struct {
		plan *collective.Plan
		want string
	}{
		{nil, "no plan (expected one that Generate or FromTransfers has made)"},
		{&collective.Plan{}, "no topology (expected one that topology.Parse has made)"},
		{&collective.Plan{Topology: path, Machine: m}, "0 PEs for 4 nodes (expected one for each node)"},
		{&collective.Plan{Topology: path, Machine: m, PEs: make([]plan.PE, 4)}, "PE 0 has program 0 of 0 (expected one of the plan's programs)"},
	} {
		_, err := collective.Execute(t.Context(), row.plan)
		require.EqualError(t, err, row.want)
	}
	block := func(router.NodeID) plan.Block { return plan.Block{} }
	for _, row := range []struct {
		topology *topology.Topology
		list     *transfer.List
		blocks   func(router.NodeID) plan.Block
		want     string
	}{
		{nil, &transfer.List{Nodes: 4}, block, "no topology (expected one that topology.Parse has made)"},
		{path, nil, block, "no transfers (expected a list)"},
		{path, &transfer.List{Nodes: 3}, block, "transfers among 3 nodes on path:4 (expected 4)"},
		{path, &transfer.List{Nodes: 4}, nil, "no blocks (expected a block for each node)"},
		{path, &transfer.List{Nodes: 4, Transfers: []transfer.Transfer{{From: 0, To: 9, Out: transfer.Set{{From: 0, To: 1}}}}}, block, "transfer 0: node 9 (expected 0 to 3)"},
		{path, &transfer.List{Nodes: 4, Transfers: []transfer.Transfer{{From: 0, To: 2, Out: transfer.Set{{From: 0, To: 1}}, Route: []router.Port{0}}}}, block, "transfer 0: the route ends at node 1 (expected node 2)"},
		{path, &transfer.List{Nodes: 4, Transfers: []transfer.Transfer{{From: 0, To: 1, Out: transfer.Set{{From: 0, To: 1}}, Route: []router.Port{7}}}}, block, "transfer 0: no link from node 0 by port 7 (expected a route along the links of path:4)"},
	} {
		_, err := plan.FromTransfers(t.Context(), "gossip", "x", row.topology, m, row.list, row.blocks)
		require.EqualError(t, err, row.want)
	}
	for name, want := range map[string]string{"brodcast": `unknown collective "brodcast" (did you mean broadcast?)`, "MPI_Bcast": "", "custom": "", "halo": ""} {
		_, err := plan.FromTransfers(t.Context(), name, "x", path, m, &transfer.List{Nodes: 4}, block)
		if want != "" {
			require.EqualError(t, err, want)
		} else {
			require.NoError(t, err, name)
		}
	}
}

// A word that is wrong is named by its block where all know where the block stands.
func TestWrongWordsNameTheirBlocks(t *testing.T) {
	path, err := topology.Parse("path:3")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	words := []uint32{10, 11, 20, 21, 30, 31}
	all := transfer.Set{{From: 0, To: 2}, {From: 2, To: 4}, {From: 4, To: 6}}
	for _, row := range []struct {
		collective string
		second     transfer.Set // of node 2's block, which node 1 passes on
		into       transfer.Set
		want       string
	}{
		{"gossip", all[2:3], nil, ""},
		{"gossip", transfer.Set{{From: 4, To: 5}}, nil, "expected 0x0000001f: word 1 of block 2, where nothing was stored"},
		{"gossip", all[1:2], all[2:3], "expected 0x0000001e: word 0 of block 2"},
		{"halo", all[1:2], all[2:3], "expected 0x0000001e: word 4 of its block"},
	} {
		list := &transfer.List{Nodes: 3, Transfers: []transfer.Transfer{
			{Step: 0, From: 0, To: 1, Out: all[:1]}, {Step: 0, From: 2, To: 1, Out: all[2:3]}, {Step: 0, From: 1, To: 0, Out: all[1:2]}, {Step: 0, From: 1, To: 2, Out: all[1:2]},
			{Step: 1, From: 1, To: 2, Out: all[:1]}, {Step: 1, From: 1, To: 0, Out: row.second, In: row.into},
		}}
		p, err := plan.FromTransfers(t.Context(), row.collective, "chain", path, m, list, func(n router.NodeID) plan.Block { return plan.Block{Words: words, Given: all[n]} })
		require.NoError(t, err)
		r, err := collective.Execute(t.Context(), p)
		require.NoError(t, err)
		if row.want == "" {
			require.True(t, r.Delivered)
			continue
		}
		require.ErrorContains(t, r.Failure, row.want)
	}
}
