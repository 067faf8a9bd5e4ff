// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"strings"

	"meshwright/fabric/fault"
	"meshwright/fabric/timing"
	"meshwright/firmware/collective"
)

// againstLosses says which options avoid the losses of a run whose PEs wait for lost messages; "" if none is known.
func (o *outcome) againstLosses(s *collective.Stuck) string {
	if o.plan == nil || o.job.Seed == nil || len(s.AtDead)+len(s.Dropping)+len(s.Dead) == 0 || !timing.IndependentLinks(&o.network.Machine) {
		return ""
	}
	var ways []string
	list := o.machine.Faults
	avoidable := func(b fault.Broken) bool { return b.Start == 0 && b.End == fault.Never }
	if list != nil && !list.Known && len(s.Dropping) == 0 && !slices.ContainsFunc(o.network.Faults().Broken(), func(b fault.Broken) bool { return !avoidable(b) }) &&
		collective.PlansAround(o.collective, o.machine.Switching) && o.plan.RequireWays() == nil {
		ways = append(ways, "--faults known plans around what is dead")
	}
	if slices.Contains(inCopies(), o.collective) {
		ways = append(ways, "--copies 2 sends each message twice, over disjoint trees")
	}
	return strings.Join(ways, "; ")
}
