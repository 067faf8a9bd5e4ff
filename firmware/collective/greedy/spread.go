// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"meshwright/fabric/booking"
	"meshwright/firmware/collective/worth"
	"meshwright/internal/bitset"
	"meshwright/internal/heap"
	"meshwright/router"
)

// message carries pieces of words from a node to another.
type message struct {
	from, to      int32
	handed, whole router.Cycle
	pieces        []int32       // in rising order
	sum           bool          // the receiver adds the words to its own
	route         []router.Port // nil: the machine's
}

// try is one way to let a schedule grow.
type try struct {
	most   int  // words of a message, at most; at least one piece goes
	reach  int  // links of a message, at most
	scarce bool // pieces that few nodes have go first, otherwise any
	local  bool // a message counts as longer if it goes over more links
	turn   bool // pieces go in their order
	pull   int  // how much a message to a node that has nothing helps nodes near it that have nothing, too
	seed   uint64

	far      float64 // the power of the links from which a piece is worth more, see package worth; 0: all are worth the same
	patience float64 // what a message has to be worth for its time, or it waits for more words; 1: as much as an endless message from a neighbour
}

// arrival is a message that becomes whole.
type arrival struct {
	at      router.Cycle
	message int32
}

// Before orders arrivals by time.
func (a arrival) Before(b arrival) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	return a.message < b.message
}

// spread is a schedule that grows: pieces go from the nodes that have them to all others.
type spread struct {
	*network
	try
	book      *booking.Book
	backwards bool
	words     []int32      // by piece
	held      []bitset.Set // by node: pieces that it can send now
	promised  []bitset.Set // by node: pieces that it has or that are in flight
	copies    []int32      // by piece: nodes to which it is promised
	lacking   []int32      // by node: pieces that are not promised to it
	left      int          // pieces of all nodes that are not promised
	closest   []int32      // by node: links from the nearest node to which something is promised
	messages  []message
	arriving  heap.Heap[arrival]
	random    *rand.Rand
	work      int            // see mostWork
	known     []known        // by pair of nodes: why it does not have to be looked at
	changes   []int32        // by node: how often it got pieces that it can send
	idle      []int32        // by node: its changes when it had nothing for any other, plus 1
	sending   []router.Cycle // by channel: when its last message is out of the way of the next
	taking    []router.Cycle // by channel: when the last message at its receiver is
	ranked    []int32
	offers    []offer
	worth     *worth.Worth // nil: a word is worth 1
	usual     int          // words of a piece on average
	waiting   bool         // a message waits for more words
}

// offer is a pair of nodes of which the first could help the second.
type offer struct {
	from, to int32
	score    float64
	draw     uint32
}

// Before prefers the offer that helps most.
func (o offer) Before(p offer) bool {
	if o.score != p.score {
		return o.score > p.score
	}
	return o.draw < p.draw
}

// known is what is known of a pair of nodes. The first has nothing that the second lacks, as long as it gets nothing; and no
// message can go before a time, since what is reserved stays reserved.
type known struct {
	useless int32 // changes of the first node when it had nothing, plus 1
	before  router.Cycle
}

// source is a piece that a node has from a time on.
type source struct {
	node, piece int32
	at          router.Cycle
}

func newSpread(n *network, how try, book *booking.Book, backwards bool, words []int32, from []source) *spread {
	s := &spread{network: n, try: how, book: book, backwards: backwards, words: words, random: rand.New(rand.NewPCG(how.seed, 0x96eed))}
	for range n.nodes {
		s.held, s.promised = append(s.held, bitset.New(len(words))), append(s.promised, bitset.New(len(words)))
	}
	s.copies, s.sending, s.taking = make([]int32, len(words)), make([]router.Cycle, n.Channels), make([]router.Cycle, n.Channels)
	s.known, s.changes, s.idle = make([]known, n.nodes*n.nodes), make([]int32, n.nodes), make([]int32, n.nodes)
	s.lacking = slices.Repeat([]int32{int32(len(words))}, n.nodes)
	s.left = n.nodes * len(words)
	s.closest = slices.Repeat([]int32{int32(n.Furthest + 1)}, n.nodes)
	if how.far > 0 {
		s.worth = newWorth(n, len(words), how.far)
	}
	s.usual = max(1, n.equal)
	if n.equal == 0 && len(words) > 0 {
		s.usual = max(1, n.total/len(words))
	}
	for _, x := range from {
		s.promise(x.node, x.piece)
		if x.at <= 0 {
			s.held[x.node].Set(x.piece)
			continue
		}
		s.arriving.Push(arrival{x.at, int32(len(s.messages))})
		s.messages = append(s.messages, message{from: x.node, to: x.node, whole: x.at, pieces: []int32{x.piece}})
	}
	return s
}

