// SPDX-License-Identifier: Apache-2.0

package published

import (
	"fmt"
	"math/bits"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective/sendtree"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// The algorithms of the package.
const (
	Swing             = "swing"
	Bine              = "bine"
	RecursiveHalving  = "recursive-halving"
	RecursiveDoubling = "recursive-doubling"
	Bucket            = "bucket"
	Ring              = "ring"
	Pairwise          = "pairwise"
)

// MaxNodes bounds the networks on which auto tries these algorithms.
const MaxNodes = 4096

// OnSquares says that Swing runs: on closed grids whose sides are powers of two.
func OnSquares(t *topology.Topology) bool { return OnRings(t) && powersOfTwo(t) }

// OnCycle says that Ring runs: on networks with a ring through all nodes.
func OnCycle(t *topology.Topology) bool { return topology.HamiltonianCycle(t) != nil }

// OnRings says that Bucket runs: on closed grids, whose dimensions of more than two nodes are rings.
func OnRings(t *topology.Topology) bool {
	for d, size := range t.Dims {
		if size > 2 && !t.Wrap[d] {
			return false
		}
	}
	return t.IsGrid()
}

// Plan plans by the algorithm of that name, in its fastest variant.
func Plan(name string) func(*plan.Task) (*plan.Plan, error) {
	return func(t *plan.Task) (*plan.Plan, error) {
		if err := t.NeedParts(messages(t, name)); err != nil {
			return nil, err
		}
		lists, err := lists(t, name)
		if err != nil {
			return nil, err
		}
		drafts := make([]*plan.Draft, len(lists))
		for i, l := range lists {
			drafts[i] = &plan.Draft{List: l, NeedsTimetable: true}
		}
		p, _, err := t.Fastest(plan.Made(drafts), func(d *plan.Draft) (*plan.Plan, error) { return planOf(t, d.List) })
		return p, err
	}
}

// RingOfPackets plans Ring on machines that switch packets, for gossips: every message is a packet, from neighbour to neighbour, and none waits in a chip.
func RingOfPackets(t *plan.Task) (*plan.Plan, error) {
	if err := t.NeedParts(messages(t, Ring)); err != nil {
		return nil, err
	}
	made, err := lists(t, Ring)
	if err != nil {
		return nil, err
	}
	largest := 0
	for i := range made[0].Transfers {
		largest = max(largest, made[0].Transfers[i].Out.Words())
	}
	if err := t.FitPackets(largest); err != nil {
		return nil, err
	}
	return planOf(t, made[0])
}

func planOf(t *plan.Task, l *transfer.List) (*plan.Plan, error) {
	if t.Kind.Name == plan.Gossip {
		return t.TransferPlan(l, t.GossipBlock)
	}
	return t.VectorPlan(l)
}

// messages is about how many messages a node sends in half of a collective, in all variants together.
func messages(t *plan.Task, name string) int {
	switch name {
	case Bucket, Ring:
		words := t.VectorWords() // messages without words are not sent
		if t.Kind.Name == plan.Gossip {
			words = t.TotalWords()
		}
		list, count := bucketsOf(t, name), 0
		for _, c := range list[0].circles {
			count += min(c.places()-1, (words+len(list)-1)/len(list))
		}
		if t.Machine.Duplex == machine.Half {
			count *= 2
		}
		return len(list) * count
	case Pairwise:
		return 2 * len(t.Lengths)
	}
	return len(patterns(t.Topology, xor, t.IndependentLinks())) * 2 * bits.Len(uint(len(t.Lengths)-1))
}

// lists are the variants of an algorithm.
func lists(t *plan.Task, name string) ([]*transfer.List, error) {
	nodes := len(t.Lengths)
	if nodes == 1 {
		return []*transfer.List{{Nodes: 1}}, nil
	}
	switch name {
	case Bucket, Ring:
		return bucketLists(t, bucketsOf(t, name))
	case Pairwise:
		return []*transfer.List{pairwiseList(nodes, t.Piece)}, nil
	}
	list := partners(t, name)
	if name == Bine && powersOfTwo(t.Topology) && (t.Kind.Holders == plan.OnlyRoot || t.Kind.Name == plan.Reduce) {
		list = []pattern{alongDims(t.Topology, swing, 0)}
	}
	one := list[:1]
	var made []*transfer.List
	switch t.Kind.Name {
	case plan.Broadcast:
		made = append(made, bineTree(one[0], t.Root, nodes, t.VectorWords()))
	case plan.Reduce:
		made = append(made, sendtree.Reversed(bineTree(one[0], t.Root, nodes, t.VectorWords()), transfer.Add))
	case plan.Allreduce:
		words := t.VectorWords()
		made = append(made, wholeList(nodes, words, one))
		if name != RecursiveDoubling {
			made = append(made, halvingList(nodes, words, list))
		}
		if len(list) > 1 {
			made = append(made, wholeList(nodes, words, list))
		}
	case plan.ReduceScatter:
		made = append(made, scatterList(nodes, t.Piece, list))
	case plan.Gossip:
		made = append(made, gatherList(nodes, t.Piece, list))
	}
	made = slices.DeleteFunc(made, func(l *transfer.List) bool { return l == nil })
	if len(made) == 0 {
		return nil, input.Errorf("expected another algorithm", "%s %s has no order of pieces on %s", t.Kind.Name, name, t.Topology)
	}
	return made, nil
}

// bucketLists are the variants of buckets: without turns, and with them where channels work one way at a time.
func bucketLists(t *plan.Task, list []bucket) ([]*transfer.List, error) {
	variants := [][]bucket{list}
	if t.Machine.Duplex == machine.Half {
		variants = append(variants, inTurns(list))
	}
	var made []*transfer.List
	for _, v := range variants {
		switch t.Kind.Name {
		case plan.ReduceScatter:
			made = append(made, bucketScatter(t.Topology, t.Piece, v))
		case plan.Gossip:
			made = append(made, bucketGather(t.Topology, t.Piece, v))
		case plan.Allreduce:
			made = append(made, bucketAllreduce(t.Topology, t.VectorWords(), v))
		default:
			return nil, fmt.Errorf("published: no rings for %s", t.Kind.Name)
		}
	}
	return made, nil
}

// pairwiseList is a reduce-scatter in which each node sends the words of each other node straight to
// it: in step i to the node i further on.
func pairwiseList(nodes int, own blocks) *transfer.List {
	l := newLister(nodes)
	for step := 1; step < nodes; step++ {
		for n := range nodes {
			to := router.NodeID((n + step) % nodes)
			l.send(step, router.NodeID(n), to, transfer.Join(transfer.Set{own(to)}), transfer.Add)
		}
	}
	return l.List
}
