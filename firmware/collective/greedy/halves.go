// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"math/rand/v2"
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/router"
)

// halves looks for an allreduce that is a reduce-scatter and an all-gather at the same time. The sum of each piece comes to the piece's root, and goes out from there as soon as it is complete. Each half grows around the messages of the
// other half: the all-gather forwards in time, the reduce-scatter backwards:
//
//	piece 0, root 1    0 > 1   2 > 1   1 > 0   1 > 2
//	piece 1, root 2            0 > 1   1 > 2   2 > 1   1 > 0
//
// Backwards in time an allreduce is an allreduce again, of which the first half is the second one. So only second halves grow here, in either direction of time.
type halves struct {
	*network
	pieces []transfer.Range
	words  []int32 // by piece
	roots  []int32 // by piece
	drafts []draft // the fastest first, as far as is known
	fast   []draft // those that made a schedule faster, the latest first
	random *rand.Rand
	best   *pair        // nil: none yet
	limit  router.Cycle // a half takes less at first
	most   int          // work of a half at first
}

// pair is the two halves of an allreduce, in one direction of time.
type pair struct {
	first, second []message
	backwards     bool
	cycles        router.Cycle
}

// newHalves cuts the vector into pieces of a size. Some roots take the pieces in turn.
func newHalves(n *network, roots []int32, size int, seed uint64) *halves {
	own := *n
	own.leaps, own.halved, own.within = true, true, slices.Clone(n.within)
	h := &halves{network: &own, limit: openEnd, most: int(never), random: rand.New(rand.NewPCG(seed, 0x68616c766573))}
	h.pieces, _ = cut([]transfer.Range{{From: 0, To: n.VectorWords()}}, size)
	h.words = own.lengths(h.pieces)
	for i := range h.pieces {
		h.roots = append(h.roots, roots[i%len(roots)])
	}
	h.drafts = own.halfDrafts(size)
	return h
}

// halfDrafts lists the drafts of a half with pieces of a size. The list is equally long for each size.
func (n *network) halfDrafts(size int) (list []draft) {
	n.longest, n.total = size, n.VectorWords()
	startup := int(n.model.Startup / n.model.Flit)
	for _, most := range []int{size, max(size, startup), max(size, 4*startup), n.total} {
		for _, reach := range slices.Compact([]int{1, min(2, n.Furthest), min(4, n.Furthest), n.Furthest}) {
			add := func(far float64, pull int, local bool) {
				list = append(list, draft{try: try{most: most, reach: reach, scarce: true, local: local, pull: pull, far: far}, size: size})
			}
			add(0, 0, false)
			if reach > 1 {
				add(0, 0, true)
				add(0, 2, false)
				add(1, 0, false)
				add(1, 0, true)
			}
		}
	}
	return list
}

// turned returns a pair in the other direction of time.
func (p *pair) turned() *pair {
	all := turned(slices.Concat(p.second, p.first))
	return &pair{first: all[:len(p.second):len(p.second)], second: all[len(p.second):], backwards: !p.backwards, cycles: p.cycles}
}

// schedule returns the messages of a pair, forwards in time.
func (h *halves) schedule(p *pair) *schedule {
	if p.backwards {
		p = p.turned()
	}
	return &schedule{pieces: h.pieces, messages: slices.Concat(p.first, p.second), cycles: p.cycles}
}

// pairOf divides the messages of a schedule into sums and results.
func pairOf(s *schedule) *pair {
	p := &pair{cycles: s.cycles}
	for _, m := range s.messages {
		if m.sum {
			p.first = append(p.first, m)
		} else {
			p.second = append(p.second, m)
		}
	}
	return p
}

