// SPDX-License-Identifier: Apache-2.0

package rounds

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
)

const (
	// workOf times the third power of the nodes is how many messages, and links and channels that they use, a search looks at, at most: some seconds for 64 nodes, a tenth of one for 9.
	workOf    = 8 << 10
	leastWork = 3 << 20
	mostWork  = 170 << 20
	// bookingsOf is the part of the work that messages and links are booked in the end.
	bookingsOf = 1. / 4
	// partOf is by how much shorter the searches are that find out how many rounds are best, and which symmetries.
	partOf = 12
	// mostSymmetric bounds the work of long searches if there are symmetries, so that on large networks they take no longer together with the short ones.
	mostSymmetric = 140 << 20
	// mostRounds is how many numbers of rounds are tried, and numbersOf how many with symmetries.
	mostRounds, numbersOf = 8, 3
	// heat is by which part of the time of a message forms may become worse at the start.
	heat = 0.2
	// cold is the last part of a search, in which its forms are booked about so often.
	cold, glances = 0.25, 64
)

// fastest returns the fastest schedule that is found.
func (n *network) fastest() *schedule {
	least := n.leastRounds()
	var trials []trial
	for i := range mostRounds {
		trials = append(trials, trial{least + i, nil})
	}
	starts := n.short(trials, 0)
	if slices.ContainsFunc(starts, func(x *result) bool { return x.made.cycles <= n.least }) {
		return fastestOf(starts)
	}
	best := cheapest(starts).form.rounds
	for i, m := range n.symmetric() {
		trials = trials[:0]
		for k := range numbersOf {
			trials = append(trials, trial{max(least, best-1) + k, m})
		}
		starts = append(starts, n.short(trials, i+1)...)
	}
	ends, work := n.promising(starts), n.most
	if len(starts) > mostRounds {
		work = min(work, n.symmetricMost)
	}
	n.each(ends, func(i int) *result {
		random := rand.New(rand.NewPCG(n.Seed, 0x66696e616c+uint64(i)))
		x := n.search(ends[i].form.clone(), work, random)
		n.improve(x, int(bookingsOf*float64(work)), random)
		return x
	})
	return fastestOf(append(starts, ends...))
}

// trial is a form that a short search begins with.
type trial struct {
	rounds int
	*images
}

// short makes short searches; turn is a number of their own.
func (n *network) short(trials []trial, turn int) []*result {
	list := make([]*result, len(trials))
	n.each(list, func(i int) *result {
		random := rand.New(rand.NewPCG(n.Seed+uint64(turn)<<32, 0x726f756e64+uint64(i)))
		f := newForm(n, trials[i].rounds, trials[i].images)
		f.scatter(random)
		return n.search(f, n.most/partOf, random)
	})
	return list
}

func fastestOf(list []*result) *schedule {
	return slices.MinFunc(list, func(a, b *result) int { return int(a.made.cycles - b.made.cycles) }).made
}

// each replaces all of a list at the same time.
func (n *network) each(list []*result, by func(i int) *result) {
	var all sync.WaitGroup
	for i := range list {
		all.Go(func() { list[i] = by(i) })
	}
	all.Wait()
}

// promising lists two of the forms of short searches: the one with the least cost, and that with the least of those with fewer symmetries, which take longer to be found. Without symmetries it is that with a round less, which takes longer too, if it lacks
// little; or the first one twice.
func (n *network) promising(list []*result) []*result {
	best := cheapest(list)
	fewer := slices.DeleteFunc(slices.Clone(list), func(x *result) bool { return x.form.images.size() >= best.form.images.size() })
	if len(fewer) > 0 {
		return []*result{cheapest(fewer), best}
	}
	for _, x := range list {
		if x.form.rounds == best.form.rounds-1 && x.form.images == nil && x.form.lacks <= n.nodes*n.nodes/6 {
			return []*result{best, x}
		}
	}
	return []*result{best, best}
}

func cheapest(list []*result) *result {
	return slices.MinFunc(list, func(a, b *result) int { return cmp.Compare(a.form.cost(), b.form.cost()) })
}

// result is a form and the fastest schedule that was made on the way to it.
type result struct {
	form *form
	made *schedule
}

