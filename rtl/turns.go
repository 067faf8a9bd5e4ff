// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"iter"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/internal/input"
	"meshwright/router"
)

// This file leaves turns that no message takes out of the crossbars of chips.

// way is where a message goes: by its list of ports if it has one, else where chips route it.
type way struct {
	from, to router.NodeID
	route    []router.Port
}

// MayTrim refuses machines whose chips cannot be trimmed: those that switch packets have no crossbar, and where chips choose
// among routes, or a hash does, a schedule does not say which turns it takes. The error is an *input.Error.
func MayTrim(m *machine.Machine) error {
	switch {
	case m.PacketSwitched():
		return input.Errorf("expected bufferless or wormhole", "trimmed chips with switching %s", m.Switching)
	case m.Routing.Classes() > 1, m.Routing.Reorders():
		return input.Errorf("expected dor, yx, table, updown or source", "trimmed chips with routing %s", m.Routing)
	}
	return nil
}

// Trim lets an export have chips with those turns only that messages of the run take; see MayTrim. Stress phases go
// everywhere: a recorder has either.
func (r *Recorder) Trim() { r.trimmed = true }

// ways ranges over the messages that entered the network.
func (r *Recorder) ways(yield func(way) bool) {
	for i := range r.stimuli {
		f := &r.stimuli[i].flit
		if f.head && !yield(way{f.source, f.destination, f.route}) {
			return
		}
	}
}

// Trim leaves the turns that no message takes out of the unit's chips; see MayTrim.
func (u *Unit) Trim(messages iter.Seq[fabric.Message]) {
	d := u.design
	longest := u.hops
	for m := range messages {
		longest = max(longest, len(m.Route))
	}
	u.design = newDesign(d.net, u.maxTag, longest)
	u.design.trim(func(yield func(way) bool) {
		for m := range messages {
			if !yield(way{m.Source, m.Destination, m.Route}) {
				return
			}
		}
	})
}

// trim notes the turns that messages take.
func (d *Design) trim(ways iter.Seq[way]) {
	d.turns = make([][]bool, d.Chips)
	for n := range d.turns {
		ports := d.ports(router.NodeID(n))
		d.turns[n] = make([]bool, ports*(ports+1))
	}
	for w := range ways {
		d.follow(w)
	}
}

// follow notes the turns of one message.
func (d *Design) follow(w way) {
	t := d.net.Topology
	route := w.route
	if len(route) == 0 || d.Kind != sourceRouting {
		route = d.net.Route(w.from, w.to)
	}
	at, in := w.from, router.Port(d.ports(w.from))
	for _, out := range route {
		d.turns[at][int(out)*(d.ports(at)+1)+int(in)] = true
		next := t.Neighbor(at, out)
		at, in = next, t.BackPort(at, out)
	}
}
