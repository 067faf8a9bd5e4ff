// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"fmt"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/router"
	"meshwright/rtl/verilog"
)

// top describes the module that wires chips and links. It only instantiates:
// whatever decides anything is in the library.
func (d *Design) top() *verilog.Module {
	m := &verilog.Module{
		Name: "top",
		Comment: []string{
			fmt.Sprintf("%s: %d chips, %d links. Generated; the modules it instantiates are in lib.", d.net.Topology, d.Chips, len(d.Links)),
			"Outputs are numbered links first, in rising order of chip and port, then ejection channels.",
		},
		Locals: d.widths(),
		Ports:  d.topPorts(),
	}
	for n := range router.NodeID(d.Chips) {
		m.Items = append(m.Items, d.chip(n)...)
	}
	m.Items = append(m.Items, verilog.Note(""), verilog.Note("Links, named by the chips they join."))
	for i := range d.Links {
		m.Items = append(m.Items, d.link(i))
	}
	m.Items = append(m.Items, d.outputs()...)
	return m
}

func (d *Design) widths() []verilog.Constant {
	return []verilog.Constant{
		{Name: "FlitWidth", Value: fmt.Sprint(d.FlitWidth), Comment: "vc, head, tail, kind, tag, source, destination, route, payload"},
		{Name: "CountWidth", Value: fmt.Sprint(d.CountWidth), Comment: "occupancy of a buffer"},
	}
}

func (d *Design) topPorts() []verilog.Port {
	channels, outputs := d.Chips*d.Channels, d.Outputs()
	return []verilog.Port{
		{Name: "clk_i"},
		{Name: "rst_i", Comment: "synchronous"},
		{Name: "tick_i", Comment: "the network's time advances at this edge"},
		{Name: "inj_valid_i", Width: fmt.Sprint(channels), Comment: "accepted when valid and ready"},
		{Name: "inj_flit_i", Width: fmt.Sprintf("%d*FlitWidth", channels)},
		{Name: "inj_ready_o", Width: fmt.Sprint(channels), Output: true},
		{Name: "valid_o", Width: fmt.Sprint(outputs), Output: true, Comment: "a flit is offered"},
		{Name: "fire_o", Width: fmt.Sprint(outputs), Output: true, Comment: "it crosses in this cycle"},
		{Name: "flit_o", Width: fmt.Sprintf("%d*FlitWidth", outputs), Output: true, Comment: "means something under valid"},
		{Name: "count_o", Width: fmt.Sprintf("%d*CountWidth", d.Chips*d.Ports*d.VCs), Output: true, Comment: "flits in each buffer"},
		{Name: "collision_o", Output: true, Comment: "bufferless: a flit was lost"},
	}
}

// chip declares a chip's nets, instantiates it and ties off unconnected ports.
func (d *Design) chip(n router.NodeID) []verilog.Item {
	net := func(name string) string { return fmt.Sprintf("n%d_%s", n, name) }
	ports, vcs := fmt.Sprint(d.Ports), fmt.Sprintf("%d", d.Ports*d.VCs)
	flits := fmt.Sprintf("%d*FlitWidth", d.Ports)
	items := []verilog.Item{
		verilog.Note(""), verilog.Note(d.chipName(n)),
		verilog.Wire{Width: ports, Name: net("valid")}, verilog.Wire{Width: flits, Name: net("flit")},
		verilog.Wire{Width: ports, Name: net("offer")}, verilog.Wire{Width: ports, Name: net("take")},
		verilog.Wire{Width: ports, Name: net("in_valid")}, verilog.Wire{Width: flits, Name: net("in_flit")},
	}
	if d.Bufferless {
		items = append(items, verilog.Wire{Name: net("collision")})
	} else {
		items = append(items, verilog.Wire{Width: vcs, Name: net("ready")}, verilog.Wire{Width: ports, Name: net("taken")})
	}
	items = append(items, verilog.Instance{Module: d.chipModule(), Name: net("chip"), Parameters: d.chipParameters(), Ports: d.chipPorts(n)})
	return append(items, d.tieOffs(n)...)
}

func (d *Design) chipName(n router.NodeID) string {
	t := d.net.Topology
	if !t.IsGrid() {
		return fmt.Sprintf("Node %d.", n)
	}
	var at []string
	for _, x := range t.Coordinates(n) {
		at = append(at, fmt.Sprint(x))
	}
	return fmt.Sprintf("Node %d at (%s).", n, strings.Join(at, ", "))
}

func (d *Design) chipModule() string {
	if d.Bufferless {
		return "bufferless_node"
	}
	return "wormhole_router"
}

