// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

var update = flag.Bool("update", false, "write golden files")

func Example() {
	s, err := Parse("s.csv", strings.NewReader("1,0,5,3,0 # along x, then y\n2,0,4,1,3,0>3>4\n"))
	if err != nil {
		fmt.Println(err)
		return
	}
	mesh, _ := topology.Parse("mesh:3x2")
	fmt.Println(s.Validate(mesh))
	s.Write(os.Stdout)
	s.Rows[1].Route = []router.NodeID{0, 4}
	fmt.Println(s.Validate(mesh))
	// Output:
	// <nil>
	// message,source,destination,flits,dispatch,route
	// 1,0,5,3,0,
	// 2,0,4,1,3,0>3>4
	// s.csv:2: message 2: no link from 0 to 4 (expected a route along the links of mesh:3x2)
}

const wanted = " (" + wantBlocks + ")"

const want = " (expected " + columnsShown + ")"

func TestParseFaults(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"four columns", "# c\n1,2,3,4\n", "s.csv:2: 4 columns" + want},
		{"eight columns", "1,2,3,4,5,0>1,7,8\n", "s.csv:1: 8 columns" + want},
		{"one word", "hello\n", "s.csv:1: 1 column" + want},
		{"semicolons", "1;0;3;10;0\n", "s.csv:1: 1 column (expected " + columnsShown + ", separated by commas)"},
		{"semicolons of a header", "message;source;destination;flits;dispatch\n", "s.csv:1: 1 column (expected " + columnsShown + ", separated by commas)"},
		{"quotes around a whole row", "\"1;0;3;10;0\"\n", "s.csv:1: 1 column (expected " + columnsShown + ", separated by commas)"},
		{"trace of packets", "cycle,source,destination,flits\n0,0,1,4\n", `s.csv:1: a trace of packets (expected message,source,destination,flits,dispatch[,route][,blocks]; traffic --pattern trace:FILE runs such a trace)`},
		{"misspelt header", "message,source,destinaton,flits,dispatch\n", `s.csv:1: unknown column "destinaton" (did you mean destination?)`},
		{"long header", "message,source,destination,flits,dispatch,route,x\n", `s.csv:1: unknown column "x" (expected one of message, source, destination, flits, dispatch, route, blocks)`},
		{"column twice", "message,source,source,flits,dispatch\n", `s.csv:1: column "source" twice (expected message,source,destination,flits,dispatch[,route][,blocks], in any order)`},
		{"column missing", "flits,message,source,destination\n", `s.csv:1: no column "dispatch" (expected message,source,destination,flits,dispatch[,route][,blocks], in any order)`},
		{"too few for the header", "source,message,destination,flits,dispatch\n1,2,3,4\n", "s.csv:2: 4 columns (expected 5, as in the header)"},
		{"too many for the header", "source,message,destination,flits,dispatch\n1,2,3,4,5,6\n", "s.csv:2: 6 columns (expected 5, as in the header)"},
		{"no route before the others", "route,message,source,destination,flits,dispatch\n1,2,3,4,5\n", "s.csv:2: 5 columns (expected 6, as in the header)"},
		{"header twice", "message,source,destination,flits,dispatch\nmessage,source,destination,flits,dispatch\n", `s.csv:2: message "message" (expected a whole number)`},
		{"no number", "1,0,x,1,0\n", `s.csv:1: destination "x" (expected a whole number)`},
		{"fraction", "1,0,1,1.5,0\n", `s.csv:1: flits "1.5" (expected a whole number)`},
		{"empty field", "1,0,1,1,\n", `s.csv:1: dispatch "" (expected a whole number)`},
		{"only a sign", "1,-,1,1,0\n", `s.csv:1: source "-" (expected a whole number)`},
		{"control bytes", "1,\x00\xff,1,1,0\n", `s.csv:1: not a text (expected a text file)`},
		{"control bytes, no zero", "1,\x01\xff,1,1,0\n", `s.csv:1: source "\x01\xff" (expected a whole number)`},
		{"too large", "1,0,1,1,99999999999999\n", `s.csv:1: dispatch "99999999999999" (expected at most 1099511627776)`},
		{"twenty digits", "1,0,1,1,99999999999999999999\n", `s.csv:1: dispatch "99999999999999999999" (expected at most 1099511627776)`},
		{"twenty digits below 0", "1,0,1,1,-99999999999999999999\n", `s.csv:1: dispatch "-99999999999999999999" (expected 0 or more)`},
		{"twenty digits that are none", "1,0,1,1,9999999999999999999x\n", `s.csv:1: dispatch "9999999999999999999x" (expected a whole number)`},
		{"node of twenty digits", "1,0,1,1,0,0>99999999999999999999\n", `s.csv:1: route: "99999999999999999999" is not a node (expected nodes joined by >, such as 0>1>5)`},
		{"too long", "1,0,1,1073741825,0\n", `s.csv:1: flits "1073741825" (expected at most 1073741824)`},
		{"route of words", "1,0,1,1,0,0>b\n", `s.csv:1: route: "b" is not a node (expected nodes joined by >, such as 0>1>5)`},
		{"route with a gap", "1,0,1,1,0,0>>1\n", `s.csv:1: route: "" is not a node (expected nodes joined by >, such as 0>1>5)`},
		{"blocks in place of the route", "1,0,1,1,0,0-3+7\n", `s.csv:1: route: "0-3+7" is not a node (expected nodes joined by >, such as 0>1>5; blocks are another column, behind it)`},
		{"blocks of words", "1,0,1,1,0,,a\n", `s.csv:1: blocks: "a"` + wanted},
		{"blocks with a gap", "1,0,1,1,0,,0++1\n", `s.csv:1: blocks: ""` + wanted},
		{"blocks backwards", "1,0,1,1,0,,3-1\n", `s.csv:1: blocks: "3-1"` + wanted},
		{"blocks below 0", "1,0,1,1,0,,-1\n", `s.csv:1: blocks: "-1"` + wanted},
		{"blocks as a route", "1,0,1,1,0,,0>1>2\n", `s.csv:1: blocks: "0>1>2"` + wanted},
		{"blocks without words", "1,0,1,1,0,,0@\n", `s.csv:1: blocks: "0@"` + wanted},
		{"block of ten digits", "1,0,1,1,0,,9999999999\n", `s.csv:1: blocks: "9999999999"` + wanted},
		{"blocks before the others", "blocks,message,source,destination,flits,dispatch\n1,2,3,4,5\n", "s.csv:2: 5 columns (expected 6, as in the header)"},
		{"more than blocks", "message,source,destination,flits,dispatch,blocks\n1,2,3,4,5,6,7\n", "s.csv:2: 7 columns (expected 6, as in the header)"},
		{"empty", "", "s.csv: no messages (expected rows of " + columnsShown + ")"},
		{"comments only", "# nothing\n\n", "s.csv: no messages (expected rows of " + columnsShown + ")"},
		{"header only", "message,source,destination,flits,dispatch\n", "s.csv: no messages (expected rows of " + columnsShown + ")"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := Parse("s.csv", strings.NewReader(row.text))
			require.EqualError(t, err, row.want)
			var fault *input.Error
			require.True(t, errors.As(err, &fault))
		})
	}
}

