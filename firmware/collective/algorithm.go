// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective/allgather"
	"meshwright/firmware/collective/alltoall"
	"meshwright/firmware/collective/certification"
	"meshwright/firmware/collective/greedy"
	"meshwright/firmware/collective/leaders"
	"meshwright/firmware/collective/packets"
	"meshwright/firmware/collective/published"
	"meshwright/firmware/collective/refine"
	"meshwright/firmware/collective/rerouted"
	"meshwright/firmware/collective/rounds"
	"meshwright/firmware/collective/scattergather"
	"meshwright/firmware/collective/stages"
	"meshwright/firmware/collective/staggered"
	"meshwright/firmware/collective/symmetric"
	"meshwright/firmware/collective/tolerant"
	"meshwright/firmware/collective/translations"
	"meshwright/firmware/collective/trees"
	"meshwright/firmware/collective/treesearch"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/progress"
)

// Algorithm is a generator.
type Algorithm struct {
	Collective string // the name of a Kind
	Name       string
	Aliases    []string
	About      string // one line
	On         string // the topologies it is for
	Switchings []machine.Switching
	options    []Option // without the options of its half-duplex, one-channel form
	runsOn     func(*topology.Topology) bool
	plan       func(*plan.Task) (*plan.Plan, error)
	effort     effort
	lastResort bool           // auto chooses it only where no other algorithm takes the job
	around     around         // whether it plans around known faults
	onePort    bool           // on machines that switch packets it needs ports single
	oneChannel oneChannelForm // for wormhole machines whose PEs have one half-duplex channel; the zero value: none
}

// Table returns all algorithms. The first algorithm of a collective, auto, is the default. Of
// algorithms with the same time auto chooses the first in the table.
func Table() []Algorithm { return table() }

// autoDoes describes auto.
const autoDoes = "the fastest of the other algorithms, by prediction or by simulation"

