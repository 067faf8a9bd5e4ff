// SPDX-License-Identifier: Apache-2.0

package study

import (
	"context"
	"fmt"
	"slices"

	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/router"
	"meshwright/schedule/workload"
)

// Around plans collectives around each single fault of a network that is dead from cycle 0 on, and runs
// them with the fault. The root of a rooted collective is node 0, or node 1 where node 0 is dead.
type Around struct {
	Topology     *topology.Topology
	Machine      machine.Machine // without faults
	Collectives  []string
	Nodes, Links bool // what fails: nodes, links in both directions
	Length       int  // words of each message
	Seed         uint64
}

// AroundRow is what the faults do to one collective.
type AroundRow struct {
	Collective string
	Cases      []AroundCase // nodes first, each rising
	Apart      int          // faults that disconnect the network, around which nothing can be planned
}

// AroundCase is a run with one fault.
type AroundCase struct {
	Fault         string // such as node 5 or link 3-4
	Algorithm     string
	Cycles, Bound router.Cycle
	Ratio         float64 // cycles by bound
	Failure       error   // nil: every word of every live PE is right
}

// Right counts the cases in which every word is right.
func (r *AroundRow) Right() int {
	right := 0
	for i := range r.Cases {
		if r.Cases[i].Failure == nil {
			right++
		}
	}
	return right
}

// Ratios returns the ratios of all cases, rising.
func (r *AroundRow) Ratios() []float64 {
	ratios := make([]float64, len(r.Cases))
	for i := range r.Cases {
		ratios[i] = r.Cases[i].Ratio
	}
	slices.Sort(ratios)
	return ratios
}

// Run runs all cases. Errors are the context's, and *input.Error of a case that cannot be planned, or if there is none.
func (a *Around) Run(ctx context.Context) ([]AroundRow, error) {
	if err := a.Topology.Valid(); err != nil {
		return nil, err
	}
	all := a.faults()
	faults := slices.DeleteFunc(slices.Clone(all), a.cuts)
	if len(faults) == 0 {
		return nil, input.Errorf("expected a network that has two nodes or more after a fault, which reach one another", "nothing to plan around on %s: each single fault cuts it", a.Topology)
	}
	phase := progress.Begin(ctx, "plan around faults of "+a.Topology.String(), len(faults)*len(a.Collectives))
	defer phase.End()
	var rows []AroundRow
	for _, name := range a.Collectives {
		kind, err := plan.KindOf(name)
		if err != nil {
			return nil, err
		}
		row := AroundRow{Collective: kind.Name, Apart: len(all) - len(faults)}
		for _, f := range faults {
			if err := phase.Step(); err != nil {
				return nil, err
			}
			one, err := a.run(ctx, kind, f)
			if err != nil {
				return nil, fmt.Errorf("%s around %s: %w", kind.Name, one.Fault, err)
			}
			row.Cases = append(row.Cases, one)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// cuts reports whether a fault leaves nothing that a collective could go over: nodes that do not reach one another, or a single one.
func (a *Around) cuts(f fault.Fault) bool {
	return f.Kind == fault.Node && a.Topology.Nodes() <= 2 || fault.Apart(a.Topology, fault.BothWays([]fault.Fault{f}), router.None) != nil
}

// faults lists the single faults.
func (a *Around) faults() []fault.Fault {
	var list []fault.Fault
	if a.Nodes {
		for n := range router.NodeID(a.Topology.Nodes()) {
			list = append(list, fault.Fault{Kind: fault.Node, From: n, To: n, End: fault.Never})
		}
	}
	if a.Links {
		for _, l := range a.Topology.Links() {
			if l.From < l.To {
				list = append(list, fault.Fault{Kind: fault.Link, From: l.From, To: l.To, End: fault.Never})
			}
		}
	}
	return list
}

// run runs one case.
func (a *Around) run(ctx context.Context, kind plan.Kind, f fault.Fault) (AroundCase, error) {
	one := AroundCase{Fault: fmt.Sprintf("node %d", f.From)}
	all := []fault.Fault{f}
	if f.Kind == fault.Link {
		one.Fault = fmt.Sprintf("link %d-%d", f.From, f.To)
		back := f
		back.From, back.To = f.To, f.From
		all = append(all, back)
	}
	j := collective.Job{Topology: a.Topology, Machine: a.Machine, Seed: a.Seed}
	j.Machine.Faults = &fault.List{Faults: all, Known: true, Seed: fault.DefaultSeed}
	without := router.None
	if kind.Rooted {
		if f.Kind == fault.Node && f.From == 0 {
			j.Root = 1
		}
		if kind.Holders == plan.AllButRoot {
			without = j.Root
		}
	}
	var err error
	if j.Lengths, err = workload.EqualLengths(a.Length, a.Topology.Nodes(), without); err != nil {
		return one, err
	}
	p, err := collective.Generate(ctx, kind.Name, "", j)
	if err != nil {
		return one, err
	}
	r, err := collective.Execute(ctx, p)
	if err != nil {
		return one, err
	}
	one.Algorithm, one.Cycles, one.Bound, one.Ratio, one.Failure = p.Algorithm, r.Cycles, p.LowerBound(), r.Ratio(), r.Failure
	return one, nil
}
