// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"meshwright/internal/heap"
	"meshwright/internal/input"
	"meshwright/internal/rational"
)

// Dispatch is a packet that its source hands to its network interface at a
// given time, or when the interface is done with the packet before it.
type Dispatch struct {
	Packet
	At Ticks
}

// Gather simulates packets on their way to the root of a tree. A node's own packets leave in
// the order given. The rules are the same as in the packet chip:
//
//   - A node passes on its children's packets and its own in the order in which they are
//     ready: complete, or dispatched. Of two packets at the same moment the child's goes
//     first.
//   - A node that has a packet to send and is not sending asks its parent. The parent receives
//     from the child that asked first; of several from the child with the lowest number.
//
// Buffers have any size; Outcome.Buffer is the size that is needed, over all links. The
// running time is linear in packets times hops, times the logarithm of a node's children.
// Errors: a packet from the root or from no node, without flits, too long, dispatched before
// 0.
func Gather(t *Tree, dispatch []Dispatch, beta rational.Rational) (*Outcome, error) {
	if err := t.valid(); err != nil {
		return nil, err
	}
	c := clockOf(beta)
	if err := checkDispatch(t, dispatch, c); err != nil {
		return nil, err
	}
	o := &Outcome{Scale: c.flit, Arrival: make([]Ticks, len(dispatch))}
	senders := make([]sender, t.nodes())
	for v := range senders {
		senders[v].node = int32(v)
	}
	for i, d := range dispatch {
		s := &senders[d.Node]
		s.own = append(s.own, entry{ready: int64(d.At), packet: int32(i), from: -1, flits: int64(d.Flits)})
	}
	through := make([][]hop, t.nodes()) // by the child that they came from
	for i := len(t.order) - 1; i >= 0; i-- {
		v := t.order[i]
		receive(t, v, senders, c, func(s *sender, e entry, start int64) {
			end := start + c.cost(e.flits)
			if e.from >= 0 {
				through[e.from] = append(through[e.from], hop{e.in, start, e.flits})
			}
			if v == t.root {
				o.Arrival[e.packet] = Ticks(end)
				o.Completion = max(o.Completion, Ticks(end))
				return
			}
			senders[v].passed = append(senders[v].passed, entry{ready: end, in: start, packet: e.packet, from: s.node, flits: e.flits})
		})
		for _, child := range t.children[v] {
			senders[child] = sender{}
		}
	}
	for _, hops := range through {
		o.Buffer = max(o.Buffer, int(crowding(hops, c)))
	}
	return o, nil
}

func checkDispatch(t *Tree, dispatch []Dispatch, c clock) error {
	packets := make([]Packet, len(dispatch))
	for i, d := range dispatch {
		if d.At < 0 || d.At > 1<<61 {
			return input.Errorf("expected 0 to 2^61", "packet %d: dispatched at tick %d", i, d.At)
		}
		packets[i] = d.Packet
	}
	return checkPackets(t, packets, c)
}

// entry is a packet at a node, on its way to the parent.
type entry struct {
	ready  int64 // when it is complete, or may be dispatched
	in     int64 // when its transmission to this node began
	packet int32
	from   int32 // the child that it came from, -1 for an own packet
	flits  int64
}

// sender is a node's side of the link to its parent.
type sender struct {
	node        int32
	own, passed []entry // in order of dispatch, of arrival
	free        int64   // when it is done with the packet before
	ownReady    int64   // when it was done with its own packet before
	request     int64   // when it asks for the next one
	owns        bool    // the next one is its own
}

// next finds the packet that joins the queue first: a child's packet before the node's own. It
// returns false when there is none.
func (s *sender) next() bool {
	if len(s.own) == 0 && len(s.passed) == 0 {
		return false
	}
	s.owns = len(s.passed) == 0 || len(s.own) > 0 && s.ownJoins() < s.passed[0].ready
	if s.owns {
		s.request = max(s.free, s.ownJoins())
	} else {
		s.request = max(s.free, s.passed[0].ready)
	}
	return true
}

func (s *sender) ownJoins() int64 { return max(s.own[0].ready, s.ownReady) }

func (s *sender) take(end func(entry) int64) entry {
	var e entry
	if s.owns {
		e, s.own = s.own[0], s.own[1:]
		s.ownReady = end(e)
	} else {
		e, s.passed = s.passed[0], s.passed[1:]
	}
	s.free = end(e)
	return e
}

// receive serves the children of node v. The packets that a node receives do not depend on the
// packets that it sends, so all of v's children are known to the end.
func receive(t *Tree, v int32, senders []sender, c clock, took func(s *sender, e entry, start int64)) {
	var queue heap.Heap[*sender]
	for _, child := range t.children[v] {
		if s := &senders[child]; s.next() {
			queue = append(queue, s)
		}
	}
	if v != t.root {
		passing := 0
		for _, child := range t.children[v] {
			passing += len(senders[child].own) + len(senders[child].passed)
		}
		senders[v].passed = make([]entry, 0, passing)
	}
	queue.Init()
	free := int64(0)
	for len(queue) > 0 {
		s := queue[0]
		start := max(free, s.request)
		e := s.take(func(e entry) int64 { return start + c.cost(e.flits) })
		free = s.free
		took(s, e, start)
		if s.next() {
			queue.FixFirst()
		} else {
			queue.Pop()
		}
	}
}

// Before is the order in which senders are served: the oldest request first, then the
// lowest node.
func (s *sender) Before(other *sender) bool {
	return s.request < other.request || s.request == other.request && s.node < other.node
}
