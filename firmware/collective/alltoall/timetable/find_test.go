// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/progress"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/schedule/check"
)

func ExampleFind() {
	topo := must(topology.Parse("torus:4x4"))
	m := must(Reference())
	table := must(Find(context.Background(), topo, m, 1, Options{Seed: 1}))
	fmt.Println(table.Cycles, table.Bound, len(table.Messages()))
	// Output: 18 18 240
}

// What is asked of the search: the times of square tori, on one core in less
// than a minute each; here it takes a fraction of a second.
func TestFindMeetsTheFloor(t *testing.T) {
	m, err := Reference()
	require.NoError(t, err)
	for spec, want := range map[string]router.Cycle{
		"torus:2x2": 5, "torus:3x3": 10, "torus:4x4": 18, "torus:5x5": 27, "torus:6x6": 39, "torus:7x7": 52, "torus:8x8": 68, "torus:9x9": 94,
		"torus:10x10": 129, "torus:4x8": 35, "torus:8x4": 35, "torus:3x4": 13, "torus:5x7": 37, "ring:9": 12, "hypercube:4": 18, "path:8": 17, "path:16": 65,
	} {
		for seed := range uint64(2) {
			table, err := Find(t.Context(), parse(t, spec), m, 1, Options{Seed: seed})
			require.NoError(t, err)
			require.Equal(t, want, table.Bound, spec)
			require.Equal(t, want, table.Cycles, "%s, seed %d", spec, seed)
			requireExchange(t, table, spec)
		}
	}
}

// Where the bound is not met, how far from it the search stays.
func TestFindComesClose(t *testing.T) {
	m, err := Reference()
	require.NoError(t, err)
	type row struct {
		spec   string
		length int
		most   float64
	}
	rows := []row{
		{"ring:8", 1, 1.10}, {"ring:16", 1, 1.06}, {"mesh:3x3", 1, 1.10}, {"mesh:4x4", 1, 1.06}, {"torus:5x5", 4, 1.04}, {"random:16,4", 2, 1.10},
	}
	if soak.On() {
		rows = append(rows, row{"mesh:5x5", 1, 1.10}, row{"mesh:6x6", 1, 1.04}, row{"torus:8x8", 16, 1}, row{"mesh:4x4", 4, 1.10})
	}
	for _, row := range soak.Some(2, rows) {
		table, err := Find(t.Context(), parse(t, row.spec), m, row.length, Options{Seed: 1})
		require.NoError(t, err)
		require.LessOrEqual(t, float64(table.Cycles), row.most*float64(table.Bound), "%s, %d flits: %d cycles, bound %d", row.spec, row.length, table.Cycles, table.Bound)
		requireExchange(t, table, row.spec)
	}
}

// Whatever the network, the machine and the lengths, the checker accepts what
// is found, and every word is moved once.
func TestFindOnRandomMachines(t *testing.T) {
	specs := []string{"path:4", "ring:5", "ring:4", "mesh:3x2", "torus:3x3", "torus:2x4", "hypercube:3", "binary:2", "complete:4", "hub:5", "random:7,3", "comb:3x2", "debruijn:3", "path:2"}
	random := rand.New(rand.NewPCG(9, 9))
	for i := range soak.Number(9, 30) {
		topo := parse(t, specs[random.IntN(len(specs))])
		m, err := Reference()
		require.NoError(t, err)
		pick := func(key string, values ...string) { require.NoError(t, m.Set(key, values[random.IntN(len(values))])) }
		pick("ports", "all", "all", "single")
		pick("nic.channels", "1", "links")
		pick("nic.duplex", "full", "full", "half")
		pick("startup", "0", "0", "1", "9")
		pick("hop", "1", "1", "2", "5")
		pick("flit", "1", "1", "2")
		lengths := make([]int, topo.Nodes())
		same := random.IntN(4)
		for n := range lengths {
			if lengths[n] = same; i%3 == 0 {
				lengths[n] = random.IntN(4)
			}
		}
		table, err := search(topo, m, lengths, uint64(i))
		require.NoError(t, err)
		name := fmt.Sprintf("%d: %s, %s, lengths %v", i, topo, m.Describe(), lengths)
		requireExchangeOn(t, table, m, name, func() (*check.Report, error) { return check.Check(table.Schedule(), table.Topology, m) })
		if i%6 != 0 {
			continue
		}
		again, err := search(topo, m, lengths, uint64(i))
		require.NoError(t, err)
		require.Equal(t, table.Messages(), again.Messages(), "%s: the same seed", name)
	}
}

func TestFindLongMessages(t *testing.T) {
	m, err := Reference()
	require.NoError(t, err)
	m.Startup = 100
	for _, spec := range []string{"mesh:3x3", "torus:3x3"} {
		table, err := Find(t.Context(), parse(t, spec), m, 300, Options{})
		require.NoError(t, err)
		require.Equal(t, 1, table.Rounds, "a startup a flit is no bargain")
		require.NoError(t, table.Verify(m))
	}
}

