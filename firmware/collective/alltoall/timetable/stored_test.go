// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/internal/progress"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/schedule/bound"
	"meshwright/schedule/check"
)

var update = flag.Bool("update", false, "search for the stored timetables anew, which takes minutes, and write them")

// storedSpecs are the networks whose timetables are kept.
func storedSpecs() []string {
	var specs []string
	for n := 2; n <= 10; n++ {
		specs = append(specs, fmt.Sprintf("torus:%dx%d", n, n))
	}
	specs = append(specs, "torus:12x12", "torus:16x16", "torus:2x4", "torus:3x4", "torus:4x3", "torus:4x8", "torus:8x4", "torus:5x7", "torus:8x16",
		"torus:2x2x2", "torus:3x3x3", "torus:4x4x4", "torus:2x2x2x2")
	for n := 3; n <= 16; n++ {
		specs = append(specs, fmt.Sprintf("ring:%d", n), fmt.Sprintf("path:%d", n))
	}
	for n := 3; n <= 8; n++ {
		specs = append(specs, fmt.Sprintf("mesh:%dx%d", n, n))
	}
	return append(specs, "mesh:2x4", "mesh:4x2", "mesh:3x4", "mesh:4x8")
}

// inSplit searches for messages of so many flits, sent in rounds or whole.
func inSplit(t *testing.T, top *topology.Topology, s split) *Timetable {
	m, err := Reference()
	require.NoError(t, err)
	lengths := make([]int, top.Nodes())
	for n := range lengths {
		lengths[n] = s.flits * s.rounds
	}
	o := Options{Seed: 1, Effort: 3}
	g, err := newGoal(top, m, lengths, &o)
	require.NoError(t, err)
	g.phase = progress.Begin(t.Context(), "search "+top.String(), 0)
	defer g.phase.End()
	if l := newLattice(top); l != nil {
		require.NoError(t, g.symmetric(context.Background(), l, s, o))
	}
	if g.ratio() >= goodEnough {
		require.NoError(t, g.anyhow(context.Background(), s, nil, o))
	}
	o.Effort = 5
	require.NoError(t, g.exact(context.Background(), o))
	require.NoError(t, g.best.Verify(g.m))
	return g.best
}

// one returns a single round of a timetable of several.
func one(t *testing.T, table *Timetable) *Timetable {
	m, err := Reference()
	require.NoError(t, err)
	first := *table
	first.Lengths = make([]int, table.Topology.Nodes())
	for n := range first.Lengths {
		first.Lengths[n] = table.Lengths[n] / table.Rounds
	}
	first.Rounds, first.Cycles = 1, table.round()
	first.Bound = bound.Exchange(table.Topology, m, first.Lengths).Cycles
	if first.Period == 0 {
		first.Period = newSpace(first.Topology, m, first.lattice).period(&first, 1<<20)
	}
	return &first
}

// writeAnew searches for single flits, one round and many.
func writeAnew(t *testing.T) {
	old, err := filepath.Glob("timetables/*.csv")
	require.NoError(t, err)
	for _, name := range old {
		require.NoError(t, os.Remove(name))
	}
	for _, spec := range storedSpecs() {
		top, err := topology.Parse(spec)
		require.NoError(t, err)
		fast, rounds := one(t, inSplit(t, top, split{1, 1})), one(t, inSplit(t, top, split{1, 8}))
		if rounds.Cycles == fast.Cycles && rounds.Period <= fast.Period {
			fast = rounds
		}
		write(t, fast, ".csv")
		if rounds.Period < fast.Period {
			write(t, rounds, ".rounds.csv")
		}
		t.Logf("%s: %d cycles, bound %d, period %d; %d every %d", spec, fast.Cycles, fast.Bound, fast.Period, rounds.Cycles, rounds.Period)
	}
}

// writeWormsAnew searches for whole messages, which are kept where they are
// faster than what rounds come to.
func writeWormsAnew(t *testing.T) {
	for _, spec := range storedSpecs() {
		for _, flits := range []int{2, 4} {
			top := parse(t, spec)
			if top.Nodes() > 25 {
				continue
			}
			rounds := fromDisk(t, top, ".csv", flits)
			if other := fromDisk(t, top, ".rounds.csv", flits); other != nil && other.Cycles < rounds.Cycles {
				rounds = other
			}
			if rounds.Cycles == rounds.Bound {
				continue
			}
			if worms := one(t, inSplit(t, top, split{flits, 1})); worms.Cycles < rounds.Cycles {
				write(t, worms, fmt.Sprintf(".%d.csv", flits))
				t.Logf("%s: %d flits whole in %d cycles, in rounds %d", spec, flits, worms.Cycles, rounds.Cycles)
			}
		}
	}
}

// fromDisk reads a file that was just written; nil when there is none.
func fromDisk(t *testing.T, top *topology.Topology, suffix string, length int) *Timetable {
	text, err := os.ReadFile("timetables/" + storedName(top) + suffix)
	if os.IsNotExist(err) {
		return nil
	}
	require.NoError(t, err)
	table, err := Read(suffix, bytes.NewReader(text), length)
	require.NoError(t, err)
	return table
}

func write(t *testing.T, table *Timetable, suffix string) {
	var b bytes.Buffer
	require.NoError(t, table.Write(&b))
	require.NoError(t, os.WriteFile("timetables/"+storedName(table.Topology)+suffix, b.Bytes(), 0o644))
}

