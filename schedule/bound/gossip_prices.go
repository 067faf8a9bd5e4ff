// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// gossipPrices bounds a gossip by what all nodes together know: first each message at most doubles what is known of the blocks, then the channels have time for
// so many words. Neither is fast while the other is: large messages need nodes that know much already, small ones pay many startups.
//
// Let a word that a node knows in cycle t have a value V(t) that never rises, and is 1 from cycle T on. Let each cycle of a channel have a price y(t). Let a message of x words keep its channel for
// hold(x) = f*x + rest cycles, and be whole late(x) cycles after its hand-over. Let c be the most channels of a node. If for all cycles t and all
// sizes x of a message that is whole before T
//
//	x*V(t + late(x))  <=  the prices of the cycles t to t + hold(x) - 1  +  x*(V(t) - V(t+hold(x)))/c,		(1)
//
// then at the end all nodes together know at most
//
//	V(0) * (all words)  +  all prices of all channels.
//
// If that is less than N times all words, a gossip takes longer than T.
//
// Proof. Let node u know K(t) words in cycle t. A message that it hands over then has x <= K(t) words, and its channel hands over no other for hold(x) cycles. V falls and K rises, so that
// x*(V(t) - V(t+hold(x))) is at most the sum of K*(V - V of the next cycle) over these cycles. They are apart for the messages of a channel. So the last term of (1) is for all messages of u together at most
//
//	sum over t < T of K(t)*(V(t) - V(t+1))  =  K(0)*V(0)  +  sum of x*V over all messages to u, when they are whole  -  K(T).
//
// Add up (1) over all messages of all nodes. The values of the messages stand on both sides and cancel. What is left is the statement.
//
// With half duplex, and with a single port for several channels, each cycle of a gate has a price, too (see halfDuplex). A message pays it while its flits leave their node, and with half duplex
// also while they come to the other. This is added to the right side of (1), and the prices of all gates to the bound.
//
// Distances count if time is counted anew for each word and node: a word of node w has at a node at distance d the value V(t - h*d). By the triangle inequality a message from u to v, which takes s + f*x - 1 cycles and
// h more for each link, is in these times there s + f*x - 1 cycles after its hand-over or later: a hop less than late(x). Prices that never fall are no lower in the true cycles, so that (1) holds. At the end a word
// so far away has the value V(T - h*d), more than 1, and a gossip takes longer than T if the statement's sum is less than the values of all words at all nodes. The bound is the larger of those with and without distances.
//
// In an allreduce of W words the same holds for each place of the vector and what each of the N nodes adds to it. A message of x places brings N*x of these at most. So all of the above holds as in a gossip of W words: all terms
// but the prices have a factor of N more, and the prices of a message count N times.
//
// Any prices give a bound. Here they rise in steps, and V is the least that (1) allows. Then (1) need not be looked at for each cycle: time is counted in spans of several cycles, each message is taken to begin with its span,
// where prices are lowest, and to be whole at the beginning of the span in which it can be whole at the earliest, where V is largest. Sizes are counted in classes: a word of a message is there as early as in the smallest of its class, and pays, for a cycle, as little as there, and for as many cycles as in the largest. So the bound may be
// too low, but never too high.
//
// In gossipPlans channels have no parts of messages. It counts no distances, and its classes are coarser, so that this bound is larger on long paths and for thousands of words.
//
// The bound is at least a known one; total are the words of the gossip, lengths their distribution.
func gossipPrices(t *topology.Topology, m machine.Machine, lengths []int, total int, known router.Cycle) router.Cycle {
	if m.Startup == 0 || total == 0 || m.PacketSwitched() {
		return known
	}
	p := newPrices(t, m, total)
	known = p.least(known)
	if t.Nodes() <= maxTransit {
		p.countDistances(t, lengths)
		known = p.least(known)
	}
	return known
}

// least returns the least time that no prices exclude, at least the known one.
func (p *prices) least(known router.Cycle) router.Cycle {
	if known >= doubling(p.Model, int(p.nodes), int(p.words), p.half)+p.Hop*router.Cycle(len(p.far)) {
		return known
	}
	possible, least := max(1, known/2), router.Cycle(0)
	for more := max(1, known/16); p.exclude(possible); {
		least, possible = possible+1, possible+more
	}
	for least = max(least, known); least < possible; {
		if middle := (least + possible) / 2; p.exclude(middle) {
			least = middle + 1
		} else {
			possible = middle
		}
	}
	return least
}

// prices holds the machine, and the prices of the last time that was looked at.
type prices struct {
	timing.Model
	nodes, words    float64
	channels, gates float64 // of all nodes
	most            float64 // channels of a node, at most
	half, shared    bool    // half duplex; one port for several channels
	sizes           []sizes
	far             []float64 // by distance, if it counts: the nodes that are so far away from a word, on average

	end    router.Cycle // T
	span   router.Cycle
	steps  steps
	times  []moments // by class of sizes
	value  []float64 // V by span
	paid   []float64 // prices of a channel before a span
	passed []float64 // prices of a gate
}

