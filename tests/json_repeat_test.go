// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/soak"
)

// pageAt is the line in which watch says where its page is.
var pageAt = regexp.MustCompile(`(?m)^meshwright: watch at http://127\.0\.0\.1:\d+/\?token=\w+\n`)

// jsonLines are command lines with --json, at least one of every verb that has it.
var jsonLines = []string{
	"bench saturated-8x8 --cycles 1000 --json",
	"bench schedules scatter --jobs 1 --nodes 8 --json",
	"bench scoreboard te-ccl allreduce --side 4 --bytes 32 --json",
	"check crowd.csv -t ring:8 --json",
	"check crowd.csv -t ring:8 -m store-forward --json",
	"cosim scatter -t path:3 -m bufferless --lengths 1,2 --simulator icarus --json",
	"deadlock -t torus:4x4 --vcs 1 --json",
	"import examples/imports/ring-allreduce-8.xml -t ring:8 --length 16 --json",
	"import examples/imports/exchange-4x4.tdm --json",
	"import examples/imports/training-step.0.et -t mesh:2x2 --json",
	"import examples/imports/flows-path-3.json -t path:3 --json",
	"import examples/imports/one-sided-allreduce-3.json -t ring:3 --json",
	"import examples/imports/chip-trace.json --json",
	"list --json",
	"plan certification -t binary:2 -t comb:3x3 --json",
	"plan covers -t mesh:4x4 -t random:12,3 --json",
	"plan distance --cases 2 --nodes 12 --messages 6 --flits 9 --json",
	"plan timetables -t torus:3x3 --json",
	"plan timetables -t mesh:3x2 --search --json",
	"plan formulas -t torus:4x4 -l 16 --startup 10,1000 --json",
	"plan order -t path:5 --lengths 1,2,3,4 --setup 3/2 --json",
	"plan packets --flits 100 --distance 4 --setup 0 --json",
	"plan star --symbols 4 --json",
	"plan gossip -t path:4 -l 2 --keys none --effort 0.1 --json",
	"plan bound gossip -t mesh:3x3 -l 2 --json",
	"mutate scatter -t path:2 --width 8 --stress 10 --mutants 1 --json",
	"mutate exchange -t path:2 --width 8 --stress 0 --mutants 1 --buffer.code parity --faults upset:0.3 --json",
	"mutate scatter -t path:2 --width 8 --stress 0 --mutants 1 --coverage --json",
	"plan tolerance -t mesh:3x3 --sets 50 --json",
	"plan trees -t mesh:4x4 --json",
	"watch gossip -t ring:6 --json",
	"watch traffic -t ring:6 --rate 0.1 --cycles 500 --json",
	"run scatter -t binary:3 -m store-forward --setup 3/2 -a search --json",
	"run exchange -t mesh:2x2 -m bufferless --ports all -l 2 --json",
	"run crowd.csv -t ring:8 -m bufferless --json",
	"sweep faults broadcast -t star:4 -m store-forward --ports all -l 1 --copies 2 --count 3 --sets 100 --json",
	"sweep around scatter -t mesh:3x3 -m bufferless --ports all --nic.channels links --json",
	"report startup.db --json",
	"synth -t path:2 -m bufferless --width 8 --area --json",
	"synth -t path:2 -m bufferless --width 8 --unit fabric --target generic --json",
	"traffic -t mesh:4x4 --rate 0.1,0.2 --cycles 1000 --seeds 2 --json",
	"version --json",
}

// longLine is in lines that take a second or more, as others of the same verb do. They run in a soak.
var longLine = regexp.MustCompile(`--coverage|--buffer.code|--area`)

// measured matches the fields with times measured on this machine. Only bench has
// such fields.
var measured = regexp.MustCompile(`(?m)^ *"(seconds|cycles_per_second|router_cycles_per_second|flit_hops_per_second)": .*\n`)

// The JSON of a command depends on its arguments and files alone: two runs print the
// same bytes.
func TestJSONIsTheSameTwice(t *testing.T) {
	need(t, "iverilog", "iverilog make")
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	dir := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(root, "examples"), filepath.Join(dir, "examples")))
	crowd := "message,source,destination,flits,dispatch\n1,0,3,4,0\n2,0,3,4,0\n3,1,3,4,0\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "crowd.csv"), []byte(crowd), 0o644))
	swept := meshwright(t, dir, "sweep", "examples/studies/startup.yaml", "-P", "side=3")
	require.Zero(t, swept.code, swept.stderr)
	for _, h := range helps(t, dir) {
		verb := strings.TrimPrefix(h.path, "meshwright ")
		if h.flag("--json") {
			require.True(t, slices.ContainsFunc(jsonLines, func(line string) bool { return strings.HasPrefix(line, verb+" ") }), "no line with --json for %s", verb)
		}
	}
	for _, line := range jsonLines {
		if longLine.MatchString(line) && !soak.On() {
			continue
		}
		t.Run(strings.ReplaceAll(line, "/", "_"), func(t *testing.T) {
			first, again := meshwright(t, dir, strings.Fields(line)...), meshwright(t, dir, strings.Fields(line)...)
			require.Empty(t, pageAt.ReplaceAllString(first.stderr, ""))
			require.Equal(t, first.code, again.code)
			require.True(t, strings.HasPrefix(first.stdout, "{") || strings.HasPrefix(first.stdout, "["), first.stdout)
			if strings.HasPrefix(line, "bench ") {
				first.stdout, again.stdout = measured.ReplaceAllString(first.stdout, ""), measured.ReplaceAllString(again.stdout, "")
			}
			require.NotRegexp(t, measured, first.stdout)
			require.Equal(t, first.stdout, again.stdout)
		})
	}
}
