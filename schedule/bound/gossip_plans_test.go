// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// planned is a machine with settings, and the plans of a gossip on it, or of an allreduce.
func planned(t *testing.T, spec string, length int, sums bool, settings ...string) (*topology.Topology, machine.Machine, *plans) {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	if sums {
		return topo, m, newSumPlans(topo, m, length)
	}
	return topo, m, newGossipPlans(topo, m, slices.Repeat([]int{length}, topo.Nodes()), topo.Nodes()*length)
}

// randomPlans is a small random machine whose nodes are all neighbours.
func randomPlans(t *testing.T, g *rand.Rand, sums bool) (*topology.Topology, machine.Machine, *plans) {
	return planned(t, fmt.Sprintf("complete:%d", 2+g.IntN(3)), 1+g.IntN(2), sums, randomSettings(g)...)
}

// randomSettings are those of a small random machine.
func randomSettings(g *rand.Rand) []string {
	pick := func(list ...string) string { return list[g.IntN(len(list))] }
	return []string{
		"startup", pick("1", "2", "3", "5", "8"), "hop", pick("1", "2", "3"), "flit", pick("1", "2"), "header", pick("wires", "wires", "flit"),
		"nic.channels", pick("1", "1", "links"), "ports", pick("all", "single"), "nic.duplex", pick("full", "half"),
	}
}

// randomWeights are any prices.
func randomWeights(g *rand.Rand, rises int) []float64 {
	weight := make([]float64, rises)
	for r := range weight {
		if g.IntN(3) == 0 {
			weight[r] = g.ExpFloat64()
		}
	}
	return weight
}

// allPlans finds the largest profit by trying all plans, cycle by cycle and word by word.
type allPlans struct {
	*plans
	*kind
	best map[[2]int]float64
}

func (a *allPlans) from(now router.Cycle, known int) float64 {
	if now >= a.end {
		return 0
	}
	key := [2]int{int(now), known}
	if best, ok := a.best[key]; ok {
		return best
	}
	best := a.from(now+1, known)
	for x := 1; x <= a.words; x++ {
		if whole := now + a.UntilWhole(1, x); whole < a.end {
			for after := known; after <= a.most(now, known); after++ {
				if after >= x || a.sums {
					cost := a.early * float64(after-known) * (a.value[now] - a.value[a.end-1]) / float64(a.channels)
					best = max(best, a.from(now+a.Hold(x), after)+a.value[whole]*a.brings(x, after)-cost-a.toGates(now, x))
				}
			}
		}
	}
	a.best[key] = best
	return best
}

// most is what a node can know in a cycle.
func (a *allPlans) most(now router.Cycle, known int) int {
	most := a.words
	for d, words := range a.within {
		come := words
		for first := a.Lead() + router.Cycle(d+1)*a.Hop + a.Flit - 1; first <= now; first += a.Flit {
			come += a.taking
		}
		most = min(most, come)
	}
	return max(most, known)
}

// brings is what a message of x words is worth, by the nodes whose part of a place comes to another one.
func (a *allPlans) brings(x, known int) float64 {
	if !a.sums {
		return float64(x)
	}
	nodes := 0
	for place := range x {
		if place < known {
			nodes += a.plans.nodes - 1
		} else {
			nodes++
		}
	}
	return float64(nodes) / float64(a.plans.nodes)
}

// toGates adds up the prices of the cycles of gates.
func (a *allPlans) toGates(now router.Cycle, x int) (sum float64) {
	for i := range a.Flits(1, x) {
		leaves := now + a.Startup + i
		sum += a.before(leaves+1) - a.before(leaves)
		if a.half {
			sum += a.before(leaves+a.Hop+1) - a.before(leaves+a.Hop)
		}
	}
	return sum
}

