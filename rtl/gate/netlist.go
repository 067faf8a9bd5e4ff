// SPDX-License-Identifier: Apache-2.0

// Package gate simulates netlists of gates, in many copies at a time. A bit of a machine word is a lane: a copy of the
// design with a fault of its own. So one pass over the gates advances as many faulty designs as a word has bits.
//
// Yosys writes the netlist, a module for each module of the Verilog (netlist.go). The design is flat (design.go). A program
// is the design for chosen faults: whatever these faults do not need is folded away (program.go).
package gate

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// netlist is a design in Yosys's JSON form; the parts that are not looked at are left out.
type netlist struct {
	Modules map[string]*module `json:"modules"`
}

type module struct {
	Ports map[string]*port `json:"ports"`
	Cells map[string]*cell `json:"cells"`
}

type port struct {
	Direction string `json:"direction"`
	Bits      []bit  `json:"bits"`
}

type cell struct {
	Type        string            `json:"type"`
	Directions  map[string]string `json:"port_directions"`
	Connections map[string][]bit  `json:"connections"`
}

// bit is a net of a module. Yosys numbers nets from 2; 0 and 1 are the constants.
type bit int32

// The constants.
const (
	zero bit = 0
	one  bit = 1
)

// UnmarshalJSON reads a net's number or a constant. An unknown value is 0, as in a simulator of two states.
func (b *bit) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case `"0"`, `"x"`, `"z"`:
		*b = zero
		return nil
	case `"1"`:
		*b = one
		return nil
	}
	n, err := strconv.ParseInt(string(text), 10, 32)
	*b = bit(n)
	return err
}

// mutantPort is the port that carries the number of a fault to every module that has faults.
const mutantPort = "mutant"

// kinds are the gates of Yosys's library, by type.
var kinds = map[string]struct {
	op     op
	inputs []string
}{
	"$_BUF_": {copyOf, []string{"A"}}, "$_NOT_": {not, []string{"A"}},
	"$_AND_": {and, []string{"A", "B"}}, "$_NAND_": {nand, []string{"A", "B"}}, "$_ANDNOT_": {andNot, []string{"A", "B"}},
	"$_OR_": {or, []string{"A", "B"}}, "$_NOR_": {nor, []string{"A", "B"}}, "$_ORNOT_": {orNot, []string{"A", "B"}},
	"$_XOR_": {xor, []string{"A", "B"}}, "$_XNOR_": {xnor, []string{"A", "B"}}, "$_MUX_": {mux, []string{"A", "B", "S"}},
}

// register is the type of a register of one bit.
const register = "$_DFF_P_"

// Netlist is a design as Yosys wrote it.
type Netlist struct{ modules map[string]*module }

// Read reads a netlist that Yosys wrote as JSON. Its modules consist of gates, of registers of one bit, and
// of comparisons (type $eq), of which those with the port of faults choose a fault.
func Read(text []byte) (*Netlist, error) {
	n := &netlist{}
	if err := json.Unmarshal(text, n); err != nil {
		return nil, fmt.Errorf("yosys: its netlist: %w", err)
	}
	return &Netlist{n.Modules}, nil
}

// Design returns a module as a flat design.
func (n *Netlist) Design(top string) (*Design, error) {
	d := &Design{nets: 2, Inputs: map[string][]Net{}, Outputs: map[string][]Net{}, first: map[string]int{}}
	root := n.modules[top]
	if root == nil {
		return nil, fmt.Errorf("yosys: its netlist has no module %s", top)
	}
	nets := map[bit]Net{zero: Zero, one: One}
	for _, name := range slices.Sorted(maps.Keys(root.Ports)) {
		p := root.Ports[name]
		list := d.named(nets, p.Bits)
		if p.Direction == "input" {
			d.Inputs[name] = list
		} else {
			d.Outputs[name] = list
		}
	}
	if err := d.add(n, root, top, nets); err != nil {
		return nil, err
	}
	d.top = nets
	return d, d.order()
}

// Around returns where the ports of an instance are in a flat design of the module around it, by the nets of the instance's own design.
func (n *Netlist) Around(d *Design, module, instance string, inside *Design) map[Net]Net {
	c := n.modules[module].Cells[instance]
	around := map[Net]Net{}
	for _, ports := range []map[string][]Net{inside.Inputs, inside.Outputs} {
		for name, list := range ports {
			for i, b := range c.Connections[name] {
				around[list[i]] = d.top[b]
			}
		}
	}
	return around
}

// Instance returns the module of an instance in another module as a flat design, with the inputs that are
// constants there.
func (n *Netlist) Instance(module, instance string) (*Design, map[Net]bool, error) {
	m := n.modules[module]
	if m == nil || m.Cells[instance] == nil {
		return nil, nil, fmt.Errorf("yosys: its netlist has no %s in module %s", instance, module)
	}
	c := m.Cells[instance]
	d, err := n.Design(c.Type)
	if err != nil {
		return nil, nil, err
	}
	tied := map[Net]bool{}
	for name, list := range d.Inputs {
		for i, b := range c.Connections[name] {
			if b == zero || b == one {
				tied[list[i]] = b == one
			}
		}
	}
	return d, tied, nil
}

