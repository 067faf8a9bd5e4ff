// SPDX-License-Identifier: Apache-2.0

package rounds

import (
	"math/bits"
	"slices"

	"meshwright/router"
)

// none is no node, and no slot.
const none = int32(-1)

// form says who sends to whom, and what follows from it. After a change it looks only at the nodes for which something is different.
type form struct {
	*network
	rounds int
	images *images   // nil: none
	to     []int32   // by round and slot: the receiver, or none
	known  []uint64  // by round and node: the pieces that the node has before the round; at last those that it has in the end
	brings []uint64  // by round and slot: the pieces of the message
	head   []int32   // by round and node: a slot that sends to the node, or none
	next   []int32   // by round and slot: another slot that sends to the same node, or none
	loads  []load    // by round and calendar
	sum    []float64 // by round: the powers of its loads
	used   []int     // by round: the uses of its messages
	lacks  int       // pieces that nodes lack in the end
	work   int       // messages, and what they use, that were looked at

	dirty  []uint64 // by round: the receivers for whom something is different
	past   journal  // the last change
	offers []offer  // scratch of receive
}

// load is for how long a calendar is in use in a round, the sum of its uses' first cycles, each times its length, and what it adds to the sum of the round.
type load struct {
	busy, from router.Cycle
	power      float64 // see form.power
}

// newForm is a form in which nobody sends.
func newForm(n *network, rounds int, m *images) *form {
	f := &form{network: n, rounds: rounds, images: m}
	slots, nodes := rounds*len(n.slots), rounds*n.nodes
	f.to, f.head, f.next = slices.Repeat([]int32{none}, slots), slices.Repeat([]int32{none}, nodes), make([]int32, slots)
	f.brings, f.known, f.loads = make([]uint64, slots), make([]uint64, nodes+n.nodes), make([]load, rounds*n.calendars)
	f.sum, f.used, f.dirty = make([]float64, rounds), make([]int, rounds), make([]uint64, rounds)
	for i := range f.known {
		f.known[i] = n.all & (1 << (i % n.nodes))
	}
	f.lacks = bits.OnesCount64(n.all) * (n.nodes - 1)
	return f
}

// send lets slots send to nodes, by round and slot, and works out all that follows from it.
func (f *form) send(to []int32) {
	f.remember()
	for i, v := range to {
		f.redirect(int32(i), v)
	}
	f.follow()
}

// clone is a form of its own.
func (f *form) clone() *form {
	g := newForm(f.network, f.rounds, f.images)
	g.send(f.to)
	return g
}

// redirect lets a slot of a round send to another node, or to none.
func (f *form) redirect(i, v int32) {
	old, round := f.to[i], int(i)/len(f.slots)
	if old == v {
		return
	}
	for _, node := range [...]int32{old, v} {
		if node != none {
			f.dirty[round] |= 1 << node
		}
	}
	f.past.to = append(f.past.to, was[int32]{i, old})
	if f.brings[i] != 0 { // from now on it is another message
		f.carry(i, old, 0)
	}
	f.link(i, v)
}

// link puts a slot into the list of another receiver.
func (f *form) link(i, v int32) {
	heads := f.head[int(i)/len(f.slots)*f.nodes:]
	if old := f.to[i]; old != none {
		at := &heads[old]
		for *at != i {
			at = &f.next[*at]
		}
		*at = f.next[i]
	}
	if f.to[i] = v; v != none {
		f.next[i], heads[v] = heads[v], i
	}
}

// follow works out all that follows from what is different.
func (f *form) follow() {
	for round := range f.rounds {
		different := uint64(0)
		for set := f.dirty[round]; set != 0; set &= set - 1 {
			v := int32(bits.TrailingZeros64(set))
			if f.receive(round, v) {
				different |= 1 << v
			}
		}
		f.dirty[round] = 0
		if round+1 < f.rounds && different != 0 {
			f.dirty[round+1] |= different | f.receivers(round+1, different)
		}
	}
}

// receivers returns to whom some nodes send in a round.
func (f *form) receivers(round int, nodes uint64) (set uint64) {
	to := f.to[round*len(f.slots):]
	for ; nodes != 0; nodes &= nodes - 1 {
		for _, i := range f.slotsOf[bits.TrailingZeros64(nodes)] {
			if to[i] != none {
				set |= 1 << to[i]
			}
		}
	}
	return set
}

