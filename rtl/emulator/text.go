// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"math/bits"
	"strings"

	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/router"
)

// makefileText is the Makefile of the folder.
func (d *design) makefileText() string {
	benches := d.BenchSources() + " bench/emulator_bench.v bench/line_check.v " + d.hardware()
	text := d.Makefile(benches, strings.Replace(rules, "RAMS_TEST", d.tooLarge(), 1))
	text = strings.Replace(text, "before cycle N only\n", "before cycle N only; then neither memories nor planted faults\n", 1)
	return strings.Replace(text, "# make clean ", `# make ice40      synthesizes for Lattice iCE40 HX8K, places and routes, and writes build/emulator.bin
# make netlist    runs the bench with the netlist of Yosys in Icarus Verilog
# make clean `, 1)
}

// rules make the bitstream, and simulate the netlist.
const rules = `
HARDWARE := emulator.v pe_decoder.v $(wildcard pe/*.v) top.v $(LIBRARY)
HARDWARE_TOP := emulator
DEVICE := --hx8k --package ct256
SEED := 1
DIVIDER := 104
CELLS = $(patsubst %/bin/yosys,%,$(shell command -v yosys))/share/yosys/ice40/cells_sim.v

.PHONY: ice40 netlist
.PRECIOUS: build/%.json build/%.asc
ice40: build/emulator.bin
	@grep -h 'ICESTORM_LC\|ICESTORM_RAM' build/emulator.log | head -n 2
	@grep -h 'Max frequency' build/emulator.log | tail -n 1

# build/netlist.* are the same with a serial line that takes one clock cycle a bit.
build/netlist.json: DIVIDER := 1
build/%.json: $(HARDWARE) $(wildcard images/*.mem)
	@RAMS_TEST
	$(call NEED,yosys,yosys)
	$(call RECENT,yosys,-V,0,23)
	mkdir -p build
	yosys -q -p 'read_verilog $(HARDWARE); chparam -set Divider $(DIVIDER) emulator; synth_ice40 -top emulator -json $@; write_verilog -noattr build/$*.v'

build/%.asc: build/%.json
	$(call NEED,nextpnr-ice40,nextpnr-ice40)
	$(call RECENT,nextpnr-ice40,--version,0,4)
	nextpnr-ice40 -q -l build/$*.log $(DEVICE) --seed $(SEED) --json $< --asc $@

build/%.bin: build/%.asc
	$(call NEED,icepack,fpga-icestorm)
	icepack $< $@

netlist: build/netlist.json
	$(call NEED,iverilog vvp,iverilog)
	$(call RECENT,iverilog,-V,11)
	iverilog -g2012 -DNO_ICE40_DEFAULT_ASSIGNMENTS -o build/netlist.vvp -s netlist_bench netlist_bench.v bench/emulator_bench.v bench/line_check.v bench/vector_file.v build/netlist.v $(CELLS)
	vvp -n build/netlist.vvp | tee build/netlist.out
	@grep -q '^PASS' build/netlist.out
`

// The block RAMs of an iCE40 HX8K.
const (
	deviceRAMs  = 32
	bitsOfRAM   = 4096
	leastForRAM = 256 // words: synthesis may take tables for smaller memories
)

// blockRAMs are those that the memories need at least: synthesis keeps no bit that is the same in all words.
func (d *design) blockRAMs() int {
	rams := func(size, elements int, contents ...[]uint32) int {
		if size < leastForRAM {
			return 0
		}
		return (size*varying(size, elements, contents) + bitsOfRAM - 1) / bitsOfRAM
	}
	all := rams(d.Chips*d.Words, d.elements(), d.expected())
	for n := range router.NodeID(d.Chips) {
		all += rams(d.ProgramWords, 1, d.programs[d.runs[n]].Code)
		all += rams(d.Words, d.elements(), d.images[n].memory, d.array.Memory(n))
	}
	return all
}

// varying counts the bits that are not the same in all words of a memory, which may be longer than its contents.
func varying(size, elements int, contents [][]uint32) int {
	count := 0
	for k := range elements {
		ones, zeros := uint32(0), uint32(0)
		for _, words := range contents {
			for at := k; at < len(words); at += elements {
				ones |= words[at]
				zeros |= ^words[at]
			}
			if len(words) < size*elements {
				zeros = ^uint32(0)
			}
		}
		count += bits.OnesCount32(ones & zeros)
	}
	return count
}

// tooLarge is the line of the Makefile that refuses memories that the device does not have.
func (d *design) tooLarge() string {
	if need := d.blockRAMs(); need > deviceRAMs {
		return fmt.Sprintf("echo \"the memories need at least %d block RAMs, an iCE40 HX8K has %d\" >&2; exit 2", need, deviceRAMs)
	}
	return ":"
}

// readme says what is in the folder.
func (d *design) readme() string {
	return d.Failed() + fmt.Sprintf(`An emulator of %s: %s, %s with words of %d bits, %s, and the
memories of one run of %d target cycles, as Verilog. "make", in this folder, runs it in Icarus
Verilog and in Verilator, whichever is installed. The bench compares every link in every target cycle, and
every word of every memory at the end. Then it plants faults that the hardware must report: "planted=3". "make
ice40" writes a bitstream.

%s%s
emulator.v    the top: clock, reset, done, pass, the first wrong word, a serial line
pe            modules of the PEs, written by hand
pe_decoder.v  the decoder, generated from the table of instructions
images        programs, memories at the start and at the end
top.v, lib    the network and its chips
bench         vectors and comparison
%s`, escape.Line(d.net.Topology.String()), input.Count(d.Chips, "chip"), input.Count(d.Chips, "PE"), d.Emulator.Word, input.Count(len(d.programs), "program"), d.Cycles(),
		d.Differences(), d.Described(), d.ByHand(TopName, "emulator.v pe_decoder.v pe/*.v top.v lib/*.v"))
}
