// SPDX-License-Identifier: Apache-2.0

// Package timing predicts how long a message takes and how long it holds what it
// uses, as long as nothing is in its way. It is the one home of these times:
// generators, bounds and the checker take them from here, and a test holds them to
// the network of package fabric. Package booking keeps which resources are free when.
//
// # The times of a message
//
// Three flits over two links, startup 4, hop 2, flit 2, handed over in cycle 0:
//
//	cycle      0   1   2   3   4   5   6   7   8   9  10  11  12  13
//	channel    startup ------> 0   -   1   -   2   -   rest -------> next message
//	link 1                     0   -   1   -   2   -
//	link 2                             0   -   1   -   2   -
//	receiver                                   0   -   1   -   2   -
//	           ^               ^               ^   ^               ^
//	           handed over     dispatch:       |   free: takes     whole: the
//	                           first flit      |   the next        receiver
//	                                   last flit   message         has it
//
// These words are used in this sense everywhere:
//
//   - handed over: the PE gives the message to an injection channel, which must be
//     free, and which then is busy for the startup;
//   - dispatch: the first flit stands in the injection register. It is at the next
//     node a hop later, and so on;
//   - last flit: it enters the injection register. The channel takes the next message
//     a cycle later;
//   - whole: the receiver has taken the last flit, and can send it on in the same
//     cycle. Seen as a time, the message has arrived one cycle later.
//
// With a startup of Flit cycles or more the channel rests between two messages: here
// the next one is handed over in cycle 9, and its first flit comes in cycle 13, not in
// cycle 10.
//
// Times are cycles, on machines that switch packets ticks, see
// [machine.Machine.Ticks].
package timing

import (
	"meshwright/fabric/machine"
	"meshwright/router"
)

// Model has the costs of a machine's messages, in cycles or ticks. Its methods take the
// flits of data of a message, and count the header flit with them if the machine has one.
type Model struct {
	Startup router.Cycle // from the hand-over to the first flit, at the earliest
	Hop     router.Cycle // of a flit, to the next node
	Flit    router.Cycle // of a link, a port or a channel with a flit
	Setup   router.Cycle // of a packet on every link, before its first flit; 0 without packets

	header          int // flits of a message before its data
	burst           int // flits that follow one another without a stall, see Stalling; 0: any number
	stall           router.Cycle
	late            router.Cycle // by how much the flit before may leave an injection register late, and the next one come on time, see Channel.Hand
	claim           router.Cycle // of a head at every chip, see Alone
	packets, stored bool         // packets are switched; and each is stored before it is forwarded
}

// Of returns the model of a machine, all zero of none. Where some links are slower than others, it is that of the fastest ones.
func Of(m *machine.Machine) Model {
	if m == nil {
		return Model{}
	}
	return Model{
		Startup: router.Cycle(m.StartupTicks()), Hop: router.Cycle(m.Hop), Flit: router.Cycle(m.FlitTicks()), Setup: router.Cycle(m.SetupTicks()),
		header: m.HeaderFlits(), packets: m.PacketSwitched(), stored: m.Switching == machine.StoreForward,
	}
}

// Stalling returns the model of a machine whose buffers may be too small for the full rate, of messages that meet no other. A buffer has room for b flits. The room
// of a flit is taken when the flit leaves the chip before, and free again hop+1 cycles later. So after b flits a worm waits for the rest of these
// cycles, on all links of its route alike:
//
//	cycle       0  1  2  3  4  5  6  7  8  9      buffer 4, hop 5, flit 1
//	link 1      0  1  2  3  -  -  4  5  6  7
//	link 2                     0  1  2  3  -
//
// On a link the next message follows such a stall behind the last flit; channels, ports and interfaces are free at once. Then of b flits in a row, of several messages, the last one
// leaves no earlier than the room of the first is free.
//
// Where heads wait for claims, it is the model of the machine with slower flits, see [machine.Machine.Paced].
func Stalling(m *machine.Machine) Model {
	if m.Claim != 0 {
		paced := m.Paced()
		return Of(&paced)
	}
	model := Of(m)
	if !m.RoomForRate() && !m.PacketSwitched() {
		model.burst, model.stall = m.Buffer, router.Cycle(m.Hop+1-m.Buffer*m.Flit)
		if model.late = model.stall; m.Duplex == machine.Half && m.Channels == 1 { // flits leave such a PE a flit's time apart
			model.late = 0
		}
	}
	return model
}

