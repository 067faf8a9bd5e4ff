// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"meshwright/internal/crew"
	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/router"
)

// Never is the cycle of something that will not happen by itself.
const Never = router.Cycle(math.MaxInt64)

// ErrIdle is the error of a run in which no flit is in flight and every
// component waits for one.
var ErrIdle = errors.New("nothing is in flight and every component waits")

// ErrLimit is the error of a run that reached its cycle limit.
var ErrLimit = errors.New("cycle limit reached")

// TooLong is the error of a run in which a PE sends a message that is longer
// than the machine's largest packet.
type TooLong struct {
	Node           router.NodeID
	Flits, Largest int
	Cycle          router.Cycle
}

// Error names the node and both lengths.
func (l *TooLong) Error() string {
	return fmt.Sprintf("node %d sends %s in cycle %d: the largest packet has %d", l.Node, input.Count(l.Flits, "flit"), l.Cycle, l.Largest)
}

// Component is a user's block on the clock: traffic source, PE array, monitor.
type Component interface {
	// Evaluate looks at the cycle and may send. It must not change what other
	// components see in the same cycle.
	Evaluate(s Signals)
	// Update ends the cycle: all flits of it have been decided.
	Update(s Signals)
}

// Sleeper is a Component that need not be called in every cycle.
type Sleeper interface {
	// Wakes returns the next cycle in which the component acts even if
	// nothing is delivered and no channel becomes free; Never if none.
	Wakes() router.Cycle
}

// Finisher is a Component whose work ends.
type Finisher interface {
	// Finished reports whether the component will not act again.
	Finished() bool
}

// Sender is a Component whose Update does nothing. If all components are senders, nobody looks at the decisions of a cycle
// before the chips carry them out, and so the chips may do both at once.
type Sender interface {
	Component
	// OnlySends marks the type; nobody calls it.
	OnlySends()
}

// Signals gives a component its view of a cycle.
type Signals struct{ n *Network }

// Now returns the cycle.
func (s Signals) Now() router.Cycle { return s.n.bank.Now() }

// Flits returns the flits that PEs take in this cycle.
func (s Signals) Flits() []router.Delivery { return s.n.nic.listTaken() }

// Taking reports whether PEs take any flits in this cycle: whether Flits would
// return some, and cheaper.
func (s Signals) Taking() bool { return s.n.nic.taking() }

// takingData reports whether PEs take any flits of data in this cycle: flits
// that are no control words.
func (s Signals) takingData() bool { return s.n.nic.takingData() }

// Received returns the messages whose last flits PEs take in this cycle.
// Their words are valid until the cycle ends.
func (s Signals) Received() []Received { return s.n.nic.listReceived() }

// Keep lets one component have the words of message k of Received after the cycle, too. It gives
// other memory for them, which the network uses after the cycle.
func (s Signals) Keep(k int, spare []uint32) {
	c := &s.n.nic
	c.kept = append(c.kept, kept{c.finished[k], spare})
}

// Freed calls yield with the node and channel of every injection channel that
// can take a message since this cycle.
func (s Signals) Freed() iter.Seq2[router.NodeID, int32] {
	return func(yield func(router.NodeID, int32) bool) {
		for _, k := range s.n.nic.freed {
			node := s.n.nic.node[k]
			if !yield(node, k-s.n.nic.base[node]) {
				return
			}
		}
	}
}

// Send hands a message to its source's network interface, during Evaluate, and
// returns its serial number. The error is ErrBusy when the channel that the
// message needs has one already. A *BadMessage or *TooLong ends the run: Run
// returns it, too.
func (s Signals) Send(m Message) (serial int32, err error) { return s.n.nic.send(&m) }

// Hold lets a channel place no flit in this cycle, during Evaluate, so that messages have gaps. Only a network of Anew
// whose chips switch worms takes it.
func (s Signals) Hold(at router.NodeID, channel int32) {
	k := s.n.nic.base[at] + channel
	s.n.nic.held[k>>6] |= 1 << (k & 63)
}

// CanSend reports whether Send would accept a message along route (nil: the
// machine's own) in this cycle. For ends and routes that do not exist it returns
// true, so that the caller gets the error from Send.
func (s Signals) CanSend(from, to router.NodeID, route []router.Port) bool {
	if !s.n.leaves(from, to, route) {
		return true
	}
	return s.n.nic.free(from, s.n.nic.channelFor(from, to, route, &s.n.asked))
}

