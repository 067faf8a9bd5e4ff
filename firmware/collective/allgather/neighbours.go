// SPDX-License-Identifier: Apache-2.0

package allgather

import (
	"meshwright/fabric/machine"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// Line moves all blocks of a path or ring one place a step, both ways at
// once (approach 2 of Juurlink, Sibeyn, Rao): one phase of placeByPlace.
func Line(t *plan.Task) (*plan.Plan, error) { return placeByPlace(t) }

// placeByPlace gossips along one dimension after the other: phase f moves, along
// dimension f, the combined blocks of the nodes that differ in lower
// dimensions only (HIGHDIMGOS of Juurlink, Sibeyn, Rao). They are neighbours
// in memory, because nodes are numbered with the first dimension fastest.
func placeByPlace(t *plan.Task) (*plan.Plan, error) {
	if err := t.NeedWords("place by place"); err != nil {
		return nil, err
	}
	if t.Bufferless() && t.Machine.Duplex == machine.Half && t.Count > 0 && len(t.Lengths) > 1 {
		return nil, input.Errorf("expected nic.duplex full, or a wormhole machine",
			"gossip on a bufferless machine with nic.duplex half: PEs send and receive at once")
	}
	if t.Machine.PacketSwitched() {
		return packetGossip(t)
	}
	p := (*plan.Plan)(nil)
	if t.IndependentLinks() {
		p = gossipBoth(t)
	} else {
		p = gossipTurns(t)
	}
	return p, nil
}

// gossipBoth uses the channels of both directions at once. Every message goes
// from neighbour to neighbour, so that no two ever want the same channel.
func gossipBoth(t *plan.Task) *plan.Plan {
	r := plan.LoadRole("gossip-both")
	p := t.NewPlan(r)
	dims := len(t.Topology.Dims)
	for n := range router.NodeID(len(p.PEs)) {
		own := r.Parameters()
		own.Set("PHASES", dims)
		own.List("FIRST")
		lists := newBlockLists(own)
		for d := range dims {
			phase := own.Record("PHASE")
			right, left := lineOf(t, n, d).bothWays()
			phase.Set("RIGHT", int(right.to))
			phase.Set("LEFT", int(left.to))
			phase.Set("RIGHT_SENDS", right.sends)
			phase.Set("LEFT_SENDS", left.sends)
			phase.Set("RIGHT_TAKES", right.takes)
			phase.Set("LEFT_TAKES", left.takes)
			lists.add(phase, "RIGHT_LIST", right)
			lists.add(phase, "LEFT_LIST", left)
		}
		enterPE(t, p, r, n, lists)
	}
	return p
}

// gossipTurns moves one stream at a time.
func gossipTurns(t *plan.Task) *plan.Plan {
	r := plan.LoadRole("gossip-turns")
	p := t.NewPlan(r)
	starts := phaseStarts(t)
	for n := range router.NodeID(len(p.PEs)) {
		own := r.Parameters()
		own.List("FIRST")
		lists := newBlockLists(own)
		turns := 0
		for d := range t.Topology.Dims {
			start := starts[d]
			for _, s := range lineOf(t, n, d).turns(t.Machine.Duplex) {
				turn := own.Record("TURN")
				turn.Set("START", int(start))
				turn.Set("TO", int(s.to))
				turn.Set("FROM", int(s.from))
				turn.Set("SENDS", s.sends)
				turn.Set("TAKES", s.takes)
				turn.Set("DRAIN", int(drain(t, s)))
				lists.add(turn, "LIST", s)
				turns, start = turns+1, 0
			}
		}
		own.Set("TURNS", turns)
		enterPE(t, p, r, n, lists)
	}
	return p
}

// blockLists collects the streams of a PE, to be listed behind its records.
type blockLists struct {
	own   *plan.Parameters
	lists []blockList
}

type blockList struct {
	owner plan.Record
	field string
	s     stream
}

func newBlockLists(own *plan.Parameters) *blockLists { return &blockLists{own: own} }

func (b *blockLists) add(owner plan.Record, field string, s stream) {
	b.lists = append(b.lists, blockList{owner, field, s})
}

// enterPE writes the lists, which end a PE's parameters, and enters the PE.
func enterPE(t *plan.Task, p *plan.Plan, r *plan.Role, n router.NodeID, b *blockLists) {
	own := b.own
	base := len(own.Words)
	for _, l := range b.lists {
		base += len(l.s.blocks) * r.At("BLOCK")
	}
	for _, l := range b.lists {
		l.owner.Set(l.field, len(own.Words))
		for i, span := range l.s.blocks {
			if i < l.s.sends && span.words() > 0 {
				p.NeedHeader(uint32(span.tag), 1)
			}
			e := own.Record("BLOCK")
			e.Set("ADDRESS", base+span.from)
			e.Set("WORDS", span.words())
			e.Set("TAG", int(span.tag))
		}
		messages, flits := l.s.sent()
		p.Messages += messages
		p.Flits += flits
	}
	p.PEs[n] = plan.PE{Role: r.Index, Parameters: own.Words, Block: plan.Block{Words: t.Words, Given: plan.Range{From: t.Offset[n], To: t.Offset[n+1]}}}
}

// drain returns how long a node must rest after its last send of a turn, in a
// machine in which the channels of its links would otherwise collide on its
// one port: until the last block has left.
func drain(t *plan.Task, s stream) router.Cycle {
	words := s.lastSent()
	if !t.Bufferless() || t.Machine.Channels != machine.Links || words == 0 {
		return 0
	}
	return t.Timing().Drain(words)
}
