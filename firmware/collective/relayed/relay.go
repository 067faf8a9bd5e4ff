// SPDX-License-Identifier: Apache-2.0

package relayed

import (
	"cmp"
	"slices"

	"meshwright/fabric/booking"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/heap"
	"meshwright/router"
)

// Message carries blocks from a node to another.
type Message struct {
	From, To      int32
	Route         []router.Port
	Handed, Whole router.Cycle
	Blocks        []int32 // source times nodes plus destination
}

// Try is a way to make a schedule.
type Try struct {
	Least  int          // words for which a message waits, as long as others are to come
	Most   int          // words of a message, at most, but at least those of the longest block
	Rounds bool         // messages go when all before have arrived
	Limit  router.Cycle // the schedule takes less
	Work   int          // that it may take, counted as Schedule.Work
	Ended  func() bool  // asked now and then
}

// Schedule is messages with their times, in the order in which they are handed over.
type Schedule struct {
	Messages []Message
	Cycles   router.Cycle
	Work     int // blocks and messages that were looked at
}

// event is a message that becomes whole, or a leg that is to be looked at.
type event struct {
	at   router.Cycle
	what int32
}

// Before orders events by time.
func (a event) Before(b event) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	return a.what < b.what
}

// waiting is a block that waits for a leg.
type waiting struct {
	block int32
	since int32 // so many blocks have waited before
	left  uint16
}

// Before orders blocks by the legs that they still have to take, those with most first.
func (a waiting) Before(b waiting) bool {
	if a.left != b.left {
		return a.left > b.left
	}
	return a.since < b.since
}

// queue is the blocks that are to take a leg.
type queue struct {
	waiting heap.Heap[waiting]
	words   int  // of those
	coming  int  // blocks that are to wait there later
	load    int  // words of both
	woken   bool // it is to be looked at
}

const never = router.Cycle(1) << 60

// relay is a schedule that grows.
type relay struct {
	*Routes
	Try
	words    []int // of the blocks by source
	queues   []queue
	out      []int // by node: words that still have to leave it
	book     *booking.Book
	arriving heap.Heap[event] // messages
	waking   heap.Heap[event] // legs
	ready    []int32
	undone   int   // legs that blocks still have to take
	waits    int   // blocks that wait
	waited   int32 // blocks that ever waited
	arrives  bool  // with rounds: the messages of a round arrive, and none goes
	made     Schedule
}

// Run makes a schedule in which all blocks take their routes. The words of a block are by its source; blocks without words go nowhere. The result has no messages if it would take as long as the limit, or too much work.
func (w *Routes) Run(t *topology.Topology, m machine.Machine, words []int, how Try) Schedule {
	r := &relay{Routes: w, Try: how, words: words, queues: make([]queue, len(w.legs)), out: make([]int, w.nodes), book: booking.NewBook(t, m).Stalling()}
	r.Most = max(r.Most, slices.Max(words))
	for from := range int32(w.nodes) {
		for to := range int32(w.nodes) {
			if from == to || words[from] == 0 {
				continue
			}
			block := from*int32(w.nodes) + to
			for at, class := from, w.class(block); at != to; {
				l := w.next[class+int(at)]
				r.queues[l].coming++
				r.queues[l].load += words[from]
				r.out[at] += words[from]
				r.undone++
				at = w.legs[l].to
			}
		}
	}
	for from := range int32(w.nodes) {
		for to := range int32(w.nodes) {
			if from != to && words[from] > 0 {
				r.wait(from, from*int32(w.nodes)+to, 0)
			}
		}
	}
	if !r.run() {
		return Schedule{Work: r.made.Work}
	}
	return r.made
}

// wait lets a block wait for its next leg.
func (r *relay) wait(at, block int32, now router.Cycle) {
	place := r.class(block) + int(at)
	l := r.next[place]
	q := &r.queues[l]
	q.waiting.Push(waiting{block, r.waited, r.Routes.left[place]})
	r.waited++
	q.words += r.words[int(block)/r.nodes]
	q.coming--
	r.waits++
	r.wake(l, now)
}

// wake lets a leg be looked at, unless it is going to be.
func (r *relay) wake(l int32, at router.Cycle) {
	if !r.queues[l].woken {
		r.queues[l].woken = true
		r.waking.Push(event{at, l})
	}
}

