// SPDX-License-Identifier: Apache-2.0

package fault_test

import (
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/code"
	"meshwright/fabric/fault"
	"meshwright/fabric/topology"
	"meshwright/router"
)

func parse(t *testing.T, spec string) *topology.Topology {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	return topo
}

// write puts a text into a file of faults.
func write(t *testing.T, text string) string {
	file := filepath.Join(t.TempDir(), "faults.csv")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

func TestFileOfFaults(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"a header", "fault,where,from,to,bit\nnode,5,3,\n", "node 5>5 3-for good bit 0"},
		{"no header, short rows, a comment", "# dead\nnode,5\nlink, 3>4 ,100\n", "node 5>5 0-for good bit 0; link 3>4 100-for good bit 0"},
		{"columns in another order", "where,fault,bit,from\n3>4,flip,9,17\n", "flip 3>4 17-18 bit 9"},
		{"an interval in both directions", "link,3-4,100,200\n", "link 3>4 100-200 bit 0; link 4>3 100-200 bit 0"},
		{"a drop", "drop,3>4,17", "drop 3>4 17-18 bit 0"},
		{"a flip", "flip,3>4,17,,511", "flip 3>4 17-18 bit 511"},
		{"an upset", "upset,3>4,17,,522", "upset 3>4 17-18 bit 522"},
		{"nothing", "# nothing\n", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			faults, err := fault.ParseFile("f.csv", []byte(row.text))
			require.NoError(t, err)
			require.Equal(t, row.want, describe(faults))
		})
	}
}

// describe writes faults in a line.
func describe(faults []fault.Fault) string {
	var parts []string
	for _, f := range faults {
		end := fmt.Sprint(f.End)
		if f.End == fault.Never {
			end = "for good"
		}
		parts = append(parts, fmt.Sprintf("%s %d>%d %d-%s bit %d", f.Kind, f.From, f.To, f.Start, end, f.Bit))
	}
	return strings.Join(parts, "; ")
}

func TestBadRowsAreNamedByFileAndLine(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"nod,5", `f.csv:1: unknown fault "nod" (did you mean node?)`},
		{"node,5\nlink,3", `f.csv:2: link "3" (expected a link such as 3>4, or 3-4 for both directions)`},
		{"node,3>4", `f.csv:1: node "3>4" (expected a node such as 5)`},
		{"node,-1", `f.csv:1: node "-1" (expected a node such as 5)`},
		{"link,3>x", `f.csv:1: link "3>x" (expected a link such as 3>4, or 3-4 for both directions)`},
		{"link,3>4>5", `f.csv:1: link "3>4>5" (expected a link such as 3>4, or 3-4 for both directions)`},
		{"link,3>4,9,9", `f.csv:1: cycles 9 to 9 (expected a later end)`},
		{"link,3>4,x", `f.csv:1: cycle "x" (expected a whole number from 0 to 2^50)`},
		{"link,3>4,1,2,3", `f.csv:1: link with bit "3" (expected an empty column bit)`},
		{"drop,3>4", `f.csv:1: drop without a cycle (expected the cycle)`},
		{"drop,3>4,1,2", `f.csv:1: drop to cycle "2" (expected an empty column to)`},
		{"flip,3>4,1", `f.csv:1: bit "" (expected 0 to 511)`},
		{"flip,3>4,1,,512", `f.csv:1: bit "512" (expected 0 to 511)`},
		{"upset,3>4", `f.csv:1: upset without a cycle (expected the cycle)`},
		{"upset,3>4,1,2", `f.csv:1: upset to cycle "2" (expected an empty column to)`},
		{"upset,3>4,1,,523", `f.csv:1: bit "523" (expected 0 to 522)`},
		{"upste,3>4,1,,3", `f.csv:1: unknown fault "upste" (did you mean upset?)`},
		{"node", `f.csv:1: 1 column (expected fault,where,from,to,bit)`},
		{"node;5", `f.csv:1: 1 column (expected fault,where,from,to,bit, separated by commas)`},
		{"a,b,c,d,e,f", `f.csv:1: unknown column "a" (expected one of fault, where, from, to, bit)`},
		{"node,\"5", `f.csv:1: a field that begins with a quotation mark does not end with one (expected fault,where,from,to,bit)`},
	} {
		_, err := fault.ParseFile("f.csv", []byte(row.text))
		require.EqualError(t, err, row.want, row.text)
	}
}

