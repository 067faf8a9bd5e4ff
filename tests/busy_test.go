// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/soak"
)

// onLinks has the JSON fields about links that run and check share.
type onLinks struct {
	OK         bool    `json:"ok"`
	Delivered  bool    `json:"delivered"`
	Cycles     float64 `json:"cycles"`
	Collisions int     `json:"collisions"`
	Hottest    struct {
		Link  string  `json:"link"`
		Flits int     `json:"flits"`
		Busy  float64 `json:"busy_fraction"`
	} `json:"hottest_link"`
	LinkCycles struct{ Busy, Blocked, Idle float64 } `json:"link_cycles"`
}

// Of random schedules, whatever the machine, the busy share that run and check print
// is from 0 to 1; where nothing collides it is the same, as is the time.
func TestRunAndCheckAgreeOnBusy(t *testing.T) {
	random := rand.New(rand.NewPCG(41, 42))
	machines := []string{
		"--machine bufferless --ports all --nic.channels links --hop 3 --flit 2",
		"--machine bufferless --startup 7",
		"--machine store-forward --setup 3/2 --startup 2",
		"--machine store-forward --setup 7/3 --flit 2",
		"--machine store-forward --switching cut-through --setup 0",
	}
	dir, agreed := t.TempDir(), 0
	runs := soak.Number(15, 40)
	for i := range runs {
		var text strings.Builder
		for message := range 1 + random.IntN(6) {
			from := random.IntN(9)
			to := (from + 1 + random.IntN(8)) % 9
			fmt.Fprintf(&text, "%d,%d,%d,%d,%d\n", message, from, to, 1+random.IntN(5), 7+random.IntN(60))
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "s.csv"), []byte(text.String()), 0o644))
		line := "s.csv -t mesh:3x3 --json " + machines[i%len(machines)]
		ran, checked := linksOf(t, dir, "run "+line), linksOf(t, dir, "check "+line)
		for _, x := range []onLinks{ran, checked} {
			require.GreaterOrEqual(t, x.Hottest.Busy, 0.0, "%s\n%s", line, &text)
			require.LessOrEqual(t, x.Hottest.Busy, 1.0, "%s\n%s", line, &text)
		}
		require.Equal(t, ran.Delivered, checked.OK, "%s\n%s", line, &text)
		if checked.OK {
			require.Equal(t, checked.Hottest, ran.Hottest, "%s\n%s", line, &text)
			require.Equal(t, checked.Cycles, ran.Cycles, "%s\n%s", line, &text)
			sum := ran.LinkCycles.Busy + ran.LinkCycles.Blocked + ran.LinkCycles.Idle
			require.InDelta(t, 24*ran.Cycles, sum, 1e-6, "%s\n%s", line, &text)
			agreed++
		}
	}
	require.Greater(t, agreed, runs/3)
}

// linksOf runs a command line and reads its JSON.
func linksOf(t *testing.T, dir, line string) onLinks {
	t.Helper()
	got := meshwright(t, dir, strings.Fields(line)...)
	require.Less(t, got.code, 2, "%s\n%s", line, got.stderr)
	var x onLinks
	require.NoError(t, json.Unmarshal([]byte(got.stdout), &x))
	return x
}