// Below lists the module of an instance in another module, and the modules below it.
func (n *Netlist) Below(module, instance string) ([]string, error) {
	m := n.modules[module]
	if m == nil || m.Cells[instance] == nil {
		return nil, fmt.Errorf("yosys: its netlist has no %s in module %s", instance, module)
	}
	list := []string{m.Cells[instance].Type}
	for i := 0; i < len(list); i++ {
		cells := n.modules[list[i]].Cells
		for _, name := range slices.Sorted(maps.Keys(cells)) {
			if kind := cells[name].Type; n.modules[kind] != nil && !slices.Contains(list, kind) {
				list = append(list, kind)
			}
		}
	}
	return list, nil
}

// named returns the flat nets of a module's nets.
func (d *Design) named(nets map[bit]Net, bits []bit) []Net {
	list := make([]Net, len(bits))
	for i, b := range bits {
		flat, ok := nets[b]
		if !ok {
			flat = d.net()
			nets[b] = flat
		}
		list[i] = flat
	}
	return list
}

// add adds the cells of a module whose ports are in nets, and of the modules below it.
func (d *Design) add(n *Netlist, m *module, path string, nets map[bit]Net) error {
	isFault := map[bit]bool{}
	if p := m.Ports[mutantPort]; p != nil {
		for _, b := range p.Bits {
			isFault[b] = true
		}
	}
	names := slices.Collect(maps.Keys(m.Cells))
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(len(a)-len(b), strings.Compare(a, b)) }) // bits of a word stay together
	for _, name := range names {
		c := m.Cells[name]
		kind, isGate := kinds[c.Type]
		switch {
		case isGate:
			g := gate{op: kind.op, out: d.named(nets, c.Connections["Y"])[0]}
			for i, input := range kind.inputs {
				g.in[i] = d.named(nets, c.Connections[input])[0]
			}
			d.gates = append(d.gates, g)
		case c.Type == register:
			d.registers = append(d.registers, latch{d.named(nets, c.Connections["D"])[0], d.named(nets, c.Connections["Q"])[0]})
		case c.Type == "$eq":
			d.compare(c, isFault, nets)
		default:
			below := n.modules[c.Type]
			if below == nil {
				return fmt.Errorf("%s.%s: a cell of type %s, which is no gate", path, name, c.Type)
			}
			d.first[path+"."+name] = len(d.registers)
			if err := d.instance(n, below, c, path+"."+name, nets); err != nil {
				return err
			}
		}
	}
	return nil
}

// instance adds a module below. Its outputs drive the nets around it through gates that folding removes.
func (d *Design) instance(n *Netlist, m *module, c *cell, path string, around map[bit]Net) error {
	nets := map[bit]Net{zero: Zero, one: One}
	for _, name := range slices.Sorted(maps.Keys(m.Ports)) {
		if p := m.Ports[name]; p.Direction == "input" {
			connected := d.named(around, c.Connections[name])
			for i, b := range p.Bits {
				if i < len(connected) {
					nets[b] = connected[i]
				} else {
					nets[b] = Zero
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Ports)) {
		if p := m.Ports[name]; p.Direction == "output" {
			inside := d.named(nets, p.Bits)
			for i, b := range c.Connections[name] {
				d.gates = append(d.gates, gate{op: copyOf, in: [3]Net{inside[i]}, out: d.named(around, []bit{b})[0]})
			}
		}
	}
	return d.add(n, m, path, nets)
}

// compare adds a comparison. One of the port of faults with a number chooses a fault; others become gates.
func (d *Design) compare(c *cell, isFault map[bit]bool, nets map[bit]Net) {
	a, b := c.Connections["A"], c.Connections["B"]
	out := d.named(nets, c.Connections["Y"])
	for i := 1; i < len(out); i++ {
		d.gates = append(d.gates, gate{op: copyOf, in: [3]Net{Zero}, out: out[i]})
	}
	if len(b) > 0 && isFault[b[0]] {
		a, b = b, a
	}
	if len(a) > 0 && isFault[a[0]] {
		number := 0
		for i := range b {
			number |= int(b[i]) << i
		}
		d.choices = append(d.choices, choice{number, out[0]})
		return
	}
	same := One
	for i := range max(len(a), len(b)) {
		x, y := Zero, Zero
		if i < len(a) {
			x = d.named(nets, a[i:i+1])[0]
		}
		if i < len(b) {
			y = d.named(nets, b[i:i+1])[0]
		}
		equal, both := d.net(), d.net()
		d.gates = append(d.gates, gate{op: xnor, in: [3]Net{x, y}, out: equal}, gate{op: and, in: [3]Net{same, equal}, out: both})
		same = both
	}
	d.gates = append(d.gates, gate{op: copyOf, in: [3]Net{same}, out: out[0]})
}
