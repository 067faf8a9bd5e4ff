// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"fmt"
	"strings"

	"meshwright/router"
	"meshwright/rtl/verilog"
)

// top describes the module that wires chips and links. It only instantiates:
// whatever decides anything is in the library.
func (d *Design) top() *verilog.Module {
	m := &verilog.Module{
		Name: d.network(),
		Comment: []string{
			fmt.Sprintf("Network %s: %d chips, %d links. Generated; the modules it instantiates are in lib.", d.net.Topology, d.Chips, len(d.Links)),
			"Channels are numbered in rising order of chip and port.",
		},
		Locals: d.widths(),
		Ports:  d.topPorts(),
	}
	m.Items = append(m.Items, d.sharedNets()...)
	m.Items = append(m.Items, d.faultNets()...)
	for n := range router.NodeID(d.Chips) {
		m.Items = append(m.Items, d.chip(n)...)
	}
	if !d.Packets {
		m.Items = append(m.Items, verilog.Note(""), verilog.Note("Links, named by the chips they join."))
		for i := range d.Links {
			m.Items = append(m.Items, d.link(i))
		}
	}
	m.Items = append(m.Items, d.faultModules()...)
	m.Items = append(m.Items, d.outputs()...)
	return m
}

// sharedNets declares the nets that chips read before the module or chip that
// drives them stands in the text.
func (d *Design) sharedNets() []verilog.Item {
	var items []verilog.Item
	if d.Packets {
		for n := range router.NodeID(d.Chips) {
			items = append(items, d.packetNets(n)...)
		}
		return items
	}
	for i := range d.Links {
		items = append(items, d.linkNets(i)...)
	}
	return items
}

func (d *Design) widths() []verilog.Constant {
	return []verilog.Constant{
		{Name: "FlitWidth", Value: fmt.Sprint(d.FlitWidth), Comment: "vc, head, tail, kind, tag, source, destination, route, payload"},
		{Name: "CountWidth", Value: fmt.Sprint(d.CountWidth), Comment: "occupancy of a buffer"},
	}
}

func (d *Design) topPorts() []verilog.Port {
	channels := d.allChannels()
	ports := []verilog.Port{
		{Name: "clk_i"},
		{Name: "rst_i", Comment: "synchronous"},
		{Name: "tick_i", Comment: "the network's time advances at this edge"},
		{Name: "inj_valid_i", Width: fmt.Sprint(channels), Comment: "accepted when valid and ready"},
		{Name: "inj_flit_i", Width: fmt.Sprintf("%d*FlitWidth", channels)},
		{Name: "inj_ready_o", Width: fmt.Sprint(channels), Output: true},
		{Name: "ej_valid_o", Width: fmt.Sprint(channels), Output: true, Comment: d.ejectionRule()},
		{Name: "ej_flit_o", Width: fmt.Sprintf("%d*FlitWidth", channels), Output: true, Comment: "means something under valid"},
		{Name: "collision_o", Width: fmt.Sprint(d.Chips), Output: true, Comment: "the chip lost a flit"},
	}
	ports = append(ports, d.readyPorts()...)
	return append(append(ports, d.faultPorts()...), d.codeTopPorts()...)
}

// chip declares a chip's own nets, instantiates it and ties off unconnected ports.
func (d *Design) chip(n router.NodeID) []verilog.Item {
	items := []verilog.Item{verilog.Note(""), verilog.Note(d.chipName(n))}
	items = append(items, d.timeNets(n)...)
	if !d.Packets {
		items = append(items, d.chipNets(n)...)
	}
	items = append(items, d.codeNets(n)...)
	items = append(items, verilog.Instance{Module: d.chipModule(), Name: fmt.Sprintf("n%d_chip", n), Parameters: d.chipParameters(n), Ports: d.chipPorts(n)})
	return append(items, d.unused(n)...)
}

// timeNets gives chip n nets of its own for clock, reset and tick. With one net that
// all modules of all chips read, Icarus Verilog takes five times as long to elaborate a
// mesh of 8x8: it looks a net's readers through for each that it joins or parts.
func (d *Design) timeNets(n router.NodeID) []verilog.Item {
	var items []verilog.Item
	for _, name := range []string{"clk", "rst", "tick"} {
		net := fmt.Sprintf("n%d_%s", n, name)
		items = append(items, verilog.Wire{Name: net}, verilog.Assign{Target: net, Value: name + "_i"})
	}
	return items
}

