// SPDX-License-Identifier: Apache-2.0

package mutate_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/internal/soak"
	"meshwright/rtl"
	"meshwright/rtl/mutate"
	"meshwright/rtl/tool"
)

var (
	mutants = flag.Int("mutants", soak.Number(16, 24), "mutants of the chip")
	icarus  = flag.Int("icarus", 3, "mutants of each state that Icarus Verilog runs, too")
	network = flag.String("network", "", "the network whose middle chip is mutated (default: small ones)")
	least   = flag.Float64("least", 0, "the lowest score that will do")
)

// export writes a scatter with a stress phase, and returns the folder, the design and the cycles of its vectors. With faults its buffers have a code.
func export(t *testing.T, topo *topology.Topology, faults ...string) (string, *rtl.Design, int) {
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	require.NoError(t, m.Set("width", "8"))
	require.NoError(t, m.Set("nic.channels", "1"))
	if len(faults) > 0 {
		require.NoError(t, m.Set("buffer.code", "secded"))
		require.NoError(t, m.Set("nic.channels", "links")) // whose heads proofs know more of
		m.Faults, err = fault.Parse(faults, 1)
		require.NoError(t, err)
	}
	lengths := make([]int, topo.Nodes())
	for n := range lengths {
		lengths[n] = min(n, 1) * 4
	}
	plan, err := collective.Generate(t.Context(), "scatter", "furthest-first", collective.Job{Topology: topo, Machine: m, Lengths: lengths})
	require.NoError(t, err)
	var recorder *rtl.Recorder
	_, err = collective.Execute(t.Context(), plan, func(n *fabric.Network) error {
		recorder = rtl.NewRecorder(n)
		return nil
	})
	require.NoError(t, err)
	_, err = recorder.Stress(t.Context(), rtl.DefaultStress, 1)
	require.NoError(t, err)
	dir := filepath.Join(t.TempDir(), "export")
	d, err := recorder.Export(dir)
	require.NoError(t, err)
	return dir, d, int(recorder.Cycles())
}

// Every mutant gets a state, a proof never speaks for a mutant that the bench finds, and the states are found again. The chips of
// a path of two have ports without links.
func TestMutantsAreJudged(t *testing.T) {
	networks := soak.Some(2, []string{"path:3", "path:2"})
	if *network != "" {
		networks = []string{*network}
	}
	for _, name := range networks {
		t.Run(name, func(t *testing.T) {
			topo, err := topology.Parse(name)
			require.NoError(t, err)
			judge(t, topo)
		})
	}
}

// The same where buffers have upsets, which the counters of chips count, and where links lose and change flits, without a stress phase.
func TestMutantsAreJudgedAmongFaults(t *testing.T) {
	topo, err := topology.Parse("path:2")
	require.NoError(t, err)
	for _, faults := range soak.Some(2, [][]string{{"upset:0.3", "upset:0.1,2"}, {"drop:1"}, {"drop:0.1", "corrupt:0.3,2", "upset:0.2"}}) {
		t.Run(faults[0], func(t *testing.T) { judge(t, topo, faults...) })
	}
}

func judge(t *testing.T, topo *topology.Topology, faults ...string) {
	dir, design, cycles := export(t, topo, faults...)
	opt := mutate.Options{Mutants: *mutants, Seed: 1, Node: rtl.Middle(topo), Design: design, Cycles: cycles}
	w, err := mutate.New(t.Context(), dir, opt)
	require.NoError(t, err)
	require.Len(t, w.Mutants, *mutants)
	require.NoError(t, w.Simulate(t.Context()))
	killed := w.Count(mutate.Killed)
	if len(faults) == 0 {
		require.Greater(t, killed, *mutants/3)
	}
	require.NoError(t, w.Prove(t.Context()))
	require.Equal(t, killed, w.Count(mutate.Killed))
	require.Equal(t, *mutants, killed+w.Count(mutate.Survived)+w.Count(mutate.Equivalent))
	for _, m := range w.Mutants {
		require.NotEmpty(t, m.Source, "mutant %d", m.Number)
		if m.State == mutate.Survived {
			t.Logf("survived: %+v", *m)
		}
	}
	t.Logf("%d killed, %d equivalent, score %.3f", killed, w.Count(mutate.Equivalent), w.Score())
	require.GreaterOrEqual(t, w.Score(), *least)
	requireIcarusAgrees(t, dir, w)
	requireTrialsAgree(t, dir, w, cycles)
	requireProofsSeeDifferences(t, w)
}

// requireTrialsAgree tries the vectors once more: they kill the same mutants in the same cycles, and no others.
func requireTrialsAgree(t *testing.T, dir string, w *mutate.Work, cycles int) {
	none, err := w.Try(t.Context(), dir, cycles)
	require.NoError(t, err)
	require.Empty(t, none.Found)
	want := map[int]int{}
	before := make([]mutate.Mutant, len(w.Mutants))
	for i, m := range w.Mutants {
		if before[i] = *m; m.State == mutate.Killed {
			want[m.Number] = m.Cycle
			m.State = mutate.Survived
		}
	}
	all, err := w.Try(t.Context(), dir, cycles)
	require.NoError(t, err)
	require.Equal(t, want, all.Found)
	w.Add([]*mutate.Trial{none, all})
	for i, m := range w.Mutants {
		if before[i].State == mutate.Killed {
			before[i].By = 2
		}
		require.Equal(t, before[i], *m)
	}
}