func table() []Algorithm {
	worms := []machine.Switching{machine.Bufferless, machine.Wormhole}
	switched := []machine.Switching{machine.StoreForward, machine.CutThrough}
	stored := switched[:1]
	all := slices.Concat(worms, switched)
	takes := func(options ...Option) []Option { return options }
	certificationTree := treeOption.defaulting("the tree of the machine's routes; on graphs least-broadcast")
	vectorTree := treeOption.defaulting("the tree of the machine's routes, or a faster one where a PE has one channel")
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
			About:  "all ports, known faults: links and steps by a maximum flow, the fewest steps",
			runsOn: anywhere, plan: rerouted.Scatter, around: avoidsOnly,
		},

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
			About:  "all ports, known faults: a scatter reversed in time",
			runsOn: anywhere, plan: rerouted.Gather, around: avoidsOnly,
		},

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
			runsOn: onRings, plan: allgather.Strides, effort: effort{nodes: allgather.MaxPlanned},
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
			About:  "the same with partners …, 11, 5, 3, 1, 1 apart, to one side and to the other",
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
			Collective: plan.Gossip, Name: "dissemination", On: "all", Switchings: worms,
			About:  "all nodes send to nodes at the same distances on a circle: a ring, or doubling",
			runsOn: anywhere, plan: allgather.Dissemination, effort: effort{nodes: allgather.MaxDisseminated},
		},
		{
			Collective: plan.Gossip, Name: staggered.Name, On: "all", Switchings: worms,
			About:   "long blocks in parts, along the axes of a grid or along shortest trees on which links have equal loads",
			options: takes(partsOption), runsOn: anywhere, plan: staggered.Plan, effort: effort{nodes: staggered.MaxNodes, least: (*plan.Task).LowerBound, weak: staggered.Weak, searches: true},
		},
		{
			Collective: plan.Gossip, Name: greedy.Name, On: "all", Switchings: worms,
			About:  "pieces go wherever they are missing as soon as channels are free, found by a search",
			runsOn: anywhere, plan: greedy.Gossip, effort: effort{nodes: greedy.MaxOwn, least: (*plan.Task).LowerBound, searches: true},
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
			About:  "all ports, known faults: every link carries words that are missing behind it",
			runsOn: anywhere, plan: rerouted.Gossip, around: avoidsOnly,
		},

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
			Collective: plan.Broadcast, Name: greedy.Name, On: "all", Switchings: worms,
			About:  "pieces go wherever they are missing as soon as channels are free, found by a search",
			runsOn: anywhere, plan: greedy.Vector, effort: effort{nodes: greedy.MaxNodes, least: (*plan.Task).LowerBound, searches: true},
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
			About:  "all ports, known faults: every link carries words that are missing behind it",
			runsOn: anywhere, plan: rerouted.Broadcast, around: avoidsOnly,
		},

		{
			Collective: plan.Reduce, Name: auto, On: "all", Switchings: worms,
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
			Collective: plan.Reduce, Name: greedy.Name, On: "all", Switchings: worms,
			About:  "greedy of broadcast, backwards in time",
			runsOn: anywhere, plan: greedy.Vector, effort: effort{nodes: greedy.MaxNodes, least: (*plan.Task).LowerBound, searches: true},
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

		{
			Collective: plan.Allreduce, Name: auto, On: "all", Switchings: worms,
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
			Collective: plan.Allreduce, Name: staggered.Name, On: "all", Switchings: worms,
			About:   "long vectors in parts: while one part goes out to all nodes, the next is summed up",
			options: takes(partsOption), runsOn: anywhere, plan: staggered.Plan, effort: effort{nodes: staggered.MaxNodes, least: (*plan.Task).LowerBound, weak: staggered.Weak, searches: true},
		},
		{
			Collective: plan.Allreduce, Name: "ring", On: "rings", Switchings: worms,
			About:  "segments go around the ring to be summed up, then the sums go around",
			runsOn: onRing, plan: trees.Ring,
		},
		{
			Collective: plan.Allreduce, Name: trees.Butterfly, Aliases: []string{"recursive-doubling"}, On: "all", Switchings: worms,
			About:  "pairs of nodes exchange sums, at distances 1, 2, 4 …: the fewest startups",
			runsOn: anywhere, plan: trees.Algorithm(trees.Butterfly), effort: effort{nodes: plan.MaxTried, least: trees.ButterflyLeast},
		},
		{
			Collective: plan.Allreduce, Name: trees.Windows, On: "rings, tori, hypercubes", Switchings: worms,
			About:  "sums of neighbouring nodes, three times as many in each step; long vectors in pieces",
			runsOn: onRings, plan: trees.PlanWindows, effort: effort{nodes: plan.MaxTried, least: (*plan.Task).LowerBound},
		},
		{
			Collective: plan.Allreduce, Name: published.RecursiveHalving, Aliases: []string{"rabenseifner"}, On: "all", Switchings: worms,
			About:  "pairs at distances 1, 2, 4 … exchange halves of what they still sum up, and back",
			runsOn: anywhere, plan: published.Plan(published.RecursiveHalving), effort: effort{nodes: published.MaxNodes, least: published.Least(published.RecursiveHalving)},
		},
		{
			Collective: plan.Allreduce, Name: published.Swing, On: "rings, tori, hypercubes with sides 2, 4, 8 …", Switchings: worms,
			About:  "the same with partners 1, 1, 3, 5, 11 … apart, to one side and to the other",
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
			Collective: plan.Allreduce, Name: greedy.Name, On: "all", Switchings: worms,
			About:  "greedy of reduce and then of broadcast, piece by piece",
			runsOn: anywhere, plan: greedy.Vector, effort: effort{nodes: greedy.MaxNodes, least: (*plan.Task).LowerBound, searches: true},
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
			About:  "all ports, known faults: through hubs, or along edge-disjoint trees",
			runsOn: anywhere, plan: rerouted.Allreduce, around: avoidsOnly,
		},

		{
			Collective: plan.ReduceScatter, Name: auto, On: "all", Switchings: worms,
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
			About:  "the same with partners 1, 1, 3, 5, 11 … apart, to one side and to the other",
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
			Collective: plan.ReduceScatter, Name: trees.ReversedGossip, On: "all", Switchings: worms,
			About:  "a fast all-gather, backwards in time, with sums",
			runsOn: anywhere, plan: trees.Algorithm(trees.ReversedGossip),
		},
		{
			Collective: plan.ReduceScatter, Name: staggered.Name, On: "all", Switchings: worms,
			About:   "the all-gather staggered, turned round in time",
			options: takes(partsOption), runsOn: anywhere, plan: staggered.Plan, effort: effort{nodes: staggered.MaxNodes, least: (*plan.Task).LowerBound, weak: staggered.Weak, searches: true},
		},
		{
			Collective: plan.ReduceScatter, Name: greedy.Name, On: "all", Switchings: worms,
			About:  "greedy of all-gather, backwards in time, with sums",
			runsOn: anywhere, plan: greedy.Vector, effort: effort{nodes: greedy.MaxOwn, least: (*plan.Task).LowerBound, searches: true},
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
			Collective: plan.Exchange, Name: auto, On: "all", Switchings: all,
			About:  autoDoes,
			runsOn: anywhere, plan: autoPlan(nil),
		},
		{
			Collective: plan.Exchange, Name: "direct", On: "all", Switchings: worms,
			About:  "every message by itself, the messages with the longest way first",
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
			About:  "all ports, known faults: balanced ways, the longest ways first",
			runsOn: anywhere, plan: rerouted.Exchange, around: avoidsOnly,
		},
	}
}

