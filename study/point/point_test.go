// SPDX-License-Identifier: Apache-2.0

package point_test

import (
	"flag"
	"maps"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/input"
	"meshwright/internal/soak"
	"meshwright/study/point"
	"meshwright/study/question"
)

var to = flag.Int("to", 64, "greatest block of the Paragon's study that is simulated, in bytes; 8192 takes half an hour")

// The times that docs/paragon.md shows as predicted are those of the model. A token may be in a message's way for a cycle.
func TestPredictionsHold(t *testing.T) {
	q, err := question.Read("../../examples/studies/paragon.yaml", map[string]string{"to": strconv.Itoa(*to)})
	require.NoError(t, err)
	var r point.Runner
	var points []question.Point
	for p, err := range q.Points() {
		require.NoError(t, err)
		points = append(points, p)
	}
	require.GreaterOrEqual(t, len(points), 48)
	for _, p := range soak.Some(6, points) {
		times := map[string]float64{}
		for simulated, words := range map[string]string{"0": "0", "1": "1000000000"} {
			settings := maps.Clone(p.Settings)
			settings["words"] = words
			figures, err := r.Run(t.Context(), settings, point.Collective)
			require.NoError(t, err)
			require.Equal(t, simulated, strconv.FormatFloat(figures[point.Simulated].Number, 'g', -1, 64))
			require.NotZero(t, figures["formula"])
			times[simulated] = figures["cycles"].Number
		}
		require.Contains(t, []float64{0, 1}, times["1"]-times["0"], p.Settings)
	}
}

// Sizes in bytes are whole flits, and settings that contradict each other are refused.
func TestBytes(t *testing.T) {
	var r point.Runner
	settings := point.Settings{"topology": "ring:4", "collective": "gossip", "width": "16", "bytes": "7"}
	figures, err := r.Run(t.Context(), settings, point.Collective)
	require.NoError(t, err)
	require.EqualValues(t, 4*3*4, figures["flits"].Number, "every PE sends 4 flits to 3 others")
	settings["length"] = "3"
	_, err = r.Run(t.Context(), settings, point.Collective)
	require.EqualError(t, err, "both length and bytes (expected one of length, bytes and lengths)")
	delete(settings, "length")
	settings["words"] = "1"
	_, err = r.Run(t.Context(), settings, point.Collective)
	require.ErrorContains(t, err, "no prediction of gossip")
}

// A search spends the effort of a point; others are refused.
func TestEffortOfASearch(t *testing.T) {
	var r point.Runner
	settings := point.Settings{"topology": "mesh:4x4", "collective": "gossip", "algorithm": "rounds", "length": "16", "startup": "30"}
	usual, err := r.Run(t.Context(), settings, point.Collective)
	require.NoError(t, err)
	settings["effort"] = "0.01"
	little, err := r.Run(t.Context(), settings, point.Collective)
	require.NoError(t, err)
	require.Greater(t, little["cycles"].Number, usual["cycles"].Number)
	for _, effort := range []string{"0", "-1", "101", "much", "NaN"} {
		settings["effort"] = effort
		_, err = r.Run(t.Context(), settings, point.Collective)
		require.EqualError(t, err, `effort: "`+effort+`" (expected 0.01 to 100)`)
		require.EqualError(t, point.Check("effort", effort, nil), err.Error())
	}
}

// A search ends with the limit of a point, with a plan that is run; other limits are refused.
func TestLimitOfASearch(t *testing.T) {
	var r point.Runner
	settings := point.Settings{"topology": "torus:8x8", "collective": "allreduce", "limit": "1ns"}
	figures, err := r.Run(t.Context(), settings, point.Collective)
	require.NoError(t, err)
	require.GreaterOrEqual(t, figures["cycles"].Number, figures["lower_bound"].Number)
	for _, limit := range []string{"0s", "-1s", "10", "soon"} {
		settings["limit"] = limit
		_, err = r.Run(t.Context(), settings, point.Collective)
		require.EqualError(t, err, `limit: "`+limit+`" (expected a time such as 10s or 500ms)`)
		require.EqualError(t, point.Check("limit", limit, nil), err.Error())
	}
}

