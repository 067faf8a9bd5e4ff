// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"cmp"
	"context"
	"slices"

	"meshwright/internal/bitset"
	"meshwright/router"
	"meshwright/schedule"
)

// play carries out the messages of one section after the other.
//
// A node has a sum, at first of its own block alone. What it gets is added, unless it has everything that
// the node has summed up: then it takes the place of the node's sum. A node keeps all that it gets, so it can send what it got before it
// had more. Any two sums that it has are then apart, or one has all of the other:
//
//	has 4, gets 0-1:   sum 0-1+4
//	gets 2-3:          sum 0-4
//	gets 0-8:          sum 0-8, in place of 0-4; it may still send 4, 0-1, 2-3, 0-1+4, … and 0-8, but not 0-2
//
// So a block is in what it can send if it is in one of the largest sums that have nothing else, and no search is needed.
type play struct {
	*sums
	all      bitset.Set // of all nodes
	sum      []bitset.Set
	got      [][]int32 // by node: the messages that it has, in order of time; the set of each has what it added, or all if it replaced the sum
	messages []message
	sends    []int32 // messages by the time at which they are sent
	arrivals []int32 // and by that at which they arrive
	room     bitset.Set
	rest     bitset.Set
	lacks    []lack
	open     map[place]*Violation // violations of the last section, which this one may continue
	next     map[place]*Violation // and of this one
}

// message is a row in a section.
type message struct {
	row int32
	own bool       // it carries the sum of its source, whatever that is
	who bitset.Set // the nodes whose blocks it carries
}

// lack is a message that carries blocks that cannot be in it.
type lack struct {
	message    int32
	late, held bitset.Set // blocks that its source does not have by then, and blocks that it has only in a sum with others
	other      int32      // held: the row of the message that brought that sum
}

// place is where a violation is, apart from words.
type place struct {
	fault Fault
	row   int
	node  router.NodeID
}

func newPlay(c *sums) *play {
	n := c.goal.Nodes
	p := &play{sums: c, all: bitset.New(n), rest: bitset.New(n), got: make([][]int32, n), open: map[place]*Violation{}, next: map[place]*Violation{}}
	for node := range router.NodeID(n) {
		p.all.Set(int32(node))
		p.sum = append(p.sum, bitset.New(n))
	}
	return p
}

// section plays the messages of a section.
func (p *play) section(ctx context.Context, k int) error {
	if err := p.begin(k); err != nil {
		return err
	}
	arrived := 0
	for i, at := range p.sends {
		if i&0xfff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		arrived = p.deliver(arrived, p.at.Sent[p.messages[at].row], k)
		p.send(at)
	}
	p.deliver(arrived, Never-1, k)
	for i := range p.lacks {
		p.miss(p.judge(&p.lacks[i]), k)
	}
	for n := range router.NodeID(p.goal.Nodes) {
		if from, to := p.goal.summed(n, p.length); p.cuts[k] >= from && p.cuts[k] < to && !p.all.Within(p.sum[n]) {
			who := slices.Clone(p.all)
			who.Subtract(p.sum[n])
			p.miss(Violation{Fault: Lacking, Row: -1, Node: n, Sent: Never, who: who}, k)
		}
	}
	p.close()
	return nil
}

// begin reads the messages of a section, and gives every node its own block.
func (p *play) begin(k int) error {
	entries := p.entries[p.first[k]:p.first[k+1]]
	p.messages, p.sends, p.arrivals, p.lacks = p.messages[:0], p.sends[:0], p.arrivals[:0], p.lacks[:0]
	size := len(p.all)
	for i, e := range entries {
		if i == 0 || entries[i-1].row != e.row {
			p.messages = append(p.messages, message{row: e.row})
		}
	}
	if need := size * len(p.messages); need > len(p.room) {
		p.room = make(bitset.Set, need)
	}
	clear(p.room)
	at := -1
	for i, e := range entries {
		if i == 0 || entries[i-1].row != e.row {
			at++
			p.messages[at].who = p.room[at*size : (at+1)*size]
			p.sends = append(p.sends, int32(at))
			if p.at.Has[e.row] < Never {
				p.arrivals = append(p.arrivals, int32(at))
			}
		}
		if err := p.enter(&p.messages[at], &p.s.Rows[e.row].Blocks[e.span], k); err != nil {
			return err
		}
	}
	byTime := func(times []router.Cycle) func(a, b int32) int {
		return func(a, b int32) int { return cmp.Compare(times[p.messages[a].row], times[p.messages[b].row]) }
	}
	slices.SortStableFunc(p.sends, byTime(p.at.Sent))
	slices.SortStableFunc(p.arrivals, byTime(p.at.Has))
	for n := range router.NodeID(p.goal.Nodes) {
		clear(p.sum[n])
		p.sum[n].Set(int32(n))
		p.got[n] = p.got[n][:0]
	}
	return nil
}