// Vectors that find most in the fewest cycles come first, and none that others make superfluous stay.
func TestVectorsAreChosen(t *testing.T) {
	trial := func(cycles int, numbers ...int) *mutate.Trial {
		found := map[int]int{}
		for _, n := range numbers {
			found[n] = 0
		}
		return &mutate.Trial{Cycles: cycles, Found: found}
	}
	for name, row := range map[string]struct {
		trials []*mutate.Trial
		want   []int
	}{
		"none":           {nil, nil},
		"nothing found":  {[]*mutate.Trial{trial(10)}, nil},
		"fewest cycles":  {[]*mutate.Trial{trial(100, 1, 2), trial(10, 1, 2)}, []int{1}},
		"most for them":  {[]*mutate.Trial{trial(100, 1, 2), trial(10, 3)}, []int{1, 0}},
		"first of equal": {[]*mutate.Trial{trial(10, 1), trial(10, 1)}, []int{0}},
		"superfluous":    {[]*mutate.Trial{trial(10, 1, 2), trial(20, 1, 3), trial(20, 2, 4)}, []int{1, 2}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, row.want, mutate.Choose(row.trials)) })
	}
}

// selector gives the number of the active mutant to the design.
const selector = "module mutant_select (output reg [15:0] mutant_o);\n  initial if (!$value$plusargs(\"mutant=%d\", mutant_o)) mutant_o = 16'd0;\nendmodule\n"

// In lanes registers start at zero, and what may be anything is zero.
var (
	register = regexp.MustCompile(`(?m)^( *reg (?:\[\d+:\d+\] )?(?:\\\S+|\w+)) ?;$`)
	anything = regexp.MustCompile(`('h|'b)x+\b`)
)

// requireIcarusAgrees runs the exported bench on the netlist with all faults, in Icarus Verilog: the sound chip and the first
// mutants of each state.
func requireIcarusAgrees(t *testing.T, dir string, w *mutate.Work) {
	run := func(name string, args ...string) string {
		text, err := tool.Output(t.Context(), filepath.Join(dir, "none"), name, args...)
		if name != "vvp" {
			require.NoError(t, err, string(text))
		}
		return string(text)
	}
	bench, err := os.ReadFile(filepath.Join(dir, "bench.v"))
	require.NoError(t, err)
	with := strings.Replace(string(bench), "  top i_top (\n", "  wire [15:0] mutant;\n  mutant_select i_mutant_select (.mutant_o(mutant));\n  top i_top (\n    .mutant(mutant),\n", 1)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "build", "bench.v"), []byte(with+selector), 0o666))
	parts, err := filepath.Glob(filepath.Join(dir, "bench", "*.v"))
	require.NoError(t, err)
	mutated, err := os.ReadFile(filepath.Join(dir, "build", "mutants", "mutated.v"))
	require.NoError(t, err)
	require.Regexp(t, register, string(mutated))
	mutated = anything.ReplaceAll(register.ReplaceAll(mutated, []byte("$1 = 0;")), []byte("${1}0"))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "build", "mutated.v"), mutated, 0o666))
	run("iverilog", append([]string{"-g2005", "-DSYNTHESIS", "-o", "build/mutants.vvp", "-s", "bench", "-y", "lib", "build/bench.v", "build/mutated.v"}, parts...)...)
	require.Contains(t, run("vvp", "-n", "build/mutants.vvp"), "PASS ")
	seen := map[mutate.State]int{}
	for _, m := range w.Mutants {
		if seen[m.State]++; seen[m.State] > *icarus {
			continue
		}
		text := run("vvp", "-n", "build/mutants.vvp", "+mutant="+strconv.Itoa(m.Number))
		if strings.Contains(strings.ToLower(text), "x") {
			continue // a register without a value, which lanes do not know
		}
		if m.State == mutate.Killed && m.Cycle == 0 && strings.HasPrefix(text, "PASS ") {
			continue // a register that is not reset: in lanes it starts with any value, here with zero
		}
		require.Equal(t, m.State != mutate.Killed, strings.HasPrefix(text, "PASS "), "%+v: %s", *m, text)
		cycle := 0
		if n, _ := fmt.Sscanf(text, "FAIL cycle=%d ", &cycle); n == 1 {
			require.LessOrEqual(t, cycle, m.Cycle, "%+v: %s", *m, text) // registers without a value are found sooner
		}
	}
}

// requireProofsSeeDifferences wants no proof for mutants that the bench has killed.
func requireProofsSeeDifferences(t *testing.T, w *mutate.Work) {
	for _, m := range w.Mutants {
		if m.State == mutate.Killed {
			m.State = mutate.Survived
		} else {
			m.State = mutate.Killed
		}
	}
	require.NoError(t, w.Prove(t.Context()))
	for _, m := range w.Mutants {
		require.NotEqual(t, mutate.Equivalent, m.State, "killed in cycle %d: %+v", m.Cycle, *m)
	}
}
