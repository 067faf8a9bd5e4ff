// SPDX-License-Identifier: Apache-2.0

package check

import (
	"meshwright/fabric/machine"
	"meshwright/router"
)

// course is how a message moves while it is alone. Its times are those of flits, in rows of all flits: when they are placed in the
// injection register, when they cross each link, and when the PE begins to take them.
type course struct {
	links []channel
	flits int
	at    []router.Cycle
}

// channel is a virtual channel of a link.
type channel struct {
	slot int32
	vc   int32
}

// placed, crossed and taken are rows of times. A flit is in the buffer in front of link k, or of the PE, until it crosses on.
func (c *course) placed() []router.Cycle { return c.at[:c.flits] }

func (c *course) crossed(k int) []router.Cycle { return c.at[(k+1)*c.flits : (k+2)*c.flits] }

func (c *course) taken() []router.Cycle { return c.crossed(len(c.links)) }

// pace works out the course of a row, flit by flit. A flit crosses a link as soon as
//
//   - it has come over the link before,
//   - the flit before it has had this link for its time,
//   - there is room in the buffer behind: the flit that entered the buffer so many flits before has left it a cycle ago or more.
//
// Of links that a walk crosses twice it sees nothing: these show as collisions of a message with itself.
func (u *uneven) pace(row int) {
	c := &u.courses[row]
	c.flits = u.flits(row)
	c.at = make([]router.Cycle, c.flits*(len(c.links)+2))
	placed, first := c.placed(), c.crossed(0)
	for i := range c.flits {
		placed[i] = u.rows[row].dispatch
		if i > 0 {
			placed[i] = max(placed[i-1]+u.model.Flit, first[i-1]+1)
		}
		ready := placed[i]
		for k, l := range c.links {
			crossed, next := c.crossed(k), c.crossed(k+1)
			crossed[i] = u.follows(crossed, i, ready, u.paces[l.slot])
			if i >= u.m.Buffer {
				crossed[i] = max(crossed[i], next[i-u.m.Buffer]+1)
			}
			ready = crossed[i] + u.hops[l.slot]
		}
		taken := c.taken()
		taken[i] = u.follows(taken, i, ready, u.model.Flit)
	}
}

// follows returns when flit i can go on that is ready in a cycle, behind those before it.
func (u *uneven) follows(times []router.Cycle, i int, ready, pace router.Cycle) router.Cycle {
	if i == 0 {
		return ready
	}
	return max(ready, times[i-1]+pace)
}

// linksOf returns the virtual channels of a row's way. Both ends choose the lane. On rings a lane is a pair: a message enters each dimension
// on the first of it, and has the second from the link on that closes the ring.
func (u *uneven) linksOf(row int) []channel {
	r := &u.rows[row]
	lane := int32(0)
	if u.lanes > 1 {
		lane = int32(int(r.source+r.destination) % u.lanes)
	}
	var links []channel
	before, second := int32(-1), false
	for _, straight := range u.route(r.source, r.destination, u.prescribed(row)) {
		for slot, left := straight.slot, straight.steps; left > 0; left-- {
			l := channel{slot, lane}
			if u.datelines {
				port := u.portOf(slot)
				second = u.t.Closes(u.lines.tail[slot], port) || second && int32(port)/2 == before
				before, l.vc = int32(port)/2, 2*lane
				if second {
					l.vc++
				}
			}
			links = append(links, l)
			if left > 1 {
				slot = u.lines.next(slot)
			}
		}
	}
	return links
}

// portOf returns the port of a slot's link.
func (u *uneven) portOf(slot int32) router.Port {
	port, _ := u.t.PortTo(u.lines.tail[slot], u.lines.head[slot])
	return port
}

// oneChannel reports whether a PE has only one channel.
func (u *uneven) oneChannel() bool { return u.m.Channels != machine.Links }
