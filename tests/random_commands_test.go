// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Random command lines of each kind to try.
var (
	commands     = flag.Int("commands", 40, "random command lines of run and of check")
	firstCommand = flag.Uint64("first", 0, "seed of the first random command line")
)

// choice is a flag and values to draw for it.
type choice struct {
	name   string
	values []string
}

// draw gives every flag one time in so many.
func draw(rng *rand.Rand, oneIn int, pool []choice) []string {
	var args []string
	for _, f := range pool {
		if rng.IntN(oneIn) == 0 {
			args = append(args, f.name)
			if value := f.values[rng.IntN(len(f.values))]; value != "" {
				args = append(args, value)
			}
		}
	}
	return args
}

// flagValues are for machines with worms.
var flagValues = []choice{
	{"--machine", []string{"bufferless", "bufferless", "wormhole", "paragon"}},
	{"--buffer", []string{"1", "2", "1024", "0"}},
	{"--vcs", []string{"1", "2", "4", "16"}},
	{"--ports", []string{"all", "single"}},
	{"--nic.channels", []string{"1", "links"}},
	{"--nic.duplex", []string{"full", "half"}},
	{"--startup", []string{"0", "1", "7", "1000"}},
	{"--hop", []string{"1", "2", "64"}},
	{"--flit", []string{"1", "2", "64"}},
	{"--routing", []string{"dor", "table", "source"}},
	{"--width", []string{"8", "9", "31", "32", "33", "64", "512"}},
	{"--watchdog", []string{"1", "2", "100"}},
}

// packetValues are for machines that switch packets.
var packetValues = []choice{
	{"--switching", []string{"store-forward", "cut-through"}},
	{"--setup", []string{"0", "1", "3/2", "0.25", "7/3", "20", "1", "5/2", "4", "2", "-1"}},
	{"--packet", []string{"0", "0", "64", "64", "64", "8", "1"}},
	{"--buffer", []string{"0", "8", "64", "1"}},
	{"--startup", []string{"0", "1", "7"}},
	{"--flit", []string{"1", "2"}},
	{"--routing", []string{"dor", "table", "source"}},
	{"--width", []string{"9", "32", "128"}},
	{"--watchdog", []string{"1", "100"}},
}

var jobValues = []choice{
	{"--length", []string{"0", "1", "2", "33", "-1"}},
	{"--lengths", []string{"1,2,3", "0,0,0,0", "5", ","}},
	{"--root", []string{"0", "1", "3", "-1"}},
	{"--seed", []string{"0", "18446744073709551615"}},
	{"--tree", []string{"breadth-first", "balanced", "least-broadcast", "dimension-order"}},
	{"--trees", []string{"1", "2", "3", "0"}},
	{"--cover", []string{"breadth-first", "arborescences", "shallow", "partial-trees", "torus-pair", "rotated-binomials", "star-trees", "star-paths"}},
	{"--packets", []string{"1", "2", "best", "1,1,1", "2+6"}},
	{"--order", []string{"1", "2,1", "3,2,1", "0"}},
	{"--trace", []string{"a.csv", "a.svg", "a.pcapng", "a.html", "a.pftrace"}},
	{"--from", []string{"0", "3", "99", "-1"}},
	{"--until", []string{"1", "4", "1000", "0"}},
	{"--nodes", []string{"0", "0-1", "1,0-1", "2-1", "7"}},
	{"--table", []string{"a.csv", "t.csv"}},
	{"--schedule", []string{"s.csv"}},
	{"--messages", []string{"m.csv"}},
	{"--listing", []string{"l", "s.csv"}},
}

