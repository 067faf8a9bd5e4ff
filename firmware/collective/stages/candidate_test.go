// SPDX-License-Identifier: Apache-2.0

package stages_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective/stages"
	"meshwright/firmware/transfer"
)

// candidatesOf are all that a choice lists, by what they are for.
func candidatesOf(c *stages.Choice) map[string]stages.Candidate {
	list := map[string]stages.Candidate{"approach 1": c.Approach1, "approach 2": c.Approach2, "best": c.Best}
	if c.Bridgeheads.Form != nil {
		list["bridgeheads"] = c.Bridgeheads
	}
	return list
}

// Every candidate lists an all-gather of any lengths, and for equal blocks the
// predicted time is the list's: exactly in forms with times of their own,
// elsewhere it is an upper bound.
func TestCandidatesListThemselvesAndPredictTheirTime(t *testing.T) {
	kinds := map[string]bool{}
	for _, spec := range []string{"path:1", "path:2", "path:9", "ring:9", "ring:14", "mesh:4x5", "mesh:1x7", "mesh:3x3x2", "torus:4x4", "torus:3x12", "torus:9x9", "torus:4x4x4", "hypercube:4"} {
		for _, startup := range []int{0, 20, 900} {
			for _, words := range []int{0, 1, 12} {
				topo, g := gridOf(t, spec)
				m := wormhole(t, startup)
				choice, err := stages.Choose(topo, m, words)
				require.NoError(t, err)
				for what, c := range candidatesOf(choice) {
					name := fmt.Sprintf("%s of %d words on %s, startup %d: %s, %s", what, words, spec, startup, c.Name(), c)
					kinds[fmt.Sprintf("%T", c.Form)] = true
					lengths := equalLengths(topo.Nodes(), words)
					l, err := c.List(g, lengths, stages.PaceOf(&m))
					require.NoError(t, err, name)
					requireGossip(t, name, l, lengths)
					time, err := c.Time(g, words, stages.PaceOf(&m))
					require.NoError(t, err, name)
					require.Equal(t, c.Predicted, time, name)
					timing, err := transfer.Predict(topo, m, l)
					require.NoError(t, err, name)
					if _, staged := c.Form.(stages.Staged); staged {
						require.LessOrEqual(t, timing.Cycles, c.Predicted, name)
					} else {
						require.Equal(t, c.Predicted, timing.Cycles, name)
					}
				}
			}
		}
	}
	for _, form := range []stages.Form{stages.AxisByAxis{}, stages.Diagonals{}, stages.Strides{}, stages.Legs{}, stages.Crosses{}} {
		require.Contains(t, kinds, fmt.Sprintf("%T", form))
	}
}

// The best is the candidate with the least predicted time.
func TestTheBestCandidateTakesTheLeastTime(t *testing.T) {
	for _, spec := range []string{"path:7", "ring:12", "mesh:4x6", "torus:6x6", "torus:3x8", "mesh:3x3x3", "hypercube:3"} {
		for _, startup := range []int{0, 5, 100, 5000} {
			topo, g := gridOf(t, spec)
			m := wormhole(t, startup)
			c, err := stages.Choose(topo, m, 10)
			require.NoError(t, err)
			least := min(c.Approach1.Predicted, c.Approach2.Predicted, c.Bridgeheads.Predicted)
			if _, time, ok := stages.BestStrides(g, 10, stages.PaceOf(&m)); ok {
				least = min(least, time)
			}
			if _, time, ok := stages.BestCrosses(g, 10, stages.PaceOf(&m), least); ok {
				least = min(least, time)
			}
			require.Equal(t, least, c.Best.Predicted, "%s startup %d: %s", spec, startup, c.Best)
		}
	}
}

func TestFormsNameThemselves(t *testing.T) {
	factors := stages.Factors{A: 3, B: 2}
	for _, row := range []struct {
		form    stages.Form
		want    string
		options stages.Options
	}{
		{stages.AxisByAxis{Method: stages.ThroughCentre{}, Colours: 1, Dims: 1}, "approach1", stages.Options{Colours: 1}},
		{stages.AxisByAxis{Method: stages.ThroughCentre{}, Colours: 2, Dims: 2}, "highdimgos(1)", stages.Options{Factors: stages.Factors{A: 1}, Colours: 2}},
		{stages.AxisByAxis{Method: stages.PlaceByPlace{}, Colours: 1, Dims: 1}, "approach2", stages.Options{Colours: 1}},
		{stages.AxisByAxis{Method: stages.PlaceByPlace{}, Colours: 3, Dims: 3}, "highdimgos", stages.Options{Colours: 3}},
		{stages.AxisByAxis{Method: stages.Circular(factors), Colours: 1, Dims: 1}, "circgos(3,2)", stages.Options{Factors: factors, Colours: 1}},
		{stages.AxisByAxis{Method: stages.Circular(factors), Colours: 1, Dims: 2}, "highdimgos(3,2)", stages.Options{Factors: factors, Colours: 1}},
		{stages.Diagonals{Diagonal: stages.Diagonal(factors), Colours: 2, Dims: 2}, "torgos(3,2)", stages.Options{Factors: factors, Colours: 2}},
		{stages.Diagonals{Diagonal: stages.Diagonal(factors), Colours: 1, Dims: 3}, "cubgos(3,2)", stages.Options{Factors: factors, Colours: 1}},
		{stages.Strides{Buckets: 1, Axes: [][]stages.Stride{{{Factor: 3, Distance: 3}, {Factor: 3, Distance: 1}}}}, "strides(3·3 3·1)", stages.Options{}},
		{stages.Legs{Colours: []stages.Colour{{Parts: 1, Legs: []stages.Leg{{Axis: 0, Buckets: 2, Rounds: []stages.Stride{{Factor: 5, Distance: 1}}}}}}}, "strides(1: 5·1/2)", stages.Options{}},
		{stages.Crosses{Buckets: 1, Steps: [][]int{{1, 1, 1, 1}}}, "crosses(1)", stages.Options{}},
	} {
		require.Equal(t, row.want, stages.Candidate{Form: row.form}.String())
		if s, ok := row.form.(stages.Staged); ok {
			require.Equal(t, row.options, s.Options(), row.want)
		}
	}
	require.Empty(t, stages.Candidate{}.String())
}
