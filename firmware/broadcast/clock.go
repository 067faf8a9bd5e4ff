// SPDX-License-Identifier: Apache-2.0

package broadcast

import (
	"meshwright/fabric/machine"
	"meshwright/router"
)

// clock is what messages cost on a machine, in cycles.
type clock struct {
	startup, flit, hop router.Cycle
	links              bool // every link of a node has a channel, and all work at once
}

func newClock(m machine.Machine) clock {
	return clock{
		startup: router.Cycle(m.Startup), flit: router.Cycle(m.Flit), hop: router.Cycle(m.Hop),
		links: m.Channels == machine.Links && m.Ports == machine.AllPort,
	}
}

// flight is the time from a message's hand-over to the cycle in which its
// taker can send it on.
func (c clock) flight(words, links int) router.Cycle {
	return c.startup + router.Cycle(words)*c.flit + router.Cycle(links)*c.hop - 1
}

// turn is the time from a message's hand-over to that of the next one over the
// same channel.
func (c clock) turn(words int) router.Cycle { return router.Cycle(words)*c.flit + c.pause() }

// pause is how long a channel rests between two messages: when the startup
// does not fit into the time of the last flit.
func (c clock) pause() router.Cycle { return max(0, c.startup+1-c.flit) }