// leastRounds is the number of rounds in which a piece can come to all nodes at all, if each node with it sends it over all its channels.
func (n *network) leastRounds() (rounds int) {
	channels := make([]int, n.nodes)
	for i := range n.slots {
		channels[n.slots[i].owner]++
	}
	for reached := 1; reached < n.nodes; reached *= 1 + slices.Max(channels) {
		rounds++
	}
	return max(1, rounds)
}

// scatter lets all channels send to random nodes in all rounds.
func (f *form) scatter(random *rand.Rand) {
	to := make([]int32, len(f.to))
	var moves []move
	for i := range to {
		near := f.slots[i%len(f.slots)].near
		moves = f.images.extend(append(moves[:0], move{int32(i), near[random.IntN(len(near))]}), int32(len(f.slots)))
		for _, m := range moves {
			to[m.slot] = m.to
		}
	}
	f.send(to)
}

// search changes a form at random, within so much work. Now and then it books what it has.
func (n *network) search(f *form, work int, random *rand.Rand) *result {
	clock := newClock(n)
	cost, best := f.cost(), clock.schedule(f, never)
	glance := func() {
		if made := clock.schedule(f, never); made.cycles < best.cycles {
			best = made
		}
	}
	var moves []move
	for f.work = 0; f.work < work && n.Search.Err() == nil && n.Ctx.Err() == nil; {
		before := f.work
		moves = f.moves(moves[:0], random)
		if f.work++; len(moves) == 0 {
			continue
		}
		left := 1 - float64(f.work)/float64(work)
		allowed := cost - n.unit*heat*left*left*math.Log(1-random.Float64())
		f.change(moves)
		now := f.cost()
		if now > allowed {
			f.undo()
			continue
		}
		if cost = now; left < cold && random.Float64() < glances/cold*float64(f.work-before)/float64(work) {
			glance()
		}
	}
	glance()
	return &result{f, best}
}

// improve changes a form at random and books it each time. Nothing slower is accepted.
func (n *network) improve(x *result, work int, random *rand.Rand) {
	clock := newClock(n)
	made := clock.schedule(x.form, never)
	var moves []move
	for clock.work < work && x.made.cycles > n.least && n.Search.Err() == nil && n.Ctx.Err() == nil {
		moves = x.form.moves(moves[:0], random)
		if clock.work++; len(moves) == 0 {
			continue
		}
		x.form.change(moves)
		next := clock.schedule(x.form, made.cost())
		if next == nil {
			x.form.undo()
			continue
		}
		if made = next; made.cycles < x.made.cycles {
			x.made = made
		}
	}
}

// moves adds the moves of a random change to a list, and those to which symmetries bring them: none if nothing would be different.
func (f *form) moves(list []move, random *rand.Rand) []move {
	return f.images.extend(f.drawn(list, random), int32(len(f.slots)))
}

// drawn adds the moves of a random change in one place.
func (f *form) drawn(list []move, random *rand.Rand) []move {
	round, i := random.IntN(f.rounds), int32(random.IntN(len(f.slots)))
	slots := int32(len(f.slots))
	here := int32(round)*slots + i
	near := f.slots[i].near
	to := near[random.IntN(len(near))]
	switch random.IntN(10) {
	case 0:
		to = none
	case 1, 2: // another channel sends to its receiver, and the other way round
		j := random.Int32N(slots)
		there := int32(round)*slots + j
		if to = f.to[there]; f.sends(i, to) && f.sends(j, f.to[here]) && to != f.to[here] {
			return append(list, move{here, to}, move{there, f.to[here]})
		}
		return list
	case 3:
		there := random.Int32N(int32(f.rounds))*slots + i
		if to = f.to[there]; to != f.to[here] {
			return append(list, move{here, to}, move{there, f.to[here]})
		}
		return list
	case 4, 5, 6: // to a nearer node
		to = near[random.IntN(1+random.IntN(len(near)))]
	}
	if to == f.to[here] {
		return list
	}
	return append(list, move{here, to})
}

// sends reports whether a slot can send to a node, or to none.
func (f *form) sends(slot, to int32) bool {
	from := f.slots[slot].owner
	return to == none || to != from && f.slotOf[f.pair(from, to)] == slot
}
