// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// draft is a way to make a schedule: a try, for pieces of up to so many words.
type draft struct {
	try
	size    int
	kind    int          // of several ways to use a try
	nesting nesting      // of an allreduce that grows forwards in time
	rounds  bool         // whether it begins with rounds
	period  router.Cycle // of a round; 0: rounds overlap

	base  *schedule    // whose messages of the first cycles are kept; nil: none
	until router.Cycle // these cycles
}

const (
	// mostPieces bounds the pieces of a try.
	mostPieces = 512
	// mostWork bounds the pairs of nodes that all tries of a job look at together, each with its pieces and its route, so that
	// a search takes a few tenths of a second. The first try may take as much as it needs.
	mostWork = 1 << 22
	// moreWork is what a search may look at besides, for each three nodes, where pieces from far away may be worth more: larger networks have more choices.
	moreWork = 128
	// firstWork bounds the first try where another search has found a schedule: a minute.
	firstWork = 1 << 29
	// tryPart is the part of a search that a try may take on large networks, where tries differ much in work.
	tryPart = 3
	// maxBetter bounds the tries that begin with the messages of another schedule.
	maxBetter = 256
	// maxAgain bounds the tries with other seeds.
	maxAgain = 400
)

// fastest is the best schedule of the network, or of the same network at the full rate. If none takes less than known, which another search has found, it is one without messages that takes as long.
func (n *network) fastest(drafts []draft, known router.Cycle, grow growerOf) (*schedule, error) {
	best, err := n.best(drafts, known, firstWork, grow.on(n))
	if best == nil {
		best = &schedule{cycles: known}
	}
	if fast := n.brisk(); err == nil && fast != nil {
		var other *schedule
		other, err = fast.best(drafts, best.cycles, 0, grow.on(fast))
		if other != nil {
			best = other
		}
	}
	return best, err
}

// best tries all drafts, and then all of them with other seeds, those that were fastest more often, and keeps the fastest schedule, or what better makes of it. With
// a schedule it ends when the search of the task does. The first try may take so much work in any case. The result is nil if none takes less than known, which another search has found.
func (n *network) best(drafts []draft, known router.Cycle, first int, grow grower) (*schedule, error) {
	var best *schedule
	var fast []draft // those that were the fastest so far, the latest first
	work, limit, most := 0, known, math.MaxInt
	for i := 0; i < len(drafts)+n.Spend(maxAgain); i++ {
		if limit < never && (work > n.budget() || limit <= n.LowerBound() || n.Search.Err() != nil) {
			break
		}
		d := drafts[i%len(drafts)]
		if i >= len(drafts) {
			if i%3 > 0 && len(fast) > 0 {
				d = fast[i%min(2, len(fast))]
			}
			d.seed += uint64(i) << 32
			if i%2 == 0 {
				d = n.varied(d)
			}
		}
		if limit < never {
			most = n.budget() - work
			if n.nodes > closeNodes {
				most = min(most, n.budget()/tryPart)
			}
			if i == 0 {
				most = max(most, first)
			}
		}
		n.reach(d.reach)
		s, looked := grow(d, limit, most)
		work += looked
		if err := n.Ctx.Err(); err != nil {
			return nil, err
		}
		if s != nil && n.fits(s) && s.cycles < limit {
			best, limit, fast = s, s.cycles, append([]draft{d}, fast...)
		}
	}
	if best == nil || !n.resumes {
		return best, nil
	}
	return n.better(best, drafts, fast, grow)
}

// better improves a schedule: it keeps the messages of its first cycles, and lets the rest grow anew, by a draft that was fast or by any other. The search goes on with a schedule that takes a cycle longer at
// most, so that it does not stay where it is. The result is the fastest one.
func (n *network) better(best *schedule, drafts, fast []draft, grow grower) (*schedule, error) {
	random := rand.New(rand.NewPCG(n.Seed, 0x626574746572))
	tries, most := maxBetter, n.budget()
	if n.weighs() {
		tries = max(tries, n.nodes*n.nodes) // the budget ends them
	}
	if n.Kind.Rooted {
		tries *= 2
	}
	tries = n.Spend(tries)
	at := best
	for work, i := 0, 0; i < tries && work < most && best.cycles > n.LowerBound() && n.Search.Err() == nil; i++ {
		d := n.again(drafts, fast, random)
		d.size, d.base, d.until = fast[0].size, at, 1+router.Cycle(random.Int64N(int64(at.cycles)))
		n.reach(d.reach)
		s, looked := grow(d, at.cycles+1, most-work)
		work += looked
		if err := n.Ctx.Err(); err != nil {
			return nil, err
		}
		if s == nil || !n.fits(s) {
			continue
		}
		if s.cycles < best.cycles {
			d.base = nil
			fast = append([]draft{d}, fast...)
			best = s
		}
		at = s
	}
	return best, nil
}

