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

// commands says how many random command lines of each kind to try.
var commands = flag.Int("commands", 150, "random command lines of run and of check")

// flagValues are values to draw for flags; a flag is given one time in four.
var flagValues = []struct {
	name   string
	values []string
}{
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
	{"--width", []string{"8", "9", "31", "32", "33"}},
	{"--watchdog", []string{"1", "2", "100"}},
}

var jobValues = []struct {
	name   string
	values []string
}{
	{"--length", []string{"0", "1", "2", "33", "-1"}},
	{"--lengths", []string{"1,2,3", "0,0,0,0", "5", ","}},
	{"--root", []string{"0", "1", "3", "-1"}},
	{"--seed", []string{"0", "18446744073709551615"}},
	{"--algorithm", []string{"furthest-first", "nrf", "shoulder-tap", "approach2", "highdimgos"}},
	{"--order", []string{"1", "2,1", "3,2,1", "0"}},
	{"--trace", []string{"a.csv", "a.svg", "a.pcapng"}},
	{"--table", []string{"a.csv", "t.csv"}},
	{"--schedule", []string{"s.csv"}},
	{"--listing", []string{"l", "s.csv"}},
}

// randomTopology returns a small network and its number of nodes.
func randomTopology(rng *rand.Rand, dir string) (string, int) {
	size := func() int { return 1 + rng.IntN(5) }
	switch rng.IntN(7) {
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
	}
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
	ran := 0
	for seed := range uint64(*commands) {
		rng := rand.New(rand.NewPCG(seed, 1))
		dir := t.TempDir()
		spec, _ := randomTopology(rng, dir)
		args := []string{"run", []string{"scatter", "gather", "gossip"}[rng.IntN(3)], "--topology", spec}
		for _, f := range flagValues {
			if rng.IntN(4) == 0 {
				args = append(args, f.name, f.values[rng.IntN(len(f.values))])
			}
		}
		for _, f := range jobValues {
			if rng.IntN(12) == 0 {
				args = append(args, f.name, f.values[rng.IntN(len(f.values))])
			}
		}
		before := snapshot(t, dir)
		got := meshwright(t, dir, args...)
		line := fmt.Sprintf("seed %d: %s\n%s%s", seed, strings.Join(args, " "), got.stdout, got.stderr)
		if got.code == 0 {
			ran++
			require.Empty(t, got.stderr, line)
			continue
		}
		requireRefused(t, got, line)
		require.Equal(t, before, snapshot(t, dir), line)
	}
	require.Greater(t, ran, *commands/8, "most command lines were refused: draw better ones")
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
	for seed := range uint64(*commands) {
		rng := rand.New(rand.NewPCG(seed, 2))
		dir := t.TempDir()
		spec, nodes := randomTopology(rng, dir)
		var rows strings.Builder
		for message := range 1 + rng.IntN(4) {
			fmt.Fprintf(&rows, "%d,%d,%d,%d,%d\n", message, rng.IntN(nodes), rng.IntN(nodes), 1+rng.IntN(5), rng.IntN(12))
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "s.csv"), []byte(rows.String()), 0o644))
		flags := []string{"--topology", spec, "--machine", "bufferless", "--json"}
		for _, f := range flagValues {
			if rng.IntN(4) == 0 && f.name != "--machine" {
				flags = append(flags, f.name, f.values[rng.IntN(len(f.values))])
			}
		}
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

func cyclesOf(t *testing.T, got spoken) int {
	t.Helper()
	var told struct{ Cycles int }
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &told))
	return told.Cycles
}