func (d *Design) chipParameters() []verilog.Connection {
	m := d.net.Machine
	var list []verilog.Connection
	add := func(name string, value any) {
		list = append(list, verilog.Connection{Name: name, Value: fmt.Sprint(value)})
	}
	add("Ports", d.Ports)
	add("Channels", d.Channels)
	if !d.Bufferless {
		add("Vcs", d.VCs)
		add("Depth", d.Depth)
		add("Dateline", bit(machine.Dateline(d.net.Topology) && d.VCs > 1))
	}
	add("FlitCycles", m.Flit)
	add("SinglePort", bit(d.SinglePort))
	add("HalfDuplex", bit(d.HalfDuplex))
	add("Kind", int(d.Kind))
	switch d.Kind {
	case dimensionOrder:
		t := d.net.Topology
		sizes, wrapped := make([]string, len(t.Dims)), make([]string, len(t.Dims))
		for i := range t.Dims {
			sizes[len(t.Dims)-1-i] = fmt.Sprintf("32'd%d", t.Dims[i])
			wrapped[len(t.Dims)-1-i] = fmt.Sprintf("1'b%d", bit(t.Wrap[i]))
		}
		add("Dims", len(t.Dims))
		add("Sizes", "{"+strings.Join(sizes, ", ")+"}")
		add("Wrapped", "{"+strings.Join(wrapped, ", ")+"}")
	case tableRouting:
		add("EntryWidth", d.tableEntry())
	case sourceRouting:
		add("PortWidth", d.PortWidth)
	}
	add("NodeWidth", d.NodeWidth)
	add("TagWidth", d.TagWidth)
	add("RouteWidth", d.RouteWidth)
	add("Width", d.Width)
	return list
}

func (d *Design) chipPorts(n router.NodeID) []verilog.Connection {
	net := func(name string) string { return fmt.Sprintf("n%d_%s", n, name) }
	first, channels := int(n)*d.Channels, d.Channels
	list := []verilog.Connection{
		{Name: "clk_i", Value: "clk_i"}, {Name: "rst_i", Value: "rst_i"}, {Name: "tick_i", Value: "tick_i"},
		{Name: "here_i", Value: d.here(n)}, {Name: "table_i", Value: d.table(n)},
		{Name: "valid_o", Value: net("valid")}, {Name: "flit_o", Value: net("flit")},
		{Name: "offer_i", Value: net("offer")}, {Name: "take_o", Value: net("take")},
		{Name: "valid_i", Value: net("in_valid")}, {Name: "flit_i", Value: net("in_flit")},
		{Name: "count_o", Value: slice("count_o", int(n)*d.Ports*d.VCs, d.Ports*d.VCs, "CountWidth")},
		{Name: "inj_valid_i", Value: slice("inj_valid_i", first, channels, "")},
		{Name: "inj_flit_i", Value: slice("inj_flit_i", first, channels, "FlitWidth")},
		{Name: "inj_ready_o", Value: slice("inj_ready_o", first, channels, "")},
		{Name: "ej_valid_o", Value: slice("valid_o", len(d.Links)+first, channels, "")},
		{Name: "ej_flit_o", Value: slice("flit_o", len(d.Links)+first, channels, "FlitWidth")},
	}
	if d.Bufferless {
		return append(list, verilog.Connection{Name: "collision_o", Value: net("collision")})
	}
	return append(list,
		verilog.Connection{Name: "wraps_i", Value: fmt.Sprintf("%d'd%d", d.Ports, d.wraps(n))},
		verilog.Connection{Name: "ready_i", Value: net("ready")}, verilog.Connection{Name: "take_i", Value: net("taken")})
}

// slice writes elements first to first+count of a flat vector whose elements
// are unit wide.
func slice(name string, first, count int, unit string) string {
	if unit == "" {
		return fmt.Sprintf("%s[%d+:%d]", name, first, count)
	}
	return fmt.Sprintf("%s[%d*%s+:%d*%s]", name, first, unit, count, unit)
}

