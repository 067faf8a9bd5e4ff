// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/soak"
	"meshwright/schedule"
)

// flitsBetween counts the flits and the messages between all pairs of nodes of a schedule.
func flitsBetween(t *testing.T, file string) (flits map[string]int, messages int) {
	t.Helper()
	s, err := schedule.Read(file)
	require.NoError(t, err)
	flits = map[string]int{}
	for _, r := range s.Rows {
		flits[fmt.Sprint(r.Source, ">", r.Destination)] += r.Flits
	}
	return flits, len(s.Rows)
}

// A collective that is written as XML and read again does what it promises, with the same flits between the same
// nodes, in the same messages unless a message has chunks that do not stand together.
func TestCollectivesAsXML(t *testing.T) {
	chunks := regexp.MustCompile(`, chunks of (\d+) flit`)
	for _, row := range soak.Some(3, []struct {
		run, on string
		pieces  bool // of a named algorithm: some messages have chunks that do not stand together
	}{
		{"gossip -a circgos --length 6", "-t ring:5", false},
		{"gossip -a strides --length 8", "-t torus:4x4", true},
		{"allreduce -a swing --length 64", "-t ring:8", false},
		{"exchange --length 3", "-t ring:5", false},
		{"gossip -a greedy --length 4", "-t mesh:4x4 -m bufferless", false},
		{"allreduce --length 24", "-t mesh:4x4", false},
		{"reduce-scatter --length 64", "-t ring:8", false},
		{"broadcast --length 32 --root 3", "-t mesh:4x4", false},
		{"exchange --length 1", "-t torus:4x4 -m bufferless --ports all", false},
		{"reduce --length 32 --root 5", "-t mesh:4x4", false},
		{"exchange --length 4 --startup 30", "-t hypercube:4", false},
		{"allreduce --length 24", "-t star:4", false},
		{"gossip --length 4", "-t debruijn:4", false},
		{"reduce-scatter --length 32", "-t hypercube:3", true},
	}) {
		t.Run(row.run+" "+row.on, func(t *testing.T) {
			dir := t.TempDir()
			got := meshwright(t, dir, strings.Fields("run "+row.run+" "+row.on+" --xml a.xml --schedule first.csv")...)
			require.Zero(t, got.code, got.stderr)
			text, err := os.ReadFile(filepath.Join(dir, "a.xml"))
			require.NoError(t, err)
			flits := chunks.FindSubmatch(text)
			require.NotNil(t, flits)
			again := "import a.xml " + row.on + " --length " + string(flits[1]) + " --schedule second.csv"
			if _, root, ok := strings.Cut(row.run, "--root "); ok {
				again += " --root " + root
			}
			got = meshwright(t, dir, strings.Fields(again)...)
			require.Zero(t, got.code, got.stderr+got.stdout)
			require.Contains(t, got.stdout, "every word compared")
			first, messages := flitsBetween(t, filepath.Join(dir, "first.csv"))
			second, pieces := flitsBetween(t, filepath.Join(dir, "second.csv"))
			require.Equal(t, first, second)
			switch {
			case !strings.Contains(row.run, " -a "): // whatever is the fastest
				require.GreaterOrEqual(t, pieces, messages)
			case row.pieces:
				require.Greater(t, pieces, messages)
			default:
				require.Equal(t, messages, pieces)
			}
		})
	}
}

// An imported algorithm is written as it was read.
func TestImportedAlgorithmAsXML(t *testing.T) {
	dir := t.TempDir()
	file, err := filepath.Abs("../examples/imports/hierarchical-allreduce-16.xml")
	require.NoError(t, err)
	require.Zero(t, meshwright(t, dir, "import", file, "-t", "mesh:4x4", "--xml", "again.xml").code)
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	got, err := os.ReadFile(filepath.Join(dir, "again.xml"))
	require.NoError(t, err)
	require.Equal(t, string(want), string(got))
}
