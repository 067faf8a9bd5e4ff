// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/soak"
)

// runIn runs a command line and returns its exit code, what it printed, and the files that it wrote
// into a new folder, which is OUT in the command line.
func runIn(t *testing.T, line string) (code int, printed string, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	var out, stderr bytes.Buffer
	code = execute(t.Context(), strings.Fields(strings.ReplaceAll(line, "OUT", dir)), &out, &stderr)
	files = map[string]string{}
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	require.NoError(t, err)
	for _, name := range names {
		content, err := os.ReadFile(name)
		require.NoError(t, err)
		files[filepath.Base(name)] = string(content)
	}
	return code, out.String() + strings.ReplaceAll(stderr.String(), dir, "OUT"), files
}

// views are all files that a run can write.
const (
	views1 = " --json --trace OUT/x.csv --trace OUT/x.pcapng --trace OUT/x.svg --table OUT/t.csv --messages OUT/m.csv --schedule OUT/s.csv --listing OUT/l.s"
	views3 = " --json --out OUT/c.csv --per-node OUT/n.csv --per-pair OUT/p.csv --histogram OUT/h.csv --per-link OUT/k.csv --activity OUT/a.csv"
	views2 = " --json --trace OUT/x.csv --trace OUT/x.svg --table OUT/t.csv --messages OUT/m.csv --schedule OUT/s.csv"
)

// checkpointed are jobs of all kinds, each with the cycles between two checkpoints.
var checkpointed = []struct{ every, line string }{
	{"20", "run gossip --topology mesh:3x3" + views1},
	{"100", "run scatter --topology mesh:4x4 --vcs 2 --startup 7 --set trees=1" + views1},
	{"7", "run gather --topology path:6 --machine bufferless --algorithm shoulder-tap --lengths 2,3,0,2,1" + views1},
	{"30", "run exchange --topology torus:4x4 --machine paragon --length 3" + views1},
	{"15", "run scatter --topology binary:3 --machine store-forward --setup 3/2 --packets 2" + views1},
	{"6", "run broadcast --topology ring:6 --length 20 --from 10 --until 30 --nodes 1-3" + views1},
	{"11", "run broadcast --topology star:4 --machine store-forward --ports all --copies 3 --faults drop:0.02 --seed 3" + views1},
	{"25", "run exchange --topology mesh:3x3 --faults corrupt:0.01 --faults upset:0.02 --buffer.code secded" + views1},
	{"40", "run gather --topology random-tree:30 --machine bufferless --algorithm certification-tight" + views1},
	{"9", "run ../../examples/firmware/pingpong.s --topology mesh:4x4 --dump OUT/d.csv" + views1},
	{"3", "run --firmware ../../examples/firmware/ringsum.s --topology ring:4 --memory-image ../../examples/firmware/seven.mem --expect ../../examples/firmware/sum-of-4.mem" + views1},
	{"13", "run SCHEDULE --topology mesh:3x3" + views2},
	{"700", "traffic --topology mesh:4x4 --rate 0.2 --cycles 2000" + views3},
	{"333", "traffic --topology torus:4x4 --rate 0.3 --cycles 1000 --warmup 500 --burst 20 --reply 2 --flits 1@0.6,8@0.4 --pattern hotspot:3@0.2 --seed 4" + views3},
	{"170", "traffic --topology mesh:4x4 --machine store-forward --setup 3/2 --rate 0.05 --cycles 300 --warmup 100 --pattern transpose" + views3},
	{"9", "traffic --topology mesh:3x3 --pattern trace:TRACE --faults drop:0.1" + views3},
	{"13", "run SCHEDULE --topology mesh:3x3 --machine store-forward" + views2},
}

// withoutViews leaves out the files that look at flits, so that messages that do not meet
// advance as wholes.
func withoutViews(line string) string {
	for _, view := range []string{" --trace OUT/x.csv", " --trace OUT/x.pcapng", " --trace OUT/x.svg", " --table OUT/t.csv", " --from 10 --until 30 --nodes 1-3"} {
		line = strings.ReplaceAll(line, view, "")
	}
	return line
}

// A run that is restored from a checkpoint prints and writes the same bytes as the run that
// was not interrupted, and so does a run that writes checkpoints.
func TestRestoredRunsWriteTheSameBytes(t *testing.T) {
	schedule := filepath.Join(t.TempDir(), "schedule.csv")
	require.NoError(t, os.WriteFile(schedule, []byte("message,source,destination,flits,dispatch\n0,0,8,9,0\n1,8,0,9,3\n2,2,6,20,10\n3,1,7,8,10\n4,0,2,9,30\n"), 0o600))
	trace := filepath.Join(t.TempDir(), "trace.csv")
	require.NoError(t, os.WriteFile(trace, []byte("cycle,source,destination,flits\n0,0,8,9\n3,8,0,9\n3,1,2,4\n10,3,4,5\n60,4,3,7\n"), 0o600))
	for _, row := range soak.Some(2, checkpointed) {
		t.Run(row.line[:strings.Index(row.line, " --json")], func(t *testing.T) {
			line := strings.NewReplacer("SCHEDULE", schedule, "TRACE", trace).Replace(row.line)
			for _, line := range slices.Compact([]string{line, withoutViews(line)}) {
				file := filepath.Join(t.TempDir(), "state")
				code, printed, files := runIn(t, line)
				require.NotEmpty(t, files, printed)
				code2, printed2, files2 := runIn(t, line+" --every "+row.every+" --checkpoint "+file)
				require.Equal(t, printed, printed2)
				require.Equal(t, files, files2)
				require.FileExists(t, file)
				code3, printed3, files3 := runIn(t, line+" --restore "+file)
				require.Equal(t, printed, printed3)
				require.Equal(t, files, files3)
				require.Equal(t, [2]int{code, code}, [2]int{code2, code3})
			}
		})
	}
}

// A place where no checkpoint can be written is found before the run, and nothing is left where one can.
func TestCheckpointsAreTriedFirst(t *testing.T) {
	const job = "run scatter --topology path:4 --checkpoint "
	code, printed, _ := runIn(t, job+"/proc/checkpoint")
	require.Equal(t, 2, code)
	require.Regexp(t, `^meshwright: /proc/checkpoint: .*\n$`, printed)
	code, _, files := runIn(t, job+"OUT/checkpoint")
	require.Zero(t, code)
	require.Empty(t, files)
}