// algorithms has the names to draw for each collective, one of them a name that the
// collective does not have.
var algorithms = map[string][]choice{
	"scatter": {{"--algorithm", []string{"auto", "furthest-first", "fdf", "edge-disjoint", "shared-edges", "search", "certification"}}},
	"gather": {{"--algorithm", []string{
		"auto", "nrf", "shoulder-tap", "certification", "certification-tight", "certification-parallel", "certification-ii",
		"edge-disjoint", "shared-edges", "search", "highdimgos",
	}}},
	"gossip": {{"--algorithm", []string{
		"approach1", "approach2", "circgos", "highdimgos", "torgos", "cubgos", "strides", "crosses", "auto", "balanced-trees", "staggered", "greedy", "rounds", "symmetric", "refined", "vendor", "search", "ring", "bucket",
	}}},
	"broadcast": {{"--algorithm", []string{"auto", "pipelined", "tree", "doubling", "edge-disjoint", "scatter-gossip", "tree-search", "refined", "ring"}}},
	"reduce":    {{"--algorithm", []string{"auto", "pipelined", "tree", "doubling", "edge-disjoint", "scatter-gossip", "tree-search", "refined", "ring"}}},
	"allreduce": {{"--algorithm", []string{"auto", "pipelined", "tree", "doubling", "edge-disjoint", "scatter-gossip", "balanced-trees", "staggered", "tree-search", "multi-leader", "translations", "rounds", "symmetric", "refined", "ring", "windows", "swing", "bine", "bucket", "recursive-halving", "recursive-doubling"}}},

	"reduce-scatter": {{"--algorithm", []string{"auto", "pairwise", "recursive-halving", "swing", "bine", "bucket", "reversed-all-gather", "balanced-trees", "staggered", "greedy", "rounds", "symmetric", "refined", "ring", "rerouted"}}},
	"exchange":       {{"--algorithm", []string{"direct", "dimensions", "logarithmic", "pairwise", "bruck", "shifts", "auto", "tree"}}},
}

// everywhereValues are for collectives whose words go to, or come from, all PEs.
var everywhereValues = []choice{
	{"--length", []string{"0", "1", "2", "33", "-1"}},
	{"--lengths", []string{"1,2,3", "0,0,0,0", "5"}},
	{"--root", []string{"0", "1", "3", "-1"}},
	{"--tree", []string{"breadth-first", "balanced", "least-broadcast"}},
	{"--trees", []string{"1", "2", "3", "0"}},
	{"--a", []string{"1", "2", "3", "4", "9", "0"}},
	{"--b", []string{"1", "2", "3", "7", "-1"}},
	{"--colours", []string{"1", "2", "3", "0"}},
	{"--parts", []string{"1", "2", "5", "0"}},
	{"--sync", []string{""}},
	{"--start", []string{"rows", "columns", "black-white", "ring", "diagonals"}},
	{"--trace", []string{"a.csv", "a.svg", "a.pcapng", "a.html", "a.pftrace"}},
	{"--from", []string{"0", "3", "99", "-1"}},
	{"--until", []string{"1", "4", "1000", "0"}},
	{"--nodes", []string{"0", "0-1", "1,0-1", "2-1", "7"}},
	{"--schedule", []string{"s.csv"}},
	{"--messages", []string{"m.csv"}},
	{"--listing", []string{"l"}},
}

// randomTopology returns a small network and its number of nodes.
func randomTopology(rng *rand.Rand, dir string) (string, int) {
	size := func() int { return 1 + rng.IntN(5) }
	switch rng.IntN(12) {
	case 0:
		n := 1 + rng.IntN(9)
		return fmt.Sprintf("path:%d", n), n
	case 1:
		n := 1 + rng.IntN(9)
		return fmt.Sprintf("ring:%d", n), n
	case 2:
		a, b := size(), size()
		return fmt.Sprintf("mesh:%dx%d", a, b), a * b
	case 3:
		a, b := size(), size()
		return fmt.Sprintf("torus:%dx%d", a, b), a * b
	case 4:
		a, b, c := size(), size(), size()
		return fmt.Sprintf("torus:%dx%dx%d", a, b, c), a * b * c
	case 5:
		d := 1 + rng.IntN(4)
		return fmt.Sprintf("hypercube:%d", d), 1 << d
	case 6:
		d := rng.IntN(4)
		kind := []string{"binary", "debruijn"}[rng.IntN(2)]
		return fmt.Sprintf("%s:%d", kind, 1+d), map[string]int{"binary": 4<<d - 1, "debruijn": 2 << d}[kind]
	case 7:
		a, b := size(), size()
		return fmt.Sprintf("comb:%dx%d", a, b), a * (b + 1)
	case 8:
		n := 1 + rng.IntN(9)
		return fmt.Sprintf("%s:%d", []string{"hub", "complete"}[rng.IntN(2)], n), n
	case 9:
		n, kind := 1+rng.IntN(9), []string{"random-tree", "recursive-tree"}[rng.IntN(2)]
		return fmt.Sprintf("%s:%d,%d", kind, n, rng.Uint32()), n
	case 10:
		n := 4 + rng.IntN(8)
		return fmt.Sprintf("random:%d,3,%d", n, rng.Uint32()), n
	case 11:
		a, b := 1+size(), 2+size()
		return fmt.Sprintf("twisted-torus:%dx%d,%d", a, b, 1+rng.IntN(max(a, b)-1)), a * b
	}
	return fileTopology(rng, dir)
}