// sizes is a class of messages.
type sizes struct {
	fewest, most, longest float64      // words; time of the largest
	hold, late            router.Cycle // of the smallest
	flits                 router.Cycle // time of its flits
}

// moments are the times of the smallest message of a class, from its hand-over on.
type moments struct {
	each, word                float64 // the part of the prices that a word pays: of its channel, of gates
	late                      int     // when it is whole, in spans
	held                      moment
	leaves, left, comes, came moment // its flits leave their node, and come to the other
}

// moment is a time from the beginning of a span on: spans, and a part of one.
type moment struct {
	spans int
	part  float64
}

// steps are the rises of the price of a channel, and then of a gate, at equal parts of the time.
type steps [2 * rises]float64

const (
	rises = 8
	// maxPriceSpans bounds the spans into which time is divided, unless messages are much shorter.
	maxPriceSpans, mostPriceSpans = 96, 256
)

func newPrices(t *topology.Topology, m machine.Machine, total int) *prices {
	p := &prices{Model: timing.Of(&m), nodes: float64(t.Nodes()), words: float64(total), half: m.Duplex == machine.Half}
	for n := range router.NodeID(t.Nodes()) {
		own := float64(channels(t, m, n))
		p.channels, p.gates, p.most = p.channels+own, p.gates+float64(gates(t, m, n)), max(p.most, own)
	}
	p.shared = p.gates < p.channels
	for from := 1; from <= total; {
		to := min(total, max(from, from*9/8))
		p.sizes = append(p.sizes, sizes{float64(from), float64(to), float64(p.Hold(to)), p.Hold(from), p.UntilWhole(1, from), p.Flits(1, from) - p.Overhead()})
		from = to + 1
	}
	p.far = []float64{p.nodes}
	return p
}

// countDistances gives words that have come from far away the value of earlier cycles; lengths are those of blocks, or alike for an allreduce.
func (p *prices) countDistances(t *topology.Topology, lengths []int) {
	p.far = nil
	sum := 0.0
	for _, length := range lengths {
		sum += float64(length)
	}
	for n, length := range lengths {
		for _, d := range reach(t, router.NodeID(n)).distance {
			for len(p.far) <= int(d) {
				p.far = append(p.far, 0)
			}
			p.far[d] += float64(length) / sum
		}
	}
	for i := range p.sizes {
		p.sizes[i].late -= p.Hop
	}
}

// doubling is a time in which neighbours would be done with a gossip, in rounds of one message each: no bound of prices is larger.
func doubling(m timing.Model, nodes, words int, half bool) router.Cycle {
	rounds := router.Cycle(math.Ceil(math.Log2(float64(nodes))))
	flits := router.Cycle(words) * m.Flit
	if half {
		flits *= 2
	}
	return rounds*(m.UntilWhole(1, 1)+1) + flits
}

// exclude looks for prices which show that a gossip takes longer than a time. It begins with those of the time before.
func (p *prices) exclude(time router.Cycle) bool {
	shortest := min(p.Hold(1), p.sizes[0].late) // V of a span depends on later spans only
	if p.setTime(time, max(1, min(shortest, (time+maxPriceSpans-1)/maxPriceSpans))) > mostPriceSpans {
		return false
	}
	least := p.covered(&p.steps)
	for from := range p.steps {
		for part := range 4 {
			var s steps
			s[from] = p.full(from) * float64(part+1) / 4
			if all := p.covered(&s); all < least*(1-1e-4) {
				p.steps, least = s, all
			}
			if least < enough {
				return true
			}
		}
	}
	even := func(s *steps, i int) float64 { return p.full(i) }
	if least = p.descend(least, 1./4, 1./100, even); least < promising && p.full(rises) > 0 {
		own := func(s *steps, i int) float64 { return s[i] + p.full(i)/32 }
		first := p.pair()
		known := p.steps
		p.steps = first
		if all := p.descend(p.covered(&first), 1, 1./16, own); all < least {
			return all < enough
		}
		p.steps = known
	}
	return least < enough
}

const (
	// enough is what nodes know at the end, as a part of all, if a time is excluded.
	enough = 1 - 1e-9
	// promising is what prices have to come to if it is worth while to look for others.
	promising = 1.1
)

// pair returns the best of some prices with a rise of a channel and one of a gate.
func (p *prices) pair() (best steps) {
	least := math.Inf(1)
	for i := range rises {
		for j := rises; j < len(best); j++ {
			for _, channel := range [...]float64{1. / 64, 1. / 16} {
				for _, gate := range [...]float64{1. / 4, 3. / 4} {
					var s steps
					s[i], s[j] = channel*p.full(i), gate*p.full(j)
					if all := p.covered(&s); all < least {
						best, least = s, all
					}
				}
			}
		}
	}
	return best
}

