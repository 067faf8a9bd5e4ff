// SPDX-License-Identifier: Apache-2.0

// Package mutate measures how good vectors are: it plants faults into the Verilog of an exported design, one at a
// time, and counts those that the bench finds. A faulty design is a mutant; a mutant that the bench finds is killed.
//
// Yosys plants all faults into one netlist, where an input chooses the one that is active. So a simulator compiles the
// design once, and each mutant is a run of the same program. For a mutant that survives, a proof is tried that no
// input and no state tells it from the sound chip.
package mutate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"meshwright/internal/progress"
	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/gate"
	"meshwright/rtl/tool"
	"meshwright/rtl/verilog"
)

// MaxMutants bounds the mutants of a design: their numbers have 16 bits.
const MaxMutants = 65_000

// State is what became of a mutant.
type State string

// The states of a mutant. Relevant are those that are not equivalent.
const (
	Killed     State = "killed"
	Survived   State = "survived"
	Equivalent State = "equivalent" // proved: in every state of the chip and for every input it behaves alike
)

// Mutant is a design with one fault.
type Mutant struct {
	Number int
	Mode   string   // what Yosys did to a bit: const0, const1, inv, cnot0 or cnot1
	Cell   string   // where, as Yosys names it
	Port   string   // of the cell
	Bit    int      // of the port
	Source []string // places in the Verilog, file:line.column-line.column
	State  State
	Cycle  int // of a killed mutant: the cycle in which the bench finds it
	By     int // of a killed mutant: the vectors that find it, 0 or a place in what Add was given, from 1
}

// Options say which mutants to make.
type Options struct {
	Mutants int
	Seed    uint64
	Node    router.NodeID // the chip whose module is mutated, with all modules below it
	Design  *rtl.Design
	Cycles  int // of the vectors
}

var yosys = tool.Program{Command: "yosys", Ask: "-V", Oldest: "0.23", Packages: []string{"yosys"}}

// instance returns the name of a chip in module top.
func instance(n router.NodeID) string { return fmt.Sprintf("n%d_chip", n) }

// Work is a design with its mutants. A folder that was interrupted is taken up again where it ended.
type Work struct {
	dir     string // of the exported design; the netlists are in its folder build
	opt     Options
	bench   *bench
	netlist *gate.Netlist
	Mutants []*Mutant
	Tools   map[string]string
}

// folder is where the netlists and the results are, below the design's folder.
const folder = "build/mutants"

func (w *Work) path(name string) string { return filepath.Join(w.dir, folder, name) }

// FindTools returns a *tool.Missing if Yosys is not there or too old.
func FindTools(ctx context.Context) error {
	_, err := yosys.Version(ctx, os.TempDir())
	return err
}

// New plants the faults into the exported design in dir. A Yosys that is missing or too old is a *tool.Missing.
func New(ctx context.Context, dir string, opt Options) (*Work, error) {
	w := &Work{dir: dir, opt: opt, Tools: map[string]string{}}
	version, err := yosys.Version(ctx, dir)
	if err != nil {
		return nil, err
	}
	w.Tools[yosys.Command] = version
	if err := os.MkdirAll(w.path(""), 0o777); err != nil {
		return nil, err
	}
	if err := w.plant(ctx); err != nil {
		return nil, err
	}
	if err := w.build(ctx); err != nil {
		return nil, err
	}
	return w, w.restore()
}

// build makes gates of the netlist with all faults.
func (w *Work) build(ctx context.Context) error {
	defer progress.Begin(ctx, "make gates of the chips", 0).End()
	gates := []string{"read_rtlil " + folder + "/mutated.il", "memory_map", "opt_expr", "techmap t:$eq %n", "dffunmap", "simplemap t:$eq %n", "opt_clean", "write_json " + folder + "/gates.json"}
	if err := w.script(ctx, "gates.ys", gates); err != nil {
		return err
	}
	text, err := os.ReadFile(w.path("gates.json"))
	if err != nil {
		return err
	}
	w.netlist, err = gate.Read(text)
	if err != nil {
		return err
	}
	design, err := w.netlist.Design("top")
	if err != nil {
		return err
	}
	v, err := readVectors(w.dir, w.opt.Design)
	if err != nil {
		return err
	}
	w.bench = newBench(design, w.opt.Design, v, w.opt.Cycles)
	return nil
}

