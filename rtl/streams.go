// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"context"
	"embed"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/deadlock"
	"meshwright/fabric/machine"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/rtl/ip"
	"meshwright/rtl/verilog"
)

// This file is what an export with AXI4-Stream ports has besides: fabric_axis, a module around the
// network with two streams for each PE, a bench that sends frames through all of them, and
// the network as a packaged core. Exports without streams have nothing of it.

// streamSources are the modules of streams, their bench, and what runs it.
//
//go:embed axis
var streamSources embed.FS

// streamFolder is the folder of an export with all that streams need besides the network.
const streamFolder = "axis"

// The names of the generated modules, unless the export has a name; the network of an export without streams is called top.
const (
	streamNetwork = "fabric"
	streamBench   = "frames"
)

// streamTop names the module around the network.
func (d *Design) streamTop() string { return d.network() + "_axis" }

// streamLibrary and streamBenchFiles list the modules of streams that are written by hand.
func streamLibrary() []string    { return streamSourcesIn("lib") }
func streamBenchFiles() []string { return streamSourcesIn("bench") }

func streamSourcesIn(folder string) []string {
	names, err := fs.Glob(streamSources, streamFolder+"/"+folder+"/*.v")
	if err != nil {
		panic("rtl: " + err.Error()) // the pattern is a constant
	}
	return names
}

// AddStreams gives the export AXI4-Stream ports at the PEs. CheckStreams must have accepted the network.
func (r *Recorder) AddStreams() {
	r.streams = true
	r.maxHops = max(r.maxHops, longestRoute(r.net))
	if r.net.Machine.Header == machine.SideWires {
		r.maxTag = max(r.maxTag, userTags)
	}
}

// userTags is the largest value of tuser that a stream has at least: the width of a port should not depend on
// a run. A header in a flit has room for the tags of the run only.
const userTags = 1<<8 - 1

// CheckStreams refuses networks that cannot have AXI4-Stream ports: machines whose PEs may not wait, and
// routes that may deadlock when PEs send what they like. The error is the context's or an *input.Error.
func CheckStreams(ctx context.Context, n *fabric.Network) error {
	m := n.Machine
	const what = "AXI4-Stream ports"
	switch {
	case m.Switching != machine.Wormhole:
		return input.Errorf("expected switching wormhole", "switching %s: %s may hold flits back, which only buffers of flits bear", m.Switching, what)
	case m.Routing == machine.Valiant:
		others := slices.DeleteFunc(machine.RoutingsOf(n.Topology), func(r string) bool { return r == string(machine.Valiant) })
		return input.Errorf("expected routing "+input.Or(others), "routing valiant: %s do not choose a node between for each message", what)
	case m.Faults != nil:
		return input.Errorf("expected no faults", "%s: not on a network with faults", what)
	}
	verdict, err := deadlock.Check(ctx, n)
	if err != nil {
		return err
	}
	if verdict.Cycle != nil {
		return input.Errorf("expected routes that are free of deadlock; more vcs may help",
			"%s: frames of any PE may be in flight at any time, and those on this network may wait for one another in a circle (meshwright deadlock shows it)", what)
	}
	return nil
}

// writeStreams writes the folder of streams and the core's description, if the export has streams.
func (d *Design) writeStreams(dir string) error {
	if !d.Streams {
		return nil
	}
	files, err := fs.Sub(streamSources, streamFolder)
	if err != nil {
		return err
	}
	folder := filepath.Join(dir, streamFolder)
	if err := os.CopyFS(folder, files); err != nil {
		return err
	}
	core, top := d.core(), d.streamTop()
	for name, write := range map[string]func(io.Writer) error{
		filepath.Join(streamFolder, top+".v"):         func(w io.Writer) error { return verilog.Print(w, core.Module) },
		filepath.Join(streamFolder, streamBench+".v"): func(w io.Writer) error { return verilog.Print(w, d.frames()) },
		top + ".core": core.WriteFuseSoC,
		top + ".json": core.WriteJSON,
		top + ".xml":  core.WriteIPXACT,
		top + ".sdc":  core.WriteSDC,
	} {
		if err := writeFile(filepath.Join(dir, name), write); err != nil {
			return err
		}
	}
	return nil
}