// leaves reports whether a message has two ends and a first link.
func (n *Network) leaves(from, to router.NodeID, route []router.Port) bool {
	t := n.Topology
	return t.Has(from) && t.Has(to) && from != to && (route == nil || len(route) > 0 && uint(route[0]) < uint(t.Ports(from)))
}

// Do calls work for 0 to pieces-1, on all workers that Network.Employ gave, and returns when all calls have returned.
// At most 65535 pieces.
func (s Signals) Do(pieces int, work func(i int)) {
	if s.n.crew != nil {
		s.n.crew.Do(pieces, work)
		return
	}
	for i := range pieces {
		work(i)
	}
}

// Placed returns the flits that entered injection registers in this cycle; it
// is complete in Update.
func (s Signals) Placed() []Placement { return s.n.nic.listPlaced() }

// Offers ranges over the flits that outputs show in this cycle, in Update.
// Blocked ones are included after a call of Network.KeepBlocked.
func (s Signals) Offers() iter.Seq[router.Offer] { return s.n.bank.Offers }

// Worm returns the header of a flit.
func (s Signals) Worm(f router.Flit) *router.Worm { return s.n.bank.Worm(f.Worm) }

// Word returns the data of a flit, Machine.Elements numbers, all 0 in a message without
// content and in a header flit. It is valid until the cycle ends.
func (s Signals) Word(f router.Flit) []uint32 {
	c := &s.n.nic
	if words, from := c.words[f.Worm], (int(f.Seq)-c.headers)*c.elements; from >= 0 && from < len(words) {
		return words[from : from+c.elements : from+c.elements]
	}
	return c.nothing
}

// Network returns the network.
func (s Signals) Network() *Network { return s.n }

// Attach puts a component on the clock; nil is left out.
func (n *Network) Attach(c Component) {
	if c == nil {
		return
	}
	n.parts = append(n.parts, c)
	if _, ok := c.(Messenger); !ok {
		n.fly.forbidden = true
	}
	if _, ok := c.(Sender); !ok {
		n.watched = true
	}
}

// Components returns what is on the clock, in the order of Attach.
func (n *Network) Components() []Component { return slices.Clone(n.parts) }

// KeepBlocked lets observers see flits that are offered and do not cross.
func (n *Network) KeepBlocked() {
	n.blocked = true
	n.bank.KeepBlocked()
}

// Step runs one cycle.
func (n *Network) Step() {
	if n.fly.on {
		n.ground(false)
	}
	s := Signals{n}
	n.nic.take(n.bank.EvaluateEjection())
	for _, c := range n.parts {
		c.Evaluate(s)
	}
	n.decide(s)
}

// decide is the part of a cycle after all components have been evaluated.
func (n *Network) decide(s Signals) {
	if !n.watched && !n.blocked && n.faults == nil && n.bank.Streams() {
		n.decideUnseen()
		return
	}
	n.nic.place()
	n.bank.EvaluateLinks()
	n.noteUse(n.bank.Now())
	n.strike()
	for _, c := range n.parts {
		c.Update(s)
	}
	n.corrupt()
	n.watchQuiet()
	n.nic.retire()
	n.bank.Update()
	n.inFlight -= n.bank.TakeLost()
}

// decideUnseen is decide for chips that stream, of which nobody watches the decisions.
func (n *Network) decideUnseen() {
	now := n.bank.Now()
	n.bank.Advance(n.nic.onePart)
	n.nic.notePlaced()
	n.noteUse(now)
	n.watchQuiet()
	n.nic.retire()
}

func (n *Network) watchQuiet() {
	if n.nic.placed == 0 && n.inFlight > 0 && n.bank.Moved() == 0 && !n.bank.Timed() {
		n.quiet++
	} else {
		n.quiet = 0
	}
}

// Employ lets several workers compute the cycles of a large network, until the function that it
// returns is called. Results do not depend on their number.
func (n *Network) Employ(workers int) (dismiss func()) {
	if workers = min(workers, max(n.bank.Parts(), n.Topology.Nodes()/nodesOfWorker)); workers < 2 {
		return func() {}
	}
	n.crew = crew.New(workers)
	n.bank.Employ(n.crew)
	return func() {
		n.bank.Employ(nil)
		n.crew.Close()
		n.crew = nil
	}
}

