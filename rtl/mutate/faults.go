// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"slices"

	"meshwright/rtl/gate"
)

// This file is bench/fault_driver.v and bench/error_check.v for netlists of gates: links and buffers go wrong as in the run, and the
// chips' counters of errors are compared.

// faultDriver tells links what goes wrong, or the buffers behind them.
type faultDriver struct {
	events []vector // {cycle, {link, dead, drop}, bits to invert}
	lose   []gate.Net
	flip   []gate.Net // of all links
}

// drivers returns those of a network, by its inputs.
func drivers(g *gate.Design, v *vectors) []faultDriver {
	return []faultDriver{
		{v.faults, g.Inputs["lose_i"], g.Inputs["flip_i"]},
		{v.upsets, nil, g.Inputs["upset_i"]},
	}
}

// wrongs is where a driver is in its events.
type wrongs struct {
	event  int
	dead   []bool // by link
	driven bool   // something goes wrong in the cycle before
}

func (w wrongs) clone() wrongs {
	w.dead = slices.Clone(w.dead)
	return w
}

// drive tells what goes wrong in a cycle.
func (d *faultDriver) drive(p *gate.Program, cycle uint32, at *wrongs) {
	now := d.events[at.event:]
	count := slices.IndexFunc(now, func(v vector) bool { return v.cycle != cycle })
	now = now[:count]
	at.event += count
	if len(now) == 0 && !at.driven {
		return
	}
	for _, net := range d.flip {
		p.Drive(net, false)
	}
	lose := make([]bool, len(d.lose))
	for _, e := range now {
		link := int(e.number >> 2)
		for i, invert := range e.bits {
			p.Drive(d.flip[link*len(e.bits)+i], invert)
		}
		if len(lose) > 0 {
			at.dead[link], lose[link] = e.number>>1&1 == 1, e.number&1 == 1
		}
	}
	for i, net := range d.lose {
		p.Drive(net, lose[i] || at.dead[i])
	}
	at.driven = len(now) > 0
}

// counters are the counters of errors of all chips, the port of corrected ones and that of detected ones.
type counters [2][]gate.Net

// countErrors collects what the counters should show in this cycle.
func (b *bench) countErrors(at *place) {
	for ; b.v.errors[at.error].cycle == at.cycle; at.error++ {
		e := &b.v.errors[at.error]
		width := len(e.bits) / 2
		node := int(e.number)
		copy(at.wantErrors[0][node*width:], e.bits[width:])
		copy(at.wantErrors[1][node*width:], e.bits[:width])
	}
}
