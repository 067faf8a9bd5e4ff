// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"meshwright/fabric"
	"meshwright/internal/atomicfile"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/rtl/verilog"
)

// maxCycles bounds the runs that can be exported: the bench counts in 32 bits.
const maxCycles = 1<<32 - 2

// maxBuffer bounds the buffers that can be exported, in flits: simulators keep
// every slot of every chip in memory, used or not.
const maxBuffer = 1 << 16

// Export writes a folder that stands alone: library, top level, bench, vectors
// and a Makefile that runs them in Icarus Verilog or Verilator. The folder
// must not exist or be empty; it appears whole or not at all. A buffer that is
// too large is an *input.Error.
func (r *Recorder) Export(dir string) (*Design, error) {
	if err := atomicfile.CheckFolder(dir); err != nil {
		return nil, err
	}
	return r.export(dir, atomicfile.CreateFolder)
}

// Replace is Export into a folder that may be an earlier export, which is then
// replaced; see CheckExport.
func (r *Recorder) Replace(dir string) (*Design, error) {
	return r.export(dir, func(dir string) (*atomicfile.Folder, error) {
		return atomicfile.ReplaceFolder(dir, func() error { return CheckExport(dir) })
	})
}

// export writes into a folder that create begins.
func (r *Recorder) export(dir string, create func(string) (*atomicfile.Folder, error)) (*Design, error) {
	if r.Cycles() > maxCycles {
		return nil, fmt.Errorf("%s: the run takes %d cycles, the bench counts up to %d", dir, r.Cycles(), uint64(maxCycles))
	}
	if err := inHardware(r.net, r.maxTag, r.maxHops); err != nil {
		return nil, err
	}
	folder, err := create(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Abort()
	d := newDesign(r.net, r.maxTag, r.maxHops)
	r.addFaults(d)
	r.addUpsets(d)
	if r.trimmed {
		d.trim(r.ways)
	}
	d.Streams, d.name, d.extended, d.cycles = r.streams, r.name, r.extension != nil, r.Cycles()
	if err := r.write(d, folder.Dir()); err != nil {
		return nil, folder.Fault(err)
	}
	return d, folder.Commit()
}

// inHardware judges whether the library has the chips of a network; see newDesign.
func inHardware(n *fabric.Network, maxTag uint32, maxHops int) error {
	if buffer := n.Machine.Buffer; buffer > maxBuffer {
		return input.Errorf(fmt.Sprintf("expected at most %d flits", maxBuffer), "buffer %d: too large for a simulation of the hardware", buffer)
	}
	if err := n.Machine.FitsHeader(n.Topology, maxTag, maxHops); err != nil {
		return err
	}
	return nil
}

func (r *Recorder) write(d *Design, dir string) error {
	if err := os.CopyFS(dir, sources); err != nil {
		return err
	}
	if err := d.writeFaults(dir); err != nil {
		return err
	}
	if err := d.writeUpsets(dir, r.counted()); err != nil {
		return err
	}
	if err := d.writeStreams(dir); err != nil {
		return err
	}
	counts, err := r.writeVectors(d, dir)
	if err != nil {
		return err
	}
	files := Files{
		d.network() + ".v": Printed(d.top()),
		"bench.v":          Printed(d.bench(r, counts)),
		"Makefile":         Text(d.makefile(d.benches(), "")),
		"README":           Text(d.readme(r)),
		waveFile:           d.Waves(r.shown).module,
	}
	if r.extension != nil {
		more, err := r.extension(&Vectors{d, r, counts})
		if err != nil {
			return err
		}
		maps.Copy(files, more)
	}
	if err := errors.Join(writeFiles(dir, files), d.rename(dir)); err != nil {
		return err
	}
	return writeManifest(dir)
}

// VectorsFor writes the vectors into a folder as the chips of another run's export need them, and reports whether those
// chips can run them: all parameters and tables must be the same but the width of a tag. A tag loses the bits for which
// those chips have no room.
func (r *Recorder) VectorsFor(other *Recorder, dir string) (bool, error) {
	d, own := newDesign(other.net, other.maxTag, other.maxHops), newDesign(r.net, other.maxTag, other.maxHops)
	if r.maxHops > other.maxHops && d.Kind == sourceRouting {
		return false, nil
	}
	var want, have bytes.Buffer
	if err := errors.Join(verilog.Print(&want, d.top()), verilog.Print(&have, own.top())); err != nil {
		return false, err
	}
	if !bytes.Equal(want.Bytes(), have.Bytes()) {
		return false, nil
	}
	_, err := r.writeVectors(d, dir)
	return err == nil, err
}

// vectorCounts are the lines in the vector files.
type vectorCounts struct{ stimuli, events, levels int }

func (r *Recorder) writeVectors(d *Design, dir string) (vectorCounts, error) {
	var counts vectorCounts
	for name, write := range map[string]func(io.Writer) error{
		"stimuli.mem": func(w io.Writer) (err error) { counts.stimuli, err = d.writeStimuli(w, r); return },
		"events.mem":  func(w io.Writer) (err error) { counts.events, err = d.writeEvents(w, r); return },
		"levels.mem":  func(w io.Writer) (err error) { counts.levels, err = d.writeLevels(w, r); return },
		"outputs.mem": d.writeOutputNames,
		"buffers.mem": d.writeBufferNames,
	} {
		if err := writeFile(filepath.Join(dir, name), write); err != nil {
			return counts, err
		}
	}
	return counts, nil
}

func writeFile(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}

// bench describes the top of the simulation: the network, and the bench with
// the sizes of this run, which is shown what every output shows.
func (d *Design) bench(r *Recorder, counts vectorCounts) *verilog.Module {
	m := &verilog.Module{Name: "bench", Comment: []string{"The network and the bench with the sizes of this run. Generated."}}
	channels, flits := fmt.Sprint(d.allChannels()), fmt.Sprint(d.allChannels()*d.FlitWidth)
	top := verilog.Instance{Module: d.network(), Name: "i_top"}
	bench := verilog.Instance{Module: "vector_bench", Name: "i_bench"}
	for _, w := range []struct{ name, width, ofTop, ofBench string }{
		{"clk", "", "clk_i", "clk_o"}, {"rst", "", "rst_i", "rst_o"},
		{"inj_valid", channels, "inj_valid_i", "inj_valid_o"}, {"inj_flit", flits, "inj_flit_i", "inj_flit_o"},
		{"inj_ready", channels, "inj_ready_o", "inj_ready_i"}, {"collision", fmt.Sprint(d.Chips), "collision_o", "collision_i"},
		{"ej_valid", channels, "ej_valid_o", ""}, {"ej_flit", flits, "ej_flit_o", ""},
	} {
		m.Items = append(m.Items, verilog.Wire{Name: w.name, Width: w.width})
		top.Ports = append(top.Ports, verilog.Connection{Name: w.ofTop, Value: w.name})
		if w.ofBench != "" {
			bench.Ports = append(bench.Ports, verilog.Connection{Name: w.ofBench, Value: w.name})
		}
	}
	m.Items = append(m.Items, verilog.Wire{Name: d.comparedNet()}, verilog.Wire{Name: "unused_cut"})
	top.Ports = append(top.Ports, verilog.Connection{Name: "tick_i", Value: "1'b1"})
	bench.Ports = append(bench.Ports, d.benchEnds()...)
	bench.Parameters = d.benchSizes(r, counts)
	top.Ports = append(top.Ports, d.benchReady()...)
	m.Items = append(m.Items, d.benchFaults(&top)...)
	m.Items = append(m.Items, d.benchCode(&top, len(r.counted()))...)
	m.Items = append(m.Items, top, bench, verilog.Note(""), verilog.Note("What the outputs show just before the rising edge."), d.sample())
	return m
}

// benchSizes are the parameters of the bench.
func (d *Design) benchSizes(r *Recorder, counts vectorCounts) []verilog.Connection {
	var sizes []verilog.Connection
	for _, p := range []struct {
		name  string
		value int
	}{
		{"FlitWidth", d.FlitWidth}, {"CountWidth", d.CountWidth}, {"KindAt", d.kindAt()}, {"HeadAt", d.headAt()}, {"Rest", d.rest()}, {"Chips", d.Chips}, {"Channels", d.allChannels()},
		{"Outputs", d.outputCount()}, {"Links", len(d.Links)}, {"Buffers", d.bufferCount()},
		{"Stimuli", counts.stimuli}, {"Events", counts.events}, {"Levels", counts.levels},
		{"Run", int(r.end)}, {"Cycles", int(r.Cycles())},
	} {
		sizes = append(sizes, verilog.Connection{Name: p.name, Value: fmt.Sprint(p.value)})
	}
	if r.isCut {
		sizes = append(sizes, verilog.Connection{Name: "Cut", Value: "1"})
	}
	return sizes
}

// sample copies what the outputs show into the bench. It reads the chips' nets
// from outside: ports of top for thousands of bits, changing several times a
// cycle, would take most of the time of a simulation.
func (d *Design) sample() verilog.Always {
	a := verilog.Always{Event: "posedge i_bench.sample"}
	for at, s := range d.shown() {
		a.Lines = append(a.Lines,
			fmt.Sprintf("i_bench.i_outputs.valid[%d] = %s;", at, s.valid),
			fmt.Sprintf("i_bench.i_outputs.fire[%d] = %s;", at, s.fire),
			fmt.Sprintf("if (%s) i_bench.i_outputs.flit[%d] = %s;", s.valid, at, s.flit))
	}
	bits := d.VCs * d.CountWidth
	for n := range router.NodeID(d.Chips) {
		a.Lines = append(a.Lines, fmt.Sprintf("%s = i_top.n%d_count;", slice("i_bench.i_buffers.count", d.firstPort[n]*bits, d.ports(n)*bits, ""), n))
	}
	return a
}

// makefile runs the bench. The benches are all sources but the network; the rules stand at the end.
func (d *Design) makefile(benches, rules string) string {
	var b bytes.Buffer
	b.WriteString(`# SPDX-License-Identifier: Apache-2.0
# make            runs the bench in the simulators that are installed (at least one must be)
# make icarus     runs it in Icarus Verilog
# make verilator  runs it in Verilator (compiled as one file: the headers take longer than the network)
# make lint       asks Verilator for its warnings of the network: it has none
# make synth      asks Yosys for the gates and registers of the network: build/synth.txt
# make clean      removes build
# make help       prints these lines
# SYNTH=synth_ice40  of make synth: the commands of Yosys, here for the cells of an FPGA
# LOG=1           writes every flit the design shows to build/icarus.log, build/verilator.log: bench/vector_bench.v explains their lines
# WAVE=FILE       writes what links and buffers show, and what the vectors expect: a .vcd or .fst file for a viewer
#                 of both simulators: run.icarus.vcd and run.verilator.vcd for WAVE=run.vcd
# CYCLES=A-B      of WAVE: cycles A to B only. Behind the first mismatch the bench goes on for BEYOND=8 cycles
# COVERAGE=1      counts, in Verilator, the lines, branches and toggles of the library that the vectors reach, in build/coverage.dat
# LAST=N          compares the cycles before cycle N only
# OPTIMIZE=-O1    compiles Verilator's C++ for a long run; a short one takes less time without

# All names are relative, so that the folder may have any name. CURDIR=. tells Verilator's rules
# so: they refuse a folder with blanks, though they name nothing by its whole path.

LIBRARY := ` + strings.Join(d.namedFiles(d.library()), " ") + `
SOURCES := ` + benches + ` ` + d.network() + `.v $(LIBRARY)
# Compilers put their temporary files there: some cannot use a TMPDIR with blanks or dollars.
export TMPDIR := build
OPTIMIZE ?= ` + d.optimize() + `
SYNTH ?= synth -flatten; abc -g cmos2; opt_clean
# Without these two optimisations Verilator writes little more than half as much C++, and a program that is slower.
QUICK := $(if $(filter -O0,$(OPTIMIZE)),-fno-dfg -fno-expand)
BEYOND := 8
TOP := $(if $(COVERAGE),coverage,$(if $(WAVE),waves,bench))
FORM := $(if $(COVERAGE),coverage,$(if $(WAVE),$(if $(filter %.fst,$(WAVE)),fst,vcd)))
PARTS := $(addprefix .,$(FORM))
# A program that was compiled with other flags has another folder.
EMPTY :=
SPACE := $(EMPTY) $(EMPTY)
MODEL := build/verilator$(PARTS)$(subst $(SPACE),_,$(subst =,_,$(subst /,_,$(strip $(OPTIMIZE)))))
CYCLE_RANGE := $(subst -, ,$(CYCLES))
WINDOW := $(if $(CYCLE_RANGE),+wave_first=$(firstword $(CYCLE_RANGE)) +wave_last=$(lastword $(CYCLE_RANGE)))
PLUS = $(if $(LOG),+log=build/$@.log) $(if $(WAVE),+beyond=$(BEYOND) $(WINDOW)) $(if $(LAST),+last=$(LAST))
FOUND := $(if $(COVERAGE),,$(if $(shell command -v iverilog),icarus)) $(if $(shell command -v verilator),verilator)
# Two simulators do not write the same file; for the shell, since the name may have blanks.
BOTH := $(filter 2,$(words $(or $(filter icarus verilator,$(MAKECMDGOALS)),$(FOUND))))
WAVEFILE = $(if $(BOTH),$${WAVE%.*}.$@.$(FORM),$$WAVE)
HARDWARE := ` + d.network() + `.v $(LIBRARY)
HARDWARE_TOP := ` + d.network() + `
include bench/tools.mk

$(call SWITCH,LOG)$(call SWITCH,COVERAGE)$(call NUMBER,LAST,1)$(call NUMBER,BEYOND,0)

ifneq ($(WAVE),)
  ifeq ($(filter %.vcd %.fst,$(WAVE)),)
    $(error WAVE=$(WAVE): expected FILE.vcd or FILE.fst)
  endif
  ifneq ($(COVERAGE),)
    $(error WAVE and COVERAGE: expected one of them)
  endif
endif
ifneq ($(if $(COVERAGE),$(filter icarus,$(MAKECMDGOALS))),)
  $(error COVERAGE=1: expected make verilator)
endif
ifneq ($(CYCLES),)
  ifeq ($(WAVE),)
    $(error CYCLES=$(CYCLES): expected WAVE=FILE.vcd, too)
  endif
  ifeq ($(shell test "$(firstword $(CYCLE_RANGE))" -ge 0 -a "$(lastword $(CYCLE_RANGE))" -ge "$(firstword $(CYCLE_RANGE))" -a "$(lastword $(CYCLE_RANGE))" -le 4294967295 2>/dev/null && echo rising),)
    $(error CYCLES=$(CYCLES): expected a range such as 0-40)
  endif
endif

.PHONY: all icarus verilator lint synth clean
all: $(or $(strip $(FOUND)),missing)

icarus: build/icarus$(PARTS).vvp
	vvp -n $< $(PLUS) $(if $(WAVE),"+wave=$(WAVEFILE)" -$(FORM)) | tee build/icarus.out
	@grep -q '^PASS' build/icarus.out

verilator: $(MODEL)/$(TOP)
	./$< $(PLUS) $(if $(WAVE),"+wave=$(WAVEFILE)") | tee build/verilator.out
	@grep -q '^PASS' build/verilator.out

# waves.v has the scale of time, which holds for the files behind it; Verilator obeys waves.vlt in the files behind it.
build/icarus$(PARTS).vvp: $(if $(WAVE),waves.v) $(SOURCES)
	mkdir -p build
	$(call NEED,iverilog vvp,iverilog)
	$(call RECENT,iverilog,-V,11)
	iverilog -g2005 -Wall -Wno-timescale -o $@ -s $(TOP) $^

$(MODEL)/$(TOP): $(if $(WAVE),bench/waves.vlt waves.v) $(SOURCES) $(if $(COVERAGE),bench/coverage.sv bench/coverage.vlt) bench/verilator.vlt bench/verilator.mk
	mkdir -p build
	$(call NEED,verilator $(COMPILER),verilator g++)
	$(call RECENT,verilator,--version,5)
	verilator --cc --exe --main --timing -O3 $(QUICK) --x-assign fast --x-initial fast --noassert --output-split 0 -Wno-fatal -Wno-lint -Wno-style $(if $(COVERAGE),--coverage,$(if $(WAVE),--trace$(filter -fst,-$(FORM)))) --top-module $(TOP) --Mdir $(@D) $(filter %.vlt %.v %.sv,$^) > build/verilator.build 2>&1 || { cat build/verilator.build; exit 1; }
	$(MAKE) -j 2 -C $(@D) CURDIR=. TMPDIR=. -f ../../bench/verilator.mk NAME=$(TOP) VM_PARALLEL_BUILDS=0 OPT_FAST="$(OPTIMIZE)" >> build/verilator.build 2>&1 || { cat build/verilator.build; exit 1; }

lint:
	$(call NEED,verilator,verilator)
	$(call RECENT,verilator,--version,5)
	verilator --lint-only -Wall --top-module $(HARDWARE_TOP) $(HARDWARE)

synth:
	mkdir -p build
	$(call NEED,yosys,yosys)
	$(call RECENT,yosys,-V,0,23)
	rm -f build/synth.txt
	@echo "Yosys works for seconds on a few chips, for minutes on dozens; its log is build/synth.log" >&2
	@yosys -q -l build/synth.log -p 'read_verilog $(HARDWARE); hierarchy -top $(HARDWARE_TOP); $(SYNTH); tee -q -o build/synth.txt stat'
	@cat build/synth.txt

.PHONY: missing
missing:
	@echo "no simulator found: apt-get install iverilog, or apt-get install verilator g++" >&2; exit 3

.PHONY: help
help:
	@sed -n '2,/^$$/s/^# //p' Makefile

clean:
	rm -rf build
` + rules)
	return b.String()
}

// longRun is a run, in chips times cycles, that gains more from a fast program than the program takes to compile.
const longRun = 1 << 20

// optimize is how a C++ compiler should treat what Verilator makes of the run.
func (d *Design) optimize() string {
	if uint64(d.Chips)*uint64(d.cycles) < longRun {
		return "-O0"
	}
	return "-O1"
}