// fileTopology writes a tree or graph file.
func fileTopology(rng *rand.Rand, dir string) (string, int) {
	n := 2 + rng.IntN(8)
	var rows strings.Builder
	for i := 1; i < n; i++ {
		fmt.Fprintf(&rows, "%d,%d\n", i, rng.IntN(i))
	}
	kind := []string{"tree", "graph"}[rng.IntN(2)]
	if os.WriteFile(filepath.Join(dir, "net.csv"), []byte(rows.String()), 0o644) != nil {
		panic("tests: no net.csv")
	}
	return kind + ":net.csv", n
}

// Whatever the flags, a collective either runs and delivers, or is refused in
// one line; nobody sees a panic.
func TestRandomRuns(t *testing.T) {
	ran := map[string]int{}
	for seed := *firstCommand; seed < *firstCommand+uint64(*commands); seed++ {
		rng := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		kind, args := randomRun(rng, dir)
		before := snapshot(t, dir)
		got := meshwright(t, dir, args...)
		line := fmt.Sprintf("seed %d: %s\n%s%s", seed, strings.Join(args, " "), got.stdout, got.stderr)
		if got.code == 0 {
			ran[kind]++
			require.Empty(t, got.stderr, line)
			continue
		}
		requireRefused(t, got, line)
		require.Equal(t, before, snapshot(t, dir), line)
	}
	for _, kind := range []string{"worms", "packets", "everywhere"} {
		require.Greater(t, ran[kind], *commands/16, "most command lines with %s were refused: draw better ones", kind)
	}
	t.Log(ran)
}

// randomRun is a command line with a collective, on a machine with worms or
// with packets; or with one whose words go everywhere.
func randomRun(rng *rand.Rand, dir string) (kind string, args []string) {
	spec, _ := randomTopology(rng, dir)
	if rng.IntN(3) == 0 {
		what := []string{"gossip", "gossip", "broadcast", "reduce", "allreduce", "exchange"}[rng.IntN(6)]
		args = []string{"run", what, "--topology", spec}
		if rng.IntN(3) == 0 {
			args = append(args, "--machine", "paragon")
		}
		args = append(args, draw(rng, 6, flagValues)...)
		args = append(args, draw(rng, 2, algorithms[what])...)
		return "everywhere", append(args, draw(rng, 12, everywhereValues)...)
	}
	what := []string{"scatter", "gather", "gossip"}[rng.IntN(3)]
	if what == "gossip" && !strings.ContainsAny(spec[:1], "prmt") {
		what = "gather"
	}
	args = []string{"run", what, "--topology", spec}
	if rng.IntN(2) == 0 {
		kind, args = "packets", append(args, "--machine", "store-forward")
		args = append(args, draw(rng, 4, packetValues)...)
	} else {
		kind, args = "worms", append(args, draw(rng, 4, flagValues)...)
	}
	args = append(args, draw(rng, 3, algorithms[what])...)
	return kind, append(args, draw(rng, 16, jobValues)...)
}

// requireRefused demands one line on standard error and nothing else.
func requireRefused(t *testing.T, got spoken, line string) {
	t.Helper()
	require.Equal(t, 2, got.code, line)
	require.Empty(t, got.stdout, line)
	require.True(t, strings.HasPrefix(got.stderr, "meshwright: "), line)
	require.Equal(t, 1, strings.Count(got.stderr, "\n"), line)
	require.NotContains(t, got.stderr, "goroutine", line)
}