func TestBadSpecs(t *testing.T) {
	for _, row := range []struct{ spec, want string }{
		{"drop:1.5", `"drop:1.5" (expected a rate from 0 to 1)`},
		{"drop:-0.1", `"drop:-0.1" (expected a rate from 0 to 1)`},
		{"corrupt:NaN", `"corrupt:NaN" (expected a rate from 0 to 1)`},
		{"corrupt:", `"corrupt:" (expected a rate from 0 to 1)`},
		{"upset:2", `"upset:2" (expected a rate from 0 to 1)`},
		{"upset:0.1,", `"upset:0.1," (expected a rate from 0 to 1, and 1 to 16 bits behind a comma)`},
		{"upset:0.1,0", `"upset:0.1,0" (expected a rate from 0 to 1, and 1 to 16 bits behind a comma)`},
		{"corrupt:0.1,17", `"corrupt:0.1,17" (expected a rate from 0 to 1, and 1 to 16 bits behind a comma)`},
		{"corrupt:2,2", `"corrupt:2,2" (expected a rate from 0 to 1)`},
		{"random:x", `"random:x" (expected random:K, random:K,nodes or random:K,links)`},
		{"random:-1", `"random:-1" (expected random:K, random:K,nodes or random:K,links)`},
		{"random:1,pes", `"random:1,pes" (expected random:K, random:K,nodes or random:K,links)`},
		{"seed:-1", `"seed:-1" (expected seed:S, a whole number)`},
		{"radnom:1", `unknown fault "radnom:1" (did you mean random:1?)`},
		{"3-4", `unknown fault "3-4" (did you mean link:3-4?)`},
		{"3>4", `unknown fault "3>4" (did you mean link:3>4?)`},
		{"lnk:3-4", `unknown fault "lnk:3-4" (did you mean link:3-4?)`},
		{"link:3", `link "3" (expected a link such as 3>4, or 3-4 for both directions)`},
		{"node:x", `node "x" (expected a node such as 5)`},
		{"unlucky:1", `unknown fault "unlucky:1" (expected ` + fault.Forms + `)`},
		{"./none.csv", `./none.csv: no such file or directory (expected a file that can be read)`},
	} {
		_, err := fault.Parse([]string{row.spec}, 1)
		require.EqualError(t, err, row.want)
	}
}

// A dead node or link as a spec is the same as a row of a file.
func TestDeadNodesAndLinksAsSpecs(t *testing.T) {
	for spec, row := range map[string]string{"node:5": "node,5\n", "link:3-4": "link,3-4\n", "link:3>4": "link,3>4\n"} {
		file := filepath.Join(t.TempDir(), "faults.csv")
		require.NoError(t, os.WriteFile(file, []byte(row), 0o600))
		want, err := fault.Parse([]string{file}, 1)
		require.NoError(t, err)
		got, err := fault.Parse([]string{spec}, 1)
		require.NoError(t, err)
		require.Len(t, got.Faults, len(want.Faults))
		for i := range want.Faults {
			require.Equal(t, []any{want.Faults[i].Kind, want.Faults[i].From, want.Faults[i].To, want.Faults[i].Start, want.Faults[i].End},
				[]any{got.Faults[i].Kind, got.Faults[i].From, got.Faults[i].To, got.Faults[i].Start, got.Faults[i].End}, spec)
		}
		require.False(t, fault.IsFile(spec))
	}
}

