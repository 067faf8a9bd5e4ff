// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric/machine"
	"meshwright/firmware/plan"
	"meshwright/internal/escape"
	"meshwright/internal/progress"
	"meshwright/router"
	"meshwright/rtl/coverage"
	"meshwright/rtl/mutate"
)

// addedVectors are vectors besides those of the run; their JSON names are a contract.
type addedVectors struct {
	Command string   `json:"command"`
	Cycles  duration `json:"cycles"`
	Killed  int      `json:"killed"`
	Mutants []killed `json:"mutants"`
}

// killed is a mutant that added vectors find; its JSON names are a contract.
type killed struct {
	Mutant survivor `json:"mutant"`
	Cycle  duration `json:"cycle"`
}

// candidate is a command whose vectors may find more.
type candidate struct {
	what  string
	flags []string
}

// command is the export that makes the vectors.
func (c *candidate) command() string {
	words := []string{"meshwright export DIR"}
	for _, word := range append([]string{c.what}, c.flags...) {
		if word != "" {
			words = append(words, escape.Shell(word))
		}
	}
	return strings.Join(words, " ")
}

// mostRounds bounds the rounds of random messages, and inRound is how many vectors a round has.
const (
	mostRounds = 20
	inRound    = 6
)

// widen tries vectors of other runs on the same machine, until a round of random messages finds no mutant that those
// before have not found. It keeps the vectors that are needed.
func (f *mutateFlags) widen(cmd *cobra.Command, what string, w *mutate.Work) error {
	var trials []*mutate.Trial
	var tried []candidate
	seen := map[int]bool{}
	for round := 0; round <= mostRounds && w.Count(mutate.Killed) < len(w.Mutants); round++ {
		list := f.ofKinds(cmd)
		if round > 0 {
			list = f.randoms(cmd, what, round)
		}
		phase := progress.Begin(cmd.Context(), fmt.Sprintf("try more vectors, round %d", round+1), len(list))
		more := false
		for i := range list {
			dir := filepath.Join(f.scratch, "vectors")
			if f.reach { // it reads them once more
				dir += itoa(len(trials))
			}
			t, err := f.try(cmd, w, &list[i], dir)
			if err != nil {
				phase.End()
				return err
			}
			if t != nil {
				trials, tried = append(trials, t), append(tried, list[i])
				f.sources = append(f.sources, vectorSource{list[i].command(), coverage.Vectors{Dir: dir, Cycles: t.Cycles}})
				for number := range t.Found {
					more = more || !seen[number]
					seen[number] = true
				}
			}
			phase.Set(i+1, len(list))
		}
		phase.End()
		if round > 0 && !more {
			break
		}
	}
	var chosen []*mutate.Trial
	for _, i := range mutate.Choose(trials) {
		chosen = append(chosen, trials[i])
		f.added = append(f.added, addedVectors{Command: tried[i].command(), Cycles: f.outcome.time(router.Cycle(trials[i].Cycles)), Mutants: []killed{}})
	}
	w.Add(chosen)
	return nil
}

// ofKinds are runs of all collectives, with messages of three lengths.
func (f *mutateFlags) ofKinds(cmd *cobra.Command) []candidate {
	var list []candidate
	for _, kind := range plan.Kinds() {
		for _, length := range []string{"1", "8", "33"} {
			list = append(list, candidate{kind.Name, append(f.sameChips(cmd), "--length", length, "--stress", "0")})
		}
	}
	return list
}

// randoms are random messages and longer stress phases of a round, with seeds of its own.
func (f *mutateFlags) randoms(cmd *cobra.Command, what string, round int) []candidate {
	var list []candidate
	hot := itoa(int(f.recorder.Hottest()))
	for i, row := range [inRound - 1][4]string{
		{"uniform", "0.5", "8", "120"}, {"hotspot:" + hot + "@0.6", "1", "20", "120"}, {"uniform", "0.1", "3", "200"},
		{"hotspot:" + hot + "@0.3", "0.3", "2", "400"}, {"uniform", "1", "64", "60"},
	} {
		seed := itoa(round*inRound + i)
		list = append(list, candidate{randomMessages, append(f.sameChips(cmd), "--pattern", row[0], "--rate", row[1], "--length", row[2], "--number", row[3], "--seed", seed, "--stress", "0")})
	}
	own := machineWords(cmd)
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if group := groupOf(flag); group == groupJob && flag.Name != "stress" && flag.Name != "seed" || group == groupAlgorithm || group == groupFirmware {
			own = append(own, "--"+flag.Name+"="+flag.Value.String())
		}
	})
	return append(list, candidate{what, append(own, "--seed", itoa(round*inRound+inRound), "--stress", itoa(1000*round))})
}

// machineWords are the flags of the machine as they were given.
func machineWords(cmd *cobra.Command) []string {
	var words []string
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		if groupOf(flag) != groupMachine {
			return
		}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			for _, value := range list.GetSlice() {
				words = append(words, "--"+flag.Name, value)
			}
			return
		}
		words = append(words, "--"+flag.Name, flag.Value.String())
	})
	return words
}

// sameChips are the flags of the machine with the routing that the run has chosen.
func (f *mutateFlags) sameChips(cmd *cobra.Command) []string {
	words := machineWords(cmd)
	if f.outcome.machine.Routing == machine.Source && !slices.Contains(words, "--routing") {
		words = append(words, "--routing", string(machine.Source))
	}
	return words
}

// try runs a candidate in the model, and the mutants under its vectors. It returns nil if the machine or the chips do not
// have such a run.
func (f *mutateFlags) try(cmd *cobra.Command, w *mutate.Work, c *candidate, dir string) (*mutate.Trial, error) {
	var job jobFlags
	var stress stressFlag
	other := &cobra.Command{Use: cmd.Use}
	other.SetContext(cmd.Context())
	job.add(other, 0)
	stress.add(other)
	if err := other.ParseFlags(c.flags); err != nil {
		return nil, err
	}
	o, recorder, err := recorded(other, &job, &emulatorFlags{}, c.what)
	if cmd.Context().Err() != nil {
		return nil, cmd.Context().Err()
	}
	if err != nil || !o.delivered {
		return nil, nil // such as an algorithm that the topology does not have
	}
	if _, err := stress.stress(other, recorder, job.seed); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	fits, err := recorder.VectorsFor(f.recorder, dir)
	if err != nil || !fits {
		return nil, err
	}
	return w.Try(cmd.Context(), dir, int(recorder.Cycles()))
}

// printAdded prints the vectors that were added, and what each of them kills.
func printAdded(out io.Writer, added []addedVectors) error {
	if len(added) == 0 {
		return nil
	}
	var list [][]string
	for i, v := range added {
		for k := range v.Mutants {
			list = append(list, append(v.Mutants[k].Mutant.cells(), itoa(i+1), v.Mutants[k].Cycle.String()))
		}
	}
	rows := make([][]string, len(added))
	for i, v := range added {
		rows[i] = []string{itoa(i + 1), v.Cycles.String(), itoa(v.Killed), v.Command}
	}
	if err := printRows(out, "vectors that were added", []string{"vectors", "cycles", "killed", "command"}, rows); err != nil {
		return err
	}
	return printRows(out, "mutants that added vectors kill", []string{"mutant", "fault", "bit", "place", "vectors", "cycle"}, list)
}
