// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/fabric/topology"
	"meshwright/firmware/collective/alltoall"
	"meshwright/firmware/collective/balanced"
	"meshwright/firmware/collective/greedy"
	"meshwright/firmware/collective/published"
	"meshwright/firmware/collective/refine"
	"meshwright/firmware/collective/rerouted"
	"meshwright/firmware/collective/rounds"
	"meshwright/firmware/collective/staggered"
	"meshwright/firmware/collective/symmetric"
	"meshwright/firmware/collective/trees"
	"meshwright/firmware/plan"
)

// reduceScatterRows are the algorithms of reduce-scatters.
func reduceScatterRows() []Algorithm {
	return []Algorithm{
		{
			Collective: plan.ReduceScatter, Name: auto, On: "all", Switchings: all,
			About:  autoDoes,
			runsOn: anywhere, plan: autoPlan(nil),
		},
		{
			Collective: plan.ReduceScatter, Name: published.Pairwise, Aliases: []string{"direct"}, On: "all", Switchings: worms,
			About:  "each node sends each other node its piece, to a different node in every step",
			runsOn: anywhere, plan: published.Plan(published.Pairwise), effort: effort{nodes: alltoall.MaxPairs},
		},
		{
			Collective: plan.ReduceScatter, Name: published.RecursiveHalving, On: "all", Switchings: worms,
			About:  "pairs at distances 1, 2, 4 … exchange halves of what they still sum up",
			runsOn: anywhere, plan: published.Plan(published.RecursiveHalving), effort: effort{nodes: published.MaxNodes, least: published.Least(published.RecursiveHalving)},
		},
		{
			Collective: plan.ReduceScatter, Name: published.Swing, On: "rings, tori, hypercubes with sides 2, 4, 8 …", Switchings: worms,
			About:  "pairs at distances 1, 1, 3, 5, 11 …, to one side and to the other, exchange halves of what they still sum up",
			runsOn: published.OnSquares, plan: published.Plan(published.Swing), effort: effort{nodes: published.MaxNodes, least: published.Least(published.Swing)},
		},
		{
			Collective: plan.ReduceScatter, Name: published.Bine, On: "all", Switchings: worms,
			About:  "swing by the numbers of the nodes",
			runsOn: anywhere, plan: published.Plan(published.Bine), effort: effort{nodes: published.MaxNodes, least: published.Least(published.Bine)},
		},
		{
			Collective: plan.ReduceScatter, Name: published.Bucket, On: "rings, tori, hypercubes", Switchings: worms,
			About:  "segments go around the rings of one dimension after the other",
			runsOn: published.OnRings, plan: published.Plan(published.Bucket), effort: effort{nodes: published.MaxNodes, least: published.Least(published.Bucket)},
		},
		{
			Collective: plan.ReduceScatter, Name: published.Ring, On: "all in which a ring through all nodes is found", Switchings: worms,
			About:  "segments go around a ring through all nodes to be summed up",
			runsOn: published.OnCycle, plan: published.Plan(published.Ring), effort: effort{nodes: published.MaxNodes, least: published.Least(published.Ring)}, around: avoids,
		},
		{
			Collective: plan.ReduceScatter, Name: trees.ReversedGossip, On: "all", Switchings: worms,
			About:  "a fast all-gather, backwards in time, with sums",
			runsOn: anywhere, plan: trees.Algorithm(trees.ReversedGossip),
		},
		{
			Collective: plan.ReduceScatter, Name: balanced.Name, On: "rings, tori, hypercubes, star, complete", Switchings: worms,
			About:  "the all-gather balanced-trees, backwards in time, with sums",
			runsOn: (*topology.Topology).Translates, plan: balanced.Plan, effort: effort{nodes: balanced.MaxNodes, least: balanced.Least},
		},
		{
			Collective: plan.ReduceScatter, Name: staggered.Name, On: "all", Switchings: worms,
			About:   "the all-gather staggered, turned round in time",
			options: takes(partsOption), runsOn: anywhere, plan: staggered.Plan, effort: effort{nodes: staggered.MaxNodes, least: (*plan.Task).LowerBound, weak: staggered.Weak, searches: true},
		},
		{
			Collective: plan.ReduceScatter, Name: greedy.Name, On: "all", Switchings: all,
			About:  "greedy of all-gather, backwards in time, with sums",
			runsOn: anywhere, plan: bySwitching(greedy.Vector, greedy.InPackets), effort: effort{nodes: greedy.MaxOwn, least: (*plan.Task).LowerBound, searches: true},
		},
		{
			Collective: plan.ReduceScatter, Name: rounds.Name, On: "all", Switchings: worms,
			About:  "in each of a few rounds every channel sends one message, found by a search",
			runsOn: anywhere, plan: rounds.Plan, effort: effort{nodes: rounds.MaxNodes, least: (*plan.Task).LowerBound, weak: rounds.Weak, searches: true},
		},
		{
			Collective: plan.ReduceScatter, Name: symmetric.Name, On: "all that have symmetries", Switchings: worms,
			About:  "nodes that symmetries bring to one another do the same at the same time, found by a search",
			runsOn: anywhere, plan: symmetric.Plan, effort: effort{nodes: symmetric.MaxNodes, quick: symmetric.Translated, least: (*plan.Task).LowerBound, searches: true},
		},
		{
			Collective: plan.ReduceScatter, Name: refine.Name, On: "all", Switchings: worms,
			About:  "the fastest schedule of the others, made faster message by message",
			runsOn: anywhere, plan: refinedPlan,
		},
		{
			Collective: plan.ReduceScatter, Name: rerouted.Name, On: "all", Switchings: worms,
			About:  "all ports, also around known faults: an all-gather turned round in time, with sums",
			runsOn: anywhere, plan: rerouted.ReduceScatter, around: avoidsOnly,
		},
	}
}
