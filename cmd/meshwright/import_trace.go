// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/formats/chakra"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule/tasks"
)

// maxPerMicro bounds --cycles-per-us: a terahertz.
const maxPerMicro = 1_000_000

// executeTrace runs a workload of Chakra traces.
func (f *jobFlags) executeTrace(cmd *cobra.Command, file string, attach ...func(*fabric.Network) error) (*outcome, error) {
	refused := slices.Concat(ofCollectives(), ofBoth, slices.DeleteFunc(slices.Clone(ofImported), func(flag string) bool { return slices.Contains(ofTraces, flag) }))
	if err := refuse(cmd, "the traces say everything else", "given with traces", refused); err != nil {
		return nil, err
	}
	if f.perMicro < 0 || f.perMicro > maxPerMicro {
		return nil, input.At("--cycles-per-us", 0, "expected 0 to "+itoa(maxPerMicro), "%d", f.perMicro)
	}
	w, err := chakra.Read(file)
	if err != nil {
		return nil, err
	}
	missing, err := w.Missing(f.control)
	if err != nil && !f.skipMissing {
		return nil, err
	}
	t, m, err := f.machineFlags.load(cmd)
	if err != nil {
		return nil, err
	}
	if f.everyRank {
		if len(w.Traces) > 1 {
			return nil, input.At("--every-rank", 0, "expected the trace of one rank", "given with %d files", len(w.Traces))
		}
		w = w.Repeat(t.Nodes())
	}
	ranks := len(w.Traces)
	if ranks > t.Nodes() {
		return nil, input.At(file, 0, "expected a topology of at least "+input.Count(ranks, "node"), "traces of %s on %s, which has %d", input.Count(ranks, "rank"), t, t.Nodes())
	}
	nodes, err := f.placement(ranks, t)
	if err != nil {
		return nil, err
	}
	g, facts, err := w.Graph(t, chakra.Binding{Nodes: nodes, BytesPerFlit: bytesPerFlit(&m), Control: f.control, CyclesPerMicro: router.Cycle(f.perMicro)})
	if err != nil {
		return nil, err
	}
	r, err := tasks.Execute(cmd.Context(), g, t, m, attach...)
	if err != nil {
		return nil, err
	}
	o := &outcome{
		collective: "workload", algorithm: input.Name(file), topology: t, machine: r.Network.Machine, network: r.Network,
		messages: r.Messages, flits: r.Flits, cycles: r.Cycles, tail: r.Cycles - r.Transferred, lowerBound: g.Floor(t, r.Network.Machine), delivered: r.Delivered,
		failure: r.Failure, collisions: r.Collisions, collisionCount: r.CollisionCount, maxBufferFlits: r.MaxBufferFlits,
	}
	if o.imported = o.workloadFacts(r, facts); missing > 0 {
		o.imported = append(o.imported, fact{"missing_dependences", "dependences on missing nodes", itoa(missing) + ", left out", itoa(missing)})
	}
	return o, nil
}

// bytesPerFlit returns the whole bytes of a flit's payload.
func bytesPerFlit(m *machine.Machine) int { return max(1, m.Width/8) }

// workloadFacts are what the report says of a workload.
func (o *outcome) workloadFacts(r *tasks.Result, f *chakra.Facts) []fact {
	list := []fact{
		fact{"ranks", "ranks", itoa(f.Ranks), itoa(f.Ranks)}, fact{"trace_nodes", "nodes of the traces", itoa(f.Nodes), itoa(f.Nodes)}, fact{"sends", "sends", itoa(f.Sends), itoa(f.Sends)},
		fact{"collective_nodes", "collectives", itoa(f.Collectives), itoa(f.Collectives)}, fact{"computations", "computations", itoa(f.Computations), itoa(f.Computations)},
	}
	if f.Memory > 0 {
		list = append(list, fact{"memory_accesses", "accesses to memory, as recorded", itoa(f.Memory), itoa(f.Memory)})
	}
	if f.Untimed > 0 {
		list = append(list, fact{"untimed_computations", "computations without a time", itoa(f.Untimed), itoa(f.Untimed)})
	}
	busiest := o.time(r.Computing)
	list = append(list, fact{"busiest_processor_cycles", "busiest processor", busiest.String(), string(jsonNumber(busiest.exact()))})
	list = append(list, o.spanFacts(r.Groups)...)
	return append(list, hottestFact(r.Network))
}

// span is a collective of a workload in JSON.
type span struct {
	Name     string   `json:"name"`
	From     duration `json:"from"`
	To       duration `json:"to"`
	Cycles   duration `json:"cycles"`
	Messages int      `json:"messages"`
	Flits    int      `json:"flits"`
}

// spanFacts are the times of the collectives: all of them in JSON, the longest in the table.
func (o *outcome) spanFacts(groups []tasks.Span) []fact {
	spans := make([]span, 0, len(groups))
	for _, g := range groups {
		if g.From < 0 || g.Incomplete {
			continue
		}
		spans = append(spans, span{g.Name, o.time(g.From), o.time(g.To), o.time(g.To - g.From), g.Messages, g.Flits})
	}
	exact, err := json.Marshal(spans)
	if err != nil {
		panic(err) // names and numbers have a JSON form
	}
	list := []fact{{"collective_times", "", "", string(exact)}}
	longest := slices.Clone(spans)
	slices.SortStableFunc(longest, func(a, b span) int { return cmp.Compare(b.Cycles.ticks, a.Cycles.ticks) })
	for _, s := range longest[:min(len(longest), shown)] {
		list = append(list, tableRow(s.Name, fmt.Sprintf("%s cycles, from %s to %s", s.Cycles, s.From, s.To)))
	}
	if more := len(longest) - shown; more > 0 {
		list = append(list, tableRow("others", input.Count(more, "shorter collective")))
	}
	return list
}

// tableRow is a fact that only the table shows.
func tableRow(name, text string) fact {
	var f fact
	f.name, f.text = name, text
	return f
}

// hottestFact lists the links that were busy for longest.
func hottestFact(n *fabric.Network) fact {
	const most = 5
	uses := n.LinkUse()
	slices.SortStableFunc(uses, fabric.Hotter)
	links := n.Topology.Links()
	list := []hottest{}
	text := ""
	for _, u := range uses[:min(most, len(uses))] {
		if u.Flits == 0 {
			break
		}
		l := links[u.Link]
		hot := newHottest(n.Topology, l, u.Flits, n.BusyShare(u))
		list = append(list, *hot)
		if text != "" {
			text += ", "
		}
		text += fmt.Sprintf("%s (%d)", hot.name, u.Flits)
	}
	exact, err := json.Marshal(list)
	if err != nil {
		panic(err) // names and numbers have a JSON form
	}
	return fact{"hottest_links", "hottest links (flits)", text, string(exact)}
}