// Every stored file is expanded and judged by the checker: no collision, the
// cycles that it says, and from every node to every other what it should be. It
// sees one round, and as many as can be in flight at the same time and one more: if
// those do not collide, no number of rounds does.
func TestStoredIsFreeOfCollisions(t *testing.T) {
	if *update {
		writeAnew(t)
		writeWormsAnew(t)
	}
	stored := os.DirFS(".") // what stands there now, and not what it was when the test was built
	files, err := fs.Glob(stored, "timetables/*.csv")
	require.NoError(t, err)
	names := map[string]bool{}
	for _, file := range files {
		text, err := fs.ReadFile(stored, file)
		require.NoError(t, err)
		h, _, err := readHeader(file, string(text))
		require.NoError(t, err)
		for _, rounds := range soak.Some(2, []int{1, 1 + int((h.cycles+h.period-1)/h.period)}) {
			table, err := Read(file, bytes.NewReader(text), rounds*int(h.flits))
			require.NoError(t, err)
			if rounds == 1 {
				require.Equal(t, h.bound, table.Bound, file)
				require.Equal(t, h.cycles, table.Cycles, file)
			}
			requireExchange(t, table, file)
			name := storedName(table.Topology)
			base, _, _ := strings.Cut(filepath.Base(file), ".")
			require.Equal(t, name, base)
			names[name] = true
		}
	}
	for _, spec := range storedSpecs() {
		top, err := topology.Parse(spec)
		require.NoError(t, err)
		require.True(t, names[storedName(top)], spec)
	}
	require.Len(t, names, len(storedSpecs()))
}

// requireExchange demands that the checker accepts a timetable of the reference
// machine and that it moves every word once.
func requireExchange(t *testing.T, table *Timetable, name string) {
	t.Helper()
	m, err := Reference()
	require.NoError(t, err)
	requireExchangeOn(t, table, m, name, func() (*check.Report, error) { return check.Check(table.Schedule(), table.Topology, m) })
}

// slowest is the time of the slowest message if it were alone.
func slowest(table *Timetable, m *machine.Machine) (time router.Cycle) {
	model, t := timing.Alone(m), table.Topology
	for _, x := range table.Messages() {
		links := int(topology.BreadthFirst(t, x.Source).Depth[x.Destination])
		time = max(time, router.Cycle(m.Startup)+model.Transfer(links, x.Flits))
	}
	return time
}

func requireExchangeOn(t *testing.T, table *Timetable, m machine.Machine, name string, judge func() (*check.Report, error)) {
	t.Helper()
	r, err := judge()
	require.NoError(t, err, name)
	require.True(t, r.OK, "%s: %v", name, r.First[:min(3, len(r.First))])
	require.Equal(t, table.Cycles, r.Cycles, name)
	require.LessOrEqual(t, table.Bound, table.Cycles, name)
	alone := max(table.Bound, bound.UncombinedExchange(table.Topology, m, table.Lengths), slowest(table, &m))
	require.LessOrEqual(t, r.LowerBound, alone, "%s: the checker's floor", name)
	require.LessOrEqual(t, alone, table.Cycles, "%s: every message by itself", name)
	type pair struct{ from, to router.NodeID }
	words := map[pair]map[int]bool{}
	for _, m := range table.Messages() {
		p := pair{m.Source, m.Destination}
		if words[p] == nil {
			words[p] = map[int]bool{}
		}
		for w := m.First; w < m.First+m.Flits; w++ {
			require.False(t, words[p][w], "%s: word %d of %v twice", name, w, p)
			words[p][w] = true
		}
	}
	for from, length := range table.Lengths {
		for to := range table.Lengths {
			if from != to {
				require.Len(t, words[pair{router.NodeID(from), router.NodeID(to)}], length, name)
			}
		}
	}
}

// The published times of the S4NOC (Brandner and Schoeberl, 2012), and what is asked of this
// project: the times that stored timetables of square tori must not exceed.
func TestStoredMeetsTheFloor(t *testing.T) {
	for _, row := range []struct {
		side            int
		most, published router.Cycle
	}{{2, 5, 5}, {3, 10, 10}, {4, 18, 19}, {5, 27, 27}, {6, 39, 42}, {7, 52, 58}, {8, 68, 87}, {9, 94, 113}, {10, 129, 157}} {
		top, err := topology.Parse(fmt.Sprintf("torus:%dx%d", row.side, row.side))
		require.NoError(t, err)
		table, ok := Stored(top, 1, MaxMessages)
		require.True(t, ok)
		require.Equal(t, row.most, table.Cycles)
		require.Equal(t, row.most, table.Bound, "no timetable can be faster")
		require.LessOrEqual(t, table.Cycles, row.published)
	}
}

// From 8x8 to 10x10 rounds follow one another without a gap: no exchange of any
// length is faster.
func TestStoredRoundsMeetTheFloor(t *testing.T) {
	for _, spec := range []string{"torus:8x8", "torus:9x9", "torus:10x10", "torus:12x12"} {
		for _, length := range []int{2, 3, 7, 64, 1000} {
			table, ok := Stored(parse(t, spec), length, math.MaxInt)
			require.True(t, ok)
			require.Equal(t, table.Bound, table.Cycles, "%s, %d flits", spec, length)
		}
	}
}
