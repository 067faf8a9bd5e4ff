// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"meshwright/firmware/collective/sendtree"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
)

// The algorithms that broadcast, reduce and allreduce share.
const (
	WholeTree = "tree"
	Pipelined = "pipelined"
	Doubling  = "doubling"
)

// Algorithm plans by the algorithm of that name, in its fastest variant.
func Algorithm(name string) func(*plan.Task) (*plan.Plan, error) {
	makers := map[string]func(*plan.Task) ([]func() *plan.Draft, error){
		WholeTree: kept(wholeTreeDrafts), Pipelined: kept(pipelinedDrafts), Doubling: kept(doublingDrafts),
		ScatterGossip: scatterGossipMakers, ReversedGossip: scatterGossipMakers,
		Butterfly: kept(butterflyDrafts),
	}
	return func(t *plan.Task) (*plan.Plan, error) {
		if t.Kind.Name == plan.Allreduce {
			t.Root = t.Centre()
		}
		list, err := makers[name](t)
		if err != nil {
			return nil, err
		}
		p, _, err := t.Fastest(list, func(d *plan.Draft) (*plan.Plan, error) {
			p, err := t.VectorPlan(d.List)
			if err == nil {
				p.Facts = d.Facts
			}
			return p, err
		})
		return p, err
	}
}

// settled plans a list, after its times are exact.
func settled(t *plan.Task, l *transfer.List) (*plan.Plan, error) {
	time, err := t.Settle(l, false)
	if err != nil {
		return nil, err
	}
	p, err := t.VectorPlan(l)
	if err != nil {
		return nil, err
	}
	return p, t.PredictList(p, l, time)
}

// kept are drafts that are made at once.
func kept(drafts func(*plan.Task) ([]*plan.Draft, error)) func(*plan.Task) ([]func() *plan.Draft, error) {
	return func(t *plan.Task) ([]func() *plan.Draft, error) {
		list, err := drafts(t)
		return plan.Made(list), err
	}
}

// listOf lists the transfers of a tree by which the words go out, or of one by
// which they come in, or both.
func listOf(t *plan.Task, out, in *sendtree.Tree, parts int) (*transfer.List, error) {
	if err := t.NeedParts(parts); err != nil {
		return nil, err
	}
	words := t.VectorWords()
	switch {
	case t.Kind.Name == plan.Broadcast:
		return out.Broadcast(words, parts), nil
	case t.Kind.Name == plan.Reduce:
		return in.Reduce(words, parts), nil
	case out == in:
		return out.AllReduce(words, parts), nil
	}
	return sendtree.Then(in.Reduce(words, parts), out.Broadcast(words, parts)), nil
}
