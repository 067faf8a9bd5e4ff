// SPDX-License-Identifier: Apache-2.0

package tdm

import (
	"bytes"
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/check"
)

const twoByTwo = "nel\n  nl\n   el\n"

func ExampleTable_Schedule() {
	table, err := Parse("2x2.tdm", strings.NewReader(twoByTwo))
	if err != nil {
		panic(err)
	}
	fmt.Println(table.Topology(), table.Cycles(), "cycles")
	for _, row := range table.Schedule().Rows[:3] {
		fmt.Println(row.Source, "to", row.Destination, "in cycle", row.Dispatch, "by", row.Route)
	}
	// Output:
	// torus:2x2 5 cycles
	// 0 to 3 in cycle 0 by [0 2 3]
	// 0 to 2 in cycle 2 by [0 2]
	// 0 to 1 in cycle 3 by [0 1]
}

func TestFormsAreOneTable(t *testing.T) {
	want, err := Parse("f", strings.NewReader(twoByTwo))
	require.NoError(t, err)
	for _, row := range []struct{ name, text string }{
		{"one line", "nel|  nl|   el|"},
		{"no l at all", "ne\n  n\n   e\n"},
		{"strings of a program", "  val t =\n \"nel|\" +\n \"  nl|\" +\n \"   el|\"\n"},
		{"strings of C", "\"nel|\"\\\n\"  nl|\"\\\n\"   el|\"\n"},
		{"comments, empty lines, line ends of another system", "# 2x2\r\n\r\nnel # first\r\n  nl\r\n\r\n   el\r\n"},
		{"mark of an editor", "\xef\xbb\xbfnel|  nl|   el"},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := parse("f", bytes.TrimPrefix([]byte(strings.Replace(row.text, "val t =", "", 1)), []byte("\xef\xbb\xbf")))
			require.NoError(t, err)
			require.Equal(t, want.Size, got.Size)
			require.Len(t, got.Messages, len(want.Messages))
			for i := range want.Messages {
				require.Equal(t, want.Messages[i].Hops, got.Messages[i].Hops)
				require.Equal(t, want.Messages[i].Dispatch, got.Messages[i].Dispatch)
			}
		})
	}
}

func TestBadTables(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"empty", "", "f: no messages (expected a message a line, such as nel)"},
		{"comments only", "# nel\n\n", "f: no messages (expected a message a line, such as nel)"},
		{"unknown letter", "nel\n  xl\n   el\n", `f:2: unknown letter "x", 2 characters in (expected links n, e, s, w and l at the end)`},
		{"capital", "Nel\n  nl\n   el\n", `f:1: unknown letter "N", 0 characters in (expected links n, e, s, w and l at the end)`},
		{"tab", "nel\n\tnl\n", `f:2: unknown letter "\t", 0 characters in (expected links n, e, s, w and l at the end)`},
		{"no ASCII", "nél\n", `f:1: unknown letter "é", 1 character in (expected links n, e, s, w and l at the end)`},
		{"no l", "nel\n  n\n   el\n", `f:2: message "n" does not end with l (expected l at the end, the cycle of delivery)`},
		{"behind l", "nel\n  nle\n   el\n", `f:2: "nle" goes on behind l (expected nothing behind l: the flit has left the network)`},
		{"l alone", "nel\n  l\n   el\n", `f:2: "l" takes no link (expected links before l)`},
		{"gap", "n el\n", `f:1: "n el" has a gap, 1 character in (expected a link for every cycle: no router keeps a flit)`},
		{"one message", "nel\n", `f: 1 message (expected 3, 8, 15 …: one to every other node of a square torus)`},
		{"no square", "nel|  nl|   el|    sl", `f: 4 messages (expected 3 or 8: one to every other node of a square torus)`},
		{"same offset", "nel\n  nl\n   sl\n", `f:3: message "s" goes 0 east and 1 south, as that of line 2 does (expected one for each offset; none goes 1 east and 0 south)`},
		{"back to the source", "nel\n  nl\n   ewl\n", `f:3: message "ew" comes back to its source on torus:2x2 (expected another node)`},
		{"around the torus", "nel\n  nl\n   eel\n", `f:3: message "ee" comes back to its source on torus:2x2 (expected another node)`},
		{"open quote", "\"nel|\n", "f:1: a quote without its second (expected \"nel|\" + or a bare nel)"},
		{"before the quote", "x \"nel|\"\n", `f:1: "x" (expected nothing before the quote)`},
		{"behind the quote", "\"nel|\" x\n", `f:1: "x" behind the quoted line (expected +, \ or nothing)`},
		{"too large", strings.Repeat("nl\n", 33*33-1), "f: a table for 33x33 nodes (expected at most 32x32)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := Parse("f", strings.NewReader(row.text))
			require.EqualError(t, err, row.want)
		})
	}
}

// The examples are at the floor of total exchange, free of collisions, and every
// flit arrives with its content in the cycle the table says.
func TestExamplesMeetTheFloor(t *testing.T) {
	files, err := filepath.Glob("../../examples/imports/*.tdm")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			table, err := Read(file)
			require.NoError(t, err)
			report, network := judge(t, table)
			require.True(t, report.OK)
			require.Equal(t, table.Cycles(), report.Cycles)
			require.Equal(t, map[int]router.Cycle{2: 5, 3: 10, 4: 18}[table.Size], report.Cycles)
			if table.Size > 2 { // a torus of 2 is a mesh here
				require.Equal(t, report.LowerBound, report.Cycles)
			}
			run, err := schedule.Execute(t.Context(), table.Schedule(), network, timeDivision(t))
			require.NoError(t, err)
			require.True(t, run.Delivered)
			require.Equal(t, table.Cycles(), run.Cycles)
			require.Zero(t, run.CollisionCount)
		})
	}
}

// Two flits that take one link in one cycle collide, at every node.
func TestCollidingTableIsFound(t *testing.T) {
	table, err := Parse("f", strings.NewReader("nel\nnl\n   el\n"))
	require.NoError(t, err)
	report, _ := judge(t, table)
	require.False(t, report.OK)
	require.NotZero(t, report.Collisions)
}

func timeDivision(t *testing.T) machine.Machine {
	t.Helper()
	f, err := machine.Open("bufferless")
	require.NoError(t, err)
	f.Machine.Ports, f.Machine.Channels = machine.AllPort, 1
	return f.Machine
}

func judge(t *testing.T, table *Table) (*check.Report, *topology.Topology) {
	t.Helper()
	network, err := topology.Parse(table.Topology())
	require.NoError(t, err)
	m, err := timeDivision(t).Resolve(network)
	require.NoError(t, err)
	report, err := check.Check(table.Schedule(), network, m)
	require.NoError(t, err)
	return report, network
}

const ours = "../../examples/imports/*.tdm"

var published = flag.String("published", ours, "tables to check: ours, or those published elsewhere: 'dir/*'")

// Files of tables take the times that are known of them.
func TestFilesOfTables(t *testing.T) {
	cycles := map[int]router.Cycle{2: 5, 3: 10, 4: 19, 5: 27, 6: 42, 7: 58, 8: 87, 9: 113, 10: 157}
	if *published == ours {
		cycles[4] = 18 // at the floor
	}
	files, err := filepath.Glob(*published)
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		table, err := Read(file)
		require.NoError(t, err)
		report, _ := judge(t, table)
		require.True(t, report.OK, file)
		require.Equal(t, cycles[table.Size], report.Cycles, file)
		require.Equal(t, table.Cycles(), report.Cycles, file)
	}
}
