// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/internal/soak"
)

// A study measures what the verbs print.
func TestStudiesMeasureWhatVerbsPrint(t *testing.T) {
	for _, row := range []struct {
		name, study string
		verb        []string
		path        []string // of the printed figures: the object that has them
	}{
		{
			"run", "set: {topology: 'mesh:4x3', collective: gather, length: 5, machine: store-forward, setup: 3/2, root: 5, seed: 7}\nmeasure: [chosen, cycles, lower_bound, lower_bound_by, ratio, quiet_cycles, messages, flits, max_buffer_flits, hottest_link.flits, hottest_link.busy_fraction]\n",
			[]string{"run", "gather", "-t", "mesh:4x3", "-l", "5", "-m", "store-forward", "--setup", "3/2", "--root", "5", "--seed", "7", "--json"}, nil,
		},
		{
			"traffic", "set: {topology: 'mesh:4x4', rate: 0.2, pattern: transpose, cycles: 1000, warmup: 300, seed: 3, buffer: 2}\nmeasure: [accepted, offered, fairness, packet_latency.mean, packet_latency.p99, network_latency.median, head_latency.max]\n",
			[]string{"traffic", "-t", "mesh:4x4", "--rate", "0.2", "-p", "transpose", "--cycles", "1000", "--warmup", "300", "--seed", "3", "--buffer", "2", "--json"}, []string{"points"},
		},
		{
			"requests and replies", "set: {topology: 'mesh:4x4', rate: 0.1, flits: 1, reply: 5, cycles: 1000, warmup: 300}\nmeasure: [request_latency.mean, reply_latency.p99, round_trip.mean, links.busy_max, links.busy_mean]\n",
			[]string{"traffic", "-t", "mesh:4x4", "--rate", "0.1", "--flits", "1", "--reply", "5", "--cycles", "1000", "--warmup", "300", "--json"}, []string{"points"},
		},
		{
			"too much traffic", "set: {topology: 'ring:8', rate: 0.9, cycles: 1000, warmup: 300}\nmeasure: [accepted, unstable_cause]\n",
			[]string{"traffic", "-t", "ring:8", "--rate", "0.9", "--cycles", "1000", "--warmup", "300", "--json"}, []string{"points"},
		},
		{
			"saturation", "set: {topology: 'ring:8', flits: 4, resolution: 0.05, latency-limit: 9, cycles: 1000, warmup: 300}\nmeasure: [saturation.highest_stable_rate, saturation.highest_accepted]\n",
			[]string{"traffic", "-t", "ring:8", "--flits", "4", "--saturation", "--resolution", "0.05", "--latency-limit", "9", "--cycles", "1000", "--warmup", "300", "--json"}, nil,
		},
		{
			"synth", "set: {topology: 'path:2', machine: bufferless}\nmeasure: [lut4, ff, bram]\n",
			[]string{"synth", "-t", "path:2", "-m", "bufferless", "--area", "--json"}, nil,
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(dir, "s.yaml"), []byte(row.study), 0o644))
			swept := meshwright(t, dir, "sweep", "s.yaml", "--out", "s.json")
			require.Zero(t, swept.code, swept.stdout+swept.stderr)
			text, err := os.ReadFile(filepath.Join(dir, "s.json"))
			require.NoError(t, err)
			var study struct {
				Measures []string
				Points   []map[string]any
			}
			require.NoError(t, json.Unmarshal(text, &study))
			require.Len(t, study.Points, 1)
			var printed any
			require.NoError(t, json.Unmarshal([]byte(meshwright(t, dir, row.verb...).stdout), &printed))
			for _, key := range row.path {
				printed = printed.(map[string]any)[key].([]any)[0]
			}
			for _, measure := range study.Measures {
				want, got := figure(t, printed, measure), study.Points[0][measure]
				if _, ok := want.(string); ok {
					require.Equal(t, want, got, measure)
					continue
				}
				require.InDelta(t, want, got, 1e-9, measure)
			}
		})
	}
}

// figure returns a.b of a JSON value. What auto chose is the algorithm that a run names.
func figure(t *testing.T, v any, path string) any {
	name, rest := path, ""
	if path == "chosen" {
		name = "algorithm"
	}
	for i := range path {
		if path[i] == '.' {
			name, rest = path[:i], path[i+1:]
			break
		}
	}
	v = v.(map[string]any)[name]
	require.NotNil(t, v, path)
	if rest != "" {
		return figure(t, v, rest)
	}
	return v
}