// core describes the network with streams as a packaged core.
func (d *Design) core() *ip.Core {
	module := d.streamModule()
	core := &ip.Core{
		Name: d.streamTop(), Description: fmt.Sprintf("network %s with AXI4-Stream ports at its PEs", d.net.Topology),
		Module: module, Clock: "aclk", Reset: "aresetn", Bench: streamBench,
		Facts: []ip.Fact{{Name: "nodes", Value: d.Chips}, {Name: "vcs", Value: d.VCs}, {Name: "buffer", Value: d.Buffer}, {Name: "width", Value: d.Width}, {Name: "keeps_order", Value: int(bit(d.keepsOrder()))}},
	}
	for n := range d.Chips {
		core.Streams = append(core.Streams, ip.Stream{Prefix: streamPrefix(n, false)}, ip.Stream{Prefix: streamPrefix(n, true), Master: true})
	}
	for _, name := range d.namedFiles(sourceFiles()) {
		core.Files = append(core.Files, ip.File{Name: name})
	}
	core.Files = append(core.Files, ip.File{Name: d.network() + ".v"})
	for _, name := range d.namedFiles(streamLibrary()) {
		core.Files = append(core.Files, ip.File{Name: name})
	}
	core.Files = append(core.Files, ip.File{Name: streamFolder + "/" + d.streamTop() + ".v"})
	for _, name := range streamBenchFiles() {
		core.Files = append(core.Files, ip.File{Name: name, Use: ip.Bench})
	}
	core.Files = append(core.Files, ip.File{Name: streamFolder + "/" + streamBench + ".v", Use: ip.Bench}, ip.File{Name: d.streamTop() + ".sdc", Use: ip.Constraint})
	return core
}

// streamPrefix begins the names of a PE's stream, from the PE into the network or back.
func streamPrefix(node int, master bool) string {
	if master {
		return fmt.Sprintf("m%d_axis_", node)
	}
	return fmt.Sprintf("s%d_axis_", node)
}

// streamField is a signal of a stream, with the port of a stream module that it connects.
type streamField struct {
	name, port     string
	bits           int // 0: one, and not a vector
	backward, data bool
}

// vector returns the width of the port, "" for one bit.
func (f *streamField) vector() string {
	if f.bits == 0 {
		return ""
	}
	return fmt.Sprint(f.bits)
}

// streamFields lists the signals of a stream; a PE's stream into the network names the destination, the one
// back names the source.
func (d *Design) streamFields(master bool) []streamField {
	fields := []streamField{
		{name: "tvalid", port: "valid"},
		{name: "tready", port: "ready", backward: true},
		{name: "tdata", bits: d.streamBits(), port: "data", data: true},
		{name: "tlast", port: "last"},
	}
	if master {
		fields = append(fields, streamField{name: "tid", bits: d.NodeWidth, port: "source"})
	} else {
		fields = append(fields, streamField{name: "tdest", bits: d.NodeWidth, port: "destination"})
	}
	return append(fields, streamField{name: "tuser", bits: d.TagWidth, port: "tag"})
}

// streamBits returns the width of tdata: the payload in whole bytes.
func (d *Design) streamBits() int { return (d.Width + 7) / 8 * 8 }

// streamModule describes the network with streams at its PEs.
func (d *Design) streamModule() *verilog.Module {
	m := &verilog.Module{
		Name: d.streamTop(),
		Comment: []string{
			fmt.Sprintf("Network %s with AXI4-Stream ports at its %d PEs. Generated.", d.net.Topology, d.Chips),
			"Stream sN takes the frames of PE N: tdest is the node that they go to, tuser a number for the receiver; both stay",
			"the same for all beats of a frame. Stream mN brings the frames for PE N, whole, one after another: tid is the node",
			"that they come from. All signals belong to aclk; aresetn is synchronous, and low for at least one rising edge.",
		},
		Locals: []verilog.Constant{{Name: "Depth", Value: "2", Comment: "beats in the buffers at the PEs: two are enough for a beat in every cycle"}},
		Ports:  []verilog.Port{{Name: "aclk"}, {Name: "aresetn", Comment: "synchronous, active low"}},
	}
	for n := range d.Chips {
		for _, master := range []bool{false, true} {
			for _, f := range d.streamFields(master) {
				m.Ports = append(m.Ports, verilog.Port{Name: streamPrefix(n, master) + f.name, Width: f.vector(), Output: master != f.backward})
			}
		}
	}
	m.Ports = append(m.Ports, verilog.Port{Name: "dropped_o", Width: fmt.Sprint(d.Chips), Output: true, Comment: "by PE: a frame ends that goes to no other node of the network"})
	m.Ports = append(m.Ports, d.codeTopPorts()...)
	m.Items = append(m.Items, d.streamNets()...)
	m.Items = append(m.Items, d.streamNetwork())
	for n := range d.Chips {
		m.Items = append(m.Items, verilog.Note(""), verilog.Note(d.chipName(router.NodeID(n))))
		m.Items = append(m.Items, d.streamEnds(n)...)
	}
	return m
}