// Columns in any order are the same schedule.
func TestParseColumnsInAnyOrder(t *testing.T) {
	const rows = "7,0,5,3,2,0>1>5,0-2+7\n9,2,4,1,3,2>3>4,2@0-1\n"
	want, err := Parse("s.csv", strings.NewReader(withAll+"\n"+rows))
	require.NoError(t, err)
	random := rand.New(rand.NewPCG(5, 6))
	for range 100 {
		order := random.Perm(7)
		var text strings.Builder
		for _, line := range strings.Split(withAll+"\n"+strings.TrimSpace(rows), "\n") {
			fields, row := strings.Split(line, ","), make([]string, 7)
			for i, column := range order {
				row[i] = fields[column]
			}
			fmt.Fprintln(&text, strings.Join(row, " , "))
		}
		got, err := Parse("s.csv", strings.NewReader(text.String()))
		require.NoError(t, err, text.String())
		require.Equal(t, want.Rows, got.Rows, text.String())
	}
	short, err := Parse("s.csv", strings.NewReader("dispatch,message,source,destination,flits,route\n2,7,0,5,3\n"))
	require.NoError(t, err)
	require.Equal(t, []Row{{Message: 7, Destination: 5, Flits: 3, Dispatch: 2, Line: 2}}, short.Rows)
}

