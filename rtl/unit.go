// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/rtl/verilog"
)

// This file is what synthesis measures: one chip, or a whole network, in a module named unit. The unit's
// constants are those of the network: a chip's position, its table and its datelines. Time advances at
// every edge.

// Unit is a module to synthesize.
type Unit struct {
	design *Design
	node   router.NodeID // router.None: the whole network
	maxTag uint32
	hops   int // of the longest route
}

// UnitName is the name of the module.
const UnitName = "unit"

// NewUnit returns chip node of a network, or the whole network for router.None. Messages have tags up to
// maxTag, and source routes up to the longest one between two nodes. A network that the library cannot build
// is an *input.Error.
func NewUnit(n *fabric.Network, node router.NodeID, maxTag uint32) (*Unit, error) {
	hops := longestRoute(n)
	if err := inHardware(n, maxTag, hops); err != nil {
		return nil, err
	}
	return &Unit{newDesign(n, maxTag, hops), node, maxTag, hops}, nil
}

// longestRoute returns the hops of the longest route that a source writes; 0 when chips route.
func longestRoute(n *fabric.Network) int {
	if n.Machine.Routing != machine.Source {
		return 0
	}
	longest := 0
	for from := range router.NodeID(n.Topology.Nodes()) {
		for to := range router.NodeID(n.Topology.Nodes()) {
			hops := 0
			for at := from; at != to; hops++ {
				at = n.Topology.Neighbor(at, n.Next(at, to))
			}
			longest = max(longest, hops)
		}
	}
	return longest
}

// Design returns the sizes of the unit's chips.
func (u *Unit) Design() *Design { return u.design }

// Module returns the library's module of the chips.
func (u *Unit) Module() string { return u.design.chipModule() }

// Write writes the library and the unit into a folder, and returns the names of the files that the unit needs. Yosys numbers what it reads, and
// other numbers make other cells at times: so modules that a chip does not have cannot change its area.
func (u *Unit) Write(dir string) ([]string, error) {
	lib, err := fs.Sub(sources, "lib")
	if err != nil {
		return nil, err
	}
	if err := os.CopyFS(dir, lib); err != nil {
		return nil, err
	}
	var own []string
	var text bytes.Buffer
	for _, m := range u.modules() {
		name, from := m.Name+".v", text.Len()
		if err := verilog.Print(&text, m); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, name), text.Bytes()[from:], 0o644); err != nil {
			return nil, err
		}
		own = append(own, name)
	}
	return append(needed(text.String()), own...), nil
}

// modules are those that the library does not have.
func (u *Unit) modules() []*verilog.Module {
	if u.node == router.None {
		return []*verilog.Module{u.design.top(), u.design.fabricUnit()}
	}
	return []*verilog.Module{u.design.chipUnit(u.node)}
}

// fabricUnit is the whole network.
func (d *Design) fabricUnit() *verilog.Module {
	m := &verilog.Module{Name: UnitName, Comment: []string{"The network, whose time advances at every edge."}, Locals: d.widths()}
	top := verilog.Instance{Module: d.network(), Name: "i_top"}
	for _, p := range d.topPorts() {
		value := p.Name
		if p.Name == "tick_i" {
			value = "1'b1"
		} else {
			m.Ports = append(m.Ports, p)
		}
		top.Ports = append(top.Ports, verilog.Connection{Name: p.Name, Value: value})
	}
	m.Items = []verilog.Item{top}
	return m
}

// chipUnit is chip n. Its inputs are the nets that links and neighbours drive; its outputs are what
// links, neighbours and the PE read.
func (d *Design) chipUnit(n router.NodeID) *verilog.Module {
	channels, flits := fmt.Sprint(d.channels(n)), fmt.Sprintf("%d*FlitWidth", d.channels(n))
	shown := d.chipShows(n)
	m := &verilog.Module{Name: UnitName, Comment: []string{d.chipName(n)}, Locals: d.widths()}
	m.Ports = []verilog.Port{{Name: "clk_i"}, {Name: "rst_i"}, {Name: "inj_valid_i", Width: channels}, {Name: "inj_flit_i", Width: flits}}
	for _, w := range d.chipReads(n) {
		m.Ports = append(m.Ports, verilog.Port{Name: w.Name, Width: w.Width})
	}
	m.Ports = append(m.Ports, verilog.Port{Name: "inj_ready_o", Width: channels, Output: true}, verilog.Port{Name: "ej_valid_o", Width: channels, Output: true},
		verilog.Port{Name: "shown_o", Width: "(" + shown.width() + ")", Output: true, Comment: "what links, neighbours and the PE read"})
	if d.Packets {
		m.Items = d.packetNets(n)
	} else {
		m.Items = d.chipNets(n)
	}
	m.Items = append(m.Items, d.codeNets(n)...)
	chip := verilog.Instance{Module: d.chipModule(), Name: "i_chip", Parameters: d.chipParameters(n), Ports: d.chipPorts(n)}
	for i := range chip.Ports {
		chip.Ports[i].Value = d.inUnit(chip.Ports[i], d.ports(n))
	}
	m.Items = append(m.Items, chip, verilog.Assign{Target: "shown_o", Value: shown.value()})
	return m
}

