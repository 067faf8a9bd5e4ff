// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/fabric/machine"
	"meshwright/router"
)

// injector foretells when a PE's messages leave, as long as no one blocks
// them: it follows the rules of the network interface (fabric.Message).
type injector struct {
	startup, flit router.Cycle
	onePort       bool // channels share the chip's one port
	channels      []channelTimes
	port          router.Cycle // first cycle in which the port is free
}

// channelTimes are the first cycles in which a channel takes a message, and
// in which it may place its first flit.
type channelTimes struct{ free, ready router.Cycle }

func (t *task) newInjector(channels int) injector {
	m := t.Machine
	return injector{
		startup: router.Cycle(m.Startup), flit: router.Cycle(m.Flit),
		onePort: m.Ports == machine.SinglePort, channels: make([]channelTimes, channels),
	}
}

// hand hands a message over to a channel as early as possible from a cycle on.
// It returns the cycle in which that happens and the one of the last flit.
func (i *injector) hand(channel int, from, length router.Cycle) (start, last router.Cycle) {
	c := &i.channels[channel]
	start = max(from, c.free)
	if i.onePort {
		start = max(start, i.port-i.startup)
	}
	last = max(start+i.startup, c.ready) + (length-1)*i.flit
	c.free, c.ready = last+1, last+i.flit
	i.port = c.ready
	return start, last
}
