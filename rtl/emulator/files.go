// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"embed"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/verilog"
)

// handWritten are the modules of the PEs and of the bench.
//
//go:embed pe/*.v bench/*.v fault/*.v
var handWritten embed.FS

const expectedFile = "images/expected.mem"

// files are the files of an export that the emulator adds or replaces.
func (e *Emulator) files(v *rtl.Vectors) (rtl.Files, error) {
	if err := e.fits(v.Cycles(), v.MaxTag()); err != nil {
		return nil, err
	}
	d := e.newDesign(v)
	files := rtl.Files{
		TopName + ".v":    rtl.Printed(d.top()),
		"pe_decoder.v":    rtl.Printed(d.decoder()),
		"bench.v":         rtl.Printed(d.bench()),
		"netlist_bench.v": rtl.Printed(d.netlistBench()),
		"Makefile":        rtl.Text(d.makefileText()),
		"README":          rtl.Text(d.readme()),
		expectedFile:      d.image(d.expected()),
	}
	for i, p := range d.programs {
		files[d.programFile(i)] = words(p.Code, 32, 1, d.ProgramWords)
	}
	for n := range router.NodeID(d.Chips) {
		files[memoryFile(n)] = d.image(d.whole(d.images[n].memory))
	}
	for _, name := range slices.Concat(handWrittenIn("pe"), handWrittenIn("bench")) {
		text, err := handWritten.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files[name] = rtl.Text(string(text))
	}
	faults, err := d.faultFiles()
	maps.Copy(files, faults)
	return files, err
}

// whole extends a memory to the size that all have.
func (d *design) whole(memory []uint32) []uint32 {
	return append(memory[:len(memory):len(memory)], make([]uint32, d.Words*d.elements()-len(memory))...)
}

// expected are the elements of the words of all memories at the end of the run in the model, node by node.
func (d *design) expected() []uint32 {
	var all []uint32
	for n := range router.NodeID(d.Chips) {
		all = append(all, d.whole(d.array.Memory(n))...)
	}
	return all
}

// image writes words of the PEs.
func (d *design) image(memory []uint32) func(io.Writer) error {
	return words(memory, d.elementBits(), d.elements(), len(memory)/d.elements())
}

// words writes a number of words of some elements for $readmemh, those behind the end of the memory as zero.
func words(memory []uint32, width, elements, count int) func(io.Writer) error {
	var b strings.Builder
	for i := range count {
		for k := elements - 1; k >= 0; k-- {
			element := uint32(0)
			if at := i*elements + k; at < len(memory) {
				element = memory[at] & (1<<width - 1)
			}
			fmt.Fprintf(&b, "%0*x", (width+3)/4, element)
		}
		b.WriteByte('\n')
	}
	return rtl.Text(b.String())
}

// handWrittenIn lists the modules in a folder.
func handWrittenIn(folder string) []string {
	names, err := fs.Glob(handWritten, folder+"/*.v")
	if err != nil {
		panic("emulator: " + err.Error()) // the pattern is a constant
	}
	return names
}

// hardware lists the sources that synthesis reads besides the network.
func (d *design) hardware() string {
	list := append([]string{"emulator.v", "pe_decoder.v"}, handWrittenIn("pe")...)
	if len(d.faultROMs()) > 0 {
		list = append(list, "pe/"+player)
	}
	return strings.Join(list, " ")
}

// Of memories that are larger than both, the bench reads the first bytes and the last words on the serial line: it has seen
// all words before.
const (
	firstBytes = 64
	lastWords  = 8
)

// divider is the number of clock cycles of a bit on the serial line in the bench.
const divider = 3

// onLine returns how many words the bench reads on the serial line before it goes to the last ones.
func (d *design) onLine() (first, last int) {
	all := d.Chips * d.Words
	first, last = max(1, 8*firstBytes/d.Emulator.Word), min(d.Words, lastWords)
	if first+last >= all {
		first = all
	}
	return first, last
}

// benchInstance is the bench of the emulator's clock, memories and serial line.
func (d *design) benchInstance(tick, vectorClock, alone string) verilog.Instance {
	first, last := d.onLine()
	bit := divider
	if alone == "1" {
		first, bit = d.Chips*d.Words, 1
	}
	inside := func(net, idle string) string {
		if alone == "1" {
			return idle
		}
		return net
	}
	return verilog.Instance{
		Module: "emulator_bench", Name: "i_check",
		Parameters: connect("Word", fmt.Sprint(d.Emulator.Word), "Nodes", fmt.Sprint(d.Chips), "Words", fmt.Sprint(d.Words),
			"Divider", fmt.Sprint(bit), "First", fmt.Sprint(first), "Tail", fmt.Sprint(last), "Wakes", fmt.Sprint(d.flag(d.toWake() >= 0)),
			"Alone", alone, "File", fmt.Sprintf("%q", expectedFile)),
		Ports: connect("clk_o", "clk", "rst_o", "rst", "tick_i", tick, "vector_clk_i", vectorClock, "settled_o", "settled", "compared_i", inside("compared", "1'b0"), "cut_i", inside("cut", "1'b0"),
			"done_i", "done", "pass_i", "pass", "cycle_i", padded(64, d.CycleWidth, "cycle"), "serial_i", "serial",
			"idle_i", inside("&i_emulator.settled", "1'b1"),
			"there_i", inside("i_emulator.there", "1'b0"), "word_i", inside("i_emulator.word", fmt.Sprintf("%d'd0", d.Emulator.Word)),
			"halted_i", inside("&i_emulator.halted", "1'b1"), "collision_i", "collision", "mismatch_i", "mismatch", "node_i", padded(32, d.NodeWidth, "node"), "address_i", padded(32, d.AddressWidth, "address"),
			"got_i", "got", "expected_i", "expected", "ended_o", "ended", "wrong_o", "wrong"),
	}
}

