// SPDX-License-Identifier: Apache-2.0

package coverage_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/rtl"
	"meshwright/rtl/coverage"
)

// sender sends one flit from node 0 to node 1.
type sender struct{}

func (sender) Evaluate(s fabric.Signals) {
	if s.Now() == 0 {
		_, _ = s.Send(fabric.Message{Source: 0, Destination: 1, Words: []uint32{1}})
	}
}
func (sender) Update(fabric.Signals) {}

// A message one way reaches less than a stress phase behind it; the rules of use and the functions do not count.
func TestVectorsReachCode(t *testing.T) {
	topo, err := topology.Parse("path:2")
	require.NoError(t, err)
	m, err := machine.Preset("bufferless") // its chips are the smallest
	require.NoError(t, err)
	require.NoError(t, m.Set("width", "8"))
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	recorder := rtl.NewRecorder(n)
	n.Attach(sender{})
	for range 4 {
		n.Step()
	}
	run := int(recorder.Cycles())
	_, err = recorder.Stress(t.Context(), 60, 1)
	require.NoError(t, err)
	dir, scratch := filepath.Join(t.TempDir(), "export"), t.TempDir()
	_, err = recorder.Export(dir)
	require.NoError(t, err)
	list := []coverage.Vectors{{Dir: dir, Cycles: run}, {Dir: dir, Cycles: int(recorder.Cycles())}}
	points, err := coverage.Measure(t.Context(), dir, scratch, list)
	require.NoError(t, err)
	_, err = os.Stat(filepath.Join(dir, "build"))
	require.ErrorIs(t, err, os.ErrNotExist, "the export stays as it is")
	for _, kind := range []coverage.Kind{coverage.Line, coverage.Branch, coverage.Toggle} {
		all, few := points[0].Count(kind)
		same, more := points[1].Count(kind)
		require.Equal(t, all, same)
		require.Positive(t, few)
		require.LessOrEqual(t, few, more, kind)
	}
	for p := range points[0] {
		require.NotEqual(t, "lib/rule.v", p.File)
		require.False(t, p.File == "lib/coordinate.v" && p.Kind != coverage.Toggle, "%v: a function", p)
	}
	order, fresh := coverage.Rank(list, points)
	require.Equal(t, []int{0, 1}, order)
	require.Greater(t, fresh[1], 10)
}

// Vectors that reach most new points for each cycle come first, and none that reach nothing new stay.
func TestVectorsAreRanked(t *testing.T) {
	reach := func(lines ...int) coverage.Points {
		p := coverage.Points{{Kind: coverage.Line, Line: 9}: false}
		for _, line := range lines {
			p[coverage.Point{Kind: coverage.Line, Line: line}] = true
		}
		return p
	}
	for name, row := range map[string]struct {
		cycles       []int
		reached      []coverage.Points
		order, fresh []int
	}{
		"none":            {},
		"nothing reached": {[]int{5}, []coverage.Points{reach()}, nil, nil},
		"fewest cycles":   {[]int{100, 10}, []coverage.Points{reach(1, 2, 3), reach(1, 2)}, []int{1, 0}, []int{2, 1}},
		"nothing new":     {[]int{10, 20}, []coverage.Points{reach(1, 2), reach(1)}, []int{0}, []int{2}},
	} {
		t.Run(name, func(t *testing.T) {
			list := make([]coverage.Vectors, len(row.cycles))
			for i := range list {
				list[i].Cycles = row.cycles[i]
			}
			order, fresh := coverage.Rank(list, row.reached)
			require.Equal(t, row.order, order)
			require.Equal(t, row.fresh, fresh)
		})
	}
	p := reach(1)
	p.Add(coverage.Points{{Kind: coverage.Branch, Line: 3, Name: "else"}: false, {Kind: coverage.Toggle, Line: 2}: false})
	require.Equal(t, []coverage.Point{{Kind: coverage.Branch, Line: 3, Name: "else"}, {Kind: coverage.Line, Line: 9}}, p.Missed())
}
