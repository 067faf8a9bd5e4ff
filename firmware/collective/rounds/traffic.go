// SPDX-License-Identifier: Apache-2.0

package rounds

import (
	"math"
	"slices"

	"meshwright/router"
)

// traffic is a form of an all-to-all: who sends to whom in which round, and the route of each block. Before each round a block is at a node; it goes on with one of the node's messages, or stays.
//
//	block 0 to 3    round 1 with 0>1    round 2 stays    round 3 with 1>3
//
// A block has a number: that of its source times the nodes, and that of its destination.
type traffic struct {
	*network
	rounds  int
	to      []int32   // by round and slot: the receiver, or none
	words   []int     // by round and slot: of the message
	blocks  [][]int32 // by round and slot: of the message
	ways    []int32   // by block and round: the round and slot of the message with which it goes, or none
	places  []int32   // by block and round: its place among the blocks of the message
	lost    []int32   // blocks without a route
	losts   []int32   // by block: its place in lost, or none
	reach   []uint64  // by round and node: the nodes to which a block can come that is there before the round; and after all rounds
	loads   []load    // by round and calendar
	sum     []float64 // by round: the powers of its loads
	used    []int     // by round: the uses of its messages
	work    int       // uses that were looked at
	changes detours
	guide
}

// detours is what a change has changed, so that it can be undone.
type detours struct {
	stamp  int32
	noted  []int32 // by block: the last change in which it is
	blocks []int32
	ways   []int32 // of these blocks, before
	to     []was[int32]
	sum    []float64
	used   []int
}

// guide finds the cheapest route of a block.
type guide struct {
	stamp int32
	seen  []int32   // by round and node: the last search that came there
	price []float64 // by round and node: of the cheapest route to it
	by    []int32   // by round and node: the message of this route that comes there, or none if the block was there already
	front []int32   // nodes, round by round
	way   []int32
}

// newTraffic is a form in which nobody sends.
func newTraffic(n *network, rounds int) *traffic {
	slots, blocks, places := rounds*len(n.slots), n.nodes*n.nodes, (rounds+1)*n.nodes
	t := &traffic{network: n, rounds: rounds}
	t.to, t.words, t.blocks = slices.Repeat([]int32{none}, slots), make([]int, slots), make([][]int32, slots)
	t.ways, t.places, t.losts = slices.Repeat([]int32{none}, blocks*rounds), make([]int32, blocks*rounds), slices.Repeat([]int32{none}, blocks)
	t.reach, t.loads, t.sum, t.used = make([]uint64, places), make([]load, rounds*n.calendars), make([]float64, rounds), make([]int, rounds)
	t.changes = detours{noted: make([]int32, blocks), sum: make([]float64, rounds), used: make([]int, rounds)}
	t.guide = guide{seen: make([]int32, places), price: make([]float64, places), by: make([]int32, places), way: make([]int32, rounds)}
	for i := range t.reach {
		t.reach[i] = 1 << (i % n.nodes)
	}
	for b := range int32(blocks) {
		if u, v := t.ends(b); u != v && n.all>>u&1 != 0 {
			t.lose(b)
		}
	}
	return t
}

// ends returns the source and the destination of a block.
func (t *traffic) ends(block int32) (from, to int32) {
	return block / int32(t.nodes), block % int32(t.nodes)
}

// wordsOf is how many words a block has.
func (t *traffic) wordsOf(block int32) int { return t.Lengths[int(block)/t.nodes] }

func (t *traffic) wayOf(block int32) []int32 {
	return t.ways[int(block)*t.rounds : (int(block)+1)*t.rounds]
}

// usesOf lists what the message of a slot uses.
func (t *traffic) usesOf(i int32) []use {
	return t.uses[t.pair(t.slots[int(i)%len(t.slots)].owner, t.to[i])]
}

func (t *traffic) lose(block int32) {
	t.losts[block] = int32(len(t.lost))
	t.lost = append(t.lost, block)
}

