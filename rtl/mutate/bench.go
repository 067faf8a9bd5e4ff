// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"math/rand/v2"
	"slices"

	"meshwright/rtl"
	"meshwright/rtl/gate"
)

// This file is bench/vector_bench.v for netlists of gates: the same stimuli, and the same comparisons in every cycle. What its code_check tests behind the run is left out.

// bench is the network with what drives it and what is compared.
type bench struct {
	design          *gate.Design
	v               *vectors
	cycles          int // of the vectors
	flit, count     int // bits
	channels, links int

	rst, injValid, injFlit                          []gate.Net
	injReady, collision, valid, fire, flits, counts []gate.Net
	errors                                          counters
	drivers                                         []faultDriver
}

// resetChannel is the channel of a stimulus that is a cycle of reset.
const resetChannel = never

func newBench(g *gate.Design, d *rtl.Design, v *vectors, cycles int) *bench {
	b := &bench{design: g, v: v, cycles: cycles, flit: d.FlitWidth, count: d.CountWidth}
	b.channels, b.links = d.Watches()
	b.rst, b.injValid, b.injFlit = g.Inputs["rst_i"], g.Inputs["inj_valid_i"], g.Inputs["inj_flit_i"]
	b.injReady, b.collision = g.Outputs["inj_ready_o"], g.Outputs["collision_o"]
	b.errors, b.drivers = counters{g.Outputs["corrected_o"], g.Outputs["detected_o"]}, drivers(g, v)
	b.valid, b.fire, b.flits, b.counts = g.Outputs[rtl.WatchedValid], g.Outputs[rtl.WatchedFire], g.Outputs[rtl.WatchedFlit], g.Outputs[rtl.WatchedCount]
	return b
}

// compile makes a program with a mutant in each lane. It has the values of more nets than those that are compared.
func (b *bench) compile(numbers []int, more ...gate.Net) *gate.Program {
	tied := map[gate.Net]bool{}
	for name, list := range b.design.Inputs {
		switch name {
		case "rst_i", "inj_valid_i", "inj_flit_i", "clk_i", "lose_i", "flip_i", "upset_i":
		case "tick_i", "ej_ready_i":
			for _, net := range list {
				tied[net] = true
			}
		default:
			for _, net := range list {
				tied[net] = false
			}
		}
	}
	return b.design.Compile(numbers, tied, slices.Concat(b.injReady, b.collision, b.valid, b.fire, b.flits, b.counts, b.errors[0], b.errors[1], more))
}

// place is where the bench is in the vectors, and what it expects.
type place struct {
	cycle                     uint32
	stimulus, event, level    int
	error                     int
	shown                     []int // channels whose flits were valid in the cycle before
	resetting                 bool
	wantValid, wantFire       []bool
	wantFlit                  [][]bool // of outputs that are valid
	wantCount, wantFull, lost []bool
	wantErrors                [2][]bool
	wrongs                    []wrongs // by driver of faults
}

func (b *bench) begin() *place {
	p := &place{
		wantValid: make([]bool, len(b.valid)), wantFire: make([]bool, len(b.valid)), wantFlit: make([][]bool, len(b.valid)),
		wantCount: make([]bool, len(b.counts)), wantFull: make([]bool, b.channels), lost: make([]bool, len(b.collision)),
		wantErrors: [2][]bool{make([]bool, len(b.errors[0])), make([]bool, len(b.errors[1]))},
	}
	for _, d := range b.drivers {
		p.wrongs = append(p.wrongs, wrongs{dead: make([]bool, len(d.lose))})
	}
	return p
}

func (p *place) clone() *place {
	c := *p
	c.shown, c.wantValid, c.wantFire, c.wantFlit = slices.Clone(p.shown), slices.Clone(p.wantValid), slices.Clone(p.wantFire), slices.Clone(p.wantFlit)
	c.wantCount, c.wantFull, c.lost = slices.Clone(p.wantCount), slices.Clone(p.wantFull), slices.Clone(p.lost)
	c.wantErrors = [2][]bool{slices.Clone(p.wantErrors[0]), slices.Clone(p.wantErrors[1])}
	c.wrongs = slices.Clone(p.wrongs)
	for i := range c.wrongs {
		c.wrongs[i] = c.wrongs[i].clone()
	}
	return &c
}

