// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

// learningPlans are those of an allreduce of few words on a random machine whose nodes are all neighbours, with what nodes learn.
func learningPlans(t *testing.T, g *rand.Rand) *plans {
	_, _, p := planned(t, fmt.Sprintf("complete:%d", 3+g.IntN(3)), 1+g.IntN(4), true, randomSettings(g)...)
	p.learning = true
	return p
}

// partsByCycle lists the most parts of all places that can have come to a node, cycle by cycle.
func (p *plans) partsByCycle(k *kind) (list []int) {
	for now := range p.end {
		parts := 0
		if now > 0 {
			parts = list[now-1]
		}
		if first := p.UntilWhole(1, 1); now >= first && (now-first)%p.Flit == 0 {
			parts += k.taking * min(p.nodes-1, 1+list[now-first])
		}
		list = append(list, parts)
	}
	return list
}

// What nodes learn is what a count of all flits comes to, cycle by cycle, and in longer spans no less.
func TestLearnedParts(t *testing.T) {
	for seed := range uint64(200) {
		p := learningPlans(t, rand.New(rand.NewPCG(seed, 0x6c6561726e)))
		p.divide(grids[seed%2])
		require.True(t, p.setTime(router.Cycle(5+seed)))
		k := &p.kinds[0]
		parts := p.partsByCycle(k)
		for i, learned := range k.learned {
			end := min(router.Cycle(i+1)*p.span, p.end) - 1
			exact := min(float64(parts[end])/float64(p.nodes-2), float64(k.taking)*float64(max(0, (end+1-p.Lead()-p.Hop)/p.Flit)))
			if p.span == 1 {
				require.InDelta(t, exact, learned, 1e-9, "seed %d span %d", seed, i)
			}
			require.GreaterOrEqual(t, learned, exact-1e-9, "seed %d span %d", seed, i)
		}
	}
}

// partPlans finds the largest profit of all plans in which a node knows some parts of places, as many of all of them together as it has learned.
type partPlans struct {
	*plans
	*kind
	parts []int
	best  map[[2]int]float64
}

func (a *partPlans) from(now router.Cycle, known int) float64 {
	if now >= a.end {
		return 0
	}
	key := [2]int{int(now), known}
	if best, ok := a.best[key]; ok {
		return best
	}
	best, place := a.from(now+1, known), float64(a.plans.nodes-2)
	for x := 1; x <= a.words; x++ {
		if whole := now + a.UntilWhole(1, x); whole < a.end {
			for after := known; after <= max(known, min(a.parts[now], a.words*(a.plans.nodes-2))); after++ {
				cost := a.early * float64(after-known) / place * (a.value[now] - a.value[a.end-1]) / float64(a.channels)
				brings := a.single*float64(x) + a.early*min(float64(x), float64(after)/place)
				best = max(best, a.from(now+a.Hold(x), after)+a.value[whole]*brings-cost-a.fee(int(now), x-1))
			}
		}
	}
	a.best[key] = best
	return best
}

// The dynamic programming finds no less than the most profitable of all plans with parts of places, and the plan that it returns earns what it finds.
func TestMostProfitWithPartsOfPlaces(t *testing.T) {
	for seed := range uint64(200) {
		g := rand.New(rand.NewPCG(seed, 0x7061727473))
		p := learningPlans(t, g)
		p.divide(grids[1])
		require.True(t, p.setTime(router.Cycle(5+g.IntN(45))))
		require.Equal(t, router.Cycle(1), p.span)
		own := p.own()
		weight := randomWeights(g, len(own))
		p.setPrices(weight)
		k := &p.kinds[0]
		profit := p.mostProfit(k)
		require.LessOrEqual(t, (&partPlans{p, k, p.partsByCycle(k), map[[2]int]float64{}}).from(0, 0), profit+1e-9, "seed %d", seed)
		earned := 0.0
		for r, x := range p.plan(k, len(own)) {
			earned += weight[r] * x
		}
		require.InDelta(t, profit, earned, 1e-9, "seed %d", seed)
	}
}

// No random allreduce is faster than the bound with what nodes learn, whatever the prices.
func TestLearningAgainstRandomSchedules(t *testing.T) {
	for seed := range uint64(60) {
		g := rand.New(rand.NewPCG(seed, 0x747269616c))
		p := learningPlans(t, g)
		best := router.Cycle(400)
		for range 100 {
			best = min(best, newTrial(p, g, p.words).time(best))
		}
		require.LessOrEqual(t, p.least(1, best+1), best, "seed %d", seed)
		p.divide(grids[1])
		require.True(t, p.setTime(best))
		for range 20 { // any prices
			own := p.own()
			_, sum := p.earn(randomWeights(g, len(own)), own)
			require.GreaterOrEqual(t, sum, -1e-6, "seed %d", seed)
		}
	}
}
