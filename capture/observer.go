// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"cmp"
	"slices"

	"meshwright/capture/queue"
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/router"
)

// flitView is a flit with the header of its worm looked up.
type flitView struct {
	Kind                router.Kind
	Head, Tail          bool
	VC                  router.VC
	Source, Destination router.NodeID
	Message             int64    // the name that Options.Label gave
	Serial              int32    // unique in the run
	Flit                uint32   // from 1
	Length              uint32   // flits of the message
	Value               uint32   // the lowest 32 bits of the payload
	Upper               []uint32 // those above, of wide words
}

// crossing is a flit that crosses a link.
type crossing struct {
	flitView
	Link     int // index in Topology.Links
	From, To router.NodeID
	Port     router.Port // by which it leaves
	Hop      router.Cycle
	Lost     bool // a fault takes it away, with its whole message
}

// flags returns the flags of the flit on which its time on a link depends.
func (f *flitView) flags() uint8 {
	if f.Head {
		return router.Head
	}
	return 0
}

// standing is a flit at a node.
type standing struct {
	flitView
	Node router.NodeID
}

// observer reads one cycle at a time off the network, in an order that does
// not depend on how the network evaluates.
type observer struct {
	net  *fabric.Network
	opts Options `snapshot:"start"`

	portBase  []int32 `snapshot:"-"` // link ports of node n start here
	linkAt    []int32 `snapshot:"-"` // index in Topology.Links by port, -1: unconnected
	registers []fabric.Placement
	leaving   map[register]bool

	// what lookAtLinks saw; crossings only where opts is interested
	crossings []crossing `snapshot:"-"`
	blocked   []int      // links whose offered flit did not cross
	// what lookAtNodes saw, where opts is interested
	waiting []standing   // flits in injection registers, by node and channel
	ejected []standing   // flits that left for their PE
	still   []standing   // flits in injection registers in the cycles that the clock skipped
	skipped router.Cycle // so many cycles, before this one
	next    router.Cycle // the cycle after the last one seen
}

// register names an injection register.
type register struct {
	node    router.NodeID
	channel int32
}

func newObserver(net *fabric.Network, opts Options) *observer {
	t := net.Topology
	o := &observer{
		net: net, opts: opts,
		portBase: make([]int32, t.Nodes()+1), leaving: map[register]bool{},
	}
	for n := range t.Nodes() {
		o.portBase[n+1] = o.portBase[n] + int32(t.Ports(router.NodeID(n)))
	}
	o.linkAt = make([]int32, o.portBase[t.Nodes()])
	for g := range o.linkAt {
		o.linkAt[g] = -1
	}
	for i, link := range t.Links() {
		o.linkAt[o.portBase[link.From]+int32(link.FromPort)] = int32(i)
	}
	return o
}

// Evaluate does nothing: a monitor does not act.
func (o *observer) Evaluate(fabric.Signals) {}

// Wakes returns Never: where nothing moves there is nothing to see.
func (o *observer) Wakes() router.Cycle { return fabric.Never }

// lookAtLinks reads what links do in the cycle, during Update.
func (o *observer) lookAtLinks(s fabric.Signals) {
	o.crossings, o.blocked = o.crossings[:0], o.blocked[:0]
	for offer := range s.Offers() {
		switch {
		case int(offer.Port) >= o.net.Topology.Ports(offer.Node):
		case offer.Fired:
			o.cross(s, offer)
		default:
			o.blocked = append(o.blocked, o.link(offer))
		}
	}
	slices.SortFunc(o.crossings, func(a, b crossing) int { return cmp.Compare(a.Link, b.Link) })
}

// link returns the index of the link that an offer is for.
func (o *observer) link(offer router.Offer) int {
	return int(o.linkAt[o.portBase[offer.Node]+int32(offer.Port)])
}

// hop returns the time of the hop that an offer is for.
func (o *observer) hop(offer router.Offer) router.Cycle {
	return router.Cycle(o.net.Hop(offer.Node, offer.Port))
}

// holds returns the ticks in which a flit that crosses its link in tick now keeps the link busy.
func (o *observer) holds(now router.Cycle, c *crossing) (from, until router.Cycle) {
	return o.net.Holds(now, c.From, c.Port, router.Flit{Flags: c.flags()})
}

