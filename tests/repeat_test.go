// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
	"meshwright/internal/soak"
)

// The same command line writes the same bytes, whatever the number of
// processors, the directory and the time.
func TestSameInputSameBytes(t *testing.T) {
	for _, line := range []string{
		"run scatter -t mesh:5x4 --json --trace a.csv --trace a.pcapng --trace a.html --trace a.pftrace --trace a.svg --table t.csv --schedule s.csv --listing l",
		"run gather -t path:7 -m bufferless --json --trace a.csv --trace a.pcapng --trace a.html --trace a.pftrace --trace a.svg --table t.csv --schedule s.csv --listing l",
		"run gossip -t torus:4x3x2 -l 3 --seed 5 --json --trace a.csv --trace a.pcapng --trace a.html --trace a.pftrace --trace a.svg --table t.csv --schedule s.csv",
		"run gossip -t hypercube:2 -m paragon --trace a.svg",
		"run gather -t graph:g.csv --buffer 1 --trace a.csv --trace a.svg",
		"run gather -t random-tree:30,4 -m bufferless -a certification-tight --json --trace a.csv --trace a.svg --table t.csv --schedule s.csv --listing l",
		"run scatter -t debruijn:4 --ports all -a edge-disjoint -l 5 --json --trace a.csv --schedule s.csv",
		"run scatter -t recursive-tree:20,3 -m store-forward --setup 5/3 -l 3 -a search --json --trace a.csv --trace a.pcapng --schedule s.csv",
		"run gather -t random:12,3 -m store-forward --setup 3/2 -l 4 --packets best --json --trace a.csv --trace a.svg --table t.csv",
		"plan covers -t random:16,4,9 -l 3 --json",
		"plan order -t random-tree:40 --setup 5/2 --steps 2000 --json",
		"plan distance --cases 3 --json",
		"run p.csv -t path:4 --json --trace a.csv --trace a.svg --table t.csv",
		"check p.csv -t path:4 --json",
		"export chip gossip -t torus:3x3 -l 2",
		"export chip gather -t binary:2 -l 2 -m store-forward --setup 3/2 -a certification-ii",
		"export chip p.csv -t path:4 -m bufferless --ports all",
		"list",
		"run --help",
	} {
		t.Run(line, func(t *testing.T) {
			var first spoken
			var files map[string]string
			for i, cores := range soak.Some(3, []string{"1", "1", "2", "8"}) {
				dir := t.TempDir()
				require.NoError(t, os.WriteFile(dir+"/g.csv", []byte("0,1\n1,2\n2,3\n3,0\n0,2\n"), 0o644))
				require.NoError(t, os.WriteFile(dir+"/p.csv", []byte("0,0,3,4,0\n1,3,0,4,0\n2,1,3,2,1\n"), 0o644))
				cmd := proctest.Command(t, binary, strings.Fields(line)...)
				cmd.Dir = dir
				cmd.Env = append(os.Environ(), "GOMAXPROCS="+cores)
				got := speak(t, cmd)
				require.Equal(t, saidBeside[line], got.stderr)
				require.LessOrEqual(t, got.code, exitFailed)
				if i == 0 {
					first, files = got, snapshot(t, dir)
					continue
				}
				require.Equal(t, first, got)
				require.Equal(t, files, snapshot(t, dir))
			}
		})
	}
}

// saidBeside is what lines print on standard error; the others print nothing there.
var saidBeside = map[string]string{
	"export chip p.csv -t path:4 -m bufferless --ports all": "meshwright: the run collides in cycle 1: the bench compares which chips lose flits\n",
}

// The seed changes what is carried, and nothing else.
func TestSeedChangesOnlyThePayload(t *testing.T) {
	seeds := []string{"1", "2"}
	var traces, outputs [2]string
	for i, seed := range seeds {
		dir := t.TempDir()
		got := meshwright(t, dir, "run", "gossip", "-t", "ring:5", "--seed", seed, "--json", "--trace", "a.csv")
		require.Equal(t, 0, got.code, got.stderr)
		traces[i], outputs[i] = snapshot(t, dir)["a.csv"], got.stdout
	}
	require.Contains(t, outputs[1], `"seed": 2,`)
	require.Equal(t, outputs[0], strings.Replace(outputs[1], `"seed": 2,`, `"seed": 1,`, 1))
	require.NotEqual(t, traces[0], traces[1])
	require.Equal(t, withoutValues(traces[0]), withoutValues(traces[1]))
}

// withoutValues cuts the last column off a trace.
func withoutValues(trace string) []string {
	var rows []string
	for row := range strings.Lines(trace) {
		columns := strings.Split(row, ",")
		rows = append(rows, strings.Join(slices.Delete(columns, len(columns)-2, len(columns)-1), ",")) // value stands before kind
	}
	return rows
}

// exitFailed is the exit code of a check that failed.
const exitFailed = 1
