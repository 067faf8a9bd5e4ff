// SPDX-License-Identifier: Apache-2.0

package rounds

import (
	"math"
	"math/bits"

	"meshwright/router"
)

// none is no node.
const none = int32(-1)

// form says who sends to whom, and what follows from it.
type form struct {
	*network
	rounds  int
	to      []int32  // by round and slot: the receiver, or none
	known   []uint64 // by round and node: the pieces that the node has before the round; at last those that it has in the end
	brings  []uint64 // by round and slot: the pieces of the message
	costs   []float64
	work    int // messages, and what they use, that were looked at
	scratch scratch
}

// scratch is what the estimate of a round needs, by calendar and by node.
type scratch struct {
	loads  []load
	used   []int32 // the calendars in use
	head   []int32 // by receiver: a slot whose message goes to it
	next   []int32 // by slot: another one
	offers []offer
}

// load is for how long a calendar is in use, and from when on.
type load struct{ busy, first router.Cycle }

// newForm is a form in which nobody sends.
func newForm(n *network, rounds int) *form {
	f := &form{network: n, rounds: rounds}
	f.to, f.brings = make([]int32, rounds*len(n.slots)), make([]uint64, rounds*len(n.slots))
	for i := range f.to {
		f.to[i] = none
	}
	f.known, f.costs = make([]uint64, (rounds+1)*n.nodes), make([]float64, rounds+1)
	for v := range n.nodes {
		f.known[v] = n.all & (1 << v)
	}
	f.scratch = scratch{loads: make([]load, n.calendars), head: make([]int32, n.nodes), next: make([]int32, len(n.slots))}
	return f
}

// clone is a form of its own.
func (f *form) clone() *form {
	g := newForm(f.network, f.rounds)
	g.copyFrom(f, 0)
	return g
}

// copyFrom takes over all that follows from a round of another form on, and what it sends.
func (f *form) copyFrom(g *form, round int) {
	copy(f.to[round*len(f.slots):], g.to[round*len(f.slots):])
	copy(f.brings[round*len(f.slots):], g.brings[round*len(f.slots):])
	copy(f.known[(round+1)*f.nodes:], g.known[(round+1)*f.nodes:])
	copy(f.costs[round+1:], g.costs[round+1:])
}

// follow works out all that follows from a round on. It ends as soon as the cost is above a limit, and then reports false.
func (f *form) follow(round int, limit float64) bool {
	for ; round < f.rounds; round++ {
		f.costs[round+1] = f.costs[round] + f.round(round)
		if f.costs[round+1] > limit {
			return false
		}
	}
	return f.cost() <= limit
}

// lacking is the cost of a piece that does not come to a node, and lackingAll what it is more for all pieces and nodes together, so that on small networks silence is not the best: both in times of a message.
const lacking, lackingAll = 0.1, 16

// cost is what the search makes small: about the time of all rounds, and of what is missing.
func (f *form) cost() float64 {
	each := lacking + lackingAll/float64(f.nodes*f.nodes)
	return f.costs[f.rounds] + float64(f.missing())*each*f.unit
}

// missing counts the pieces that nodes lack in the end.
func (f *form) missing() (count int) {
	for _, set := range f.known[f.rounds*f.nodes:] {
		count += bits.OnesCount64(f.all &^ set)
	}
	return count
}

// round works out what the messages of a round bring, and about how long it takes: the norm of the times in which all that is used has done its work. Of two forms with the same time that with fewer uses is better.
func (f *form) round(round int) float64 {
	to, brings := f.to[round*len(f.slots):(round+1)*len(f.slots)], f.brings[round*len(f.slots):(round+1)*len(f.slots)]
	known, then := f.known[round*f.nodes:(round+1)*f.nodes], f.known[(round+1)*f.nodes:(round+2)*f.nodes]
	f.offer(to, known, brings)
	copy(then, known)
	s, uses, empty := &f.scratch, 0, f.model.Work(0)
	for v, first := range s.head {
		if first == none {
			continue
		}
		then[v] |= f.divide(first, brings)
		for i := first; i != none; i = s.next[i] {
			if brings[i] != 0 {
				uses += f.load(f.uses[f.pair(f.slots[i].owner, int32(v))], f.model.Work(f.words(brings[i]))-empty)
			}
		}
	}
	f.work += len(to) + 2*uses
	return f.norm() + fewer*float64(uses)*f.unit
}

// offer lists the messages to each node, with all that they could bring.
func (f *form) offer(to []int32, known, brings []uint64) {
	s := &f.scratch
	for v := range s.head {
		s.head[v] = none
	}
	for i, v := range to {
		brings[i] = 0
		if v == none {
			continue
		}
		if offer := known[f.slots[i].owner] &^ known[v]; offer != 0 {
			brings[i] = offer
			s.next[i], s.head[v] = s.head[v], int32(i)
		}
	}
}

// fewer is the cost of a use, in times of a message.
const fewer = 1e-4

// divide divides what the messages to a node offer among them: what only one has goes with it, and those with the least to offer take as much as the others, if they can. It returns all pieces.
func (f *form) divide(first int32, brings []uint64) (all uint64) {
	s := &f.scratch
	if s.next[first] == none {
		return brings[first]
	}
	s.offers = s.offers[:0]
	for i := first; i != none; i = s.next[i] {
		o := offer{slot: i, pieces: brings[i], count: bits.OnesCount64(brings[i])}
		all |= o.pieces
		s.offers = append(s.offers, o)
		for k := len(s.offers) - 1; k > 0 && s.offers[k-1].count > o.count; k-- {
			s.offers[k], s.offers[k-1] = s.offers[k-1], o
		}
	}
	var behind uint64 // what later ones offer
	for k := len(s.offers) - 1; k >= 0; k-- {
		s.offers[k].others = behind
		behind |= s.offers[k].pieces
	}
	left := all
	for k := range s.offers {
		o, rest := &s.offers[k], len(s.offers)-k
		share := (bits.OnesCount64(left) + rest - 1) / rest
		take := o.pieces & left &^ o.others
		need := share - bits.OnesCount64(take)
		for more := o.pieces & left & o.others; more != 0 && need > 0; more &= more - 1 {
			take |= more & -more
			need--
		}
		brings[o.slot] = take
		left &^= take
	}
	return all
}

// offer is what a message could bring.
type offer struct {
	slot           int32
	count          int
	pieces, others uint64
}

// load adds what a message uses, each use longer than without words. It returns the number of uses.
func (f *form) load(uses []use, longer router.Cycle) int {
	s := &f.scratch
	for i := range uses {
		u := &uses[i]
		l, long := &s.loads[u.calendar], u.long+longer
		if u.among > 1 {
			long = max(1, long/u.among)
		}
		if l.busy == 0 {
			s.used = append(s.used, u.calendar)
			l.first = u.at
		}
		l.busy += long
		if u.at < l.first {
			l.first = u.at
		}
	}
	return len(uses)
}

// norm is the 8-norm of the times in which all that is used has done its work, if it works without a pause. It clears what was loaded.
func (f *form) norm() float64 {
	s, sum, per := &f.scratch, 0.0, 1/f.unit
	for _, c := range s.used {
		l := &s.loads[c]
		x := float64(l.first+l.busy) * per
		x *= x
		x *= x
		sum += x * x
		l.busy = 0
	}
	s.used = s.used[:0]
	return math.Sqrt(math.Sqrt(math.Sqrt(sum))) * f.unit
}
