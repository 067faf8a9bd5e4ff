// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/firmware/collective/greedy"
	"meshwright/firmware/collective/published"
	"meshwright/firmware/collective/refine"
	"meshwright/firmware/collective/trees"
	"meshwright/firmware/collective/treesearch"
	"meshwright/firmware/plan"
)

// reduceRows are the algorithms of reductions.
func reduceRows() []Algorithm {
	return []Algorithm{
		{
			Collective: plan.Reduce, Name: auto, On: "all", Switchings: all,
			About:  autoDoes,
			runsOn: anywhere, plan: autoPlan(nil),
		},
		{
			Collective: plan.Reduce, Name: trees.Pipelined, On: "all", Switchings: worms,
			About:   "sums go to the root of a tree in parts, one behind the other",
			options: takes(vectorTree, partsOption), runsOn: anywhere, plan: trees.Algorithm(trees.Pipelined), around: avoids,
		},
		{
			Collective: plan.Reduce, Name: trees.WholeTree, On: "all", Switchings: worms,
			About:   "whole sums go to the root of a tree",
			options: takes(vectorTree), runsOn: anywhere, plan: trees.Algorithm(trees.WholeTree), around: avoids,
		},
		{
			Collective: plan.Reduce, Name: trees.Doubling, Aliases: []string{"recursive"}, On: "all", Switchings: worms,
			About:   "doubling of broadcast, reversed in time",
			options: takes(vectorTree), runsOn: anywhere, plan: trees.Algorithm(trees.Doubling),
		},
		{
			Collective: plan.Reduce, Name: plan.EdgeDisjoint, On: "all", Switchings: worms,
			About:   "all ports: parts divided among edge-disjoint trees",
			options: takes(treesOption, coverOption, partsOption), runsOn: anywhere, plan: trees.Disjoint, around: avoids,
		},
		{
			Collective: plan.Reduce, Name: trees.ScatterGossip, On: "all", Switchings: worms,
			About:  "every node sums up a piece, then a gather follows",
			runsOn: anywhere, plan: trees.Algorithm(trees.ScatterGossip),
		},
		{
			Collective: plan.Reduce, Name: published.Bine, On: "all", Switchings: worms,
			About:  "bine of broadcast, reversed in time",
			runsOn: anywhere, plan: published.Plan(published.Bine), effort: effort{nodes: published.MaxNodes, least: published.Least(published.Bine)},
		},
		{
			Collective: plan.Reduce, Name: greedy.Name, On: "all", Switchings: all,
			About:  "greedy of broadcast, backwards in time",
			runsOn: anywhere, plan: bySwitching(greedy.Vector, greedy.InPackets), effort: effort{nodes: greedy.MaxNodes, least: (*plan.Task).LowerBound, searches: true},
		},
		{
			Collective: plan.Reduce, Name: treesearch.Name, On: "all", Switchings: worms,
			About:  "pieces go along one tree of messages, whose form a search finds",
			runsOn: anywhere, plan: treesearch.Vector, effort: effort{nodes: treesearch.MaxNodes, least: (*plan.Task).LowerBound, searches: true},
		},
		{
			Collective: plan.Reduce, Name: refine.Name, On: "all", Switchings: worms,
			About:  "the fastest schedule of the others, made faster message by message",
			runsOn: anywhere, plan: refinedPlan,
		},
	}
}
