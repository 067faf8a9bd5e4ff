// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric"
	"meshwright/firmware/isa"
	"meshwright/firmware/loader"
	"meshwright/internal/atomicfile"
	"meshwright/internal/confine"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/check"
)

// firmwareFlags say which programs and memories the PEs have.
type firmwareFlags struct {
	programs, images, expected []string
	words                      int
	maxCycles                  int64
}

func (f *firmwareFlags) addFirmware(cmd *cobra.Command) {
	groupFirmware.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringArrayVar(&f.programs, "firmware", nil, "program: `[NODES=]FILE`, FILE.s or FILE.mem, for all PEs or for some: 0=root.s, 1-15=leaf.s, *=rest.s (may be repeated)")
		flags.StringArrayVar(&f.images, "memory-image", nil, "data memory at the start, a text of hexadecimal words: `[NODES=]FILE`, for all PEs or for some: 0=in.mem; or a folder with 0.mem, 1.mem … (may be repeated)")
		flags.StringArrayVar(&f.expected, "expect", nil, "words that the data memory must hold at the end: `[NODES=]FILE`, as --memory-image (may be repeated)")
		flags.IntVar(&f.words, "data-words", loader.DefaultWords, "size of each PE's data memory in words; an image may be larger")
		flags.Int64Var(&f.maxCycles, "max-cycles", 1e9, "cycles after which a run fails if it has not ended")
	})
}

// ofFirmware are the flags of addFirmware.
var ofFirmware = []string{"firmware", "memory-image", "expect", "data-words", "max-cycles"}

// arguments are the programs, that of the argument among them, as --firmware
// names them.
func (f *firmwareFlags) arguments(what string) []string {
	if what == "" {
		return f.programs
	}
	return append([]string{"*=" + what}, f.programs...)
}

// files calls see for every file that is read.
func (f *firmwareFlags) files(what string, see func(flag, path string)) {
	for _, list := range []struct {
		flag      string
		arguments []string
	}{{"--firmware", f.arguments(what)}, {"--memory-image", f.images}, {"--expect", f.expected}} {
		for _, argument := range list.arguments {
			see(list.flag, loader.FileOf(argument))
			if list.flag == "--firmware" {
				for _, included := range loader.Includes(loader.FileOf(argument)) {
					see(list.flag, included)
				}
			}
		}
	}
}

// firmwareJob reads programs and memories.
func (f *jobFlags) firmwareJob(cmd *cobra.Command, what string) (*loader.Job, error) {
	t, m, err := f.machineFlags.load(cmd)
	if err != nil {
		return nil, err
	}
	if f.words < 0 {
		return nil, input.At("--data-words", 0, "expected at least 0", "%d", f.words)
	}
	if f.maxCycles < 1 || f.maxCycles > int64(schedule.MaxDispatch) {
		return nil, input.At("--max-cycles", 0, fmt.Sprintf("expected 1 to %d", schedule.MaxDispatch), "%d", f.maxCycles)
	}
	if m.PacketSwitched() && m.Packet == 0 {
		return nil, input.At("--packet", 0, "expected the flits of the largest packet that the programs send", "missing on a machine of switching %s", m.Switching)
	}
	j := &loader.Job{Topology: t, Machine: m, Words: f.words, Limit: router.Cycle(f.maxCycles) * router.Cycle(m.Ticks())}
	p, err := loader.Place("--firmware", f.arguments(what), t.Nodes())
	if err != nil {
		return nil, err
	}
	j.Runs = p.Of
	for k, file := range p.Files {
		if !slices.Contains(p.Of, int32(k)) {
			return nil, input.At("--firmware", 0, "expected at least one", "no node is left for %s", file)
		}
		program, err := loader.ReadProgram(file)
		if err != nil {
			return nil, err
		}
		j.Programs = append(j.Programs, program)
	}
	if j.Memory, err = loader.ReadImages("--memory-image", f.images, t.Nodes()); err != nil {
		return nil, err
	}
	j.Expected, err = loader.ReadImages("--expect", f.expected, t.Nodes())
	return j, err
}

// executeFirmware runs users' own programs.
func (f *jobFlags) executeFirmware(cmd *cobra.Command, what string, attach ...func(*fabric.Network) error) (*outcome, error) {
	if err := refuse(cmd, "the program says everything", "given with a program", slices.Concat(ofCollectives(), ofAlgorithms, ofBoth)); err != nil {
		return nil, err
	}
	j, err := f.firmwareJob(cmd, what)
	if err != nil {
		return nil, err
	}
	r, err := loader.Execute(cmd.Context(), j, attach...)
	if err != nil {
		return nil, err
	}
	m := r.Network.Machine
	sent := schedule.FromLog(r.Network, false)
	ran := &ranFirmware{Job: j, Result: r}
	return &outcome{
		collective: "firmware", algorithm: ran.names(), topology: j.Topology, machine: m, network: r.Network, firmware: ran,
		messages: r.Messages, flits: r.Flits, cycles: r.Cycles, lowerBound: check.FloorOf(sent, j.Topology, m),
		delivered: r.Failure == nil, failure: r.Failure, collisions: r.Collisions, collisionCount: r.CollisionCount,
		maxBufferFlits: r.MaxBufferFlits, imported: ran.facts(m.Ticks()),
	}, nil
}

// ranFirmware is a run of users' own programs.
type ranFirmware struct {
	*loader.Job
	*loader.Result
}

