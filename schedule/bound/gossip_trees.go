// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// gossipTrees bounds a gossip by prices of what the words need on their way: channels, links and ports, each for f cycles.
//
// Take for each word and each node the message with which the word comes to the node first. Its sender had the word before, so that these messages are the arcs of a tree from the word's node to all others. An arc costs the prices of all that a
// flit needs on the cheapest way from node to node: an injection channel, links, an ejection channel, and with a single port the ports of all nodes on the way. Let A(n) be the cost of the cheapest tree from n, and L(n) the words of n.
//
// No flit leaves a PE before cycle s, and the last ones need a hop. So everything can be used in T-s-h cycles, and what passes r flits at once gets r times its price in each. A half-duplex PE either sends or receives: in a cycle it gets the
// prices of all its injection channels or those of all its ejection channels, here as much for either, and it receives in the last cycles as well. Let P be all that is paid in a cycle at most, and H the part of half-duplex PEs. The prices pay for all trees:
//
//	f * sum of L(n)*A(n)  <=  (T-s-h)*P + h*H
//
// Any prices give a bound. They are found by multiplicative weights: what the trees of a round use most becomes dearer.
//
// The bound is 0 where no prices are found that show much more than a known one.
func gossipTrees(t *topology.Topology, m machine.Machine, lengths []int, known router.Cycle) router.Cycle {
	if m.PacketSwitched() || slices.Max(lengths) == 0 || t.Nodes() > maxTreeNodes || t.Nodes() < 3 || t.Translates() && slices.Min(lengths) == slices.Max(lengths) {
		return 0
	}
	p := newTreePrices(t, m, lengths)
	if !p.find(known) {
		return 0
	}
	return p.bound()
}

const (
	// maxTreeNodes bounds the networks whose trees get prices: this takes a tenth of a second.
	maxTreeNodes = 64
	// treeRounds is how often prices change, weighedRounds after how many of them they are weighed, treesARound how many trees a round looks at.
	treeRounds, weighedRounds, treesARound = 160, 40, 6
	// triedRounds is after how many rounds the trees are weighed, little what they may need more than is known.
	triedRounds, little = 10, 1.02
	// cheapest is the least price, when the dearest is 1: a link costs more than rounding errors, so that cheapest ways do not go round in circles.
	cheapest = 1e-9
)

// treePrices looks for prices with which trees are dear.
type treePrices struct {
	machine machine.Machine
	nodes   int
	lengths []int
	owners  []int   // the nodes that have words
	words   float64 // of all of them
	looked  float64 // words of the trees of a round
	givers  []giver
	things  []thing
	roads   *roads
	trees   *arborescences
}

// thing is what a flit needs on its way.
type thing struct {
	room  float64 // flits at once
	price float64
	part  float64 // of the price of the giver's side
	rise  float64 // logarithm of the part
	used  float64 // flits of the trees of a round
}

// giver gives one thing, or all things of one of two sides at a time. Its price, and the sum of the parts of a side, count for a cycle.
type giver struct {
	sides [2][]int32
	half  bool
	price float64
	rise  float64
}

func newTreePrices(t *topology.Topology, m machine.Machine, lengths []int) *treePrices {
	p := &treePrices{machine: m, nodes: t.Nodes(), lengths: lengths, trees: newArborescences(t.Nodes())}
	for n, length := range lengths {
		if length > 0 {
			p.owners = append(p.owners, n)
			p.words += float64(length)
		}
	}
	single := m.Ports == machine.SinglePort
	out, in := make([][]int32, p.nodes), make([][]int32, p.nodes) // channels by node, or by node and port
	for v := range router.NodeID(p.nodes) {
		out[v], in[v] = p.channels(t, v)
	}
	var ports [2][]int32
	for range p.nodes {
		if single {
			ports[0], ports[1] = append(ports[0], p.alone(1)), append(ports[1], p.alone(1))
		}
	}
	var roads []road
	for v := range router.NodeID(p.nodes) {
		for port := range router.Port(t.Ports(v)) {
			to := t.Neighbor(v, port)
			if to == router.None {
				continue
			}
			r := road{from: int32(v), to: int32(to), out: of(out[v], port), in: of(in[to], t.BackPort(v, port))}
			if single {
				r.passes = [2]int32{ports[0][v], ports[1][to]}
			} else {
				r.passes = [2]int32{p.alone(1), none}
			}
			roads = append(roads, r)
		}
	}
	p.roads = newRoads(p.nodes, roads)
	return p
}