// padded extends a net that is smaller.
func padded(to, width int, net string) string { return fmt.Sprintf("{%d'd0, %s}", to-width, net) }

// emulatorNets declares the nets of the emulator's ports, and instantiates it.
func (d *design) emulatorNets(parameters []verilog.Connection) []verilog.Item {
	return []verilog.Item{
		verilog.Wire{Name: "clk"}, verilog.Wire{Name: "rst"}, verilog.Wire{Name: "done"}, verilog.Wire{Name: "pass"}, verilog.Wire{Name: "serial"},
		verilog.Wire{Name: "cycle", Width: fmt.Sprint(d.CycleWidth)},
		verilog.Wire{Name: "settled"}, verilog.Wire{Name: "ended"}, verilog.Wire{Name: "wrong"}, verilog.Wire{Name: "collision"},
		verilog.Wire{Name: "mismatch"}, verilog.Wire{Name: "node", Width: fmt.Sprint(d.NodeWidth)},
		verilog.Wire{Name: "address", Width: fmt.Sprint(d.AddressWidth)},
		verilog.Wire{Name: "got", Width: fmt.Sprint(d.Emulator.Word)}, verilog.Wire{Name: "expected", Width: fmt.Sprint(d.Emulator.Word)},
		verilog.Instance{
			Module: "emulator", Name: "i_emulator", Parameters: parameters,
			Ports: connect("clk_i", "clk", "rst_i", "rst", "done_o", "done", "pass_o", "pass", "serial_o", "serial", "cycle_o", "cycle",
				"collision_o", "collision", "mismatch_o", "mismatch", "node_o", "node", "address_o", "address",
				"got_o", "got", "expected_o", "expected"),
		},
	}
}

// bench describes the top of the simulation: the emulator, the vectors of the run that its network must show in every
// target cycle, and the memories at its end.
func (d *design) bench() *verilog.Module {
	m := &verilog.Module{Name: "bench", Comment: []string{"The emulator, and the benches with the sizes of this run. Generated."}}
	channels, flits := d.allChannels()
	m.Items = append(m.Items, d.emulatorNets(connect("Divider", fmt.Sprint(divider)))...)
	m.Items = append(m.Items,
		verilog.Wire{Name: "vector_clk"}, verilog.Wire{Name: "compared"}, verilog.Wire{Name: "cut"}, verilog.Wire{Name: "unused_rst"},
		verilog.Wire{Name: "unused_valid", Width: channels}, verilog.Wire{Name: "unused_flit", Width: flits},
		d.benchInstance("i_emulator.tick", "vector_clk", "0"),
		verilog.Instance{
			Module: "vector_bench", Name: "i_bench",
			Parameters: append(d.BenchSizes(), connect("Planted", fmt.Sprint(2+d.flag(d.toWake() >= 0)))...),
			Ports: connect("clk_o", "vector_clk", "rst_o", "unused_rst", "inj_valid_o", "unused_valid", "inj_flit_o", "unused_flit",
				"inj_ready_i", "i_emulator.inj_ready", "collision_i", "i_emulator.collision",
				"settled_i", "settled", "compared_o", "compared", "cut_o", "cut", "ended_i", "ended", "wrong_i", "wrong"),
		})
	m.Items = append(m.Items, d.imageFiles()...)
	m.Items = append(m.Items, d.CounterCheck("i_emulator.corrected", "i_emulator.detected")...)
	m.Items = append(m.Items,
		verilog.Note(""), verilog.Note("What the outputs show just before the tick."), d.Sample("i_emulator"))
	m.Items = append(m.Items, d.plants()...)
	return m
}

// netlistBench describes the top of a simulation of the emulator after synthesis: it sees its ports alone.
func (d *design) netlistBench() *verilog.Module {
	m := &verilog.Module{Name: "netlist_bench", Comment: []string{"The emulator after synthesis, with Divider 1, and the bench of its ports. Generated."}}
	m.Items = append(m.Items, d.emulatorNets(nil)...)
	m.Items = append(m.Items, d.benchInstance("1'b0", "1'b0", "1"), vectorFile("i_expected", d.expectedImage()))
	return m
}

// imageFile is a file that the hardware or its bench reads, with its lines and the bits of each.
type imageFile struct {
	name         string
	lines, width int
}

func (d *design) expectedImage() imageFile {
	return imageFile{expectedFile, d.Chips * d.Words, d.Emulator.Word}
}

// imageFiles judge the files of programs, memories and faults before the hardware runs.
func (d *design) imageFiles() []verilog.Item {
	items := []verilog.Item{verilog.Note(""), verilog.Note("The files that the hardware reads are whole."), vectorFile("i_expected", d.expectedImage())}
	for i := range d.programs {
		items = append(items, vectorFile(fmt.Sprintf("i_program%d", i), imageFile{d.programFile(i), d.ProgramWords, 32}))
	}
	for n := range router.NodeID(d.Chips) {
		items = append(items, vectorFile(fmt.Sprintf("i_memory%d", n), imageFile{memoryFile(n), d.Words, d.Emulator.Word}))
	}
	for _, rom := range d.faultROMs() {
		items = append(items, vectorFile(rom.name, imageFile{rom.file, rom.table.Events + 1, rom.table.Bits()}))
	}
	return items
}

func vectorFile(name string, f imageFile) verilog.Item {
	return verilog.Instance{
		Module: "vector_file", Name: name,
		Parameters: connect("File", fmt.Sprintf("%q", f.name), "Lines", fmt.Sprint(f.lines), "Width", fmt.Sprint(f.width)),
	}
}
