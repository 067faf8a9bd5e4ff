// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"

	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/verilog"
)

// This file is what an emulator has besides when its network has faults: a ROM of events for the links that go wrong, one
// for the buffers with upsets, and PEs that stop. Emulators of other networks have none of it.

// Files of events, and the module that reads them.
const (
	linkEvents  = "images/faults.mem"
	upsetEvents = "images/upsets.mem"
	player      = "fault_player.v"
)

// faultFiles are the files of events, and the module that reads them.
func (d *design) faultFiles() (rtl.Files, error) {
	files := rtl.Files{}
	for _, rom := range d.faultROMs() {
		text, err := handWritten.ReadFile("fault/" + player)
		if err != nil {
			return nil, err
		}
		files["pe/"+player], files[rom.file] = rtl.Text(string(text)), rom.table.Write
	}
	return files, nil
}

// faultROM is a table of events in the hardware, and the nets that it drives.
type faultROM struct {
	name, file, lose, flip string
	table                  rtl.FaultTable
}

// faultROMs lists those that the network needs.
func (d *design) faultROMs() []faultROM {
	var list []faultROM
	for _, rom := range []faultROM{
		{"i_faults", linkEvents, "lose", "flip", d.LinkFaults()},
		{"i_upsets", upsetEvents, "unused_lose", "upset", d.Upsets()},
	} {
		if rom.table.Links > 0 {
			list = append(list, rom)
		}
	}
	return list
}

// settled is the net that tells when the tick may come: all PEs are settled, and the faults of the cycle are there.
func (d *design) settled() string {
	text := "&settled"
	for _, rom := range d.faultROMs() {
		text += " & " + rom.name[2:] + "_settled"
	}
	return text
}

// faults declares the nets of faults and counters, connects them to the network, and instantiates what drives them.
func (d *design) faults(network *verilog.Instance) (nets, modules []verilog.Item) {
	port := func(name, net string) {
		network.Ports = append(network.Ports, verilog.Connection{Name: name, Value: net})
	}
	for _, rom := range d.faultROMs() {
		t, settled := rom.table, rom.name[2:]+"_settled"
		nets = append(nets, verilog.Wire{Name: settled},
			verilog.Wire{Name: rom.lose, Width: fmt.Sprint(t.Links)}, verilog.Wire{Name: rom.flip, Width: fmt.Sprint(t.Links * t.Width)})
		if rom.flip == "flip" {
			port("lose_i", rom.lose)
		}
		port(rom.flip+"_i", rom.flip)
		modules = append(modules, verilog.Note(""), verilog.Instance{
			Module: "fault_player", Name: rom.name,
			Parameters: connect("Width", fmt.Sprint(t.Width), "Links", fmt.Sprint(t.Links), "LinkWidth", fmt.Sprint(t.LinkWidth),
				"Events", fmt.Sprint(t.Events), "CycleWidth", fmt.Sprint(t.CycleWidth), "File", fmt.Sprintf("%q", rom.file)),
			Ports: clocked("tick_i", "tick", "cycle_i", "cycle_o", "settled_o", settled, "lose_o", rom.lose, "flip_o", rom.flip),
		})
	}
	if width := d.CounterBits(); width > 0 {
		for _, name := range []string{"corrected", "detected"} {
			nets = append(nets, verilog.Wire{Name: name, Width: fmt.Sprint(width)})
			port(name+"_o", name)
		}
		nets = append(nets, verilog.Wire{Name: "unused_counters"}, verilog.Assign{Target: "unused_counters", Value: "&{1'b0, corrected, detected}"})
	}
	return nets, modules
}

// dead is the condition that a node is dead.
func (d *design) dead(n router.NodeID) string {
	if faults := d.net.Faults(); faults != nil {
		for _, stop := range faults.Stops() { // the first stop of a node counts
			if stop.Node == n && stop.At < d.Cycles() {
				return fmt.Sprintf("now >= %d'd%d", d.elementBits(), stop.At)
			}
		}
	}
	return "1'b0"
}
