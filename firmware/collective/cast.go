// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/firmware/cast"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// The algorithms that broadcast, reduce and allreduce share.
const (
	wholeTree = "tree"
	pipelined = "pipelined"
	doubling  = "doubling"
)

// casting is a broadcast, reduce or allreduce that has been planned.
type casting struct {
	list  *transfer.List
	facts []Fact
	meets bool // messages may want the same link: it needs a timetable
}

// castBy plans by the algorithm of that name, in its variant that is done first.
func castBy(name string) func(*task) (*Plan, error) {
	castings := map[string]func(*task) ([]*casting, error){
		wholeTree: treeCasting, pipelined: pipelinedCasting, doubling: doublingCasting, edgeDisjoint: disjointCasting, scatterGossip: gossipCasting,
	}
	return func(t *task) (*Plan, error) {
		if t.kind.Name == allreduce {
			t.Root = t.centre()
		}
		list, err := castings[name](t)
		if err != nil {
			return nil, err
		}
		best, time, err := t.first(list)
		if err != nil {
			return nil, err
		}
		p, err := t.castPlan(best.list)
		if err != nil {
			return nil, err
		}
		p.Facts = best.facts
		t.foretold(p, time)
		return p, nil
	}
}

// castPlan turns a list into firmware.
func (t *task) castPlan(l *transfer.List) (*Plan, error) {
	switch t.kind.Name {
	case broadcast:
		words := t.block(t.Root)
		return t.transferPlan(l, func(n router.NodeID) Block {
			if n == t.Root {
				return Block{Words: words, Given: Range{From: 0, To: len(words)}}
			}
			return Block{Words: words}
		})
	case reduce:
		return t.sumPlan(l, func(n router.NodeID) bool { return n == t.Root })
	default:
		return t.sumPlan(l, func(router.NodeID) bool { return true })
	}
}

// castWords is the length of the vector that is broadcast or reduced.
func (t *task) castWords() int { return t.Lengths[t.Root] }

// listOf lists the transfers of a tree by which the words go out, or of one by
// which they come in, or both.
func (t *task) listOf(out, in *cast.Tree, parts int) (*transfer.List, error) {
	if err := t.needParts(parts); err != nil {
		return nil, err
	}
	words := t.castWords()
	switch {
	case t.kind.Name == broadcast:
		return out.Broadcast(words, parts), nil
	case t.kind.Name == reduce:
		return in.Reduce(words, parts), nil
	case out == in:
		return out.AllReduce(words, parts), nil
	}
	return cast.Then(in.Reduce(words, parts), out.Broadcast(words, parts)), nil
}
