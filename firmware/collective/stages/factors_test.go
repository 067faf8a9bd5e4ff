// SPDX-License-Identifier: Apache-2.0

package stages_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective/stages"
	"meshwright/router"
)

// The walk to the best b finds what trying all finds, or what is as good but
// for the rounding of parts.
func TestBestFactors(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 4))
	exact := 0
	const rows = 60
	for range rows {
		n := 3 + random.IntN(60)
		spec := fmt.Sprintf("%s:%d", []string{"path", "ring"}[random.IntN(2)], n)
		diagonal := random.IntN(3) == 0
		if diagonal {
			spec = fmt.Sprintf("torus:%dx%d", 3+random.IntN(12), 3+random.IntN(12))
		}
		_, g := gridOf(t, spec)
		m, words := wormhole(t, random.IntN(1000)), 1+random.IntN(50)
		cost := func(f stages.Factors) stages.Cost { return stages.AxesCost(g, words, 1, stages.Circular(f)) }
		got := stages.BestAxes(g, words, 1, 0, &m)
		check := stages.Factors.CheckAxes
		if diagonal {
			cost = func(f stages.Factors) stages.Cost { return stages.Diagonal(f).Cost(g, words, 2) }
			got, check = stages.BestDiagonal(g, words, 2, 0, &m), stages.Factors.CheckDiagonal
		}
		require.NoError(t, check(got, g), spec)
		least := leastOfAll(g, &m, check, cost)
		time := cost(got).Cycles(&m)
		require.LessOrEqual(t, float64(time), 1.02*float64(least), "%s %+v startup %d words %d", spec, got, m.Startup, words)
		if time == least {
			exact++
		}
	}
	require.GreaterOrEqual(t, exact, rows*9/10)
}

func leastOfAll(g stages.Grid, m *machine.Machine, check func(stages.Factors, stages.Grid) error, cost func(stages.Factors) stages.Cost) router.Cycle {
	least := router.Cycle(-1)
	for a := 2; a <= g.Nodes(); a++ {
		for b := a / 2; b <= g.Nodes(); b++ {
			f := stages.Factors{A: a, B: b}
			if check(f, g) != nil {
				continue
			}
			if time := cost(f).Cycles(m); least < 0 || time < least {
				least = time
			}
		}
	}
	return least
}
