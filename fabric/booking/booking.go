// SPDX-License-Identifier: Apache-2.0

// Package booking keeps account of what is free when, so that messages can be given
// times at which they never meet. A [Calendar] is the account of one thing that only
// one message uses at a time: a link, an injection or ejection channel, a port. A
// message is a list of [Use]; [Earliest] finds the first time at which all of them are
// free, and [Reserve] takes them. A [Book] has the calendars of a whole machine.
// Package timing computes how long a message uses each resource.
//
// A message of two flits over two links, behind another one on the first link (flit 2,
// hop 2):
//
//	cycle     0   1   2   3   4   5   6   7   8   9
//	link 1    =========== . - - - - - - .                 reserved, then this message
//	link 2                        . - - - - - - .
//	ejection                              . - - - - - -
//	start                 ^ 3: the first at which all three are free
//
// Worms do not stop on the way, so that one number says when a message uses
// everything: its start.
package booking

import "meshwright/router"

// Use is one message's use of one calendar: the calendar is busy for Long cycles, from At
// cycles after the message's start on. At may be negative.
type Use struct {
	Calendar *Calendar // has to be free
	At, Long router.Cycle
	Enters   *Calendar // where the use is entered; nil: in Calendar. Uses of the same kind may then overlap.
}

// Earliest returns the first start, not before from, at which all uses are free. When a
// use is not free, the start moves on, and all other uses have to be looked at again. The search is fastest
// if the busiest calendars come first.
func Earliest(uses []Use, from router.Cycle) router.Cycle {
	var known [mostKnown]int // by use: the interval of its calendar where the search goes on, plus 1
	for i, left := 0, len(uses); left > 0; left-- {
		u, near := &uses[i], 0
		if i < mostKnown {
			near = known[i]
		}
		free, near := u.Calendar.firstFree(from+u.At, u.Long, near)
		if free > from+u.At {
			from, left = free-u.At, len(uses)
		}
		if i < mostKnown {
			known[i] = near
		}
		if i++; i == len(uses) {
			i = 0
		}
	}
	return from
}

// mostKnown bounds the uses whose places in the calendars Earliest remembers.
const mostKnown = 24

// Reserve enters the uses of a message with a start.
func Reserve(uses []Use, start router.Cycle) {
	for _, u := range uses {
		c := u.Calendar
		if u.Enters != nil {
			c = u.Enters
		}
		c.reserve(Interval{From: start + u.At, To: start + u.At + u.Long})
	}
}
