// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
	"meshwright/internal/soak"
)

// figures are the papers' tables and the command lines that repeat them.
var figures = []struct{ file, args string }{
	{"fig1a.csv", "scatter --algorithm furthest-first --lengths 0,0,0,4,3"},
	{"fig1b.csv", "scatter --algorithm furthest-first --lengths 0,0,0,4,3 --order 4,5"},
	{"fig2.csv", "gather --algorithm shoulder-tap --lengths 2,3,0,2,1"},
	{"fig3.csv", "gather --algorithm shoulder-tap --lengths 9,0,1,0,1"},
	{"fig4.csv", "gather --algorithm certification --lengths 2,3,0,2,1"},
}

// The table of flits at nodes, told by the model and by the Verilog in each
// simulator, is the paper's, cell for cell; checker, model and bench agree on
// time and flits.
func TestThreeWitnesses(t *testing.T) {
	witnesses := []struct{ name, args, tool, packages string }{
		{"model", "run", "", ""},
		{"icarus", "cosim --simulator icarus", "iverilog", "iverilog make"},
		{"verilator", "cosim --simulator verilator", "verilator", "verilator g++ make"},
	}
	for i, figure := range figures {
		for _, w := range witnesses {
			if w.name == "verilator" && i > 0 && !soak.On() {
				continue // a build takes longer than all else
			}
			t.Run(strings.TrimSuffix(figure.file, ".csv")+"/"+w.name, func(t *testing.T) {
				t.Parallel()
				if w.tool != "" {
					need(t, w.tool, w.packages)
				}
				dir := t.TempDir()
				line := w.args + " " + figure.args + " --topology path:6 --machine bufferless --json --table told.csv"
				got := meshwright(t, dir, strings.Fields(line)...)
				require.Equal(t, 0, got.code, "%s%s", got.stdout, got.stderr)
				require.Empty(t, got.stderr)
				requireSameCells(t, filepath.Join("testdata/golden", figure.file), filepath.Join(dir, "told.csv"))
				if w.name != "model" {
					requireWitnesses(t, got.stdout, "checker", "model", w.name)
				}
			})
		}
	}
}

// requireSameCells compares two tables cell by cell, so that a difference
// names its row and column, and then byte by byte.
func requireSameCells(t *testing.T, want, got string) {
	t.Helper()
	wantRows, gotRows := readTable(t, want), readTable(t, got)
	require.Greater(t, len(wantRows), 2)
	for i := range min(len(wantRows), len(gotRows)) {
		require.Len(t, gotRows[i], len(wantRows[i]), "row %d", i)
		for j := range wantRows[i] {
			require.Equal(t, wantRows[i][j], gotRows[i][j], "step %s, %s", wantRows[i][0], wantRows[0][j])
		}
	}
	require.Len(t, gotRows, len(wantRows))
	wantText, err := os.ReadFile(want)
	require.NoError(t, err)
	gotText, err := os.ReadFile(got)
	require.NoError(t, err)
	require.Equal(t, string(wantText), string(gotText))
}

func readTable(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	return rows
}

// requireWitnesses demands these witnesses, content and of one opinion.
func requireWitnesses(t *testing.T, text string, names ...string) {
	t.Helper()
	var told struct {
		OK        bool
		Witnesses []struct {
			Name   string
			OK     bool
			Cycles json.Number // packets may take parts of a cycle
			Flits  int64
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &told))
	require.True(t, told.OK)
	require.Len(t, told.Witnesses, len(names))
	for i, w := range told.Witnesses {
		require.Equal(t, names[i], w.Name)
		require.True(t, w.OK, w.Name)
		require.Equal(t, told.Witnesses[0].Cycles, w.Cycles, w.Name)
		require.Equal(t, told.Witnesses[0].Flits, w.Flits, w.Name)
	}
}

// Machines; a set-up of stored ends within a cycle.
const (
	onePort = " --machine bufferless"
	allPort = " --machine bufferless --ports all --nic.channels links"
	stored  = " --machine store-forward --setup 3/2"
	through = stored + " --switching cut-through"
	duplex  = " --machine paragon --startup 30 --sync"
	around  = " --faults random:1,nodes --faults random:1,links --faults seed:3 --faults known"
)

