// SPDX-License-Identifier: Apache-2.0

package capture_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/capture"
	"meshwright/fabric"
	"meshwright/internal/input"
	"meshwright/router"
)

// capturedRun runs a scenario with a capture at path and returns what the
// plain twin saw.
func capturedRun(t *testing.T, sc scenario, path string, opts capture.Options) (*fabric.Network, []record) {
	t.Helper()
	net := network(t, sc.topology, sc.preset, sc.change)
	twin := &recorder{}
	net.Attach(twin)
	c, err := capture.Open(path, net, opts)
	require.NoError(t, err)
	net.Attach(c)
	run(t, net, sc.lines)
	require.NoError(t, c.Close())
	require.NotEmpty(t, twin.seen)
	return net, twin.seen
}

func TestCSVHasEveryCrossing(t *testing.T) {
	for _, sc := range scenarios() {
		t.Run(sc.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run.csv")
			_, seen := capturedRun(t, sc, path, capture.Options{})
			want := [][]string{{"cycle", "from", "to", "source", "destination", "message", "flit", "value", "kind"}}
			for _, r := range seen {
				want = append(want, rowOf(r))
			}
			require.Equal(t, want, readCSV(t, path))
		})
	}
}

func rowOf(r record) []string {
	var row []string
	for _, v := range []int64{
		int64(r.Cycle), int64(r.From), int64(r.To), int64(r.Source), int64(r.Destination), r.number(), int64(r.Flit), int64(r.Value),
	} {
		row = append(row, strconv.FormatInt(v, 10))
	}
	return append(row, map[router.Kind]string{0: "data", 1: "order", 2: "token", 3: "certificate"}[r.Worm.Kind])
}

// The token, the certificates, the orders and the data of a gather by certification
// each have their own word in the trace.
func TestCSVTellsControlFromData(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.csv")
	capturedRun(t, scenario{topology: "path:6", preset: "bufferless", lines: figures["fig4"]}, path, capture.Options{})
	counts := map[string]int{}
	for _, row := range readCSV(t, path)[1:] {
		counts[row[8]]++
	}
	require.Equal(t, map[string]int{"token": 5, "certificate": 5, "order": 5, "data": 2*1 + 3*2 + 2*4 + 1*5}, counts)
}

func readCSV(t *testing.T, path string) [][]string {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	return rows
}

func TestCSVOfScatter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.CSV")
	capturedRun(t, scenarios()[0], path, capture.Options{})
	got, err := os.ReadFile(path)
	require.NoError(t, err)
	golden(t, "testdata/fig1a_trace.csv", got)
}

func TestWindow(t *testing.T) {
	sc := scenarios()[2]
	tests := []struct {
		name string
		opts capture.Options
		keep func(r record) bool
	}{
		{"cycles", capture.Options{From: 10, Until: 20}, func(r record) bool { return r.Cycle >= 10 && r.Cycle < 20 }},
		{"to the end", capture.Options{From: 30}, func(r record) bool { return r.Cycle >= 30 }},
		{"nodes", capture.Options{Nodes: []router.NodeID{5, 6}}, func(r record) bool {
			return r.From == 5 || r.From == 6 || r.To == 5 || r.To == 6
		}},
		{"both", capture.Options{Until: 15, Nodes: []router.NodeID{0}}, func(r record) bool {
			return r.Cycle < 15 && (r.From == 0 || r.To == 0)
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "run.csv")
			_, seen := capturedRun(t, sc, path, test.opts)
			var want [][]string
			for _, r := range seen {
				if test.keep(r) {
					want = append(want, rowOf(r))
				}
			}
			require.NotEmpty(t, want)
			require.Less(t, len(want), len(seen))
			require.Equal(t, want, readCSV(t, path)[1:])
		})
	}
}

// A capture lets the clock skip, and changes no result.
func TestCapturesDoNotDisturb(t *testing.T) {
	dir := t.TempDir()
	for _, sc := range scenarios() {
		plain := network(t, sc.topology, sc.preset, sc.change)
		plain.KeepLog()
		run(t, plain, sc.lines)

		watched := network(t, sc.topology, sc.preset, sc.change)
		watched.KeepLog()
		var open []capture.Capture
		for _, extension := range capture.Extensions() {
			c, err := capture.Open(filepath.Join(dir, "run"+extension), watched, capture.Options{})
			require.NoError(t, err)
			open = append(open, c)
		}
		c, err := capture.OpenTable(filepath.Join(dir, "table"), watched, capture.Options{Until: 1000})
		require.NoError(t, err)
		open = append(open, c)
		steps := &stepCounter{}
		for _, c := range open {
			watched.Attach(c)
		}
		watched.Attach(steps)
		run(t, watched, sc.lines)
		for _, c := range open {
			require.NoError(t, c.Close())
		}
		require.Equal(t, plain.Log(), watched.Log(), sc.name)
		require.Equal(t, plain.LinkUse(), watched.LinkUse(), sc.name)
		if sc.name == "idle for long" {
			require.Less(t, steps.count, int(watched.Now())/10, "idle cycles are skipped")
		}
	}
}

type stepCounter struct{ count int }

func (c *stepCounter) Evaluate(fabric.Signals) { c.count++ }
func (c *stepCounter) Update(fabric.Signals)   {}
func (c *stepCounter) Wakes() router.Cycle     { return fabric.Never }

