// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// gossipPlans bounds a gossip by what words are worth to the nodes, and what a channel can earn with whole messages. In gossipPrices a channel may send parts of messages, which here it may not.
//
// Let a word that comes to a node in cycle t cost the node V(t), which never rises. The plan of a channel is the list of its messages. The channel gets the value of a word when the word comes to the other node,
// and it pays for its node's words. If the node has c channels, each pays the c-th part:
//
//	cycle     0                    t1                          t2
//	          buys x1-own words    sends x1 words              sends x2 words            buys the rest
//	pays      V(t1) each, over c   gets V(t1+late(x1)) each    gets V(t2+late(x2))       pays V(T-1), over c
//	                               |------ hold(x1) ---------->|
//
// A message of x words keeps its channel for hold(x) = f*x + rest cycles, and is whole late(x) cycles after its hand-over. Let P(u) be the largest profit of all plans of a channel of node u. If the sum of P over all
// channels of all nodes is less than 0, a gossip takes longer than T.
//
// Proof. In a gossip of T cycles or less, every word that comes to a node is in a message to it. So all nodes together pay no more than all channels get. Let a channel hand over x words in cycle t. Its node knows
// them by then, and those that are not its own came in cycle t or before, for V(t) or more. All others came in cycle T-1 or before. So a channel's own messages are a plan for which the channel would pay no more than the c-th part of
// what its node does pay. The profits of these plans are 0 or more together, and no more than the sum of P.
//
// The largest profit is found by dynamic programming, from the end on, over the time and over what is known (see mostProfit). In cycle t a node knows no more than has reached it, for each distance d:
//
//	K(t) <= words of the nodes at d-1 links or less + channels*floor((t-s-d*h+1)/f)
//
// With half duplex, and with a single port for several channels, each cycle of a gate has a price that never falls (see halfDuplex). A message pays it while its flits leave their node, and with half duplex also while they come to the
// other one; later flits would pay no less. The prices of all gates together are added to the profits.
//
// Any prices give a bound. [weights] finds the best ones for a few plans, for which the dynamic programming then finds better plans, and so on: until the profits are less than 0, or plans are known that earn enough for all prices. These plans could be
// mixed, each for a part of the channels, so that no prices exclude T.
//
// The profit may be too large, but never too small: time is counted in spans, sizes in classes. A message begins with its span, takes the time of the smallest of its class, needs the words of the smallest, and gets the value of the largest.
//
// The bound is at least a known one; total are the words of the gossip.
func gossipPlans(t *topology.Topology, m machine.Machine, lengths []int, total int, known router.Cycle) router.Cycle {
	if m.Startup == 0 || total == 0 || m.PacketSwitched() {
		return known
	}
	p := newGossipPlans(t, m, lengths, total)
	return p.least(known, doubling(p.Model, p.nodes, p.words, p.half))
}

func newGossipPlans(t *topology.Topology, m machine.Machine, lengths []int, total int) *plans {
	p := newPlans(t, m, total)
	for n, length := range lengths {
		p.demand += float64(total - length)
		within := []int{length, total}
		if t.Nodes() <= maxTransit {
			within = wordsWithin(reach(t, router.NodeID(n)).distance, lengths)
		}
		p.add(channels(t, m, router.NodeID(n)), gates(t, m, router.NodeID(n)), length, within)
	}
	return p
}

// sumPlans bounds an allreduce of W words in the same way. A word is now a place of the vector with what all N nodes add to it, which counts 1 together, and each node owns the N-th part of each place.
//
// A message of x places, of which its node knows y from all nodes, brings
//
//	min(x,y)*(N-1)/N + max(0, x-y)/N,
//
// since its receiver knows the receiver's own part already. So the (N-2)/N that a node buys of a place suffice to send it, and what it buys at the end is the last part. It does not matter that a node can know a place from some nodes only.
// The value of a plan, with its times and sizes, is the sum of what it is for the part of each node alone. Each of these parts is best bought for the same places at the same times. Vectors of leastLearning words or more are looked at again with what nodes can have learned, see learn.
func sumPlans(t *topology.Topology, m machine.Machine, words int, known router.Cycle) router.Cycle {
	if m.Startup == 0 || words == 0 || m.PacketSwitched() {
		return known
	}
	p := newSumPlans(t, m, words)
	most := 2 * doubling(p.Model, p.nodes, p.words, p.half) // a reduce-scatter and an all-gather
	known = p.least(known, most)
	if p.learning = words >= leastLearning && p.nodes > 2; p.learning {
		known = p.least(known, most)
	}
	return known
}

func newSumPlans(t *topology.Topology, m machine.Machine, words int) *plans {
	p := newPlans(t, m, words)
	p.sums = true
	nodes := float64(p.nodes)
	p.demand = float64(words) * (nodes - 1)
	p.whole, p.early, p.single = (nodes-1)/nodes, (nodes-2)/nodes, 1/nodes
	for n := range router.NodeID(t.Nodes()) {
		p.add(channels(t, m, n), gates(t, m, n), 0, []int{0, words})
	}
	return p
}