// repeated are runs of every algorithm, on the machine that it is for, that the
// Verilog repeats.
var repeated = []string{
	"scatter --algorithm auto --topology mesh:3x3 --length 4" + allPort,
	"scatter --algorithm auto --topology path:4 --length 6" + stored,
	"gather --algorithm auto --topology torus:3x3 --length 3" + allPort,
	"gather --algorithm shoulder-tap --topology path:5 --root 2 --lengths 1,0,3,2" + onePort,
	"gather --algorithm certification --topology binary:2 --length 3" + onePort,
	"gather --algorithm certification --topology random:7,3 --tree balanced --length 2 --machine wormhole",
	"gather --algorithm certification-tight --topology recursive-tree:8,3 --lengths 1,0,2,3,0,1,4" + onePort,
	"gather --algorithm certification-tight --topology complete:6 --tree least-broadcast --length 2" + onePort,
	"gather --algorithm certification-parallel --topology comb:3x2 --length 2" + allPort,
	"gather --algorithm certification-ii --topology binary:2 --length 4 --packets 2" + stored,
	"scatter --algorithm edge-disjoint --topology torus:3x3 --length 3" + allPort,
	"gather --algorithm edge-disjoint --topology debruijn:3 --length 3" + allPort,
	"scatter --algorithm shared-edges --topology hypercube:3 --length 3" + allPort,
	"gather --algorithm shared-edges --topology mesh:3x3 --length 3" + allPort,
	"scatter --algorithm search --topology random-tree:8,2 --length 3" + stored,
	"gather --algorithm search --topology random-tree:8,2 --length 3" + stored,
	"scatter --algorithm furthest-first --topology binary:2 --lengths 1,2,3,4,5,6 --packets 1,2,1,3,2+3,6" + stored,
	"gather --algorithm nearest-first --topology binary:2 --lengths 1,2,3,4,5,6 --packets 1,2,1,3,2+3,6" + stored,
	"scatter --algorithm furthest-first --topology hub:6 --length 4 --packets best" + through,
	"gather --algorithm nearest-first --topology mesh:3x2 --length 4 --packets 2" + through,
	"gossip --algorithm approach2 --topology ring:5 --length 2" + stored,
	"gossip --algorithm highdimgos --topology mesh:3x2 --length 2" + through,
	"gossip --algorithm approach1 --topology path:5 --length 2" + allPort,
	"gossip --algorithm circgos --topology ring:9 --length 2 --startup 5" + allPort,
	"gossip --algorithm torgos --topology torus:3x3 --length 2 --startup 5" + allPort,
	"gossip --algorithm cubgos --topology torus:3x2x2 --length 1 --startup 5" + allPort,
	"gossip --algorithm strides --topology ring:9 --length 2 --startup 5" + allPort,
	"gossip --algorithm strides --topology torus:3x4 --length 3 --startup 4" + allPort,
	"gossip --algorithm crosses --topology torus:3x4 --length 2 --startup 5" + allPort,
	"gossip --algorithm auto --topology mesh:3x3 --length 2 --startup 5" + allPort,
	"scatter --algorithm combining --topology path:6 --length 3 --startup 5" + onePort,
	"broadcast --algorithm auto --topology binary:2 --length 9" + onePort,
	"broadcast --algorithm tree --topology random:7,3 --length 5" + onePort,
	"broadcast --algorithm pipelined --topology mesh:3x2 --length 9 --parts 3" + allPort,
	"broadcast --algorithm doubling --topology torus:3x2 --length 5 --machine wormhole --startup 9",
	"broadcast --algorithm edge-disjoint --topology hypercube:3 --length 12" + allPort,
	"broadcast --algorithm scatter-gossip --topology torus:3x3 --length 18 --startup 5" + allPort,
	"gossip --algorithm dissemination --topology hub:5 --length 2 --startup 3" + onePort,
	"gossip --algorithm greedy --topology binary:2 --length 3 --startup 2" + onePort,
	"gossip --algorithm greedy --topology mesh:3x2 --length 2 --machine paragon --startup 30",
	"broadcast --algorithm greedy --topology torus:3x3 --length 4" + allPort,
	"broadcast --algorithm greedy --topology hub:5 --length 3 --nic.duplex half --hop 3 --buffer 2 --machine wormhole",
	"reduce --algorithm greedy --topology debruijn:3 --length 3 --startup 5" + onePort,
	"allreduce --algorithm greedy --topology mesh:3x2 --length 4 --nic.duplex half" + allPort,
	"reduce-scatter --algorithm greedy --topology binary:2 --length 8 --startup 3" + onePort,
	"broadcast --algorithm tree-search --topology comb:2x3 --length 6 --startup 3" + onePort,
	"reduce --algorithm tree-search --topology mesh:3x2 --length 4 --machine wormhole --startup 5 --hop 3 --buffer 2",
	"allreduce --algorithm staggered --topology mesh:3x2 --length 24 --parts 3 --startup 2" + allPort,
	"gossip --algorithm staggered --topology random:6,3,1 --length 4 --startup 2" + allPort,
	"reduce-scatter --algorithm staggered --topology torus:3x2 --length 14 --machine wormhole --startup 5 --nic.duplex half --hop 2 --buffer 2",
	"allreduce --algorithm multi-leader --topology mesh:3x2 --length 3 --startup 3" + onePort,
	"allreduce --algorithm translations --topology complete:5 --length 1 --startup 1 --hop 4" + onePort,
	"gossip --algorithm balanced-trees --topology torus:3x2 --length 4 --startup 1 --hop 3" + allPort,
	"reduce-scatter --algorithm balanced-trees --topology ring:5 --length 9 --machine wormhole --startup 5 --hop 2 --buffer 2",
	"allreduce --algorithm balanced-trees --topology hypercube:3 --length 16 --hop 2" + onePort,
	"gossip --algorithm rounds --topology mesh:3x2 --length 2 --startup 5" + allPort,
	"reduce-scatter --algorithm rounds --topology random:6,3,1 --length 8 --machine wormhole --startup 5 --nic.duplex half --hop 2 --buffer 2",
	"allreduce --algorithm rounds --topology random:6,3,1 --length 7 --startup 5 --hop 2" + allPort,
	"gossip --algorithm symmetric --topology mesh:3x2 --length 2 --startup 2" + onePort,
	"reduce-scatter --algorithm symmetric --topology hypercube:3 --length 8 --machine wormhole --startup 5 --nic.duplex half --hop 2 --buffer 2",
	"allreduce --algorithm symmetric --topology binary:2 --length 4 --startup 2" + allPort,
	"allreduce --algorithm tree-search --topology torus:3x2 --length 3 --nic.duplex half" + allPort,
	"broadcast --algorithm refined --topology binary:2 --length 4 --startup 1" + onePort,
	"reduce --algorithm refined --topology mesh:2x3 --length 8 --machine wormhole --startup 5 --hop 2 --buffer 4",
	"allreduce --algorithm refined --topology binary:2 --length 4 --startup 1 --flit 2" + onePort,
	"gossip --algorithm refined --topology path:4 --length 3 --startup 5" + onePort,
	"reduce-scatter --algorithm refined --topology ring:5 --length 3 --startup 5" + onePort,
	"allreduce --algorithm butterfly --topology path:5 --length 2 --startup 3" + onePort,
	"gossip --algorithm greedy --topology twisted-torus:2x4 --length 2" + allPort,
	"allreduce --algorithm rerouted --topology twisted-torus:2x4 --length 3 --machine wormhole --ports all --nic.channels links" + around,
	"exchange --algorithm pairwise --topology twisted-torus:2x3 --length 1 --machine wormhole --startup 3",
	"gossip --algorithm edst --topology star:3 --length 1 --copies 2" + allPort,
	"scatter --algorithm edst --topology hypercube:3 --length 2 --copies 3 --nic.channels links --ports all" + stored,
	"exchange --algorithm edst --topology mesh:3x2 --length 1 --copies 2 --machine wormhole --nic.channels links --ports all",
	"broadcast --algorithm edst --topology star:4 --length 6 --copies 2" + allPort,
	"broadcast --algorithm edst --topology hypercube:3 --length 6 --copies 3 --checksum sum --nic.channels links --ports all" + stored,
	"broadcast --algorithm edst --topology torus:3x3 --length 5 --copies 4 --machine wormhole --startup 3 --nic.channels links --ports all",
	"scatter --algorithm rerouted --topology torus:3x3 --length 2" + around + allPort,
	"gather --algorithm rerouted --topology mesh:3x3 --length 3" + around + allPort,
	"gossip --algorithm rerouted --topology torus:4x3 --length 1 --machine wormhole --ports all --nic.channels links" + around,
	"broadcast --algorithm rerouted --topology hypercube:3 --length 5" + around + allPort,
	"broadcast --algorithm edge-disjoint --topology torus:3x3 --length 5 --startup 2" + around + allPort,
	"allreduce --algorithm rerouted --topology star:3 --length 4" + around + allPort,
	"allreduce --algorithm rerouted --topology torus:3x3 --length 1 --machine wormhole --ports all --nic.channels links" + around,
	"reduce-scatter --algorithm rerouted --topology twisted-torus:3x3,1 --length 10 --machine wormhole --ports all --nic.channels links" + around,
	"exchange --algorithm rerouted --topology random:9,4 --length 1" + around + allPort,
	"reduce --algorithm auto --topology debruijn:3 --length 7" + onePort,
	"reduce --algorithm tree --topology hub:5 --length 4" + onePort,
	"reduce --algorithm pipelined --topology path:5 --length 9 --parts 4 --width 16" + allPort,
	"reduce --algorithm doubling --topology mesh:3x3 --length 4 --machine paragon --startup 20",
	"reduce --algorithm edge-disjoint --topology ring:5 --length 8" + allPort,
	"reduce --algorithm scatter-gossip --topology mesh:3x3 --length 18 --startup 5" + allPort,
	"allreduce --algorithm scatter-gossip --topology ring:6 --length 18" + onePort,
	"allreduce --algorithm auto --topology ring:6 --length 5" + onePort,
	"allreduce --algorithm tree --topology binary:2 --length 4" + onePort,
	"allreduce --algorithm pipelined --topology mesh:3x2 --length 8" + allPort,
	"allreduce --algorithm doubling --topology path:5 --length 4 --startup 7" + allPort,
	"allreduce --algorithm edge-disjoint --topology torus:3x3 --length 8 --machine wormhole",
	"allreduce --algorithm ring --topology ring:4 --length 16" + allPort,
	"allreduce --algorithm windows --topology ring:6 --length 24" + allPort,
	"allreduce --algorithm windows --topology torus:4x3 --length 4 --machine wormhole --startup 3",
	"allreduce --algorithm recursive-halving --topology path:6 --length 5" + onePort,
	"allreduce --algorithm recursive-doubling --topology path:5 --length 3 --startup 2" + onePort,
	"exchange --algorithm direct --topology debruijn:3 --length 2 --machine wormhole --routing updown",
	"gather --algorithm nearest-first --topology twisted-torus:3x3,1 --length 3 --machine wormhole --routing updown",
	"exchange --algorithm direct --topology torus:3x3 --length 2 --machine wormhole --routing updown",
	"gather --algorithm auto --topology mesh:3x3 --length 3 --routing updown" + onePort,
	"scatter --algorithm auto --topology torus:3x3 --length 3 --ports all --routing updown" + stored,
	"gather --algorithm auto --topology debruijn:3 --length 2 --routing updown" + through,
	"allreduce --algorithm swing --topology torus:4x2 --length 16" + allPort,
	"allreduce --algorithm bine --topology ring:8 --length 9 --machine wormhole",
	"allreduce --algorithm bucket --topology torus:3x3 --length 18" + allPort,
	"reduce-scatter --algorithm auto --topology mesh:3x2 --length 7" + onePort,
	"reduce-scatter --algorithm pairwise --topology hub:5 --length 6" + onePort,
	"reduce-scatter --algorithm recursive-halving --topology binary:2 --length 8 --machine wormhole",
	"reduce-scatter --algorithm swing --topology ring:8 --length 9" + allPort,
	"reduce-scatter --algorithm bine --topology mesh:3x2 --length 6" + onePort,
	"reduce-scatter --algorithm bucket --topology torus:3x2 --length 11" + allPort,
	"reduce-scatter --algorithm ring --topology mesh:3x2 --length 13" + onePort,
	"allreduce --algorithm ring --topology star:3 --length 13 --nic.duplex half" + onePort,
	"gossip --algorithm ring --topology mesh:2x3 --length 3" + allPort,
	"gossip --algorithm bucket --topology hypercube:3 --length 3 --nic.duplex half" + onePort,
	"reduce-scatter --algorithm reversed-all-gather --topology torus:3x3 --length 9" + allPort,
	"gossip --algorithm recursive-doubling --topology path:6 --length 2" + onePort,
	"gossip --algorithm swing --topology torus:4x2 --length 3" + allPort,
	"gossip --algorithm bine --topology ring:8 --length 1 --startup 4" + onePort,
	"gossip --algorithm bucket --topology torus:3x3 --length 5" + allPort,
	"broadcast --algorithm bine --topology torus:4x4 --root 5 --length 4" + allPort,
	"reduce --algorithm bine --topology path:7 --root 2 --length 4 --machine wormhole --startup 3",
	"exchange --algorithm pairwise --topology ring:5 --length 2" + onePort,
	"exchange --algorithm bruck --topology mesh:3x2 --length 2 --machine wormhole --startup 9",
	"exchange --algorithm shifts --topology hypercube:3 --length 3 --nic.duplex half --machine wormhole --startup 3 --hop 2 --buffer 2",
	"exchange --algorithm greedy --topology path:4 --length 1 --startup 9" + onePort,
	"exchange --algorithm timetable --topology torus:3x3 --length 1 --machine bufferless --ports all --routing source",
	"exchange --algorithm auto --topology ring:4 --length 2" + onePort,
	"exchange --algorithm direct --topology ring:5 --length 2" + onePort,
	"exchange --algorithm dimensions --topology mesh:3x2 --length 2" + allPort,
	"exchange --algorithm logarithmic --topology torus:3x3 --length 1 --startup 9" + allPort,
	"gossip --algorithm approach1 --start black-white --topology mesh:4x2 --length 3" + duplex,
	"gossip --algorithm circgos --topology mesh:3x3 --length 2" + duplex,
	"gossip --algorithm torgos --topology mesh:3x3 --length 2" + duplex,
	"gossip --algorithm vendor --topology mesh:3x2 --length 2" + duplex,
}