func anywhere(*topology.Topology) bool { return true }

func onGrid(t *topology.Topology) bool { return t.IsGrid() }

func onLine(t *topology.Topology) bool { return len(t.Dims) == 1 }

func onRing(t *topology.Topology) bool { return onLine(t) && t.Wrap[0] }

func onPlane(t *topology.Topology) bool { return len(t.Dims) == 2 }

func onSpace(t *topology.Topology) bool { return len(t.Dims) >= 2 }

// onRings says that all dimensions of more than two nodes are closed.
func onRings(t *topology.Topology) bool {
	for d, size := range t.Dims {
		if size > 2 && !t.Wrap[d] {
			return false
		}
	}
	return t.IsGrid()
}

// onTorus says that two dimensions are rings.
func onTorus(t *topology.Topology) bool {
	rings := 0
	for _, wrap := range t.Wrap {
		if wrap {
			rings++
		}
	}
	return rings > 1 && onRings(t)
}

// onMoved says that the network can be moved onto itself, and that the routes of a step of alltoall.Shifts have no common link: hypercubes, complete graphs.
func onMoved(t *topology.Topology) bool {
	return len(t.Dims) > 0 && slices.Max(t.Dims) == 2 || t.Kind == topology.Graph && t.Nodes() > 1 && t.AllPorts() == t.Nodes()*(t.Nodes()-1)
}

func onPath(t *topology.Topology) bool { return onLine(t) && !t.Wrap[0] }

// Algorithms lists the names of a collective's algorithms; none if there is no
// such collective.
func Algorithms(collective string) []string {
	kind, err := plan.KindOf(collective)
	if err != nil {
		return nil
	}
	var names []string
	for _, a := range table() {
		if a.Collective == kind.Name {
			names = append(names, a.Name)
		}
	}
	return names
}

// Scatter plans a scatter: every node gets its block from the root. An
// algorithm "" is auto: the fastest. Errors are *input.Error.
func Scatter(j plan.Job, algorithm string) (*plan.Plan, error) {
	return Generate(context.Background(), plan.Scatter, algorithm, j)
}

// Gather plans a gather: the root gets every node's block. An algorithm "" is
// auto: the fastest. Errors are *input.Error.
func Gather(j plan.Job, algorithm string) (*plan.Plan, error) {
	return Generate(context.Background(), plan.Gather, algorithm, j)
}

// Gossip plans a gossip (all-gather): every node gets every node's block. An
// algorithm "" is auto: the fastest. Errors are *input.Error.
func Gossip(j plan.Job, algorithm string) (*plan.Plan, error) {
	return Generate(context.Background(), plan.Gossip, algorithm, j)
}