// What messages carry, as files have it, and how many flits that is in blocks of four.
func TestBlocks(t *testing.T) {
	for _, row := range []struct {
		text  string
		flits int
		want  Blocks
	}{
		{"3", 4, Blocks{BlockOf(3)}},
		{" 0 - 2 + 7", 16, Blocks{{From: 0, Last: 2}, BlockOf(7)}},
		{"1>0", 4, Blocks{PairOf(1, 0)}},
		{"0-3>2-5", 56, Blocks{{From: 0, Last: 3, Pairs: true, To: 2, LastTo: 5}}}, // without 2>2 and 3>3
		{"3@1", 1, Blocks{BlockOf(3).Words(1, 1)}},
		{"0-1@2-3+5", 8, Blocks{{From: 0, Last: 1, Part: true, First: 2, End: 3}, BlockOf(5)}},
		{"0>1@0-2", 3, Blocks{PairOf(0, 1).Words(0, 3)}},
		{" * ", 4, Blocks{SumOf()}},
		{"*@0-1+3@2-3", 4, Blocks{SumOf().Words(0, 2), BlockOf(3).Words(2, 2)}},
		{"", 0, nil},
	} {
		for _, text := range []string{"1,0,1,1,0,," + row.text, "message,source,destination,flits,dispatch,blocks\n1,0,1,1,0," + row.text, "blocks,message,source,destination,flits,dispatch\n" + row.text + ",1,0,1,1,0"} {
			s, err := Parse("s.csv", strings.NewReader(text))
			require.NoError(t, err, text)
			require.Equal(t, row.want, s.Rows[0].Blocks, text)
			require.Equal(t, row.flits, s.Rows[0].Blocks.Flits(4), text)
			require.Equal(t, strings.ReplaceAll(row.text, " ", ""), s.Rows[0].Blocks.String())
			requireRoundTrip(t, s)
		}
	}
	joined := Blocks{}.Join(BlockOf(0)).Join(BlockOf(1)).Join(BlockOf(3)).Join(BlockOf(4).Words(0, 2)).Join(BlockOf(5).Words(0, 2)).Join(PairOf(6, 1)).Join(PairOf(7, 1)).Join(SumOf()).Join(BlockOf(1))
	require.Equal(t, "0-1+3+4-5@0-1+6>1+7>1+*+1", joined.String())
	for from := range joined[len(joined)-2].All() {
		require.Fail(t, "a node of a sum", "%d", from)
	}
}

func TestValidateFaults(t *testing.T) {
	for _, row := range []struct{ name, rows, want string }{
		{"source", "1,9,1,1,0", "s.csv:1: message 1: source 9 (expected a node from 0 to 8)"},
		{"negative source", "1,-1,1,1,0", "s.csv:1: message 1: source -1 (expected a node from 0 to 8)"},
		{"destination", "1,0,1,1,0 2,0,12,1,0", "s.csv:2: message 2: destination 12 (expected a node from 0 to 8)"},
		{"to itself", "1,4,4,1,0", "s.csv:1: message 1: source and destination are both 4 (expected two different nodes)"},
		{"no flits", "1,0,1,0,0", "s.csv:1: message 1: flits 0 (expected at least 1)"},
		{"negative dispatch", "1,0,1,1,-3", "s.csv:1: message 1: dispatch -3 (expected 0 or more)"},
		{"negative number", "-4,0,1,1,0", "s.csv:1: message -4: the number is negative (expected 0 or more)"},
		{"number again", "3,0,1,1,0 4,0,1,1,0 3,0,1,1,0", "s.csv:3: message 3: the number is taken, by line 1 (expected each number once)"},
		{"large number again", "2000000000,0,1,1,0 2000000000,0,1,1,0", "s.csv:2: message 2000000000: the number is taken, by line 1 (expected each number once)"},
		{"route elsewhere", "1,0,2,1,0,1>2", "s.csv:1: message 1: the route begins at 1 (expected the source, 0)"},
		{"route too short", "1,0,2,1,0,0>1", "s.csv:1: message 1: the route ends at 1 (expected the destination, 2)"},
		{"route through the air", "1,0,5,1,0,0>1>5", "s.csv:1: message 1: no link from 1 to 5 (expected a route along the links of mesh:3x3)"},
		{"route off the map", "1,0,5,1,0,0>9>5", "s.csv:1: message 1: route: node 9 (expected a node from 0 to 8)"},
		{"block off the map", "1,0,5,1,0,,7-9", "s.csv:1: message 1: blocks: node 9 (expected a node from 0 to 8)"},
		{"block for a node off the map", "1,0,5,1,0,,7>9", "s.csv:1: message 1: blocks: node 9 (expected a node from 0 to 8)"},
		{"block for itself", "1,0,5,1,0,,0>1+4>4", `s.csv:1: message 1: blocks "4>4" (expected two different nodes)`},
		{"fine", "1,0,5,1,0,0>1>2>5,0-8 2,5,0,1,0", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, err := Parse("s.csv", strings.NewReader(strings.ReplaceAll(row.rows, " ", "\n")))
			require.NoError(t, err)
			mesh, err := topology.Parse("mesh:3x3")
			require.NoError(t, err)
			if err = s.Validate(mesh); row.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, row.want)
			var fault *input.Error
			require.True(t, errors.As(err, &fault))
		})
	}
}