func TestFaultsThatTheNetworkDoesNotHave(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"node,0\nnode,6\n", `:2: node 6 is not a node of path:6 (expected 0 to 5)`},
		{"link,2>4\n", `:1: link 2>4 is not a link of path:6 (expected a neighbour of 2: 1, 3)`},
		{"drop,5>6,1\n", `:1: drop 5>6: 6 is not a node of path:6 (expected nodes 0 to 5)`},
		{"flip,1>2,1,,16\n", `:1: bit 16 of a flit of 16 bits (expected 0 to 15)`},
		{"upset,1>2,1,,22\n", `:1: bit 22 of a flit of 22 bits in a buffer (expected 0 to 21)`},
		{"upset,1>3,1,,2\n", `:1: upset 1>3 is not a link of path:6 (expected a neighbour of 1: 0, 2)`},
	} {
		file := write(t, row.text)
		list, err := fault.Parse([]string{file}, 1)
		require.NoError(t, err)
		_, err = list.On(parse(t, "path:6"), 1, 16, 22)
		require.EqualError(t, err, file+row.want)
	}
	for spec, want := range map[string]string{
		"random:12":     "random:12 faults on path:6 (expected at most 11; one less where a root stays alive)",
		"corrupt:0.5,9": "corrupt:0.5,9: 9 different bits of a flit of 8 bits (expected at most 8)",
		"upset:1,14":    "upset:1,14: 14 different bits of a flit in a buffer of 13 bits (expected at most 13)",
	} {
		list, err := fault.Parse([]string{spec}, 1)
		require.NoError(t, err)
		_, err = list.On(parse(t, "path:6"), 1, 8, 13)
		require.EqualError(t, err, want)
	}
}

// Dead in the first cycle of an interval and in the last, sound one cycle before and after.
func TestIntervals(t *testing.T) {
	list, err := fault.Parse([]string{write(t, "link,1>2,10,20\nnode,4,7\ndrop,0>1,3\nflip,0>1,3,,2\nflip,0>1,3,,0")}, 1)
	require.NoError(t, err)
	const ticks = 3
	f, err := list.On(parse(t, "path:6"), ticks, 32, 39)
	require.NoError(t, err)
	for _, row := range []struct {
		from, to router.NodeID
		tick     router.Cycle
		want     fault.Cause
	}{
		{1, 2, 29, fault.Sound}, {1, 2, 30, fault.Dead}, {1, 2, 59, fault.Dead}, {1, 2, 60, fault.Sound}, {2, 1, 30, fault.Sound},
		{3, 4, 20, fault.Sound}, {3, 4, 21, fault.Dead}, {4, 3, 21, fault.Dead}, {5, 4, 1e9, fault.Dead}, {2, 3, 21, fault.Sound},
		{0, 1, 8, fault.Sound}, {0, 1, 9, fault.Dropped}, {0, 1, 11, fault.Dropped}, {0, 1, 12, fault.Sound}, {1, 0, 9, fault.Sound},
	} {
		require.Equal(t, row.want, f.Loses(row.from, row.to, row.tick), "%d>%d in tick %d", row.from, row.to, row.tick)
	}
	require.Equal(t, []code.Bits{{}, {5}, {5}, {}}, []code.Bits{f.Flips(0, 1, 8), f.Flips(0, 1, 9), f.Flips(0, 1, 11), f.Flips(0, 1, 12)})
	require.Equal(t, []fault.Stop{{Node: 4, At: 21}}, f.Stops())
	require.Equal(t, []fault.Span{{Start: 30, End: 60}}, f.Dead(1, 2))
}