// What is wrong with a study file is shown in the file.
func TestBadStudies(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"key.yaml":      "axes:\n  bufer: [1, 2]\nset: {topology: 'ring:4', collective: gossip}\nmeasure: [cycles]\n",
		"many.yaml":     "axes: {buffer: {from: 1, to: 1000, step: 1}, seed: {from: 1, to: 1000, step: 1}}\nset: {topology: 'ring:4', collective: gossip}\nmeasure: [cycles]\n",
		"none.yaml":     "where: [length < 1]\nset: {topology: 'ring:4', collective: gossip, length: 1}\nmeasure: [cycles]\n",
		"name.yaml":     "set: {topology: 'ring:4', collective: gossip, algorithm: bukcet}\nmeasure: [cycles]\n",
		"chip.yaml":     "axes:\n  buffer: [1, x, 4]\nset: {topology: 'ring:4', collective: gossip}\nmeasure: [cycles]\n",
		"safe.yaml":     "set: {topology: 'ring:4', collective: gossip, faults: ./no-faults.csv}\nmeasure: [cycles]\n",
		"text.yaml":     "axes: {length: [1, 2]}\nset: {topology: 'ring:4', collective: gossip}\nmeasure: [chosen, cycles]\nreport:\n  - {plot: lines, x: length, y: chosen}\n",
		"best.yaml":     "axes: {length: [1, 2], startup: [0, 1], root: [0, 1]}\nset: {topology: 'ring:4', collective: gather}\nmeasure: [chosen]\nreport:\n  - {plot: fastest, x: length, y: startup, by: root, value: chosen}\n",
		"rate.yaml":     "set: {topology: 'ring:4', rate: 0.1}\nmeasure: [saturation.highest_stable_rate]\n",
		"fine.yaml":     "set: {topology: 'ring:4', resolution: 0.9}\nmeasure: [saturation.highest_stable_rate]\n",
		"search.yaml":   "set: {topology: 'ring:4', rate: 0.1, resolution: 0.1}\nmeasure: [accepted]\n",
		"no-faults.csv": "",
		"places":        "0\n1\n",
		"axis.yaml":     "axes: {what: [gossip, gosip]}\nset: {topology: 'ring:4', collective: '${what}'}\nmeasure: [cycles]\n",
		"side.yaml":     "parameters: {side: 4}\nset: {topology: 'ring:${side}', collective: gossip}\nmeasure: [cycles]\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	for _, row := range []struct {
		args []string
		want string
	}{
		{[]string{"sweep", "key.yaml"}, "meshwright: key.yaml:2:3: unknown key \"bufer\" (did you mean buffer?)\n    bufer: [1, 2]\n    ^\n"},
		{[]string{"sweep", "many.yaml"}, "meshwright: many.yaml: a study of 1000000 points (expected fewer than 1000000, or --yes)\n"},
		{[]string{"sweep", "axis.yaml"}, "meshwright: axis.yaml:2:39: what gosip: unknown collective \"gosip\" (did you mean gossip?)\n  set: {topology: 'ring:4', collective: '${what}'}\n                                        ^\n"},
		{[]string{"sweep", "name.yaml"}, "meshwright: name.yaml:1:58: unknown algorithm \"bukcet\" (did you mean bucket?)\n  set: {topology: 'ring:4', collective: gossip, algorithm: bukcet}\n                                                           ^\n"},
		{[]string{"sweep", "chip.yaml"}, "meshwright: chip.yaml:2:15: buffer: \"x\" (expected a whole number from 1 to 1024)\n    buffer: [1, x, 4]\n                ^\n"},
		{[]string{"sweep", "safe.yaml"}, "meshwright: safe.yaml:1:55: ./no-faults.csv: no faults (expected rows of fault,where,from,to,bit)\n  set: {topology: 'ring:4', collective: gossip, faults: ./no-faults.csv}\n                                                        ^\n"},
		{[]string{"sweep", "text.yaml"}, "meshwright: text.yaml:5:33: y: \"chosen\" has texts (expected it as value of a map or a table)\n    - {plot: lines, x: length, y: chosen}\n                                  ^\n"},
		{[]string{"sweep", "best.yaml"}, "meshwright: best.yaml:5:5: plot fastest of chosen, which has texts (expected numbers, or plot: map)\n    - {plot: fastest, x: length, y: startup, by: root, value: chosen}\n      ^\n"},
		{[]string{"sweep", "rate.yaml"}, "meshwright: rate.yaml:1:33: rate: nothing measured depends on it (expected a measure of traffic at a rate such as accepted)\n  set: {topology: 'ring:4', rate: 0.1}\n                                  ^\n"},
		{[]string{"sweep", "fine.yaml"}, "meshwright: fine.yaml:1:39: resolution: 0.9 (expected 0.0001 to 0.5)\n  set: {topology: 'ring:4', resolution: 0.9}\n                                        ^\n"},
		{[]string{"sweep", "search.yaml"}, "meshwright: search.yaml:1:50: resolution: nothing measured depends on it (expected a measure of a search such as saturation.highest_stable_rate)\n  set: {topology: 'ring:4', rate: 0.1, resolution: 0.1}\n                                                   ^\n"},
		{[]string{"sweep", "none.yaml"}, "meshwright: none.yaml: no points (expected constraints that some point keeps)\n"},
		{[]string{"sweep", "side.yaml", "-P", "sid=3"}, "meshwright: -P: unknown parameter \"sid\" (did you mean side?)\n"},
		{[]string{"sweep", "side.yaml", "-P", "side"}, "meshwright: -P: \"side\" (expected NAME=VALUE, each name once)\n"},
		{[]string{"sweep", "side.yaml", "--startup", "3"}, "meshwright: unknown flag --startup (expected in the study, as a key under set)\n"},
		{[]string{"sweep", "side.yaml", "--shard", "0/2"}, "meshwright: --shard: \"0/2\" (expected a shard such as 1/4)\n"},
		{[]string{"sweep", "side.yaml", "--out", "x.txt"}, "meshwright: --out: x.txt (expected FILE.csv, FILE.json, FILE.parquet, FILE.md or FILE.tex)\n"},
		{[]string{"sweep", "gossip"}, "meshwright: gossip is no study (expected STUDY.yaml, STUDY.json, faults or around)\n"},
		{[]string{"sweep", "side.yaml", "--points", "side.yaml"}, "meshwright: side.yaml:1: \"parameters: {side: 4}\" (expected the places of points, from 0 and rising, one a line)\n"},
		{[]string{"sweep", "side.yaml", "--points", "places"}, "meshwright: places: place 1 (expected places below 1, the points of the study)\n"},
		{[]string{"sweep", "side.yaml", "--on", "slrm"}, "meshwright: --on: \"slrm\" (expected slurm)\n"},
		{[]string{"sweep", "side.yaml", "--resume"}, "meshwright: --resume: given without --on slurm (expected none: only --on slurm has it)\n"},
		{[]string{"sweep", "side.yaml", "--on", "slurm", "--points-per-task", "0"}, "meshwright: --points-per-task: 0 (expected at least 1)\n"},
		{[]string{"sweep", "side.yaml", "--on", "slurm", "--shard", "1/2"}, "meshwright: --shard: given with --on slurm (expected none: the array runs all points)\n"},
		{[]string{"sweep", "side.yaml", "--on", "slurm", "--status"}, "meshwright: side.db: nothing was submitted for this store (expected meshwright sweep --on slurm before)\n"},
		{[]string{"report", "none.db"}, "meshwright: none.db: no such file or directory (expected a file that can be read)\n"},
		{[]string{"report", "key.yaml"}, "meshwright: key.yaml: not a SQLite file (expected a store that meshwright sweep has written)\n"},
	} {
		got := meshwright(t, dir, row.args...)
		require.Equal(t, 2, got.code, row.args)
		require.Equal(t, row.want, got.stderr, row.args)
	}
	require.NoFileExists(t, filepath.Join(dir, "name.db"))
	require.NoFileExists(t, filepath.Join(dir, "chip.db"))
}

