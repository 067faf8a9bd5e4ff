// SPDX-License-Identifier: Apache-2.0

package timing

import (
	"meshwright/fabric/machine"
	"meshwright/router"
)

// Channel is an injection channel on the clock; the zero value is free.
type Channel struct {
	Free  router.Cycle // first cycle in which it takes a message
	Ready router.Cycle // first cycle in which it may place a flit
}

// Hand hands a message over to a channel, as soon as the channel is free, at the earliest in
// cycle from. It returns the cycle of the hand-over and the cycle of the last flit.
func (m Model) Hand(c *Channel, from router.Cycle, flits int) (handed, last router.Cycle) {
	handed = max(from, c.Free)
	last = max(handed+m.Startup, c.Ready) + m.Flits(1, flits) - m.Flit
	c.Free, c.Ready = last+1-m.stall, last+max(1, m.Flit-m.late) // the last flit may stand in the register for a stall
	return handed, last
}

// WholeAfter returns the cycle in which a message is whole so many links away whose
// last flit is placed in cycle last. It is for machines without packets.
func (m Model) WholeAfter(last router.Cycle, links int) router.Cycle {
	return last + router.Cycle(links)*m.Hop + m.Flit - 1
}

// Interface is the network interface of one PE on the clock.
type Interface struct {
	Model
	channels []Channel
	single   bool         // the channels share the chip's one port
	port     router.Cycle // first cycle in which the port is free
}

// NewInterface returns an interface with so many channels, all free.
func NewInterface(m *machine.Machine, channels int) *Interface {
	return &Interface{Model: Of(m), single: m.Ports == machine.SinglePort, channels: make([]Channel, channels)}
}

// Hand hands a message over to a channel as early as possible from a cycle on: when
// the channel is free, and with a single port not before the message before it will
// have left when the startup is over. It returns the cycle of the hand-over and that
// of the last flit.
func (i *Interface) Hand(channel int, from router.Cycle, flits int) (handed, last router.Cycle) {
	if i.single {
		from = max(from, i.port-i.Startup)
	}
	c := &i.channels[channel]
	handed, last = i.Model.Hand(c, from, flits)
	i.port = c.Ready
	return handed, last
}

// Ready returns the first cycle in which every channel may place a flit.
func (i *Interface) Ready() router.Cycle {
	ready := router.Cycle(0)
	for k := range i.channels {
		ready = max(ready, i.channels[k].Ready)
	}
	return ready
}

// Channels returns how many injection channels a PE with so many link ports has.
func Channels(m *machine.Machine, ports int) int {
	if m.Channels != machine.Links {
		return 1
	}
	return ports
}

// ChannelOf returns the channel by which messages leave through a link port.
func ChannelOf(m *machine.Machine, p router.Port) int {
	if m.Channels != machine.Links {
		return 0
	}
	return int(p)
}
