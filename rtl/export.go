// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"meshwright/rtl/verilog"
)

// MaxCycles bounds the runs that can be exported: the bench counts in 32 bits.
const MaxCycles = 1<<32 - 2

// Export writes a folder that stands alone: library, top level, bench, vectors
// and a Makefile that runs them in Icarus Verilog or Verilator. The folder
// must not exist or be empty; it appears whole or not at all.
func (r *Recorder) Export(dir string) (*Design, error) {
	if err := checkTarget(dir); err != nil {
		return nil, err
	}
	if r.end > MaxCycles {
		return nil, fmt.Errorf("%s: the run takes %d cycles, the bench counts up to %d", dir, r.end, uint64(MaxCycles))
	}
	parent := filepath.Dir(filepath.Clean(dir))
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp(parent, "."+filepath.Base(dir)+"-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	if err := os.Chmod(work, 0o755); err != nil {
		return nil, err
	}
	d := newDesign(r.net, r.maxTag, r.maxHops)
	if err := r.write(d, work); err != nil {
		return nil, err
	}
	if err := os.Remove(dir); err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	return d, os.Rename(work, dir)
}

func checkTarget(dir string) error {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("%s: the folder is not empty", dir)
	}
	return nil
}

func (r *Recorder) write(d *Design, dir string) error {
	if err := os.CopyFS(dir, sources); err != nil {
		return err
	}
	counts, err := r.writeVectors(d, dir)
	if err != nil {
		return err
	}
	for name, text := range map[string]func(io.Writer) error{
		"top.v":    func(w io.Writer) error { return verilog.Print(w, d.top()) },
		"bench.v":  func(w io.Writer) error { return verilog.Print(w, d.bench(r, counts)) },
		"Makefile": writeString(makefile()),
		"README":   writeString(d.readme(r)),
	} {
		if err := writeFile(filepath.Join(dir, name), text); err != nil {
			return err
		}
	}
	return nil
}

// vectorCounts are the lines in the vector files.
type vectorCounts struct{ stimuli, events, levels int }

func (r *Recorder) writeVectors(d *Design, dir string) (vectorCounts, error) {
	var counts vectorCounts
	for name, write := range map[string]func(io.Writer) error{
		"stimuli.mem": func(w io.Writer) (err error) { counts.stimuli, err = d.writeStimuli(w, r.stimuli); return },
		"events.mem":  func(w io.Writer) (err error) { counts.events, err = d.writeEvents(w, r.events); return },
		"levels.mem":  func(w io.Writer) (err error) { counts.levels, err = d.writeLevels(w, r.levels); return },
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

func writeString(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// bench describes the top of the simulation: the bench with the sizes of this run.
func (d *Design) bench(r *Recorder, counts vectorCounts) *verilog.Module {
	bench := verilog.Instance{Module: "vector_bench", Name: "i_bench"}
	for _, p := range []struct {
		name  string
		value int
	}{
		{"FlitWidth", d.FlitWidth}, {"CountWidth", d.CountWidth}, {"Channels", d.Chips * d.Channels},
		{"Outputs", d.Outputs()}, {"Links", len(d.Links)}, {"Buffers", d.Buffers()},
		{"Stimuli", counts.stimuli}, {"Events", counts.events}, {"Levels", counts.levels},
		{"Cycles", int(r.end)},
	} {
		bench.Parameters = append(bench.Parameters, verilog.Connection{Name: p.name, Value: fmt.Sprint(p.value)})
	}
	return &verilog.Module{Name: "bench", Comment: []string{"The bench with the sizes of this run. Generated."}, Items: []verilog.Item{bench}}
}

func makefile() string {
	var b bytes.Buffer
	b.WriteString(`# SPDX-License-Identifier: Apache-2.0
# make            runs the bench in the simulators that are installed (at least one must be)
# make icarus     runs it in Icarus Verilog
# make verilator  runs it in Verilator

LIBRARY := ` + strings.Join(SourceFiles(), " ") + `
SOURCES := bench.v bench/vector_bench.v top.v $(LIBRARY)
FOUND := $(if $(shell command -v iverilog),icarus) $(if $(shell command -v verilator),verilator)

.PHONY: all icarus verilator clean
all: $(or $(strip $(FOUND)),missing)

icarus: build/icarus.vvp
	vvp -n $< +log=build/icarus.log | tee build/icarus.out
	@grep -q '^PASS' build/icarus.out

verilator: build/verilator/bench
	./$< +log=build/verilator.log | tee build/verilator.out
	@grep -q '^PASS' build/verilator.out

build/icarus.vvp: $(SOURCES)
	mkdir -p build
	iverilog -g2005 -Wall -Wno-timescale -o $@ -s bench $(SOURCES)

build/verilator/bench: $(SOURCES)
	mkdir -p build
	verilator --binary --timing -j 2 -Wno-fatal -Wno-lint -Wno-style --top-module bench --Mdir build/verilator -o bench $(SOURCES) > build/verilator.build 2>&1 || { cat build/verilator.build; exit 1; }

.PHONY: missing
missing:
	@echo "no simulator found: apt-get install iverilog, or apt-get install verilator g++" >&2; exit 3

clean:
	rm -rf build
`)
	return b.String()
}

func (d *Design) readme(r *Recorder) string {
	return fmt.Sprintf(`%s: %d chips, %d links, flits of %d bits, as Verilog, with the vectors of one run
of %d cycles. "make" runs the bench in Icarus Verilog and in Verilator, whichever
is installed; it prints PASS, or FAIL with the cycle, node and port of the first
difference.

lib      chips and links, written by hand, Verilog-2005
top.v    the network: instances and wires only
bench    drives stimuli.mem and compares with events.mem and levels.mem; the
         layout of the files is at its top
`, d.net.Topology, d.Chips, len(d.Links), d.FlitWidth, r.end)
}
