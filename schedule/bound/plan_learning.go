// SPDX-License-Identifier: Apache-2.0

package bound

import "meshwright/router"

// leastLearning is how many words an allreduce has at least if plans count how nodes learn. Of fewer words too little is known between one place and the next.
const leastLearning = 8

// learn sets how many places each kind of node can know from all others, at most, by the end of each span.
//
// A node's own part of a place aside, what it knows came in flits. A flit of a place brings the parts of this place that its sender had: its own part and those that had come to it when it handed the message over, which was the whole time of
// a message of one flit before, or earlier. So of Q(t) parts of all places together that have come to a node in cycle t
//
//	Q(t) <= sum over all flits, which come in cycle u <= t, of min(N-1, 1 + Q(u-s-f-h+1)).
//
// The first flits bring a part each. A node that is to know a place, but for the receiver's part, needs N-2 parts. So it knows Q(t)/(N-2) places at most; of some of them only a part of all parts can be known, which counts as a part of a place. In newSumPlans each
// part of a place is bought for the same places at the same times. Where it is not, the most profitable plan is one with the mean of what is known of all parts, since a message of x places brings
// min(x, known) of each part, a concave function.
func (p *plans) learn() {
	spans := len(p.value)
	for i := range p.kinds {
		p.kinds[i].learned = make([]float64, spans)
	}
	others := float64(p.nodes - 1)
	came, parts, most := make([]router.Cycle, len(p.kinds)), make([]float64, len(p.kinds)), make([]float64, spans)
	for i := range spans {
		end := router.Cycle(i+1)*p.span - 1
		each := others // parts in a flit
		if handed := end - p.UntilWhole(1, 1); handed < 0 {
			each = 1
		} else if at := int(handed / p.span); at < i {
			each = min(others, 1+most[at])
		}
		for n := range p.kinds {
			k := &p.kinds[n]
			all := router.Cycle(k.taking) * max(0, (end+1-p.Lead()-p.Hop)/p.Flit)
			parts[n] += float64(all-came[n]) * each
			came[n] = all
			k.learned[i] = min(float64(all), parts[n]/(others-1))
			most[i] = max(most[i], parts[n])
		}
	}
}

// knows is how many words a node can know in a span of those that a number of classes stands for.
func (p *plans) knows(k *kind, i int, words float64) float64 {
	if k.learned == nil {
		return words
	}
	return min(words, k.learned[i])
}

// learnedClasses counts the classes that a node can know which knows so many places. The last of them may be known in part.
func (p *plans) learnedClasses(places float64) int {
	n := 0
	for known := 0.; n < len(p.sizes) && known < places; n++ {
		known = p.sizes[n].fewest
	}
	return n
}
