// SPDX-License-Identifier: Apache-2.0

package refine

import (
	"math/rand/v2"
	"slices"
)

// changed is a list with a random change; ok is false if there is none. It is valid until the next call.
func (t *timer) changed(x *outcome, random *rand.Rand) (o order, ok bool) {
	if len(x.messages) == 0 {
		return o, false
	}
	o = order{t.scratch[:0], x.ends}
	for k := range x.messages {
		o.messages = append(o.messages, x.messages[k].message)
	}
	i := x.pick(random)
	ok = t.change(&o, i, x.messages[i].add, random)
	t.scratch = o.messages
	return o, ok
}

// change changes a list at a message.
func (t *timer) change(o *order, i int, add bool, random *rand.Rand) bool {
	switch draw := random.IntN(100); {
	case draw < 30 && add && random.IntN(4) > 0:
		t.otherReceiver(o, i, random)
	case draw < 30:
		t.otherSender(o, i, random)
	case draw < 50:
		o.move(i, random)
	case draw < 62:
		t.swapNodes(o, i, random)
	case draw < 70:
		t.everySender(o, i, random)
	case draw < 76:
		return t.resize(o, random)
	case draw < 82:
		return o.join(i, random)
	case draw < 86:
		return o.split(i, t.cuts, random)
	case !t.sums:
		t.otherSender(o, i, random)
		o.move(i, random)
	case draw < 90:
		o.messages[i].skip = max(0, o.messages[i].skip+2*int32(random.IntN(2))-1)
	case draw < 94:
		o.messages = slices.Delete(o.messages, i, i+1)
	default:
		t.insert(o, i, random)
	}
	return true
}

// pick chooses a message: half of the time one on the way of the last one, otherwise any.
func (x *outcome) pick(random *rand.Rand) int {
	i := random.IntN(len(x.messages))
	if random.IntN(2) == 0 {
		return i
	}
	last := int32(0)
	for k := range x.messages {
		if x.messages[k].whole > x.messages[last].whole {
			last = int32(k)
		}
	}
	depth := 0
	for k := last; k != none; k = x.messages[k].giver {
		depth++
	}
	k := last
	for range random.IntN(depth) {
		k = x.messages[k].giver
	}
	return int(k)
}

// move brings a message to another place, mostly near.
func (o *order) move(from int, random *rand.Rand) {
	to := random.IntN(len(o.messages))
	if random.IntN(3) > 0 {
		reach := 1 + random.IntN(8)
		to = min(max(0, from+random.IntN(2*reach+1)-reach), len(o.messages)-1)
	}
	m := o.messages[from]
	o.messages = slices.Insert(slices.Delete(o.messages, from, from+1), to, m)
}

// neighbour is a node, mostly near another.
func (n *network) neighbour(v int32, random *rand.Rand) int32 {
	near := n.near[v]
	if random.IntN(2) == 0 {
		near = near[:min(6, len(near))]
	}
	return near[random.IntN(len(near))]
}

// otherSender lets another node send a message.
func (n *network) otherSender(o *order, i int, random *rand.Rand) {
	m := &o.messages[i]
	m.from = n.neighbour(m.to, random)
}

// otherReceiver lets another node add up what a message brings.
func (n *network) otherReceiver(o *order, i int, random *rand.Rand) {
	m := &o.messages[i]
	m.to = n.neighbour(m.from, random)
}

// everySender lets another node send all that a node gets from one node.
func (n *network) everySender(o *order, i int, random *rand.Rand) {
	from, to := o.messages[i].from, o.messages[i].to
	other := n.neighbour(to, random)
	for k := range o.messages {
		if m := &o.messages[k]; m.from == from && m.to == to {
			m.from = other
		}
	}
}

// swapNodes lets two nodes change places in all messages, or in those of a piece.
func (n *network) swapNodes(o *order, i int, random *rand.Rand) {
	a := o.messages[i].to
	b := n.neighbour(a, random)
	if random.IntN(2) == 0 {
		b = o.messages[i].from
	}
	piece := none
	if random.IntN(2) == 0 {
		piece = o.messages[i].pieces[0]
	}
	swapped := func(v int32) int32 {
		switch v {
		case a:
			return b
		case b:
			return a
		}
		return v
	}
	for k := range o.messages {
		if m := &o.messages[k]; piece == none || slices.Contains(m.pieces, piece) {
			m.from, m.to = swapped(m.from), swapped(m.to)
		}
	}
}

// resize moves the border between two pieces of a root.
func (n *network) resize(o *order, random *rand.Rand) bool {
	if len(o.ends) < 2 {
		return false
	}
	p := random.IntN(len(o.ends) - 1)
	if n.root(p) != n.root(p+1) {
		return false
	}
	from := int32(0)
	if p > 0 {
		from = o.ends[p-1]
	}
	at, to := o.ends[p], o.ends[p+1]
	step := int32(1 + random.IntN(1+int(to-from)/8))
	if random.IntN(2) == 0 {
		step = -step
	}
	if at+step <= from || at+step >= to {
		return false
	}
	o.ends = slices.Clone(o.ends)
	o.ends[p] += step
	return true
}

// join makes one message of two.
func (o *order) join(i int, random *rand.Rand) bool {
	m := &o.messages[i]
	start := random.IntN(len(o.messages))
	for k := range o.messages {
		j := (start + k) % len(o.messages)
		if x := &o.messages[j]; j != i && x.from == m.from && x.to == m.to {
			m.pieces = slices.Concat(m.pieces, x.pieces)
			slices.Sort(m.pieces)
			m.pieces = slices.Compact(m.pieces)
			o.messages = slices.Delete(o.messages, j, j+1)
			return true
		}
	}
	return false
}

// mostPieces bounds the pieces that are cut in two.
const mostPieces = 64

// split makes two messages of one. A piece that is alone in a message may be cut in two before.
func (o *order) split(i int, cuts bool, random *rand.Rand) bool {
	if m := &o.messages[i]; len(m.pieces) < 2 && !(cuts && o.cut(m.pieces[0], random)) {
		return false
	}
	m := o.messages[i]
	at := 1 + random.IntN(len(m.pieces)-1)
	first, second := m, m
	first.pieces, second.pieces = m.pieces[:at:at], m.pieces[at:]
	o.messages[i] = first
	o.messages = slices.Insert(o.messages, i+random.IntN(len(o.messages)-i)+1, second)
	return true
}

// cut makes two pieces of one, which all messages with it have both.
func (o *order) cut(p int32, random *rand.Rand) bool {
	words := size(o.ends, p)
	if words < 2 || len(o.ends) >= mostPieces {
		return false
	}
	o.ends = slices.Insert(slices.Clone(o.ends), int(p), int32(start(o.ends, p)+1+random.IntN(words-1)))
	for k := range o.messages {
		m := &o.messages[k]
		var pieces []int32
		for _, q := range m.pieces {
			if q >= p {
				if q == p {
					pieces = append(pieces, p)
				}
				q++
			}
			pieces = append(pieces, q)
		}
		m.pieces = pieces
	}
	return true
}

// insert adds a message: the way back of another one, or any.
func (n *network) insert(o *order, i int, random *rand.Rand) {
	m := o.messages[i]
	m.from, m.to, m.skip = m.to, m.from, int32(random.IntN(2))
	if random.IntN(2) == 0 {
		m.from = n.neighbour(m.to, random)
	}
	o.messages = slices.Insert(o.messages, i+1, m)
}
