// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"

	"meshwright/router"
	"meshwright/rtl/verilog"
)

func connect(pairs ...string) []verilog.Connection {
	var list []verilog.Connection
	for i := 0; i < len(pairs); i += 2 {
		list = append(list, verilog.Connection{Name: pairs[i], Value: pairs[i+1]})
	}
	return list
}

// clocked is connect with the clock and the reset first.
func clocked(pairs ...string) []verilog.Connection {
	return append(connect("clk_i", "clk_i", "rst_i", "rst_i"), connect(pairs...)...)
}

// TopName is the module of the whole emulator.
const TopName = "emulator"

// top describes the module that wires the network, the PEs and what watches over the run.
func (d *design) top() *verilog.Module {
	word, node, address := fmt.Sprint(d.Emulator.Word), fmt.Sprint(d.NodeWidth), fmt.Sprint(d.AddressWidth)
	m := &verilog.Module{
		Name:    TopName,
		Comment: []string{fmt.Sprintf("Network %s with its PEs and their programs. Generated; the network is in top.v, the modules of the PEs in pe.", d.net.Topology)},
		Locals:  []verilog.Constant{{Name: "Divider", Value: "104", Comment: "clock cycles of a bit on serial_o: 115 200 baud at 12 MHz"}},
		Ports: []verilog.Port{
			{Name: "clk_i"},
			{Name: "rst_i", Comment: "synchronous; the memories keep what they hold"},
			{Name: "done_o", Output: true, Comment: "the run is over and all memories are compared"},
			{Name: "pass_o", Output: true, Comment: "with done_o: all PEs halted, no flit was lost, every word is right"},
			{Name: "serial_o", Output: true, Comment: "report and memories, see read_out"},
			{Name: "cycle_o", Output: true, Width: fmt.Sprint(d.CycleWidth), Comment: "target cycles so far"},
			{Name: "collision_o", Output: true, Comment: "a flit was lost"},
			{Name: "mismatch_o", Output: true, Comment: "a word is wrong, the first one:"},
			{Name: "node_o", Output: true, Width: node},
			{Name: "address_o", Output: true, Width: address},
			{Name: "got_o", Output: true, Width: word},
			{Name: "expected_o", Output: true, Width: word},
		},
	}
	m.Items = append(m.Items, d.network()...)
	for n := range router.NodeID(d.Chips) {
		m.Items = append(m.Items, d.pe(n))
	}
	m.Items = append(m.Items, d.control()...)
	m.Items = append(m.Items, d.check()...)
	m.Items = append(m.Items, d.report()...)
	return m
}

// network declares the nets between the network and the PEs, and instantiates the network.
func (d *design) network() []verilog.Item {
	channels, flits := d.allChannels()
	chips := fmt.Sprint(d.Chips)
	network := verilog.Instance{Module: "top", Name: "i_top", Ports: clocked("tick_i", "tick",
		"inj_valid_i", "inj_valid", "inj_flit_i", "inj_flit", "inj_ready_o", "inj_ready",
		"ej_valid_o", "ej_valid", "ej_flit_o", "ej_flit", "collision_o", "collision")}
	faultNets, faults := d.faults(&network)
	items := []verilog.Item{
		verilog.Wire{Name: "tick"}, verilog.Wire{Name: "settled", Width: chips}, verilog.Wire{Name: "halted", Width: chips},
		verilog.Wire{Name: "inj_valid", Width: channels}, verilog.Wire{Name: "inj_flit", Width: flits}, verilog.Wire{Name: "inj_ready", Width: channels},
		verilog.Wire{Name: "ej_valid", Width: channels}, verilog.Wire{Name: "ej_flit", Width: flits}, verilog.Wire{Name: "collision", Width: chips},
		verilog.Wire{Name: "now", Width: fmt.Sprint(d.elementBits())},
		verilog.Wire{Name: "address", Width: fmt.Sprint(d.AddressWidth)}, verilog.Wire{Name: "words", Width: fmt.Sprint(d.Chips * d.Emulator.Word)},
	}
	items = append(append(items, faultNets...), verilog.Note(""), network)
	return append(append(items, faults...), verilog.Note(""))
}

// allChannels returns the widths of a net of all channels, and of their flits.
func (d *design) allChannels() (channels, flits string) {
	all, _ := d.Channels(router.NodeID(d.Chips))
	return fmt.Sprint(all), fmt.Sprint(all * d.FlitWidth)
}

