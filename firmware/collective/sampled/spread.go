// SPDX-License-Identifier: Apache-2.0

package sampled

import (
	"math/rand/v2"
	"slices"

	"meshwright/fabric/booking"
	"meshwright/firmware/collective/worth"
	"meshwright/internal/bitset"
	"meshwright/internal/heap"
	"meshwright/router"
)

// never is later than anything.
const never = router.Cycle(1) << 60

// message carries pieces from a node to another.
type message struct {
	from, to      int32
	handed, whole router.Cycle
	pieces        []int32 // in rising order; shared, never changed
}

// try is one way to let a schedule grow.
type try struct {
	most  int  // words of a message, at most; at least one piece goes
	draws int  // receivers at which a node looks, in its neighbourhood and anywhere
	local bool // a message counts as longer if it goes over more links
	pull  int  // how much a message to a node that has nothing helps nodes near it that have nothing, too
	seed  uint64

	far      float64 // the power of the links from which a piece is worth more, see package worth; 0: all are worth the same
	patience float64 // what a message has to be worth for its time, or it waits for more words
}

// event is a message that becomes whole, or a node that looks for something to send.
type event struct {
	at      router.Cycle
	message int32 // or none
	node    int32
	draw    uint32
}

// none is no message.
const none = int32(-1)

// Before orders events by time. In a cycle messages come first, and then nodes in any order.
func (e event) Before(o event) bool {
	switch {
	case e.at != o.at:
		return e.at < o.at
	case e.message != o.message:
		return e.message > o.message
	}
	return e.draw < o.draw
}

// spread is a schedule that grows: pieces go from the nodes that have them to all others.
type spread struct {
	*network
	try
	book      *booking.Book
	backwards bool    // in time
	words     []int32 // by piece
	equal     int     // words of every piece, if all have as many
	usual     int     // words of a piece on the average

	held     []bitset.Set // by node: pieces that it can send now
	promised []bitset.Set // by node: pieces that it has or that are in flight to it
	copies   []int32      // by piece: nodes to which it is promised
	lacking  []int32      // by node: pieces that are not promised to it
	left     int          // pieces of all nodes that are not promised
	open     []int32      // the nodes that lack something
	place    []int32      // by node: where it is among them
	closest  []uint16     // by node: links from the nearest node to which something is promised
	worth    *worth.Worth // nil: a word is worth 1
	reached  []int32      // scratch of near

	busy     []router.Cycle // by channel: until when
	wakes    []router.Cycle // by node: when it looks next
	misses   []int32        // by node: how often in a row it has found nothing to send
	events   heap.Heap[event]
	messages []message
	flying   int          // messages in flight
	hasty    router.Cycle // the last cycle in which nothing was in flight, so that messages do not wait for more words
	from     router.Cycle // nodes do not look before
	now      router.Cycle
	random   *rand.Rand
	offers   []offer
	work     int // about the words of memory that were looked at
}

// source is a piece that a node has from a time on.
type source struct {
	node, piece int32
	at          router.Cycle
}

func newSpread(n *network, how try, book *booking.Book, backwards bool, words []int32, from []source) *spread {
	s := &spread{
		network: n, try: how, book: book, backwards: backwards, words: words, hasty: -1,
		random: rand.New(rand.NewPCG(how.seed, 0x73616d706c65)),
		copies: make([]int32, len(words)), lacking: slices.Repeat([]int32{int32(len(words))}, n.nodes), left: n.nodes * len(words),
		open: make([]int32, n.nodes), place: make([]int32, n.nodes), closest: slices.Repeat([]uint16{uint16(n.furthest + 1)}, n.nodes),
		busy: make([]router.Cycle, n.base[n.nodes]), wakes: slices.Repeat([]router.Cycle{never}, n.nodes), misses: make([]int32, n.nodes),
	}
	for v := range n.nodes {
		s.held, s.promised = append(s.held, bitset.New(len(words))), append(s.promised, bitset.New(len(words)))
		s.open[v], s.place[v] = int32(v), int32(v)
	}
	if slices.Min(words) == slices.Max(words) {
		s.equal = int(words[0])
	}
	s.usual = max(1, n.total/len(words))
	if how.far > 0 {
		s.worth = worth.New(n.nodes, len(words), n.furthest, how.far)
	}
	for _, x := range from {
		s.promise(x.node, x.piece)
		s.arrive(message{from: x.node, to: x.node, whole: x.at, pieces: []int32{x.piece}})
	}
	return s
}

// keep takes over the messages of a schedule that are handed over before a cycle. Nodes look for others from this cycle on.
func (s *spread) keep(messages []message, before router.Cycle) {
	s.from = before
	for _, m := range messages {
		if m.handed >= before {
			continue
		}
		for _, p := range m.pieces {
			s.promise(m.to, p)
		}
		w, words := s.way(m.from, m.to, s.backwards), s.size(m.pieces)
		s.book.Reserve(w.source, w.route, words, m.handed)
		s.booked(m, w, words)
	}
}

// size is the words of pieces.
func (s *spread) size(pieces []int32) (words int) {
	for _, p := range pieces {
		words += int(s.words[p])
	}
	return words
}