// lookAtNodes reads what network interfaces do in the cycle, during Update. It
// must see every cycle.
func (o *observer) lookAtNodes(s fabric.Signals) {
	o.waiting, o.ejected = o.waiting[:0], o.ejected[:0]
	o.lookBack(s)
	o.lookAtRegisters(s)
	clear(o.leaving)
	for offer := range s.Offers() {
		if !offer.Fired {
			continue
		}
		ports := o.net.Topology.Ports(offer.Node)
		if local := offer.Input - int32(ports*o.net.Machine.VCs); local >= 0 {
			o.leaving[register{offer.Node, local}] = true
		}
		if int(offer.Port) >= ports && o.opts.ofInterest(offer.Node) {
			o.ejected = append(o.ejected, standing{o.view(s, offer.Flit), offer.Node})
		}
	}
	o.emptyRegisters()
}

// lookAtBuffers records the flits that enter and leave buffers in the cycle, during Update, where opts is interested.
// A machine without buffers keeps no flit.
func (o *observer) lookAtBuffers(s fabric.Signals, record *queue.Record) {
	if o.net.Machine.Switching == machine.Bufferless {
		return
	}
	record.Settle(s.Now())
	for offer := range s.Offers() {
		if !offer.Fired {
			continue
		}
		ports := o.net.Topology.Ports(offer.Node)
		if int(offer.Input) < ports*o.net.Machine.VCs && o.opts.ofInterest(offer.Node) {
			record.Leave(offer.Node, s.Now())
		}
		if int(offer.Port) >= ports || o.net.Bank().Loses(offer) {
			continue
		}
		if to := o.net.Topology.Neighbor(offer.Node, offer.Port); o.opts.ofInterest(to) {
			record.Arrive(to, s.Now()+o.hop(offer))
		}
	}
}

// lookBack tells what stood in injection registers while the clock skipped
// cycles, in which nothing came or went: a packet pays its set-up there.
func (o *observer) lookBack(s fabric.Signals) {
	o.still, o.skipped = o.still[:0], s.Now()-o.next
	o.next = s.Now() + 1
	if o.skipped == 0 {
		return
	}
	for _, p := range o.registers {
		if o.opts.ofInterest(p.Node) {
			o.still = append(o.still, standing{o.view(s, p.Flit), p.Node})
		}
	}
}

func (o *observer) cross(s fabric.Signals, offer router.Offer) {
	to := o.net.Topology.Neighbor(offer.Node, offer.Port)
	if !o.opts.ofInterest(offer.Node) && !o.opts.ofInterest(to) {
		return
	}
	o.crossings = append(o.crossings, crossing{
		o.view(s, offer.Flit), o.link(offer), offer.Node, to, offer.Port, o.hop(offer),
		o.net.Faults() != nil && o.net.Bank().Loses(offer),
	})
}

// lookAtRegisters adds the flits that entered injection registers to those
// that stand there.
func (o *observer) lookAtRegisters(s fabric.Signals) {
	o.registers = append(o.registers, s.Placed()...)
	slices.SortFunc(o.registers, func(a, b fabric.Placement) int {
		return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Channel, b.Channel))
	})
	for _, p := range o.registers {
		if o.opts.ofInterest(p.Node) {
			o.waiting = append(o.waiting, standing{o.view(s, p.Flit), p.Node})
		}
	}
}

// emptyRegisters forgets the flits that are gone from injection registers in
// the next cycle. A bufferless chip keeps none: what cannot leave is lost.
func (o *observer) emptyRegisters() {
	if o.net.Machine.Switching == machine.Bufferless {
		o.registers = o.registers[:0]
		return
	}
	o.registers = slices.DeleteFunc(o.registers, func(p fabric.Placement) bool {
		return o.leaving[register{p.Node, p.Channel}]
	})
}

func (o *observer) view(s fabric.Signals, f router.Flit) flitView {
	w, word := s.Worm(f), s.Word(f)
	return flitView{
		Kind: w.Kind, Head: f.Flags&router.Head != 0, Tail: f.Flags&router.Tail != 0, VC: f.VC,
		Source: w.Source, Destination: w.Destination,
		Message: o.opts.Label(w), Serial: w.Message, Flit: f.Seq + 1, Length: w.Length, Value: word[0], Upper: word[1:],
	}
}
