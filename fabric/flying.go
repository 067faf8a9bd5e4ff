// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"meshwright/internal/heap"
	"meshwright/router"
)

// This file is how a run advances worm by worm. As long as no two messages meet, Run does not look at
// flits: a message leaves, its channel becomes free, and it is received, and the clock moves from one of
// these events to the next (see router.Flights). As soon as two messages would meet, the run goes back
// to the cycle in which the first message left that is still in flight, gives these messages to the chips
// flit by flit, and goes on so until the network is empty. The results are the same in every cycle.

// Messenger is a Component to which whole messages are enough: it looks at Received and Freed, and at
// Taking and Flits only for the tails of messages. If all components are messengers,
// Run may leave single flits out, and calls them only in the cycles in which a message leaves, arrives
// or frees its channel, or which they have named by Wakes.
type Messenger interface {
	Component
	// OnlyMessages marks the type; nobody calls it.
	OnlyMessages()
}

// flying is the state of worms that fly.
type flying struct {
	flights    *router.Flights // nil: worms have never flown, or cannot
	on         bool            // worms fly
	forbidden  bool            // a component needs flits
	never      bool            // the machine does not let worms fly
	departures heap.Heap[departure]
	releases   heap.Heap[departure]
	leaving    []int32         // channels whose messages leave in the present cycle
	freeing    []int64         // channels that their messages have left in it, by their order
	landing    []router.Flight // in the present cycle
	landed     int             // worms since they began to fly
	patience   int32           // messages that go flit by flit after the next meeting
	grounded   int32           // the first message that may fly
	rest       router.Cycle    // a flit's time less one: a PE has a flit so much later
}

// departure is an event at an injection channel in a later cycle: its message leaves, or all of it has left.
type departure struct {
	at    router.Cycle
	order int64 // of messages that have left see freeOrder; else the channel
}

// Before is the order in time.
func (d departure) Before(e departure) bool { return d.at < e.at }

// The number of messages that go flit by flit after a meeting grows as long as few messages fly in between.
const (
	leastPatience = 8
	mostPatience  = 1 << 16
)

// mayFly reports whether worms may begin to fly now: the network is empty, also of the
// times for which links rest, and no channel is in the middle of a message.
func (n *Network) mayFly() bool {
	f := &n.fly
	if f.never || f.forbidden || n.blocked || !n.empty() || n.nic.serial < f.grounded || n.bank.Now() < n.used {
		return false
	}
	if f.flights == nil && !n.prepareFlights() {
		return false
	}
	for k := range n.nic.waiting() {
		if s := &n.nic.senders[k]; s.left != s.length {
			return false
		}
	}
	return true
}

// prepareFlights makes the state of flights, unless the machine does not allow them.
func (n *Network) prepareFlights() bool {
	f := &n.fly
	if n.Machine.FullRate() && n.faults == nil {
		f.flights = router.NewFlights(n.bank)
	}
	if f.never = f.flights == nil; !f.never {
		f.flights.Reserve(n.nic.expected)
	}
	f.rest = router.Cycle(n.Machine.FlitTicks()) - 1
	return !f.never
}

// begin lets worms fly from the next cycle on.
func (f *flying) begin(n *Network) {
	f.on, f.landed = true, 0
	for k := range n.nic.waiting() {
		f.depart(k, n.nic.senders[k].ready, n.bank.Now())
	}
}

// depart notes when the message of a channel leaves.
func (f *flying) depart(k int32, at, now router.Cycle) {
	if at <= now {
		f.leaving = append(f.leaving, k)
		return
	}
	f.departures.Push(departure{at, int64(k)})
}

// stepFlying is Step while worms fly.
func (n *Network) stepFlying() {
	s := Signals{n}
	n.land()
	for _, c := range n.parts {
		c.Evaluate(s)
	}
	if !n.takeOff() {
		n.ground(true)
		n.decide(s)
		return
	}
	for _, c := range n.parts {
		c.Update(s)
	}
	n.nic.retire()
	n.bank.SkipTo(n.bank.Now() + 1)
}

// land receives the messages whose tails the PEs take in this cycle.
func (n *Network) land() {
	f, c := &n.fly, &n.nic
	f.landing = f.flights.Land(f.landing[:0])
	c.received, c.finished, c.flits = c.received[:0], c.finished[:0], c.flits[:0]
	c.leaving = len(f.landing)
	for _, flight := range f.landing {
		c.flits = append(c.flits, f.flights.Tail(flight))
		c.finished = append(c.finished, flight.Worm)
		length := n.bank.Worm(flight.Worm).Length
		if c.timed {
			c.times[flight.Worm].Head = n.ArrivalTime(flight.Lands - router.Cycle(length-1)*(f.rest+1))
		}
		c.complete(flight.Worm)
		c.done += uint64(length)
	}
	if len(f.landing) > 0 {
		f.landed += len(f.landing)
		n.taken = n.ArrivalTime(n.bank.Now())
		n.used = n.taken
	}
}

// takeOff lets the messages leave whose startup is over, and frees the channels that messages
// have left. It returns false if messages would meet.
func (n *Network) takeOff() bool {
	f, c, now := &n.fly, &n.nic, n.bank.Now()
	for len(f.departures) > 0 && f.departures[0].at == now {
		f.leaving = append(f.leaving, int32(f.departures.Pop().order))
	}
	for _, k := range f.leaving {
		s := &c.senders[k]
		if !f.flights.TakeOff(k, s.worm) {
			return false
		}
		c.dispatched(s.worm, now)
		if left := (departure{now + router.Cycle(s.length-1)*(f.rest+1), n.freeOrder(k, s.length)}); left.at == now {
			f.freeing = append(f.freeing, left.order)
		} else {
			f.releases.Push(left)
		}
	}
	f.leaving = f.leaving[:0]
	for len(f.releases) > 0 && f.releases[0].at == now {
		f.freeing = append(f.freeing, f.releases.Pop().order)
	}
	slices.Sort(f.freeing)
	for k := range c.parts {
		c.parts[k].freed = c.parts[k].freed[:0]
	}
	for _, order := range f.freeing {
		k := int32(order>>7<<6 | order&63)
		c.release(c.partOf(k), k)
	}
	c.noteFreed()
	f.freeing = f.freeing[:0]
	return true
}

