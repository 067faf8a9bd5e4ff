// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/formats/msccl"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/bound"
	"meshwright/schedule/workload"
	"meshwright/study/point"
)

// executeAlgorithm runs an imported algorithm as firmware. One that does not do
// what it promises is not run.
func (f *jobFlags) executeAlgorithm(cmd *cobra.Command, file string, read func() (*msccl.Algorithm, error), attach ...func(*fabric.Network) error) (*outcome, error) {
	if err := refuse(cmd, "the file says everything else", "given with an algorithm", slices.Concat(ofCollectives(), []string{"cycles-per-us", "every-rank", "skip-missing", "ctrl-deps", "noc"})); err != nil {
		return nil, err
	}
	if err := exclusive(cmd, "length", "bytes"); err != nil {
		return nil, err
	}
	a, err := read()
	if err != nil {
		return nil, err
	}
	switch f.inPlace {
	case "":
	case "0":
		a = a.With(msccl.Separate)
	case "1":
		a = a.With(msccl.InPlace)
	default:
		return nil, input.At("--inplace", 0, "expected 0 or 1", "%q", f.inPlace)
	}
	if cmd.Flags().Changed("root") && !a.Rooted() {
		return nil, input.At("--root", 0, "expected none", "%s has no root", article(nameOf(a)))
	}
	t, m, err := f.loadForChunks(cmd)
	if err != nil {
		return nil, err
	}
	if t.Nodes() != a.Ranks {
		return nil, input.At(file, 0, "expected a topology of "+input.Count(a.Ranks, "node"), "an algorithm for %s on %s, which has %d", input.Count(a.Ranks, "rank"), t, t.Nodes())
	}
	nodes, err := f.placement(a.Ranks, t)
	if err != nil {
		return nil, err
	}
	flow, err := a.Flow(f.root)
	if err != nil {
		return nil, err
	}
	if flow.Failure != nil {
		return nil, f.printUnsound(cmd, flow)
	}
	plan, facts, err := f.planAlgorithm(cmd.Context(), flow, t, m, nodes)
	if err != nil {
		return nil, err
	}
	r, err := collective.Execute(cmd.Context(), plan, attach...)
	if err != nil {
		return nil, err
	}
	o := &outcome{
		collective: nameOf(a), algorithm: input.Name(file), written: a, topology: t, machine: plan.Machine, network: r.Network, plan: plan,
		messages: plan.Messages, flits: plan.Flits, cycles: r.Cycles, lowerBound: plan.LowerBound(), proof: plan.Bound().Proof, delivered: r.Delivered, failure: r.Failure,
		collisions: r.Collisions, collisionCount: r.CollisionCount, maxBufferFlits: r.MaxBufferFlits, imported: facts,
	}
	if a.Rooted() {
		o.root = &f.root
	}
	return o, o.checkStatic(cmd.Context(), schedule.FromLog(r.Network, plan.Machine.Routing == machine.Source))
}

// nameOf returns the name that the collective of an algorithm has in all reports: gossip for an allgather of MSCCL. A custom one stays custom.
func nameOf(a *msccl.Algorithm) string {
	kind, err := plan.KindOf(a.Collective)
	if err != nil {
		return a.Collective
	}
	return kind.Name
}

// placement returns the node of each rank.
func (f *jobFlags) placement(ranks int, t *topology.Topology) ([]router.NodeID, error) {
	nodes := make([]router.NodeID, ranks)
	for rank := range nodes {
		nodes[rank] = router.NodeID(rank)
	}
	if f.ranks == "" {
		return nodes, nil
	}
	nodes, err := workload.ParseNodes(f.ranks, t.Nodes())
	if err != nil {
		return nil, input.Locate(err, "--ranks", 0)
	}
	if len(nodes) != ranks {
		return nil, input.At("--ranks", 0, "expected one for each of "+input.Count(ranks, "rank"), "%s", input.Count(len(nodes), "node"))
	}
	rankOf := make([]int, t.Nodes())
	for rank, n := range nodes {
		if rankOf[n]++; rankOf[n] > 1 {
			return nil, input.At("--ranks", 0, "expected each node once", "node %d again, for rank %d", n, rank)
		}
	}
	return nodes, nil
}