// none is the thing that costs nothing.
const none = -1

// of returns the thing of a port, the one of all ports, or none.
func of(things []int32, port router.Port) int32 {
	switch len(things) {
	case 0:
		return none
	case 1:
		return things[0]
	}
	return things[port]
}

// thing adds a thing.
func (p *treePrices) thing(room int) int32 {
	p.things = append(p.things, thing{room: float64(room)})
	return int32(len(p.things) - 1)
}

// alone adds a thing that is all that its giver gives.
func (p *treePrices) alone(room int) int32 {
	x := p.thing(room)
	p.givers = append(p.givers, giver{sides: [2][]int32{{x}}})
	return x
}

// channels adds the injection and the ejection channels of a node. Where each link has its own, and flits can come and go at once, the links suffice.
func (p *treePrices) channels(t *topology.Topology, v router.NodeID) (out, in []int32) {
	each := p.machine.Channels == machine.Links && p.machine.Ports != machine.SinglePort
	switch {
	case p.machine.Duplex != machine.Half && each:
		return nil, nil
	case p.machine.Duplex != machine.Half:
		return []int32{p.alone(gates(t, p.machine, v))}, []int32{p.alone(gates(t, p.machine, v))}
	case !each:
		out, in = []int32{p.thing(gates(t, p.machine, v))}, []int32{p.thing(gates(t, p.machine, v))}
	default:
		for range t.Ports(v) {
			out, in = append(out, p.thing(1)), append(in, p.thing(1))
		}
	}
	p.givers = append(p.givers, giver{sides: [2][]int32{out, in}, half: true})
	return out, in
}

// find looks for good prices. It reports false if it has found trees that need little more time than is known: no prices show that they need much more.
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
				longest = max(longest, sums.used[x]/p.things[x].room)
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
				p.things[x].part = math.Exp(p.things[x].rise - dearest)
			}
		}
	}
}

// raise makes dearer what has been used most.
func (p *treePrices) raise(step float64) {
	loads, most := make([]float64, len(p.givers)), 0.0
	for i := range p.givers {
		for _, side := range p.givers[i].sides {
			sum, parts := 0.0, 0.0
			for _, x := range side {
				y := &p.things[x]
				sum, parts = sum+y.part*y.used/y.room, parts+y.part
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
				p.things[x].rise += step * p.things[x].used / p.things[x].room / most
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
				p.things[x].price = p.givers[i].price * p.things[x].part / parts / p.things[x].room
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

// use counts what the words of a node need on the cheapest tree.
func (p *treePrices) use(root int) {
	p.looked += float64(p.lengths[root])
	_, parent := p.trees.least(root, p.roads.cost)
	for v, u := range parent {
		if v != root {
			p.roads.use(p.things, u, int32(v), float64(p.lengths[root]))
		}
	}
}

// all is the cost of the trees of all words.
func (p *treePrices) all() (sum float64) {
	for _, n := range p.owners {
		cost, _ := p.trees.least(n, p.roads.cost)
		sum += float64(p.lengths[n]) * cost
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

// last returns the time of a gossip that needs so many cycles for its flits, times those of a flit.
func (p *treePrices) last(cycles float64) float64 {
	return float64(lead(&p.machine)) + float64(p.machine.Flit)*cycles + float64(p.machine.Hop)
}
