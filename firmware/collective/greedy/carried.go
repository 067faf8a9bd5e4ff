// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"meshwright/fabric/booking"
	"meshwright/internal/heap"
	"meshwright/router"
)

// carried is an all-to-all that grows. A block is at a node, or in flight to a node that is on a shortest route to its destination, by the routes of the machine.
type carried struct {
	*network
	try
	book     *booking.Book
	index    []int32   // by block, source times nodes plus destination: its place among those of its node
	held     [][]int32 // by node: the blocks there that have to go on
	load     []load    // by node and next node: what could go there
	left     int       // blocks that are not at their destinations
	messages []message // whose pieces are blocks
	arriving heap.Heap[arrival]
	random   *rand.Rand
	work     int
	sending  []router.Cycle // by channel: when its last message is out of the way of the next
	before   []router.Cycle // by pair of nodes: no message can go before
	offers   []offer
	ranked   []int32
}

// load is the blocks that could go from a node to another next.
type load struct {
	words int // of all
	far   int // words times the links that they still have to go
}

func newCarried(n *network, how try) *carried {
	c := &carried{
		network: n, try: how, book: n.book(false), random: rand.New(rand.NewPCG(how.seed, 0x63617279)),
		index: make([]int32, n.nodes*n.nodes), held: make([][]int32, n.nodes), load: make([]load, n.nodes*n.nodes),
		sending: make([]router.Cycle, n.Channels), before: make([]router.Cycle, n.nodes*n.nodes),
	}
	for u := range int32(n.nodes) {
		for v := range int32(n.nodes) {
			if u != v && n.Lengths[u] > 0 {
				c.left++
				c.put(u, u*int32(n.nodes)+v)
			}
		}
	}
	return c
}

// ends returns the source and the destination of a block.
func (c *carried) ends(block int32) (from, to int32) {
	return block / int32(c.nodes), block % int32(c.nodes)
}

func (c *carried) wordsOf(block int32) int { return c.Lengths[int(block)/c.nodes] }

// put adds a block to those of a node, take removes it.
func (c *carried) put(u, block int32) {
	c.index[block] = int32(len(c.held[u]))
	c.held[u] = append(c.held[u], block)
	c.count(u, block, c.wordsOf(block))
}

func (c *carried) take(u, block int32) {
	last := len(c.held[u]) - 1
	moved := c.held[u][last]
	c.held[u][c.index[block]], c.index[moved] = moved, c.index[block]
	c.held[u] = c.held[u][:last]
	c.count(u, block, -c.wordsOf(block))
}

// count adds words to the loads of all nodes to which a block could go next.
func (c *carried) count(u, block int32, words int) {
	_, to := c.ends(block)
	far := c.Links(u, to)
	onward := c.onward(u, to)
	c.work += len(onward) / 32
	for _, v := range onward {
		l := &c.load[int(u)*c.nodes+int(v)]
		l.words += words
		l.far += words * far
	}
}

// run lets the all-to-all grow from a cycle on, until all blocks have arrived, or until it takes longer than limit or more work than most; then it reports false.
func (c *carried) run(from, limit router.Cycle, most int) bool {
	for now := from; ; {
		for len(c.arriving) > 0 && c.arriving[0].at <= now {
			c.arrive(&c.messages[c.arriving.Pop().message])
		}
		if c.left == 0 {
			return true
		}
		next := c.send(now)
		if len(c.arriving) > 0 {
			next = min(next, c.arriving[0].at)
		}
		if next >= limit || c.work > most || c.ended(limit) {
			return false
		}
		now = next
	}
}

func (c *carried) arrive(m *message) {
	for _, block := range m.pieces {
		if _, to := c.ends(block); to == m.to {
			c.left--
		} else {
			c.put(m.to, block)
		}
	}
}

// send hands over what can be handed over now. It returns the next cycle in which something that was not free now will be.
func (c *carried) send(now router.Cycle) router.Cycle {
	next := never
	c.offers = c.offers[:0]
	for u := range int32(c.nodes) {
		if len(c.held[u]) == 0 {
			continue
		}
		for _, v := range c.within[c.try.reach][u] {
			k := int(u)*c.nodes + int(v)
			if c.load[k].words == 0 {
				continue
			}
			if free := max(c.before[k], c.sending[c.Out(u, v)]); free > now {
				next = min(next, free)
				continue
			}
			c.offers = append(c.offers, offer{u, v, c.score(u, v), c.random.Uint32()})
		}
		c.work += 4 + len(c.within[c.try.reach][u])/4
	}
	queue := heap.Heap[offer](c.offers)
	queue.Init()
	for len(queue) > 0 {
		o := queue.Pop()
		k := int(o.from)*c.nodes + int(o.to)
		if c.load[k].words == 0 {
			continue
		}
		if score := c.score(o.from, o.to); score < o.score {
			o.score = score
			queue.Push(o)
			continue
		}
		if free := c.sending[c.Out(o.from, o.to)]; free > now {
			next = min(next, free)
			continue
		}
		if at := c.hand(o.from, o.to, now); at > now {
			c.before[k] = at
			next = min(next, at)
		}
	}
	return next
}