// With all flits seen, what is at a node follows from the trace: every
// crossing of a flit starts where the one before it ended, hop cycles later at
// the earliest.
func TestTraceIsContinuous(t *testing.T) {
	for _, sc := range scenarios() {
		net := network(t, sc.topology, sc.preset, sc.change)
		twin := &recorder{}
		net.Attach(twin)
		run(t, net, sc.lines)
		type flit struct {
			serial int32
			index  uint32
		}
		last := map[flit]record{}
		for _, r := range twin.seen {
			key := flit{r.Worm.Message, r.Flit}
			before, known := last[key]
			if !known {
				require.Equal(t, r.Source, r.From)
			} else {
				require.Equal(t, before.To, r.From)
				require.GreaterOrEqual(t, r.Cycle, before.Cycle+router.Cycle(net.Machine.Hop))
			}
			last[key] = r
		}
	}
}

func TestOpenErrors(t *testing.T) {
	net := network(t, "mesh:4x4", "wormhole", nil)
	dir := t.TempDir()
	tests := []struct {
		name, file string
		opts       capture.Options
		want       string
	}{
		{"unknown extension", "run.pcap", capture.Options{}, `unknown kind of trace ".pcap" (expected a name ending in .csv .html .pcapng .pftrace .svg)`},
		{"no extension", "run", capture.Options{}, `unknown kind of trace without an extension (expected a name ending in .csv .html .pcapng .pftrace .svg)`},
		{"window", "run.csv", capture.Options{From: 5, Until: 5}, "window of cycles from 5 until 5 (expected 0 <= from < until)"},
		{"window below 0", "run.csv", capture.Options{From: -1}, "window of cycles from -1 until 0 (expected 0 <= from < until)"},
		{"node", "run.csv", capture.Options{Nodes: []router.NodeID{3, 16}}, "node 16 is not in mesh:4x4 (nodes 0 to 15)"},
		{"picture", "run.svg", capture.Options{Picture: "laod"}, `unknown picture "laod" (did you mean load?)`},
		{"space-time of a mesh", "run.svg", capture.Options{Picture: capture.SpaceTime},
			"mesh:4x4 has no order of nodes for a space-time picture (expected a path or ring, or picture load)"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := capture.Open(filepath.Join(dir, test.file), net, test.opts)
			var bad *input.Error
			require.ErrorAs(t, err, &bad)
			require.Equal(t, test.want, strings.TrimPrefix(err.Error(), filepath.Join(dir, test.file)+": "))
		})
	}
	_, err := capture.Open(filepath.Join(dir, "no", "run.csv"), net, capture.Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = capture.OpenTable(filepath.Join(dir, "no", "run.csv"), net, capture.Options{})
	require.ErrorIs(t, err, os.ErrNotExist)
	_, err = capture.OpenTable(filepath.Join(dir, "run.csv"), net, capture.Options{Nodes: []router.NodeID{-1}})
	require.EqualError(t, err, "node -1 is not in mesh:4x4 (nodes 0 to 15)")
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Empty(t, left)
}

func TestNothingHalfWritten(t *testing.T) {
	dir := t.TempDir()
	for _, extension := range append(capture.Extensions(), "table") {
		path := filepath.Join(dir, "run"+extension)
		require.NoError(t, os.WriteFile(path, []byte("old"), 0o644))
		net := network(t, "path:6", "bufferless", nil)
		c, err := capture.OpenTable(path, net, capture.Options{})
		if extension != "table" {
			require.NoError(t, c.Abort())
			c, err = capture.Open(path, net, capture.Options{})
		}
		require.NoError(t, err)
		net.Attach(c)
		run(t, net, figures["fig1a"])
		require.NoError(t, c.Abort())
		require.Error(t, c.Close(), "there is nothing to close after Abort")
		got, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, "old", string(got))
	}
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, len(capture.Extensions())+1, "no temporary files")
}

// A finished capture is complete, and at its path only when committed.
func TestFinishThenCommit(t *testing.T) {
	for _, extension := range capture.Extensions() {
		path := filepath.Join(t.TempDir(), "run"+extension)
		net := network(t, "path:6", "bufferless", nil)
		c, err := capture.Open(path, net, capture.Options{})
		require.NoError(t, err)
		net.Attach(c)
		run(t, net, figures["fig1a"])
		require.NoError(t, c.Finish())
		require.NoFileExists(t, path)
		require.NoError(t, c.Commit())
		require.FileExists(t, path)
		require.NoError(t, c.Abort())
		require.FileExists(t, path)
	}
}

// A disk that is full makes Close fail, not the run.
func TestFullDisk(t *testing.T) {
	const device = "/dev/full"
	if _, err := os.Stat(device); err != nil {
		t.Fatalf("this test needs %s: %v", device, err)
	}
	dir := t.TempDir()
	for _, extension := range capture.Extensions() {
		path := filepath.Join(dir, "run"+extension)
		require.NoError(t, os.Symlink(device, path))
		net := network(t, "path:6", "bufferless", nil)
		c, err := capture.Open(path, net, capture.Options{})
		require.NoError(t, err, extension)
		net.Attach(c)
		run(t, net, figures["fig1a"])
		require.ErrorContains(t, c.Close(), "no space left", extension)
	}
}