// Every algorithm takes the same time in the model and in Verilog, to the part
// of a cycle, with every link and buffer compared; the checker agrees, but for worms
// that wait, of which it knows nothing. Without a soak one algorithm of each collective runs, and every fourteenth.
// Phases of stress have tests of their own.
func TestAlgorithmsInVerilog(t *testing.T) {
	need(t, "iverilog", "iverilog make")
	for _, a := range collective.Table() {
		start := a.Collective + " --algorithm " + a.Name + " "
		if !slices.ContainsFunc(repeated, func(line string) bool { return strings.HasPrefix(line, start) }) {
			t.Errorf("no run repeats %s %s: add a line %q to the list repeated in tests/three_witnesses_test.go", a.Collective, a.Name, start+"--topology …")
		}
	}
	lines := repeated
	if !soak.On() {
		lines = firstOfEach(repeated, " --algorithm ")
		for _, line := range soak.Some(19, firstOfEach(repeated, " --topology ")) {
			if !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	for _, line := range lines {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			got := meshwright(t, t.TempDir(), strings.Fields("cosim --simulator icarus --stress 0 --json "+line)...)
			require.Equal(t, 0, got.code, "%s%s", got.stdout, got.stderr)
			require.Empty(t, got.stderr)
			if strings.Contains(line, "bufferless") || strings.Contains(line, stored) {
				requireWitnesses(t, got.stdout, "checker", "model", "icarus")
			} else {
				requireWitnesses(t, got.stdout, "model", "icarus")
			}
		})
	}
}

// firstOfEach returns the first of the lines that are alike up to a word.
func firstOfEach(lines []string, word string) []string {
	var first []string
	done := map[string]bool{}
	for _, line := range lines {
		start, _, _ := strings.Cut(line, word)
		if !done[start] {
			first = append(first, line)
		}
		done[start] = true
	}
	return first
}