// receive works out what the messages of a round bring to a node. It reports whether the node has something else afterwards.
func (f *form) receive(round int, v int32) bool {
	has := f.known[round*f.nodes+int(v)]
	f.offers = f.offers[:0]
	for i := f.head[round*f.nodes+int(v)]; i != none; i = f.next[i] {
		f.work++
		pieces := f.known[round*f.nodes+int(f.slots[int(i)%len(f.slots)].owner)] &^ has
		f.offers = append(f.offers, offer{slot: i, pieces: pieces, count: bits.OnesCount64(pieces)})
	}
	all := has | divide(f.offers)
	for k := range f.offers {
		if o := &f.offers[k]; f.brings[o.slot] != o.takes {
			f.carry(o.slot, v, o.takes)
		}
	}
	at := (round+1)*f.nodes + int(v)
	if f.known[at] == all {
		return false
	}
	f.past.known = append(f.past.known, was[uint64]{int32(at), f.known[at]})
	if round+1 == f.rounds {
		f.lacks += bits.OnesCount64(f.known[at]&f.all) - bits.OnesCount64(all&f.all)
	}
	f.known[at] = all
	return true
}

// carry gives the message of a slot other pieces.
func (f *form) carry(i, to int32, pieces uint64) {
	old := f.brings[i]
	f.past.brings = append(f.past.brings, was[uint64]{i, old})
	f.brings[i] = pieces
	if before, after := f.words(old), f.words(pieces); before != after {
		f.load(i, to, before, after)
	}
}

// lacking is the cost of a piece that does not come to a node, and lackingAll what it is more for all pieces and nodes together, so that on small networks silence is not the best: both in times of a message.
const lacking, lackingAll = 0.1, 16

// fewer is the cost of a use, in times of a message.
const fewer = 1e-4

// cost is what the search makes small: about the time of all rounds, and of what is missing. A round takes the norm of the times in which all that is used has done its work. Of two forms with the same time that with fewer uses is better.
func (f *form) cost() (cost float64) {
	for round, sum := range f.sum {
		cost += norm(sum) + fewer*float64(f.used[round])
	}
	return f.unit * (cost + float64(f.lacks)*(lacking+lackingAll/float64(f.nodes*f.nodes)))
}

// load changes the loads of a round: the message of a slot has other words than before, none if there is no message. Each use is longer than without words.
func (f *form) load(i, to int32, before, after int) {
	round, slot := int(i)/len(f.slots), int(i)%len(f.slots)
	uses, empty := f.uses[f.pair(f.slots[slot].owner, to)], f.model.Work(0)
	less, more := f.model.Work(before)-empty, f.model.Work(after)-empty
	largest := f.sum[round]
	for k := range uses {
		u, longer := &uses[k], router.Cycle(0)
		if before > 0 {
			longer -= u.in(less)
		}
		if after > 0 {
			longer += u.in(more)
		}
		at := int32(round*f.calendars) + u.calendar
		l := &f.loads[at]
		f.past.loads = append(f.past.loads, was[load]{at, *l})
		l.busy += longer
		l.from += longer * u.at
		power := f.power(l)
		f.sum[round] += power - l.power
		l.power = power
		largest = max(largest, f.sum[round])
	}
	if f.sum[round] < largest*rounding {
		f.sum[round] = f.added(f.loads, round)
	}
	f.work += 2 * len(uses)
	if before == 0 {
		f.used[round] += len(uses)
	}
	if after == 0 {
		f.used[round] -= len(uses)
	}
}

// rounding is the part of a sum of powers below which what is left of it can be a rounding error.
const rounding = 1e-6

// added adds up the powers of the loads of a round.
func (n *network) added(loads []load, round int) (sum float64) {
	for _, l := range loads[round*n.calendars:][:n.calendars] {
		sum += l.power
	}
	return sum
}

// power is the eighth power of the time in which a calendar has done its work, if it works without a pause from the mean of its uses' first cycles on, in times of a message.
func (n *network) power(l *load) float64 {
	if l.busy == 0 {
		return 0
	}
	x := (float64(l.from)/float64(l.busy) + float64(l.busy)) / n.unit
	x *= x
	x *= x
	return x * x
}
