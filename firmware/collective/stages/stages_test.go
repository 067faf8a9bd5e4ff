// SPDX-License-Identifier: Apache-2.0

package stages_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective/stages"
	"meshwright/firmware/transfer"
	"meshwright/internal/soak"
)

func gridOf(t testing.TB, spec string) (*topology.Topology, stages.Grid) {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	return topo, stages.GridOf(topo)
}

func wormhole(t testing.TB, startup int, settings ...string) machine.Machine {
	t.Helper()
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Startup, m.Channels = startup, machine.Links
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	return m
}

func equalLengths(nodes, words int) []int {
	lengths := make([]int, nodes)
	for n := range lengths {
		lengths[n] = words
	}
	return lengths
}

// requireGossip follows the words of a list: nobody sends what it does not have
// yet, and in the end everybody has everything.
func requireGossip(t testing.TB, name string, l *transfer.List, lengths []int) {
	t.Helper()
	var end []int
	words := 0
	for _, length := range lengths {
		words += length
		end = append(end, words)
	}
	has := make([][]bool, l.Nodes)
	for n := range has {
		has[n] = make([]bool, words)
		for k := end[n] - lengths[n]; k < end[n]; k++ {
			has[n][k] = true
		}
	}
	for i := 0; i < len(l.Transfers); {
		step, j := l.Transfers[i].Step, i
		for ; j < len(l.Transfers) && l.Transfers[j].Step == step; j++ {
			x := &l.Transfers[j]
			require.NotEqual(t, x.From, x.To, name)
			for _, r := range x.Out {
				for k := r.From; k < r.To; k++ {
					if !has[x.From][k] {
						require.Failf(t, name, "step %d: node %d sends word %d to %d and does not have it", step, x.From, k, x.To)
					}
				}
			}
		}
		for ; i < j; i++ {
			for _, r := range l.Transfers[i].Out {
				for k := r.From; k < r.To; k++ {
					has[l.Transfers[i].To][k] = true
				}
			}
		}
		require.True(t, i == len(l.Transfers) || l.Transfers[i].Step > step, "%s: steps rise", name)
	}
	for n := range has {
		for k, h := range has[n] {
			if !h {
				require.Failf(t, name, "node %d lacks word %d", n, k)
			}
		}
	}
}

func TestLinesOfEverySize(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := 2; n <= 130; n += soak.Number(1+n/8, 1+n/40) {
		for _, kind := range []string{"path", "ring"} {
			topo, g := gridOf(t, fmt.Sprintf("%s:%d", kind, n))
			for _, method := range lineMethods(random, n) {
				name := fmt.Sprintf("%s %T%+v", topo, method, method)
				lengths := equalLengths(n, 1+random.IntN(3))
				if random.IntN(3) == 0 {
					for i := range lengths {
						lengths[i] = random.IntN(4)
					}
				}
				l, err := stages.Axes(g, lengths, 1, method)
				require.NoError(t, err, name)
				requireGossip(t, name, l, lengths)
				if n < 30 || n%10 == 1 {
					requirePredicted(t, name, topo, g, 1, method)
				}
			}
		}
	}
}

func lineMethods(random *rand.Rand, n int) []stages.Method {
	list := []stages.Method{stages.ThroughCentre{}, stages.PlaceByPlace{}}
	for _, a := range []int{2, 3, 4, 5, 2 + random.IntN(n-1)} {
		if a <= n {
			list = append(list, stages.Circular{A: a, B: a / 2}, stages.Circular{A: a, B: a/2 + random.IntN(6)})
		}
	}
	return list
}

func requirePredicted(t testing.TB, name string, topo *topology.Topology, g stages.Grid, colours int, method stages.Method) {
	for _, words := range []int{1, 7} {
		l, err := stages.Axes(g, equalLengths(topo.Nodes(), words), colours, method)
		require.NoError(t, err)
		for _, startup := range []int{0, 10, 300} {
			m := wormhole(t, startup)
			timing, err := transfer.Predict(topo, m, l)
			require.NoError(t, err)
			cost := stages.AxesCost(g, words, colours, method).Cycles(&m)
			if timing.Cycles > cost {
				require.Failf(t, name, "words %d startup %d: %d > %d", words, startup, timing.Cycles, cost)
			}
		}
	}
}