// nodesOfWorker are worth a worker, since their PEs may act in the same cycle.
const nodesOfWorker = 128

// Run steps the clock until every Finisher has finished and the network is
// empty. It ends with *router.Deadlock, *BadMessage, *TooLong, ErrIdle, ErrLimit, *Unsaved, the overseer's or the
// context's error otherwise. Cycles in which nothing can happen are skipped.
func (n *Network) Run(ctx context.Context, limit router.Cycle) error {
	phase := progress.Begin(ctx, "run on "+n.Topology.String(), 0)
	defer phase.End()
	defer n.settle()
	for !n.finished() {
		if n.bank.Now() >= limit {
			return ErrLimit
		}
		if err := n.saveDue(); err != nil {
			return err
		}
		if phase.Due() {
			if err := ctx.Err(); err != nil {
				return n.saveLast(err)
			}
			phase.Set(int(n.Delivered()), n.Expected)
			phase.Describe(fmt.Sprintf("cycle %d, flits delivered", int(n.bank.Now())/n.Machine.Ticks()))
		}
		if n.overseer != nil {
			if err := n.overseer.Between(ctx, n); err != nil {
				return err
			}
		}
		err := n.advance()
		if err != nil {
			return err
		}
		if err := n.skip(limit); err != nil {
			return err
		}
	}
	return nil
}

// advance runs a cycle, worm by worm where it may.
func (n *Network) advance() error {
	if !n.fly.on && n.mayFly() {
		n.fly.begin(n)
	}
	switch {
	case n.fly.on && (n.fly.forbidden || n.blocked):
		n.ground(false)
		n.Step()
	case n.fly.on:
		n.stepFlying()
	default:
		n.Step()
	}
	if n.fault != nil {
		return n.fault
	}
	if n.fly.on {
		return nil
	}
	return n.watch()
}

// watch looks for deadlocks: at the machine's interval, and as soon as nothing
// moves for longer than links and rests can explain.
func (n *Network) watch() error {
	slowest := n.Slowest()
	patience := slowest.Hop + n.Machine.Claim + slowest.Flit + 2
	still := n.quiet == patience || n.quiet == patience+1
	if still || n.bank.Now()%router.Cycle(n.Machine.Watchdog*n.Machine.Ticks()) == 0 {
		err := n.bank.Watch()
		var locked *router.Deadlock
		if errors.As(err, &locked) {
			locked.Ticks = n.Machine.Ticks()
			for i := range locked.Chain {
				locked.Chain[i].Message = n.Number(int32(locked.Chain[i].Message))
			}
			n.locked = locked
		}
		return err
	}
	return nil
}

func (n *Network) finished() bool {
	if !n.empty() || n.nic.busy > 0 {
		return false
	}
	for _, c := range n.parts {
		if f, ok := c.(Finisher); ok && !f.Finished() {
			return false
		}
	}
	return true
}

func (n *Network) empty() bool {
	if n.fly.on {
		_, aloft := n.fly.flights.NextLanding()
		return !aloft
	}
	return n.inFlight == 0 && n.nic.pending == 0
}

// nextEvent returns the next cycle in which something happens in the network without its components;
// false if something happens in every cycle.
func (n *Network) nextEvent() (next router.Cycle, quiet bool) {
	switch {
	case n.fly.on: // the flits of the messages that landed have moved just now
		return n.nextFlight(), n.nic.leaving == 0 || n.fly.rest > 0
	case n.bank.Moved() > 0:
		return 0, false
	case n.empty():
		return n.nic.nextStartup(), true
	case n.blocked || !n.bank.Timed():
		return 0, false
	}
	return min(n.bank.NextEvent(), n.nic.nextStartup()), true
}

// skip moves the clock, up to the limit, over cycles in which nothing happens in the network
// and every component sleeps. In such cycles the network is empty, or its packets wait for
// set-ups and nobody watches blocked links.
func (n *Network) skip(limit router.Cycle) error {
	next, quiet := n.nextEvent()
	if len(n.nic.freed) > 0 || !quiet {
		return nil
	}
	for _, c := range n.parts {
		s, ok := c.(Sleeper)
		if !ok {
			return nil
		}
		next = min(next, s.Wakes())
	}
	if next == Never {
		if n.finished() {
			return nil
		}
		return ErrIdle
	}
	n.bank.SkipTo(min(next, limit))
	return nil
}
