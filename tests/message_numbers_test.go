// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"meshwright/capture"
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/schedule"
)

// numberedRuns are the runs whose message numbers are looked at.
var numberedRuns = []struct{ topology, preset string }{
	{"path:5", "bufferless"}, {"path:6", "wormhole"}, {"torus:3x3", "paragon"}, {"mesh:3x3", "wormhole"}, {"mesh:3x2", "store-forward"},
	{"binary:2", "bufferless"}, {"hypercube:3", "wormhole"},
}

// In the trace of every algorithm's run a message's number has one source, one
// destination and one kind, which the trace names. Its flits follow one another over
// each link, and number and flit determine the word. The schedule of the run has the
// same numbers. Searches end early, with some schedule. Without a soak every other network runs, one of each machine.
func TestMessageNumbersAreUnique(t *testing.T) {
	traced, algorithms := map[string]int{}, map[string]bool{}
	for _, network := range soak.Some(1, numberedRuns) {
		for _, a := range collective.Table() {
			if plan := planned(t, network.topology, network.preset, a); plan != nil {
				t.Run(fmt.Sprint(a.Collective, " ", a.Name, " ", network.topology, " ", network.preset), func(t *testing.T) { requireNumbers(t, plan) })
				traced[a.Collective]++
				algorithms[a.Name] = true
			}
		}
	}
	for _, kind := range plan.Kinds() {
		require.GreaterOrEqual(t, traced[kind.Name], 3, kind.Name)
	}
	for name := range controls {
		require.True(t, algorithms[name], name)
	}
}

// planned is an algorithm's plan on a network, nil where it does not run.
func planned(t *testing.T, spec, preset string, a collective.Algorithm) *collective.Plan {
	t.Helper()
	top, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	m.Startup = min(m.Startup, 20)
	j := collective.Job{Topology: top, Machine: m, Root: 1, Lengths: make([]int, top.Nodes()), Seed: 3, Limit: 50 * time.Millisecond}
	if a.Name == "search" {
		j.Steps = 50
	}
	kind, err := plan.KindOf(a.Collective)
	require.NoError(t, err)
	for n := range j.Lengths {
		if router.NodeID(n) != j.Root || kind.Holders != plan.AllButRoot {
			j.Lengths[n] = 3
		}
	}
	plan, err := collective.Generate(t.Context(), a.Collective, a.Name, j)
	if err != nil {
		return nil
	}
	return plan
}

func requireNumbers(t *testing.T, plan *collective.Plan) {
	path := filepath.Join(t.TempDir(), "run.csv")
	var trace capture.Capture
	r, err := collective.Execute(t.Context(), plan, func(n *fabric.Network) (err error) {
		trace, err = capture.Open(path, n, capture.Options{})
		n.Attach(trace)
		return err
	})
	require.NoError(t, err)
	require.NoError(t, trace.Close())
	requireKinds(t, plan, r.Log)
	kinds := map[string]router.Kind{}
	for _, sent := range r.Log {
		number := strconv.FormatInt(r.Network.Number(sent.Serial), 10)
		require.NotContains(t, kinds, number)
		kinds[number] = sent.Kind
	}
	ends := map[string]string{}
	for _, row := range schedule.FromLog(r.Network, false).Rows {
		ends[strconv.Itoa(int(row.Message))] = fmt.Sprint(row.Source, " ", row.Destination, " ", row.Flits)
	}
	requireTrace(t, path, kinds, ends)
}

// requireTrace checks a trace's rows against what is known of the messages.
func requireTrace(t *testing.T, path string, kinds map[string]router.Kind, ends map[string]string) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Equal(t, "cycle,from,to,source,destination,message,flit,value,kind", strings.Join(rows[0], ","))
	values, next := map[string]string{}, map[string]int{}
	for _, row := range rows[1:] {
		link, message := row[1]+">"+row[2], row[5]
		require.Contains(t, kinds, message)
		flits := next[message+" on "+link] + 1
		require.Equal(t, strconv.Itoa(flits), row[6], "message %s on %s", message, link)
		next[message+" on "+link] = flits
		require.Equal(t, kinds[message].String(), row[8], "message %s on %s", message, link)
		if kinds[message] != router.Data {
			require.Equal(t, "1", row[6])
		}
		key := message + "." + row[6]
		if old, seen := values[key]; seen {
			require.Equal(t, old, row[7], key)
		}
		values[key] = row[7]
		require.True(t, strings.HasPrefix(ends[message], row[3]+" "+row[4]+" "), "message %s from %s to %s is %s in the schedule", message, row[3], row[4], ends[message])
	}
	for on, flits := range next {
		message, _, _ := strings.Cut(on, " ")
		require.True(t, strings.HasSuffix(ends[message], " "+strconv.Itoa(flits)), "%s: %d flits, %s", on, flits, ends[message])
	}
}

