// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/fabric/machine"
	"meshwright/internal/input"
	"meshwright/router"
)

// lineGossip moves all blocks of a path or ring one place a step, both ways at
// once (approach 2 of Juurlink, Sibeyn, Rao): one phase of gridGossip.
func lineGossip(t *task) (*Plan, error) { return gridGossip(t) }

// gridGossip gossips along one dimension after the other: phase f moves, along
// dimension f, the combined blocks of the nodes that differ in lower
// dimensions only (HIGHDIMGOS of Juurlink, Sibeyn, Rao). They are neighbours
// in memory, because nodes are numbered with the first dimension fastest.
func gridGossip(t *task) (*Plan, error) {
	if t.bufferless() && t.Machine.Duplex == machine.Half && t.count > 0 && len(t.Lengths) > 1 {
		return nil, input.Errorf("expected nic.duplex full, or a wormhole machine",
			"gossip on a bufferless machine with nic.duplex half: PEs send and receive at once")
	}
	if t.Machine.PacketSwitched() {
		return t.packetGossip()
	}
	p := (*Plan)(nil)
	if t.perLink() {
		p = t.gossipBoth()
	} else {
		p = t.gossipTurns()
	}
	return p, nil
}

// gossipBoth uses the channels of both directions at once. Every message goes
// from neighbour to neighbour, so that no two ever want the same channel.
func (t *task) gossipBoth() *Plan {
	r := loadRole("gossip-both")
	p := t.newPlan(r)
	dims := len(t.Topology.Dims)
	for n := range router.NodeID(len(p.PEs)) {
		own := r.parameters()
		own.set("PHASES", dims)
		own.list("FIRST")
		lists := newBlockLists(own)
		for d := range dims {
			phase := own.record("PHASE")
			right, left := t.lineOf(n, d).bothWays()
			phase.set("RIGHT", int(right.to))
			phase.set("LEFT", int(left.to))
			phase.set("RIGHT_SENDS", right.sends)
			phase.set("LEFT_SENDS", left.sends)
			phase.set("RIGHT_TAKES", right.takes)
			phase.set("LEFT_TAKES", left.takes)
			lists.add(phase, "RIGHT_LIST", right)
			lists.add(phase, "LEFT_LIST", left)
		}
		t.member(p, r, n, lists)
	}
	return p
}

// gossipTurns moves one stream at a time.
func (t *task) gossipTurns() *Plan {
	r := loadRole("gossip-turns")
	p := t.newPlan(r)
	starts := t.phaseStarts()
	for n := range router.NodeID(len(p.PEs)) {
		own := r.parameters()
		own.list("FIRST")
		lists := newBlockLists(own)
		turns := 0
		for d := range t.Topology.Dims {
			start := starts[d]
			for _, s := range t.lineOf(n, d).turns() {
				turn := own.record("TURN")
				turn.set("START", int(start))
				turn.set("TO", int(s.to))
				turn.set("FROM", int(s.from))
				turn.set("SENDS", s.sends)
				turn.set("TAKES", s.takes)
				turn.set("DRAIN", int(t.drain(s)))
				lists.add(turn, "LIST", s)
				turns, start = turns+1, 0
			}
		}
		own.set("TURNS", turns)
		t.member(p, r, n, lists)
	}
	return p
}

// blockLists collects the streams of a PE, to be listed behind its records.
type blockLists struct {
	own   *parameters
	lists []blockList
}

type blockList struct {
	owner record
	field string
	s     stream
}

func newBlockLists(own *parameters) *blockLists { return &blockLists{own: own} }

func (b *blockLists) add(owner record, field string, s stream) {
	b.lists = append(b.lists, blockList{owner, field, s})
}

// member writes the lists, which end a PE's parameters, and enters the PE.
func (t *task) member(p *Plan, r *role, n router.NodeID, b *blockLists) {
	own := b.own
	base := len(own.words)
	for _, l := range b.lists {
		base += len(l.s.blocks) * r.at("BLOCK")
	}
	for _, l := range b.lists {
		l.owner.set(l.field, len(own.words))
		for _, span := range l.s.blocks {
			e := own.record("BLOCK")
			e.set("ADDRESS", base+span.from)
			e.set("WORDS", span.words())
			e.set("TAG", int(span.tag))
		}
		messages, flits := l.s.sent()
		p.Messages += messages
		p.Flits += flits
	}
	p.PEs[n] = PE{Role: r.index, Parameters: own.words, Block: Block{Words: t.words, Given: Range{From: t.offset[n], To: t.offset[n+1]}}}
}

// drain returns how long a node must rest after its last send of a turn, in a
// machine in which the channels of its links would otherwise collide on its
// one port: until the last block has left, which may begin flit-1 cycles after
// its channel took it when those are more than the startup.
func (t *task) drain(s stream) router.Cycle {
	words := s.lastSent()
	if !t.bufferless() || t.Machine.Channels != machine.Links || words == 0 {
		return 0
	}
	return router.Cycle(words*t.Machine.Flit + max(0, t.Machine.Flit-1-t.Machine.Startup))
}
