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
	"meshwright/router"
)

func grid(t testing.TB, spec string) *topology.Topology {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	return topo
}

func preset(t testing.TB, name string) machine.Machine {
	t.Helper()
	m, err := machine.Preset(name)
	require.NoError(t, err)
	return m
}

// witness carries a list out on sets of words: step by step, nobody sends what
// it does not have or takes what it has, nobody does two things in a step, and
// in the end everybody has everything.
func witness(t *testing.T, l *transfer.List, lengths []int, name string) {
	t.Helper()
	total, last := 0, 0
	for _, length := range lengths {
		total += length
	}
	has := make([][]bool, len(lengths))
	at := 0
	for n, length := range lengths {
		has[n] = make([]bool, total)
		for range length {
			has[n][at] = true
			at++
		}
	}
	byStep := map[int][]transfer.Transfer{}
	for _, one := range l.Transfers {
		byStep[one.Step] = append(byStep[one.Step], one)
		last = max(last, one.Step)
	}
	for step := range last + 1 {
		busy := map[router.NodeID]bool{}
		for _, one := range byStep[step] {
			for _, n := range []router.NodeID{one.From, one.To} {
				require.False(t, busy[n] && l.Sync, "%s: node %d does two things in step %d", name, n, step)
				busy[n] = true
			}
			for _, r := range one.Out {
				for k := r.From; k < r.To; k++ {
					require.True(t, has[one.From][k], "%s: node %d sends word %d in step %d", name, one.From, k, step)
				}
			}
		}
		for _, one := range byStep[step] {
			for _, r := range one.Out {
				for k := r.From; k < r.To; k++ {
					has[one.To][k] = true
				}
			}
		}
	}
	for n := range has {
		require.NotContains(t, has[n], false, "%s: node %d", name, n)
	}
}

type row struct {
	spec      string
	algorithm stages.OneChannelAlgorithm
	start     string
	a, b      int
}

func (r row) String() string {
	return fmt.Sprintf("%s on %s start %q a %d b %d", r.algorithm, r.spec, r.start, r.a, r.b)
}

// rows are all algorithms on many grids.
func rows(t *testing.T) []row {
	var all []row
	for _, n := range []int{1, 2, 3, 4, 5, 7, 8, 12, 16, 21, 64, 100} {
		for _, kind := range []string{"path", "ring"} {
			spec := fmt.Sprintf("%s:%d", kind, n)
			if kind == "ring" && n < 3 {
				continue
			}
			all = append(all, row{spec: spec, algorithm: stages.Approach1}, row{spec: spec, algorithm: stages.Approach2}, row{spec: spec, algorithm: stages.Vendor})
			for _, a := range []int{2, 3, 4, 5, 8, n} {
				if a >= 2 && a <= n {
					all = append(all, row{spec, stages.Circgos, "", a, 0}, row{spec, stages.Circgos, "", a, a + 1}, row{spec, stages.Circgos, "", a, a + 4})
				}
			}
		}
	}
	for _, spec := range []string{"mesh:2x2", "mesh:8x8", "mesh:16x8", "mesh:8x16", "torus:8x8", "mesh:6x4", "torus:6x9", "mesh:5x7", "mesh:3x4x2", "hypercube:4", "mesh:12x12", "mesh:1x4"} {
		topo := grid(t, spec)
		all = append(all, row{spec: spec, algorithm: stages.Vendor}, row{spec, stages.Circgos, stages.Around, 3, 0}, row{spec, stages.Circgos, "", 2, 4})
		for _, algorithm := range []stages.OneChannelAlgorithm{stages.Approach1, stages.Approach2} {
			for _, start := range []string{"", stages.Rows, stages.Columns, stages.Around} {
				all = append(all, row{spec, algorithm, start, 0, 0})
			}
			if len(topo.Dims) == 2 && topo.Dims[0]%2 == 0 && topo.Dims[1]%2 == 0 {
				all = append(all, row{spec, algorithm, stages.BlackWhite, 0, 0})
			}
		}
		all = append(all, row{spec, stages.Highdimgos, "", 2, 0}, row{spec, stages.Highdimgos, stages.Columns, 0, 0})
		if len(topo.Dims) == 2 {
			for a := 2; a <= min(topo.Dims[0], topo.Dims[1]); a++ {
				all = append(all, row{spec, stages.Torgos, "", a, 0}, row{spec, stages.Torgos, stages.Columns, a, a + 2})
			}
		}
	}
	return all
}

func list(t *testing.T, r row, lengths []int, sync bool) (*transfer.List, stages.OneChannel) {
	t.Helper()
	o := stages.OneChannel{
		Algorithm: r.algorithm, Factors: stages.Factors{A: r.a, B: r.b},
		Topology: grid(t, r.spec), Lengths: lengths, Start: r.start, Sync: sync,
	}
	l, err := o.List()
	require.NoError(t, err, r.String())
	return l, o
}

