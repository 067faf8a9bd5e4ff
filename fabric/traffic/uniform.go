// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Uniform is a component that lets every node send packets of Flits flits to
// nodes drawn uniformly, itself left out, at Rate packets per node and cycle
// (a Bernoulli process). Packets wait in an unbounded queue at their source.
// It is the load of the benchmark of the model's speed, and stays as it is so that versions
// can be compared; other loads are a Load.
type Uniform struct {
	Flits int
	Rate  float64

	rng     *rand.Rand
	nodes   int
	queues  []queue
	due     []router.Cycle // next generation at each node
	slots   []slot         // nodes by due cycle, modulo the wheel
	after   []int32        // by node: the next one in its slot, -1: none
	trying  []int32        // nodes that try to send in the next cycle
	again   []int32        // room for the next list of them
	ticket  []uint64       // by node: when its queue ceased to be empty, 0: it is empty
	tickets uint64
	gaps    gaps

	Generated uint64 // packets
}

// slot is a list of nodes in the order in which they were put there.
type slot struct{ first, last int32 } // -1: it is empty

// queue is a first-in first-out list of destinations.
type queue struct {
	items []int32
	head  int
}

// wheel is the number of cycles the generator looks ahead at once.
const wheel = 1024

// NewUniform returns a source for nodes nodes, at least 2, of packets of at
// least one flit; the rate lies above 0 and below 1. The same seed gives the same
// packets. Errors are *input.Error.
func NewUniform(nodes, flits int, rate float64, seed uint64) (*Uniform, error) {
	switch {
	case nodes < 2 || nodes > topology.MaxNodes:
		return nil, input.Errorf(fmt.Sprintf("expected 2 to %d", topology.MaxNodes), "traffic among %s", input.Count(nodes, "node"))
	case flits < 1:
		return nil, input.Errorf("expected at least 1", "packets of %s", input.Count(flits, "flit"))
	case !(rate > 0 && rate < 1):
		return nil, input.Errorf("expected more than 0 and less than 1", "a rate of %g packets a node and cycle", rate)
	}
	u := &Uniform{
		Flits: flits, Rate: rate, rng: rand.New(rand.NewPCG(seed, 0x6d657368)), nodes: nodes,
		queues: make([]queue, nodes), due: make([]router.Cycle, nodes), slots: slices.Repeat([]slot{{-1, -1}}, wheel),
		after: make([]int32, nodes), ticket: make([]uint64, nodes), gaps: newGaps(rate),
	}
	for n := range nodes {
		u.schedule(int32(n), 0)
	}
	return u, nil
}

// schedule draws the next generation at node n, from cycle from on; the gaps
// of a Bernoulli process are geometric.
func (u *Uniform) schedule(n int32, from router.Cycle) {
	gap := u.gaps.of(u.rng.Float64())
	if gap > 1e15 {
		gap = 1e15
	}
	u.due[n] = from + router.Cycle(gap)
	u.put(n)
}

// put puts a node at the end of the slot in which it is due.
func (u *Uniform) put(n int32) {
	s := &u.slots[u.due[n]%wheel]
	u.after[n] = -1
	if s.first < 0 {
		s.first = n
	} else {
		u.after[s.last] = n
	}
	s.last = n
}

// Evaluate implements fabric.Component.
func (u *Uniform) Evaluate(s fabric.Signals) {
	u.generate(s.Now())
	for n := range s.Freed() {
		if u.ticket[n] > 0 {
			u.join(int32(n))
		}
	}
	trying := u.trying
	u.trying = u.again[:0]
	for _, n := range trying {
		u.send(s, n)
	}
	u.again = trying
}

// join lets a node try to send in this cycle. Nodes try in the order in which their queues
// ceased to be empty.
func (u *Uniform) join(n int32) {
	k := len(u.trying)
	u.trying = append(u.trying, n)
	for ; k > 0 && u.ticket[u.trying[k-1]] >= u.ticket[n]; k-- {
		if u.trying[k-1] == n { // with several channels free at the same time
			copy(u.trying[k:], u.trying[k+1:])
			u.trying = u.trying[:len(u.trying)-1]
			return
		}
		u.trying[k], u.trying[k-1] = u.trying[k-1], n
	}
}

// send sends the first packet of a node, if the channel that it needs is free. The node tries again
// in the next cycle, or when a channel is free.
func (u *Uniform) send(s fabric.Signals, n int32) {
	q := &u.queues[n]
	m := fabric.Message{Source: router.NodeID(n), Destination: router.NodeID(q.items[q.head]), Length: u.Flits}
	if _, err := s.Send(m); err != nil {
		return
	}
	if q.head++; q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
		u.ticket[n] = 0
		return
	}
	u.trying = append(u.trying, n)
}

// Update implements fabric.Component.
func (u *Uniform) Update(fabric.Signals) {}

// OnlySends implements fabric.Sender.
func (u *Uniform) OnlySends() {}

// generate makes the packets that are due; nodes due in a later turn of the
// wheel stay in their slot.
func (u *Uniform) generate(now router.Cycle) {
	s := &u.slots[now%wheel]
	n := s.first
	s.first = -1
	for n >= 0 {
		next := u.after[n]
		if u.due[n] == now {
			u.packet(n)
			u.schedule(n, now+1)
		} else {
			u.put(n)
		}
		n = next
	}
}

func (u *Uniform) packet(n int32) {
	to := int32(u.rng.IntN(u.nodes - 1))
	if to >= n {
		to++
	}
	u.queues[n].items = append(u.queues[n].items, to)
	u.Generated++
	if u.ticket[n] == 0 {
		u.tickets++
		u.ticket[n] = u.tickets
		u.trying = append(u.trying, n)
	}
}
