// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"

	"meshwright/router"
	"meshwright/rtl/verilog"
)

// toWake returns a node whose PE has halted, and may be woken while the check reads the memory of the last one; -1: none.
func (d *design) toWake() router.NodeID {
	for n := range router.NodeID(d.Chips - 1) {
		if d.dead(n) == "1'b0" {
			return n
		}
	}
	return -1
}

// plants are the blocks that plant faults behind the run, see emulator_bench. They write registers of the hardware between
// two edges of its clock.
func (d *design) plants() []verilog.Item {
	last, lastNode := d.Words-1, d.Chips-1
	_, tail := d.onLine()
	core := func(n router.NodeID) string { return fmt.Sprintf("i_emulator.n%d_pe.i_core.halted_q", n) }
	set := func(register string, width, value int) string {
		return fmt.Sprintf("%s <= %d'd%d;", register, width, value)
	}
	invert := func(address, bit int) string {
		word := fmt.Sprintf("i_emulator.n%d_pe.i_data.words_q[%d]", lastNode, address)
		return fmt.Sprintf("%s <= %s ^ (%d'd1 << %d);", word, word, d.Emulator.Word, bit)
	}

	preset := []string{set("i_emulator.i_control.cycle_q", d.CycleWidth, int(d.Cycles())-1)}
	for n := range router.NodeID(d.Chips) {
		preset = append(preset, core(n)+" <= 1'b1;")
	}
	wrong := []string{invert(last, 0)}
	if last > 0 {
		wrong = append(wrong, invert(last-1, d.Emulator.Word-1))
	}
	walk := "i_emulator.i_walk."
	items := []verilog.Item{
		verilog.Note(""), verilog.Note("Faults behind the run."),
		verilog.Always{Event: "posedge i_check.preset", Lines: preset},
		verilog.Always{Event: "posedge i_check.jump", Lines: []string{
			walk + "valid_q <= 1'b0;", set(walk+"node_q", d.NodeWidth, lastNode), set(walk+"address_q", d.AddressWidth, d.Words-tail),
			set(walk+"number_q", d.NumberWidth, d.Chips*d.Words-tail),
		}},
		verilog.Always{Event: "posedge i_check.lose", Lines: []string{fmt.Sprintf("force i_emulator.collision = %d'd1 << %d;", d.Chips, lastNode)}},
		verilog.Always{Event: "negedge i_check.lose", Lines: []string{"release i_emulator.collision;"}},
		verilog.Always{Event: "posedge i_check.invert", Lines: wrong},
	}
	if n := d.toWake(); n >= 0 {
		items = append(items, verilog.Always{Event: "posedge i_check.wake", Lines: []string{core(n) + " <= 1'b0;"}})
	}
	return items
}
