// SPDX-License-Identifier: Apache-2.0

package refine

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/bitset"
	"meshwright/router"
)

// bundle is a message of an all-gather that carries all pieces which its sender has and its receiver lacks, but for some. In a reduce-scatter, which runs backwards, it goes
// from the receiver of the true message to its sender.
type bundle struct {
	from, to int32
	skip     int32      // it does not wait for so many of the last arrivals at its sender
	but      bitset.Set // pieces that it leaves to other messages; nil: none. Shared, never changed
}

const (
	// workOfBundles times the third power of the nodes is how many links, channels and arrivals a search of bundles looks at, within bounds: one or two seconds for 64 nodes, some tenths for 16.
	workOfBundles    = 512
	leastBundlesWork = 1 << 20
	mostBundlesWork  = 1 << 24
	// leastListsOfBundles is how often a list must be booked within this work for a search to make sense.
	leastListsOfBundles = 4000
)

// Bundles returns a plan of an all-gather or a reduce-scatter that is faster than a known one; nil if none is found, or if the known plan has no list or no exact time. It changes who sends to
// whom, and in which order. What a message carries follows from that: all that its receiver lacks. Its errors are *input.Error, or the context's.
func Bundles(t *plan.Task, known *plan.Plan) (*plan.Plan, error) {
	n, l, err := begin(t, known)
	if n == nil || err != nil {
		return nil, err
	}
	from := n.orderOf(l)
	if len(from.messages) == 0 {
		return nil, n.Ctx.Err()
	}
	b, random := newBundles(n), rand.New(rand.NewPCG(n.Seed, 0x62756e646c65))
	exact, open := b.bundlesOf(from, n.timesOf(l))
	work := n.Spend(min(max(leastBundlesWork, workOfBundles*n.nodes*n.nodes*n.nodes), mostBundlesWork)) / 2
	best := b.anneal(exact, random, work, heat)
	if other := b.anneal(open, random, work, heat); best == nil || other != nil && other.cycles < best.cycles {
		best = other
	}
	if best != nil { // at last nothing slower is accepted
		if last := b.anneal(best.list, random, work/2, 0); last != nil && last.cycles < best.cycles {
			best = last
		}
	}
	if best == nil || best.cycles >= known.Predicted.Least || !b.run(best.list, never) {
		return nil, n.Ctx.Err()
	}
	return n.finish(b.made())
}

// bundlesOf turns messages into bundles that carry the same: the exact ones say which pieces, the open ones how many of the last arrivals at their senders they do not wait for, and which pieces they
// leave out besides.
func (b *bundles) bundlesOf(o order, times []booked) (exact, open []bundle) {
	b.reset()
	for i, m := range o.messages {
		x := bundle{from: m.from, to: m.to}
		for _, a := range b.arrivals[m.from] {
			if a.at > times[i].handed {
				x.skip++
			}
		}
		pieces := bitset.New(len(b.pieces))
		for _, p := range m.pieces {
			pieces.Set(p)
		}
		exact = append(exact, bundle{from: m.from, to: m.to, but: without(pieces)})
		if others := slices.Clone(b.use(&x).pieces); others.Size() > pieces.Size() {
			for k := range others {
				others[k] &^= pieces[k]
			}
			x.but = others
		}
		open = append(open, x)
		b.arrive(m.to, arrival{times[i].whole, pieces, none})
	}
	return exact, open
}

// without is all numbers but those of a set.
func without(set bitset.Set) bitset.Set {
	others := slices.Clone(set)
	for k := range others {
		others[k] = ^others[k]
	}
	return others
}

// timesOf returns the times of the messages of orderOf.
func (n *network) timesOf(l *transfer.List) (list []booked) {
	end := router.Cycle(0)
	for i := range l.Transfers {
		end = max(end, l.Transfers[i].Due)
	}
	for i := range l.Transfers {
		x := &l.Transfers[i]
		if x.Out.Words() == 0 {
			continue
		}
		m := booked{handed: x.Start, whole: x.Due}
		if n.back {
			m.handed, m.whole = end-x.Due, end-x.Start
		}
		list = append(list, m)
	}
	slices.SortStableFunc(list, func(x, y booked) int { return cmp.Compare(x.handed, y.handed) })
	return list
}

// anneal changes a list at random, within so much work, and returns the best, nil if the first one takes too long to be booked often; see network.anneal.
func (b *bundles) anneal(from []bundle, random *rand.Rand, work int, heat float64) *listed {
	before := b.work
	if !b.run(from, never) || (b.work-before)*leastListsOfBundles/2 > work {
		return nil
	}
	at := b.now()
	best := at
	start := at.cost * heat
	for b.work-before < work && best.cycles > b.LowerBound() && b.Ctx.Err() == nil && b.Search.Err() == nil {
		b.work += 16
		left := 1 - float64(b.work-before)/float64(work)
		allowed := at.cost - start*left*left*math.Log(1-random.Float64())
		if b.run(b.changed(at, random), router.Cycle(allowed)+1) && b.cost() <= allowed {
			if at = b.now(); at.cycles < best.cycles {
				best = at
			}
		}
	}
	return best
}
