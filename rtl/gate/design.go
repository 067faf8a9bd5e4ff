// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"fmt"
	"slices"
)

// Net is a net of a flat design.
type Net int32

// The nets that are constant.
const (
	Zero Net = 0
	One  Net = 1
)

// Design is a flat netlist.
type Design struct {
	Inputs, Outputs map[string][]Net // the ports of the top module

	nets      Net
	gates     []gate // a gate stands behind those that drive its inputs, see order
	registers []latch
	choices   []choice
	first     map[string]int // by path of an instance: its first register
	top       map[bit]Net    // of the top module: the flat nets
}

// Registers returns the registers of an instance of a design and of everything below it, in the order of its module's design.
func (d *Design) Registers(path string, module *Design) []Net {
	list := make([]Net, len(module.registers))
	for i := range list {
		list[i] = d.registers[d.first[path]+i].now
	}
	return list
}

// Has reports whether the design has a fault.
func (d *Design) Has(number int) bool {
	return slices.ContainsFunc(d.choices, func(c choice) bool { return c.number == number })
}

// op is what a gate computes.
type op uint8

const (
	copyOf op = iota
	not
	and
	nand
	andNot
	or
	nor
	orNot
	xor
	xnor
	mux
)

// gate computes a net from up to three; a multiplexer shows in[1] when in[2] is 1.
type gate struct {
	op  op
	in  [3]Net
	out Net
}

// inputs returns the nets that a gate reads.
func (g *gate) inputs() []Net {
	switch g.op {
	case copyOf, not:
		return g.in[:1]
	case mux:
		return g.in[:3]
	}
	return g.in[:2]
}

// latch is a register of one bit.
type latch struct{ next, now Net }

// choice is a net that is 1 in the designs with this fault.
type choice struct {
	number int
	out    Net
}

// net makes a new net.
func (d *Design) net() Net {
	d.nets++
	return d.nets - 1
}

// order sorts the gates so that each stands behind those that drive its inputs.
func (d *Design) order() error {
	driver := make([]int32, d.nets)
	for i := range driver {
		driver[i] = -1
	}
	for i := range d.gates {
		driver[d.gates[i].out] = int32(i)
	}
	waits := make([]uint8, len(d.gates))
	first, next := make([]int32, len(d.gates)), make([]int32, 3*len(d.gates)) // lists of the gates that read a gate
	for i := range first {
		first[i] = -1
	}
	sorted := make([]int32, 0, len(d.gates))
	for i := range d.gates {
		for k, in := range d.gates[i].inputs() {
			if from := driver[in]; from >= 0 {
				waits[i]++
				next[3*i+k], first[from] = first[from], int32(3*i+k)
			}
		}
		if waits[i] == 0 {
			sorted = append(sorted, int32(i))
		}
	}
	for done := 0; done < len(sorted); done++ {
		for at := first[sorted[done]]; at >= 0; at = next[at] {
			if waits[at/3]--; waits[at/3] == 0 {
				sorted = append(sorted, at/3)
			}
		}
	}
	if len(sorted) < len(d.gates) {
		return fmt.Errorf("the netlist has a loop through %d gates", len(d.gates)-len(sorted))
	}
	gates := make([]gate, len(d.gates))
	for i, from := range sorted {
		gates[i] = d.gates[from]
	}
	d.gates = gates
	return nil
}
