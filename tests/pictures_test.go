// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// told has the fields of a run's JSON about its time and its links.
type told struct {
	Cycles  json.Number `json:"cycles"`
	Hottest struct {
		Link string  `json:"link"`
		Busy float64 `json:"busy_fraction"`
	} `json:"hottest_link"`
	LinkCycles struct {
		Busy    json.Number `json:"busy"`
		Blocked json.Number `json:"blocked"`
	} `json:"link_cycles"`
}

var (
	pictureTime = regexp.MustCompile(`<text class="s"[^>]*>[^<]* · ([\d./]+) cycles · `)
	pictureLink = regexp.MustCompile(`<title>(\d+) &gt; (\d+): busy ([\d./]+) of ([\d./]+) cycles \(([\d.]+) %\), blocked ([\d./]+)</title>`)
)

// A picture shows the same time and the same counts of each link as tables and JSON,
// also on machines with set-ups, whose clocks count parts of cycles.
func TestPicturesCountAsTablesDo(t *testing.T) {
	for _, command := range []string{
		// Columns of nodes and rows of cycles.
		"run scatter -a furthest-first -t path:5 -m store-forward --setup 2 --lengths 4,0,3,2",
		"run scatter -a furthest-first -t path:5 -m store-forward --setup 3/2 --lengths 0,0,0,6 --packets 3",
		"run scatter -a furthest-first -t path:7 -m store-forward --setup 7/3 --length 5",
		"run gather -a nearest-first -t path:6 -m store-forward --switching cut-through --setup 5/4 --length 3",
		"run gather -a shoulder-tap -t path:6 -m bufferless --lengths 2,3,0,2,1",
		"run gossip -a approach2 -t ring:8 -l 5 --startup 10",
		"run broadcast -t path:6 -l 9 --hop 3 --flit 2",
		// Networks and the load of their links.
		"run scatter -a furthest-first -t tree:examples/trees/fork.csv -m store-forward --setup 2 --lengths 0,0,3,0,0,0,1",
		"run gather -a certification-ii -t binary:2 -m store-forward --setup 3/2 -l 6 --packets 2",
		"run gather -a certification-ii -t binary:2 -m store-forward --setup 5 -l 2 --packets 1",
		"run scatter -a furthest-first -t binary:3 -m store-forward --setup 7/3 -l 4",
		"run gather -a nearest-first -t mesh:3x3 -m store-forward --switching cut-through --setup 9/4 -l 5",
		"run scatter -a furthest-first -t mesh:4x4 -l 8",
		"run gossip -a highdimgos -t torus:4x4 -l 4 --startup 20",
		"run gather -a certification-tight -t random-tree:20 -m bufferless -l 3",
		"run exchange -t mesh:3x3 -l 4 --hop 2 --flit 3 --buffer 2",
		// Files.
		"run examples/schedules/collide.csv -t path:4 -m wormhole",
		"run examples/schedules/collide.csv -t path:4 -m store-forward --setup 5/3",
		"import examples/imports/ring-allreduce-8.xml -t mesh:4x2 --length 6 --ranks 0,1,2,3,7,6,5,4",
		"import examples/imports/exchange-4x4.tdm",
		"run examples/firmware/pingpong.s -t mesh:4x4",
	} {
		t.Run(command, func(t *testing.T) {
			dir := t.TempDir()
			require.NoError(t, os.Symlink(mustAbs(t, "../examples"), filepath.Join(dir, "examples")))
			got := meshwright(t, dir, append(strings.Fields(command), "--json", "--trace", "run.svg")...)
			require.Zero(t, got.code, got.stderr)
			var says told
			require.NoError(t, json.Unmarshal([]byte(got.stdout), &says))
			text, err := os.ReadFile(filepath.Join(dir, "run.svg"))
			require.NoError(t, err)
			picture := strings.ReplaceAll(string(text), "\u2009", "")

			time := pictureTime.FindStringSubmatch(picture)
			require.NotNil(t, time)
			require.Equal(t, says.Cycles.String(), rounded(t, time[1]))
			requireLinksAs(t, &says, picture)
		})
	}
}

