// SPDX-License-Identifier: Apache-2.0

package orbits

import "meshwright/fabric/booking"

// Classes are calendars that symmetries bring to one another. One of each class stands for all.
type Classes struct {
	known   map[*booking.Calendar]int32 // the calendars in the order in which they were met
	up      []int32                     // by calendar: another one of its class, or itself
	numbers []int32                     // by calendar that stands for its class: the number of the class
	sizes   []int32                     // by class: its calendars
}

// NewClasses knows no calendars yet.
func NewClasses() *Classes { return &Classes{known: map[*booking.Calendar]int32{}} }

// Knows reports whether the calendars of uses are known.
func (c *Classes) Knows(uses []booking.Use) bool {
	for i := range uses {
		if !c.knows(uses[i].Calendar) || !c.knows(entered(&uses[i])) {
			return false
		}
	}
	return true
}

func (c *Classes) knows(x *booking.Calendar) bool {
	_, known := c.known[x]
	return known
}

// Join makes one class of each two calendars of a message, and of one to which a symmetry brings it.
func (c *Classes) Join(uses, brought []booking.Use) {
	for i := range uses {
		c.join(uses[i].Calendar, brought[i].Calendar)
		c.join(entered(&uses[i]), entered(&brought[i]))
	}
}

// of returns a calendar's place.
func (c *Classes) of(x *booking.Calendar) int32 {
	at, ok := c.known[x]
	if !ok {
		at = int32(len(c.up))
		c.known[x], c.up = at, append(c.up, at)
	}
	return at
}

// first returns the one that stands for the class of a calendar.
func (c *Classes) first(at int32) int32 {
	for c.up[at] != at {
		c.up[at] = c.up[c.up[at]]
		at = c.up[at]
	}
	return at
}

// join makes the classes of two calendars one.
func (c *Classes) join(x, y *booking.Calendar) {
	if a, b := c.first(c.of(x)), c.first(c.of(y)); a != b {
		c.up[b] = a
	}
}

// Count numbers the classes.
func (c *Classes) Count() int {
	c.numbers, c.sizes = make([]int32, len(c.up)), nil
	for at := range c.up {
		if c.up[at] == int32(at) {
			c.numbers[at] = int32(len(c.sizes))
			c.sizes = append(c.sizes, 0)
		}
	}
	for at := range c.up {
		c.sizes[c.numbers[c.first(int32(at))]]++
	}
	return len(c.sizes)
}

// Number returns the number of a calendar's class.
func (c *Classes) Number(x *booking.Calendar) int32 { return c.numbers[c.first(c.of(x))] }
