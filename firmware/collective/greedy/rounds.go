// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"math/bits"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// inRounds makes a schedule of a broadcast, or backwards of a reduction, for nodes that send one message and receive one at a time. In a round each node sends a piece to at most one
// neighbour, and gets at most one:
//
//	round   0 > 1   0 > 2   0 > 1   0 > 2   ...
//	                1 > 3   2 > 3   1 > 0
//	                        1 > 2   3 > 1
//
// The pairs of a round are an assignment with the most pairs that can help. Of pairs that are as many, those are taken whose pieces few nodes have, and whose receivers lack much. So m pieces come to
// N nodes in little more than m-1+log2(N) rounds where the network has links enough; less is not possible. Messages are booked round by round, as early as they can go, so that rounds may overlap.
func (n *network) inRounds(d draft, pieces []transfer.Range, root int32, limit router.Cycle, most int) (*schedule, int) {
	back := n.Kind.Name == plan.Reduce
	r := newRounds(n, d, n.lengths(pieces), root, back)
	work := 0
	for ; r.left > 0; r.now += d.period {
		r.arrived(d.period)
		pairs := r.pairs()
		work += n.nodes*n.nodes*n.nodes/roundWork + 32*len(pairs)
		if len(pairs) == 0 && len(r.waits) == 0 || work > most || n.ended(limit) || !r.send(pairs, limit) {
			return nil, work
		}
	}
	made := &schedule{pieces: pieces, messages: r.messages}
	if back {
		made.messages = turned(made.messages)
	}
	made.end()
	return made, work
}

// roundWork is the part of the third power of the nodes that counts as the work of an assignment.
const roundWork = 16

// rounds is a schedule that grows round by round.
type rounds struct {
	*spread
	assign *assignment
	has    []router.Cycle // by piece and node: when it is there
	side   []int          // by node: the links from the root, even or odd
	now    router.Cycle   // the earliest hand-over of the round
	waits  [][2]int32     // pieces in flight, with their receivers
}

func newRounds(n *network, d draft, words []int32, root int32, back bool) *rounds {
	r := &rounds{spread: newSpread(n, d.try, n.book(back), back, words, nil), assign: newAssignment(n.nodes)}
	r.has = make([]router.Cycle, len(words)*n.nodes)
	for p := range int32(len(words)) {
		r.promise(root, p)
		r.held[root].Set(p)
	}
	for v := range int32(n.nodes) {
		links := 0
		if v != root {
			links = n.Links(root, v)
		}
		r.side = append(r.side, links%2)
	}
	return r
}

// pairs chooses who sends to whom in a round. On half-duplex machines those that are an even number of links from the root are booked first, so that the others receive at the same time.
func (r *rounds) pairs() (list [][2]int32) {
	clear(r.assign.value)
	for u := range int32(r.nodes) {
		for _, v := range r.within[r.try.reach][u] {
			if r.lacking[v] == 0 {
				continue
			}
			if p, copies := r.rarest(u, v); p >= 0 {
				rare, lacks := (r.nodes-int(copies))*20*perPair/r.nodes, int(r.lacking[v])*10*perPair/len(r.words)
				r.assign.value[int(u)*r.nodes+int(v)] = 1000*perPair + rare + lacks + r.random.IntN(perPair)
			}
		}
	}
	r.assign.solve(func(from, to int32) { list = append(list, [2]int32{from, to}) })
	if r.Machine.Duplex == machine.Half {
		slices.SortStableFunc(list, func(a, b [2]int32) int { return cmp.Compare(r.side[a[0]], r.side[b[0]]) })
	}
	return list
}

// perPair is the unit of values of pairs.
const perPair = 64

// rarest returns the piece that the fewest nodes have of those that a node can send and another lacks; a negative number if there is none.
func (r *rounds) rarest(from, to int32) (piece, copies int32) {
	piece, start := -1, r.random.IntN(64)
	promised := r.promised[to]
	for i, h := range r.held[from] {
		f := bits.RotateLeft64(h&^promised[i], -start)
		for ; f != 0; f &= f - 1 {
			if p := int32(i<<6 + (bits.TrailingZeros64(f)+start)&63); piece < 0 || r.copies[p] < copies {
				piece, copies = p, r.copies[p]
			}
		}
	}
	return piece, copies
}

