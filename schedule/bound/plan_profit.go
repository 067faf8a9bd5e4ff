// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math"

	"meshwright/router"
)

// earn returns the most profitable plan of each kind, as what it adds to the profits with each rise of a price, and all profits together.
func (p *plans) earn(weight, own []float64) (list [][]float64, sum float64) {
	p.setPrices(weight)
	for r, x := range own {
		sum += weight[r] * x
	}
	for i := range p.kinds {
		k := &p.kinds[i]
		sum += float64(k.nodes*k.channels) * p.mostProfit(k)
		list = append(list, p.plan(k, len(own)))
	}
	return list, sum
}

// setPrices takes the weights of the rises: those of V count in all spans up to theirs, those of gates in all cycles from theirs on.
func (p *plans) setPrices(weight []float64) {
	sum, spans := 0.0, len(p.value)
	for i := spans - 1; i >= 0; i-- {
		sum += weight[i]
		p.value[i] = sum
	}
	for i := range spans {
		cost := 0.0
		for step, x := range weight[spans:] {
			if p.rise(step) <= router.Cycle(i)*p.span {
				cost += x * float64(p.span)
			}
		}
		p.passed[i+1] = p.passed[i] + cost
	}
	p.setFees()
}

// setFees works out what messages pay to gates, for all plans.
func (p *plans) setFees() {
	n := len(p.sizes)
	if need := n * len(p.value); len(p.fees) < need {
		p.fees = make([]float64, need)
	}
	if !p.gated() {
		return // all are 0
	}
	for i := range p.value {
		for j := range p.inTime(i) {
			p.fees[i*n+j] = p.fee(i, j)
		}
	}
}

// mostProfit returns the largest profit of a channel's plan, but for what its node buys in any case: all words at the end. It goes backwards through the spans. For each class of sizes of which the node knows enough words, it compares to wait, and
// to buy the words of a class, or none, and to send a message of any class.
func (p *plans) mostProfit(k *kind) float64 {
	n, spans := len(p.sizes)+1, len(p.value)
	if need := n * (spans + 1); len(p.profit) < need {
		p.profit = make([]float64, need)
	}
	clear(p.profit[spans*n : (spans+1)*n])
	sent, most := make([]float64, n), p.mostWords()
	for i := spans - 1; i >= 0; i-- {
		now := p.profit[i*n : (i+1)*n]
		copy(now, p.profit[(i+1)*n:])
		top := p.top(k, i)
		if p.sending(sent, most, k, top, i) {
			p.buying(now, sent, k, top, i)
		}
	}
	return p.profit[k.first]
}

// sending finds the largest profit of a message that is handed over in a span, and of the messages after it, for all that can be known. It reports whether there is time for a message.
func (p *plans) sending(sent, most []float64, k *kind, top, i int) bool {
	n, classes, first := len(sent), p.inTime(i), k.first
	for s := first; s <= top; s++ {
		sent[s] = math.Inf(-1)
	}
	for j, fee := range p.fees[i*len(p.sizes):][:classes] {
		after := p.after(i, j) * n
		then, value := p.profit[after:after+n], p.value[i+p.late[j]]
		gain := value*p.gain(p.knows(k, i, p.sizes[j].most), j) - fee
		if from := max(j+1, first); from <= top {
			best := sent[from : top+1]
			for s, x := range then[from : top+1] {
				if all := x + gain; all > best[s] {
					best[s] = all
				}
			}
		}
		if p.sums {
			each, rest := value*(p.whole-p.single), value*p.single*p.sizes[j].most-fee
			for s := first; s <= min(j, top); s++ {
				if all := then[s] + each*p.knows(k, i, most[s]) + rest; all > sent[s] {
					sent[s] = all
				}
			}
		}
	}
	return classes > 0
}

// buying improves the profits by purchases before a message.
func (p *plans) buying(now, sent []float64, k *kind, top, i int) {
	best, rate := math.Inf(-1), p.rate(k, i)
	for s := top; s >= k.first; s-- {
		now[s] = max(now[s], sent[s], best+rate*p.bought(k, s))
		best = max(best, sent[s]-rate*p.buys(k, i, s))
	}
}

// plan returns the plan of mostProfit, as what its words and fees add to the profits for each rise of a price.
func (p *plans) plan(k *kind, rises int) []float64 {
	n, spans := len(p.sizes)+1, len(p.value)
	plan, most := make([]float64, rises), p.mostWords()
	for i, s := 0, k.first; i < spans; {
		if p.profit[i*n+s] <= p.profit[(i+1)*n+s] {
			i++
			continue
		}
		to, j := p.message(k, most, i, s)
		buys := p.early * p.buysMore(k, i, s, to) / float64(k.channels)
		plan[i] -= buys
		plan[spans-1] += buys
		plan[i+p.late[j]] += p.gain(p.knows(k, i, min(most[to], most[j+1])), j)
		p.charge(plan[spans:], i, j)
		i, s = p.after(i, j), to
	}
	for i := 1; i < spans; i++ {
		plan[i] += plan[i-1]
	}
	return plan
}

