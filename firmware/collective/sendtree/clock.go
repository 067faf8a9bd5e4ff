// SPDX-License-Identifier: Apache-2.0

package sendtree

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/router"
)

// clock holds the costs of the messages of a tree.
type clock struct {
	timing.Model
	rest  router.Cycle // of a channel between two messages, see timing.Model
	links bool         // all links of a node work at once
}

func newClock(m machine.Machine) *clock {
	c := &clock{Model: timing.Of(&m), links: timing.IndependentLinks(&m)}
	c.rest = c.Rest()
	return c
}

// backwards makes it the clock of a list that will be reversed in time: a receiver
// needs no startup between two messages.
func (c *clock) backwards() *clock {
	c.rest = 0
	return c
}

// turn is the time from a message's hand-over to that of the next one over the
// same channel.
func (c *clock) turn(words int) router.Cycle { return c.Work(words) + c.rest }
