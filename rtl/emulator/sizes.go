// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math/big"
	"math/bits"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/firmware/isa"
	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/verilog"
)

// design is what the hardware of a run needs: memories as large as their content, and only the instructions that
// programs have.
type design struct {
	*Emulator
	*rtl.Vectors
	Words        int // of data memory, the same in each PE
	AddressWidth int
	PcWidth      int
	ProgramWords int
	OffsetWidth  int // of a word in a slot of the mail memory
	CountWidth   int
	Slots        int
	CycleWidth   int
	ChannelWidth int
	EntryWidth   int // of a route: channel, route, virtual channel
	NumberWidth  int // of the number of a word among those of all PEs
	programs     []*isa.Program
	runs         []int // by node: index in programs
	uses         [64]bool
	longest      int // message, in words
}

func (e *Emulator) newDesign(v *rtl.Vectors) *design {
	d := &design{Emulator: e, Vectors: v, Slots: max(1, e.slots), Words: 1}
	d.enterPrograms()
	for n := range e.images {
		d.Words = max(d.Words, len(e.images[n].memory)/e.elements())
	}
	d.longest = 1
	for _, m := range e.net.Log() {
		d.longest = max(d.longest, m.Length)
	}
	d.AddressWidth = indexWidth(d.Words)
	d.PcWidth = indexWidth(d.ProgramWords)
	d.OffsetWidth = indexWidth(firstWord + d.longest)
	d.CountWidth = d.OffsetWidth
	if d.uses[isa.Copy] {
		d.CountWidth = min(e.Word, max(d.CountWidth, d.AddressWidth+1))
	}
	d.CycleWidth = bits.Len64(uint64(v.Cycles()))
	d.NumberWidth = indexWidth(len(e.images) * d.Words)
	return d
}

// firstWord is the offset of a message's words in their slot, see pe_receiver.
const firstWord = 3

// indexWidth returns the bits of a place in a list.
func indexWidth(length int) int { return max(1, bits.Len(uint(length-1))) }

// enterPrograms lists the different programs, and the instructions that they use.
func (d *design) enterPrograms() {
	d.uses[isa.Halt] = true
	d.ProgramWords = 1
	for n := range d.images {
		p := d.images[n].program
		if p == nil {
			p = &isa.Program{} // halts
		}
		at := slices.IndexFunc(d.programs, func(q *isa.Program) bool { return slices.Equal(p.Code, q.Code) })
		if at < 0 {
			at = len(d.programs)
			d.programs = append(d.programs, p)
			d.ProgramWords = max(d.ProgramWords, len(p.Code)+1) // the last one halts
		}
		d.runs = append(d.runs, at)
		for _, word := range p.Code {
			d.uses[word>>26] = true
		}
	}
}

// parameters sizes the PE of a node.
func (d *design) parameters(n router.NodeID) []verilog.Connection {
	var list []verilog.Connection
	add := func(name string, value any) {
		list = append(list, verilog.Connection{Name: name, Value: fmt.Sprint(value)})
	}
	image := &d.images[n]
	add("Word", d.Emulator.Word)
	add("Width", d.Width)
	add("HeadFlit", d.flag(d.HeadFlit))
	add("Words", d.Words)
	add("AddressWidth", d.AddressWidth)
	add("ProgramWords", d.ProgramWords)
	add("PcWidth", d.PcWidth)
	add("Program", fmt.Sprintf("%q", d.programFile(d.runs[n])))
	add("Memory", fmt.Sprintf("%q", memoryFile(n)))
	add("Node", n)
	add("Nodes", d.Chips)
	add("R14", image.r14)
	add("R15", image.r15)
	add("Channels", d.channels(n))
	add("Vcs", d.VCs)
	add("Slots", d.Slots)
	add("OffsetWidth", d.OffsetWidth)
	add("CountWidth", d.CountWidth)
	add("Startup", d.net.Machine.StartupTicks())
	add("Flit", d.Flit)
	if late := d.late(); late > 0 {
		add("Late", late)
	}
	add("NodeWidth", d.NodeWidth)
	add("TagWidth", d.TagWidth)
	add("RouteWidth", d.RouteWidth)
	add("Ways", d.Chips+len(image.routes))
	add("EntryWidth", d.entryWidth(n))
	add("Way", d.ways(n))
	return list
}

// late returns the cycles from the beginning of an ejection to the whole flit: a packet's flit crosses in the last cycle
// of its time.
func (d *design) late() int {
	if d.Packets {
		return 0
	}
	return d.net.Machine.Flit - 1
}

func (d *design) flag(set bool) int {
	if set {
		return 1
	}
	return 0
}

// ways writes the table of the PE's routes as one number, the route to node 0 lowest.
func (d *design) ways(n router.NodeID) string {
	table := new(big.Int)
	at := uint(0)
	enter := func(m *fabric.Message) {
		m.Ordered = true // as PEs send
		entry := d.entry(m)
		table.Or(table, entry.Lsh(entry, at))
		at += uint(d.entryWidth(n))
	}
	for to := range router.NodeID(d.Chips) {
		enter(&fabric.Message{Source: n, Destination: to})
	}
	for _, route := range d.images[n].routes {
		enter(&fabric.Message{Source: n, Destination: d.endOf(n, route), Route: route})
	}
	return fmt.Sprintf("%d'h%x", at, table)
}

// channels returns the number of injection channels of a PE.
func (d *design) channels(n router.NodeID) int {
	_, count := d.Channels(n)
	return count
}

// entryWidth returns the bits of a route: channel, route, virtual channel.
func (d *design) entryWidth(n router.NodeID) int {
	return indexWidth(d.channels(n)) + d.RouteWidth + d.VCWidth
}

// entry is the route of a message: its channel, route and virtual channel, the last lowest; zero for a message to itself.
func (d *design) entry(m *fabric.Message) *big.Int {
	entry := new(big.Int)
	if m.Source == m.Destination {
		return entry
	}
	header := d.net.Header(m, d.net.RouteOf(m, 0))
	channel := router.Port(0)
	if d.net.Machine.Channels == machine.Links {
		channel = d.net.Next(m.Source, m.Destination)
		if m.Route != nil {
			channel = m.Route[0]
		}
	}
	entry.SetUint64(uint64(channel))
	if d.RouteWidth > 0 {
		entry.Lsh(entry, uint(d.RouteWidth))
		entry.Or(entry, d.Route(&header))
	}
	entry.Lsh(entry, uint(d.VCWidth))
	return entry.Or(entry, big.NewInt(int64(header.Lane)))
}

// endOf follows a route.
func (d *design) endOf(n router.NodeID, route []router.Port) router.NodeID {
	for _, p := range route {
		n = d.net.Topology.Neighbor(n, p)
	}
	return n
}

func (d *design) programFile(program int) string { return fmt.Sprintf("images/program%d.mem", program) }

func memoryFile(n router.NodeID) string { return fmt.Sprintf("images/memory%d.mem", n) }