// streamNets declares what is between the network and its streams.
func (d *Design) streamNets() []verilog.Item {
	channels := d.allChannels()
	flits := fmt.Sprint(channels * d.FlitWidth)
	return []verilog.Item{
		verilog.Wire{Name: "rst"}, verilog.Wire{Name: "inj_valid", Width: fmt.Sprint(channels)}, verilog.Wire{Name: "inj_flit", Width: flits},
		verilog.Wire{Name: "inj_ready", Width: fmt.Sprint(channels)}, verilog.Wire{Name: "ej_valid", Width: fmt.Sprint(channels)},
		verilog.Wire{Name: "ej_flit", Width: flits}, verilog.Wire{Name: "ej_ready", Width: fmt.Sprint(channels * d.VCs)},
		verilog.Wire{Name: "unused_collision", Width: fmt.Sprint(d.Chips)},
		verilog.Assign{Target: "rst", Value: "!aresetn"},
		verilog.Note(""),
	}
}

func (d *Design) streamNetwork() verilog.Item {
	network := verilog.Instance{Module: d.network(), Name: "i_fabric", Ports: []verilog.Connection{
		{Name: "clk_i", Value: "aclk"}, {Name: "rst_i", Value: "rst"}, {Name: "tick_i", Value: "1'b1"},
		{Name: "inj_valid_i", Value: "inj_valid"}, {Name: "inj_flit_i", Value: "inj_flit"}, {Name: "inj_ready_o", Value: "inj_ready"},
		{Name: "ej_valid_o", Value: "ej_valid"}, {Name: "ej_flit_o", Value: "ej_flit"}, {Name: "ej_ready_i", Value: "ej_ready"},
		{Name: "collision_o", Value: "unused_collision"},
	}}
	for _, p := range d.codeTopPorts() {
		network.Ports = append(network.Ports, verilog.Connection{Name: p.Name, Value: p.Name})
	}
	return network
}

// streamEnds instantiates the sender and the receiver of PE n.
func (d *Design) streamEnds(n int) []verilog.Item {
	first, channels := d.firstChannel[n], d.channels(router.NodeID(n))
	common := []verilog.Connection{{Name: "clk_i", Value: "aclk"}, {Name: "rst_i", Value: "rst"}, {Name: "node_i", Value: fmt.Sprintf("%d'd%d", d.NodeWidth, n)}}
	sender := verilog.Instance{Module: "stream_sender", Name: fmt.Sprintf("n%d_sender", n), Parameters: d.senderParameters(n), Ports: append(common[:3:3],
		verilog.Connection{Name: "dropped_o", Value: fmt.Sprintf("dropped_o[%d]", n)},
		verilog.Connection{Name: "inj_valid_o", Value: slice("inj_valid", first, channels, "")},
		verilog.Connection{Name: "inj_flit_o", Value: slice("inj_flit", first*d.FlitWidth, channels*d.FlitWidth, "")},
		verilog.Connection{Name: "inj_ready_i", Value: slice("inj_ready", first, channels, "")})}
	receiver := verilog.Instance{Module: "stream_receiver", Name: fmt.Sprintf("n%d_receiver", n), Parameters: d.streamParameters(n), Ports: append(common[:3:3],
		verilog.Connection{Name: "ej_valid_i", Value: slice("ej_valid", first, channels, "")},
		verilog.Connection{Name: "ej_flit_i", Value: slice("ej_flit", first*d.FlitWidth, channels*d.FlitWidth, "")},
		verilog.Connection{Name: "ej_ready_o", Value: slice("ej_ready", first*d.VCs, channels*d.VCs, "")})}
	var items []verilog.Item
	padding := d.streamBits() - d.Width
	for _, f := range d.streamFields(false) {
		value := streamPrefix(n, false) + f.name
		if f.data && padding > 0 {
			items = append(items, verilog.Wire{Name: fmt.Sprintf("n%d_unused", n), Width: fmt.Sprint(padding)},
				verilog.Assign{Target: fmt.Sprintf("n%d_unused", n), Value: slice(value, d.Width, padding, "")})
			value = slice(value, 0, d.Width, "")
		}
		sender.Ports = append(sender.Ports, verilog.Connection{Name: f.port + suffix(f.backward), Value: value})
	}
	for _, f := range d.streamFields(true) {
		value := streamPrefix(n, true) + f.name
		if f.data && padding > 0 {
			items = append(items, verilog.Assign{Target: slice(value, d.Width, padding, ""), Value: fmt.Sprintf("%d'd0", padding)})
			value = slice(value, 0, d.Width, "")
		}
		receiver.Ports = append(receiver.Ports, verilog.Connection{Name: f.port + suffix(!f.backward), Value: value})
	}
	return append(items, sender, receiver)
}