func TestUpsetsNeedBuffers(t *testing.T) {
	for _, row := range []struct{ spec, want string }{
		{"upset:0.01", "upset:0.01: a bufferless chip has no buffers (expected another switching than bufferless)"},
		{write(t, "upset,1>2,1,,2"), ":1: upset 1>2: a bufferless chip has no buffers (expected another switching than bufferless)"},
	} {
		list, err := fault.Parse([]string{row.spec}, 1)
		require.NoError(t, err)
		_, err = list.On(parse(t, "path:6"), 1, 16, 0)
		require.ErrorContains(t, err, row.want)
		on, err := list.On(parse(t, "path:6"), 1, 16, 16)
		require.NoError(t, err)
		require.True(t, on.HasUpsets())
	}
	list, err := fault.Parse([]string{"corrupt:1", "upset:0"}, 1)
	require.NoError(t, err)
	on, err := list.On(parse(t, "path:6"), 1, 16, 0)
	require.NoError(t, err)
	require.False(t, on.HasUpsets())
}

// The faults drawn are different ones, never the spare node, and the same for the same seed.
func TestRandomFaults(t *testing.T) {
	topo := parse(t, "mesh:3x3")
	draw := func(seed uint64, spec string) []fault.Fault {
		list, err := fault.Parse([]string{spec}, seed)
		require.NoError(t, err)
		drawn, err := list.Draw(topo, 4)
		require.NoError(t, err)
		return drawn.Faults
	}
	require.Equal(t, draw(3, "random:5"), draw(3, "random:5"))
	require.NotEqual(t, draw(3, "random:5"), draw(4, "random:5"))
	all := draw(1, "random:20") // 8 nodes, 12 links in both directions
	require.Len(t, all, 8+24)
	seen := map[fault.Fault]bool{}
	for _, f := range all {
		require.False(t, seen[f], "%v twice", f)
		require.False(t, f.Kind == fault.Node && f.From == 4)
		seen[f] = true
	}
	for _, f := range draw(2, "random:8,nodes") {
		require.Equal(t, fault.Node, f.Kind)
	}
	require.Len(t, draw(2, "random:12,links"), 24)
}

func TestRates(t *testing.T) {
	topo := parse(t, "ring:8")
	for _, row := range []struct{ drop, least, most float64 }{{0, 0, 0}, {0.1, 0.09, 0.11}, {0.5, 0.48, 0.52}, {1, 1, 1}} {
		list, err := fault.Parse([]string{fmt.Sprintf("drop:%g", row.drop), fmt.Sprintf("corrupt:%g", row.drop), fmt.Sprintf("upset:%g", row.drop)}, 5)
		require.NoError(t, err)
		f, err := list.On(topo, 1, 8, 13)
		require.NoError(t, err)
		drops, flips, both, upsets, high := 0.0, 0.0, 0.0, 0.0, uint32(0)
		const draws = 20000
		for tick := range router.Cycle(draws) {
			lost, mask := f.Loses(2, 3, tick) == fault.Dropped, f.Flips(2, 3, tick)[0]
			require.Less(t, mask, uint32(1<<8))
			require.Zero(t, mask&(mask-1), "one bit")
			drops, flips = drops+count(lost), flips+count(mask != 0)
			both += count(lost && mask != 0)
			wrong := f.Upsets(2, 3, tick)[0]
			require.Zero(t, wrong&(wrong-1), "one bit")
			upsets, high = upsets+count(wrong != 0), high|wrong
		}
		require.Equal(t, row.drop > 0, high == 1<<13-1, "every bit")
		for _, part := range []float64{drops / draws, flips / draws, upsets / draws} {
			require.GreaterOrEqual(t, part, row.least)
			require.LessOrEqual(t, part, row.most)
		}
		require.InDelta(t, row.drop*row.drop, both/draws, 0.02, "drops and flips are drawn apart")
	}
}