// Generate plans the collective that answers to a name; a search for a good plan may take
// some time. An algorithm "" is auto: the fastest of all that fit the job. Errors
// are *input.Error, or the context's.
func Generate(ctx context.Context, collective, algorithm string, j plan.Job) (*plan.Plan, error) {
	if err := valid(&j); err != nil {
		return nil, err
	}
	faults := j.Machine.Faults // those that a plan does not know are met only by the run: times are predicted without them
	left, err := survivors(collective, &j)
	if err != nil {
		return nil, err
	}
	j.Machine.Faults = nil
	a, err := find(collective, algorithm, &j)
	if err == nil && left != nil {
		a, err = a.forSurvivors(algorithm, &j)
	}
	if err != nil {
		return nil, err
	}
	if err := a.refuses(&j); err != nil {
		return nil, err
	}
	defer progress.Begin(ctx, fmt.Sprintf("plan %s %s on %s", a.Collective, a.Name, j.Topology), 0).End()
	kind, err := plan.KindOf(a.Collective)
	if err != nil {
		return nil, err
	}
	t, err := newTask(ctx, j, kind, left)
	if err != nil {
		return nil, err
	}
	if j.Limit > 0 {
		search, stop := context.WithTimeout(ctx, j.Limit)
		defer stop()
		t.Search = search
	}
	p, err := planned(t, a.plan)
	if err != nil {
		return nil, err
	}
	p.Collective, p.Machine.Faults = a.Collective, faults
	p.ShowUncombined()
	t.ShowSurvivors(p)
	if p.Algorithm == "" { // auto tells what it chose
		p.Algorithm = a.Name
	}
	if inCopies(p) {
		if err := p.RequireWays(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// planned makes the plan of a task. A search that finds nothing within the limit of the job refuses it.
func planned(t *plan.Task, by func(*plan.Task) (*plan.Plan, error)) (*plan.Plan, error) {
	p, err := by(t)
	switch late := t.Search.Err(); {
	case t.Ctx.Err() != nil:
		return nil, cmp.Or(err, t.Ctx.Err()) // a search that was cut short has a plan, too
	case late != nil && errors.Is(err, late):
		return nil, input.Errorf("expected a higher limit", "no plan found within %s", t.Limit)
	case err != nil:
		return nil, err
	}
	return p, p.FitsHeaders()
}

// find returns the algorithm of a name, "" for the default, of the collective
// that answers to the other, in its form for a job.
func find(collective, name string, j *plan.Job) (Algorithm, error) {
	kind, err := plan.KindOf(collective)
	if err != nil {
		return Algorithm{}, err
	}
	collective = kind.Name
	var known []string
	var switchings []machine.Switching // of those that run on the topology
	t := j.Topology
	for _, a := range table() {
		if a.Collective != collective {
			continue
		}
		known = append(known, a.Name)
		named := a.Name == name || slices.Contains(a.Aliases, name)
		if named {
			a = a.through(j)
		}
		switch {
		case named && !a.runsOn(t):
			return a, input.Errorf("expected a topology of: "+a.On, "%s %s does not run on %s", collective, name, t)
		case named && !a.Switches(j.Machine.Switching):
			return a, a.wrongSwitching(j.Machine.Switching)
		case named || name == "" && a.runsOn(t) && a.Switches(j.Machine.Switching):
			return a.through(j), nil
		case a.runsOn(t):
			switchings = append(switchings, a.Switchings...)
		}
	}
	switch {
	case name == "" && len(switchings) > 0:
		slices.Sort(switchings)
		return Algorithm{}, noSwitching("no "+collective+" runs", j.Machine.Switching, slices.Compact(switchings))
	case name == "":
		return Algorithm{}, input.Errorf("its algorithms are "+strings.Join(known, ", "), "no %s runs on %s", collective, t)
	}
	return Algorithm{}, input.Errorf(input.Suggest(name, known), "unknown %s algorithm %q", collective, name)
}