// arrived lets nodes send what has come to them. Where rounds have no period, that is all that was sent in rounds before.
func (r *rounds) arrived(period router.Cycle) {
	waits := r.waits[:0]
	for _, x := range r.waits {
		if period > 0 && r.has[int(x[0])*r.nodes+int(x[1])] > r.now {
			waits = append(waits, x)
		} else {
			r.held[x[1]].Set(x[0])
		}
	}
	r.waits = waits
}

// send books the messages of a round; false if one takes until limit or longer.
func (r *rounds) send(pairs [][2]int32, limit router.Cycle) bool {
	for _, x := range pairs {
		from, to := x[0], x[1]
		p, _ := r.rarest(from, to)
		source, route := r.way(from, to)
		handed, whole := r.book.Reserve(source, route, int(r.words[p]), max(r.now, r.has[int(p)*r.nodes+int(from)]))
		if whole >= limit {
			return false
		}
		r.promise(to, p)
		r.has[int(p)*r.nodes+int(to)] = whole
		r.messages = append(r.messages, message{from: from, to: to, handed: handed, whole: whole, pieces: []int32{p}, sum: r.backwards})
		r.waits = append(r.waits, [2]int32{p, to})
	}
	return true
}

// fasterInRounds returns a schedule that begins with rounds, if one is found that takes less time than the known one, and otherwise this one.
func (n *network) fasterInRounds(known *schedule, grow growerOf) (*schedule, error) {
	own := *n
	own.ownWork = min(roundsOfNodes*n.nodes*n.nodes*n.nodes, 2*mostWork)
	drafts := own.roundDrafts(n.VectorWords())
	if len(drafts) == 0 || known.cycles <= n.LowerBound() {
		return known, nil
	}
	best, err := own.best(drafts, known.cycles, 0, grow.on(&own))
	if best == nil {
		best = known
	}
	return best, err
}

// roundDrafts lists drafts of schedules in rounds: with the numbers of pieces that take the least time by an estimate.
func (n *network) roundDrafts(words int) (list []draft) {
	one := n.Machine.Ports == machine.SinglePort || n.Machine.Channels == 1
	if !one || !n.Kind.Rooted || n.nodes > closeNodes || n.nodes < 3 {
		return nil
	}
	steps := bits.Len(uint(n.nodes - 1))
	for v := range int32(n.nodes) {
		if v != int32(n.Root) {
			steps = max(steps, n.Links(int32(n.Root), v))
		}
	}
	for size := words; size > 0 && words/size <= mostRoundPieces; size = min(size-1, size*3/4) {
		d := draft{try: try{most: size, reach: 1, scarce: true, seed: n.Seed}, size: size, rounds: true}
		list = append(list, d)
		d.period = n.roundPeriod(size)
		list = append(list, d)
	}
	estimate := func(d draft) router.Cycle { return router.Cycle((words+d.size-1)/d.size+steps) * n.roundPeriod(d.size) }
	slices.SortStableFunc(list, func(a, b draft) int { return cmp.Compare(estimate(a), estimate(b)) })
	return list[:min(len(list), roundForms)]
}

// roundPeriod is the time from round to round in which every node can send a piece of so many words to a neighbour and get another one. With half duplex a node does one after the other. If a piece is in flight for no longer
// than over a link, all nodes send at the same time, and then all receive. Otherwise those send first that are an even number of links from the root:
//
//	even    | send |             | receive |
//	odd         | receive | send |
func (n *network) roundPeriod(size int) router.Cycle {
	hold, work := n.model.Hold(size), n.model.Work(size)
	switch {
	case n.Machine.Duplex != machine.Half:
		return hold
	case work <= n.model.Hop:
		return max(hold, work+n.model.Hop)
	default:
		return max(hold, 2*(work+n.model.Hop))
	}
}

const (
	// mostRoundPieces bounds the pieces of schedules in rounds.
	mostRoundPieces = 128
	// roundForms bounds the numbers of pieces that are tried at first.
	roundForms = 8
	// roundsOfNodes times the third power of the nodes bounds the work of a search for them, and that of making the best one faster: some 50 ms for 16 nodes, half a second for 64.
	roundsOfNodes = 128
)