func TestFindRefuses(t *testing.T) {
	reference, err := Reference()
	require.NoError(t, err)
	packets, err := machine.Preset("store-forward")
	require.NoError(t, err)
	for _, row := range []struct {
		spec    string
		m       machine.Machine
		lengths []int
		effort  int
		want    string
	}{
		{"ring:3", packets, []int{1, 1, 1}, 0, "a timetable for a machine of switching store-forward (expected bufferless or wormhole)"},
		{"ring:3", reference, []int{1, 1}, 0, "2 lengths for 3 nodes (expected one for each node)"},
		{"ring:3", reference, []int{1, -1, 1}, 0, "length -1 of node 1 (expected 0 to 65536)"},
		{"ring:3", reference, []int{1, 1, 1}, 11, "effort 11 (expected 0 to 10)"},
		{"torus:32x32", reference, slices.Repeat([]int{2}, 1024), 0, "a timetable for 1047552 messages (expected at most 131072, or on torus:32x32 1048576 in rounds of single flits)"},
		{"ring:2000", reference, nil, 0, "a timetable for 2000 nodes (expected at most 1024)"},
	} {
		_, err := FindLengths(t.Context(), parse(t, row.spec), row.m, row.lengths, Options{Effort: row.effort})
		require.EqualError(t, err, row.want)
	}
}

func TestFindEndsWithItsContext(t *testing.T) {
	m, err := Reference()
	require.NoError(t, err)
	for _, spec := range []string{"torus:12x12", "mesh:6x6"} {
		ctx, cancel := context.WithCancel(t.Context())
		heard := &ender{cancel: cancel}
		_, err := Find(progress.With(ctx, heard), parse(t, spec), m, 4, Options{Effort: 8})
		require.ErrorIs(t, err, context.Canceled)
		require.Equal(t, []string{"search a timetable for " + spec}, heard.phases)
	}
}

// ender ends the first phase that it hears of.
type ender struct {
	cancel context.CancelFunc
	phases []string
}

func (e *ender) Began(p *progress.Phase) { e.phases = append(e.phases, p.Name); e.cancel() }
func (e *ender) Ended(*progress.Phase)   {}

func TestNothingToSend(t *testing.T) {
	m, err := Reference()
	require.NoError(t, err)
	table, err := Find(t.Context(), parse(t, "path:1"), m, 5, Options{})
	require.NoError(t, err)
	require.Empty(t, table.Messages())
	table, err = Find(t.Context(), parse(t, "mesh:3x3"), m, 0, Options{})
	require.NoError(t, err)
	require.Empty(t, table.Messages())
	require.Zero(t, table.Cycles)
}

func TestTimetablesAreReadBack(t *testing.T) {
	for _, spec := range []string{"torus:3x4", "mesh:3x3", "hypercube:3", "path:4"} {
		table, ok := Stored(parse(t, spec), 1, MaxMessages)
		require.True(t, ok)
		var text bytes.Buffer
		require.NoError(t, table.Write(&text))
		again, err := Read("again.csv", bytes.NewReader(text.Bytes()), 1)
		require.NoError(t, err)
		require.Equal(t, table.Messages(), again.Messages())
	}
	_, ok := Stored(parse(t, "mesh:9x9"), 1, MaxMessages)
	require.False(t, ok)
	_, ok = Stored(parse(t, "complete:4"), 1, MaxMessages)
	require.False(t, ok)
	_, ok = Stored(parse(t, "ring:4"), 0, MaxMessages)
	require.False(t, ok)
}

func TestReadRefuses(t *testing.T) {
	const head = "# topology ring:3\n# flits 1\n# cycles 3\n# period 2\n"
	for text, want := range map[string]string{
		"":                                   `f.csv:1: "" (expected offset,start,path or source,destination,start,path)`,
		"offset,start,path\n":                "f.csv: not a timetable (expected # topology, # flits, # cycles, # period)",
		head + "node,start\n":                `f.csv:5: "node,start" (expected offset,start,path or source,destination,start,path)`,
		"# cycles x\noffset,start,path\n":    `f.csv:1: cycles "x" (expected a number)`,
		head + "offset,start,path\n3,0,X\n":  "f.csv:6: 3,0,X (expected nodes 0 to 2)",
		head + "offset,start,path\n1,0,Y\n":  "f.csv:6: 'Y' (expected a letter of a direction)",
		head + "offset,start,path\n1,0,x\n":  "f.csv:6: a route to 2 (expected one to 1)",
		head + "offset,start,path\n1,-1,X\n": `f.csv:6: "-1" (expected a number from 0)`,
		strings.Replace(head, "ring", "mesh", 1) + "offset,start,path\n":                                 "f.csv: offset,start,path for nodes of mesh:3, which differ (expected source,destination,start,path)",
		"# topology path:3\n# flits 1\n# cycles 3\n# period 2\nsource,destination,start,path\n2,0,0,X\n": "f.csv:6: X (expected a route along links)",
	} {
		_, err := Read("f.csv", strings.NewReader(text), 1)
		require.EqualError(t, err, want, text)
	}
	_, err := Read("f.csv", strings.NewReader(strings.Replace(head, "ring:3", "ring:2000", 1)+"offset,start,path\n"), 1)
	require.EqualError(t, err, "f.csv: 2000 nodes (expected at most 1024)")
	_, err = Read("f.csv", strings.NewReader(head+"offset,start,path\n"), 0)
	require.EqualError(t, err, "length 0 (expected 1 to 65536)")
}