// The dynamic programming finds the most profitable of all plans, and the plan that it returns earns this.
func TestMostProfitIsThatOfAllPlans(t *testing.T) {
	traded := 0
	for seed := range uint64(300) {
		g := rand.New(rand.NewPCG(seed, 0x706c616e))
		_, _, p := randomPlans(t, g, seed%2 == 0)
		p.divide(grids[1])
		require.True(t, p.setTime(router.Cycle(5+g.IntN(50))))
		own := p.own()
		weight := randomWeights(g, len(own))
		p.setPrices(weight)
		k := &p.kinds[0]
		profit := p.mostProfit(k)
		require.InDelta(t, (&allPlans{p, k, map[[2]int]float64{}}).from(0, k.own), profit, 1e-9, "seed %d", seed)
		earned := 0.0
		for r, x := range p.plan(k, len(own)) {
			earned += weight[r] * x
		}
		require.InDelta(t, profit, earned, 1e-9, "seed %d", seed)
		if profit > 0 {
			traded++
		}
	}
	require.Greater(t, traded, 100)
}

// Coarse spans and classes of sizes only make plans more profitable.
func TestCoarsePlansEarnMore(t *testing.T) {
	for seed := range uint64(200) {
		g := rand.New(rand.NewPCG(seed, 0x636f61727365))
		pick := func(list ...string) string { return list[g.IntN(len(list))] }
		_, _, p := planned(t, pick("complete:5", "mesh:3x2", "path:4"), 1+g.IntN(12), seed%2 == 0, "startup", pick("3", "10", "30"), "hop", pick("1", "4"), "flit", pick("1", "3"),
			"nic.channels", pick("1", "links"), "ports", pick("all", "single"), "nic.duplex", pick("full", "half"))
		end := router.Cycle(100 + g.IntN(150))
		p.divide(grid{256, 64, 0})
		require.True(t, p.setTime(end))
		require.EqualValues(t, 1, p.span)
		coarse := grid{10 + g.IntN(100), 3 + g.IntN(20), 0}
		q := *p
		q.sizes, q.kinds = nil, slices.Clone(p.kinds)
		q.divide(coarse)
		q.late, q.hold, q.fees, q.profit = nil, nil, nil, nil
		require.True(t, q.setTime(end))
		weight := randomWeights(g, len(q.own()))
		fine := make([]float64, len(p.own()))
		for i, x := range weight[:len(q.value)] {
			fine[min((i+1)*int(q.span), len(p.value))-1] = x
		}
		p.setPrices(fine)
		q.setPrices(weight)
		for c := range p.passed {
			p.passed[c] = q.before(router.Cycle(c))
		}
		p.setFees()
		for i := range p.kinds {
			exact := p.mostProfit(&p.kinds[i])
			require.GreaterOrEqual(t, q.mostProfit(&q.kinds[i]), exact-1e-9, "seed %d", seed)
		}
	}
}

// trial is a gossip or an allreduce at random, among neighbours. What a node knows is by word and by the node that added to it: in a gossip this is the owner alone.
type trial struct {
	*plans
	g     *rand.Rand
	known [][]map[int]bool // by node and word
	free  map[[2]int]router.Cycle
	sends []map[router.Cycle]int // flits of a node in a cycle
	takes []map[router.Cycle]int
	way   []onWay
}

// onWay is a message in flight.
type onWay struct {
	to    int
	whole router.Cycle
	words map[int][]int // the nodes that have added to them
}

func newTrial(p *plans, g *rand.Rand, length int) *trial {
	r := &trial{plans: p, g: g, free: map[[2]int]router.Cycle{}}
	for n := range p.nodes {
		r.sends, r.takes = append(r.sends, map[router.Cycle]int{}), append(r.takes, map[router.Cycle]int{})
		r.known = append(r.known, make([]map[int]bool, p.words))
		for w := range p.words {
			r.known[n][w] = map[int]bool{}
			if p.sums || w/length == n {
				r.known[n][w][n] = true
			}
		}
	}
	return r
}

// time returns the time of the trial, or more than most.
func (r *trial) time(most router.Cycle) router.Cycle {
	eager := 1 + r.g.IntN(6)
	for now := router.Cycle(0); now < most; now++ {
		r.way = slices.DeleteFunc(r.way, func(m onWay) bool {
			for w, from := range m.words {
				for _, n := range from {
					if m.whole == now {
						r.known[m.to][w][n] = true
					}
				}
			}
			return m.whole == now
		})
		if r.done() {
			return now + 1
		}
		for _, from := range r.g.Perm(r.nodes) {
			for range r.kinds[0].channels {
				if r.g.IntN(eager) == 0 || eager == 6 {
					r.hand(now, from, (from+1+r.g.IntN(r.nodes-1))%r.nodes)
				}
			}
		}
	}
	return most + 1
}