// names are the programs' files.
func (r *ranFirmware) names() string {
	var names []string
	for _, p := range r.Programs {
		names = append(names, p.Name)
	}
	return strings.Join(names, ", ")
}

// compared says which memories were compared.
func (r *ranFirmware) compared() string {
	if r.ComparedWords == 0 {
		return "memories not compared"
	}
	return fmt.Sprintf("%s of %s compared", input.Count(r.ComparedWords, "word"), input.Count(r.ComparedPEs, "PE"))
}

// programShare is a program of a run; its JSON names are a contract.
type programShare struct {
	File string `json:"file"`
	PEs  int    `json:"pes"`
}

// facts returns the fields that only runs of users' own programs have.
func (r *ranFirmware) facts(ticks int) []fact {
	var shares []programShare
	var texts []string
	for k, p := range r.Programs {
		share := programShare{p.Name, runsOf(r.Runs, k)}
		shares, texts = append(shares, share), append(texts, share.File+" on "+input.Count(share.PEs, "PE"))
	}
	exact, err := json.Marshal(shares)
	if err != nil {
		panic(err) // strings and numbers have a JSON form
	}
	halt := duration{r.LastHalt, ticks}
	facts := []fact{
		{"programs", "programs", strings.Join(texts, ", "), string(exact)},
		{"last_halt", "last PE halts in cycle", halt.String(), string(jsonNumber(halt.exact()))},
		{"compared_pes", "", "", itoa(r.ComparedPEs)},
		{"compared_words", "", "", itoa(r.ComparedWords)},
	}
	switch all := r.running(); {
	case r.LastHalt < 0:
		facts[1] = fact{"last_halt", "", "", "null"}
	case r.Halted < all:
		facts[1].name, facts[1].text = "PEs halted", fmt.Sprintf("%d of %d, the last in cycle %s", r.Halted, all, halt)
	}
	taken := fact{"messages_not_taken", "", "", itoa(r.Unread)}
	if r.Unread > 0 {
		taken.name, taken.text = "not taken", input.Count(r.Unread, "message")+", the first: "+r.FirstUnread.String()
	}
	return append(facts, taken)
}

// running counts the PEs that have a program.
func (r *ranFirmware) running() int {
	count := 0
	for k := range r.Programs {
		count += runsOf(r.Runs, k)
	}
	return count
}

// runsOf counts the PEs that run program k.
func runsOf(runs []int32, k int) int {
	count := 0
	for _, of := range runs {
		if int(of) == k {
			count++
		}
	}
	return count
}

// listedProgram is a program and the number of PEs that run it.
type listedProgram struct {
	*isa.Program
	runs int
}

// programs lists the programs of a run.
func (o *outcome) programs() []listedProgram {
	var list []listedProgram
	switch {
	case o.firmware != nil:
		for k, p := range o.firmware.Programs {
			list = append(list, listedProgram{p, runsOf(o.firmware.Runs, k)})
		}
	case o.plan != nil:
		runs := make([]int32, len(o.plan.PEs))
		for n := range o.plan.PEs {
			runs[n] = o.plan.PEs[n].Role
		}
		for k, p := range o.plan.Programs {
			list = append(list, listedProgram{p, runsOf(runs, k)})
		}
	}
	return list
}

// pending is a file or a folder that is written and not yet at its path.
type pending interface {
	Finish() error
	Commit() error
	Abort() error
}

// pendingFolder is a folder whose files are finished.
type pendingFolder struct{ *atomicfile.Folder }

// Finish has nothing left to do.
func (pendingFolder) Finish() error { return nil }

// dumpsTable reports whether --dump names a table, and not a folder.
func dumpsTable(path string) bool { return strings.EqualFold(filepath.Ext(path), ".csv") }

// checkDump judges what --dump names; "": nothing.
func checkDump(path string, paths *input.Paths) error {
	switch {
	case path == "":
		return nil
	case path == toStdout:
		return input.At("--dump", 0, "expected FILE.csv or a folder", "%q", path)
	case dumpsTable(path):
		return paths.Write("--dump", path)
	case filepath.Ext(path) != "" && !isFolder(path):
		return input.At("--dump", 0, "expected FILE.csv, or a folder, whose name has no extension", "%s", path)
	}
	return input.WriteFolder(path)
}

// isFolder reports whether there is a folder of that name.
func isFolder(path string) bool {
	info, err := confine.Stat(path)
	return err == nil && info.IsDir()
}

// writeDump writes the data memories in the end.
func writeDump(path string, memory [][]uint32, elements int) (pending, error) {
	if dumpsTable(path) {
		file, err := atomicfile.Create(path)
		if err != nil {
			return nil, err
		}
		if err := loader.WriteTable(file, memory, elements); err != nil {
			return nil, errors.Join(err, file.Abort())
		}
		return file, nil
	}
	folder, err := atomicfile.CreateFolder(path)
	if err != nil {
		return nil, err
	}
	if err := loader.WriteFolder(folder.Dir(), memory, elements); err != nil {
		return nil, errors.Join(folder.Fault(err), folder.Abort())
	}
	return pendingFolder{folder}, nil
}

// writeListings writes each program with the number of PEs that run it.
func writeListings(w io.Writer, programs []listedProgram) error {
	for _, p := range programs {
		if _, err := fmt.Fprintf(w, "; %s: run by %s\n", escape.Line(p.Name), input.Count(p.runs, "PE")); err != nil {
			return err
		}
		if err := isa.Listing(w, p.Program); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	return nil
}
