// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"

	"meshwright/rtl/verilog"
)

// netlist is what Yosys writes of a module: its ports and its cells, joined by numbered bits.
type netlist struct {
	Ports map[string]port `json:"ports"`
	Cells map[string]cell `json:"cells"`
}

type port struct {
	Direction string `json:"direction"`
	Bits      []bit  `json:"bits"`
}

type cell struct {
	Type        string           `json:"type"`
	Connections map[string][]bit `json:"connections"`
}

// bit is a number, or a constant: "0", "1", "x".
type bit string

// UnmarshalJSON implements json.Unmarshaler.
func (b *bit) UnmarshalJSON(text []byte) error {
	*b = bit(strings.Trim(string(text), `"`))
	return nil
}

// constant reports whether nothing drives the bit.
func (b bit) constant() bool { return b == "0" || b == "1" || b == "x" || b == "z" }

func readNetlist(path, module string) (*netlist, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var design struct {
		Modules map[string]*netlist `json:"modules"`
	}
	if err := json.Unmarshal(text, &design); err != nil {
		return nil, fmt.Errorf("netlist of yosys: %w", err)
	}
	n := design.Modules[module]
	if n == nil {
		return nil, fmt.Errorf("netlist of yosys: no module %s", module)
	}
	return n, nil
}

// used returns the bits that some cell or output reads.
func (n *netlist) used() map[bit]bool {
	used := map[bit]bool{}
	for _, c := range n.Cells {
		for _, bits := range c.Connections {
			for _, b := range bits {
				used[b] = true
			}
		}
	}
	for _, p := range n.Ports {
		if p.Direction == "output" {
			for _, b := range p.Bits {
				used[b] = true
			}
		}
	}
	return used
}

// changes reports whether any output is more than a constant.
func (n *netlist) changes() bool {
	for _, p := range n.Ports {
		if p.Direction == "output" && slices.ContainsFunc(p.Bits, func(b bit) bool { return !b.constant() }) {
			return true
		}
	}
	return false
}

// harness returns a module that drives all used inputs of a unit but the clock from a shift register, and captures
// all outputs that change.
func (n *netlist) harness(unit, clock string) *verilog.Module {
	used, inputs := n.used(), 0
	instance := verilog.Instance{Module: unit, Name: "i_unit", Ports: []verilog.Connection{{Name: clock, Value: "clk_i"}}}
	var shown []string
	var nets []verilog.Item
	for _, name := range n.portNames() {
		p, net := n.Ports[name], "unit_"+name
		switch {
		case name == clock:
			continue
		case p.Direction == "output":
			nets = append(nets, verilog.Wire{Width: fmt.Sprint(len(p.Bits)), Name: net})
			for i, b := range p.Bits {
				if !b.constant() {
					shown = append(shown, fmt.Sprintf("%s[%d]", net, i))
				}
			}
		default:
			bits := make([]string, len(p.Bits))
			for i, b := range p.Bits {
				bits[len(p.Bits)-1-i] = "1'b0"
				if used[b] {
					bits[len(p.Bits)-1-i] = fmt.Sprintf("in[%d]", inputs)
					inputs++
				}
			}
			net = "{" + strings.Join(bits, ", ") + "}"
		}
		instance.Ports = append(instance.Ports, verilog.Connection{Name: name, Value: net})
	}
	registers := verilog.Instance{
		Module: "harness_registers", Name: "i_registers",
		Parameters: []verilog.Connection{{Name: "Inputs", Value: fmt.Sprint(inputs)}, {Name: "Outputs", Value: fmt.Sprint(len(shown))}},
		Ports: []verilog.Connection{
			{Name: "clk_i", Value: "clk_i"}, {Name: "data_i", Value: "data_i"}, {Name: "data_o", Value: "data_o"},
			{Name: "inputs_o", Value: "in"}, {Name: "outputs_i", Value: "{" + strings.Join(shown, ", ") + "}"},
		},
	}
	return &verilog.Module{
		Name:    harnessName,
		Comment: []string{"A unit between the registers that stand around it while its clock is measured. Generated."},
		Ports:   []verilog.Port{{Name: "clk_i"}, {Name: "data_i"}, {Name: "data_o", Output: true}},
		Items:   append(nets, verilog.Wire{Width: fmt.Sprint(inputs), Name: "in"}, instance, registers),
	}
}

func (n *netlist) portNames() []string {
	names := make([]string, 0, len(n.Ports))
	for name := range n.Ports {
		names = append(names, name)
	}
	slices.SortFunc(names, cmp.Compare)
	return names
}