// controls are the kinds of control words that algorithms send; those not named here
// send none.
var controls = map[string][]router.Kind{
	"shoulder-tap": {router.Order}, "certification": {router.Order, router.Token, router.Certificate},
	"certification-tight": {router.Order, router.Token, router.Certificate}, "certification-parallel": {router.Order, router.Token, router.Certificate},
	"certification-ii": {router.Order, router.Token, router.Certificate},
}

// requireKinds checks the kind of every control word against its direction: tokens and
// orders go away from the root of a gather, certificates towards it.
func requireKinds(t *testing.T, plan *collective.Plan, log []fabric.Sent) {
	t.Helper()
	depth := topology.BreadthFirst(plan.Topology, plan.Root).Depth
	if plan.Tree != nil {
		depth = plan.Tree.Depth
	}
	var kinds []router.Kind
	for _, sent := range log {
		if sent.Kind == router.Data {
			continue
		}
		require.Equal(t, 1, sent.Length)
		outward := depth[sent.Destination] > depth[sent.Source]
		require.Equal(t, sent.Kind != router.Certificate, outward, "%v from %d to %d", sent.Kind, sent.Source, sent.Destination)
		kinds = append(kinds, sent.Kind)
	}
	slices.Sort(kinds)
	if plan.Chosen == nil {
		require.Equal(t, controls[plan.Algorithm], slices.Compact(kinds))
	}
}

// With sync, a receiver sends its token before the sender sends its data, and nothing
// but tokens is a control word.
func TestTokensOfReceiversPrecedeTheirData(t *testing.T) {
	dir := t.TempDir()
	got := meshwright(t, dir, strings.Fields("run gossip -t ring:6 -m paragon -a circgos --sync --length 3 --trace trace.csv")...)
	require.Equal(t, 0, got.code, got.stderr)
	text, err := os.ReadFile(filepath.Join(dir, "trace.csv"))
	require.NoError(t, err)
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	require.NoError(t, err)
	granted, tokens := map[string]int{}, 0
	for _, row := range rows[1:] {
		from, to, first := row[3], row[4], row[6] == "1" && row[1] == row[3]
		switch {
		case row[8] == "token":
			require.Equal(t, "1", row[6])
			granted[to+">"+from]++
			tokens++
		case first:
			require.Equal(t, "data", row[8])
			granted[from+">"+to]--
			require.GreaterOrEqual(t, granted[from+">"+to], 0, "%v", row)
		default:
			require.Equal(t, "data", row[8])
		}
	}
	require.Positive(t, tokens)
}

// A schedule's run keeps the numbers of its rows, in traces, in the schedule that it
// writes, and in collisions.
func TestSchedulesKeepTheirNumbers(t *testing.T) {
	dir := t.TempDir()
	text := "message,source,destination,flits,dispatch\n70,0,3,2,0\n9,1,3,2,0\n0,3,0,1,2\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "in.csv"), []byte(text), 0o644))
	got := meshwright(t, dir, strings.Fields("run in.csv -t path:4 --schedule out.csv --trace trace.csv")...)
	require.Equal(t, 0, got.code, got.stderr)
	for _, file := range []string{"out.csv", "trace.csv"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
		require.NoError(t, err)
		column := map[string]int{"out.csv": 0, "trace.csv": 5}[file]
		numbers := map[string]bool{}
		for _, row := range rows[1:] {
			numbers[row[column]] = true
		}
		require.Equal(t, map[string]bool{"70": true, "9": true, "0": true}, numbers, file)
	}
	trace, err := os.ReadFile(filepath.Join(dir, "trace.csv"))
	require.NoError(t, err)
	require.Equal(t, 2*3+2*2+3, strings.Count(string(trace), ",data\n"), "a schedule's messages are data")
	clash := "message,source,destination,flits,dispatch\n70,0,2,2,0\n9,1,3,2,1\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "clash.csv"), []byte(clash), 0o644))
	got = meshwright(t, dir, strings.Fields("run clash.csv -t path:4 -m bufferless --nic.channels links --ports all")...)
	require.Equal(t, 1, got.code, got.stderr)
	require.Contains(t, got.stdout, "message 9 lost to message 70")
}