// message returns the best message in a span, and what is known then, if so much is known before.
func (p *plans) message(k *kind, most []float64, i, s int) (to, class int) {
	n, best, rate := len(p.sizes)+1, math.Inf(-1), p.rate(k, i)
	for next := s; next <= max(s, p.top(k, i)); next++ {
		cost := rate * p.buysMore(k, i, s, next)
		for j := range p.inTime(i) {
			if j >= next && !p.sums {
				break
			}
			if all := p.profit[p.after(i, j)*n+next] + p.value[i+p.late[j]]*p.gain(p.knows(k, i, min(most[next], most[j+1])), j) - p.fees[i*len(p.sizes)+j] - cost; all > best {
				best, to, class = all, next, j
			}
		}
	}
	return to, class
}

// mostWords lists the words that are known, at most, with so many classes of sizes.
func (p *plans) mostWords() []float64 {
	most := make([]float64, len(p.sizes)+1)
	for j, x := range p.sizes {
		most[j+1] = x.most
	}
	return most
}

// gain is what a message of a class brings in words, at most, if so many of them are known.
func (p *plans) gain(known float64, j int) float64 {
	return p.whole*known + p.single*(p.sizes[j].most-known)
}

// bought is what a node has bought at least of which so many classes are known.
func (p *plans) bought(k *kind, s int) float64 {
	if s <= k.first {
		return 0
	}
	return p.sizes[s-1].fewest - float64(k.own)
}

// buys is what a node buys at least to know so many classes in a span: no more than it can learn.
func (p *plans) buys(k *kind, i, s int) float64 { return p.knows(k, i, p.bought(k, s)) }

// buysMore is what it buys if it has bought so many classes.
func (p *plans) buysMore(k *kind, i, s, to int) float64 {
	if to == s {
		return 0
	}
	return p.buys(k, i, to) - p.bought(k, s)
}

// rate is what a channel pays more for a word in a span than at the end.
func (p *plans) rate(k *kind, i int) float64 {
	return p.early * (p.value[i] - p.value[len(p.value)-1]) / float64(k.channels)
}

// after is the span in which a channel can hand over the next message, at the earliest.
func (p *plans) after(i, j int) int { return min(i+p.hold[j], len(p.value)) }

// inTime counts the classes of which a message is whole before the end.
func (p *plans) inTime(i int) int {
	n := len(p.sizes)
	for n > 0 && router.Cycle(i)*p.span+p.sizes[n-1].late >= p.end {
		n--
	}
	return n
}

// top counts the classes that a node can know in the last cycle of a span.
func (p *plans) top(k *kind, i int) int {
	if k.learned != nil {
		return p.learnedClasses(k.learned[i])
	}
	known := p.words
	for d, words := range k.within {
		come := router.Cycle(i+1)*p.span - p.Lead() - router.Cycle(d+1)*p.Hop // it is the cycle before
		known = min(known, words+k.taking*int(max(0, come/p.Flit)))
	}
	return max(k.first, p.classes(known))
}

// fee is what a message of a class pays to gates.
func (p *plans) fee(i, j int) float64 {
	leaves, flits := router.Cycle(i)*p.span+p.Startup, p.sizes[j].flits
	sum := p.before(leaves+flits) - p.before(leaves)
	if p.half {
		comes := leaves + p.Hop
		sum += p.before(comes+flits) - p.before(comes)
	}
	return sum
}

// before returns the prices of all cycles of a gate before one.
func (p *plans) before(t router.Cycle) float64 {
	i := int(t / p.span)
	if i >= len(p.value) {
		return p.passed[len(p.value)]
	}
	return p.passed[i] + (p.passed[i+1]-p.passed[i])*float64(t-router.Cycle(i)*p.span)/float64(p.span)
}

// charge takes the cycles off for which a message pays to gates, for each rise of their price.
func (p *plans) charge(rises []float64, i, j int) {
	leaves, flits := router.Cycle(i)*p.span+p.Startup, p.sizes[j].flits
	for step := range rises {
		from := p.rise(step)
		rises[step] -= float64(max(0, leaves+flits-max(leaves, from)))
		if p.half {
			comes := leaves + p.Hop
			rises[step] -= float64(max(0, comes+flits-max(comes, from)))
		}
	}
}