// maxChunk bounds the flits of a chunk.
const maxChunk = 1 << 20

// loadForChunks loads the network and the machine of an imported algorithm, and reads the length of its chunks.
func (f *jobFlags) loadForChunks(cmd *cobra.Command) (*topology.Topology, machine.Machine, error) {
	t, m, err := f.machineFlags.load(cmd)
	if err != nil {
		return nil, m, err
	}
	flag := "--length"
	if cmd.Flags().Changed("bytes") {
		if err := f.readBytes(&m); err != nil {
			return nil, m, err
		}
		flag = "--bytes"
	}
	if f.length < 1 || f.length > maxChunk {
		return nil, m, input.At(flag, 0, "expected 1 to "+itoa(maxChunk)+" flits of a chunk", "%d", f.length)
	}
	return t, m, nil
}

// readBytes reads --bytes, as whole flits of a machine.
func (f *jobFlags) readBytes(m *machine.Machine) error {
	bytes, err := point.ParseBytes(f.bytes)
	if err != nil {
		return input.Locate(err, "--bytes", 0)
	}
	f.length = m.FlitsOf(bytes)
	return nil
}

// maxMemory bounds the words of all PEs of an imported algorithm.
const maxMemory = 1 << 28

// planAlgorithm turns a sound algorithm into firmware. On machines without
// buffers a timetable says when each message leaves.
func (f *jobFlags) planAlgorithm(ctx context.Context, flow *msccl.Flow, t *topology.Topology, m machine.Machine, nodes []router.NodeID) (*collective.Plan, []fact, error) {
	a := flow.Algorithm
	list, sizes := flow.List(f.length)
	total := 0
	for _, words := range sizes {
		if total += words; total > maxMemory {
			return nil, nil, input.At("--length", 0, "expected at most 2^28 words in all PEs together", "%d: too long", f.length)
		}
	}
	words, err := flow.Words(list, sizes, f.length, m.Width, f.seed)
	if err != nil {
		return nil, nil, err
	}
	msccl.Renumber(list, nodes)
	blocks := make([]plan.Block, len(nodes))
	for rank, n := range nodes {
		blocks[n] = plan.Block{Words: words.End[rank], Start: words.Start[rank]}
	}
	if m.Switching == machine.Bufferless {
		if err := transfer.TimetableContext(ctx, t, m, list); err != nil {
			return nil, nil, err
		}
	}
	facts := append(describe(flow), fact{"chunk_flits", "chunk", input.Count(f.length, "flit"), itoa(f.length)}, shownOnly("times", "the file has none: chosen here"))
	if !m.PacketSwitched() {
		timing, err := transfer.PredictContext(ctx, t, m, list)
		if err != nil {
			return nil, nil, err
		}
		cycles := fmt.Sprint(timing.Cycles)
		facts = append(facts, fact{"predicted_alone_cycles", "predicted, alone", cycles, cycles})
	}
	plan, err := plan.FromTransfers(ctx, nameOf(a), a.Name, t, m, list, func(n router.NodeID) plan.Block { return blocks[n] })
	if err != nil {
		return nil, nil, err
	}
	known, err := f.boundOf(ctx, flow, t, plan.Machine, nodes)
	if err != nil {
		return nil, nil, err
	}
	plan.SetBound(known)
	return plan, facts, nil
}

// boundOf returns the larger of two bounds: by what the outputs of an algorithm hold, and of any schedule of its collective.
func (f *jobFlags) boundOf(ctx context.Context, flow *msccl.Flow, t *topology.Topology, m machine.Machine, nodes []router.NodeID) (bound.Proven, error) {
	a := flow.Algorithm
	own := bound.Proven{Cycles: flow.LowerBound(t, m, f.length, nodes), Proof: bound.ByNeed}
	if a.Collective == "custom" || m.PacketSwitched() {
		return own, nil
	}
	j := collective.Job{Topology: t, Machine: m, Lengths: slices.Repeat([]int{a.Words(f.length)}, a.Ranks)}
	if a.Rooted() {
		j.Root = nodes[f.root]
	}
	known, err := collective.Bound(ctx, nameOf(a), j)
	if err != nil || known.Cycles <= own.Cycles { // with an error, there is no such job
		return own, ctx.Err()
	}
	return known, nil
}

