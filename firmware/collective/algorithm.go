// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"context"
	"fmt"
	"meshwright/firmware/collective/allgather"
	"meshwright/firmware/collective/alltoall"
	"meshwright/firmware/collective/certification"
	"meshwright/firmware/collective/packets"
	"meshwright/firmware/collective/scattergather"
	"meshwright/firmware/collective/trees"
	stages "meshwright/firmware/gossip"
	"meshwright/firmware/plan"
	"slices"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
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
	options    []Option // but for those of its half-duplex, one-channel form
	runsOn     func(*topology.Topology) bool
	plan       func(*plan.Task) (*plan.Plan, error)
	effort     effort
	oneChannel oneChannelForm // for wormhole machines whose PEs have one half-duplex channel; the zero value: none
}

// Table returns all algorithms. The first algorithm of a collective, auto, is the default.
// Of algorithms with the same time auto chooses the one that stands first in the table.
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
	castTree := treeOption.defaulting("the tree of the machine's routes, or a faster one where a PE has one channel")
	return []Algorithm{
		{plan.Scatter, auto, nil, autoDoes, "all", all, nil, anywhere, autoPlan(nil), effort{}, oneChannelForm{}},
		{plan.Scatter, "furthest-first", []string{"fdf"}, "the root sends the furthest messages first", "all", all, takes(orderOption, treeOption), anywhere, bySwitching(scattergather.FurthestFirst, packets.Scatter), effort{}, oneChannelForm{}},
		{plan.Scatter, plan.EdgeDisjoint, nil, "all ports: blocks divided among edge-disjoint trees", "all", worms, takes(treesOption, coverOption), anywhere, scattergather.DisjointScatter, effort{}, oneChannelForm{}},
		{plan.Scatter, plan.SharedEdges, nil, "all ports: every block takes the tree and the cycle that let it arrive first", "all", worms, takes(treesOption), anywhere, scattergather.SharedScatter, effort{nodes: plan.MaxTried}, oneChannelForm{}},
		{plan.Scatter, "search", nil, "the fastest order and packets that a search finds", "all", stored, takes(treeOption, stepsOption), anywhere, packets.SearchScatter, effort{nodes: packets.MaxSearched, least: (*plan.Task).UncombinedBound}, oneChannelForm{}},
		{plan.Scatter, "combining", nil, "combined messages, which nodes take apart and pass on: few startups", "all", worms, takes(treeOption), anywhere, scattergather.Combining, effort{}, oneChannelForm{}},
		{plan.Gather, auto, nil, autoDoes, "all", all, nil, anywhere, autoPlan(nil), effort{}, oneChannelForm{}},
		{plan.Gather, "shoulder-tap", nil, "orders pass along the path and tell every node when to send", "paths", worms, nil, onPath, scattergather.ShoulderTap, effort{}, oneChannelForm{}},
		{plan.Gather, "nearest-first", []string{"nrf"}, "the nearest messages arrive first, one directly behind the other", "all", all, takes(receptionOption(), treeOption), anywhere, bySwitching(scattergather.NearestFirst, packets.Gather), effort{}, oneChannelForm{}},
		{plan.Gather, plan.EdgeDisjoint, nil, "all ports: blocks divided among edge-disjoint trees", "all", worms, takes(treesOption, coverOption), anywhere, scattergather.DisjointGather, effort{}, oneChannelForm{}},
		{plan.Gather, plan.SharedEdges, nil, "all ports: every block takes the tree and the cycle that let it arrive first", "all", worms, takes(treesOption), anywhere, scattergather.SharedGather, effort{nodes: plan.MaxTried}, oneChannelForm{}},
		{plan.Gather, "certification", nil, "no node knows another's length: certificates go to the root, orders come back", "all", worms, takes(certificationTree), anywhere, certification.Printed, effort{nodes: certification.MaxNodes}, oneChannelForm{}},
		{plan.Gather, "certification-tight", nil, "certification with tokens that follow one another and the smallest lags", "all", worms, takes(certificationTree), anywhere, certification.Tight, effort{nodes: certification.MaxNodes}, oneChannelForm{}},
		{plan.Gather, "certification-parallel", nil, "certification over all links of a node at once", "all", worms, takes(certificationTree), anywhere, certification.Parallel, effort{nodes: certification.MaxNodes}, oneChannelForm{}},
		{plan.Gather, "certification-ii", nil, "certification with packets: certificates count slots instead of flits", "all", stored, takes(certificationTree), anywhere, certification.Slotted, effort{nodes: certification.MaxNodes}, oneChannelForm{}},
		{plan.Gather, "search", nil, "the fastest order and packets that a search finds", "all", stored, takes(treeOption, stepsOption), anywhere, packets.SearchGather, effort{nodes: packets.MaxSearched, least: (*plan.Task).UncombinedBound}, oneChannelForm{}},
		{plan.Gossip, auto, nil, autoDoes, "paths, rings, meshes, tori, hypercubes", all, nil, onGrid, autoPlan(allgather.Variants), effort{}, oneChannelForm{}},
		{plan.Gossip, "approach2", nil, "in every step all blocks move on by one node, in both directions", "paths, rings", all, nil, onLine, allgather.Line, effort{nodes: allgather.MaxPlanned}, oneChannelForm{algorithm: stages.Approach2}},
		{plan.Gossip, "highdimgos", nil, "along one dimension after the other, with combined messages", "meshes, tori, hypercubes", all, takes(bridgeheadsOption, roundStepsOption, coloursOption, syncOption), onGrid, allgather.Axes, effort{nodes: allgather.MaxPlanned}, oneChannelForm{algorithm: stages.Highdimgos}},
		{plan.Gossip, "approach1", nil, "all blocks are concentrated in one node, and spread from there", "paths, rings", worms, takes(syncOption), onLine, allgather.Centre, effort{nodes: allgather.MaxPlanned}, oneChannelForm{algorithm: stages.Approach1}},
		{plan.Gossip, "circgos", nil, "blocks are concentrated in bridgeheads, exchanged, and streamed to new bridgeheads", "paths, rings", worms, takes(bridgeheadsOption, roundStepsOption, syncOption), onLine, allgather.Circular, effort{nodes: allgather.MaxPlanned}, oneChannelForm{algorithm: stages.Circgos}},
		{plan.Gossip, "torgos", nil, "circgos with bridgeheads on diagonals, along rows and columns in turn", "2-D meshes and tori", worms, takes(bridgeheadsOption, roundStepsOption, coloursOption, syncOption), onPlane, allgather.Diagonal, effort{nodes: allgather.MaxPlanned}, oneChannelForm{algorithm: stages.Torgos}},
		{plan.Gossip, "cubgos", nil, "circgos with bridgeheads on diagonals, along each dimension in turn", "meshes, tori, hypercubes", worms, takes(bridgeheadsOption, roundStepsOption, coloursOption, syncOption), onSpace, allgather.Diagonal, effort{nodes: allgather.MaxPlanned}, oneChannelForm{algorithm: stages.Torgos, ofAnotherRow: true}},
		{plan.Gossip, "strides", nil, "every node sends what it knows to nodes at the same distances, long ones first", "rings, tori, hypercubes", worms, nil, onRings, allgather.Strides, effort{nodes: allgather.MaxPlanned}, oneChannelForm{}},
		{plan.Gossip, "crosses", nil, "every node sends over all links at once, to distances that a search found", "tori", worms, nil, onTorus, allgather.Crosses, effort{nodes: allgather.MaxCrossed, least: (*plan.Task).LowerBound}, oneChannelForm{}},
		{plan.Gossip, "vendor", nil, "a gather to node 0 and a broadcast from it, over a binomial tree of the node numbers", "paths, rings, meshes, tori, hypercubes", worms[1:], takes(syncOption), onGrid, allgather.Vendor, effort{nodes: allgather.MaxPlanned}, oneChannelForm{algorithm: stages.Vendor}},
		{plan.Broadcast, auto, nil, autoDoes, "all", worms, nil, anywhere, autoPlan(nil), effort{}, oneChannelForm{}},
		{plan.Broadcast, trees.Pipelined, nil, "the message goes along a tree in parts, one behind the other", "all", worms, takes(castTree, partsOption), anywhere, trees.Algorithm(trees.Pipelined), effort{}, oneChannelForm{}},
		{plan.Broadcast, trees.WholeTree, nil, "the whole message goes along a tree", "all", worms, takes(castTree), anywhere, trees.Algorithm(trees.WholeTree), effort{}, oneChannelForm{}},
		{plan.Broadcast, trees.Doubling, []string{"recursive"}, "every node that has the message sends it to further nodes, one startup after another", "all", worms, takes(castTree), anywhere, trees.Algorithm(trees.Doubling), effort{}, oneChannelForm{}},
		{plan.Broadcast, plan.EdgeDisjoint, nil, "all ports: parts divided among edge-disjoint trees", "all", worms, takes(treesOption, coverOption, partsOption), anywhere, trees.Algorithm(plan.EdgeDisjoint), effort{}, oneChannelForm{}},
		{plan.Broadcast, trees.ScatterGossip, nil, "the message is scattered in pieces, then an all-gather follows", "meshes, tori, hypercubes", worms, nil, onGrid, trees.Algorithm(trees.ScatterGossip), effort{}, oneChannelForm{}},
		{plan.Reduce, auto, nil, autoDoes, "all", worms, nil, anywhere, autoPlan(nil), effort{}, oneChannelForm{}},
		{plan.Reduce, trees.Pipelined, nil, "sums go to the root of a tree in parts, one behind the other", "all", worms, takes(castTree, partsOption), anywhere, trees.Algorithm(trees.Pipelined), effort{}, oneChannelForm{}},
		{plan.Reduce, trees.WholeTree, nil, "whole sums go to the root of a tree", "all", worms, takes(castTree), anywhere, trees.Algorithm(trees.WholeTree), effort{}, oneChannelForm{}},
		{plan.Reduce, trees.Doubling, []string{"recursive"}, "doubling of broadcast, reversed in time", "all", worms, takes(castTree), anywhere, trees.Algorithm(trees.Doubling), effort{}, oneChannelForm{}},
		{plan.Reduce, plan.EdgeDisjoint, nil, "all ports: parts divided among edge-disjoint trees", "all", worms, takes(treesOption, coverOption, partsOption), anywhere, trees.Algorithm(plan.EdgeDisjoint), effort{}, oneChannelForm{}},
		{plan.Reduce, trees.ScatterGossip, nil, "every node sums up a piece, then a gather follows", "meshes, tori, hypercubes", worms, nil, onGrid, trees.Algorithm(trees.ScatterGossip), effort{}, oneChannelForm{}},
		{plan.Allreduce, auto, nil, autoDoes, "all", worms, nil, anywhere, autoPlan(nil), effort{}, oneChannelForm{}},
		{plan.Allreduce, trees.Pipelined, nil, "sums go to the root of a tree in parts, and back as soon as they are complete", "all", worms, takes(castTree, partsOption), anywhere, trees.Algorithm(trees.Pipelined), effort{}, oneChannelForm{}},
		{plan.Allreduce, trees.WholeTree, nil, "whole sums go to the root of a tree, and back", "all", worms, takes(castTree), anywhere, trees.Algorithm(trees.WholeTree), effort{}, oneChannelForm{}},
		{plan.Allreduce, trees.Doubling, []string{"recursive"}, "doubling of reduce, then doubling of broadcast", "all", worms, takes(castTree), anywhere, trees.Algorithm(trees.Doubling), effort{}, oneChannelForm{}},
		{plan.Allreduce, plan.EdgeDisjoint, nil, "all ports: to the root along edge-disjoint trees, and back", "all", worms, takes(treesOption, coverOption, partsOption), anywhere, trees.Algorithm(plan.EdgeDisjoint), effort{}, oneChannelForm{}},
		{plan.Allreduce, trees.ScatterGossip, nil, "every node sums up a piece, then an all-gather follows", "meshes, tori, hypercubes", worms, nil, onGrid, trees.Algorithm(trees.ScatterGossip), effort{}, oneChannelForm{}},
		{plan.Allreduce, "ring", nil, "segments go around the ring to be summed up, then the sums go around", "rings", worms, nil, onRing, trees.Ring, effort{}, oneChannelForm{}},
		{plan.Exchange, auto, nil, autoDoes, "all", worms, nil, anywhere, autoPlan(nil), effort{}, oneChannelForm{}},
		{plan.Exchange, "direct", nil, "every message by itself, the messages with the longest way first", "all", worms, nil, anywhere, alltoall.Direct, effort{}, oneChannelForm{}},
		{plan.Exchange, "dimensions", nil, "combined messages, along one dimension after the other", "meshes, tori, hypercubes", worms, takes(coloursOption), onGrid, alltoall.Dimensions, effort{}, oneChannelForm{}},
		{plan.Exchange, "logarithmic", []string{"bruck"}, "combined messages, by halving or by ternary digits: few startups", "all", worms, takes(coloursOption), anywhere, alltoall.Logarithmic, effort{}, oneChannelForm{}},
		{plan.Exchange, "timetable", nil, "every message has a route and a cycle in which it never meets another", "all", worms, nil, anywhere, alltoall.Timetable, effort{nodes: alltoall.MaxSearched, least: (*plan.Task).UncombinedBound}, oneChannelForm{}},
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

// onTorus says that crosses are looked for.
func onTorus(t *topology.Topology) bool {
	rings := 0
	for _, wrap := range t.Wrap {
		if wrap {
			rings++
		}
	}
	return rings > 1 && onRings(t) && t.Nodes() <= 1<<14
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
	if err := j.Valid(); err != nil {
		return nil, err
	}
	a, err := find(collective, algorithm, &j)
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
	t, err := plan.NewTask(ctx, j, kind)
	if err != nil {
		return nil, err
	}
	p, err := a.plan(t)
	if err == nil {
		err = ctx.Err() // a search that was cut short has a plan, too
	}
	if err != nil {
		return nil, err
	}
	p.Collective = a.Collective
	p.ShowUncombined()
	if p.Algorithm == "" { // auto tells what it chose
		p.Algorithm = a.Name
	}
	return p, nil
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