// here writes the chip's coordinates, dimension 0 lowest.
func (d *Design) here(n router.NodeID) string {
	if d.Kind != dimensionOrder {
		return "0"
	}
	at := d.net.Topology.Coordinates(n)
	parts := make([]string, len(at))
	for i, x := range at {
		parts[len(at)-1-i] = fmt.Sprintf("%d'd%d", d.NodeWidth, x)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// table writes the chip's next hops as one number, node 0 in the lowest entry.
func (d *Design) table(n router.NodeID) string {
	if d.Kind != tableRouting {
		return "1'b0"
	}
	entry := d.tableEntry()
	b := newBitWriter(entry << d.NodeWidth)
	for to := range router.NodeID(d.Chips) {
		port := uint64(1)<<entry - 1
		if p := d.net.Next(n, to); p != router.Here {
			port = uint64(p)
		}
		b.put(port, entry)
	}
	return fmt.Sprintf("%d'h%s", entry<<d.NodeWidth, b.appendHex(nil, entry<<d.NodeWidth))
}

// tieOffs gives the inputs of unconnected ports their idle values.
func (d *Design) tieOffs(n router.NodeID) []verilog.Item {
	var items []verilog.Item
	t := d.net.Topology
	for p := range router.Port(d.Ports) {
		if int(p) < t.Ports(n) && t.Neighbor(n, p) != router.None {
			continue
		}
		tie := func(name, unit string, width int) {
			zero := fmt.Sprintf("%d'b0", width)
			if unit != "" {
				zero = "{" + unit + "{1'b0}}"
			}
			items = append(items, verilog.Assign{Target: slice(fmt.Sprintf("n%d_%s", n, name), int(p)*width, width, unit), Value: zero})
		}
		tie("offer", "", 1)
		tie("in_valid", "", 1)
		tie("in_flit", "FlitWidth", 1)
		if !d.Bufferless {
			tie("ready", "", d.VCs)
			tie("taken", "", 1)
		}
	}
	return items
}

// link instantiates link i between its two chips.
func (d *Design) link(i int) verilog.Item {
	l := d.Links[i]
	from := func(name, unit string, count int) string {
		return slice(fmt.Sprintf("n%d_%s", l.From, name), int(l.FromPort)*count, count, unit)
	}
	to := func(name, unit string, count int) string {
		return slice(fmt.Sprintf("n%d_%s", l.To, name), int(l.ToPort)*count, count, unit)
	}
	list := []verilog.Connection{
		{Name: "clk_i", Value: "clk_i"}, {Name: "rst_i", Value: "rst_i"}, {Name: "tick_i", Value: "tick_i"},
		{Name: "valid_i", Value: from("valid", "", 1)}, {Name: "flit_i", Value: from("flit", "FlitWidth", 1)},
		{Name: "offer_o", Value: to("offer", "", 1)}, {Name: "take_i", Value: to("take", "", 1)},
		{Name: "valid_o", Value: to("in_valid", "", 1)}, {Name: "flit_o", Value: to("in_flit", "FlitWidth", 1)},
	}
	parameters := []verilog.Connection{{Name: "FlitWidth", Value: "FlitWidth"}, {Name: "Hop", Value: fmt.Sprint(d.net.Machine.Hop)}}
	module := "bufferless_link"
	if !d.Bufferless {
		module = "link"
		first := (int(l.To)*d.Ports + int(l.ToPort)) * d.VCs
		list = append(list,
			verilog.Connection{Name: "ready_o", Value: from("ready", "", d.VCs)},
			verilog.Connection{Name: "take_o", Value: from("taken", "", 1)},
			verilog.Connection{Name: "count_i", Value: slice("count_o", first, d.VCs, "CountWidth")})
		parameters = append(parameters, verilog.Connection{Name: "Vcs", Value: fmt.Sprint(d.VCs)}, verilog.Connection{Name: "Depth", Value: fmt.Sprint(d.Depth)})
	}
	return verilog.Instance{Module: module, Name: fmt.Sprintf("l%d_n%d_n%d", i, l.From, l.To), Parameters: parameters, Ports: list}
}

// outputs gathers what the links show into the top's own outputs.
func (d *Design) outputs() []verilog.Item {
	items := []verilog.Item{verilog.Note("")}
	for i, l := range d.Links {
		port := func(name string, n router.NodeID, p router.Port, unit string) string {
			return slice(fmt.Sprintf("n%d_%s", n, name), int(p), 1, unit)
		}
		items = append(items,
			verilog.Assign{Target: slice("valid_o", i, 1, ""), Value: port("valid", l.From, l.FromPort, "")},
			verilog.Assign{Target: slice("fire_o", i, 1, ""), Value: port("offer", l.To, l.ToPort, "") + " & " + port("take", l.To, l.ToPort, "")},
			verilog.Assign{Target: slice("flit_o", i, 1, "FlitWidth"), Value: port("flit", l.From, l.FromPort, "FlitWidth")})
	}
	channels := d.Chips * d.Channels
	items = append(items, verilog.Assign{Target: slice("fire_o", len(d.Links), channels, ""), Value: slice("valid_o", len(d.Links), channels, "")})
	collision := "1'b0"
	if d.Bufferless {
		var all []string
		for n := range d.Chips {
			all = append(all, fmt.Sprintf("n%d_collision", n))
		}
		collision = strings.Join(all, " | ")
	}
	return append(items, verilog.Assign{Target: "collision_o", Value: collision})
}