// A sweep that is interrupted says how far it is, and the same command goes on.
func TestInterruptedSweep(t *testing.T) {
	dir := t.TempDir()
	text := "axes: {seed: {from: 1, to: %d, step: 1}}\nset: {topology: 'mesh:4x4', rate: 0.1}\nmeasure: [accepted]\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "long.yaml"), fmt.Appendf(nil, text, 20_000), 0o644))
	p := begin(t, dir, "sweep long.yaml")
	require.Eventually(t, func() bool {
		info, err := os.Stat(filepath.Join(dir, "long.db"))
		return err == nil && info.Size() > 100_000 // it has the list of the points
	}, time.Minute, 20*time.Millisecond)
	got := p.signal(os.Interrupt)
	require.Equal(t, 130, got.code)
	found := regexp.MustCompile(`^meshwright: (\d+) points? of 20000 in long\.db; the same command goes on from there\nmeshwright: interrupted\n$`).FindStringSubmatch(got.stderr)
	require.NotNil(t, found, got.stderr)
}

// A sweep whose points take longer than the time that an interrupted verb has to end says how far it is, too.
func TestInterruptedSweepOfLongPoints(t *testing.T) {
	dir := t.TempDir()
	text := "axes: {length: {from: 1, to: 60, step: 1}}\nset: {topology: 'random-tree:400000', collective: gather}\nmeasure: [cycles]\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "trees.yaml"), []byte(text), 0o644))
	for range soak.Number(1, 3) {
		p, shown := onTerminal(t, dir, "sweep trees.yaml")
		p.await(func() bool { return shown.has("sweep trees, ", " of 60") })
		time.Sleep(time.Second) // the first points are in the middle
		require.Equal(t, 130, p.signal(os.Interrupt).code)
		p.awaitShown(shown, "meshwright: interrupted\r\n")
		require.True(t, shown.has(" of 60 in trees.db; the same command goes on from there\r\n"))
	}
}

// Only the first failures are printed, and the number of the others.
func TestManyFailures(t *testing.T) {
	dir := t.TempDir()
	text := "axes: {root: {from: 4, to: 11, step: 1}}\nset: {topology: 'ring:4', collective: gather}\nmeasure: [cycles]\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "roots.yaml"), []byte(text), 0o644))
	got := meshwright(t, dir, "sweep", "roots.yaml")
	require.Equal(t, 1, got.code)
	require.Equal(t, 5, strings.Count(got.stdout, "FAIL root"))
	require.Contains(t, got.stdout, "\n3 more points have failed\n")
}
