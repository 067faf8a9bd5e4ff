// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/fabric/topology"
	"meshwright/firmware/collective/balanced"
	"meshwright/firmware/collective/greedy"
	"meshwright/firmware/collective/leaders"
	"meshwright/firmware/collective/published"
	"meshwright/firmware/collective/refine"
	"meshwright/firmware/collective/rerouted"
	"meshwright/firmware/collective/rounds"
	"meshwright/firmware/collective/staggered"
	"meshwright/firmware/collective/symmetric"
	"meshwright/firmware/collective/translations"
	"meshwright/firmware/collective/trees"
	"meshwright/firmware/collective/treesearch"
	"meshwright/firmware/plan"
)

// allreduceRows are the algorithms of allreduces.
func allreduceRows() []Algorithm {
	return []Algorithm{
		{
			Collective: plan.Allreduce, Name: auto, On: "all", Switchings: all,
			About:  autoDoes,
			runsOn: anywhere, plan: autoPlan(nil),
		},
		{
			Collective: plan.Allreduce, Name: trees.Pipelined, On: "all", Switchings: worms,
			About:   "sums go to the root of a tree in parts, and back as soon as they are complete",
			options: takes(vectorTree, partsOption), runsOn: anywhere, plan: trees.Algorithm(trees.Pipelined), effort: effort{least: trees.TreeLeast, above: trees.LeastAbove}, around: avoids,
		},
		{
			Collective: plan.Allreduce, Name: trees.WholeTree, On: "all", Switchings: worms,
			About:   "whole sums go to the root of a tree, and back",
			options: takes(vectorTree), runsOn: anywhere, plan: trees.Algorithm(trees.WholeTree), effort: effort{least: trees.TreeLeast, above: trees.LeastAbove}, around: avoids,
		},
		{
			Collective: plan.Allreduce, Name: trees.Doubling, Aliases: []string{"recursive"}, On: "all", Switchings: worms,
			About:   "doubling of reduce, then doubling of broadcast",
			options: takes(vectorTree), runsOn: anywhere, plan: trees.Algorithm(trees.Doubling), effort: effort{least: trees.TreeLeast, above: trees.LeastAbove},
		},
		{
			Collective: plan.Allreduce, Name: plan.EdgeDisjoint, On: "all", Switchings: worms,
			About:   "all ports: to the root along edge-disjoint trees, and back",
			options: takes(treesOption, coverOption, partsOption), runsOn: anywhere, plan: trees.Disjoint, effort: effort{least: trees.DisjointLeast, above: trees.LeastAbove}, around: avoids,
		},
		{
			Collective: plan.Allreduce, Name: trees.ScatterGossip, On: "all", Switchings: worms,
			About:  "every node sums up a piece, then an all-gather follows",
			runsOn: anywhere, plan: trees.Algorithm(trees.ScatterGossip), effort: effort{least: trees.ScatterGossipLeast, above: trees.LeastAbove},
		},
		{
			Collective: plan.Allreduce, Name: balanced.Name, On: "rings, tori, hypercubes, star, complete", Switchings: worms,
			About:  "the reduce-scatter and then the all-gather balanced-trees",
			runsOn: (*topology.Topology).Translates, plan: balanced.Plan, effort: effort{nodes: balanced.MaxNodes, least: balanced.Least},
		},
		{
			Collective: plan.Allreduce, Name: staggered.Name, On: "all", Switchings: worms,
			About:   "long vectors in parts: while one part goes out to all nodes, the next is summed up",
			options: takes(partsOption), runsOn: anywhere, plan: staggered.Plan, effort: effort{nodes: staggered.MaxNodes, least: (*plan.Task).LowerBound, weak: staggered.Weak, searches: true},
		},
		{
			Collective: plan.Allreduce, Name: published.Ring, On: "all in which a ring through all nodes is found", Switchings: worms,
			About:  "segments go around a ring through all nodes to be summed up, then the sums go around",
			runsOn: published.OnCycle, plan: published.Plan(published.Ring), effort: effort{nodes: published.MaxNodes, least: published.Least(published.Ring)}, around: avoids,
		},
		{
			Collective: plan.Allreduce, Name: trees.Butterfly, On: "all", Switchings: worms,
			About:  "groups of nodes exchange sums, of a size that is found by trying: few startups",
			runsOn: anywhere, plan: trees.Algorithm(trees.Butterfly), effort: effort{nodes: plan.MaxTried, least: trees.ButterflyLeast},
		},
		{
			Collective: plan.Allreduce, Name: trees.Windows, On: "rings, tori, hypercubes", Switchings: worms,
			About:  "sums of neighbouring nodes, three times as many in each step; long vectors in pieces",
			runsOn: published.OnRings, plan: trees.PlanWindows, effort: effort{nodes: plan.MaxTried, least: (*plan.Task).LowerBound},
		},
		{
			Collective: plan.Allreduce, Name: published.RecursiveDoubling, On: "all", Switchings: worms,
			About:  "pairs at distances 1, 2, 4 … exchange their sums of whole vectors",
			runsOn: anywhere, plan: published.Plan(published.RecursiveDoubling), effort: effort{nodes: published.MaxNodes, least: published.Least(published.RecursiveDoubling)},
		},
		{
			Collective: plan.Allreduce, Name: published.RecursiveHalving, Aliases: []string{"rabenseifner"}, On: "all", Switchings: worms,
			About:  "pairs at distances 1, 2, 4 … exchange halves of what they still sum up, and back",
			runsOn: anywhere, plan: published.Plan(published.RecursiveHalving), effort: effort{nodes: published.MaxNodes, least: published.Least(published.RecursiveHalving)},
		},
		{
			Collective: plan.Allreduce, Name: published.Swing, On: "rings, tori, hypercubes with sides 2, 4, 8 …", Switchings: worms,
			About:  "pairs at distances 1, 1, 3, 5, 11 …, to one side and to the other, exchange halves of what they still sum up, and back",
			runsOn: published.OnSquares, plan: published.Plan(published.Swing), effort: effort{nodes: published.MaxNodes, least: published.Least(published.Swing)},
		},
		{
			Collective: plan.Allreduce, Name: published.Bine, On: "all", Switchings: worms,
			About:  "swing by the numbers of the nodes",
			runsOn: anywhere, plan: published.Plan(published.Bine), effort: effort{nodes: published.MaxNodes, least: published.Least(published.Bine)},
		},
		{
			Collective: plan.Allreduce, Name: published.Bucket, On: "rings, tori, hypercubes", Switchings: worms,
			About:  "segments go around the rings of one dimension after the other",
			runsOn: published.OnRings, plan: published.Plan(published.Bucket), effort: effort{nodes: published.MaxNodes, least: published.Least(published.Bucket)},
		},
		{
			Collective: plan.Allreduce, Name: greedy.Name, On: "all", Switchings: all,
			About:  "greedy of reduce and then of broadcast, piece by piece",
			runsOn: anywhere, plan: bySwitching(greedy.Vector, greedy.InPackets), effort: effort{nodes: greedy.MaxNodes, least: (*plan.Task).LowerBound, searches: true},
		},
		{
			Collective: plan.Allreduce, Name: treesearch.Name, On: "all", Switchings: worms,
			About:  "pieces go along one tree of messages, whose form a search finds",
			runsOn: anywhere, plan: treesearch.Vector, effort: effort{nodes: treesearch.MaxNodes, least: (*plan.Task).LowerBound, searches: true},
		},
		{
			Collective: plan.Allreduce, Name: leaders.Name, On: "all", Switchings: worms,
			About:  "clusters of nodes sum up, and several leaders know the whole sum first; found by a search",
			runsOn: anywhere, plan: leaders.Plan, effort: effort{nodes: leaders.MaxNodes, least: (*plan.Task).LowerBound, searches: true},
		},
		{
			Collective: plan.Allreduce, Name: translations.Name, On: "rings, tori, hypercubes, star, complete", Switchings: worms,
			About:  "all nodes send sums the same way at the same time; found by a search",
			runsOn: (*topology.Topology).Translates, plan: translations.Plan, effort: effort{nodes: translations.MaxNodes, least: translations.Least, searches: true},
		},
		{
			Collective: plan.Allreduce, Name: rounds.Name, On: "all", Switchings: worms,
			About:  "a reduce-scatter in a few rounds and then an all-gather, both found by a search",
			runsOn: anywhere, plan: rounds.Plan, effort: effort{nodes: rounds.MaxNodes, least: (*plan.Task).LowerBound, weak: rounds.Weak, searches: true},
		},
		{
			Collective: plan.Allreduce, Name: symmetric.Name, On: "all that have symmetries", Switchings: worms,
			About:  "nodes that symmetries bring to one another do the same at the same time, found by a search",
			runsOn: anywhere, plan: symmetric.Plan, effort: effort{nodes: symmetric.MaxNodes, quick: symmetric.Translated, least: (*plan.Task).LowerBound, searches: true},
		},
		{
			Collective: plan.Allreduce, Name: refine.Name, On: "all", Switchings: worms,
			About:  "the fastest schedule of the others, made faster message by message",
			runsOn: anywhere, plan: refinedPlan,
		},
		{
			Collective: plan.Allreduce, Name: rerouted.Name, On: "all", Switchings: worms,
			About:  "all ports, also around known faults: through hubs, or along edge-disjoint trees",
			runsOn: anywhere, plan: rerouted.Allreduce, around: avoidsOnly,
		},
	}
}
