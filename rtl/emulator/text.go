// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"strings"

	"meshwright/internal/escape"
)

// makefileText is the Makefile of the folder.
func (d *design) makefileText() string {
	benches := "bench.v bench/vector_bench.v bench/emulator_bench.v " + hardware()
	return strings.Replace(d.Makefile(benches, rules), "# LOG=1 ", `# make ice40      synthesizes for Lattice iCE40 HX8K, places and routes, and writes build/emulator.bin
# make netlist    runs the bench with the netlist of Yosys in Icarus Verilog
# LOG=1 `, 1)
}

// rules make the bitstream, and simulate the netlist.
const rules = `
HARDWARE := emulator.v pe_decoder.v $(wildcard pe/*.v) top.v $(LIBRARY)
DEVICE := --hx8k --package ct256
SEED := 1
CELLS = $(patsubst %/bin/yosys,%,$(shell command -v yosys))/share/yosys/ice40/cells_sim.v

.PHONY: ice40 netlist
ice40: build/emulator.bin

build/emulator.json: $(HARDWARE) $(wildcard images/*.mem)
	mkdir -p build
	yosys -q -l build/yosys.log -p 'read_verilog $(HARDWARE); synth_ice40 -top emulator -json $@; tee -o build/cells.txt stat'

build/emulator.asc: build/emulator.json
	nextpnr-ice40 -q -l build/nextpnr.log $(DEVICE) --seed $(SEED) --json $< --asc $@

build/emulator.bin: build/emulator.asc
	icepack $< $@
	@grep -h 'ICESTORM_LC\|ICESTORM_RAM' build/nextpnr.log | head -n 2
	@grep -h 'Max frequency' build/nextpnr.log | tail -n 1

build/netlist.v: $(HARDWARE) $(wildcard images/*.mem)
	mkdir -p build
	yosys -q -p 'read_verilog $(HARDWARE); chparam -set Divider 1 emulator; synth_ice40 -top emulator; write_verilog -noattr $@'

netlist: build/netlist.v
	iverilog -g2012 -DNO_ICE40_DEFAULT_ASSIGNMENTS -o build/netlist.vvp -s netlist_bench netlist_bench.v bench/emulator_bench.v build/netlist.v $(CELLS)
	vvp -n build/netlist.vvp | tee build/netlist.out
	@grep -q '^PASS' build/netlist.out
`

// readme says what is in the folder.
func (d *design) readme() string {
	return fmt.Sprintf(`An emulator of %s: %d chips, %d PEs with words of %d bits, %d programs, and the
memories of one run of %d target cycles, as Verilog. "make" runs it in Icarus Verilog and in
Verilator, whichever is installed. The bench compares every link in every target cycle, and
every word of every memory at the end. "make ice40" writes a bitstream.

emulator.v    the top: clock, reset, done, pass, the first wrong word, a serial line
pe            modules of the PEs, written by hand
pe_decoder.v  the decoder, generated from the table of instructions
images        programs, memories at the start and at the end
top.v, lib    the network and its chips
bench         vectors and comparison
`, escape.Line(d.net.Topology.String()), d.Chips, d.Chips, d.Emulator.Word, len(d.programs), d.Cycles())
}
