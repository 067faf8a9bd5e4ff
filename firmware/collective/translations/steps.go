// SPDX-License-Identifier: Apache-2.0

package translations

import (
	"math/bits"

	"meshwright/fabric/booking"
	"meshwright/fabric/topology"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// step is a message that a node may send of a piece: to a node, or the next one to which it may, and how many more messages than before are in its sum. Nodes are counted from the nearest on; -1-v is
// node v, or the next one before it.
type step struct{ to, more, piece int32 }

// sent is a message of node 0. A message that comes before others with a smaller sum are sent waits until they are.
type sent struct {
	to, piece          int32
	handed, whole, due router.Cycle
	brings             uint64 // the nodes in the sum that node 0 gets
}

// schedule is the messages of node 0, in the order in which they were booked. Those that come to a piece are added up in this order.
type schedule struct {
	messages []sent
	sides    []side
	pieces   []transfer.Range
	missing  int // nodes that are not in a sum, of all pieces
	cycles   router.Cycle
	family   topology.Translations
	steps    []step  // of which it was made
	near     []int32 // in which the steps count
}

// side is a piece at node 0.
type side struct {
	has, covered uint64       // nodes in the sum that is sent, and in all that come
	messages     []int32      // of the piece
	added        int          // of them, to the sum that is sent
	from, last   router.Cycle // no message is handed over before; the last one so far was
}

// run books the steps, one after the other, each as early as it can be handed over.
func (n *network) run(steps []step, s *schedule) {
	for i := range n.calendars {
		n.calendars[i] = n.calendars[i][:0]
	}
	clear(n.carried)
	s.begin(n)
	for _, x := range steps {
		if n.take(x, s); s.missing == 0 {
			break
		}
	}
	for i := range s.sides {
		p := &s.sides[i]
		p.add(s, len(p.messages))
	}
	for i := range s.messages {
		s.cycles = max(s.cycles, s.messages[i].due+1)
	}
}

func (s *schedule) begin(n *network) {
	s.messages, s.pieces, s.cycles, s.missing = s.messages[:0], n.pieces, 0, len(n.pieces)*(n.nodes-1)
	for len(s.sides) < len(n.pieces) {
		s.sides = append(s.sides, side{})
	}
	for i := range s.sides {
		s.sides[i] = side{has: 1, covered: 1, messages: s.sides[i].messages[:0], last: -1}
	}
}

// take books the message of a step, if it is good for something.
func (n *network) take(x step, s *schedule) {
	p := &s.sides[x.piece]
	p.add(s, min(p.added+int(x.more), len(p.messages)))
	to, brings := n.useful(x.to, x.piece, p)
	if to < 0 {
		return
	}
	w := &n.ways[x.piece][to]
	handed := booking.Earliest(w.uses, p.from+n.model.Startup) - n.model.Startup
	booking.Reserve(w.uses, handed+n.model.Startup)
	p.last, p.messages = max(p.last, handed), append(p.messages, int32(len(s.messages)))
	whole := handed + n.model.UntilWhole(len(w.course), length(n.pieces[x.piece]))
	s.messages = append(s.messages, sent{to: to, piece: x.piece, handed: handed, whole: whole, brings: brings})
	p.covered |= brings
	s.missing -= bits.OnesCount64(brings)
}

// add adds messages to the sum of a piece, up to a number of them. What was sent before must not have them.
func (p *side) add(s *schedule, number int) {
	for ; p.added < number; p.added++ {
		m := &s.messages[p.messages[p.added]]
		m.due = max(m.whole, p.last+1)
		p.has, p.from = p.has|m.brings, max(p.from, m.due)
	}
}

// useful returns the first node, from one on, to which a sum can be sent so that nodes get no words that they have; -1 if there is none.
func (n *network) useful(to, piece int32, p *side) (found int32, brings uint64) {
	at, by := int(to), 1
	if to < 0 {
		at, by = -1-int(to), len(n.near)-1
	}
	for range n.near {
		v := n.near[at]
		at = (at + by) % len(n.near)
		if brings, ok := n.sum(p.has, v, p.covered); ok && n.carries(v, piece) {
			return v, brings
		}
	}
	return -1, 0
}

// sum returns the nodes of whose words node 0 gets the sum when all nodes send such a sum to a node. It reports false if node 0 has some of them.
func (n *network) sum(has uint64, to int32, covered uint64) (set uint64, ok bool) {
	moved := n.moved[n.back[to]]
	for ; has != 0; has &= has - 1 {
		v := uint64(1) << moved[bits.TrailingZeros64(has)]
		if covered&v != 0 {
			return 0, false
		}
		set |= v
	}
	return set, true
}

// carries reports whether links have room for the messages of all nodes to a node, and notes their flits. A link carries one of them for each time that its
// generator is in the course.
func (n *network) carries(v, piece int32) bool {
	if n.room == 0 {
		return true
	}
	w, flits := &n.ways[piece][v], length(n.pieces[piece])+n.Machine.HeaderFlits()
	fits := true
	for _, g := range w.course {
		n.carried[g] += flits
		fits = fits && n.carried[g] <= n.room
	}
	if !fits {
		for _, g := range w.course {
			n.carried[g] -= flits
		}
	}
	return fits
}

// transfers are the messages of all nodes.
func (n *network) transfers(s *schedule) *transfer.List {
	l := &transfer.List{Nodes: n.nodes, Timed: true}
	for _, m := range s.messages {
		for v := range n.nodes {
			l.Transfers = append(l.Transfers, transfer.Transfer{
				From: router.NodeID(v), To: s.family.Translate(router.NodeID(v), router.NodeID(m.to)), Start: m.handed, Due: m.due, Op: transfer.Add, Out: transfer.Set{s.pieces[m.piece]},
			})
		}
	}
	l.InSteps()
	return l
}