// run lets the schedule grow, and reports whether it is wanted.
func (r *relay) run() bool {
	for now := router.Cycle(0); r.undone > 0; {
		r.arrive(now)
		r.send(now, true)
		next := r.soon()
		if next == never { // all wait for one another
			r.wakeAll(now)
			r.send(now, false)
			next = r.soon()
		}
		if next >= r.Limit || r.made.Work > r.Work || r.Ended() {
			return false
		}
		now = next
	}
	for i := range r.made.Messages {
		r.made.Cycles = max(r.made.Cycles, r.made.Messages[i].Whole+1)
	}
	return r.made.Cycles < r.Limit
}

// wakeAll lets all legs be looked at for which blocks wait.
func (r *relay) wakeAll(now router.Cycle) {
	for l := range r.queues {
		if len(r.queues[l].waiting) > 0 {
			r.wake(int32(l), now)
		}
	}
}

// soon returns when something can happen next.
func (r *relay) soon() router.Cycle {
	next := never
	if len(r.arriving) > 0 && (!r.Rounds || r.arrives || r.waits == 0) {
		next = r.arriving[0].at
	}
	if len(r.waking) > 0 && !r.arrives {
		next = min(next, r.waking[0].at)
	}
	return next
}

// arrive lets the blocks of messages that have arrived wait for their next legs. In rounds messages arrive when all of a round have gone, and the next ones go when all have arrived.
func (r *relay) arrive(now router.Cycle) {
	if r.Rounds && r.waits > 0 && !r.arrives {
		return
	}
	r.arrives = r.Rounds
	for len(r.arriving) > 0 && r.arriving[0].at <= now {
		m := &r.made.Messages[r.arriving.Pop().what]
		for _, block := range m.Blocks {
			if block%int32(r.nodes) != m.To {
				r.wait(m.To, block, now)
			}
		}
		r.made.Work += len(m.Blocks)
	}
	r.arrives = r.arrives && len(r.arriving) > 0
}

// send hands over what can be handed over now, first over the legs that have most to do. Patient messages wait for more words.
func (r *relay) send(now router.Cycle, patient bool) {
	if r.arrives {
		return
	}
	r.ready = r.ready[:0]
	for len(r.waking) > 0 && r.waking[0].at <= now {
		l := r.waking.Pop().what
		q := &r.queues[l]
		q.woken = false
		if len(q.waiting) > 0 && (!patient || q.words >= r.Least || q.coming == 0) {
			r.ready = append(r.ready, l)
		}
	}
	price := func(l int32) int { return 2*r.queues[l].load + r.out[r.legs[l].from] }
	slices.SortFunc(r.ready, func(a, b int32) int { return cmp.Or(cmp.Compare(price(b), price(a)), cmp.Compare(a, b)) })
	for _, l := range r.ready {
		r.hand(l, now)
	}
	r.made.Work += 8 * len(r.ready)
}

// hand hands over a message with blocks that wait, if it can; otherwise its leg is looked at again when it could.
func (r *relay) hand(l int32, now router.Cycle) {
	q, by := &r.queues[l], &r.legs[l]
	if at := r.book.Earliest(router.NodeID(by.from), by.route, min(q.words, r.Most), now); at > now {
		r.wake(l, at)
		return
	}
	going, words := r.taken(q)
	handed, whole := r.book.Reserve(router.NodeID(by.from), by.route, words, now)
	r.arriving.Push(event{whole, int32(len(r.made.Messages))})
	r.made.Messages = append(r.made.Messages, Message{by.from, by.to, by.route, handed, whole, going})
	r.made.Work += len(going)
	r.undone -= len(going)
	r.waits -= len(going)
	q.words, q.load, r.out[by.from] = q.words-words, q.load-words, r.out[by.from]-words
	if len(q.waiting) > 0 {
		r.wake(l, now+1)
	}
}

// taken takes the blocks of a message from those that wait: all, or as many as fit, those with most legs to go.
func (r *relay) taken(q *queue) (going []int32, words int) {
	if q.words <= r.Most {
		going = make([]int32, len(q.waiting))
		for i := range q.waiting {
			going[i] = q.waiting[i].block
		}
		q.waiting = q.waiting[:0]
		return going, q.words
	}
	for {
		more := r.words[int(q.waiting[0].block)/r.nodes]
		if words+more > r.Most {
			r.made.Work += 4 * len(going)
			return going, words
		}
		going, words = append(going, q.waiting.Pop().block), words+more
	}
}