// suffix ends the name of a port.
func suffix(output bool) string {
	if output {
		return "_o"
	}
	return "_i"
}

// streamParameters lists the parameters of both ends.
func (d *Design) streamParameters(n int) []verilog.Connection {
	list := []verilog.Connection{{Name: "Depth", Value: "Depth"}}
	for _, p := range []struct {
		name  string
		value int
	}{
		{"Vcs", d.VCs}, {"Channels", d.channels(router.NodeID(n))}, {"NodeWidth", d.NodeWidth}, {"TagWidth", d.TagWidth}, {"RouteWidth", d.RouteWidth}, {"HeadFlit", int(bit(d.HeadFlit))}, {"Width", d.Width},
	} {
		list = append(list, verilog.Connection{Name: p.name, Value: fmt.Sprint(p.value)})
	}
	return list
}

// senderParameters adds what only a sender needs: the lanes as the network interfaces of the model choose them.
func (d *Design) senderParameters(n int) []verilog.Connection {
	m := d.net.Machine
	list := append(d.streamParameters(n),
		verilog.Connection{Name: "Nodes", Value: fmt.Sprint(d.Chips)},
		verilog.Connection{Name: "Lanes", Value: fmt.Sprint(m.Lanes(d.net.Topology))},
		verilog.Connection{Name: "Classes", Value: fmt.Sprint(m.Routing.Classes())},
		verilog.Connection{Name: "Dateline", Value: fmt.Sprint(bit(m.Datelines(d.net.Topology)))})
	if d.channels(router.NodeID(n)) > 1 {
		list = append(list, verilog.Connection{Name: "PortWidth", Value: fmt.Sprint(d.PortWidth)},
			verilog.Connection{Name: "First", Value: d.byDestination(d.PortWidth, func(b *bitWriter, to router.NodeID) {
				b.put(uint64(max(0, d.net.Next(router.NodeID(n), to))), d.PortWidth)
			})})
	}
	if d.Kind == sourceRouting {
		list = append(list, verilog.Connection{Name: "Routes", Value: d.byDestination(d.RouteWidth, func(b *bitWriter, to router.NodeID) {
			d.encodeRoute(b, &flitValue{route: d.net.Route(router.NodeID(n), to)})
		})})
	}
	return list
}

// byDestination writes an entry for each node as one number, node 0 lowest.
func (d *Design) byDestination(width int, entry func(b *bitWriter, to router.NodeID)) string {
	bits := d.Chips * width
	b := newBitWriter(bits)
	for to := range router.NodeID(d.Chips) {
		b.at = int(to) * width
		entry(b, to)
	}
	return fmt.Sprintf("%d'h%s", bits, b.appendHex(nil, bits))
}