// score says how much a message helps: the links that its words are nearer to their destinations then, for the time that it takes.
func (c *carried) score(u, v int32) float64 {
	k, links := int(u)*c.nodes+int(v), c.Links(u, v)
	words := min(c.load[k].words, c.most)
	time := c.model.UntilWhole(links, words) + 1
	if c.local {
		time += router.Cycle(links-1) * c.model.Work(words)
	}
	gain := float64(words) * float64(links)
	if c.scarce {
		gain *= float64(c.load[k].far) / float64(c.load[k].words)
	}
	return gain / float64(time)
}

// hand hands over a message now, if it can: otherwise it returns when it could.
func (c *carried) hand(u, v int32, now router.Cycle) router.Cycle {
	list, words := c.choose(u, v)
	route := c.Route(u, v)
	c.work += 8 + 2*len(route) + 2*len(list)
	if at := c.book.Earliest(router.NodeID(u), route, words, now); at > now {
		return at
	}
	handed, whole := c.book.Reserve(router.NodeID(u), route, words, now)
	c.enter(message{from: u, to: v, handed: handed, whole: whole, pieces: slices.Clone(list)}, words)
	return now
}

// enter adds a message that has its time.
func (c *carried) enter(m message, words int) {
	for _, block := range m.pieces {
		c.take(m.from, block)
	}
	c.arriving.Push(arrival{m.whole, int32(len(c.messages))})
	c.messages = append(c.messages, m)
	c.sending[c.Out(m.from, m.to)] = m.handed + c.model.Startup + c.model.Work(words)
}

// choose chooses the blocks of a message: those with the longest routes, in any order.
func (c *carried) choose(u, v int32) (list []int32, words int) {
	c.ranked = c.ranked[:0]
	for _, block := range c.held[u] {
		if _, to := c.ends(block); c.passes(u, v, to) {
			c.ranked = append(c.ranked, block)
		}
	}
	if c.load[int(u)*c.nodes+int(v)].words > c.most { // not all of them fit
		c.random.Shuffle(len(c.ranked), func(i, j int) { c.ranked[i], c.ranked[j] = c.ranked[j], c.ranked[i] })
		slices.SortStableFunc(c.ranked, func(a, b int32) int {
			_, x := c.ends(a)
			_, y := c.ends(b)
			return cmp.Compare(c.Links(u, y), c.Links(u, x))
		})
	}
	for i, block := range c.ranked {
		if words > 0 && words+c.wordsOf(block) > c.most {
			return c.ranked[:i], words
		}
		words += c.wordsOf(block)
	}
	return c.ranked, words
}

// passes reports whether a node is on a shortest route to a destination.
func (n *network) passes(u, v, to int32) bool {
	return v == to || n.Links(u, v)+n.Links(v, to) == n.Links(u, to)
}

// onward lists the nodes to which a block for a node can go next.
func (n *network) onward(u, to int32) []int32 {
	k := int(u)*n.nodes + int(to)
	if n.next[k] == nil {
		for v := range int32(n.nodes) {
			if v != u && n.passes(u, v, to) {
				n.next[k] = append(n.next[k], v)
			}
		}
	}
	return n.next[k]
}

// carry makes the schedule of a draft.
func (n *network) carry(d draft, limit router.Cycle, most int) (*schedule, int) {
	c := newCarried(n, d.try)
	from := router.Cycle(0)
	if d.base != nil {
		from = d.until
		for _, m := range d.base.messages {
			if m.handed < from {
				c.repeat(m)
			}
		}
	}
	if !c.run(from, limit, most) {
		return nil, c.work
	}
	made := &schedule{messages: c.messages}
	made.end()
	return made, c.work
}

// repeat hands over a message of another schedule. They come in the order in which they are handed over.
func (c *carried) repeat(m message) {
	for len(c.arriving) > 0 && c.arriving[0].at <= m.handed {
		c.arrive(&c.messages[c.arriving.Pop().message])
	}
	words := 0
	for _, block := range m.pieces {
		words += c.wordsOf(block)
	}
	route := c.Route(m.from, m.to)
	c.book.Reserve(router.NodeID(m.from), route, words, m.handed)
	c.work += 16 + 4*len(route) + 4*len(m.pieces)
	c.enter(m, words)
}