func (r *trial) done() bool {
	for _, words := range r.known {
		for _, from := range words {
			if len(from) == 0 || r.sums && len(from) < r.nodes {
				return false
			}
		}
	}
	return true
}

// hand hands a message over, if its channel and gates have time for it, of words of which the receiver lacks something.
func (r *trial) hand(now router.Cycle, from, to int) {
	channel := [2]int{from, 0}
	if r.kinds[0].channels > 1 {
		channel[1] = to
	}
	words, limit := map[int][]int{}, 1+r.g.IntN(r.words)
	for _, w := range r.g.Perm(r.words) {
		var list []int
		useful := false
		for n := range r.known[from][w] {
			list, useful = append(list, n), useful || !r.known[to][w][n]
		}
		if useful && len(words) < limit {
			words[w] = list
		}
	}
	if len(words) == 0 || r.free[channel] > now || !r.passes(now+r.Startup, from, to, r.Flits(1, len(words))) {
		return
	}
	r.free[channel] = now + r.Hold(len(words))
	r.way = append(r.way, onWay{to, now + r.UntilWhole(1, len(words)), words})
}

// passes reports whether gates have time for flits, and takes it.
func (r *trial) passes(leaves router.Cycle, from, to int, flits router.Cycle) bool {
	gates := r.kinds[0].taking
	for c := leaves; c < leaves+flits; c++ {
		if r.sends[from][c] == gates || r.takes[to][c+r.Hop] == gates || r.half && (r.takes[from][c] > 0 || r.sends[to][c+r.Hop] > 0) {
			return false
		}
	}
	for c := leaves; c < leaves+flits; c++ {
		r.sends[from][c]++
		r.takes[to][c+r.Hop]++
	}
	return true
}

// No gossip and no allreduce is faster than the bound: it is held against the best of many at random. On small machines some of them are as fast.
func TestPlansAgainstRandomSchedules(t *testing.T) {
	met := 0
	for seed := range uint64(120) {
		g := rand.New(rand.NewPCG(seed, 0x747269616c))
		topo, m, p := randomPlans(t, g, seed%2 == 0)
		length, bound := p.words/p.nodes, router.Cycle(0)
		if p.sums {
			length, bound = p.words, sumPlans(topo, m, p.words, 1)
		} else {
			bound = gossipPlans(topo, m, slices.Repeat([]int{length}, p.nodes), p.words, 1)
		}
		best := router.Cycle(400)
		for range 200 {
			best = min(best, newTrial(p, g, length).time(best))
		}
		require.LessOrEqual(t, bound, best, "seed %d", seed)
		if bound == best {
			met++
		}
		p.divide(grids[1])
		require.True(t, p.setTime(best))
		for range 20 { // any prices
			own := p.own()
			_, sum := p.earn(randomWeights(g, len(own)), own)
			require.GreaterOrEqual(t, sum, -1e-6, "seed %d", seed)
		}
	}
	require.Greater(t, met, 20)
}