// frames describes the bench of frames: the network with streams, and the bench at all of them.
func (d *Design) frames() *verilog.Module {
	m := &verilog.Module{Name: streamBench, Comment: []string{"The network with streams, and the bench that sends frames through all of them. Generated."}}
	bench := verilog.Instance{Module: "frame_bench", Name: "i_bench", Ports: []verilog.Connection{{Name: "clk_o", Value: "clk"}, {Name: "rst_o", Value: "rst"}, {Name: "dropped_i", Value: "dropped"}}}
	top := verilog.Instance{Module: d.streamTop(), Name: "i_top", Ports: []verilog.Connection{{Name: "aclk", Value: "clk"}, {Name: "aresetn", Value: "!rst"}, {Name: "dropped_o", Value: "dropped"}}}
	m.Items = append(m.Items, verilog.Wire{Name: "clk"}, verilog.Wire{Name: "rst"}, verilog.Wire{Name: "dropped", Width: fmt.Sprint(d.Chips)})
	for _, p := range d.codeTopPorts() {
		m.Items = append(m.Items, verilog.Wire{Name: "unused_" + p.Name, Width: p.Width})
		top.Ports = append(top.Ports, verilog.Connection{Name: p.Name, Value: "unused_" + p.Name})
	}
	padding := d.streamBits() - d.Width
	if padding > 0 {
		m.Items = append(m.Items, verilog.Wire{Name: "unused", Width: fmt.Sprint(d.Chips * padding)})
	}
	for _, side := range []struct {
		name   string
		master bool
	}{{"tx", false}, {"rx", true}} {
		for _, f := range d.streamFields(side.master) {
			width := max(1, f.bits)
			if f.data {
				width = d.Width
			}
			net := side.name + "_" + f.port
			m.Items = append(m.Items, verilog.Wire{Name: net, Width: fmt.Sprint(d.Chips * width)})
			bench.Ports = append(bench.Ports, verilog.Connection{Name: net + suffix(side.master == f.backward), Value: net})
			for n := range d.Chips {
				value := slice(net, n*width, width, "")
				switch {
				case f.data && padding > 0 && side.master:
					value = fmt.Sprintf("{%s, %s}", slice("unused", n*padding, padding, ""), value)
				case f.data && padding > 0:
					value = fmt.Sprintf("{%d'd0, %s}", padding, value)
				}
				top.Ports = append(top.Ports, verilog.Connection{Name: streamPrefix(n, side.master) + f.name, Value: value})
			}
		}
	}
	for _, p := range []struct {
		name  string
		value int
	}{
		{"Nodes", d.Chips}, {"NodeWidth", d.NodeWidth}, {"TagWidth", d.TagWidth}, {"Width", d.Width}, {"Ordered", int(bit(d.keepsOrder()))},
	} {
		bench.Parameters = append(bench.Parameters, verilog.Connection{Name: p.name, Value: fmt.Sprint(p.value)})
	}
	m.Items = append(m.Items, verilog.Note(""), bench, top)
	return m
}

// keepsOrder reports whether frames between the same two nodes cannot overtake one another: they take the same route,
// in the same channels.
func (d *Design) keepsOrder() bool {
	return d.Kind != o1turnRouting && !d.net.Machine.Reorders(d.net.Topology)
}

// network names the module of the network. With streams it is a part of the user's design, which has a top of its own.
func (d *Design) network() string {
	switch {
	case d.name != "":
		return d.name
	case d.Streams:
		return streamNetwork
	}
	return "top"
}

// ejectionRule says when a PE takes a flit.
func (d *Design) ejectionRule() string {
	if d.Streams {
		return "taken when valid and ready[its vc]"
	}
	return "always taken"
}

// readyPorts are the ports of the network by which PEs hold flits back.
func (d *Design) readyPorts() []verilog.Port {
	if !d.Streams {
		return nil
	}
	return []verilog.Port{{Name: "ej_ready_i", Width: fmt.Sprint(d.allChannels() * d.VCs), Comment: "by channel and virtual channel; from registers"}}
}

// ejectionReady says which flits the PE of chip n takes.
func (d *Design) ejectionReady(n router.NodeID) string {
	bits := d.channels(n) * d.VCs
	if d.Streams {
		return slice("ej_ready_i", d.firstChannel[n]*d.VCs, bits, "")
	}
	return fmt.Sprintf("{%d{1'b1}}", bits)
}

// benchReady connects the PEs of the bench of vectors, which always take.
func (d *Design) benchReady() []verilog.Connection {
	if !d.Streams {
		return nil
	}
	return []verilog.Connection{{Name: "ej_ready_i", Value: fmt.Sprintf("{%d{1'b1}}", d.allChannels()*d.VCs)}}
}