// Alone returns the model of a message that meets no other, for [Model.Transfer]: on a machine without the full rate, too, with the stalls
// of small buffers, and with the claims of the head at the chips of all d+1 nodes of its route. No message of the machine is faster.
func Alone(m *machine.Machine) Model {
	claimless := *m
	claimless.Claim = 0
	model := Stalling(&claimless)
	model.claim = router.Cycle(m.Claim)
	return model
}

// Stall returns for how long a link rests between two messages, besides [Model.Work]: 0 but for models of Stalling.
func (m Model) Stall() router.Cycle { return m.stall }

// Flits returns for how long the flits of messages have a link: so many flits of data together, and the header flits.
func (m Model) Flits(messages, data int) router.Cycle {
	flits := data + messages*m.header
	time := router.Cycle(flits) * m.Flit
	if m.burst > 0 && flits > 0 {
		time += router.Cycle((flits-1)/m.burst) * m.stall
	}
	return time
}

// Overhead returns for how long a message has a link besides the time of its data: the set-up, if it is a packet, and the
// header flit.
func (m Model) Overhead() router.Cycle { return m.Setup + m.Flits(1, 0) }

// Work returns for how long a message has a link: the set-up, if it is a packet, and
// its flits. Ports and ejection channels are taken for as long.
func (m Model) Work(flits int) router.Cycle { return m.Setup + m.Flits(1, flits) }

// Head returns for how long a head has a link: the set-up, if it is a packet's, and one flit.
func (m Model) Head() router.Cycle { return m.Setup + m.Flit }

// Lead returns the time from the hand-over of a message to its first flit of data, at the earliest.
func (m Model) Lead() router.Cycle { return m.Startup + m.Flits(1, 0) }

// Rest returns how long a channel rests between two messages that follow each other
// as closely as they can: from the end of the last flit's time to the next first
// flit. It is 0 when the startup fits into the time of the last flit.
func (m Model) Rest() router.Cycle { return max(0, m.Startup+1-m.Flit) }

// Hold returns how long a message holds its channel: the time from its dispatch to
// the earliest dispatch of the next one.
func (m Model) Hold(flits int) router.Cycle { return m.Flits(1, flits) + m.Rest() }

// Drain returns the time from a message's hand-over after which one that is handed
// to another channel of the same port does not meet it. The channel may have placed a
// flit just before, so that the first flit comes up to Flit-1 cycles after the
// hand-over, if that is more than the startup.
func (m Model) Drain(flits int) router.Cycle {
	return m.Flits(1, flits) + max(0, m.Flit-1-m.Startup)
}

// Transfer returns the time from a message's dispatch to its arrival, one cycle after
// it is whole: over d links with L flits, the header flit included, d·hop + L·flit, where buffers take the full
// rate; stored and forwarded d·(setup + L·flit); cut through d·(setup + flit) +
// (L-1)·flit.
func (m Model) Transfer(links, flits int) router.Cycle {
	d, time := router.Cycle(links), m.Flits(1, flits)
	switch {
	case m.stored:
		return d * (m.Setup + time)
	case m.packets:
		return d*m.Head() + time - m.Flit
	}
	return d*m.Hop + time + (d+1)*m.claim
}

// UntilWhole returns the time from the hand-over of a message to a free channel to the
// cycle in which it is whole at its receiver. On machines that switch packets that is
// the tick of its arrival.
func (m Model) UntilWhole(links, flits int) router.Cycle {
	if m.packets {
		return m.Startup + m.Transfer(links, flits)
	}
	return m.Chain(1, flits, links)
}

// Chain returns the time of messages of which each is handed over in the cycle in
// which the one before is whole: so many of them, with so many flits and links
// together. It is for machines without packets.
func (m Model) Chain(messages, flits, links int) router.Cycle {
	return router.Cycle(messages)*(m.Startup-1) + m.Flits(messages, flits) + router.Cycle(links)*m.Hop
}

// IndependentLinks reports whether all links of a PE work at the same time without
// regard to one another: each has a channel of its own, and the chip a port for each,
// which is the default. It says nothing about half duplex, with which a PE does not
// send while it receives.
func IndependentLinks(m *machine.Machine) bool {
	return m != nil && m.Channels == machine.Links && m.Ports != machine.SinglePort
}
