// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/fabric/machine"
	"meshwright/firmware/collective/alltoall"
	"meshwright/firmware/collective/greedy"
	"meshwright/firmware/collective/rerouted"
	"meshwright/firmware/collective/tolerant"
	"meshwright/firmware/plan"
)

// exchangeRows are the algorithms of all-to-alls.
func exchangeRows() []Algorithm {
	return []Algorithm{
		{
			Collective: plan.Exchange, Name: auto, On: "all", Switchings: all,
			About:  autoDoes,
			runsOn: anywhere, plan: autoPlan(nil),
		},
		{
			Collective: plan.Exchange, Name: "direct", On: "all", Switchings: worms,
			About:  "every message by itself, the messages with the longest route first",
			runsOn: anywhere, plan: alltoall.Direct, effort: effort{least: (*plan.Task).UncombinedBound, above: alltoall.MaxQuick},
		},
		{
			Collective: plan.Exchange, Name: "dimensions", On: "paths, rings, meshes, tori, hypercubes", Switchings: worms,
			About:   "combined messages, along one dimension after the other",
			options: takes(coloursOption), runsOn: onGrid, plan: alltoall.Dimensions,
		},
		{
			Collective: plan.Exchange, Name: "logarithmic", On: "all", Switchings: worms,
			About:   "combined messages, by halving or by ternary digits: few startups",
			options: takes(coloursOption), runsOn: anywhere, plan: alltoall.Logarithmic,
		},
		{
			Collective: plan.Exchange, Name: "pairwise", On: "all", Switchings: worms,
			About:  "every message by itself, in step i to the node whose number is i higher",
			runsOn: anywhere, plan: alltoall.Pairwise, effort: effort{nodes: alltoall.MaxPairs},
		},
		{
			Collective: plan.Exchange, Name: "shifts", On: "hypercubes, complete graphs", Switchings: []machine.Switching{machine.Wormhole},
			About:  "every message by itself, all nodes to the same offset in a step; ports are shared flit by flit",
			runsOn: onMoved, plan: alltoall.Shifts, effort: effort{nodes: alltoall.MaxShifted},
		},
		{
			Collective: plan.Exchange, Name: "bruck", On: "all", Switchings: worms,
			About:  "combined messages, in step i to the node whose number is 2^i higher",
			runsOn: anywhere, plan: alltoall.Bruck, effort: effort{nodes: alltoall.MaxPairs},
		},
		{
			Collective: plan.Exchange, Name: "timetable", On: "all", Switchings: worms,
			About:  "every message has a route and a cycle in which it never meets another",
			runsOn: anywhere, plan: alltoall.Timetable, effort: effort{nodes: alltoall.MaxSearched, quick: alltoall.SearchIsQuick, least: (*plan.Task).UncombinedBound},
		},
		{
			Collective: plan.Exchange, Name: greedy.Name, On: "all", Switchings: worms,
			About:  "combined messages over nodes on the way, those that help most first",
			runsOn: anywhere, plan: greedy.Exchange, effort: effort{nodes: greedy.MaxRelayed, least: (*plan.Task).LowerBound, searches: true},
		},
		{
			Collective: plan.Exchange, Name: tolerant.Name, Aliases: []string{"arc-disjoint"}, On: "all", Switchings: all,
			About:   "all ports: copies of each message along arc-disjoint trees, to survive losses",
			options: takes(treesOption, coverOption, partsOption, copiesOption, checksumOption), runsOn: anywhere, plan: tolerant.Exchange, lastResort: true,
		},
		{
			Collective: plan.Exchange, Name: rerouted.Name, On: "all", Switchings: worms,
			About:  "all ports, also around known faults: balanced routes, the longest first",
			runsOn: anywhere, plan: rerouted.Exchange, around: avoidsOnly,
		},
	}
}