// A runner that shares bounds among algorithms has those of runners that share nothing.
func TestBoundsAreThoseOfEachJob(t *testing.T) {
	var shared point.Runner
	least := map[float64]bool{}
	for _, collective := range []string{"gossip", "broadcast", "allreduce"} {
		for _, change := range []point.Settings{{}, {"length": "5"}, {"startup": "9"}, {"topology": "torus:3x4"}, {"root": "4"}, {"nic.duplex": "half"}} {
			for _, algorithm := range soak.Some(2, []string{"auto", "bine", "pipelined", "recursive-doubling"}) {
				settings := point.Settings{"topology": "mesh:3x3", "collective": collective, "length": "12", "startup": "2", "effort": "0.01"}
				maps.Copy(settings, change)
				settings["algorithm"] = algorithm
				var alone point.Runner
				figures, err := alone.Run(t.Context(), settings, point.Collective)
				if err != nil {
					continue // another collective's algorithm, or option
				}
				again, err := shared.Run(t.Context(), settings, point.Collective)
				require.NoError(t, err)
				require.Equal(t, figures, again, "%v", settings)
				least[again["lower_bound"].Number] = true
			}
		}
	}
	require.Greater(t, len(least), 8)
}

// An algorithm is a name, or several between commas.
func TestListsOfAlgorithms(t *testing.T) {
	for list, want := range map[string]string{
		"": "", "auto": "", "greedy": "", "greedy,rounds": "",
		"greedy,,rounds": `algorithms "greedy,,rounds" (expected names of algorithms between commas, without auto)`,
		"greedy,auto":    `algorithms "greedy,auto" (expected names of algorithms between commas, without auto)`,
		"greedy,round":   `unknown algorithm "round" (did you mean rounds?)`,
	} {
		if err := point.Check("algorithm", list, nil); want == "" {
			require.NoError(t, err, list)
		} else {
			require.EqualError(t, err, want)
		}
	}
	var r point.Runner
	figures, err := r.Run(t.Context(), point.Settings{"topology": "ring:4", "collective": "gossip", "algorithm": "vendor,strides"}, point.Collective)
	require.NoError(t, err)
	require.Equal(t, "strides", figures["chosen"].Text)
}

// A search for the load that saturates is made once for all points that differ in their collective alone, and again for every other change.
func TestSearchesAreThoseOfEachLoad(t *testing.T) {
	var shared point.Runner
	rates := map[float64]bool{}
	for _, change := range []point.Settings{
		{}, {"length": "5"}, {"rate": "0.3"}, {"flits": "8"}, {"pattern": "tornado"}, {"resolution": "0.02"}, {"buffer": "1"},
		{"topology": "mesh:3x3"}, {"seed": "7"}, {"cycles": "400"}, {"burst": "50"}, {"warmup": "10"}, {"drain": "9"}, {"faults": "random:1,links known"},
	} {
		settings := point.Settings{"topology": "ring:6", "flits": "2", "collective": "gossip", "rate": "0.1", "resolution": "0.1", "cycles": "500", "warmup": "100"}
		maps.Copy(settings, change)
		var alone point.Runner
		const need = point.Collective | point.Load | point.Saturation
		want, err := alone.Run(t.Context(), settings, need)
		if err != nil {
			require.ErrorContains(t, err, "fault", "%v", change)
			continue
		}
		got, err := shared.Run(t.Context(), settings, need)
		require.NoError(t, err)
		require.Equal(t, want, got, "%v", change)
		rates[got["saturation.highest_stable_rate"].Number] = true
	}
	require.Greater(t, len(rates), 3)
}

// The page on studies lists the measures of which the most is the best.
func TestTheMostIsBestOnThePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/studies.md")
	require.NoError(t, err)
	_, list, ok := strings.Cut(string(page), "Which figure is the best depends on the measure: the most of ")
	require.True(t, ok)
	list, _, _ = strings.Cut(list, ", the least of others")
	var names []string
	for _, m := range point.Measures() {
		if m.Most {
			names = append(names, "`"+m.Name+"`")
		}
	}
	require.Equal(t, input.And(names), list)
}