// descend changes prices step by step as long as less is known at the end, until that is little enough. It begins with large parts of a size, and returns what is known.
func (p *prices) descend(least, large, small float64, size func(s *steps, i int) float64) float64 {
	for step := large; step > small; step /= 2 {
		for better := true; better; {
			better = false
			for i := range p.steps {
				for _, s := range p.nearby(i, step*size(&p.steps, i)) {
					if least < enough {
						return least
					}
					if all := p.covered(&s); all < least*(1-1e-4) {
						p.steps, least, better = s, all, true
					}
				}
			}
		}
	}
	return least
}

// setTime divides a time into spans, and returns their number.
func (p *prices) setTime(time, span router.Cycle) int {
	p.end, p.span = time, span
	spans := int((time-1)/span) + 1
	p.value, p.paid, p.passed = make([]float64, spans+1), make([]float64, spans+1), make([]float64, spans+1)
	p.times = p.times[:0]
	for _, x := range p.sizes {
		leaves := p.Lead()
		comes := leaves + p.Hop
		each := x.longest / x.most / float64(x.hold)
		p.times = append(p.times, moments{each, 1 / x.fewest, int(x.late / span), p.moment(x.hold), p.moment(leaves), p.moment(leaves + x.flits), p.moment(comes), p.moment(comes + x.flits)})
	}
	return spans
}

func (p *prices) moment(t router.Cycle) moment {
	return moment{int(t / p.span), float64(t%p.span) / float64(p.span)}
}

// full is a price at which the longest messages are not worth their flits.
func (p *prices) full(step int) float64 {
	switch {
	case step < rises:
		return 1 / float64(p.Flit)
	case p.half:
		return 1 / float64(2*p.Flit)
	case p.shared:
		return 1 / float64(p.Flit)
	}
	return 0
}

// nearby returns prices with a step that is larger, smaller, or earlier.
func (p *prices) nearby(i int, change float64) (list []steps) {
	if change == 0 {
		return nil
	}
	up := p.steps
	up[i] += change
	list = append(list, up)
	if less := min(change, p.steps[i]); less > 0 {
		down := p.steps
		down[i] -= less
		list = append(list, down)
		if i%rises > 0 {
			down[i-1] += less
			list = append(list, down)
		}
	}
	return list
}

// covered returns what is known at the end, at most, as a part of what has to be known.
func (p *prices) covered(s *steps) float64 {
	known, needed := p.known(s), 0.0
	for d, nodes := range p.far {
		if nodes > 0 {
			needed += nodes * p.value[max(0, p.end-router.Cycle(d)*p.Hop)/p.span]
		}
	}
	return known / needed
}

// known returns how often all words are known at the end, at most, by these prices.
func (p *prices) known(s *steps) float64 {
	spans := len(p.value) - 1
	p.add(p.paid, s[:rises], 0, p.end-p.Startup-p.Hop+p.Rest())
	p.add(p.passed, s[rises:], p.Lead(), p.end)
	p.value[spans] = 1
	for i := spans - 1; i >= 0; i-- {
		from, best := router.Cycle(i)*p.span, p.value[i+1]
		for k := range p.sizes {
			if from+p.sizes[k].late >= p.end {
				break
			}
			at := &p.times[k]
			gain := p.value[i+at.late] - p.price(i, at)
			best = max(best, p.value[min(i+at.held.spans, spans)]+p.most*gain)
		}
		p.value[i] = best
	}
	return p.value[0] + (p.channels*p.paid[spans]+p.gates*p.passed[spans])/p.words
}

// add adds up prices, span by span, of all cycles before the last.
func (p *prices) add(sum, rise []float64, first, last router.Cycle) {
	price, next := 0.0, 0
	for i := range len(sum) - 1 {
		from := router.Cycle(i) * p.span
		for ; next < len(rise) && router.Cycle(next)*p.end <= from*router.Cycle(len(rise)); next++ {
			price += rise[next]
		}
		sum[i+1] = sum[i] + price*float64(max(0, min(from+p.span, last)-max(from, first)))
	}
}

// price is what a word of a message of a class pays at least that is handed over in a span. Prices rise, so that a longer message pays no less for a cycle on average.
func (p *prices) price(i int, at *moments) float64 {
	price := (before(p.paid, i, at.held) - p.paid[i]) * at.each
	if !p.half && !p.shared {
		return price
	}
	passed := before(p.passed, i, at.left) - before(p.passed, i, at.leaves)
	if p.half {
		passed += before(p.passed, i, at.came) - before(p.passed, i, at.comes)
	}
	return price + passed*at.word
}

// before returns the prices of all cycles before a moment of a message that is handed over in a span.
func before(sum []float64, span int, m moment) float64 {
	i := span + m.spans
	if i >= len(sum)-1 {
		return sum[len(sum)-1]
	}
	return sum[i] + (sum[i+1]-sum[i])*m.part
}
