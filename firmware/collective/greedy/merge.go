// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"math/rand/v2"

	"meshwright/fabric/booking"
	"meshwright/firmware/transfer"
	"meshwright/internal/heap"
	"meshwright/router"
)

// merging is an allreduce that grows forwards in time. For each piece every node holds the sum over a group of nodes, at first over itself. Groups are nested
// or have no node in common, since each group but those of single nodes is the union of two:
//
//	node 0 has 0, node 1 has 1, node 2 has 2     1 > 2: node 2 has 12
//	                                             2 > 1: node 1 has 12
//	                                             0 > 1: node 1 has 012; node 0 could add 12 of node 2
//
// A node adds the sum over the other half of a larger group, or the sum over any group if neither of the two is part of a larger one. It takes the sum over a group that has its own
// as a part instead of its own. So nothing counts twice, and all nodes get all sums in the end.
type merging struct {
	*network
	nesting
	how      try
	book     *booking.Book
	words    []int32
	pieces   [][]group        // by piece
	held     [][]int32        // by piece and node: its group
	promised [][]int32        // the same when everything on its route is there
	last     [][]router.Cycle // by piece and node: when everything on its route is there
	before   [][]router.Cycle // by piece and pair of nodes: no message can go before, since what is reserved stays reserved
	sending  []router.Cycle   // by channel: when its last message is out of the way of the next
	messages []message
	results  []int32 // by message: the group at the receiver
	arriving heap.Heap[arrival]
	random   *rand.Rand
	left     int
	work     int
	offers   []gift
}

// nesting is one way to let an allreduce grow.
type nesting struct {
	fresh, put float64 // what sums are worth that make one of two groups, and that take the place of others; the other half of a group is worth 1
	noise      float64 // by which part a worth may be larger at random
}

// nestings are what tries differ in.
var nestings = []nesting{{1, 1, 0.01}, {0.3, 0.1, 0.3}, {3, 3, 0.01}, {0.3, 1, 0.01}, {0.7, 0.1, 1}, {3, 0.1, 1}, {1, 3, 0.3}, {3, 1, 1}}

// group is a set of nodes.
type group struct {
	parent, sibling int32 // the union that it is a part of, and the other part; -1: none
	size            int32
}

// gift is a piece that a node could give another.
type gift struct {
	from, to, piece int32
	score           float64
}

// Before prefers the gift that helps most.
func (g gift) Before(h gift) bool { return g.score > h.score }

func newMerging(n *network, d draft, pieces []transfer.Range) *merging {
	m := &merging{
		network: n, nesting: d.nesting, how: d.try, words: n.lengths(pieces),
		book: n.book(false), random: rand.New(rand.NewPCG(d.seed, 0x6d657267)),
	}
	m.sending = make([]router.Cycle, n.Channels)
	for range pieces {
		groups, own := make([]group, n.nodes, 2*n.nodes), make([]int32, n.nodes)
		for v := range groups {
			groups[v], own[v] = group{-1, -1, 1}, int32(v)
		}
		m.pieces, m.held, m.promised = append(m.pieces, groups), append(m.held, own), append(m.promised, append([]int32(nil), own...))
		m.last, m.before = append(m.last, make([]router.Cycle, n.nodes)), append(m.before, make([]router.Cycle, n.nodes*n.nodes))
	}
	m.left = n.nodes * len(pieces)
	return m
}

// use is what a sum is good for.
type use uint8

const (
	useless use = iota
	half        // of a group
	fresh       // the other half of a group that there is not yet
	whole       // of a group that has the receiver's as a part
)

// good says what the sum over group a is good for at a node with that over group b.
func (m *merging) good(piece, a, b int32) use {
	groups := m.pieces[piece]
	switch {
	case a == b:
		return useless
	case groups[a].parent < 0 && groups[b].parent < 0:
		return fresh
	case groups[a].sibling == b:
		return half
	}
	for up := groups[b].parent; up >= 0; up = groups[up].parent {
		if up == a {
			return whole
		}
	}
	return useless
}

// score says how much a sum helps for its time.
func (m *merging) score(piece, from, to int32) float64 {
	groups, a, b := m.pieces[piece], m.held[piece][from], m.promised[piece][to]
	gain := 0.0
	switch m.good(piece, a, b) {
	case useless:
		return 0
	case half:
		gain = float64(groups[a].size)
	case fresh:
		gain = m.fresh * float64(groups[a].size)
	case whole:
		gain = m.put * float64(groups[a].size-groups[b].size)
	}
	links, words := m.Links(from, to), int(m.words[piece])
	time := m.model.UntilWhole(links, words) + 1
	if m.how.local {
		time += router.Cycle(links-1) * m.model.Work(words)
	}
	return gain / float64(time)
}

// run lets the schedule grow until nothing lacks, or until it takes as long as the limit or more than so much work; then it reports false.
func (m *merging) run(from, limit router.Cycle, work int) bool {
	for now := from; m.left > 0; {
		m.arrive(now)
		next := m.send(now)
		if len(m.arriving) > 0 {
			next = min(next, m.arriving[0].at)
		}
		if m.left > 0 && (next >= limit || m.work > work || m.ended(limit)) {
			return false
		}
		now = next
	}
	for i := range m.messages {
		if m.messages[i].whole+1 >= limit {
			return false
		}
	}
	return true
}

