// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"meshwright/fabric/machine"
	"meshwright/router"
)

// Injector predicts when a PE's messages leave, as long as nothing blocks them. It follows
// the rules of the network interface (fabric.Message).
type Injector struct {
	startup, flit router.Cycle
	onePort       bool // channels share the chip's one port
	Channels      []channelTimes
	port          router.Cycle // first cycle in which the port is free
}

// channelTimes are the first cycles in which a channel takes a message, and
// in which it may place its first flit.
type channelTimes struct{ free, Ready router.Cycle }

func (t *Task) NewInjector(channels int) Injector {
	m := t.Machine
	return Injector{
		startup: router.Cycle(m.Startup), flit: router.Cycle(m.Flit),
		onePort: m.Ports == machine.SinglePort, Channels: make([]channelTimes, channels),
	}
}

// Hand hands a message over to a channel as early as possible from a cycle on.
// It returns the cycle in which that happens and the one of the last flit.
func (i *Injector) Hand(channel int, from, length router.Cycle) (start, last router.Cycle) {
	c := &i.Channels[channel]
	start = max(from, c.free)
	if i.onePort {
		start = max(start, i.port-i.startup)
	}
	last = max(start+i.startup, c.Ready) + (length-1)*i.flit
	c.free, c.Ready = last+1, last+i.flit
	i.port = c.Ready
	return start, last
}
