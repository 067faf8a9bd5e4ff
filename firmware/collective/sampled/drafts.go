// SPDX-License-Identifier: Apache-2.0

package sampled

import (
	"math/rand/v2"

	"meshwright/firmware/plan"
)

// mostParts bounds the pieces of words with one root.
const mostParts = 64

// family is drafts of one kind, those with as many pieces, or roots, together.
type family [][]draft

// families lists what is tried.
func (n *network) families() (list []family) {
	switch {
	case own(n.Task):
		list = []family{n.ownDrafts()}
	case n.Kind.Name == plan.Allreduce && n.nodes <= MaxOwn:
		list = []family{n.rootsDrafts(), n.rootDrafts()}
	default:
		list = []family{n.rootDrafts()}
	}
	seed := n.Seed
	for _, f := range list {
		for _, drafts := range f {
			for i := range drafts {
				drafts[i].seed, drafts[i].draws = seed, n.usualDraws()
				seed++
			}
		}
	}
	return list
}

// ownDrafts are those for words of all nodes.
func (n *network) ownDrafts() (f family) {
	for _, most := range []int{n.total, 2 * int(n.model.Startup), n.total / 16} {
		var drafts []draft
		for _, far := range []float64{1, 1.5, 0.7} {
			for _, patience := range []float64{0.2, 0} {
				drafts = append(drafts, draft{try: try{most: max(1, most), local: true, far: far, patience: patience}, size: n.longest, roots: 1})
			}
		}
		f = append(f, drafts)
	}
	return f
}

// rootDrafts are those for one root.
func (n *network) rootDrafts() (f family) {
	for parts := 1; parts <= min(n.total, mostParts); parts = max(parts+1, parts*3/2) {
		size := (n.total + parts - 1) / parts
		var drafts []draft
		for _, pull := range []int{4, 1} {
			drafts = append(drafts, draft{try: try{most: size, pull: pull}, size: size, roots: 1})
		}
		if parts > 1 {
			drafts = append(drafts, draft{try: try{most: n.total, pull: 4}, size: size, roots: 1})
		}
		f = append(f, drafts)
	}
	return f
}

// mostRoots bounds the roots of an allreduce.
const mostRoots = 256

// rootsDrafts are those for an allreduce with several roots.
func (n *network) rootsDrafts() (f family) {
	for roots := min(n.nodes, n.total, mostRoots); roots > 1; roots /= 4 {
		size := (n.total + roots - 1) / roots
		var drafts []draft
		for _, far := range []float64{1, 0} {
			drafts = append(drafts, draft{try: try{most: n.total, far: far, local: true}, size: size, roots: roots})
		}
		f = append(f, drafts)
	}
	return f
}

// usualDraws is at how many receivers a node looks, near and anywhere. Large networks have time for fewer.
func (n *network) usualDraws() int {
	if n.nodes > 1024 {
		return 8
	}
	return 16
}

// varied returns a draft that is a little different.
func (n *network) varied(d draft, random *rand.Rand) draft {
	d.seed = random.Uint64()
	scale := func(words int) int { return max(1, words*(4+random.IntN(9))/8) }
	if random.IntN(3) == 0 && n.total/scale(d.size) < mostParts && !own(n.Task) && d.roots == 1 {
		d.size = min(scale(d.size), n.longest)
	}
	if random.IntN(2) == 0 {
		d.most = max(d.size, scale(d.most))
	}
	if random.IntN(3) == 0 {
		d.local = !d.local
	}
	if random.IntN(3) == 0 {
		d.draws = scale(d.draws)
	}
	if random.IntN(2) == 0 {
		return d
	}
	if d.far > 0 {
		d.far, d.patience = []float64{0.5, 0.7, 1, 1.5, 2}[random.IntN(5)], []float64{0, 0, 0.2, 0.4}[random.IntN(4)]
	} else {
		d.pull = random.IntN(9)
	}
	return d
}