// plans holds the machine, and the prices of the last time that was looked at.
type plans struct {
	timing.Model
	nodes, words         int
	sums                 bool    // of an allreduce
	learning             bool    // of which nodes learn parts, see learn
	half, shared         bool    // half duplex; one port for several channels
	gates                float64 // of all nodes
	demand               float64 // words that all nodes lack at first
	whole, early, single float64 // value of a word; cost, before the end; value of a word that its node does not know from all nodes
	kinds                []kind
	work                 int // of the search so far

	grid   grid
	sizes  []sizes
	end    router.Cycle // T
	span   router.Cycle
	late   []int // by class of sizes, in spans
	hold   []int
	weight []float64 // of each rise of V and of the price of a gate
	value  []float64 // V by span
	passed []float64 // prices of a gate before a span
	fees   []float64 // by span and class of sizes: what a message pays to gates
	profit []float64 // by span and by what is known
}

// kind are the nodes that count as alike.
type kind struct {
	nodes    int
	channels int // of each, at most
	taking   int // flits that a node receives at once, at most
	own      int // words of a node, at most
	within   []int
	first    int       // classes of sizes that it can send at first
	learned  []float64 // by span: places of an allreduce that it knows from all nodes, at most; nil: see within
}

// grid says how finely time and sizes are divided, and which part of a time the first step of the search is.
type grid struct{ spans, sizes, step int }

// Coarse grids find most of a bound, and good prices, in little time.
var grids = [...]grid{{64, 24, 16}, {128, 48, 32}, {256, 96, 64}}

const (
	maxKinds     = 5 // each is work
	maxPlanSpans = 256
	maxRounds    = 120         // for a time
	maxPlanWork  = 300_000_000 // of a search: up to some tenths of a second
	gateSteps    = 32          // rises of the price of a gate
)

func newPlans(t *topology.Topology, m machine.Machine, words int) *plans {
	return &plans{Model: timing.Of(&m), nodes: t.Nodes(), words: words, half: m.Duplex == machine.Half, whole: 1, early: 1}
}

// wordsWithin counts the words of the nodes at each distance or less.
func wordsWithin(distance []int32, lengths []int) []int {
	within := make([]int, slices.Max(distance)+1)
	for n, d := range distance {
		within[d] += lengths[n]
	}
	for d := range within[1:] {
		within[d+1] += within[d]
	}
	return within
}

// add adds a node.
func (p *plans) add(channels, gates, own int, within []int) {
	p.gates += float64(gates)
	p.shared = p.shared || gates < channels
	k := kind{1, channels, gates, own, within, 0, nil}
	for i := range p.kinds {
		if p.kinds[i].channels == channels && p.kinds[i].own == own {
			p.kinds[i] = joined(p.kinds[i], k)
			return
		}
	}
	p.kinds = append(p.kinds, k)
}

// joined is a kind for two. With more channels, and more words of its own, a node can do all that it could.
func joined(a, b kind) kind {
	within := make([]int, max(len(a.within), len(b.within)))
	for d := range within {
		within[d] = max(a.within[min(d, len(a.within)-1)], b.within[min(d, len(b.within)-1)])
	}
	return kind{a.nodes + b.nodes, max(a.channels, b.channels), max(a.taking, b.taking), max(a.own, b.own), within, 0, nil}
}

// joinKinds leaves so many kinds. It joins those for which the bound loses least: words that need not be bought, and parts of channels.
func (p *plans) joinKinds(most int) {
	for len(p.kinds) > most {
		first, second, least := 0, 0, math.Inf(1)
		for j, b := range p.kinds {
			for i, a := range p.kinds[:j] {
				both := joined(a, b)
				lost := both.nodes*both.own - a.nodes*a.own - b.nodes*b.own
				added := both.nodes*both.channels - a.nodes*a.channels - b.nodes*b.channels
				if loss := float64(lost) + float64(added)/float64(both.channels)*float64(p.words); loss < least {
					first, second, least = i, j, loss
				}
			}
		}
		p.kinds[first] = joined(p.kinds[first], p.kinds[second])
		p.kinds = slices.Delete(p.kinds, second, second+1)
	}
}

// least returns the least time that no prices exclude, at least the known one; no time from most on is looked at.
func (p *plans) least(known, most router.Cycle) router.Cycle {
	p.joinKinds(maxKinds)
	for _, g := range grids {
		if known >= most {
			break
		}
		p.divide(g)
		step := max(1, known/router.Cycle(g.step))
		if p.weight == nil { // a time that is excluded has better prices to begin with
			p.search(max(1, known-2*step), step)
		}
		known = p.search(known, step)
	}
	return known
}

