// SPDX-License-Identifier: Apache-2.0

package cast

import (
	"meshwright/fabric/machine"
	"meshwright/router"
)

// clock is what messages cost on a machine, in cycles.
type clock struct {
	startup, flit, hop router.Cycle
	rest               router.Cycle // of a channel between two messages: when the startup does not fit into the time of the last flit
	links              bool         // every link of a node has a channel, and all work at once
}

func newClock(m machine.Machine) clock {
	return clock{
		startup: router.Cycle(m.Startup), flit: router.Cycle(m.Flit), hop: router.Cycle(m.Hop),
		rest:  max(0, router.Cycle(m.Startup)+1-router.Cycle(m.Flit)),
		links: m.Channels == machine.Links && m.Ports == machine.AllPort,
	}
}

// flight is the time from a message's hand-over to the cycle in which its
// taker can send it on.
func (c clock) flight(words, links int) router.Cycle {
	return c.startup + router.Cycle(words)*c.flit + router.Cycle(links)*c.hop - 1
}

// backwards is the clock of what is turned round in time: who takes messages
// needs no startup between them.
func (c clock) backwards() clock {
	c.rest = 0
	return c
}

// turn is the time from a message's hand-over to that of the next one over the
// same channel.
func (c clock) turn(words int) router.Cycle { return router.Cycle(words)*c.flit + c.rest }