// pe instantiates the PE of a node.
func (d *design) pe(n router.NodeID) verilog.Item {
	one := func(name string) string { return fmt.Sprintf("%s[%d]", name, n) }
	first, count := d.Channels(n)
	some := func(name string) string { return fmt.Sprintf("%s[%d+:%d]", name, first, count) }
	flits := func(name string) string { return fmt.Sprintf("%s[%d+:%d]", name, first*d.FlitWidth, count*d.FlitWidth) }
	return verilog.Instance{
		Module: "pe", Name: fmt.Sprintf("n%d_pe", n), Parameters: d.parameters(n),
		Ports: clocked("tick_i", "tick", "now_i", "now", "dead_i", d.dead(n), "settled_o", one("settled"), "halted_o", one("halted"),
			"inj_valid_o", some("inj_valid"), "inj_flit_o", flits("inj_flit"), "inj_ready_i", some("inj_ready"),
			"ej_valid_i", some("ej_valid"), "ej_flit_i", flits("ej_flit"),
			"address_i", "address", "word_o", fmt.Sprintf("words[%d+:%d]", int(n)*d.Emulator.Word, d.Emulator.Word)),
	}
}

// control instantiates what advances the time.
func (d *design) control() []verilog.Item {
	now := "cycle_o"
	if rest := d.elementBits() - d.CycleWidth; rest > 0 {
		now = fmt.Sprintf("{%d'd0, cycle_o}", rest)
	}
	return []verilog.Item{
		verilog.Note(""), verilog.Wire{Name: "check"},
		verilog.Assign{Target: "now", Value: now},
		verilog.Instance{
			Module: "run_control", Name: "i_control",
			Parameters: connect("CycleWidth", fmt.Sprint(d.CycleWidth), "Cycles", fmt.Sprintf("%d'd%d", d.CycleWidth, d.Cycles())),
			Ports:      clocked("settled_i", d.settled(), "tick_o", "tick", "cycle_o", "cycle_o", "check_o", "check"),
		},
	}
}

// check instantiates what compares the memories.
func (d *design) check() []verilog.Item {
	word, node, address := fmt.Sprint(d.Emulator.Word), fmt.Sprint(d.NodeWidth), fmt.Sprint(d.AddressWidth)
	return []verilog.Item{
		verilog.Note(""),
		verilog.Wire{Name: "again"}, verilog.Wire{Name: "next"}, verilog.Wire{Name: "there"}, verilog.Wire{Name: "last"},
		verilog.Wire{Name: "node", Width: node}, verilog.Wire{Name: "word", Width: word}, verilog.Wire{Name: "expected", Width: word},
		verilog.Instance{
			Module: "memory_walk", Name: "i_walk",
			Parameters: connect("Word", word, "Nodes", fmt.Sprint(d.Chips), "Words", fmt.Sprint(d.Words), "AddressWidth", address,
				"NodeWidth", node, "NumberWidth", fmt.Sprint(d.NumberWidth), "File", fmt.Sprintf("%q", expectedFile)),
			Ports: clocked("begin_i", "check | again", "next_i", "!done_o | next", "valid_o", "there", "last_o", "last",
				"node_o", "node", "address_o", "address", "word_o", "word", "expected_o", "expected", "words_i", "words"),
		},
		verilog.Note(""),
		verilog.Instance{
			Module: "verdict", Name: "i_verdict",
			Parameters: connect("Word", word, "AddressWidth", address, "NodeWidth", node),
			Ports: clocked("lost_i", "tick & |collision", "halted_i", "&halted", "compare_i", "there", "last_i", "last",
				"node_i", "node", "address_i", "address", "word_i", "word", "expected_i", "expected",
				"done_o", "done_o", "pass_o", "pass_o", "collision_o", "collision_o", "mismatch_o", "mismatch_o",
				"node_o", "node_o", "address_o", "address_o", "got_o", "got_o", "expected_o", "expected_o"),
		},
	}
}

// report instantiates what sends the report.
func (d *design) report() []verilog.Item {
	word, node, address := fmt.Sprint(d.Emulator.Word), fmt.Sprint(d.NodeWidth), fmt.Sprint(d.AddressWidth)
	return []verilog.Item{
		verilog.Note(""),
		verilog.Wire{Name: "send"}, verilog.Wire{Name: "ready"}, verilog.Wire{Name: "data", Width: "8"},
		verilog.Instance{
			Module: "read_out", Name: "i_read_out",
			Parameters: connect("Word", word, "CycleWidth", fmt.Sprint(d.CycleWidth), "AddressWidth", address, "NodeWidth", node),
			Ports: clocked("done_i", "done_o", "pass_i", "pass_o", "lost_i", "collision_o", "halted_i", "&halted", "cycle_i", "cycle_o",
				"node_i", "node_o", "address_i", "address_o", "got_i", "got_o", "expected_i", "expected_o",
				"begin_o", "again", "next_o", "next", "valid_i", "there", "last_i", "last", "word_i", "word",
				"send_o", "send", "byte_o", "data", "ready_i", "ready"),
		},
		verilog.Note(""),
		verilog.Instance{
			Module: "serial_sender", Name: "i_serial", Parameters: connect("Divider", "Divider"),
			Ports: clocked("valid_i", "send", "byte_i", "data", "ready_o", "ready", "serial_o", "serial_o"),
		},
	}
}