// search returns the least time that no prices exclude, with a step to begin with.
func (p *plans) search(least, step router.Cycle) router.Cycle {
	possible := least
	for p.work = 0; p.exclude(possible); step *= 2 {
		least, possible = possible+1, possible+step
	}
	for least < possible {
		if middle := (least + possible) / 2; p.exclude(middle) {
			least = middle + 1
		} else {
			possible = middle
		}
	}
	return least
}

// divide sets the classes of sizes: of one size as long as there are few.
func (p *plans) divide(g grid) {
	p.grid, p.sizes = g, nil
	for more := 1; p.sizes == nil || len(p.sizes) > g.sizes; more++ {
		p.sizes = p.sizes[:0]
		for from := 1; from <= p.words; {
			to := min(p.words, from+from*more/64)
			p.sizes = append(p.sizes, sizes{float64(from), float64(to), 0, p.Hold(from), p.UntilWhole(1, from), p.Flits(1, from)})
			from = to + 1
		}
	}
	for i := range p.kinds {
		p.kinds[i].first = p.classes(p.kinds[i].own)
	}
}

// classes counts the classes with a size of so many words or less.
func (p *plans) classes(words int) int {
	n := len(p.sizes)
	for n > 0 && int(p.sizes[n-1].fewest) > words {
		n--
	}
	return n
}

// setTime divides a time into spans, and reports whether they are few enough. No message keeps its channel for less than a span.
func (p *plans) setTime(time router.Cycle) bool {
	p.end, p.span = time, max(1, min(p.Hold(1), (time+router.Cycle(p.grid.spans)-1)/router.Cycle(p.grid.spans)))
	spans := int((time-1)/p.span) + 1
	p.late, p.hold = p.late[:0], p.hold[:0]
	for _, x := range p.sizes {
		p.late, p.hold = append(p.late, int(x.late/p.span)), append(p.hold, int(x.hold/p.span))
	}
	p.value, p.passed = make([]float64, spans), make([]float64, spans+1)
	if spans > maxPlanSpans {
		return false
	}
	if p.learning {
		p.learn()
	}
	return true
}

// gated reports whether gates have prices.
func (p *plans) gated() bool { return p.half || p.shared }

// rise is the cycle from which on a rise of the price of a gate counts. It is the first of a span.
func (p *plans) rise(step int) router.Cycle {
	return (max(p.Startup, p.end*router.Cycle(step)/gateSteps) + p.span - 1) / p.span * p.span
}

// exclude looks for prices which show that a gossip takes longer than a time. It begins with those of the time before.
func (p *plans) exclude(time router.Cycle) bool {
	if time < 1 {
		return true
	}
	if !p.setTime(time) {
		return false
	}
	own := p.own()
	weight, least, enough := p.stretched(len(own)), math.Inf(1), -tiny*p.demand
	var w *weights
	for round := 0; round < maxRounds && p.affords(); round++ {
		list, sum := p.earn(weight, own)
		if sum < least {
			least, p.weight = sum, weight
		}
		if sum < enough {
			return true
		}
		if w == nil {
			w = newWeights(own, p.counts(), list)
		}
		better := w.add(list)
		if w.sum >= enough {
			return false
		}
		if weight = w.list(); better {
			approach(weight, p.weight)
		}
	}
	return false
}

// approach moves weights most of the way to the best so far. Those that are best for a few plans alone are extreme, and other plans earn much with them.
func approach(weight, best []float64) {
	for r, x := range best {
		weight[r] += 0.7 * (x - weight[r])
	}
}

// affords counts the work of a round, and reports whether there is no more of it than a search may have.
func (p *plans) affords() bool {
	work := len(p.value) * len(p.sizes) * len(p.sizes) * len(p.kinds)
	if p.sums {
		work *= 2
	}
	p.work += work
	return p.work <= maxPlanWork
}

// own lists what each rise adds to the profits besides what plans earn: the purchases at the end, and what gates take.
func (p *plans) own() []float64 {
	own := make([]float64, len(p.value))
	own[len(own)-1] = -p.demand
	if p.gated() {
		for step := range gateSteps {
			own = append(own, p.gates*float64(max(0, p.end-p.rise(step))))
		}
	}
	return own
}

// counts lists the channels of each kind.
func (p *plans) counts() (list []float64) {
	for _, k := range p.kinds {
		list = append(list, float64(k.nodes*k.channels))
	}
	return list
}

// stretched returns the weights of another time for this one, or else some to begin with.
func (p *plans) stretched(rises int) []float64 {
	weight, spans := make([]float64, rises), len(p.value)
	if p.weight == nil {
		for i := range spans {
			weight[i] = 0.5 / float64(spans)
		}
		weight[spans-1] += 0.5
		return weight
	}
	was := len(p.weight) - (rises - spans)
	for i, x := range p.weight[:was] {
		weight[max(0, (i+1)*spans/was-1)] += x
	}
	copy(weight[spans:], p.weight[was:])
	return weight
}
