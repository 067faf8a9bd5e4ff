// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/soak"
)

// columnsOf reads a CSV as maps from column to field.
func columnsOf(t *testing.T, path string) []map[string]string {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	var table []map[string]string
	for _, row := range rows[1:] {
		fields := map[string]string{}
		for i, name := range rows[0] {
			fields[name] = row[i]
		}
		table = append(table, fields)
	}
	return table
}

// cycles reads a time, exactly.
func cycles(t *testing.T, text string) *big.Rat {
	t.Helper()
	x, ok := new(big.Rat).SetString(text)
	require.True(t, ok, "%q", text)
	return x
}

// The times of messages agree with the trace, with their own sum and with the
// time of the run.
func TestMessagesAgreeWithTraceAndCycles(t *testing.T) {
	for _, args := range []string{
		"gossip -t mesh:3x3 --length 3",
		"scatter -t torus:4x4 --length 5 --startup 7",
		"exchange -t mesh:3x3 --length 2 --algorithm direct",
		"gather -t path:6 -m bufferless --lengths 2,3,0,2,1 --algorithm shoulder-tap",
		"broadcast -t hypercube:3 --length 9 --routing source",
		"scatter -t mesh:3x3 -m store-forward --setup 2/3 --length 4",
	} {
		t.Run(args, func(t *testing.T) {
			dir := t.TempDir()
			got := meshwright(t, dir, strings.Fields("run "+args+" --messages m.csv --trace t.csv --schedule s.csv --json")...)
			require.Zero(t, got.code, got.stderr)
			var result struct {
				Quiet json.Number `json:"quiet_cycles"`
			}
			require.NoError(t, json.Unmarshal([]byte(got.stdout), &result))
			first, last := map[string]int{}, map[string]int{} // crossings of a message
			for _, row := range columnsOf(t, filepath.Join(dir, "t.csv")) {
				cycle, err := strconv.Atoi(row["cycle"])
				require.NoError(t, err)
				if _, ok := first[row["message"]]; !ok {
					first[row["message"]] = cycle
				}
				last[row["message"]] = cycle
			}
			dispatch := map[string]string{}
			for _, row := range columnsOf(t, filepath.Join(dir, "s.csv")) {
				dispatch[row["message"]] = row["dispatch"]
			}
			messages := columnsOf(t, filepath.Join(dir, "m.csv"))
			require.Len(t, messages, len(last))
			end := new(big.Rat)
			for _, m := range messages {
				sum := cycles(t, m["sent"])
				for _, part := range []string{"startup", "waiting", "transfer"} {
					sum.Add(sum, cycles(t, m[part]))
				}
				require.Equal(t, cycles(t, m["last_arrival"]), sum, m)
				if strings.Contains(args, "store-forward") {
					continue // there trace and schedule count ticks
				}
				require.Equal(t, dispatch[m["message"]], m["dispatch"], m)
				require.LessOrEqual(t, cycles(t, m["dispatch"]).Cmp(big.NewRat(int64(first[m["message"]]), 1)), 0, m)
				// A channel a link: the PE takes the tail in the cycle after its last crossing.
				require.Equal(t, strconv.Itoa(last[m["message"]]+2), m["last_arrival"], m)
				if arrival := cycles(t, m["last_arrival"]); arrival.Cmp(end) > 0 {
					end = arrival
				}
			}
			if end.Sign() > 0 && result.Quiet != "" {
				require.Equal(t, cycles(t, result.Quiet.String()), end)
			}
		})
	}
}

// The checker, which simulates nothing, knows the same times as the run of the
// same schedule: without buffers, and of packets in fractions of a cycle.
func TestCheckedMessagesAreThoseOfTheRun(t *testing.T) {
	for _, row := range []struct{ collective, machine string }{
		{"exchange", "-t torus:3x3 -m bufferless --ports all"},
		{"gather --algorithm nearest-first", "-t mesh:3x3 -m bufferless --startup 3"},
		{"gather --algorithm nearest-first", "-t mesh:3x3 -m store-forward --setup 1/3"},
		{"scatter", "-t binary:3 -m store-forward --setup 1 --startup 2 --flit 3"},
		{"scatter", "-t mesh:3x3 -m store-forward --switching cut-through --setup 1/2"},
	} {
		t.Run(row.collective+" "+row.machine, func(t *testing.T) {
			dir := t.TempDir()
			for _, line := range []string{
				"run " + row.collective + " " + row.machine + " --schedule s.csv",
				"run s.csv " + row.machine + " --messages run.csv",
				"check s.csv " + row.machine + " --messages check.csv",
			} {
				got := meshwright(t, dir, strings.Fields(line)...)
				require.Zero(t, got.code, got.stdout+got.stderr)
			}
			byNumber := func(path string) map[string]map[string]string {
				rows := map[string]map[string]string{}
				for _, row := range columnsOf(t, filepath.Join(dir, path)) {
					rows[row["message"]] = row
				}
				return rows
			}
			run := byNumber("run.csv")
			require.NotEmpty(t, run)
			require.Equal(t, run, byNumber("check.csv"))
		})
	}
}

// What both simulators show, flit by flit, is when messages leave and arrive. Verilator, whose tables
// are the papers' in TestThreeWitnesses, shows it in a soak.
func TestSimulatedMessagesAreThoseOfTheModel(t *testing.T) {
	need(t, "iverilog", "iverilog make")
	need(t, "verilator", "verilator g++ make")
	simulator := "icarus"
	if soak.On() {
		simulator = "both"
	}
	dir := t.TempDir()
	// No source takes or passes on a flit in the cycle of its dispatch, so that the table
	// shows the dispatch. Messages 1 and 7 want the link from 1 to 2 at once.
	schedule := "1,0,2,4,0\n2,3,5,3,0\n3,0,5,2,1\n4,3,2,5,2\n5,0,8,1,9\n6,6,5,3,0\n7,1,5,3,0\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "s.csv"), []byte(schedule), 0o644))
	got := meshwright(t, dir, strings.Fields("cosim s.csv -t mesh:3x3 --simulator "+simulator+" --table t.csv --messages m.csv")...)
	require.Zero(t, got.code, got.stdout+got.stderr)
	table := columnsOf(t, filepath.Join(dir, "t.csv"))
	when := func(message, flit, node string) string {
		for _, row := range table {
			for cell := range strings.FieldsSeq(row["P"+node]) {
				if cell == "m"+message+"."+flit {
					return row["step"]
				}
			}
		}
		return "never"
	}
	waited := false
	for _, m := range columnsOf(t, filepath.Join(dir, "m.csv")) {
		require.Equal(t, when(m["message"], "1", m["source"]), m["dispatch"], m)
		waited = waited || m["waiting"] != "0"
		for flit, column := range map[string]string{"1": "first_arrival", m["flits"]: "last_arrival"} {
			arrived, err := strconv.Atoi(when(m["message"], flit, m["destination"]))
			require.NoError(t, err, m)
			require.Equal(t, strconv.Itoa(arrived+1), m[column], fmt.Sprint(m, column))
		}
	}
	require.True(t, waited)
}