// The static checker and the cycle model judge random schedules alike, and
// find the same time where there is no collision.
func TestRandomChecks(t *testing.T) {
	verdicts := map[int]int{}
	for seed := *firstCommand; seed < *firstCommand+uint64(*commands); seed++ {
		rng := rand.New(rand.NewPCG(seed, 2))
		dir := t.TempDir()
		spec, nodes := randomTopology(rng, dir)
		var rows strings.Builder
		for message := range 1 + rng.IntN(4) {
			fmt.Fprintf(&rows, "%d,%d,%d,%d,%d\n", message, rng.IntN(nodes), rng.IntN(nodes), 1+rng.IntN(5), rng.IntN(12))
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "s.csv"), []byte(rows.String()), 0o644))
		flags := []string{"--topology", spec, "--machine", "bufferless", "--json"}
		flags = append(flags, draw(rng, 4, flagValues[1:])...) // without --machine
		checked := meshwright(t, dir, append([]string{"check", "s.csv"}, flags...)...)
		ran := meshwright(t, dir, append([]string{"run", "s.csv"}, flags...)...)
		line := fmt.Sprintf("seed %d: %s\n%scheck: %s%srun: %s%s", seed, strings.Join(flags, " "), rows.String(), checked.stdout, checked.stderr, ran.stdout, ran.stderr)
		require.Less(t, checked.code, 3, line)
		verdicts[checked.code]++
		if checked.code == 2 {
			requireRefused(t, checked, line)
			continue
		}
		if ran.code == 2 { // what only a run refuses
			requireRefused(t, ran, line)
			continue
		}
		require.Equal(t, checked.code, ran.code, line)
		if checked.code == 0 {
			require.Equal(t, cyclesOf(t, checked), cyclesOf(t, ran), line)
		}
	}
	for code := range 3 {
		require.Greater(t, verdicts[code], *commands/30, "%v: draw better schedules", verdicts)
	}
	t.Log(verdicts)
}

// toldOfPackets has the JSON fields that a check and a run of packets share.
type toldOfPackets struct {
	Messages       int
	Cycles         json.Number
	LowerBound     json.Number `json:"lower_bound"`
	Late           int         `json:"late_messages"`
	MaxBufferFlits int         `json:"max_buffer_flits"`
	Hottest        any         `json:"hottest_link"`
}

// The checker's account of random schedules of packets is the cycle model's.
func TestRandomChecksOfPackets(t *testing.T) {
	verdicts := map[string]int{}
	for seed := *firstCommand; seed < *firstCommand+uint64(*commands); seed++ {
		rng := rand.New(rand.NewPCG(seed, 3))
		dir := t.TempDir()
		spec, nodes := randomTopology(rng, dir)
		var rows strings.Builder
		for message := range 1 + rng.IntN(100) {
			from := rng.IntN(nodes)
			to := (from + 1 + rng.IntN(max(1, nodes-1))) % nodes // another one, if there is
			fmt.Fprintf(&rows, "%d,%d,%d,%d,%d\n", message, from, to, 1+rng.IntN(8), rng.IntN(40))
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "s.csv"), []byte(rows.String()), 0o644))
		flags := append([]string{"--topology", spec, "--machine", "store-forward", "--json"}, draw(rng, 6, packetValues)...)
		checked := meshwright(t, dir, append([]string{"check", "s.csv"}, flags...)...)
		ran := meshwright(t, dir, append([]string{"run", "s.csv"}, flags...)...)
		line := fmt.Sprintf("seed %d: %s\n%scheck: %s%srun: %s%s", seed, strings.Join(flags, " "), rows.String(), checked.stdout, checked.stderr, ran.stdout, ran.stderr)
		switch {
		case checked.code == 2:
			requireRefused(t, checked, line)
			require.Equal(t, checked.stderr, ran.stderr, line)
			verdicts["refused"]++
		case ran.code == 1:
			require.Equal(t, 1, checked.code, line)
			require.Contains(t, checked.stdout, "never arrive", line)
			verdicts["locked"]++
		default:
			require.Equal(t, 0, ran.code, line)
			require.NotContains(t, checked.stdout, "never arrive", line)
			var said, did toldOfPackets
			require.NoError(t, json.Unmarshal([]byte(checked.stdout), &said), line)
			require.NoError(t, json.Unmarshal([]byte(ran.stdout), &did), line)
			require.Equal(t, did, said, line)
			verdicts["delivered"]++
		}
	}
	t.Log(verdicts)
	for _, verdict := range []string{"refused", "locked", "delivered"} {
		require.Greater(t, verdicts[verdict], *commands/30, "%v: draw better schedules", verdicts)
	}
}

func cyclesOf(t *testing.T, got spoken) int {
	t.Helper()
	var told struct{ Cycles int }
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &told))
	return told.Cycles
}
