// SPDX-License-Identifier: Apache-2.0

package rounds

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"meshwright/firmware/plan"
	"meshwright/router"
)

// Bundle is a message of an all-to-all. The number of a block is that of its source times the number of nodes, and that of its destination.
type Bundle struct {
	From, To int32
	Blocks   []int32
}

const (
	// blocksWorkOf times the third power of the nodes is how many uses a search for an all-to-all looks at, at most mostWork: some tenths of a second for 16 nodes, some seconds for 64.
	blocksWorkOf = 3 << 10
	// numbers is how many numbers of rounds are tried for an all-to-all.
	numbers = 6
	// longer is for how many of them long searches follow.
	longer = 2
	// leadsOf is how often, of all changes in a hundred, a block gets another route.
	leadsOf = 60
	// coolHeat is by which part of the time of a message an all-to-all may become worse at the start.
	coolHeat = 0.05
	// hopeless is the part of the known time by which the schedule of a short search may be slower, if longer ones are to follow.
	hopeless = 4
)

// Exchange looks for all-to-alls in a few rounds: short searches with several numbers of rounds, and long ones with the best of these. It lets messages be booked, in an order in which they can go, and is told how long they take. Long searches follow
// only if a short one comes near a known time.
func Exchange(t *plan.Task, known router.Cycle, book func([]Bundle) router.Cycle) error {
	n, err := newNetwork(t, false)
	if err != nil {
		return err
	}
	least, work := n.leastRounds(), n.Spend(min(blocksWorkOf*n.nodes*n.nodes*n.nodes, mostWork))
	starts, times := make([]*traffic, numbers), make([]router.Cycle, numbers)
	var all sync.WaitGroup
	for i := range starts {
		all.Go(func() {
			random := rand.New(rand.NewPCG(n.Seed, 0x65786368+uint64(i)))
			starts[i] = newTraffic(n, least+i)
			starts[i].scatter(random)
			starts[i].search(work/partOf, random)
		})
	}
	all.Wait()
	order := make([]int, numbers)
	for i, x := range starts {
		order[i], times[i] = i, book(x.bundles())
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(times[a] - times[b]) })
	if times[order[0]] > known+known/hopeless {
		return nil
	}
	order = order[:longer]
	for _, i := range order {
		all.Go(func() { starts[i].search(work, rand.New(rand.NewPCG(n.Seed, 0x6c6f6e67+uint64(i)))) })
	}
	all.Wait()
	for _, i := range order {
		book(starts[i].bundles())
	}
	return nil
}

// scatter lets all channels send to random nodes in all rounds.
func (t *traffic) scatter(random *rand.Rand) {
	moves := make([]move, len(t.to))
	for i := range moves {
		near := t.slots[i%len(t.slots)].near
		moves[i] = move{int32(i), near[random.IntN(len(near))]}
	}
	t.redirect(moves)
}

// search changes who sends to whom, and the routes of blocks, at random, within so much work.
func (t *traffic) search(work int, random *rand.Rand) {
	cost := t.cost()
	var moves []move
	for t.work = 0; t.work < work && t.Search.Err() == nil && t.Ctx.Err() == nil; {
		t.work++
		left := 1 - float64(t.work)/float64(work)
		allowed := cost - t.unit*coolHeat*left*left*math.Log(1-random.Float64())
		if random.IntN(100) < leadsOf {
			block := random.Int32N(int32(t.nodes * t.nodes))
			if u, v := t.ends(block); u == v || t.all>>u&1 == 0 || t.losts[block] != none {
				continue
			}
			t.leadAgain(block)
		} else {
			if moves = t.moves(moves[:0], random); len(moves) == 0 {
				continue
			}
			t.redirect(moves)
		}
		if now := t.cost(); now <= allowed {
			cost = now
		} else {
			t.undo()
		}
	}
}

// moves adds the moves of a random change to a list: none if nothing would be different.
func (t *traffic) moves(list []move, random *rand.Rand) []move {
	slots := int32(len(t.slots))
	here := random.Int32N(int32(len(t.to)))
	near := t.slots[here%slots].near
	to := near[random.IntN(len(near))]
	switch random.IntN(10) {
	case 0:
		to = none
	case 1: // what it sends in another round
		there := random.Int32N(int32(t.rounds))*slots + here%slots
		if to = t.to[there]; to != t.to[here] {
			return append(list, move{here, to}, move{there, t.to[here]})
		}
	case 2, 3, 4: // to a nearer node
		to = near[random.IntN(1+random.IntN(len(near)))]
	}
	if to == t.to[here] {
		return list
	}
	return append(list, move{here, to})
}

// bundles lists the messages round by round, and at last one for each block without a route.
func (t *traffic) bundles() (list []Bundle) {
	for i, blocks := range t.blocks {
		if len(blocks) > 0 {
			list = append(list, Bundle{t.slots[i%len(t.slots)].owner, t.to[i], slices.Clone(blocks)})
		}
	}
	for _, block := range t.lost {
		from, to := t.ends(block)
		list = append(list, Bundle{from, to, []int32{block}})
	}
	return list
}