func FuzzRead(f *testing.F) {
	f.Add("# topology ring:3\n# flits 1\n# cycles 3\n# period 2\noffset,start,path\n1,0,X\n2,1,x\n")
	f.Add("# topology path:3\n# flits 1\n# cycles 3\n# period 2\nsource,destination,start,path\n0,2,0,XX\n")
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Count(text, "0") > 40 || strings.Contains(text, "000") {
			return // networks without end
		}
		table, err := Read("fuzz.csv", strings.NewReader(text), 2)
		if err == nil {
			table.Messages()
		}
	})
}

func BenchmarkFind(b *testing.B) {
	m, err := Reference()
	require.NoError(b, err)
	for _, row := range []struct {
		spec   string
		length int
	}{{"torus:6x6", 1}, {"torus:8x8", 1}, {"torus:10x10", 1}, {"torus:16x16", 1}, {"torus:4x8", 1}, {"torus:8x8", 16}, {"ring:16", 1}, {"mesh:4x4", 1}, {"mesh:8x8", 1}, {"mesh:8x8", 4}} {
		topo := parse(b, row.spec)
		b.Run(fmt.Sprintf("%s/%d", row.spec, row.length), func(b *testing.B) {
			over := 0.0
			for i := range b.N {
				table, err := Find(b.Context(), topo, m, row.length, Options{Seed: uint64(i)})
				require.NoError(b, err)
				over += float64(table.Cycles)/float64(table.Bound) - 1
			}
			b.ReportMetric(100*over/float64(b.N), "%over-bound")
		})
	}
}

// search is FindLengths.
func search(topo *topology.Topology, m machine.Machine, lengths []int, seed uint64) (*Timetable, error) {
	return FindLengths(context.Background(), topo, m, lengths, Options{Seed: seed})
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// However long messages are, what they are sent in is bounded, and they stay
// close to the bound: long ones go whole, each with all its links for itself.
func TestFindVeryLongMessages(t *testing.T) {
	m, err := Reference()
	require.NoError(t, err)
	type row struct {
		spec         string
		length, most int
		rounds       int
		ratio        float64
	}
	rows := []row{
		{"torus:4x4", 4096, 1 << 16, 1, 1.01}, {"torus:4x4", 65521, 1 << 18, 1, 1.01}, {"torus:3x3", 4096, 1000, 1, 1.05},
		{"mesh:3x3", 1000, 1000, 1, 1.12}, {"torus:3x3", 8, 288, 4, 1.3}, {"torus:3x3", 8, 287, 2, 1.3}, {"torus:3x3", 7, 72*7 - 1, 1, 1.2},
	}
	if soak.On() {
		rows = append(rows, row{"torus:4x4", 65536, MaxMessages, 1, 1.01})
	}
	for _, row := range soak.Some(2, rows) {
		table, err := Find(t.Context(), parse(t, row.spec), m, row.length, Options{Most: row.most})
		require.NoError(t, err)
		name := fmt.Sprintf("%s, %d flits: %d rounds, %d cycles, bound %d", row.spec, row.length, table.Rounds, table.Cycles, table.Bound)
		require.LessOrEqual(t, table.Rounds, row.rounds, name)
		require.LessOrEqual(t, len(table.Messages()), row.most, name)
		require.LessOrEqual(t, float64(table.Cycles), row.ratio*float64(table.Bound), name)
		require.NoError(t, table.Verify(m))
	}
}

func TestStoredRoundsAreBounded(t *testing.T) {
	table, ok := Stored(parse(t, "torus:4x4"), 8, 1920)
	require.True(t, ok)
	require.Equal(t, 8, table.Rounds)
	_, ok = Stored(parse(t, "torus:4x4"), 8, 1919)
	require.False(t, ok)
	table, ok = Stored(parse(t, "ring:4"), 8, 24) // a timetable for four flits is stored
	require.True(t, ok)
	require.Equal(t, 2, table.Rounds)
}