// A rate of several bits flips so many different ones, each pair of them about as often as any other. Several rates strike by draws of
// their own, and the first strikes the same flits as it does alone.
func TestSeveralBits(t *testing.T) {
	topo := parse(t, "ring:8")
	on := func(specs ...string) *fault.Faults {
		list, err := fault.Parse(specs, 5)
		require.NoError(t, err)
		f, err := list.On(topo, 1, 8, 6)
		require.NoError(t, err)
		return f
	}
	two, all, mixed, alone := on("upset:1,2", "corrupt:1,3"), on("upset:1,6"), on("upset:0.2", "upset:0.1,2"), on("upset:0.2")
	const draws = 15000
	pairs, ones, both := map[uint32]int{}, 0, 0
	for tick := range router.Cycle(draws) {
		pairs[two.Upsets(2, 3, tick)[0]]++
		require.Equal(t, 3, bits.OnesCount32(two.Flips(2, 3, tick)[0]))
		require.Equal(t, uint32(1<<6-1), all.Upsets(2, 3, tick)[0])
		first, wrong := alone.Upsets(2, 3, tick)[0], mixed.Upsets(2, 3, tick)[0]
		second := first ^ wrong
		require.Contains(t, []int{0, 2}, bits.OnesCount32(second))
		ones += bits.OnesCount32(first)
		both += bits.OnesCount32(first) * bits.OnesCount32(second) / 2
	}
	require.Len(t, pairs, 15)
	for pair, times := range pairs {
		require.Equal(t, 2, bits.OnesCount32(pair))
		require.InDelta(t, draws/15, times, 150)
	}
	require.InDelta(t, draws*0.2, ones, 300)
	require.InDelta(t, draws*0.02, both, 100)
}

// Two rates of drops lose what either of them does.
func TestDropsAddUp(t *testing.T) {
	list, err := fault.Parse([]string{"drop:0.5", "drop:0.2"}, 1)
	require.NoError(t, err)
	require.InDelta(t, 0.6, list.Drop, 1e-12)
}

// Upsets at a rate strike another run of the network, too, but other flits of it; nothing else does.
func TestUpsetsOfAnotherRun(t *testing.T) {
	topo := parse(t, "ring:8")
	for _, row := range []struct {
		specs        []string
		only, random bool
	}{
		{[]string{"upset:0.5"}, true, true},
		{[]string{"upset:0.5", write(t, "upset,1>2,1,,2")}, true, true},
		{[]string{write(t, "upset,1>2,1,,2")}, true, false},
		{[]string{"upset:0"}, true, false},
		{[]string{"upset:0.5", "drop:0.1"}, false, true},
		{[]string{"corrupt:0.1"}, false, false},
		{[]string{"random:1,links"}, false, false},
		{[]string{write(t, "node,1,5")}, false, false},
		{[]string{write(t, "flip,1>2,1,,2")}, false, false},
	} {
		list, err := fault.Parse(row.specs, 5)
		require.NoError(t, err)
		f, err := list.On(topo, 1, 8, 13)
		require.NoError(t, err)
		require.Equal(t, row.only, f.OnlyUpsets(), row.specs)
		other := f.RandomUpsets(1)
		require.Equal(t, row.random, other != nil, row.specs)
		if other == nil {
			continue
		}
		same := 0
		for tick := range router.Cycle(1000) {
			require.Equal(t, fault.Sound, other.Loses(2, 3, tick))
			require.False(t, new(other.Flips(2, 3, tick)).Any())
			if f.Upsets(2, 3, tick) == other.Upsets(2, 3, tick) {
				same++
			}
		}
		require.Less(t, same, 500)
	}
}

