// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/router"
	"meshwright/schedule"
)

// use is the use of a thing by a message, from a cycle to another.
type use struct {
	from, to router.Cycle
	thing    int32
	row      int32
	receives bool // of an interface: to receive
}

// things numbers what messages use; each field is the first number of a kind, in the order in which uses are listed:
//
//	links       by slot: by flits
//	claims      by slot and virtual channel: from head to tail
//	buffers     the buffer behind the link, by slot and virtual channel: from the arrival of the head until the tail has left
//	injections  by slot of the first link or by node: until the channel takes another message
//	ejections   by slot of the last link or by node: by flits
//	exits       the claims of ejection channels, by virtual channel
//	sends       halves of single ports, by node
//	receives
//	interfaces  half duplex, by node
type things struct {
	claims, buffers, injections, ejections, exits, sends, receives, interfaces, end int32

	vcs int32
}

func newThings(u *uneven) things {
	slots, nodes, vcs := int32(len(u.lines.link)), int32(u.t.Nodes()), int32(u.m.VCs)
	ends := max(slots, nodes)
	t := things{vcs: vcs, claims: slots}
	t.buffers = t.claims + slots*vcs
	t.injections = t.buffers + slots*vcs
	t.ejections = t.injections + ends
	t.exits = t.ejections + ends
	t.sends = t.exits + ends*vcs
	t.receives = t.sends + nodes
	t.interfaces = t.receives + nodes
	t.end = t.interfaces + nodes
	return t
}

// where says what a collision about a thing is called, and where it is.
func (u *uneven) where(thing int32) (router.Conflict, place) {
	t := &u.things
	end := func(number int32, nodes []router.NodeID) place {
		if !u.oneChannel() {
			return place{nodes[number], -1}
		}
		return atNode(number)
	}
	switch {
	case thing < t.claims:
		return router.LinkConflict, u.atLink(thing)
	case thing < t.buffers:
		return router.LinkConflict, u.atLink((thing - t.claims) / t.vcs)
	case thing < t.injections:
		return BufferConflict, u.atLink((thing - t.buffers) / t.vcs)
	case thing < t.ejections:
		return schedule.InjectionConflict, end(thing-t.injections, u.lines.tail)
	case thing < t.exits:
		return router.EjectConflict, end(thing-t.ejections, u.lines.head)
	case thing < t.sends:
		return router.EjectConflict, end((thing-t.exits)/t.vcs, u.lines.head)
	case thing < t.receives:
		return router.SendConflict, atNode(thing - t.sends)
	case thing < t.interfaces:
		return router.ReceiveConflict, atNode(thing - t.receives)
	}
	return router.DuplexConflict, atNode(thing - t.interfaces)
}

// countUses bounds the number of uses from above.
func (u *uneven) countUses() int {
	count := 0
	for row := range u.courses {
		c := &u.courses[row]
		count += (len(c.links) + 1) * (c.flits + 2)
		if u.m.Ports == machine.SinglePort {
			count += 2 * len(c.links) * c.flits
		}
	}
	return count
}

// listUses lists the uses of all messages, by time.
func (u *uneven) listUses() {
	for row := range u.rows {
		u.uses = u.appendUses(u.uses, row)
	}
	slices.SortFunc(u.uses, func(a, b use) int {
		return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.row, b.row), cmp.Compare(a.thing, b.thing))
	})
}

// appendUses appends all that a message uses.
func (u *uneven) appendUses(list []use, row int) []use {
	c, t := &u.courses[row], &u.things
	r, last := &u.rows[row], c.flits-1
	for k, l := range c.links {
		crossed, next, pace := c.crossed(k), c.crossed(k+1), u.paces[l.slot]
		number := l.slot*t.vcs + l.vc
		list = appendFlits(list, crossed, pace, l.slot, row)
		list = append(list,
			use{from: crossed[0], to: crossed[last] + 1, thing: t.claims + number, row: int32(row)},
			use{from: next[0], to: next[last] + 1, thing: t.buffers + number, row: int32(row)})
		if u.m.Ports == machine.SinglePort {
			list = appendFlits(list, crossed, pace, t.sends+int32(u.lines.tail[l.slot]), row)
			list = appendFlits(list, crossed, pace, t.receives+int32(u.lines.head[l.slot]), row)
		}
	}
	exit := c.links[len(c.links)-1]
	in, out := c.links[0].slot, exit.slot
	if u.oneChannel() {
		in, out = int32(r.source), int32(r.destination)
	}
	list = append(list,
		use{from: r.dispatch, to: u.channelFree(c), thing: t.injections + in, row: int32(row)},
		use{from: c.taken()[0], to: c.taken()[last] + 1, thing: t.exits + out*t.vcs + exit.vc, row: int32(row)})
	list = appendFlits(list, c.taken(), u.model.Flit, t.ejections+out, row)
	if u.m.Duplex == machine.Half {
		list = appendFlits(list, c.crossed(0), u.paces[c.links[0].slot], t.interfaces+int32(r.source), row)
		before := len(list)
		list = appendFlits(list, c.taken(), u.model.Flit, t.interfaces+int32(r.destination), row)
		for i := before; i < len(list); i++ {
			list[i].receives = true
		}
	}
	return list
}

// channelFree returns the earliest dispatch of the next message of a channel. The next startup begins behind the last flit. Its first flit finds
// the register empty; a half-duplex PE with one channel sends a flit at a time.
func (u *uneven) channelFree(c *course) router.Cycle {
	last := c.flits - 1
	left := c.crossed(0)[last] + 1
	if u.m.Duplex == machine.Half && u.oneChannel() {
		left = c.crossed(0)[last] + u.paces[c.links[0].slot]
	}
	return max(c.placed()[last]+max(u.model.Flit, u.model.Startup+1), left)
}

// appendFlits appends the uses of a thing by flits, each for a time. Flits without a gap between them are one use.
func appendFlits(list []use, at []router.Cycle, pace router.Cycle, thing int32, row int) []use {
	first := len(list)
	for _, from := range at {
		if len(list) > first && list[len(list)-1].to == from {
			list[len(list)-1].to += pace
			continue
		}
		list = append(list, use{from: from, to: from + pace, thing: thing, row: int32(row)})
	}
	return list
}

// findOverlaps hands pairs of messages that use a thing at the same time to a collector.
func (u *uneven) findOverlaps(e effort, c *collector) {
	open := make(map[int32][]*use)
	for i := range u.uses {
		x := &u.uses[i]
		if x.from >= c.limit || i&0xffff == 0 && e.ctx.Err() != nil {
			return
		}
		still := open[x.thing][:0]
		for _, y := range open[x.thing] {
			if y.to <= x.from {
				continue
			}
			still = append(still, y)
			if x.meets(y, &u.things) {
				kind, at := u.where(x.thing)
				c.add(found{x.from, kind, at}, x.row, y.row)
			}
		}
		open[x.thing] = append(still, x)
	}
}

// meets reports whether two uses of a thing that overlap exclude each other: an interface may send several flits at a time, or take several.
func (x *use) meets(y *use, t *things) bool {
	return x.thing < t.interfaces || x.receives != y.receives
}
