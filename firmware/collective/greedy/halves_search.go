// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"slices"
	"sync"

	"meshwright/router"
)

const (
	// halvesFrom is the part of the bound, an eighth, by which an allreduce has to be above it if halves are looked for.
	halvesFrom = 8
	// workOfHalves times the third power of the nodes is the work of a form at first, within bounds.
	workOfHalves, leastHalves, mostHalves = 16, 1 << 17, 4 << 20
	// growthOfHalf times the work of a form bounds each schedule of a half on networks of more than closeNodes nodes.
	growthOfHalf = 4
	// promisingForms are searched on with twice the work each, and lastForms of them with eight times.
	promisingForms, lastForms = 8, 3
	// finishRounds is how often the last forms are tightened, finishedOfNodes times the third power of the nodes the work of a shake.
	finishRounds, finishedOfNodes = 3, 10
	// mostOfRoot bounds the pieces of a root. A form may have fewPieces in any case.
	mostOfRoot, fewPieces = 4, 32
	// fewNodes have numbers of roots that rise by a half, other networks numbers that double.
	fewNodes = 32
)

// inHalves returns an allreduce in halves that is faster than a known one, or the known one if none is found. It compares forms: numbers of roots and of pieces.
func (n *network) inHalves(known *schedule) (*schedule, error) {
	if halvesFrom*known.cycles <= (halvesFrom+1)*n.LowerBound() || n.Search.Err() != nil {
		return known, n.Ctx.Err()
	}
	forms := n.forms()
	work := min(max(leastHalves, workOfHalves*n.nodes*n.nodes*n.nodes), mostHalves)
	if n.nodes > closeNodes { // there are more forms
		work = mostHalves / 4
	}
	work = n.Spend(work)
	limit, most := openEnd, int(never)
	if n.nodes > closeNodes { // others would take minutes
		limit, most = known.cycles+known.cycles/4, growthOfHalf*work
	}
	times := n.draftTimes(forms[len(forms)/2], limit, most)
	together(forms, func(h *halves) {
		h.limit, h.most = limit, most
		h.sortDrafts(times)
		h.begin(work)
	})
	forms = fastestForms(forms, promisingForms)
	together(forms, func(h *halves) { h.best = h.regrown(h.best, 2*work, true) })
	forms = fastestForms(forms, lastForms)
	together(forms, func(h *halves) { h.finish(8 * work) })
	if forms = fastestForms(forms, 1); len(forms) > 0 && forms[0].best.cycles < known.cycles {
		known = forms[0].schedule(forms[0].best)
	}
	return known, n.Ctx.Err()
}

// forms lists halves with different numbers of roots and pieces. The roots are the most central nodes.
func (n *network) forms() (list []*halves) {
	words, central := n.VectorWords(), n.central()
	for roots := 1; roots <= min(words, n.nodes); {
		pieces := min(words, mostPieces, max(fewPieces, mostOfRoot*roots))
		for size := (words + pieces - 1) / pieces; size < 2*words && (words+size-1)/size >= roots; size *= 2 {
			list = append(list, newHalves(n, central[:roots], min(size, words), n.Seed+uint64(len(list))))
		}
		if n.nodes <= fewNodes {
			roots += (roots + 1) / 2
		} else {
			roots *= 2
		}
	}
	return list
}

// central lists the nodes, those first whose furthest node is nearest, and of these those with the least sum of distances.
func (n *network) central() []int32 {
	order, furthest, sum := make([]int32, n.nodes), make([]int, n.nodes), make([]int, n.nodes)
	for v := range int32(n.nodes) {
		order[v] = v
		for u := range int32(n.nodes) {
			if u != v {
				furthest[v], sum[v] = max(furthest[v], n.Links(u, v)), sum[v]+n.Links(u, v)
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Or(cmp.Compare(furthest[a], furthest[b]), cmp.Compare(sum[a], sum[b]))
	})
	return order
}

// draftTimes returns the cycles of a form's reduce-scatter by each draft, never if it takes as long as the limit or more work than most.
func (n *network) draftTimes(form *halves, limit router.Cycle, most int) []router.Cycle {
	times := make([]router.Cycle, len(form.drafts))
	var all sync.WaitGroup
	for i, d := range form.drafts {
		all.Go(func() {
			times[i] = never
			if p, _ := newHalves(n, form.roots, d.size, n.Seed).grow(&pair{backwards: true}, d, limit, most); p != nil {
				times[i] = p.cycles
			}
		})
	}
	all.Wait()
	return times
}

// sortDrafts puts the drafts first that take the least time in another form.
func (h *halves) sortDrafts(times []router.Cycle) {
	order := make([]int, len(times))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(times[a], times[b]) })
	drafts := slices.Clone(h.drafts)
	for i, k := range order {
		h.drafts[i] = drafts[k]
	}
}

// together does something with all forms at the same time.
func together(forms []*halves, do func(h *halves)) {
	var all sync.WaitGroup
	for _, h := range forms {
		all.Go(func() { do(h) })
	}
	all.Wait()
}

// fastestForms returns so many forms that have a schedule, the fastest first.
func fastestForms(forms []*halves, most int) []*halves {
	forms = slices.DeleteFunc(forms, func(h *halves) bool { return h.best == nil })
	slices.SortStableFunc(forms, func(a, b *halves) int { return cmp.Compare(a.best.cycles, b.best.cycles) })
	return forms[:min(most, len(forms))]
}