// keep takes over the messages of a schedule that are handed over before a cycle.
func (s *spread) keep(messages []message, before router.Cycle) {
	for _, m := range messages {
		if m.handed >= before {
			continue
		}
		for _, p := range m.pieces {
			s.promise(m.to, p)
		}
		words := s.reserve(&m)
		s.arriving.Push(arrival{m.whole, int32(len(s.messages))})
		s.messages = append(s.messages, m)
		s.take(m.from, m.to, m.handed, words)
	}
}

// reserve books a message at its time, and returns its words.
func (s *spread) reserve(m *message) (words int) {
	for _, p := range m.pieces {
		words += int(s.words[p])
	}
	source, route := s.way(m.from, m.to)
	s.book.Reserve(source, route, words, m.handed)
	s.work += 16 + 4*len(route)
	return words
}

func (s *spread) promise(node, piece int32) {
	if s.pull > 0 && s.closest[node] > 0 {
		for v := range int32(s.nodes) {
			s.closest[v] = min(s.closest[v], int32(s.Links(node, v)))
		}
	}
	s.promised[node].Set(piece)
	if s.worth != nil {
		s.worth.Promised(piece, s.apart[int(node)*s.nodes:][:s.nodes])
		s.work += s.nodes / 4
	}
	s.copies[piece]++
	s.lacking[node]--
	s.left--
}

// run lets the schedule grow from a cycle on, until nothing lacks, or until it takes longer than limit or more than so much work; then it reports false.
func (s *spread) run(from, limit router.Cycle, work int) bool {
	for now := from; s.left > 0; {
		for len(s.arriving) > 0 && s.arriving[0].at <= now {
			m := &s.messages[s.arriving.Pop().message]
			for _, p := range m.pieces {
				s.held[m.to].Set(p)
			}
			s.changes[m.to]++
		}
		next := s.send(now)
		if s.waiting && len(s.arriving) == 0 { // for nothing
			patience := s.patience
			s.patience = 0
			next = s.send(now)
			s.patience = patience
		}
		if len(s.arriving) > 0 && s.arriving[0].at < next {
			next = s.arriving[0].at
		}
		if s.left > 0 && (next > limit || s.work > work || s.ended(limit)) {
			return false
		}
		now = next
	}
	for i := range s.messages {
		if s.messages[i].whole >= limit {
			return false
		}
	}
	return true
}

// send hands over what can be handed over now, the most helpful first. It returns the next cycle in which something that
// was not free now will be.
func (s *spread) send(now router.Cycle) router.Cycle {
	next := never
	s.offers, s.waiting = s.offers[:0], false
	for u := range int32(s.nodes) {
		if s.idle[u] > s.changes[u] {
			continue
		}
		idle := true
		for _, v := range s.within[s.try.reach][u] {
			if s.lacking[v] == 0 {
				continue
			}
			k := &s.known[int(u)*s.nodes+int(v)]
			if k.useless > s.changes[u] {
				continue
			}
			idle = false
			if free := max(k.before, s.free(u, v)); free > now {
				next = min(next, free)
				continue
			}
			s.work += 2 + len(s.held[u])/8
			words := s.useful(u, v)
			if words == 0 {
				k.useless = s.changes[u] + 1
			} else if score := s.score(u, v, words); s.waits(v, words, score) {
				s.waiting = true
			} else {
				s.offers = append(s.offers, offer{u, v, score, s.random.Uint32()})
			}
		}
		if idle {
			s.idle[u] = s.changes[u] + 1
		}
	}
	queue := heap.Heap[offer](s.offers)
	queue.Init()
	for len(queue) > 0 {
		o := queue.Pop()
		words := s.useful(o.from, o.to)
		if words == 0 {
			continue
		}
		score := s.score(o.from, o.to, words)
		if s.waits(o.to, words, score) {
			s.waiting = true
			continue
		}
		if score < o.score {
			o.score = score
			queue.Push(o)
			continue
		}
		if free := s.free(o.from, o.to); free > now {
			next = min(next, free)
			continue
		}
		s.work += 8 + 2*s.Links(o.from, o.to) + len(s.held[o.from])
		if at := s.hand(o.from, o.to, now); at > now {
			s.known[int(o.from)*s.nodes+int(o.to)].before = at
			next = min(next, at)
		}
	}
	return next
}

// never is later than anything.
const never = router.Cycle(1) << 60

// useful counts the words that a node can send and another lacks, up to the most of a message.
func (s *spread) useful(from, to int32) int {
	held, promised, words := s.held[from], s.promised[to], 0
	for i, h := range held {
		if f := h &^ promised[i]; f != 0 {
			if s.equal > 0 {
				words += bits.OnesCount64(f) * s.equal
			} else {
				for ; f != 0; f &= f - 1 {
					words += int(s.words[i<<6+bits.TrailingZeros64(f)])
				}
			}
			if words >= s.most {
				return s.most
			}
		}
	}
	return words
}