// inUnit returns what a port of a chip is connected to in a unit: clock, reset and the PE's side are the unit's own ports, since there is
// one chip; time advances at every edge, and neighbours that always take what is offered say so.
func (d *Design) inUnit(c verilog.Connection, ports int) string {
	switch {
	case c.Name == "tick_i":
		return "1'b1"
	case c.Name == "take_i" && !d.SinglePort:
		return fmt.Sprintf("{%d{1'b1}}", ports)
	case c.Name == "clk_i", c.Name == "rst_i", strings.HasPrefix(c.Name, "inj_"), c.Name == "ej_valid_o":
		return c.Name
	}
	return c.Value
}

// chipReads lists the nets of links and neighbours that chip n reads.
func (d *Design) chipReads(n router.NodeID) []verilog.Wire {
	var items []verilog.Item
	out, into := d.portLinks(n)
	for p := range out {
		switch {
		case d.Packets && out[p] >= 0:
			items = append(items, d.packetNets(d.Links[out[p]].To)...)
		case d.Packets:
		default:
			if into[p] >= 0 {
				items = append(items, d.linkNets(into[p])[:3]...)
			}
			if out[p] >= 0 {
				items = append(items, d.linkNets(out[p])[3:]...)
			}
		}
	}
	var wires []verilog.Wire
	for _, item := range items {
		if w, ok := item.(verilog.Wire); ok && !slices.Contains(wires, w) {
			wires = append(wires, w)
		}
	}
	return wires
}

// parts are parts of nets, with their widths.
type parts []netWidth

func (p parts) width() string {
	widths := make([]string, len(p))
	for i := range p {
		widths[i] = p[i].width
	}
	return strings.Join(widths, "+")
}

func (p parts) value() string {
	names := make([]string, len(p))
	for i := range p {
		names[i] = p[i].name
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// chipShows lists the parts of chip n's nets that links, neighbours and the PE read.
func (d *Design) chipShows(n router.NodeID) parts {
	var list parts
	show := func(name string, p, count int, unit, width string) {
		list = append(list, netWidth{slice(fmt.Sprintf("n%d_%s", n, name), p*count, count, unit), width})
	}
	out, into := d.portLinks(n)
	linked := false
	for p := range out {
		if out[p] >= 0 {
			linked = true
			show("valid", p, 1, "", "1")
			switch {
			case d.Packets && d.SinglePort:
				show("request", p, 1, "", "1")
			default:
				show("flit", p, 1, "FlitWidth", "FlitWidth")
			}
		}
		if into[p] < 0 {
			continue
		}
		switch {
		case d.Packets && d.SinglePort:
			show("grant", p, 1, "", "1")
		case d.Packets:
			show("room", p, 1, "", "1")
		default:
			show("take", p, 1, "", "1")
			if !d.Bufferless {
				show("count", p, d.VCs, "CountWidth", fmt.Sprintf("%d*CountWidth", d.VCs))
			}
		}
	}
	whole := func(name, width string) { list = append(list, netWidth{fmt.Sprintf("n%d_%s", n, name), width}) }
	if d.Packets && d.SinglePort && linked {
		whole("flit", "FlitWidth")
	}
	whole("ej_flit", fmt.Sprintf("%d*FlitWidth", d.channels(n)))
	if d.Bufferless || d.Packets {
		whole("lost", "1")
	}
	if d.coded() {
		whole("corrected", fmt.Sprint(counterBits))
		whole("detected", fmt.Sprint(counterBits))
	}
	return list
}

// Middle returns the node in the middle of a grid, else one with the most links.
func Middle(t *topology.Topology) router.NodeID {
	if t.IsGrid() {
		at := make([]int, len(t.Dims))
		for d := range at {
			at[d] = t.Dims[d] / 2
		}
		return t.At(at)
	}
	best := router.NodeID(0)
	for n := range router.NodeID(t.Nodes()) {
		if t.Degree(n) > t.Degree(best) {
			best = n
		}
	}
	return best
}