// powerUp is the edge before the first cycle.
func (b *bench) powerUp(p *gate.Program) {
	p.PowerUp(rand.New(rand.NewPCG(1, 1)))
	p.Drive(b.rst[0], true)
	for _, net := range slices.Concat(b.injValid, b.injFlit) {
		p.Drive(net, false)
	}
	for _, d := range b.drivers {
		for _, net := range slices.Concat(d.lose, d.flip) {
			p.Drive(net, false)
		}
	}
	p.Evaluate()
	p.Clock()
}

// step advances a program by a cycle, and returns the lanes that differ from what is expected.
func (b *bench) step(p *gate.Program, at *place) gate.Word {
	wrong := b.show(p, at)
	p.Clock()
	at.cycle++
	return wrong
}

// show computes a cycle up to the edge at its end.
func (b *bench) show(p *gate.Program, at *place) gate.Word {
	b.drive(p, at)
	p.Evaluate()
	b.countErrors(at)
	var wrong gate.Word
	if at.resetting {
		clear(at.wantCount)
		clear(at.wantFull)
	} else {
		b.expect(at)
		wrong = b.compare(p, at)
	}
	return wrong
}

// drive puts the flits of a cycle on the injection channels. A channel that is not valid any more shows the complement of its
// last flit.
func (b *bench) drive(p *gate.Program, at *place) {
	for _, s := range at.shown {
		was := &b.v.stimuli[s]
		p.Drive(b.injValid[was.number], false)
		for i, value := range was.bits {
			p.Drive(b.injFlit[int(was.number)*b.flit+i], !value)
		}
	}
	at.shown, at.resetting = at.shown[:0], false
	for ; b.v.stimuli[at.stimulus].cycle == at.cycle; at.stimulus++ {
		s := &b.v.stimuli[at.stimulus]
		if s.number == resetChannel {
			at.resetting = true
			continue
		}
		at.shown = append(at.shown, at.stimulus)
		p.Drive(b.injValid[s.number], true)
		for i, value := range s.bits {
			p.Drive(b.injFlit[int(s.number)*b.flit+i], value)
		}
	}
	p.Drive(b.rst[0], at.resetting)
	for i := range b.drivers {
		b.drivers[i].drive(p, at.cycle, &at.wrongs[i])
	}
}

// expect collects what the outputs should show in this cycle.
func (b *bench) expect(at *place) {
	clear(at.lost)
	for ; b.v.levels[at.level].cycle == at.cycle; at.level++ {
		l := &b.v.levels[at.level]
		buffers := len(at.wantCount) / b.count
		switch n := int(l.number); {
		case n < buffers:
			copy(at.wantCount[n*b.count:], l.bits)
		case n < buffers+b.channels:
			at.wantFull[n-buffers] = l.bits[0]
		default:
			at.lost[n-buffers-b.channels] = true
		}
	}
	clear(at.wantValid)
	clear(at.wantFire)
	for ; b.v.events[at.event].cycle == at.cycle; at.event++ {
		e := &b.v.events[at.event]
		n := e.number & (1<<31 - 1)
		at.wantValid[n], at.wantFire[n], at.wantFlit[n] = true, e.number>>31 == 1, e.bits
	}
}

// compare returns the lanes that differ.
func (b *bench) compare(p *gate.Program, at *place) gate.Word {
	var wrong gate.Word
	compare := func(nets []gate.Net, want []bool, inverted bool) {
		for i, net := range nets {
			wrong.Differ(p.Value(net), want[i] != inverted)
		}
	}
	compare(b.valid, at.wantValid, false)
	compare(b.fire, at.wantFire, false)
	compare(b.counts, at.wantCount, false)
	compare(b.injReady, at.wantFull, true)
	compare(b.collision, at.lost, false)
	compare(b.errors[0], at.wantErrors[0], false)
	compare(b.errors[1], at.wantErrors[1], false)
	for n, valid := range at.wantValid {
		if valid {
			compare(b.flits[n*b.flit:(n+1)*b.flit], at.wantFlit[n], false)
		}
	}
	return wrong
}