// score says how much a message helps: words for the time that they take, and then who lacks most.
func (s *spread) score(from, to int32, words int) float64 {
	late := 1 + 1e-3*float64(s.lacking[to])/float64(len(s.words)+1)
	if s.worth != nil {
		s.work += len(s.held[from]) / 2
		gain, _ := s.gain(from, to)
		return gain * late
	}
	help := 1.0
	if s.pull > 0 && s.closest[to] > 0 {
		help += float64(s.pull) * float64(s.nearer(to)) / float64(s.nodes)
	}
	return (help + late - 1) * float64(words) / float64(s.time(from, to, words))
}

// nearer sums up by how many links the nodes that have nothing come nearer to a node with something, if one more gets something.
func (s *spread) nearer(to int32) (links int32) {
	for v := range int32(s.nodes) {
		links += max(0, s.closest[v]-int32(s.Links(to, v)))
	}
	return links
}

// hand hands over a message now, if it can: otherwise it returns when it could.
func (s *spread) hand(from, to int32, now router.Cycle) router.Cycle {
	list, words := s.choose(from, to)
	source, route := s.way(from, to)
	if at := s.book.Earliest(source, route, words, now); at > now {
		return at
	}
	handed, whole := s.book.Reserve(source, route, words, now)
	for _, p := range list {
		s.promise(to, p)
	}
	slices.Sort(list)
	s.arriving.Push(arrival{whole, int32(len(s.messages))})
	s.messages = append(s.messages, message{from: from, to: to, handed: handed, whole: whole, pieces: list, sum: s.backwards})
	s.take(from, to, handed, words)
	return now
}

// free returns when the channels of both ends let the next message go, as far as is known without the book: a channel that is busy
// for a startup lets no message over fewer links go before, one that is busy with flits may.
func (s *spread) free(from, to int32) router.Cycle {
	out, in := s.ends(from, to)
	if !s.backwards || s.model.Startup < router.Cycle(s.Furthest)*s.model.Hop {
		return s.sending[out]
	}
	return max(s.sending[out], s.taking[in]-router.Cycle(s.Links(from, to))*s.model.Hop)
}

// take notes for how long a message keeps the channels of its ends. The startup is the sender's; backwards in time the receiver's.
func (s *spread) take(from, to int32, handed router.Cycle, words int) {
	out, in := s.ends(from, to)
	work, over := s.model.Work(words), router.Cycle(s.Links(from, to))*s.model.Hop
	s.sending[out], s.taking[in] = handed+work, handed+over+work
	if s.backwards {
		s.taking[in] += s.model.Startup
	} else {
		s.sending[out] += s.model.Startup
	}
}

// ends returns the channels of a message at its sender and at its receiver.
func (s *spread) ends(from, to int32) (out, in int32) {
	if s.backwards {
		return s.In(to, from), s.Out(to, from)
	}
	return s.Out(from, to), s.In(from, to)
}

// way returns the true sender of a message and its route.
func (s *spread) way(from, to int32) (router.NodeID, []router.Port) {
	if s.backwards {
		from, to = to, from
	}
	return router.NodeID(from), s.Route(from, to)
}

// choose chooses the pieces of a message.
func (s *spread) choose(from, to int32) (list []int32, words int) {
	s.ranked = s.ranked[:0]
	level := 0
	if s.worth != nil {
		_, level = s.gain(from, to)
	}
	for i, h := range s.held[from] {
		f := h &^ s.promised[to][i]
		if s.worth != nil {
			f &= s.worth.Beyond(level, to)[i]
		}
		for ; f != 0; f &= f - 1 {
			s.ranked = append(s.ranked, int32(i<<6+bits.TrailingZeros64(f)))
		}
	}
	if s.useful(from, to) >= s.most && !s.turn { // not all of them may fit
		s.random.Shuffle(len(s.ranked), func(i, j int) { s.ranked[i], s.ranked[j] = s.ranked[j], s.ranked[i] })
		if s.scarce {
			slices.SortStableFunc(s.ranked, func(a, b int32) int { return int(s.copies[a] - s.copies[b]) })
		}
		if s.worth != nil {
			slices.SortStableFunc(s.ranked, func(a, b int32) int { return s.worth.Nearest(to, b) - s.worth.Nearest(to, a) })
		}
	}
	for _, p := range s.ranked {
		if words > 0 && words+int(s.words[p]) > s.most {
			break
		}
		list, words = append(list, p), words+int(s.words[p])
	}
	return list, words
}
