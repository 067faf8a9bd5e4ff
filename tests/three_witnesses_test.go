// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// figures are the papers' tables and the command lines that repeat them.
var figures = []struct{ file, args string }{
	{"fig1a.csv", "scatter --lengths 0,0,0,4,3"},
	{"fig1b.csv", "scatter --lengths 0,0,0,4,3 --order 4,5"},
	{"fig2.csv", "gather --lengths 2,3,0,2,1"},
	{"fig3.csv", "gather --lengths 9,0,1,0,1"},
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
	for _, figure := range figures {
		for _, w := range witnesses {
			t.Run(strings.TrimSuffix(figure.file, ".csv")+"/"+w.name, func(t *testing.T) {
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
			Name          string
			OK            bool
			Cycles, Flits int64
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
