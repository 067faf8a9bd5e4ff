// SPDX-License-Identifier: Apache-2.0

// Package deadlock proves that a network is free of deadlock, or shows messages that may
// wait for one another in a circle.
//
// A channel is a virtual channel of a link. Channel b depends on nothing but the channels for
// which a message may wait while it holds b. The channel-dependency graph has an edge for
// each of these. Messages cannot deadlock if the graph has no cycle (Dally and Seitz, 1987).
//
//	n, err := fabric.New(t, m)
//	v, err := deadlock.Check(ctx, n)
//	v.Cycle // nil: free of deadlock
package deadlock

import (
	"context"
	"fmt"
	"iter"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/internal/progress"
	"meshwright/router"
)

// Verdict is the result of a check.
type Verdict struct {
	Channels     int       // channels that some message can hold
	Dependencies int       // pairs of channels of which one can wait for the other
	Cycle        []Channel // a shortest cycle, each channel waits for the next, the last for the first; nil: none
}

// Channel is a virtual channel of a link.
type Channel struct {
	Node router.NodeID // that sends into it
	Port router.Port   // by which the link leaves the node
	VC   router.VC
	To   router.NodeID // the node whose buffer it is
}

// String names the link and the virtual channel.
func (c Channel) String() string { return fmt.Sprintf("%d>%d vc %d", c.Node, c.To, c.VC) }

// Check judges a network in which every node may send to every other node; where tables go around known faults, every live node to every other. The error is
// the context's, a *memory.TooLarge or an *input.Error.
func Check(ctx context.Context, n *fabric.Network) (*Verdict, error) {
	w, err := newWalk(ctx, n)
	if err != nil {
		return nil, err
	}
	phase := progress.Begin(ctx, "follow the routes on "+n.Topology.String(), n.Topology.Nodes())
	defer phase.End()
	for to := range router.NodeID(n.Topology.Nodes()) {
		if err := phase.Step(); err != nil {
			return nil, err
		}
		if n.Around().Live(to) {
			w.toward(to)
		}
	}
	return w.verdict(ctx)
}

// CheckMessages is Check for a network in which only some messages are sent, each of them at
// any time. The network must accept the messages.
func CheckMessages(ctx context.Context, n *fabric.Network, messages iter.Seq[fabric.Message]) (*Verdict, error) {
	w, err := newWalk(ctx, n)
	if err != nil {
		return nil, err
	}
	phase := progress.Begin(ctx, "follow the routes of messages", 0)
	defer phase.End()
	for m := range messages {
		if err := phase.Step(); err != nil {
			return nil, err
		}
		w.message(&m)
	}
	return w.verdict(ctx)
}

// walk follows the routes of messages and notes the dependencies.
type walk struct {
	*graph
	net   *fabric.Network
	bank  *router.Bank
	seen  []int32 // by channel: the round in which it was reached
	round int32
	stack []step
	list  []router.Channel // scratch
	ahead ahead            // adaptive routing
}

// step is a head in a channel, and the links that it has crossed.
type step struct {
	at  router.Channel
	hop uint32
}

// Bytes of the graph: of a channel its lists, and its dependencies as words.
const (
	perChannel = 40
	perWord    = 8
)

func newWalk(ctx context.Context, n *fabric.Network) (*walk, error) {
	if n.Machine.Switching == machine.Bufferless {
		return nil, input.Errorf("expected a machine with buffers", "switching %s: no flit waits", machine.Bufferless)
	}
	bank := n.Bank()
	outputs := func(c router.Channel) (first, end router.Channel) {
		if n.Machine.Routing == machine.Adaptive { // dependencies are indirect, too
			return 0, router.Channel(bank.LinkChannels())
		}
		at, port, _ := bank.ChannelAt(c)
		to := n.Topology.Neighbor(at, port)
		if to == router.None {
			return 0, 0
		}
		return bank.ChannelsOf(to)
	}
	bytes := perChannel * float64(bank.LinkChannels())
	for c := range router.Channel(bank.LinkChannels()) {
		first, end := outputs(c)
		bytes += perWord * float64((end-first+63)/64)
	}
	if n.Machine.Routing == machine.Adaptive {
		bytes += float64(n.Topology.Nodes()) * float64(bank.LinkChannels()) / 8
	}
	if err := memory.Need(ctx, "the channel dependencies of "+n.Topology.String(), memory.Of(bytes)); err != nil {
		return nil, err
	}
	return &walk{
		graph: newGraph(bank.LinkChannels(), outputs), net: n, bank: bank, seen: make([]int32, bank.LinkChannels()),
	}, nil
}

