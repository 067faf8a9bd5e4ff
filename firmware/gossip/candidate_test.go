// SPDX-License-Identifier: Apache-2.0

package gossip_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/gossip"
	"meshwright/firmware/transfer"
)

// candidatesOf are all that a choice lists, by what they are for.
func candidatesOf(c *gossip.Choice) map[string]gossip.Candidate {
	list := map[string]gossip.Candidate{"approach 1": c.Approach1, "approach 2": c.Approach2, "best": c.Best}
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
				choice, err := gossip.Choose(topo, m, words)
				require.NoError(t, err)
				for what, c := range candidatesOf(choice) {
					name := fmt.Sprintf("%s of %d words on %s, startup %d: %s, %s", what, words, spec, startup, c.Name(), c)
					kinds[fmt.Sprintf("%T", c.Form)] = true
					lengths := equalLengths(topo.Nodes(), words)
					l, err := c.List(g, lengths, gossip.PaceOf(&m))
					require.NoError(t, err, name)
					requireGossip(t, name, l, lengths)
					time, err := c.Time(g, words, gossip.PaceOf(&m))
					require.NoError(t, err, name)
					require.Equal(t, c.Predicted, time, name)
					timing, err := transfer.Predict(topo, m, l)
					require.NoError(t, err, name)
					if _, staged := c.Form.(gossip.Staged); staged {
						require.LessOrEqual(t, timing.Cycles, c.Predicted, name)
					} else {
						require.Equal(t, c.Predicted, timing.Cycles, name)
					}
				}
			}
		}
	}
	for _, form := range []gossip.Form{gossip.AxisByAxis{}, gossip.Diagonals{}, gossip.Strides{}, gossip.Legs{}, gossip.Crosses{}} {
		require.Contains(t, kinds, fmt.Sprintf("%T", form))
	}
}

// The best is the candidate with the least predicted time.
func TestTheBestCandidateTakesTheLeastTime(t *testing.T) {
	for _, spec := range []string{"path:7", "ring:12", "mesh:4x6", "torus:6x6", "torus:3x8", "mesh:3x3x3", "hypercube:3"} {
		for _, startup := range []int{0, 5, 100, 5000} {
			topo, g := gridOf(t, spec)
			m := wormhole(t, startup)
			c, err := gossip.Choose(topo, m, 10)
			require.NoError(t, err)
			least := min(c.Approach1.Predicted, c.Approach2.Predicted, c.Bridgeheads.Predicted)
			if _, time, ok := gossip.BestStrides(g, 10, gossip.PaceOf(&m)); ok {
				least = min(least, time)
			}
			if _, time, ok := gossip.BestCrosses(g, 10, gossip.PaceOf(&m), least); ok {
				least = min(least, time)
			}
			require.Equal(t, least, c.Best.Predicted, "%s startup %d: %s", spec, startup, c.Best)
		}
	}
}

func TestFormsNameThemselves(t *testing.T) {
	factors := gossip.Factors{A: 3, B: 2}
	for _, row := range []struct {
		form    gossip.Form
		want    string
		options gossip.Options
	}{
		{gossip.AxisByAxis{Method: gossip.ThroughCentre{}, Colours: 1, Dims: 1}, "approach1", gossip.Options{Colours: 1}},
		{gossip.AxisByAxis{Method: gossip.ThroughCentre{}, Colours: 2, Dims: 2}, "highdimgos(1)", gossip.Options{Factors: gossip.Factors{A: 1}, Colours: 2}},
		{gossip.AxisByAxis{Method: gossip.PlaceByPlace{}, Colours: 1, Dims: 1}, "approach2", gossip.Options{Colours: 1}},
		{gossip.AxisByAxis{Method: gossip.PlaceByPlace{}, Colours: 3, Dims: 3}, "highdimgos", gossip.Options{Colours: 3}},
		{gossip.AxisByAxis{Method: gossip.Circular(factors), Colours: 1, Dims: 1}, "circgos(3,2)", gossip.Options{Factors: factors, Colours: 1}},
		{gossip.AxisByAxis{Method: gossip.Circular(factors), Colours: 1, Dims: 2}, "highdimgos(3,2)", gossip.Options{Factors: factors, Colours: 1}},
		{gossip.Diagonals{Diagonal: gossip.Diagonal(factors), Colours: 2, Dims: 2}, "torgos(3,2)", gossip.Options{Factors: factors, Colours: 2}},
		{gossip.Diagonals{Diagonal: gossip.Diagonal(factors), Colours: 1, Dims: 3}, "cubgos(3,2)", gossip.Options{Factors: factors, Colours: 1}},
		{gossip.Strides{Buckets: 1, Axes: [][]gossip.Stride{{{Factor: 3, Distance: 3}, {Factor: 3, Distance: 1}}}}, "strides(3·3 3·1)", gossip.Options{}},
		{gossip.Legs{Colours: []gossip.Colour{{Parts: 1, Legs: []gossip.Leg{{Axis: 0, Buckets: 2, Rounds: []gossip.Stride{{Factor: 5, Distance: 1}}}}}}}, "strides(1: 5·1/2)", gossip.Options{}},
		{gossip.Crosses{Buckets: 1, Steps: [][]int{{1, 1, 1, 1}}}, "crosses(1)", gossip.Options{}},
	} {
		require.Equal(t, row.want, gossip.Candidate{Form: row.form}.String())
		if s, ok := row.form.(gossip.Staged); ok {
			require.Equal(t, row.options, s.Options(), row.want)
		}
	}
	require.Empty(t, gossip.Candidate{}.String())
}
