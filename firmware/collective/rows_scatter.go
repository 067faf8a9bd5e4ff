// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/firmware/collective/packets"
	"meshwright/firmware/collective/rerouted"
	"meshwright/firmware/collective/scattergather"
	"meshwright/firmware/collective/tolerant"
	"meshwright/firmware/plan"
)

// scatterRows are the algorithms of scatters.
func scatterRows() []Algorithm {
	return []Algorithm{
		{
			Collective: plan.Scatter, Name: auto, On: "all", Switchings: all,
			About:  autoDoes,
			runsOn: anywhere, plan: autoPlan(nil),
		},
		{
			Collective: plan.Scatter, Name: "furthest-first", Aliases: []string{"fdf"}, On: "all", Switchings: all,
			About:   "the root sends the furthest messages first",
			options: takes(orderOption, treeOption), runsOn: anywhere, plan: bySwitching(scattergather.FurthestFirst, packets.Scatter),
		},
		{
			Collective: plan.Scatter, Name: plan.EdgeDisjoint, On: "all", Switchings: worms,
			About:   "all ports: blocks divided among edge-disjoint trees",
			options: takes(treesOption, coverOption), runsOn: anywhere, plan: scattergather.DisjointScatter,
		},
		{
			Collective: plan.Scatter, Name: plan.SharedEdges, On: "all", Switchings: worms,
			About:   "all ports: every block takes the tree and the cycle that let it arrive first",
			options: takes(treesOption), runsOn: anywhere, plan: scattergather.SharedScatter, effort: effort{nodes: plan.MaxTried},
		},
		{
			Collective: plan.Scatter, Name: "search", On: "all", Switchings: stored,
			About:   "the fastest order and packets that a search finds",
			options: takes(treeOption, stepsOption), runsOn: anywhere, plan: packets.SearchScatter, onePort: true, effort: effort{nodes: packets.MaxSearched, least: (*plan.Task).UncombinedBound},
		},
		{
			Collective: plan.Scatter, Name: "combining", On: "all", Switchings: worms,
			About:   "combined messages, which nodes take apart and pass on: few startups",
			options: takes(treeOption), runsOn: anywhere, plan: scattergather.Combining,
		},
		{
			Collective: plan.Scatter, Name: tolerant.Name, Aliases: []string{"arc-disjoint"}, On: "all", Switchings: all,
			About:   "all ports: copies of each message along arc-disjoint trees, to survive losses",
			options: takes(treesOption, coverOption, partsOption, copiesOption, checksumOption), runsOn: anywhere, plan: tolerant.Scatter, lastResort: true,
		},
		{
			Collective: plan.Scatter, Name: rerouted.Name, On: "all", Switchings: worms,
			About:  "all ports, also around known faults: links and steps by a maximum flow, the fewest steps",
			runsOn: anywhere, plan: rerouted.Scatter, around: avoidsOnly,
		},
	}
}