// toward follows the routes of all messages to one node. They differ in their source alone, which
// plays no part once they are in a channel, unless they carry their whole route.
func (w *walk) toward(to router.NodeID) {
	w.round++
	for from := range router.NodeID(w.net.Topology.Nodes()) {
		if from == to || !w.net.Around().Live(from) {
			continue
		}
		if w.net.Machine.Routing == machine.Source {
			w.round++
		}
		m := fabric.Message{Source: from, Destination: to}
		switch w.net.Machine.Routing {
		case machine.Adaptive:
			w.adapt(&m)
		case machine.Valiant:
			w.secondPhase(&m)
		default:
			w.allWays(&m)
		}
	}
	if w.net.Machine.Routing == machine.Valiant {
		w.firstPhase(to)
	}
}

// message follows the routes of one message.
func (w *walk) message(m *fabric.Message) {
	w.round++
	if w.net.Machine.Routing == machine.Adaptive {
		w.adapt(m)
		return
	}
	w.allWays(m)
}

func (w *walk) allWays(m *fabric.Message) {
	for way := range w.net.RouteChoices() {
		if w.net.Machine.Routing == machine.Valiant {
			w.round++
		}
		h := w.net.Header(m, way)
		w.follow(&h)
	}
}

// follow notes what a message with a header depends on, from the first channel on. It ends where
// a message of the same round has been.
func (w *walk) follow(h *router.Worm) {
	w.list = w.bank.Enter(w.list[:0], h)
	for _, c := range w.list {
		w.reach(c, 1)
	}
	for len(w.stack) > 0 {
		s := w.stack[len(w.stack)-1]
		w.stack = w.stack[:len(w.stack)-1]
		w.list = w.bank.Onward(w.list[:0], s.at, h, s.hop)
		for _, c := range w.list {
			w.add(s.at, c)
			w.reach(c, s.hop+1)
		}
	}
}

// reach puts a channel on the stack, once in a round.
func (w *walk) reach(c router.Channel, hop uint32) {
	if w.seen[c] == w.round {
		return
	}
	w.seen[c] = w.round
	w.used.Set(int32(c))
	w.stack = append(w.stack, step{c, hop})
}

// takeTurns adds what packets wait for in the queue of a single-port chip: behind the first
// packet of the queue, they wait for its link.
func (w *walk) takeTurns() {
	for c := range w.used.All() {
		relays := false
		w.graph.follow(router.Channel(c), func(router.Channel) bool { relays = true; return false })
		if !relays {
			continue // all its packets end behind it
		}
		at, port, _ := w.bank.ChannelAt(router.Channel(c))
		first, end := w.bank.ChannelsOf(w.net.Topology.Neighbor(at, port))
		for out := first; out < end; out++ {
			if w.used.Has(int32(out)) {
				w.add(router.Channel(c), out)
			}
		}
	}
}

func (w *walk) verdict(ctx context.Context) (*Verdict, error) {
	if w.net.Machine.PacketSwitched() && w.net.Machine.Ports == machine.SinglePort {
		w.takeTurns()
	}
	phase := progress.Begin(ctx, "look for cycles", 0)
	defer phase.End()
	cycle, err := w.cycle(phase)
	if err != nil {
		return nil, err
	}
	v := &Verdict{Channels: w.channels(), Dependencies: w.dependencies()}
	for _, c := range cycle {
		at, port, vc := w.bank.ChannelAt(c)
		v.Cycle = append(v.Cycle, Channel{at, port, vc, w.net.Topology.Neighbor(at, port)})
	}
	return v, nil
}