// booked notes a message that is in the book.
func (s *spread) booked(m message, w way, words int) {
	s.work += 8 + 4*len(w.route)
	s.busy[w.out] = m.handed + s.model.Work(words)
	if !s.backwards { // the startup is the sender's
		s.busy[w.out] += s.model.Startup
	}
	s.arrive(m)
}

func (s *spread) arrive(m message) {
	s.flying++
	s.events.Push(event{at: m.whole, message: int32(len(s.messages)), node: m.to})
	s.messages = append(s.messages, m)
}

// promise notes that a node is to get a piece.
func (s *spread) promise(v, piece int32) {
	if s.pull > 0 && s.closest[v] > 0 {
		for w, links := range s.distance[int(v)*s.nodes:][:s.nodes] {
			s.closest[w] = min(s.closest[w], links)
		}
		s.work += s.nodes / 8
	}
	s.promised[v].Set(piece)
	if s.worth != nil {
		s.near(v, piece)
	}
	s.copies[piece]++
	s.left--
	if s.lacking[v]--; s.lacking[v] == 0 {
		last := s.open[len(s.open)-1]
		s.open[s.place[v]], s.place[last] = last, s.place[v]
		s.open = s.open[:len(s.open)-1]
	}
}

// near notes the worth of a piece that a node is to get. Where it comes no nearer to a node, it comes no nearer to those behind.
func (s *spread) near(v, piece int32) {
	row := s.distance[int(v)*s.nodes:][:s.nodes]
	s.worth.Near(v, piece, 0)
	queue := append(s.reached[:0], v)
	for i := 0; i < len(queue); i++ {
		at := router.NodeID(queue[i])
		for p := range s.Topology.Ports(at) {
			if to := s.Topology.Neighbor(at, router.Port(p)); to != router.None && s.worth.Near(int32(to), piece, row[to]) {
				queue = append(queue, int32(to))
			}
		}
	}
	s.work += 2 * len(queue)
	s.reached = queue
}

// wake lets a node look for something to send in a cycle, if it does not look earlier.
func (s *spread) wake(v int32, at router.Cycle) {
	if at = max(at, s.from); at < s.wakes[v] {
		s.wakes[v] = at
		s.events.Push(event{at, none, v, s.random.Uint32()})
	}
}

// run lets the schedule grow until nothing lacks, or until it takes as long as a limit or more than so much work; then it reports false.
func (s *spread) run(limit router.Cycle, most int) bool {
	for s.left > 0 {
		e := s.events.Pop()
		if e.at >= limit || s.work > most || s.ended(limit) {
			return false
		}
		s.now = e.at
		switch {
		case e.message != none:
			for _, p := range s.messages[e.message].pieces {
				s.held[e.node].Set(p)
			}
			s.flying--
			s.misses[e.node] = 0
			s.wake(e.node, e.at)
		case s.wakes[e.node] == e.at:
			if s.flying == 0 {
				s.hasty = e.at
			}
			s.wakes[e.node] = never
			s.serve(e.node)
		}
	}
	for i := range s.messages {
		if s.messages[i].whole >= limit {
			return false
		}
	}
	return true
}

// ended reports whether the job is given up, or its search has ended: one for a schedule that is faster than a limit, or one that has had patience.
func (s *spread) ended(limit router.Cycle) bool {
	return s.Ctx.Err() != nil || (limit < never || s.work > patience) && s.Search.Err() != nil
}

const (
	// pause is by which part of the time of a message a node looks again that has found nothing; it doubles with each time.
	pause = 16
	// mostPauses is how often it doubles.
	mostPauses = 8
)

// serve lets a node send by its free channels.
func (s *spread) serve(u int32) {
	next := never
	for s.left > 0 {
		free := false
		for _, until := range s.busy[s.base[u]:s.base[u+1]] {
			if until <= s.now {
				free = true
			} else {
				next = min(next, until)
			}
		}
		if !free {
			break
		}
		s.draw(u)
		sent, at := s.send(u)
		if next = min(next, at); !sent {
			s.misses[u] = min(s.misses[u]+1, mostPauses)
			next = min(next, s.now+1+s.model.UntilWhole(1, s.usual)/pause<<s.misses[u])
			break
		}
		s.misses[u] = 0
	}
	if next < never {
		s.wake(u, next)
	}
}

// send sends the best of the offers that can go now. Otherwise it returns when one could.
func (s *spread) send(u int32) (sent bool, next router.Cycle) {
	next = never
	for len(s.offers) > 0 {
		best := 0
		for i := range s.offers {
			if s.offers[i].score > s.offers[best].score {
				best = i
			}
		}
		o := s.offers[best]
		s.offers[best] = s.offers[len(s.offers)-1]
		s.offers = s.offers[:len(s.offers)-1]
		w := s.way(u, o.to, s.backwards)
		s.work += 4 * len(w.route)
		if s.busy[w.out] > s.now {
			continue
		}
		if at := s.book.Earliest(w.source, w.route, o.words, s.now); at > s.now {
			next = min(next, at)
			continue
		}
		pieces := s.choose(u, o.to)
		words := s.size(pieces)
		handed, whole, ok := s.book.ReserveAt(w.source, w.route, words, s.now)
		if !ok { // longer than usual
			next = min(next, handed)
			continue
		}
		for _, p := range pieces {
			s.promise(o.to, p)
		}
		s.booked(message{u, o.to, handed, whole, pieces}, w, words)
		return true, next
	}
	return false, next
}