// plant writes the netlist with all faults.
func (w *Work) plant(ctx context.Context) error {
	defer progress.Begin(ctx, "plant faults", 0).End()
	files, err := filepath.Glob(filepath.Join(w.dir, "lib", "*.v"))
	if err != nil {
		return err
	}
	if err := w.writeWatched(); err != nil {
		return err
	}
	read := "read_verilog -DSYNTHESIS " + folder + "/top.v"
	for _, file := range files {
		read += " lib/" + filepath.Base(file)
	}
	if err := w.yosys(ctx, read, "hierarchy -check -top top", "proc", "opt_expr", "opt_clean", "write_rtlil "+folder+"/sound.il", "write_json "+folder+"/sound.json"); err != nil {
		return err
	}
	unit, err := w.unit()
	if err != nil {
		return err
	}
	list := fmt.Sprintf("mutate -list %d -seed %d -ctrl mutant 16 1 -o %s/mutants.txt @unit", w.opt.Mutants, w.opt.Seed%(1<<31), folder)
	script := []string{"read_rtlil " + folder + "/sound.il", "select -set unit " + strings.Join(unit, " "), list, "script " + folder + "/mutants.txt",
		"write_rtlil " + folder + "/mutated.il", "write_verilog -noattr " + folder + "/mutated.v"}
	if err := w.script(ctx, "plant.ys", script); err != nil {
		return err
	}
	return w.readMutants()
}

// writeWatched writes the network with outputs for all that the bench compares.
func (w *Work) writeWatched() error {
	f, err := os.Create(w.path("top.v"))
	if err != nil {
		return err
	}
	return errors.Join(verilog.Print(f, w.opt.Design.Watched()), f.Close())
}

// script runs commands that stand in a file.
func (w *Work) script(ctx context.Context, name string, commands []string) error {
	if err := os.WriteFile(w.path(name), []byte(strings.Join(commands, "\n")+"\n"), 0o666); err != nil {
		return err
	}
	return w.yosys(ctx, "script "+folder+"/"+name)
}

// yosys runs commands in the design's folder.
func (w *Work) yosys(ctx context.Context, script ...string) error {
	text, err := tool.Output(ctx, filepath.Join(w.dir, "none"), yosys.Command, "-q", "-p", strings.Join(script, "; "))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("yosys: %w: %s", err, tool.LastLines(string(text), 1))
	}
	return nil
}

// unit lists the module of the chip, and the modules below it.
func (w *Work) unit() ([]string, error) {
	text, err := os.ReadFile(w.path("sound.json"))
	if err != nil {
		return nil, err
	}
	n, err := gate.Read(text)
	if err != nil {
		return nil, err
	}
	return n.Below("top", instance(w.opt.Node))
}

// readMutants reads the list that Yosys wrote: a command for each mutant.
func (w *Work) readMutants() error {
	f, err := os.Open(w.path("mutants.txt"))
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		m := &Mutant{Number: len(w.Mutants) + 1, Cycle: -1}
		for i := 0; i+1 < len(words); i++ {
			switch value := words[i+1]; words[i] {
			case "-mode":
				m.Mode = value
			case "-cell":
				m.Cell = value
			case "-port":
				m.Port = value
			case "-portbit":
				if m.Bit, err = strconv.Atoi(value); err != nil {
					return fmt.Errorf("yosys: its list of mutants: %w", err)
				}
			case "-src":
				m.Source = append(m.Source, value)
			}
		}
		w.Mutants = append(w.Mutants, m)
	}
	return lines.Err()
}

// Count returns how many mutants are in a state.
func (w *Work) Count(s State) int {
	count := 0
	for _, m := range w.Mutants {
		if m.State == s {
			count++
		}
	}
	return count
}

// Score returns the share of the relevant mutants that are killed, from 0 to 1; 1 when there are none.
func (w *Work) Score() float64 {
	killed, survived := w.Count(Killed), w.Count(Survived)
	if killed+survived == 0 {
		return 1
	}
	return float64(killed) / float64(killed+survived)
}
