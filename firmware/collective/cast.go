// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/firmware/bound"
	"meshwright/firmware/cast"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// The algorithms that broadcast, reduce and allreduce share.
const (
	wholeTree = "tree"
	pipelined = "pipelined"
	doubling  = "doubling"
	fastest   = "auto"
)

// casting is a broadcast, reduce or allreduce that has been planned.
type casting struct {
	name  string
	list  *transfer.List
	facts []Fact
	meets bool // messages may want the same link: it needs a timetable
}

// castBy plans by the algorithm of that name, in its variant that is done first.
func castBy(name string) func(*task) (*Plan, error) {
	return func(t *task) (*Plan, error) {
		if t.kind.Name != broadcast {
			if err := t.summable(); err != nil {
				return nil, err
			}
		}
		if t.kind.Name == allreduce {
			t.Root = t.centre()
		}
		var list []*casting
		for _, plan := range t.castings(name) {
			more, err := plan(t)
			if err != nil {
				return nil, err
			}
			list = append(list, more...)
		}
		best, time, err := t.first(list)
		if err != nil {
			return nil, err
		}
		p, err := t.castPlan(best.list)
		if err != nil {
			return nil, err
		}
		p.Algorithm, p.Facts = best.name, append(best.facts, t.foretold(time)...)
		return p, nil
	}
}

// castings are the generators of that name.
func (t *task) castings(name string) []func(*task) ([]*casting, error) {
	named := map[string]func(*task) ([]*casting, error){
		wholeTree: treeCasting, pipelined: pipelinedCasting, doubling: doublingCasting, edgeDisjoint: disjointCasting, scatterGossip: gossipCasting,
	}
	if name != fastest {
		return []func(*task) ([]*casting, error){named[name]}
	}
	var list []func(*task) ([]*casting, error)
	if t.Parts == 0 {
		list = append(list, treeCasting)
	}
	list = append(list, pipelinedCasting)
	if t.Parts == 0 && t.Tree == "" {
		list = append(list, doublingCasting)
	}
	if t.Tree == "" && t.perLink() {
		list = append(list, disjointCasting)
	}
	if nodes := len(t.Lengths); t.Parts == 0 && t.alongAxes() && nodes > 1 && t.castWords() > 1 {
		list = append(list, gossipCasting)
	}
	return list
}

// castPlan turns a list into firmware.
func (t *task) castPlan(l *transfer.List) (p *Plan, err error) {
	switch t.kind.Name {
	case broadcast:
		words := t.block(t.Root)
		p, err = t.transferPlan(l, func(n router.NodeID) Block {
			if n == t.Root {
				return Block{Words: words, Given: Range{From: 0, To: len(words)}}
			}
			return Block{Words: words}
		})
		if err == nil {
			p.LowerBound = bound.Broadcast(t.Topology, t.Machine, t.Root, len(words))
		}
	case reduce:
		if p, err = t.sumPlan(l, func(n router.NodeID) bool { return n == t.Root }); err == nil {
			p.LowerBound = bound.Reduce(t.Topology, t.Machine, t.Root, t.castWords())
		}
	default:
		if p, err = t.sumPlan(l, func(router.NodeID) bool { return true }); err == nil {
			p.LowerBound = bound.AllReduce(t.Topology, t.Machine, t.castWords())
		}
	}
	return p, err
}

// castWords is the length of the vector that is broadcast or reduced.
func (t *task) castWords() int { return t.Lengths[t.Root] }

// listOf lists the transfers of a tree by which the words go out, or of one by
// which they come in, or both.
func (t *task) listOf(out, in *cast.Tree, parts int) *transfer.List {
	words := t.castWords()
	switch {
	case t.kind.Name == broadcast:
		return out.Broadcast(words, parts)
	case t.kind.Name == reduce:
		return in.Reduce(words, parts)
	case out == in:
		return out.AllReduce(words, parts)
	}
	return cast.Then(in.Reduce(words, parts), out.Broadcast(words, parts))
}