// requireLinksAs compares what a picture says of links, if it does.
func requireLinksAs(t *testing.T, says *told, picture string) {
	t.Helper()
	links := pictureLink.FindAllStringSubmatch(picture, -1)
	if strings.Contains(picture, "Busiest links") {
		require.NotEmpty(t, links)
	}
	if len(links) == 0 {
		return // a picture of nodes and cycles
	}
	busy, blocked := new(big.Rat), new(big.Rat)
	found := false
	for _, m := range links {
		share := new(big.Rat).Quo(rat(t, m[3]), rat(t, m[4]))
		require.LessOrEqual(t, share.Cmp(big.NewRat(1, 1)), 0, m[0])
		busy.Add(busy, rat(t, m[3]))
		blocked.Add(blocked, rat(t, m[6]))
		if m[1]+">"+m[2] == says.Hottest.Link {
			exact, _ := share.Float64()
			require.InDelta(t, says.Hottest.Busy, exact, 1e-12)
			percent := fmt.Sprintf("%.0f", 100*says.Hottest.Busy)
			if says.Hottest.Busy < 0.0995 {
				percent = fmt.Sprintf("%.1f", 100*says.Hottest.Busy)
			}
			require.Equal(t, percent, m[5])
			found = true
		}
	}
	require.True(t, found)
	require.Equal(t, says.LinkCycles.Busy.String(), rounded(t, busy.RatString()))
	require.Equal(t, says.LinkCycles.Blocked.String(), rounded(t, blocked.RatString()))
}

func mustAbs(t *testing.T, path string) string {
	t.Helper()
	abs, err := filepath.Abs(path)
	require.NoError(t, err)
	return abs
}

func rat(t *testing.T, text string) *big.Rat {
	t.Helper()
	x, ok := new(big.Rat).SetString(text)
	require.True(t, ok, text)
	return x
}

// rounded writes a number as JSON does: exactly, or thirds and the like with 17 decimals.
func rounded(t *testing.T, text string) string {
	x := rat(t, text)
	digits, exact := x.FloatPrec()
	if !exact {
		digits = 17
	}
	return x.FloatString(digits)
}

// The model and a simulator write the same table, cell for cell, with the flits that wait in buffers. This holds for
// packets, too: they stand in injection registers during their set-up, while the
// model's clock skips cycles.
func TestTablesAreTheSimulators(t *testing.T) {
	need(t, "iverilog", "iverilog make")
	for _, job := range []string{
		"scatter -a furthest-first -t path:3 -m store-forward --setup 2 --lengths 1,2",
		"scatter -a furthest-first -t path:4 -m store-forward --setup 7/2 -l 3 --packets 2",
		"gather -a nearest-first -t binary:2 -m store-forward --switching cut-through --setup 9 -l 2",
		"meet.csv -t path:3",
		"meet.csv -t mesh:3x2 --buffer 3 --hop 2 --vcs 2",
		"broadcast -a edst -t hypercube:3 -l 6 --copies 3 --faults drop:0.03 --faults seed:5",
	} {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "meet.csv"), []byte("1,0,2,6,0\n2,1,2,6,0\n3,2,0,4,1\n4,0,2,3,8\n5,1,0,3,9\n"), 0o644))
		got := meshwright(t, dir, append(append([]string{"run"}, strings.Fields(job)...), "--table", "model.csv")...)
		require.Zero(t, got.code, got.stderr)
		got = meshwright(t, dir, append(append([]string{"cosim"}, strings.Fields(job)...), "--simulator", "icarus", "--table", "icarus.csv")...)
		require.Zero(t, got.code, got.stderr)
		model, err := os.ReadFile(filepath.Join(dir, "model.csv"))
		require.NoError(t, err)
		icarus, err := os.ReadFile(filepath.Join(dir, "icarus.csv"))
		require.NoError(t, err)
		require.Equal(t, string(icarus), string(model), job)
		require.NotRegexp(t, `(?m)^0,.*\n1,+$`, string(model), "what waits is shown")
		if strings.HasPrefix(job, "meet") {
			require.Contains(t, string(model), "+", job)
		}
	}
}