// ownPieces reports whether all nodes have pieces of their own, or the roots of an allreduce that grows in halves.
func (n *network) ownPieces() bool {
	return n.halved || n.Kind.Name == plan.Gossip || n.Kind.Name == plan.ReduceScatter
}

// weighs reports whether pieces from far away may be worth more.
func (n *network) weighs() bool { return n.leaps && n.ownPieces() }

// few reports whether a reduce-scatter, or a half of an allreduce, has fewer words than nodes. With leaps it is then like some reductions.
func (n *network) few() bool {
	return n.leaps && (n.halved || n.Kind.Name == plan.ReduceScatter) && n.VectorWords() < n.nodes
}

// budget bounds the work of a search. With a root all pieces have one source, so that schedules differ more from try to try. An allreduce has drafts of three kinds. What is found for an
// all-to-all is only a beginning, see settle. Networks of more than closeNodes nodes have no more.
func (n *network) budget() int {
	if n.ownWork > 0 {
		return n.Spend(n.ownWork)
	}
	return n.Spend(n.usualWork())
}

// usualWork is the work of a search for a job of the usual effort.
func (n *network) usualWork() int {
	nodes := min(n.nodes, closeNodes)
	switch {
	case n.weighs():
		return mostWork + moreWork*nodes*nodes*nodes
	case n.Kind.Rooted:
		return 2 * mostWork
	case n.Kind.Name == plan.Exchange:
		return mostWork / 2
	case n.Kind.Name == plan.Allreduce:
		return 4 * mostWork
	}
	return mostWork
}

// again chooses a draft for another try, mostly one of the latest that were fast.
func (n *network) again(drafts, fast []draft, random *rand.Rand) draft {
	d := fast[random.IntN(min(len(fast), 3))]
	if random.IntN(4) == 0 {
		d = drafts[random.IntN(len(drafts))]
	}
	d.seed = random.Uint64()
	if random.IntN(2) == 0 {
		d = n.varied(d)
	}
	if random.IntN(3) == 0 {
		d.reach = 1 + random.IntN(min(4, n.Furthest))
	}
	if n.few() && random.IntN(3) == 0 {
		d.reach = n.Furthest
	}
	if (n.Kind.Rooted || n.few()) && random.IntN(2) == 0 {
		d.pull = random.IntN(9)
	}
	return d
}

// grower makes the schedule of a draft, nil if it takes as long as the limit or more work than most, and counts its work.
type grower func(d draft, limit router.Cycle, most int) (*schedule, int)

// growerOf is a grower of any network.
type growerOf func(n *network, d draft, limit router.Cycle, most int) (*schedule, int)

func (g growerOf) on(n *network) grower {
	return func(d draft, limit router.Cycle, most int) (*schedule, int) { return g(n, d, limit, most) }
}

// powers and patiences are what tries differ in where pieces from far away may be worth more, see try.
var (
	powers    = []float64{0, 0.3, 0.5, 0.7, 1, 1, 1.5, 2}
	patiences = []float64{0, 0, 0.2, 0.4}
)

// varied returns a draft with pieces and messages of up to half as many words or twice as many.
func (n *network) varied(d draft) draft {
	random := rand.New(rand.NewPCG(d.seed, 0x76617279))
	scale := func(words int) int { return max(1, words*(4+random.IntN(9))/8) }
	if size := min(scale(d.size), n.longest); n.total/size <= mostPieces {
		d.size = size
	}
	d.most = max(d.size, scale(d.most))
	if n.weighs() {
		d.far, d.patience = powers[random.IntN(len(powers))], patiences[random.IntN(len(patiences))]
	}
	return d
}