func count(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

func TestSeedOfTheList(t *testing.T) {
	list, err := fault.Parse([]string{"random:2", "seed:9"}, 4)
	require.NoError(t, err)
	require.Equal(t, uint64(9), list.Seed)
	require.Equal(t, "random:2 seed:9", list.String())
	list, err = fault.Parse([]string{"random:2"}, 4)
	require.NoError(t, err)
	require.Equal(t, "random:2 seed:4", list.String())
	for _, specs := range [][]string{nil, {"none"}} {
		list, err = fault.Parse(specs, 4)
		require.NoError(t, err)
		require.Nil(t, list)
		require.Empty(t, list.String())
	}
}

// Plans know what is dead from cycle 0 on for good, if the list says so.
func TestSurvivors(t *testing.T) {
	topo := parse(t, "mesh:3x3")
	file := write(t, "node,8\nnode,0,5\nlink,3-4\nlink,4-5,0,100\ndrop,1>2,3\n")
	left := func(specs ...string) *topology.Survivors {
		list, err := fault.Parse(specs, 1)
		require.NoError(t, err)
		s, err := list.Survivors(topo, 0)
		require.NoError(t, err)
		return s
	}
	require.Nil(t, left(file))
	require.Nil(t, left())
	s := left(file, "known")
	nodes, links := s.Dead()
	require.Equal(t, []int{1, 2}, []int{nodes, links})
	require.Equal(t, router.None, s.Place[8])
	require.Nil(t, left("known"), "nothing is dead")
	require.Nil(t, left("known", "random:0"))
	require.Nil(t, left("known", write(t, "node,0,5\nlink,4-5,0,100\n")), "not for good, or not from cycle 0 on")
	require.Equal(t, left("random:2,nodes", "known").Node, left("known", "random:2,nodes").Node)
	require.False(t, fault.IsFile("known"))
	require.False(t, fault.IsFile("none"))
	for specs, want := range map[string]string{
		"./none.csv": "./none.csv: no such file or directory (expected a file that can be read)",
		"nothing":    `unknown fault "nothing" (expected ` + fault.Forms + `)`,
		"knwon":      `unknown fault "knwon" (did you mean known?)`,
		"drop=0.2":   `unknown fault "drop=0.2" (did you mean drop:0.2?)`,
		"randm:3":    `unknown fault "randm:3" (did you mean random:3?)`,
		"none":       `"none" among other faults (expected faults, or none alone)`,
	} {
		_, err := fault.Parse([]string{"known", specs}, 1)
		require.EqualError(t, err, want)
	}
	list, err := fault.Parse([]string{"known", write(t, "node,9\n")}, 1)
	require.NoError(t, err)
	_, err = list.Survivors(topo, router.None)
	require.ErrorContains(t, err, "node 9 is not a node of mesh:3x3")
}

func FuzzParseFile(f *testing.F) {
	f.Add("fault,where,from,to,bit\nnode,5,0,\nlink,3-4,100,200\ndrop,3>4,17\nflip,3>4,17,,9\n")
	f.Add("where,fault\n1,node\n")
	f.Add("link,3>4>5\n")
	f.Add("flip,1>2,1125899906842625,,31\n")
	f.Add("upset,1>2,17,,38\nupset,1-2,17,,5\n")
	f.Add("\"node\",\"5\n")
	topo, err := topology.Parse("mesh:3x3")
	require.NoError(f, err)
	f.Fuzz(func(t *testing.T, text string) {
		faults, err := fault.ParseFile("f.csv", []byte(text))
		if err != nil {
			return
		}
		for _, x := range faults {
			require.True(t, 0 <= x.Start && x.Start < x.End && x.From >= 0 && x.To >= 0)
		}
		list := &fault.List{Faults: faults}
		if on, err := list.On(topo, 1000, 32, 39); err == nil {
			for _, s := range on.Stops() {
				require.GreaterOrEqual(t, s.At, router.Cycle(0))
			}
		}
	})
}

func Example() {
	topo, _ := topology.Parse("path:6")
	faults, _ := fault.ParseFile("faults.csv", []byte("link,2>3,100,200\n"))
	list := &fault.List{Faults: faults}
	on, _ := list.On(topo, 1, 32, 39)
	fmt.Println(on.Loses(2, 3, 99) == fault.Sound, on.Loses(2, 3, 100) == fault.Dead)
	// Output: true true
}