// keep hands over the messages of another schedule that are handed over before a cycle.
func (m *merging) keep(messages []message, before router.Cycle) {
	for _, x := range messages {
		if x.handed < before {
			m.arrive(x.handed)
			m.give(gift{from: x.from, to: x.to, piece: x.pieces[0]}, x.handed)
			m.work += 16 + 4*m.Links(x.from, x.to)
		}
	}
}

// arrive lets nodes have what is whole by a cycle.
func (m *merging) arrive(now router.Cycle) {
	for len(m.arriving) > 0 && m.arriving[0].at <= now {
		i := m.arriving.Pop().message
		x := &m.messages[i]
		m.held[x.pieces[0]][x.to] = m.results[i]
	}
}

// send hands over what helps most, and returns the next cycle in which something that is not free now will be.
func (m *merging) send(now router.Cycle) router.Cycle {
	next := never
	m.offers = m.offers[:0]
	for u := range int32(m.nodes) {
		for _, v := range m.within[m.how.reach][u] {
			if free := m.sending[m.Out(u, v)]; free > now {
				next = min(next, free)
				continue
			}
			m.work++
			for p := range int32(len(m.pieces)) {
				score := m.score(p, u, v)
				if at := m.before[p][int(u)*m.nodes+int(v)]; at > now && score > 0 {
					next = min(next, at)
				} else if score > 0 {
					m.offers = append(m.offers, gift{u, v, p, score * (1 + m.noise*m.random.Float64())})
				}
			}
		}
	}
	queue := heap.Heap[gift](m.offers)
	queue.Init()
	for len(queue) > 0 {
		g := queue.Pop()
		out := m.Out(g.from, g.to)
		if m.sending[out] > now {
			next = min(next, m.sending[out])
			continue
		}
		if m.score(g.piece, g.from, g.to) == 0 {
			continue
		}
		m.work += 4 + m.Links(g.from, g.to)
		if at := m.hand(g, now); at > now {
			m.before[g.piece][int(g.from)*m.nodes+int(g.to)] = at
			next = min(next, at)
		}
	}
	return next
}

// hand hands a sum over now, if it can: otherwise it returns when it could.
func (m *merging) hand(g gift, now router.Cycle) router.Cycle {
	route, words := m.Route(g.from, g.to), int(m.words[g.piece])
	if at := m.book.Earliest(router.NodeID(g.from), route, words, now); at > now {
		return at
	}
	if there := now + m.model.UntilWhole(len(route), words); there <= m.last[g.piece][g.to] { // sums come in order
		return m.last[g.piece][g.to]
	}
	m.give(g, now)
	return now
}

// give hands a sum over now.
func (m *merging) give(g gift, now router.Cycle) {
	route, words := m.Route(g.from, g.to), int(m.words[g.piece])
	handed, there := m.book.Reserve(router.NodeID(g.from), route, words, now)
	a, b := m.held[g.piece][g.from], m.promised[g.piece][g.to]
	kind := m.good(g.piece, a, b)
	result := a
	groups := m.pieces[g.piece]
	if kind == fresh {
		joined := int32(len(groups))
		groups = append(groups, group{-1, -1, groups[a].size + groups[b].size})
		groups[a].parent, groups[b].parent, groups[a].sibling, groups[b].sibling = joined, joined, b, a
		m.pieces[g.piece] = groups
	}
	if kind != whole {
		result = groups[a].parent
	}
	m.promised[g.piece][g.to], m.last[g.piece][g.to] = result, there
	if int(groups[result].size) == m.nodes {
		m.left--
	}
	m.arriving.Push(arrival{there, int32(len(m.messages))})
	m.messages = append(m.messages, message{from: g.from, to: g.to, handed: handed, whole: there, pieces: []int32{g.piece}, sum: kind != whole})
	m.results = append(m.results, result)
	m.sending[m.Out(g.from, g.to)] = handed + m.model.Startup + m.model.Work(words)
}

// merged makes an allreduce of pieces.
func (n *network) merged(d draft, pieces []transfer.Range, limit router.Cycle, most int) (*schedule, int) {
	m := newMerging(n, d, pieces)
	if d.base != nil {
		m.keep(d.base.messages, d.until)
	}
	if !m.run(d.until, limit, most) {
		return nil, m.work
	}
	made := &schedule{pieces: pieces, messages: m.messages}
	made.end()
	return made, m.work
}

// mostMerged bounds the pieces of an allreduce that grows forwards in time.
const mostMerged = 8

// mergedDrafts lists what is tried for so many words.
func (n *network) mergedDrafts(words int) (list []draft) {
	n.longest, n.total = words, words
	for i, w := range nestings {
		for pieces := 1; pieces <= min(words, mostMerged); pieces *= 2 {
			size := (words + pieces - 1) / pieces
			for _, reach := range []int{n.Furthest, n.Furthest, 2, 1} {
				if reach == n.Furthest || i%2 == 0 {
					how := try{most: size, reach: min(reach, n.Furthest), local: len(list)%2 == 1, seed: n.Seed + uint64(len(list))}
					list = append(list, draft{try: how, size: size, nesting: w})
				}
			}
		}
	}
	return list
}
