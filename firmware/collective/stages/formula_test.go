// SPDX-License-Identifier: Apache-2.0

package stages_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective/stages"
	"meshwright/firmware/transfer"
	"meshwright/internal/soak"
)

// requireExact compares a cost with the time predicted on several machines.
func requireExact(t *testing.T, name, spec string, list func(g stages.Grid, lengths []int) (*transfer.List, error), words int, cost stages.Cost) {
	t.Helper()
	topo, g := gridOf(t, spec)
	l, err := list(g, equalLengths(topo.Nodes(), words))
	require.NoError(t, err, name)
	for _, startup := range []int{0, 1, 10, 300} {
		for _, settings := range [][]string{{}, {"hop", "3"}, {"flit", "2"}} {
			m := wormhole(t, startup, settings...)
			timing, err := transfer.Predict(topo, m, l)
			require.NoError(t, err)
			require.Equal(t, timing.Cycles, cost.Cycles(&m), "%s, %d words, startup %d %v", name, words, startup, settings)
		}
	}
}

// regular are sides and factors for which everything divides.
var regular = []struct{ side, a int }{{3, 3}, {9, 3}, {27, 3}, {5, 5}, {8, 8}, {12, 4}, {15, 5}, {18, 6}, {24, 8}, {27, 9}}

func TestFormulasAreExactOnRegularLines(t *testing.T) {
	for _, kind := range []string{"ring", "path"} {
		for _, n := range []int{3, 9, 27, 81} {
			_, g := gridOf(t, fmt.Sprintf("%s:%d", kind, n))
			list := func(g stages.Grid, lengths []int) (*transfer.List, error) {
				return stages.Axes(g, lengths, 1, stages.ThroughCentre{})
			}
			requireExact(t, "approach 1", fmt.Sprintf("%s:%d", kind, n), list, 2, stages.AxesCost(g, 2, 1, stages.ThroughCentre{}))
		}
		for n := 2; n < 30; n++ {
			_, g := gridOf(t, fmt.Sprintf("%s:%d", kind, n))
			list := func(g stages.Grid, lengths []int) (*transfer.List, error) {
				return stages.Axes(g, lengths, 1, stages.PlaceByPlace{})
			}
			requireExact(t, "approach 2", fmt.Sprintf("%s:%d", kind, n), list, 3, stages.AxesCost(g, 3, 1, stages.PlaceByPlace{}))
		}
	}
	for _, row := range regular {
		for b := row.a / 2; b < row.a/2+4; b++ {
			m := stages.Circular{A: row.a, B: b}
			spec := fmt.Sprintf("ring:%d", row.side)
			_, g := gridOf(t, spec)
			words := parts(row.a, b)
			list := func(g stages.Grid, lengths []int) (*transfer.List, error) { return stages.Axes(g, lengths, 1, m) }
			requireExact(t, fmt.Sprintf("%+v", m), spec, list, words*3, stages.AxesCost(g, words*3, 1, m))
		}
	}
}

// parts is a number that k = 2b-a+2 and that of a round by 3 instead of a divide.
func parts(a, b int) int {
	last := max(1, b*3/a)
	return max(1, 2*b-a+2) * (2*last - 1)
}

func TestFormulasAreExactOnRegularTori(t *testing.T) {
	for _, row := range regular {
		for _, dims := range []int{2, 3} {
			if row.side > 9 && dims == 3 {
				continue
			}
			spec := fmt.Sprintf("torus:%d", row.side)
			for range dims - 1 {
				spec += fmt.Sprintf("x%d", row.side)
			}
			_, g := gridOf(t, spec)
			for b := row.a / 2; b < row.a/2+soak.Number(1, 3); b++ {
				for colours := 1; colours <= dims; colours++ {
					d := stages.Diagonal{A: row.a, B: b}
					words := colours * parts(row.a, b)
					list := func(g stages.Grid, lengths []int) (*transfer.List, error) { return d.List(g, lengths, colours) }
					requireExact(t, fmt.Sprintf("%s %+v", spec, d), spec, list, words, d.Cost(g, words, colours))
				}
			}
		}
	}
}

// The paper's own counts: TORGOS and CUBGOS on regular tori, in startups and in
// units of a block.
func TestFormulasArePapers(t *testing.T) {
	for _, row := range []struct{ side, a, levels, dims int }{{9, 3, 2, 2}, {27, 3, 3, 2}, {27, 3, 3, 3}, {81, 9, 2, 2}, {9, 3, 2, 4}, {25, 5, 2, 2}, {64, 4, 3, 2}, {64, 8, 2, 3}} {
		for b := row.a / 2; b < row.a/2+5; b++ {
			k := 2*b - row.a + 2
			startups, units, power := 0, 0, 1
			for ; power < row.side/row.a; power *= 3 {
				startups++
			}
			units = row.side / row.a / 2 // of the concentration: its messages together bring one half of a segment
			startups, units = startups+row.a/2, units+row.a/2*row.side/row.a
			known := row.side
			exchange := func() {
				for range row.dims - 1 {
					startups, units = startups+row.a/2, units+row.a/2*known
					known *= row.a
				}
			}
			exchange()
			units *= k
			for range row.levels - 1 {
				startups, units = startups+b, units+b*known
				before := units
				units = 0
				exchange()
				units = before + k*units
			}
			_, g := gridOf(t, "torus:"+times(row.side, row.dims))
			cost := stages.Diagonal{A: row.a, B: b}.Cost(g, k, 1)
			require.Equal(t, startups, cost.Startups, "%+v b %d", row, b)
			require.Equal(t, units, cost.Flits, "%+v b %d", row, b)
		}
	}
}

func times(side, dims int) string {
	spec := fmt.Sprint(side)
	for range dims - 1 {
		spec += fmt.Sprintf("x%d", side)
	}
	return spec
}

// With n = 1024 and startups of 10 blocks the paper has about 8400 units for
// approach 1, 5600 for approach 2, and 2000 for CIRCGOS.
func TestComparisonOfThePaper(t *testing.T) {
	_, g := gridOf(t, "ring:1024")
	const words = 1000
	m := wormhole(t, 10*words)
	units := func(method stages.Method) float64 {
		c := stages.AxesCost(g, words, 1, method)
		return float64(10*c.Startups) + float64(c.Flits)/words
	}
	require.InDelta(t, 8400, units(stages.ThroughCentre{}), 600) // the paper counts 1093 places for the 512 of one side
	require.InDelta(t, 5632, units(stages.PlaceByPlace{}), 0.01)
	best := stages.BestAxes(g, words, 1, 0, &m)
	require.InDelta(t, 1900, units(stages.Circular(best)), 100)
}

func ExampleDiagonal() {
	_, g := gridOf(&testing.T{}, "torus:27x27")
	d := stages.Diagonal{A: 3, B: 2}
	fmt.Println(d.Cost(g, 30, 2))
	list, _ := d.List(g, equalLengths(27*27, 30), 2)
	messages, flits := list.Messages()
	fmt.Println(messages, flits)
	// Output:
	// {10 8700 34}
	// 9720 15950520
}
