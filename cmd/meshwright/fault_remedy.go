// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"

	"meshwright/fabric/fault"
	"meshwright/fabric/timing"
	"meshwright/firmware/collective"
	"meshwright/router"
)

// againstLosses says which options avoid the losses of a run whose PEs wait for lost messages; "" if none is known. An algorithm that the user has named stands in the way of both.
func (o *outcome) againstLosses(s *collective.Stuck) string {
	if o.plan == nil || o.job.Seed == nil || len(s.AtDead)+len(s.Dropping)+len(s.Dead) == 0 {
		return ""
	}
	without := ""
	if o.choice() == "" {
		without = " without --algorithm"
	}
	var ways []string
	broken := o.network.Faults().Broken()
	forGood := func(b fault.Broken) bool { return b.Start == 0 && b.End == fault.Never }
	if list := o.machine.Faults; list != nil && !list.Known && len(s.Dropping) == 0 && !slices.ContainsFunc(broken, func(b fault.Broken) bool { return !forGood(b) }) &&
		collective.PlansAround(o.collective, o.machine.Switching) && o.plan.RequireRoutes() == nil {
		ways = append(ways, "--faults known"+without+" plans around what is dead")
	}
	if o.survivesOne(broken) {
		ways = append(ways, "--copies 2"+without+" sends each message twice, over disjoint trees")
	}
	return strings.Join(ways, "; ")
}

// mostCutNodes bounds the networks in which each node is tried as the one that cuts.
const mostCutNodes = 2048

// survivesOne reports whether a second copy of each message is sure to arrive: there is one fault, not at the root, and everything has two disjoint routes.
func (o *outcome) survivesOne(broken []fault.Broken) bool {
	if len(broken) != 1 || !slices.Contains(inCopies(), o.collective) || !timing.IndependentLinks(&o.network.Machine) {
		return false
	}
	if b := &broken[0]; o.root != nil && b.From == b.To && int(b.From) == *o.root {
		return false
	}
	t := o.network.Topology
	if t.Nodes() > mostCutNodes {
		return false
	}
	for n := range router.NodeID(t.Nodes()) {
		if fault.Apart(t, []fault.Fault{{Kind: fault.Node, From: n, To: n, End: fault.Never}}, router.None) != nil {
			return false
		}
	}
	return true
}
