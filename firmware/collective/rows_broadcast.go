// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/firmware/collective/greedy"
	"meshwright/firmware/collective/published"
	"meshwright/firmware/collective/refine"
	"meshwright/firmware/collective/rerouted"
	"meshwright/firmware/collective/tolerant"
	"meshwright/firmware/collective/trees"
	"meshwright/firmware/collective/treesearch"
	"meshwright/firmware/plan"
)

// broadcastRows are the algorithms of broadcasts.
func broadcastRows() []Algorithm {
	return []Algorithm{
		{
			Collective: plan.Broadcast, Name: auto, On: "all", Switchings: all,
			About:  autoDoes,
			runsOn: anywhere, plan: autoPlan(nil),
		},
		{
			Collective: plan.Broadcast, Name: trees.Pipelined, On: "all", Switchings: worms,
			About:   "the message goes along a tree in parts, one behind the other",
			options: takes(vectorTree, partsOption), runsOn: anywhere, plan: trees.Algorithm(trees.Pipelined), around: avoids,
		},
		{
			Collective: plan.Broadcast, Name: trees.WholeTree, On: "all", Switchings: worms,
			About:   "the whole message goes along a tree",
			options: takes(vectorTree), runsOn: anywhere, plan: trees.Algorithm(trees.WholeTree), around: avoids,
		},
		{
			Collective: plan.Broadcast, Name: trees.Doubling, Aliases: []string{"recursive"}, On: "all", Switchings: worms,
			About:   "every node that has the message sends it to further nodes, one startup after another",
			options: takes(vectorTree), runsOn: anywhere, plan: trees.Algorithm(trees.Doubling),
		},
		{
			Collective: plan.Broadcast, Name: plan.EdgeDisjoint, On: "all", Switchings: worms,
			About:   "all ports: parts divided among edge-disjoint trees",
			options: takes(treesOption, coverOption, partsOption), runsOn: anywhere, plan: trees.Disjoint, around: avoids,
		},
		{
			Collective: plan.Broadcast, Name: trees.ScatterGossip, On: "all", Switchings: worms,
			About:  "the message is scattered in pieces, then an all-gather follows",
			runsOn: anywhere, plan: trees.Algorithm(trees.ScatterGossip),
		},
		{
			Collective: plan.Broadcast, Name: published.Bine, On: "all", Switchings: worms,
			About:  "the nodes that have the message double, partners …, 11, 5, 3, 1, 1 apart",
			runsOn: anywhere, plan: published.Plan(published.Bine), effort: effort{nodes: published.MaxNodes, least: published.Least(published.Bine)},
		},
		{
			Collective: plan.Broadcast, Name: greedy.Name, On: "all", Switchings: all,
			About:  "pieces go wherever they are missing as soon as channels are free, found by a search",
			runsOn: anywhere, plan: bySwitching(greedy.Vector, greedy.InPackets), effort: effort{nodes: greedy.MaxNodes, least: (*plan.Task).LowerBound, searches: true},
		},
		{
			Collective: plan.Broadcast, Name: treesearch.Name, On: "all", Switchings: worms,
			About:  "pieces go along one tree of messages, whose form a search finds",
			runsOn: anywhere, plan: treesearch.Vector, effort: effort{nodes: treesearch.MaxNodes, least: (*plan.Task).LowerBound, searches: true},
		},
		{
			Collective: plan.Broadcast, Name: refine.Name, On: "all", Switchings: worms,
			About:  "the fastest schedule of the others, made faster message by message",
			runsOn: anywhere, plan: refinedPlan,
		},
		{
			Collective: plan.Broadcast, Name: tolerant.Name, Aliases: []string{"arc-disjoint"}, On: "all", Switchings: all,
			About:   "all ports: copies of each message over arc-disjoint trees, to survive losses",
			options: takes(treesOption, coverOption, partsOption, copiesOption, checksumOption), runsOn: anywhere, plan: tolerant.Broadcast, lastResort: true,
		},
		{
			Collective: plan.Broadcast, Name: rerouted.Name, On: "all", Switchings: worms,
			About:  "all ports, also around known faults: every link carries words that are missing behind it",
			runsOn: anywhere, plan: rerouted.Broadcast, around: avoidsOnly,
		},
	}
}