// describe lists the facts about an algorithm that are known before it runs.
func describe(flow *msccl.Flow) []fact {
	a := flow.Algorithm
	blocks, steps := 0, 0
	for rank := range a.GPUs {
		blocks += len(a.GPUs[rank].Blocks)
		for _, b := range a.GPUs[rank].Blocks {
			steps += len(b.Steps)
		}
	}
	place := "separate"
	if a.InPlace {
		place = "in place"
	}
	sizes, exact := "any number of bytes", fmt.Sprintf(`{"min":%d,"max":null}`, a.MinBytes)
	switch {
	case a.MaxBytes > 0:
		sizes, exact = fmt.Sprintf("%d to %d bytes", a.MinBytes, a.MaxBytes), fmt.Sprintf(`{"min":%d,"max":%d}`, a.MinBytes, a.MaxBytes)
	case a.MinBytes > 0:
		sizes = fmt.Sprintf("%d bytes or more", a.MinBytes)
	}
	facts := []fact{
		{"name", "name", a.Name, quoted(a.Name)},
		{"meant_for_bytes", "meant for", sizes, exact},
		{"protocol", "protocol", a.Protocol, quoted(a.Protocol)},
		{"in_place", "buffers", place, fmt.Sprint(a.InPlace)},
		{"threadblocks", "threadblocks", itoa(blocks), itoa(blocks)},
		{"steps", "steps", itoa(steps), itoa(steps)},
	}
	switch {
	case flow.Races < 0:
		facts = append(facts, fact{"races", "races", "not looked for: too many steps", "null"})
	default:
		facts = append(facts, fact{"races", "races", itoa(flow.Races), itoa(flow.Races)})
	}
	if flow.Failure == nil {
		promise := "every output as " + nameOf(a) + " promises"
		if a.Collective == "custom" {
			promise = "custom promises nothing"
		}
		facts = append(facts, fact{"flow_ok", "data flow", promise, "true"})
	}
	return facts
}

// quoted is a text in JSON.
func quoted(text string) string {
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err) // strings have a JSON form
	}
	return string(quoted)
}

// unsoundAnswer is the JSON of an algorithm that is not run, since it does not do
// what it promises; its names are a contract.
type unsoundAnswer struct {
	Collective string `json:"collective"`
	Algorithm  string `json:"algorithm"`
	Name       string `json:"name"`
	OK         bool   `json:"flow_ok"`
	Delivered  bool   `json:"delivered"`
	Races      int    `json:"races"`
	Failure    string `json:"failure"`
	OtherRoot  *int   `json:"other_root,omitempty"`
	Version    string `json:"version"`
}

// printUnsound prints the fault of an algorithm and returns errFailed.
func (f *jobFlags) printUnsound(cmd *cobra.Command, flow *msccl.Flow) error {
	a := flow.Algorithm
	w := cmd.OutOrStdout()
	root := f.otherRoot(a)
	if flag := cmd.Flags().Lookup("json"); flag != nil && flag.Value.String() == "true" {
		answer := unsoundAnswer{Collective: nameOf(a), Algorithm: a.File, Name: a.Name, Races: flow.Races, Failure: flow.Failure.Error(), Version: version()}
		if root >= 0 {
			answer.OtherRoot = &root
		}
		err := printJSON(w, answer)
		return cmp.Or(err, errFailed)
	}
	var rows [][]string
	for _, known := range describe(flow) {
		rows = append(rows, []string{known.name, known.text})
	}
	if err := printRows(w, nameOf(a)+" "+a.File+", not run", nil, rows); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(w, "FAIL "+escape.Line(flow.Failure.Error())); err != nil {
		return err
	}
	if root >= 0 {
		if _, err := fmt.Fprintf(w, "Rank %d is the root: add --root %d.\n", root, root); err != nil {
			return err
		}
	}
	return errFailed
}

// otherRoot returns a root with which an algorithm does what it promises; -1 if there is none.
func (f *jobFlags) otherRoot(a *msccl.Algorithm) int {
	if !a.Rooted() {
		return -1
	}
	for rank := range a.Ranks {
		if rank == f.root {
			continue
		}
		if flow, err := a.Flow(rank); err == nil && flow.Failure == nil {
			return rank
		}
	}
	return -1
}