// The bound is close to the fastest schedules that are known, where messages are few.
func TestPlansByHand(t *testing.T) {
	for _, row := range []struct {
		spec         string
		length       int
		sums         bool
		least, known router.Cycle // known: the time of a schedule
		settings     []string
	}{
		{"path:8", 4, false, 119, 134, []string{"startup", "30", "nic.channels", "1"}},
		{"complete:8", 4, false, 119, 3*30 + 4*(1+2+4) + 1, []string{"startup", "30", "nic.channels", "1"}}, // known: doubling
		{"comb:7x3", 8, false, 260, 400, []string{"startup", "10", "nic.channels", "1"}},
		{"twisted-torus:3x3,1", 16, false, 107, 400, []string{"startup", "30", "nic.duplex", "half"}},
		{"mesh:8x5", 4, false, 132, 400, []string{"startup", "30"}},
		{"random:58,3,259", 1, false, 176, 278, []string{"startup", "10", "hop", "2", "flit", "2", "ports", "single", "nic.channels", "1"}},
		{"hypercube:4", 16, true, 102, 152, []string{"startup", "30", "ports", "single"}},
		{"mesh:2x3", 32, true, 108, 189, []string{"startup", "30", "hop", "2", "ports", "single"}},
		{"path:33", 4, true, 134, 400, []string{"startup", "30", "hop", "2", "flit", "2", "ports", "single"}},
		{"complete:2", 5, true, 7 + 5 + 1, 7 + 5 + 1, []string{"startup", "7", "nic.channels", "1"}},
		{"complete:2", 5, true, 7 + 10, 7 + 6 + 6, []string{"startup", "7", "nic.channels", "1", "nic.duplex", "half"}}, // known: one sends, and then the other
	} {
		topo, m, p := planned(t, row.spec, row.length, row.sums, row.settings...)
		bound := router.Cycle(0)
		if row.sums {
			bound = sumPlans(topo, m, row.length, 1)
		} else {
			bound = gossipPlans(topo, m, slices.Repeat([]int{row.length}, topo.Nodes()), p.words, 1)
		}
		require.GreaterOrEqual(t, bound, row.least, "%+v", row)
		require.LessOrEqual(t, bound, row.known, "%+v", row)
	}
}

// With many kinds of nodes some are joined, and the bound is no larger for it.
func TestJoinedKindsHaveLessToBuy(t *testing.T) {
	topo, m, _ := planned(t, "mesh:4x3", 1, false, "startup", "20")
	lengths := []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}
	p := newGossipPlans(topo, m, lengths, 66)
	require.Len(t, p.kinds, 12)
	times := []router.Cycle{}
	for _, kinds := range []int{12, 5, 2, 1} {
		p.joinKinds(kinds)
		require.Len(t, p.kinds, kinds)
		nodes := 0
		for _, k := range p.kinds {
			nodes += k.nodes
		}
		require.Equal(t, 12, nodes)
		p.weight = nil
		p.divide(grids[1])
		times = append(times, p.search(1, 8))
	}
	require.True(t, slices.IsSortedFunc(times, func(a, b router.Cycle) int { return int(b - a) }), "%v", times)
	require.Greater(t, times[1], times[3])
}

// No weights are better than those found, and a plan more is worth it only with other weights.
func TestWeightsAreTheBest(t *testing.T) {
	for seed := range uint64(100) {
		g := rand.New(rand.NewPCG(seed, 0x77656967687473))
		rows, kinds := 1+g.IntN(30), 1+g.IntN(4)
		random := func(size int) []float64 {
			list := make([]float64, size)
			for i := range list {
				list[i] = float64(g.IntN(21) - 10)
			}
			return list
		}
		own, count := random(rows), make([]float64, kinds)
		all := make([][][]float64, kinds) // by kind
		worth := func(weight []float64) (sum float64) {
			for r, x := range own {
				sum += weight[r] * x
			}
			for k, plans := range all {
				most := math.Inf(-1)
				for _, plan := range plans {
					value := 0.0
					for r, x := range plan {
						value += weight[r] * x
					}
					most = max(most, value)
				}
				sum += count[k] * most
			}
			return sum
		}
		var w *weights
		var lists [][][]float64
		for range 1 + g.IntN(20) {
			list := make([][]float64, kinds)
			for k := range list {
				list[k] = random(rows)
				all[k] = append(all[k], list[k])
				count[k] = float64(k + 1)
			}
			if w == nil {
				w = newWeights(own, count, list)
			}
			lists = append(lists, list)
			for better := true; better; { // what was not worth a line before may be now
				better = false
				for _, list := range lists {
					better = w.add(list) || better
				}
			}
			weight, sum := w.list(), 0.0
			for _, x := range weight {
				sum += x
			}
			require.InDelta(t, 1, sum, 1e-6, "seed %d", seed)
			require.InDelta(t, w.sum, worth(weight), 1e-3, "seed %d", seed)
			for range 20 {
				other := randomWeights(g, rows)
				sum := 0.0
				for _, x := range other {
					sum += x
				}
				for r := range other {
					other[r] /= sum
				}
				if sum > 0 {
					require.GreaterOrEqual(t, worth(other), w.sum-1e-3, "seed %d", seed)
				}
			}
		}
	}
}