func TestValidateBoundsOfRowsWithoutAFile(t *testing.T) {
	mesh, err := topology.Parse("mesh:3x3")
	require.NoError(t, err)
	long := &Schedule{Rows: []Row{{Destination: 1, Flits: MaxFlits + 1}}}
	require.EqualError(t, long.Validate(mesh), "message 0: flits 1073741825 (expected at most 1073741824)")
	late := &Schedule{Rows: []Row{{Destination: 1, Flits: 1, Dispatch: MaxDispatch + 1}}}
	require.EqualError(t, late.Validate(mesh), "message 0: dispatch 1099511627777 (expected at most 1099511627776)")
	twice := &Schedule{Rows: []Row{{Destination: 1, Flits: 1}, {Destination: 1, Flits: 1}}}
	require.EqualError(t, twice.Validate(mesh), "rows 0 and 1 both have message 0 (expected each number once)")
	empty := &Schedule{Rows: []Row{{Destination: 1, Flits: 1, Route: []router.NodeID{}}}}
	require.EqualError(t, empty.Validate(mesh), "message 0: the route begins at -1 (expected the source, 0)")
}

func TestReadNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none.csv")
	_, err := Read(path)
	require.EqualError(t, err, path+": no such file or directory (expected a file that can be read)")
	_, err = Read(t.TempDir())
	require.ErrorContains(t, err, ": is a directory (expected a file that can be read)")
}

// The form of every kind of row, as Write prints it; it is read back the same.
func TestGolden(t *testing.T) {
	const golden = "testdata/forms.csv"
	s, err := Read("testdata/forms.in.csv")
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, s.Write(&text))
	if *update {
		require.NoError(t, os.WriteFile(golden, text.Bytes(), 0o644))
	}
	wanted, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(wanted), text.String())
	requireRoundTrip(t, s)
}

// requireRoundTrip writes, reads and writes again.
func requireRoundTrip(t *testing.T, s *Schedule) {
	t.Helper()
	var once, twice bytes.Buffer
	require.NoError(t, s.Write(&once))
	back, err := Parse(s.File, bytes.NewReader(once.Bytes()))
	require.NoError(t, err)
	require.NoError(t, back.Write(&twice))
	require.Equal(t, once.String(), twice.String())
	require.Len(t, back.Rows, len(s.Rows))
	for i := range s.Rows {
		mine, other := s.Rows[i], back.Rows[i]
		mine.Line, other.Line = 0, 0
		require.Equal(t, mine, other)
	}
}

// Any text either is a schedule that survives a round trip, or one clear fault.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"1,0,5,3,0\n", "message,source,destination,flits,dispatch,route\n1,0,5,3,0,0>1>5\n2,5,0,1,7,\n", "# c\n\n 1 , 0 , 1 , 1 , 0 # d",
		"route,flits,dispatch,source,destination,message\n0>1>5,3,0,0,5,1\n", "flits,message,source,destination,dispatch\n3,1,0,5,0\n",
		"dispatch,dispatch\n", "mesage,source\n1,2\n", "dispatch,message,source,destination,flits,route\n2,7,0,5,3\n",
		"1,0,5,12,0,,0-2+7\n2,0,1,4,9,0>1,0>1+2-3>4@0-1\n", "blocks,message,source,destination,flits,dispatch\n0,1,0,5,3,0\n", "message,source,destination,flits,dispatch,blocks,route\n1,0,1,3,0,0@0-2\n",
	} {
		f.Add(text)
	}
	mesh, err := topology.Parse("mesh:4x4")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("fuzz.csv", strings.NewReader(text))
		if err == nil {
			requireRoundTrip(t, s)
			err = s.Validate(mesh)
		}
		if err == nil {
			return
		}
		var fault *input.Error
		require.True(t, errors.As(err, &fault))
		require.NotContains(t, err.Error(), "\n")
		require.LessOrEqual(t, fault.Line, strings.Count(text, "\n")+1)
	})
}

func BenchmarkParseMillion(b *testing.B) {
	var text []byte
	text = append(text, "message,source,destination,flits,dispatch\n"...)
	for i := range 1_000_000 {
		text = append(text, fmt.Sprintf("%d,%d,%d,%d,%d\n", i, i%1000, (i+1)%1000, 1+i%20, i)...)
	}
	benchmarkParse(b, text, 1_000_000)
}

func BenchmarkParseRoutes(b *testing.B) {
	var text []byte
	for i := range 100_000 {
		text = append(text, strconv.Itoa(i)+",0,15,1,0,0>1>2>3>4>5>6>7>8>9>10>11>12>13>14>15\n"...)
	}
	benchmarkParse(b, text, 100_000)
}

func benchmarkParse(b *testing.B, text []byte, rows int) {
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		s, err := Parse("s.csv", bytes.NewReader(text))
		require.NoError(b, err)
		require.Len(b, s.Rows, rows)
	}
}