// take takes a block from its route.
func (t *traffic) take(block int32) {
	way := t.wayOf(block)
	for r, i := range way {
		if i == none {
			continue
		}
		list, k := t.blocks[i], t.places[int(block)*t.rounds+r]
		last := list[len(list)-1]
		list[k], t.places[int(last)*t.rounds+r] = last, k
		t.blocks[i] = list[:len(list)-1]
		t.weigh(i, -t.wordsOf(block))
		way[r] = none
	}
	t.lose(block)
}

// put gives a block without a route one.
func (t *traffic) put(block int32, way []int32) {
	for r, i := range way {
		t.ways[int(block)*t.rounds+r] = i
		if i == none {
			continue
		}
		t.places[int(block)*t.rounds+r] = int32(len(t.blocks[i]))
		t.blocks[i] = append(t.blocks[i], block)
		t.weigh(i, t.wordsOf(block))
	}
	k, last := t.losts[block], t.lost[len(t.lost)-1]
	t.lost[k], t.losts[last] = last, k
	t.lost, t.losts[block] = t.lost[:len(t.lost)-1], none
}

// longer returns by how much longer the message of a slot uses a calendar if its words change.
func (t *traffic) longer(u *use, before, after int) (longer router.Cycle) {
	empty := t.model.Work(0)
	if before > 0 {
		longer -= u.in(t.model.Work(before) - empty)
	}
	if after > 0 {
		longer += u.in(t.model.Work(after) - empty)
	}
	return longer
}

// weigh gives the message of a slot more words, or fewer.
func (t *traffic) weigh(i int32, more int) {
	before, round, uses := t.words[i], int(i)/len(t.slots), t.usesOf(i)
	after, largest := before+more, t.sum[round]
	for k := range uses {
		u := &uses[k]
		longer := t.longer(u, before, after)
		l := &t.loads[round*t.calendars+int(u.calendar)]
		l.busy += longer
		l.from += longer * u.at
		power := t.power(l)
		t.sum[round] += power - l.power
		l.power = power
		largest = max(largest, t.sum[round])
	}
	if t.sum[round] < largest*rounding {
		t.sum[round] = t.added(t.loads, round)
	}
	t.words[i] = after
	t.work += len(uses)
	if before == 0 {
		t.used[round] += len(uses)
	}
	if after == 0 {
		t.used[round] -= len(uses)
	}
}

// priceOf is by how much a round takes longer, in times of a message, if the message of a slot has more words.
func (t *traffic) priceOf(i int32, more int) float64 {
	before, round, uses := t.words[i], int(i)/len(t.slots), t.usesOf(i)
	grown := t.sum[round]
	for k := range uses {
		u := &uses[k]
		l := t.loads[round*t.calendars+int(u.calendar)]
		longer := t.longer(u, before, before+more)
		l.busy += longer
		l.from += longer * u.at
		grown += t.power(&l) - l.power
	}
	t.work += len(uses)
	return norm(grown) - norm(t.sum[round]) + fewer*float64(len(uses))
}

// norm is the eighth root of a sum of eighth powers.
func norm(sum float64) float64 { return math.Sqrt(math.Sqrt(math.Sqrt(max(0, sum)))) }

// cost is what the search makes small, see form.cost.
func (t *traffic) cost() (cost float64) {
	for round, sum := range t.sum {
		cost += norm(sum) + fewer*float64(t.used[round])
	}
	return t.unit * (cost + float64(len(t.lost))*lacking)
}

