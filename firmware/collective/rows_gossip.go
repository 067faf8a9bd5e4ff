// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/fabric/topology"
	"meshwright/firmware/collective/allgather"
	"meshwright/firmware/collective/balanced"
	"meshwright/firmware/collective/greedy"
	"meshwright/firmware/collective/published"
	"meshwright/firmware/collective/refine"
	"meshwright/firmware/collective/rerouted"
	"meshwright/firmware/collective/rounds"
	"meshwright/firmware/collective/stages"
	"meshwright/firmware/collective/staggered"
	"meshwright/firmware/collective/symmetric"
	"meshwright/firmware/collective/tolerant"
	"meshwright/firmware/plan"
)

// gossipRows are the algorithms of all-gathers.
func gossipRows() []Algorithm {
	return []Algorithm{
		{
			Collective: plan.Gossip, Name: auto, On: "all", Switchings: all,
			About:  autoDoes,
			runsOn: anywhere, plan: autoPlan(allgather.Variants),
		},
		{
			Collective: plan.Gossip, Name: "approach2", On: "paths, rings", Switchings: all,
			About:  "in every step all blocks move on by one node, in both directions",
			runsOn: onLine, plan: allgather.Line, effort: effort{nodes: allgather.MaxPlanned}, oneChannel: oneChannelForm{algorithm: stages.Approach2},
		},
		{
			Collective: plan.Gossip, Name: "highdimgos", On: "paths, rings, meshes, tori, hypercubes", Switchings: all,
			About:   "along one dimension after the other, with combined messages",
			options: takes(bridgeheadsOption, roundStepsOption, coloursOption, syncOption), runsOn: onGrid, plan: allgather.Axes, effort: effort{nodes: allgather.MaxPlanned}, oneChannel: oneChannelForm{algorithm: stages.Highdimgos},
		},
		{
			Collective: plan.Gossip, Name: "approach1", On: "paths, rings", Switchings: worms,
			About:   "all blocks are concentrated in one node, and spread from there",
			options: takes(syncOption), runsOn: onLine, plan: allgather.Centre, effort: effort{nodes: allgather.MaxPlanned}, oneChannel: oneChannelForm{algorithm: stages.Approach1},
		},
		{
			Collective: plan.Gossip, Name: "circgos", On: "paths, rings", Switchings: worms,
			About:   "blocks are concentrated in bridgeheads, exchanged, and streamed to new bridgeheads",
			options: takes(bridgeheadsOption, roundStepsOption, syncOption), runsOn: onLine, plan: allgather.Circular, effort: effort{nodes: allgather.MaxPlanned}, oneChannel: oneChannelForm{algorithm: stages.Circgos},
		},
		{
			Collective: plan.Gossip, Name: "torgos", On: "2-D meshes and tori", Switchings: worms,
			About:   "circgos with bridgeheads on diagonals, along rows and columns in turn",
			options: takes(bridgeheadsOption, roundStepsOption, coloursOption, syncOption), runsOn: onPlane, plan: allgather.Diagonal, effort: effort{nodes: allgather.MaxPlanned}, oneChannel: oneChannelForm{algorithm: stages.Torgos},
		},
		{
			Collective: plan.Gossip, Name: "cubgos", On: "meshes, tori, hypercubes", Switchings: worms,
			About:   "circgos with bridgeheads on diagonals, along each dimension in turn",
			options: takes(bridgeheadsOption, roundStepsOption, coloursOption, syncOption), runsOn: onSpace, plan: allgather.Diagonal, effort: effort{nodes: allgather.MaxPlanned}, oneChannel: oneChannelForm{algorithm: stages.Torgos, ofAnotherRow: true},
		},
		{
			Collective: plan.Gossip, Name: "strides", On: "rings, tori, hypercubes", Switchings: worms,
			About:  "every node sends what it knows to nodes at the same distances, long ones first",
			runsOn: published.OnRings, plan: allgather.Strides, effort: effort{nodes: allgather.MaxPlanned},
		},
		{
			Collective: plan.Gossip, Name: "crosses", On: "tori with two rings of more than 2 nodes", Switchings: worms,
			About:  "every node sends over all links at once, to distances that a search found",
			runsOn: onTorus, plan: allgather.Crosses, effort: effort{nodes: allgather.MaxCrossed, least: (*plan.Task).LowerBound},
		},
		{
			Collective: plan.Gossip, Name: "vendor", On: "paths, rings, meshes, tori, hypercubes", Switchings: worms[1:],
			About:   "a gather to node 0 and a broadcast from it, over a binomial tree of the node numbers",
			options: takes(syncOption), runsOn: onGrid, plan: allgather.Vendor, effort: effort{nodes: allgather.MaxPlanned}, oneChannel: oneChannelForm{algorithm: stages.Vendor},
		},
		{
			Collective: plan.Gossip, Name: published.RecursiveDoubling, On: "all", Switchings: worms,
			About:  "pairs at distances …, 4, 2, 1 exchange all that they know",
			runsOn: anywhere, plan: published.Plan(published.RecursiveDoubling), effort: effort{nodes: published.MaxNodes, least: published.Least(published.RecursiveDoubling)},
		},
		{
			Collective: plan.Gossip, Name: published.Swing, On: "rings, tori, hypercubes with sides 2, 4, 8 …", Switchings: worms,
			About:  "pairs at distances …, 11, 5, 3, 1, 1, to one side and to the other, exchange all that they know",
			runsOn: published.OnSquares, plan: published.Plan(published.Swing), effort: effort{nodes: published.MaxNodes, least: published.Least(published.Swing)},
		},
		{
			Collective: plan.Gossip, Name: published.Bine, On: "all", Switchings: worms,
			About:  "swing by the numbers of the nodes",
			runsOn: anywhere, plan: published.Plan(published.Bine), effort: effort{nodes: published.MaxNodes, least: published.Least(published.Bine)},
		},
		{
			Collective: plan.Gossip, Name: published.Bucket, On: "rings, tori, hypercubes", Switchings: worms,
			About:  "blocks go around the rings of one dimension after the other",
			runsOn: published.OnRings, plan: published.Plan(published.Bucket), effort: effort{nodes: published.MaxNodes, least: published.Least(published.Bucket)},
		},
		{
			Collective: plan.Gossip, Name: published.Ring, On: "all in which a ring through all nodes is found", Switchings: all,
			About:  "blocks go around a ring through all nodes",
			runsOn: published.OnCycle, plan: bySwitching(published.Plan(published.Ring), published.RingOfPackets), effort: effort{nodes: published.MaxNodes, least: published.Least(published.Ring)}, around: avoids,
		},
		{
			Collective: plan.Gossip, Name: "dissemination", On: "all", Switchings: worms,
			About:  "all nodes send to nodes at the same distances on a circle: a ring, or doubling",
			runsOn: anywhere, plan: allgather.Dissemination, effort: effort{nodes: allgather.MaxDisseminated},
		},
		{
			Collective: plan.Gossip, Name: balanced.Name, On: "rings, tori, hypercubes, star, complete", Switchings: worms,
			About:  "between neighbours, along trees on which all links have as much to do",
			runsOn: (*topology.Topology).Translates, plan: balanced.Plan, effort: effort{nodes: balanced.MaxNodes, least: balanced.Least},
		},
		{
			Collective: plan.Gossip, Name: staggered.Name, On: "all", Switchings: worms,
			About:   "long blocks in parts, along the axes of a grid or along shortest trees on which links have equal loads",
			options: takes(partsOption), runsOn: anywhere, plan: staggered.Plan, effort: effort{nodes: staggered.MaxNodes, least: (*plan.Task).LowerBound, weak: staggered.Weak, searches: true},
		},
		{
			Collective: plan.Gossip, Name: greedy.Name, On: "all", Switchings: all,
			About:  "pieces go wherever they are missing as soon as channels are free, found by a search",
			runsOn: anywhere, plan: bySwitching(greedy.Gossip, greedy.InPackets), effort: effort{nodes: greedy.MaxOwn, least: (*plan.Task).LowerBound, searches: true},
		},
		{
			Collective: plan.Gossip, Name: rounds.Name, On: "all", Switchings: worms,
			About:  "in each of a few rounds every channel sends one message, found by a search",
			runsOn: anywhere, plan: rounds.Plan, effort: effort{nodes: rounds.MaxNodes, least: (*plan.Task).LowerBound, weak: rounds.Weak, searches: true},
		},
		{
			Collective: plan.Gossip, Name: symmetric.Name, On: "all that have symmetries", Switchings: worms,
			About:  "nodes that symmetries bring to one another do the same at the same time, found by a search",
			runsOn: anywhere, plan: symmetric.Plan, effort: effort{nodes: symmetric.MaxNodes, quick: symmetric.Translated, least: (*plan.Task).LowerBound, searches: true},
		},
		{
			Collective: plan.Gossip, Name: refine.Name, On: "all", Switchings: worms,
			About:  "the fastest schedule of the others, made faster message by message",
			runsOn: anywhere, plan: refinedPlan,
		},
		{
			Collective: plan.Gossip, Name: tolerant.Name, Aliases: []string{"arc-disjoint"}, On: "all", Switchings: all,
			About:   "all ports: copies of each message over arc-disjoint trees, to survive losses",
			options: takes(partsOption, copiesOption, checksumOption), runsOn: anywhere, plan: tolerant.Gossip, lastResort: true,
		},
		{
			Collective: plan.Gossip, Name: rerouted.Name, On: "all", Switchings: worms,
			About:  "all ports, also around known faults: every link carries words that are missing behind it",
			runsOn: anywhere, plan: rerouted.Gossip, around: avoidsOnly,
		},
	}
}
