// SPDX-License-Identifier: Apache-2.0

package rounds

import (
	"math/bits"

	"meshwright/fabric/booking"
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// network is what all forms of a job share. For sums it runs backwards in time: messages go from their true receivers to their true senders.
type network struct {
	*plan.Task
	*plan.Pairs
	nodes         int
	backwards     bool
	least         router.Cycle // no schedule is faster
	most          int          // work of a search
	symmetricMost int          // of a long one with symmetries, if that is less
	model         timing.Model
	pieces        []transfer.Range // by node: that of which it is the root
	all           uint64           // the nodes whose pieces have words
	equal         int              // words of each of them, if all have as many; otherwise 0
	near          [][]int32        // by node: the others, the nearest first
	slots         []slot
	slotsOf       [][]int32 // by node
	slotOf        []int32   // by pair of nodes: the slot of messages between them
	uses          [][]use   // by pair of nodes: those of a message without words
	calendars     int
	unit          float64 // the time of a message with one piece to a neighbour
}

// slot is a channel by which a node can send one message in a round.
type slot struct {
	owner int32
	near  []int32 // to whom, the nearest first
}

// use is that of a calendar by its number, see booking.Use. It begins in cycle at from the hand-over on.
type use struct {
	calendar int32
	at, long router.Cycle
	among    router.Cycle // so many of these can be at the same time
}

// in is for how long a message with words is in use that takes so much longer than one without.
func (u *use) in(longer router.Cycle) router.Cycle {
	if u.among > 1 {
		return max(1, (u.long+longer)/u.among)
	}
	return u.long + longer
}

func newNetwork(t *plan.Task, backwards bool) (*network, error) {
	pairs, err := plan.NewPairs(t)
	if err != nil {
		return nil, err
	}
	n := &network{Task: t, Pairs: pairs, nodes: len(t.Lengths), backwards: backwards, least: t.LowerBound(), model: timing.Stalling(&t.Machine), near: pairs.Nearest()}
	longest, shortest := 0, int(^uint(0)>>1)
	for v := range router.NodeID(n.nodes) {
		p := transfer.Range{From: 0, To: t.Lengths[v]} // of an all-to-all, that for each of the others
		if t.Kind.Name != plan.Exchange {
			p = t.Piece(v)
		}
		n.pieces = append(n.pieces, p)
		if words := p.To - p.From; words > 0 {
			n.all |= 1 << v
			longest, shortest = max(longest, words), min(shortest, words)
		}
	}
	if longest == shortest {
		n.equal = longest
	}
	n.unit = float64(n.model.UntilWhole(1, longest))
	n.findSlots()
	n.findUses()
	n.most, n.symmetricMost = n.Spend(min(max(leastWork, workOf*n.nodes*n.nodes*n.nodes), mostWork)), n.Spend(mostSymmetric)
	return n, nil
}

// findSlots lists the channels by which nodes send.
func (n *network) findSlots() {
	numbers := make(map[int32]int32)
	n.slotOf, n.slotsOf = make([]int32, n.nodes*n.nodes), make([][]int32, n.nodes)
	for u := range int32(n.nodes) {
		for _, v := range n.near[u] {
			channel := n.Out(u, v)
			if n.backwards {
				channel = n.In(v, u)
			}
			i, ok := numbers[channel]
			if !ok {
				i = int32(len(n.slots))
				numbers[channel] = i
				n.slots, n.slotsOf[u] = append(n.slots, slot{owner: u}), append(n.slotsOf[u], i)
			}
			n.slots[i].near = append(n.slots[i].near, v)
			n.slotOf[n.pair(u, v)] = i
		}
	}
}

// findUses lists what messages use. A half-duplex interface counts once for what it sends and what it receives.
func (n *network) findUses() {
	book, numbers := n.newBook(), make(map[*booking.Calendar]int32)
	number := func(c *booking.Calendar) int32 {
		if _, ok := numbers[c]; !ok {
			numbers[c] = int32(n.calendars)
			n.calendars++
		}
		return numbers[c]
	}
	n.uses = make([][]use, n.nodes*n.nodes)
	for u := range int32(n.nodes) {
		for _, v := range n.near[u] {
			source, route := n.way(u, v)
			list := make([]use, 0, len(route)+4)
			for _, x := range book.Uses(source, route, 0) {
				own := use{number(x.Calendar), x.At + n.model.Startup, x.Long, 1}
				if x.Enters != nil {
					numbers[x.Enters] = own.calendar
					own.among = n.atOnce()
				}
				list = append(list, own)
			}
			n.uses[n.pair(u, v)] = list
		}
	}
}

// atOnce is how many messages a half-duplex interface can send at a time, or receive: with all ports one for each channel, on the average of all nodes.
func (n *network) atOnce() router.Cycle {
	if n.Machine.Ports == machine.SinglePort {
		return 1
	}
	return router.Cycle(max(1, len(n.slots)/n.nodes))
}

// pair is the number of a pair of nodes.
func (n *network) pair(u, v int32) int { return int(u)*n.nodes + int(v) }

// way returns the true sender of a message and its route.
func (n *network) way(from, to int32) (router.NodeID, []router.Port) {
	if n.backwards {
		from, to = to, from
	}
	return router.NodeID(from), n.Route(from, to)
}

// newBook returns a book in which everything is free.
func (n *network) newBook() *booking.Book {
	return booking.NewStalling(n.Topology, n.Machine, n.backwards)
}

// words counts the words of a set of pieces.
func (n *network) words(set uint64) (words int) {
	if n.equal > 0 {
		return bits.OnesCount64(set) * n.equal
	}
	for ; set != 0; set &= set - 1 {
		p := n.pieces[bits.TrailingZeros64(set)]
		words += p.To - p.From
	}
	return words
}