// lead gives a block without a route the cheapest one. It reports false if there is none.
func (t *traffic) lead(block int32) bool {
	from, to := t.ends(block)
	if t.reach[from]>>to&1 == 0 {
		return false
	}
	g, slots, words := &t.guide, int32(len(t.slots)), t.wordsOf(block)
	g.stamp++
	g.front, g.price[from] = append(g.front[:0], from), 0
	for r, begin := 0, 0; r < t.rounds; r++ {
		end, next := len(g.front), t.reach[(r+1)*t.nodes:]
		for _, u := range g.front[begin:end] {
			price := g.price[r*t.nodes+int(u)]
			if next[u]>>to&1 != 0 {
				g.come((r+1)*t.nodes, u, price, none)
			}
			if u == to {
				continue
			}
			for _, s := range t.slotsOf[u] {
				i := int32(r)*slots + s
				if v := t.to[i]; v != none && next[v]>>to&1 != 0 {
					g.come((r+1)*t.nodes, v, price+t.priceOf(i, words), i)
				}
			}
		}
		begin = end
	}
	for r, at := t.rounds-1, to; r >= 0; r-- {
		i := g.by[(r+1)*t.nodes+int(at)]
		if g.way[r] = i; i != none {
			at = t.slots[i%slots].owner
		}
	}
	t.put(block, g.way)
	return true
}

// come enters a route to a node; first is the place of the first node in the round.
func (g *guide) come(first int, node int32, price float64, by int32) {
	at := first + int(node)
	switch {
	case g.seen[at] != g.stamp:
		g.seen[at] = g.stamp
		g.front = append(g.front, node)
	case price >= g.price[at]:
		return
	}
	g.price[at], g.by[at] = price, by
}

// remember begins a change.
func (t *traffic) remember() {
	d := &t.changes
	d.stamp++
	d.blocks, d.ways, d.to = d.blocks[:0], d.ways[:0], d.to[:0]
	copy(d.sum, t.sum)
	copy(d.used, t.used)
}

// note remembers the route of a block.
func (t *traffic) note(block int32) {
	if d := &t.changes; d.noted[block] != d.stamp {
		d.noted[block] = d.stamp
		d.blocks, d.ways = append(d.blocks, block), append(d.ways, t.wayOf(block)...)
	}
}

// redirect lets slots of rounds send to other nodes, or to none. What their messages carried gets other ways, and what had none may get one.
func (t *traffic) redirect(moves []move) {
	t.remember()
	last := 0
	for _, m := range moves {
		for len(t.blocks[m.slot]) > 0 {
			block := t.blocks[m.slot][0]
			t.note(block)
			t.take(block)
		}
		t.changes.to = append(t.changes.to, was[int32]{m.slot, t.to[m.slot]})
		t.to[m.slot] = m.to
		last = max(last, int(m.slot)/len(t.slots))
	}
	t.spread(last)
	t.work += len(t.lost) / 8
	for k := len(t.lost) - 1; k >= 0; k-- {
		block := t.lost[k]
		if from, to := t.ends(block); t.reach[from]>>to&1 != 0 {
			t.note(block)
			t.lead(block)
		}
	}
}

// spread works out where blocks can come from the nodes before a round, and before all rounds that are earlier.
func (t *traffic) spread(round int) {
	for r := round; r >= 0; r-- {
		next, to := t.reach[(r+1)*t.nodes:], t.to[r*len(t.slots):]
		for u := range t.nodes {
			set := next[u]
			for _, s := range t.slotsOf[u] {
				if v := to[s]; v != none {
					set |= next[v]
				}
			}
			t.reach[r*t.nodes+u] = set
		}
	}
	t.work += (round + 1) * t.nodes
}

// leadAgain gives a block with a route the cheapest one.
func (t *traffic) leadAgain(block int32) {
	t.remember()
	t.note(block)
	t.take(block)
	t.lead(block)
}

// undo takes the last change back.
func (t *traffic) undo() {
	d, last := &t.changes, -1
	for _, block := range d.blocks {
		if t.losts[block] == none {
			t.take(block)
		}
	}
	for k := len(d.to) - 1; k >= 0; k-- {
		t.to[d.to[k].at] = d.to[k].old
		last = max(last, int(d.to[k].at)/len(t.slots))
	}
	for k, block := range d.blocks {
		if way := d.ways[k*t.rounds : (k+1)*t.rounds]; slices.ContainsFunc(way, func(i int32) bool { return i != none }) {
			t.put(block, way)
		}
	}
	t.spread(last)
	copy(t.sum, d.sum)
	copy(t.used, d.used)
}