// drafts lists what is tried for blocks of up to longest words, total words in all, of so many kinds.
func (n *network) drafts(longest, total, kinds int) []draft {
	n.longest, n.total = longest, total
	var sizes []int
	for size := longest; size >= 1; size = size / 2 {
		if total/size <= mostPieces {
			sizes = append(sizes, size)
		}
	}
	if len(sizes) == 0 {
		sizes = []int{longest}
	}
	slices.Reverse(sizes) // small ones first
	var list []draft
	add := func(size, most, reach int, scarce, local bool, pull int) {
		for kind := range kinds {
			how := try{most: max(size, most), reach: min(n.Furthest, reach), scarce: scarce, local: local, turn: kind == 2, pull: pull, seed: n.Seed + uint64(len(list))}
			list = append(list, draft{try: how, size: size, kind: kind})
			if n.weighs() && reach > 1 {
				how.far = 1
				list = append(list, draft{try: how, size: size, kind: kind})
			}
		}
	}
	startup := int(n.model.Startup / n.model.Flit)
	closely := func(reaches []int) {
		for _, size := range sizes {
			for _, reach := range reaches {
				if startup <= 8*size {
					add(size, size, reach, true, false, 0)
				}
			}
		}
	}
	first, last := n.near()
	closely(first)
	if n.few() { // they go far at once
		for _, most := range []int{1, total} {
			for _, pull := range []int{0, 1, 4} {
				add(1, most, n.Furthest, true, false, pull)
				add(1, most, n.Furthest, true, true, pull)
			}
		}
	}
	if n.leaps && n.Kind.Rooted { // pieces that follow one another far ahead
		for size := longest / 2; size > 0 && size > longest/64; size /= 2 {
			for _, pull := range []int{1, 4} {
				add(size, size, n.Furthest, pull == 1, false, pull)
				add(size, size, n.Furthest, pull == 4, true, pull)
			}
		}
	}
	if n.leaps {
		for _, size := range []int{longest, max(1, longest/4)} {
			if total/size > mostPieces {
				continue
			}
			for _, most := range []int{total, total / 4, startup, 4 * startup, 1} {
				add(size, most, n.Furthest, true, false, 0)
				if n.Kind.Rooted || n.Kind.Name == plan.Allreduce {
					add(size, most, n.Furthest, true, false, 1)
					add(size, most, n.Furthest, true, true, 4)
				}
				add(size, most, n.Furthest, true, true, 0)
				add(size, most, 1, true, false, 0)
				add(size, most, 2, true, true, 0)
			}
		}
	}
	closely(last)
	if n.nodes > closeNodes {
		slices.SortStableFunc(list, func(a, b draft) int { return cmp.Compare(n.rank(&a), n.rank(&b)) })
	}
	return list
}

// near lists over how many links pieces go that follow one another closely, in the first drafts and in the last ones. Where each link works by itself, neighbours are enough. Otherwise a message past a node needs none of its channels.
// With half duplex that matters most: neighbours that exchange pieces cannot all receive in the same cycles.
func (n *network) near() (first, last []int) {
	m, far := &n.Machine, []int{2, 3}
	far = slices.DeleteFunc(far, func(reach int) bool { return reach > n.Furthest })
	switch each := m.Ports == machine.AllPort && m.Channels == machine.Links; {
	case each && m.Duplex == machine.Full:
		return []int{1}, nil
	case each:
		return append([]int{1}, far...), nil
	}
	return []int{1}, far
}

// rank is in which part of the drafts one is tried on large networks, where a search has time for few of them: those are first that are often the fastest.
func (n *network) rank(d *draft) int {
	switch far := d.reach == n.Furthest; {
	case n.weighs() && d.far > 0 && far && d.local, !n.weighs() && (d.reach == 1 || d.pull > 1):
		return 0
	case n.weighs() && d.far > 0 && far, !n.weighs() && d.pull > 0:
		return 1
	}
	return 2
}

// grownGossip gives every node's words to every other, in less time than another plan; nil if none is found.
func grownGossip(t *plan.Task, known router.Cycle) (*plan.Plan, error) {
	n, err := newNetwork(t)
	if err != nil {
		return nil, err
	}
	n.resumes = true
	blocks := make([]transfer.Range, n.nodes)
	for v := range blocks {
		blocks[v] = transfer.Range{From: t.Offset[v], To: t.Offset[v+1]}
	}
	longest := max(1, slices.Max(t.Lengths))
	grow := func(n *network, d draft, limit router.Cycle, most int) (*schedule, int) {
		pieces, of := cut(blocks, d.size)
		from := make([]source, len(of))
		for i, v := range of {
			from[i] = source{v, int32(i), 0}
		}
		return n.outward(d, pieces, from, limit, most)
	}
	best, err := n.fastest(n.drafts(longest, t.TotalWords(), 1), known, grow)
	if err == nil {
		best, err = n.fasterInLeaps(best, longest, t.TotalWords(), grow)
	}
	if err != nil || best.nothing(known) {
		return nil, err
	}
	best = n.tightened(best, shakenOfNodes)
	p, err := t.TransferPlan(best.list(n.nodes), t.GossipBlock)
	if err != nil {
		return nil, err
	}
	return n.finish(best, p), nil
}
