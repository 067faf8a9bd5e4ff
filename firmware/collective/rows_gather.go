// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/firmware/collective/certification"
	"meshwright/firmware/collective/packets"
	"meshwright/firmware/collective/rerouted"
	"meshwright/firmware/collective/scattergather"
	"meshwright/firmware/plan"
)

// gatherRows are the algorithms of gathers.
func gatherRows() []Algorithm {
	return []Algorithm{
		{
			Collective: plan.Gather, Name: auto, On: "all", Switchings: all,
			About:  autoDoes,
			runsOn: anywhere, plan: autoPlan(nil),
		},
		{
			Collective: plan.Gather, Name: "shoulder-tap", On: "paths", Switchings: worms,
			About:  "orders pass along the path and tell every node when to send",
			runsOn: onPath, plan: scattergather.ShoulderTap,
		},
		{
			Collective: plan.Gather, Name: "nearest-first", Aliases: []string{"nrf"}, On: "all", Switchings: all,
			About:   "the nearest messages arrive first, one directly behind the other",
			options: takes(receptionOption(), treeOption), runsOn: anywhere, plan: bySwitching(scattergather.NearestFirst, packets.Gather),
		},
		{
			Collective: plan.Gather, Name: plan.EdgeDisjoint, On: "all", Switchings: worms,
			About:   "all ports: blocks divided among edge-disjoint trees",
			options: takes(treesOption, coverOption), runsOn: anywhere, plan: scattergather.DisjointGather,
		},
		{
			Collective: plan.Gather, Name: plan.SharedEdges, On: "all", Switchings: worms,
			About:   "all ports: every block takes the tree and the cycle that let it arrive first",
			options: takes(treesOption), runsOn: anywhere, plan: scattergather.SharedGather, effort: effort{nodes: plan.MaxTried},
		},
		{
			Collective: plan.Gather, Name: "certification", On: "all", Switchings: worms,
			About:   "no node knows another's length: certificates go to the root, orders come back",
			options: takes(certificationTree), runsOn: anywhere, plan: certification.Printed, effort: effort{nodes: certification.MaxNodes},
		},
		{
			Collective: plan.Gather, Name: "certification-tight", On: "all", Switchings: worms,
			About:   "certification with tokens that follow one another and the smallest lags",
			options: takes(certificationTree), runsOn: anywhere, plan: certification.Tight, effort: effort{nodes: certification.MaxNodes},
		},
		{
			Collective: plan.Gather, Name: "certification-parallel", On: "all", Switchings: worms,
			About:   "certification over all links of a node at once",
			options: takes(certificationTree), runsOn: anywhere, plan: certification.Parallel, effort: effort{nodes: certification.MaxNodes},
		},
		{
			Collective: plan.Gather, Name: "certification-ii", On: "all", Switchings: stored,
			About:   "certification with packets: certificates count slots instead of flits",
			options: takes(certificationTree), runsOn: anywhere, plan: certification.Slotted, onePort: true, effort: effort{nodes: certification.MaxNodes},
		},
		{
			Collective: plan.Gather, Name: "search", On: "all", Switchings: stored,
			About:   "the fastest order and packets that a search finds",
			options: takes(treeOption, stepsOption), runsOn: anywhere, plan: packets.SearchGather, onePort: true, effort: effort{nodes: packets.MaxSearched, least: (*plan.Task).UncombinedBound},
		},
		{
			Collective: plan.Gather, Name: rerouted.Name, On: "all", Switchings: worms,
			About:  "all ports, also around known faults: a scatter reversed in time",
			runsOn: anywhere, plan: rerouted.Gather, around: avoidsOnly,
		},
	}
}