// grow lets the second half of a pair grow anew by a draft, but for the messages that are handed over before the draft's cycle. The result is nil if it takes more than limit cycles, or more work than most. The work is counted in any case.
func (h *halves) grow(p *pair, d draft, limit router.Cycle, most int) (grown *pair, work int) {
	h.reach(d.reach)
	s := newSpread(h.network, d.try, h.book(p.backwards), p.backwards, h.words, h.complete(p.first))
	for i := range p.first {
		s.reserve(&p.first[i])
	}
	s.keep(p.second, d.until)
	if !s.run(d.until, limit, most) {
		return nil, s.work
	}
	grown = &pair{first: p.first, backwards: p.backwards}
	grown.second = slices.DeleteFunc(s.messages, func(m message) bool { return m.from == m.to }) // that says when a root has its piece
	for _, half := range [][]message{grown.first, grown.second} {
		for i := range half {
			grown.cycles = max(grown.cycles, half[i].whole+1)
		}
	}
	return grown, s.work
}

// complete says from when on roots have their pieces, given the first half.
func (h *halves) complete(first []message) []source {
	from := make([]source, len(h.roots))
	for p, root := range h.roots {
		from[p] = source{root, int32(p), 0}
	}
	for i := range first {
		for _, p := range first[i].pieces {
			if first[i].to == h.roots[p] {
				from[p].at = max(from[p].at, first[i].whole)
			}
		}
	}
	return from
}

// begin lets the reduce-scatter grow, and then the all-gather, each with half of the work.
func (h *halves) begin(work int) {
	if sums := h.half(&pair{backwards: true}, work/2); sums != nil {
		h.best = h.half(&pair{first: sums.turned().first}, work/2)
	}
}

// openEnd is the limit of a schedule that may take any time, and is not wanted when the search of the task is over, since there is another.
const openEnd = never - 1

// half lets the second half of a pair grow from the beginning, by the drafts in turn, and with the other half of the work from random cycles on. The result is nil if the search of the task ends before there is one.
func (h *halves) half(p *pair, work int) (best *pair) {
	limit := h.limit
	for i, left := 0, work/2; left > 0; i++ {
		d := h.drafts[i%len(h.drafts)]
		d.seed = h.random.Uint64()
		grown, looked := h.grow(p, d, limit, h.most)
		left -= looked
		if grown != nil {
			best, limit = grown, grown.cycles-1
			h.fast = append([]draft{d}, h.fast...)
		}
		if best == nil && (h.most == int(never) || h.ended(limit)) || best != nil && h.over(best) {
			return best
		}
	}
	if best == nil {
		return nil
	}
	return h.regrown(best, work/2, false)
}

// over reports whether no search for a faster pair is wanted.
func (h *halves) over(p *pair) bool {
	return p.cycles <= h.LowerBound() || h.Search.Err() != nil || h.Ctx.Err() != nil
}

// regrown makes a pair faster with so much work. It lets the second half, or either half, grow anew from a random cycle on, and goes on with the result if it is not slower.
func (h *halves) regrown(p *pair, work int, both bool) *pair {
	for work > 0 && !h.over(p) {
		from := p
		if both && h.random.IntN(2) == 0 {
			from = p.turned()
		}
		begins := from.cycles - 1
		for i := range from.second {
			begins = min(begins, from.second[i].handed)
		}
		d := h.again(h.drafts, h.fast, h.random)
		d.size, d.until = h.drafts[0].size, begins+router.Cycle(h.random.Int64N(int64(from.cycles-begins)))
		grown, looked := h.grow(from, d, from.cycles, work)
		work -= looked
		if grown == nil {
			continue
		}
		if grown.cycles < p.cycles {
			h.fast = append([]draft{d}, h.fast...)
		}
		p = grown
	}
	return p
}

// finish makes the best pair faster: in turn, it closes gaps and lets parts grow anew.
func (h *halves) finish(work int) {
	for range finishRounds {
		h.best = pairOf(h.tightened(h.schedule(h.best), finishedOfNodes))
		h.best = h.regrown(h.best, work/finishRounds, true)
	}
	h.best = pairOf(h.tightened(h.schedule(h.best), finishedOfNodes))
}