func TestDiagonals(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	specs := []string{"torus:9x9", "mesh:9x9", "torus:8x8", "mesh:8x8", "torus:10x10", "mesh:7x7", "torus:5x7", "mesh:12x5", "torus:16x4", "mesh:2x9", "mesh:2x2",
		"torus:3x3", "torus:4x4x4", "mesh:3x4x5", "torus:5x6x7", "torus:9x9x9", "mesh:8x8x8", "torus:3x3x3x3", "mesh:4x4x4x4", "torus:5x4x3x6", "torus:27x27", "mesh:16x16", "torus:1x6x7", "torus:17x17", "mesh:19x23"}
	for _, spec := range specs {
		topo, g := gridOf(t, spec)
		side := topo.Nodes()
		for _, axis := range g {
			side = min(side, axis.Size)
		}
		for range soak.Number(1, 4) {
			a := 2 + random.IntN(side-1)
			d := stages.Diagonal{A: a, B: a/2 + random.IntN(5)}
			colours := 1 + random.IntN(len(g))
			name := fmt.Sprintf("%s %+v %d colours", spec, d, colours)
			lengths := equalLengths(topo.Nodes(), random.IntN(7))
			if random.IntN(3) == 0 {
				for i := range lengths {
					lengths[i] = random.IntN(5)
				}
			}
			l, err := d.List(g, lengths, colours)
			require.NoError(t, err, name)
			requireGossip(t, name, l, lengths)
			for _, words := range []int{1, 24} {
				l, err := d.List(g, equalLengths(topo.Nodes(), words), colours)
				require.NoError(t, err)
				for _, startup := range []int{0, 10, 300} {
					m := wormhole(t, startup)
					timing, err := transfer.Predict(topo, m, l)
					require.NoError(t, err)
					cost := d.Cost(g, words, colours).Cycles(&m)
					if timing.Cycles > cost {
						require.Failf(t, name, "words %d startup %d: %d > %d", words, startup, timing.Cycles, cost)
					}
				}
			}
		}
	}
}

// In every exchange along columns all bridgeheads of that time send or receive, and nobody else.
func TestBridgeheadsAreThoseThatExchange(t *testing.T) {
	for _, row := range []struct {
		spec      string
		a, rounds int
	}{{"torus:8x8", 2, 2}, {"mesh:12x8", 2, 2}, {"torus:9x9", 3, 1}, {"torus:10x7", 3, 1}, {"mesh:27x27", 3, 2}, {"torus:6x6", 3, 1}, {"mesh:4x4", 4, 0}} {
		topo, g := gridOf(t, row.spec)
		d := stages.Diagonal{A: row.a, B: row.a}
		since, rounds, err := d.Bridgeheads(g)
		require.NoError(t, err)
		require.Equal(t, row.rounds, rounds, row.spec)
		require.Len(t, since, topo.Nodes())
		l, err := d.List(g, equalLengths(topo.Nodes(), 1), 1)
		require.NoError(t, err)
		var exchanges []map[int]bool
		along := 0
		for _, x := range l.Transfers {
			before := along
			if along = 0; topo.Coordinates(x.From)[1] != topo.Coordinates(x.To)[1] {
				along = 1
			}
			if along == 1 && before == 0 {
				exchanges = append(exchanges, map[int]bool{})
			}
			if along == 1 {
				exchanges[len(exchanges)-1][int(x.From)], exchanges[len(exchanges)-1][int(x.To)] = true, true
			}
		}
		require.Len(t, exchanges, rounds+1, row.spec)
		for n, round := range since {
			for k, heads := range exchanges {
				require.Equal(t, round <= k, heads[n], "%s: node %d in round %d", row.spec, n, k)
			}
		}
	}
	_, g := gridOf(t, "path:8")
	_, _, err := stages.Diagonal{A: 2, B: 2}.Bridgeheads(g)
	require.EqualError(t, err, "a diagonal in 1 dimension (expected at least 2 dimensions of more than one node)")
}