// chipNets declares what chip n shows its links and its PE.
func (d *Design) chipNets(n router.NodeID) []verilog.Item {
	net := func(name string) string { return fmt.Sprintf("n%d_%s", n, name) }
	ports, flits := fmt.Sprint(d.ports(n)), fmt.Sprintf("%d*FlitWidth", d.ports(n))
	counts := fmt.Sprintf("%d*CountWidth", d.ports(n)*d.VCs)
	items := []verilog.Item{
		verilog.Wire{Width: ports, Name: net("valid")}, verilog.Wire{Width: flits, Name: net("flit")},
		verilog.Wire{Width: ports, Name: net("take")}, verilog.Wire{Width: counts, Name: net("count")},
		verilog.Wire{Width: fmt.Sprintf("%d*FlitWidth", d.channels(n)), Name: net("ej_flit")},
	}
	if d.Bufferless {
		items = append(items, verilog.Wire{Name: net("lost")})
	}
	return items
}

// unused gives what unconnected ports show a name that linters know.
func (d *Design) unused(n router.NodeID) []verilog.Item {
	parts := d.unusedParts(n)
	if len(parts) == 0 {
		return nil
	}
	name := fmt.Sprintf("unused_n%d", n)
	return []verilog.Item{verilog.Wire{Name: name}, verilog.Assign{Target: name, Value: "&{1'b0, " + strings.Join(parts, ", ") + "}"}}
}