func equal(nodes, length int) []int {
	lengths := make([]int, nodes)
	for i := range lengths {
		lengths[i] = length
	}
	return lengths
}

func TestOneChannelGossipsAreGossips(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, r := range soak.Some(3, rows(t)) {
		nodes := grid(t, r.spec).Nodes()
		l, _ := list(t, r, equal(nodes, 1), false)
		witness(t, l, equal(nodes, 1), r.String())
		lengths := equal(nodes, 0)
		for n := range lengths {
			lengths[n] = random.IntN(4)
		}
		l, _ = list(t, r, lengths, true)
		witness(t, l, lengths, r.String())
	}
}

// exact tells the rows in which all messages of a step have one size and go over
// one distance, or the ring of approach 2, so that the formula leaves nothing out.
func exact(topo *topology.Topology, r row) bool {
	for _, length := range topo.Dims {
		if length&(length-1) != 0 {
			return false
		}
	}
	switch {
	case r.start == stages.BlackWhite:
		return topo.Dims[0] == topo.Dims[1]
	case r.algorithm == stages.Circgos || r.algorithm == stages.Torgos || r.algorithm == stages.Highdimgos && r.a > 0:
		return r.a == 2 && r.b == 0 && (len(topo.Dims) == 1 || r.algorithm != stages.Circgos)
	}
	return r.start != stages.Around || r.algorithm == stages.Approach2
}

// With tokens the formulas give the time that a prediction of the list of messages
// gives. Where sizes or distances differ, they are close to it or above it.
func TestOneChannelFormulas(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	exactly := 0
	for _, r := range rows(t) {
		nodes := grid(t, r.spec).Nodes()
		for _, flits := range soak.Some(2, []int{4, 1, 4096, 100}) {
			l, o := list(t, r, equal(nodes, flits), true)
			m := preset(t, "paragon")
			if random.IntN(2) == 0 {
				m.Startup, m.Hop, m.Flit = 5+random.IntN(1000), 1+random.IntN(5), 1+random.IntN(3)
			}
			timing, err := transfer.Predict(o.Topology, m, l)
			require.NoError(t, err)
			c, err := o.Chain(m, flits)
			require.NoError(t, err)
			got, want := c.Cycles(m), timing.Cycles
			name := fmt.Sprintf("%v of %d flits", r, flits)
			if exact(o.Topology, r) {
				exactly++
				require.Equal(t, want, got, name)
				continue
			}
			require.InDelta(t, 1.3, float64(got)/float64(want), 0.35, name)
		}
	}
	require.Greater(t, exactly, 150)
}

// Approach 1 sends twice six messages one after the other on 8x8 nodes. TORGOS
// sends twelve, and there are ten tokens before them.
func ExampleOneChannel_Chain() {
	topo, _ := topology.Parse("mesh:8x8")
	m, _ := machine.Preset("paragon")
	c, _ := stages.OneChannel{Algorithm: stages.Approach1, Topology: topo}.Chain(m, 100)
	fmt.Println(c.Startups, "startups,", c.Flits, "flits,", c.Cycles(m), "cycles")
	c, _ = stages.OneChannel{Algorithm: stages.Torgos, Factors: stages.Factors{A: 2}, Topology: topo, Sync: true}.Chain(m, 100)
	fmt.Println(c.Startups, "startups,", c.Flits, "flits,", c.Cycles(m), "cycles")
	// Output:
	// 12 startups, 27900 flits, 70001 cycles
	// 22 startups, 17110 flits, 94261 cycles
}

// The best a and b by the formula are no worse than any.
func TestOneChannelBest(t *testing.T) {
	m := preset(t, "paragon")
	for _, spec := range []string{"mesh:8x8", "mesh:16x8", "mesh:12x12", "path:30"} {
		for _, flits := range []int{1, 300, 20000} {
			o := stages.OneChannel{Algorithm: stages.Torgos, Topology: grid(t, spec), Lengths: equal(grid(t, spec).Nodes(), flits), Sync: true}
			if len(o.Topology.Dims) == 1 {
				o.Algorithm = stages.Circgos
			}
			chosen, err := o.Best(m, flits)
			require.NoError(t, err)
			best, err := chosen.Chain(m, flits)
			require.NoError(t, err)
			for _, other := range []int{2, 3, 4} {
				o.Factors = stages.Factors{A: other}
				c, err := o.Chain(m, flits)
				require.NoError(t, err)
				if other == 4 && spec == "path:30" { // bridgeheads at unequal distances
					continue
				}
				require.LessOrEqual(t, best.Cycles(m), c.Cycles(m), "%s a %d", spec, other)
			}
		}
	}
}
