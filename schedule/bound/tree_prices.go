// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

const (
	// maxTreeNodes bounds the networks whose routes get prices: this takes some tenths of a second.
	maxTreeNodes = 64
	// treeRounds is how often prices change, weighedRounds after how many of them they are weighed, treesARound for how many nodes a round looks at what their words need.
	treeRounds, weighedRounds, treesARound = 160, 40, 6
	// triedRounds is after how many rounds the needs are weighed, little what they may be more than is known.
	triedRounds, little = 10, 1.02
	// cheapest is the least price, when the dearest is 1: a link costs more than rounding errors, so that cheapest routes do not go round in circles.
	cheapest = 1e-9
)

// dearestTrees bounds a collective by prices of what its words need, as gossipTrees does: L(n) are the words of node n, lengths, and A(n) is what one of them costs at least. It is 0 where no prices are found that show much more than a known bound.
func dearestTrees(t *topology.Topology, m machine.Machine, lengths []int, needs needs, known router.Cycle) router.Cycle {
	if m.PacketSwitched() || t.Nodes() > maxTreeNodes || t.Nodes() < 3 || slices.Max(lengths) == 0 {
		return 0
	}
	p := newTreePrices(t, m, lengths, needs)
	if !p.find(known) {
		return 0
	}
	return p.bound()
}

// treePrices looks for prices with which what words need is dear.
type treePrices struct {
	machine machine.Machine
	nodes   int
	lengths []int
	owners  []int   // the nodes that have words
	words   float64 // of all of them
	looked  float64 // words that a round has looked at
	needs   needs
	givers  []giver
	things  []thing
	roads   *roads
}

// thing is what a flit needs on its route.
type thing struct {
	price float64
	part  float64 // of the price of the giver's side
	rise  float64 // logarithm of the part
	used  float64 // flits of a round
}

// giver gives one thing, or all things of one of two sides at a time. Its price, and the sum of the parts of a side, count for a cycle.
type giver struct {
	sides [2][]int32
	half  bool
	price float64
	rise  float64
}

func newTreePrices(t *topology.Topology, m machine.Machine, lengths []int, needs needs) *treePrices {
	p := &treePrices{machine: m, nodes: t.Nodes(), lengths: lengths, needs: needs}
	for n, length := range lengths {
		if length > 0 {
			p.owners = append(p.owners, n)
			p.words += float64(length)
		}
	}
	p.roads = newRoads(p.nodes, p.states(), p.links(t))
	return p
}

// find looks for good prices. It reports false if the words turn out to need little more time than is known: no prices show that they need much more.
func (p *treePrices) find(known router.Cycle) bool {
	var best treeSums
	sums, next, step := p.none(), 0, stride(len(p.owners))
	for round := range treeRounds {
		p.set()
		p.spread()
		for i := range p.things {
			p.things[i].used = 0
		}
		p.looked = 0
		for range min(treesARound, len(p.owners)) {
			p.use(p.owners[next])
			next = (next + step) % len(p.owners)
		}
		if sums.add(p); round%triedRounds == triedRounds-1 && p.last(p.busiest(sums)) <= little*float64(known) {
			return false
		}
		p.raise(3 / (1 + float64(round)/12))
		if round%weighedRounds == weighedRounds-1 {
			for _, x := range []*treeSums{p.now(), sums} { // the prices of one round, and the means of many
				p.take(x)
				if x.ratio = p.all() / p.offered(); x.ratio > best.ratio {
					best = *x
				}
			}
			sums = p.none()
		}
	}
	p.take(&best)
	return true
}

// busiest returns how many cycles the trees of some rounds need, if all words take them in turn: those of the giver that gives most.
func (p *treePrices) busiest(sums *treeSums) (most float64) {
	for i := range p.givers {
		cycles := 0.0
		for _, side := range p.givers[i].sides {
			longest := 0.0
			for _, x := range side {
				longest = max(longest, sums.used[x])
			}
			cycles += longest
		}
		most = max(most, cycles)
	}
	return most / sums.words * p.words
}

// set turns logarithms into prices.
func (p *treePrices) set() {
	most := math.Inf(-1)
	for i := range p.givers {
		most = max(most, p.givers[i].rise)
	}
	for i := range p.givers {
		g := &p.givers[i]
		g.price = max(cheapest, math.Exp(g.rise-most))
		for _, side := range g.sides {
			dearest := math.Inf(-1)
			for _, x := range side {
				dearest = max(dearest, p.things[x].rise)
			}
			for _, x := range side {
				p.things[x].part = max(cheapest, math.Exp(p.things[x].rise-dearest))
			}
		}
	}
}

// raise makes dearer what has been used most.
func (p *treePrices) raise(step float64) {
	loads, most, widest := make([]float64, len(p.givers)), 0.0, 0.0
	for i := range p.givers {
		for _, side := range p.givers[i].sides {
			sum, parts := 0.0, 0.0
			for _, x := range side {
				y := &p.things[x]
				sum, parts = sum+y.part*y.used, parts+y.part
				widest = max(widest, y.used)
			}
			if len(side) > 0 {
				loads[i] += sum / parts
			}
		}
		most = max(most, loads[i])
	}
	for i := range p.givers {
		p.givers[i].rise += step * loads[i] / most
		for _, side := range p.givers[i].sides {
			for _, x := range side {
				p.things[x].rise += step * p.things[x].used / widest
			}
		}
	}
}

// spread gives all things their prices, and finds the costs of all arcs.
func (p *treePrices) spread() {
	for i := range p.givers {
		for _, side := range p.givers[i].sides {
			parts := 0.0
			for _, x := range side {
				parts += p.things[x].part
			}
			for _, x := range side {
				p.things[x].price = p.givers[i].price * p.things[x].part / parts
			}
		}
	}
	p.roads.find(p.things)
}

// stride is about two fifths of some nodes, and comes to all of them.
func stride(nodes int) int {
	for n := 1 + nodes*5/13; ; n++ {
		divisor, rest := n, nodes
		for rest > 0 {
			divisor, rest = rest, divisor%rest
		}
		if divisor == 1 {
			return n
		}
	}
}

// use counts what the words of a node need.
func (p *treePrices) use(node int) {
	words := float64(p.lengths[node])
	p.looked += words
	for _, a := range p.needs.arcs(node, p.roads.cost) {
		p.roads.use(p.things, a.from, a.to, a.flits*words)
	}
}

// all is the cost of all words.
func (p *treePrices) all() (sum float64) {
	for _, n := range p.owners {
		sum += float64(p.lengths[n]) * p.needs.least(n, p.roads.cost)
	}
	return sum
}

// offered is what is paid in a cycle at most.
func (p *treePrices) offered() (sum float64) {
	for i := range p.givers {
		sum += p.givers[i].price
	}
	return sum
}

// bound returns the least time.
func (p *treePrices) bound() router.Cycle {
	half := 0.0
	for i := range p.givers {
		if p.givers[i].half {
			half += p.givers[i].price
		}
	}
	return router.Cycle(math.Ceil(p.last((p.all()-half*float64(p.machine.Hop)/float64(p.machine.Flit))/p.offered()*(1-1e-9)) - 1e-9))
}

// last returns the time of a collective that needs so many cycles for its flits, times those of a flit.
func (p *treePrices) last(cycles float64) float64 {
	return float64(lead(&p.machine)) + float64(p.machine.Flit)*cycles + float64(p.machine.Hop)
}