// enter adds a span to what a message carries.
func (p *play) enter(m *message, span *schedule.Span, k int) error {
	if m.own || span.Sum && !m.who.Empty() {
		return wrong(p.s, int(m.row), "expected it alone, as it is the whole sum at the source", "* beside other blocks")
	}
	if m.own = span.Sum; m.own {
		return nil
	}
	for n := span.From; n <= span.Last; n++ {
		if m.who.Has(int32(n)) {
			clear(p.rest)
			p.rest.Set(int32(n))
			return wrong(p.s, int(m.row), "expected each block once", "block %s twice", p.name(p.rest, p.cuts[k], p.cuts[k+1]-p.cuts[k]))
		}
		m.who.Set(int32(n))
	}
	return nil
}

// deliver brings the messages that arrive by a time, from one on, and returns the first that does not. Of those that arrive at
// the same time the smaller sums come first, so that a whole sum replaces what is added.
func (p *play) deliver(from int, by router.Cycle, k int) int {
	has := func(i int) router.Cycle { return p.at.Has[p.messages[p.arrivals[i]].row] }
	for from < len(p.arrivals) && has(from) <= by {
		to := from + 1
		for to < len(p.arrivals) && has(to) == has(from) {
			to++
		}
		if to > from+1 {
			slices.SortStableFunc(p.arrivals[from:to], func(a, b int32) int { return cmp.Compare(p.messages[a].who.Size(), p.messages[b].who.Size()) })
		}
		for ; from < to; from++ {
			p.bring(p.arrivals[from], k)
		}
	}
	return from
}

// bring gives a message to its destination.
func (p *play) bring(i int32, k int) {
	m := &p.messages[i]
	row := int(m.row)
	n := p.s.Rows[row].Destination
	sum := p.sum[n]
	if !sum.Within(m.who) && sum.Meets(m.who) {
		again := slices.Clone(m.who)
		again.Intersect(sum)
		v := Violation{Fault: Twice, Row: row, Node: n, Sent: p.at.Sent[row], Has: p.at.Has[row], Other: -1, who: again}
		if other := p.bringer(n, again); other >= 0 && again.Within(p.messages[other].who) {
			v.Other = int(p.messages[other].row)
		}
		p.miss(v, k)
		m.who.Subtract(sum)
	}
	sum.Unite(m.who)
	p.got[n] = append(p.got[n], i)
}

// bringer is the last message that brought a node one of some blocks; -1: there is none.
func (p *play) bringer(n router.NodeID, who bitset.Set) int32 {
	for _, i := range slices.Backward(p.got[n]) {
		if p.messages[i].who.Meets(who) {
			return i
		}
	}
	return -1
}

// send looks whether the source of a message can make the sum that it carries.
func (p *play) send(i int32) {
	m := &p.messages[i]
	n := p.s.Rows[m.row].Source
	if m.own {
		copy(m.who, p.sum[n])
		return
	}
	copy(p.rest, m.who)
	if slices.Equal(p.rest, p.sum[n]) {
		return
	}
	for _, i := range slices.Backward(p.got[n]) { // a sum that has all of another came behind it
		if who := p.messages[i].who; who.Within(p.rest) {
			p.rest.Subtract(who)
		}
	}
	p.rest.Clear(int32(n))
	if p.rest.Empty() {
		return
	}
	l := lack{message: i, late: slices.Clone(p.rest), held: slices.Clone(p.rest)}
	l.late.Subtract(p.sum[n])
	l.held.Intersect(p.sum[n])
	if other := p.bringer(n, l.held); other >= 0 {
		l.other = p.messages[other].row
	}
	p.lacks = append(p.lacks, l)
}

// judge names the fault of a message, when all messages have arrived.
func (p *play) judge(l *lack) Violation {
	row := int(p.messages[l.message].row)
	n, sent := p.s.Rows[row].Source, p.at.Sent[row]
	v := Violation{Row: row, Node: n, Sent: sent, who: l.late}
	if l.late.Empty() {
		v.Fault, v.Other, v.who = Mixed, int(l.other), l.held
		return v
	}
	never := slices.Clone(l.late)
	for _, i := range p.got[n] {
		if m := &p.messages[i]; never.Meets(m.who) {
			never.Subtract(m.who)
			v.Has = p.at.Has[m.row]
		}
	}
	if v.Fault = Early; !never.Empty() {
		v.Fault, v.Has, v.who = Missing, 0, never
	}
	return v
}

// miss notes a violation in a section. It is one with that of the section before if it says the same.
func (p *play) miss(v Violation, k int) {
	v.id, v.words = p.cuts[k], p.cuts[k+1]-p.cuts[k]
	at := place{v.Fault, v.Row, v.Node}
	if same := p.open[at]; same != nil && same.Has == v.Has && same.Other == v.Other && slices.Equal(same.who, v.who) {
		same.words += v.words
		p.next[at] = same
		delete(p.open, at)
		return
	}
	p.next[at] = &v
}

// close counts the violations that do not go on.
func (p *play) close() {
	for _, v := range p.open {
		p.add(*v)
	}
	clear(p.open)
	p.open, p.next = p.next, p.open
}