// freeOrder is the order in which channels become free in a cycle, as place has it: by words of 64
// channels, and among the channels of a word those which stream come first.
func (n *Network) freeOrder(k int32, length uint32) int64 {
	order := int64(k>>6)<<7 | int64(k&63)
	if length == 1 && n.bank.Streams() {
		order |= 64
	}
	return order
}

// nextFlight returns the next cycle in which something happens to a message.
func (n *Network) nextFlight() router.Cycle {
	f, next := &n.fly, Never
	if at, ok := f.flights.NextLanding(); ok {
		next = at
	}
	if len(f.departures) > 0 {
		next = min(next, f.departures[0].at)
	}
	if len(f.releases) > 0 {
		next = min(next, f.releases[0].at)
	}
	return next
}

// ground puts the flits of all messages in flight where they are at the start of the present cycle;
// if evaluated, where they are after the components have been evaluated. It runs the
// cycles again in which these messages were in flight: they meet no others in them.
func (n *Network) ground(evaluated bool) {
	f, c, now := &n.fly, &n.nic, n.bank.Now()
	f.on = false
	if !evaluated {
		f.landing = f.landing[:0]
	}
	waiting := n.holdWaiting()
	again := slices.DeleteFunc(slices.Concat(f.flights.Aloft(), f.landing), func(x router.Flight) bool { return x.Off == now })
	slices.SortFunc(again, func(a, b router.Flight) int { return cmp.Compare(a.Off, b.Off) })
	f.releases, f.freeing = f.releases[:0], f.freeing[:0]
	for _, x := range f.landing {
		c.done -= uint64(n.bank.Worm(x.Worm).Length)
	}
	n.repeat(again, now)
	f.flights.Ground(f.landing)
	if evaluated {
		c.take(n.bank.EvaluateEjection())
		for m := range n.meters() {
			m.evaluateAgain(Signals{n})
		}
	}
	for _, s := range waiting {
		c.hold(s.channel, s.sender)
	}
	f.endure(c.serial)
}

// endure sets how many messages go flit by flit now: more and more, as long as fewer messages fly.
func (f *flying) endure(sent int32) {
	if f.landed > 4*int(f.patience) {
		f.patience /= 2
	} else {
		f.patience = min(mostPatience, 2*f.patience)
	}
	f.patience = max(leastPatience, f.patience)
	f.grounded = math.MaxInt32
	if sent < math.MaxInt32-f.patience {
		f.grounded = sent + f.patience
	}
}

// holding is a channel with a message that has not begun to leave.
type holding struct {
	channel int32
	sender  sender
}

// holdWaiting takes the messages that have not left out of their channels, and returns them.
func (n *Network) holdWaiting() []holding {
	f, c := &n.fly, &n.nic
	var list []holding
	for _, d := range f.departures {
		f.leaving = append(f.leaving, int32(d.order))
	}
	for _, k := range f.leaving {
		list = append(list, holding{k, c.senders[k]})
	}
	f.departures, f.leaving = f.departures[:0], f.leaving[:0]
	clear(c.active)
	for k := range c.parts {
		clear(c.parts[k].working)
	}
	clear(c.steady)
	c.busy = 0
	return list
}

// repeat runs the cycles before now, flit by flit, in which some flights were aloft, sorted by take-off.
func (n *Network) repeat(flights []router.Flight, now router.Cycle) {
	c := &n.nic
	taken := n.taken
	n.bank.ForgetWatch()
	n.inFlight, n.quiet = 0, 0
	if len(flights) == 0 {
		return
	}
	ready := make([]router.Cycle, len(flights))
	for i, x := range flights {
		ready[i] = c.senders[x.Channel].ready
	}
	n.bank.Rewind(flights[0].Off)
	for next := 0; n.bank.Now() < now; {
		c.take(n.bank.EvaluateEjection())
		for ; next < len(flights) && flights[next].Off == n.bank.Now(); next++ {
			c.depart(&flights[next])
		}
		c.place()
		n.bank.EvaluateLinks()
		n.noteUse(n.bank.Now())
		for m := range n.meters() {
			m.evaluateAgain(Signals{n})
			m.Update(Signals{n})
		}
		n.bank.Update()
		if n.bank.Now()%router.Cycle(n.Machine.Watchdog*n.Machine.Ticks()) == 0 {
			_ = n.bank.Watch() // it only remembers: nothing is stuck
		}
	}
	n.taken = max(n.taken, taken)
	for i, x := range flights { // a later message of the channel may have landed before
		c.senders[x.Channel].ready = max(ready[i], c.senders[x.Channel].ready)
	}
}

// meters ranges over the meters among the components.
func (n *Network) meters() iter.Seq[*Meter] {
	return func(yield func(*Meter) bool) {
		for _, c := range n.parts {
			if m, ok := c.(*Meter); ok && !yield(m) {
				return
			}
		}
	}
}

// settle ends a call of Run: whoever looks at the network sees flits.
func (n *Network) settle() {
	f := &n.fly
	switch {
	case !f.on:
	case n.empty():
		f.flights.Count() // the arbiters learn the rest when they are needed
	default:
		n.ground(false)
	}
}