// unusedParts lists the parts of chip n's nets that nobody reads.
func (d *Design) unusedParts(n router.NodeID) []string {
	parts := d.unusedCounters(n)
	if d.Packets {
		return append(parts, d.unusedPacket(n)...)
	}
	out, _ := d.portLinks(n)
	for p, link := range out {
		part := func(name, unit string, count int) {
			parts = append(parts, slice(fmt.Sprintf("n%d_%s", n, name), p*count, count, unit))
		}
		if link < 0 {
			part("valid", "", 1)
			part("flit", "FlitWidth", 1)
			part("take", "", 1)
		}
		if link < 0 || d.Bufferless {
			part("count", "CountWidth", d.VCs)
		}
	}
	return parts
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

// Unread lists the outputs of a chip that nothing reads in this design.
func (d *Design) Unread() []string {
	if d.coded() {
		return nil
	}
	return []string{"corrected_o", "detected_o"}
}

// Module returns the library's module of the chips.
func (d *Design) Module() string { return d.chipModule() }

func (d *Design) chipModule() string {
	switch {
	case d.Bufferless:
		return "bufferless_node"
	case d.Packets && d.SinglePort:
		return "packet_router"
	case d.Packets:
		return "packet_router_all_ports"
	}
	return "wormhole_router"
}

func (d *Design) chipParameters(n router.NodeID) []verilog.Connection {
	var list []verilog.Connection
	add := func(name string, value any) {
		list = append(list, verilog.Connection{Name: name, Value: fmt.Sprint(value)})
	}
	if d.Packets {
		list = d.packetParameters(n)
	} else {
		d.addRegime(n, add)
	}
	d.addCode(add)
	if d.RAM {
		add("Ram", 1)
	}
	add("Kind", int(d.Kind))
	d.addRouting(add)
	if !d.Packets || !d.SinglePort {
		add("Paths", d.paths(n))
	}
	if d.HeadFlit && d.Packets {
		add("HeadFlit", 1)
	}
	add("NodeWidth", d.NodeWidth)
	add("TagWidth", d.TagWidth)
	add("RouteWidth", d.RouteWidth)
	add("Width", d.Width)
	return list
}

// addRegime adds the parameters of chips that send flits, not packets.
func (d *Design) addRegime(n router.NodeID, add func(name string, value any)) {
	add("Ports", d.ports(n))
	add("Channels", d.channels(n))
	if d.HeadFlit {
		add("HeadFlit", 1)
		add("Ahead", bit(d.Ahead))
	}
	if !d.Bufferless {
		add("Vcs", d.VCs)
		add("Buffer", d.Buffer)
		add("Claim", d.net.Machine.Claim)
		add("Dateline", bit(d.net.Machine.Datelines(d.net.Topology)))
		if m, t := &d.net.Machine, d.net.Topology; m.ChoosesChannels(t) {
			add("Classes", m.ChannelClasses(t))
		}
		if d.Kind == adaptiveRouting {
			add("Escape", d.net.Machine.EscapeChannels(d.net.Topology))
		}
	}
	add("Flit", d.Flit)
	d.addUneven(n, add)
	add("SinglePort", bit(d.SinglePort))
	add("HalfDuplex", bit(d.HalfDuplex))
}

// addUneven adds the times of a flit on the links of chip n, where links are not alike.
func (d *Design) addUneven(n router.NodeID, add func(name string, value any)) {
	if d.net.Even() {
		return
	}
	out, into := d.portLinks(n)
	times := func(links []int) string {
		return join(links, fmt.Sprintf("7'd%d", d.Flit), func(link int) string { return fmt.Sprintf("7'd%d", d.flit(link)) })
	}
	add("Flits", times(out))
	if d.SinglePort {
		add("TakeFlits", times(into))
	}
}

func (d *Design) addRouting(add func(name string, value any)) {
	switch d.Kind {
	default:
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
}

// paths writes which turns of chip n exist, without trimming and odd-even the same for all chips with so many ports: bit o*(Ports+1)+i
// for a flit that comes in by port i, or is injected (i = Ports), and leaves
// by port o. Dimension order never returns to a lower dimension nor turns
// round; turn models say themselves what they forbid; the machine's own routes in trees and shortest routes never turn round; other routes may do anything.
func (d *Design) paths(n router.NodeID) string {
	ports := d.ports(n)
	model, turns := d.Kind.turnModel()
	bits := make([]byte, 0, ports*(ports+1))
	for o := ports - 1; o >= 0; o-- {
		for i := ports; i >= 0; i-- {
			exists := true
			switch {
			case i == ports:
			case d.Kind == dimensionOrder:
				exists = o/2 > i/2 || o == i^1
			case d.Kind == reverseOrder:
				exists = o/2 < i/2 || o == i^1
			case turns:
				exists = !model.Forbids(router.Port(i), router.Port(o), d.net.Topology.Coordinate(n, 0))
			case d.Kind == o1turnRouting, d.Kind == adaptiveRouting:
				exists = o != i
			case d.Kind == valiantRouting, d.Kind == sourceRouting:
			case len(d.Links) == 2*(d.Chips-1):
				exists = o != i
			}
			exists = exists && (d.turns == nil || d.turns[n][o*(ports+1)+i])
			bits = append(bits, '0'+byte(bit(exists)))
		}
	}
	return fmt.Sprintf("%d'b%s", len(bits), bits)
}

func (d *Design) chipPorts(n router.NodeID) []verilog.Connection {
	net := func(name string) string { return fmt.Sprintf("n%d_%s", n, name) }
	first, channels := d.firstChannel[n], d.channels(n)
	list := []verilog.Connection{
		{Name: "clk_i", Value: net("clk")}, {Name: "rst_i", Value: net("rst")}, {Name: "tick_i", Value: net("tick")},
		{Name: "here_i", Value: d.here(n)}, {Name: "table_i", Value: d.table(n)},
		{Name: "count_o", Value: net("count")},
		{Name: "inj_valid_i", Value: slice("inj_valid_i", first, channels, "")},
		{Name: "inj_flit_i", Value: slice("inj_flit_i", first, channels, "FlitWidth")},
		{Name: "inj_ready_o", Value: slice("inj_ready_o", first, channels, "")},
		{Name: "ej_valid_o", Value: slice("ej_valid_o", first, channels, "")},
		{Name: "ej_flit_o", Value: net("ej_flit")},
	}
	list = append(list, d.codePorts(n)...)
	if d.Packets {
		return append(list, d.packetPorts(n)...)
	}
	out, into := d.portLinks(n)
	list = append(list,
		verilog.Connection{Name: "valid_o", Value: net("valid")}, verilog.Connection{Name: "flit_o", Value: net("flit")},
		verilog.Connection{Name: "offer_i", Value: d.perPort(into, "offer", "1'b0")}, verilog.Connection{Name: "take_o", Value: net("take")},
		verilog.Connection{Name: "valid_i", Value: d.perPort(into, "arrival", "1'b0")},
		verilog.Connection{Name: "flit_i", Value: d.perPort(into, "flit", "{FlitWidth{1'b0}}")})
	if d.Bufferless {
		return append(list, verilog.Connection{Name: "collision_o", Value: net("lost")})
	}
	return append(list,
		verilog.Connection{Name: "ej_ready_i", Value: d.ejectionReady(n)},
		verilog.Connection{Name: "wraps_i", Value: fmt.Sprintf("%d'd%d", d.ports(n), d.wraps(n))},
		verilog.Connection{Name: "ready_i", Value: d.perPort(out, "ready", fmt.Sprintf("%d'b0", d.VCs))},
		verilog.Connection{Name: "empty_i", Value: d.perPort(out, "empty", fmt.Sprintf("%d'b0", d.VCs))},
		verilog.Connection{Name: "take_i", Value: d.perPort(out, "taken", "1'b0")})
}

// portLinks returns the links that leave chip n and those that come in, by
// port; -1: unconnected.
func (d *Design) portLinks(n router.NodeID) (out, into []int) {
	out, into = make([]int, d.ports(n)), make([]int, d.ports(n))
	for p := range out {
		out[p], into[p] = -1, -1
	}
	for i, l := range d.Links {
		if l.From == n {
			out[l.FromPort] = i
		}
		if l.To == n {
			into[l.ToPort] = i
		}
	}
	return out, into
}

// perPort joins one net of each port's link module.
func (d *Design) perPort(links []int, name, idle string) string {
	return join(links, idle, func(link int) string { return d.linkNet(link, name) })
}

// linkNet names a net of link i, as the names of the chips' nets do.
func (d *Design) linkNet(i int, name string) string { return fmt.Sprintf("l%d_%s", i, name) }

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
	if !d.Kind.alongDimensions() {
		return fmt.Sprintf("%d'd0", 2*d.NodeWidth) // the default of Dims
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

// linkNets declares the nets of link i for its receiver and for its sender.
func (d *Design) linkNets(i int) []verilog.Item {
	items := []verilog.Item{
		verilog.Wire{Name: d.linkNet(i, "offer")}, verilog.Wire{Name: d.linkNet(i, "arrival")},
		verilog.Wire{Width: "FlitWidth", Name: d.linkNet(i, "flit")},
	}
	if d.Bufferless {
		return items
	}
	return append(items, verilog.Wire{Width: fmt.Sprint(d.VCs), Name: d.linkNet(i, "ready")},
		verilog.Wire{Width: fmt.Sprint(d.VCs), Name: d.linkNet(i, "empty")}, verilog.Wire{Name: d.linkNet(i, "taken")})
}

// link instantiates link i between its two chips.
func (d *Design) link(i int) verilog.Item {
	l := d.Links[i]
	net := func(name string) string { return d.linkNet(i, name) }
	valid, flit := d.linkEnd(i)
	from := func(name, unit string) string {
		return slice(fmt.Sprintf("n%d_%s", l.From, name), int(l.FromPort), 1, unit)
	}
	list := []verilog.Connection{
		{Name: "clk_i", Value: "clk_i"}, {Name: "rst_i", Value: "rst_i"}, {Name: "tick_i", Value: "tick_i"},
		{Name: "valid_i", Value: from("valid", "")}, {Name: "flit_i", Value: from("flit", "FlitWidth")},
		{Name: "offer_o", Value: net("offer")}, {Name: "take_i", Value: d.receiverTakes(i)},
		{Name: "valid_o", Value: valid}, {Name: "flit_o", Value: flit},
	}
	parameters := []verilog.Connection{{Name: "FlitWidth", Value: "FlitWidth"}, {Name: "Hop", Value: fmt.Sprint(d.hop(i))}}
	module := "bufferless_link"
	if !d.Bufferless {
		module = "link"
		list = append(list,
			verilog.Connection{Name: "ready_o", Value: net("ready")},
			verilog.Connection{Name: "empty_o", Value: net("empty")},
			verilog.Connection{Name: "take_o", Value: net("taken")},
			verilog.Connection{Name: "count_i", Value: slice(fmt.Sprintf("n%d_count", l.To), int(l.ToPort)*d.VCs, d.VCs, "CountWidth")})
		parameters = append(parameters, verilog.Connection{Name: "Vcs", Value: fmt.Sprint(d.VCs)}, verilog.Connection{Name: "Buffer", Value: fmt.Sprint(d.Buffer)})
	}
	return verilog.Instance{Module: module, Name: fmt.Sprintf("l%d_n%d_n%d", i, l.From, l.To), Parameters: parameters, Ports: list}
}

func (d *Design) receiverTakes(i int) string {
	return slice(fmt.Sprintf("n%d_take", d.Links[i].To), int(d.Links[i].ToPort), 1, "")
}

// outputs joins the nets that lead from the chips to the PEs.
func (d *Design) outputs() []verilog.Item {
	flits, losses := make([]string, d.Chips), make([]string, d.Chips)
	for n := range d.Chips {
		flits[d.Chips-1-n] = fmt.Sprintf("n%d_ej_flit", n)
		losses[d.Chips-1-n] = fmt.Sprintf("n%d_lost", n)
	}
	collision := fmt.Sprintf("%d'b0", d.Chips)
	if d.Bufferless || d.Packets {
		collision = "{" + strings.Join(losses, ", ") + "}"
	}
	return append([]verilog.Item{
		verilog.Note(""),
		verilog.Assign{Target: "ej_flit_o", Value: "{" + strings.Join(flits, ", ") + "}"},
		verilog.Assign{Target: "collision_o", Value: collision},
	}, d.counters()...)
}
