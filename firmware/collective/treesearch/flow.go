// SPDX-License-Identifier: Apache-2.0

package treesearch

import (
	"slices"

	"meshwright/fabric/booking"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/heap"
	"meshwright/router"
)

// never is later than anything.
const never = router.Cycle(1) << 60

// message carries a piece from a node to another.
type message struct {
	from, to, piece int32
	handed, whole   router.Cycle
}

// queue is what a channel of a node has to send along a tree: every piece of the tree, in the order of the flow, to some of the node's children.
type queue struct {
	node     int32
	order    []int32 // the pieces
	children []int32
	next     int32 // piece in the order, times children, and child
	waits    bool  // for a piece that the node does not have
}

// turn is when a queue goes on.
type turn struct {
	at    router.Cycle
	piece int32 // 0 if all pieces go along one tree
	queue int32
}

// Before orders turns by time.
func (a turn) Before(b turn) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	if a.piece != b.piece {
		return a.piece < b.piece
	}
	return a.queue < b.queue
}

// flow lets pieces flow down a tree, forwards or backwards in time.
type flow struct {
	*timer
	trees     []*tree
	parts     int
	book      *booking.Book
	backwards bool
	orders    [][]int32      // of the pieces, by tree
	has       []router.Cycle // by node and piece: from when on
	blocks    []int          // of a scatter, by node: the words of its subtree
	queues    []queue
	first     []int32 // by node: its queues
	turns     heap.Heap[turn]
	messages  []message
}

// piece is a piece of the words, of so many parts.
func (n *network) piece(p int32, parts int) transfer.Range {
	return transfer.Range{From: n.words * int(p) / parts, To: n.words * int(p+1) / parts}
}

// size is the words of a piece.
func (w *flow) size(p int32) int {
	r := w.piece(p, w.parts)
	return r.To - r.From
}

// newFlow prepares a flow of pieces along trees. The root has them in certain cycles.
func newFlow(n *timer, trees []*tree, book *booking.Book, backwards bool, ready []router.Cycle) *flow {
	parts := len(ready)
	w := &flow{timer: n, trees: trees, parts: parts, book: book, backwards: backwards, messages: make([]message, 0, (n.nodes-1)*parts)}
	w.has = slices.Repeat([]router.Cycle{never}, n.nodes*parts)
	copy(w.has[int(n.Root)*parts:], ready)
	w.orders = make([][]int32, len(trees))
	for p := range int32(parts) {
		w.orders[of(p, trees)] = append(w.orders[of(p, trees)], p)
	}
	for _, order := range w.orders {
		slices.SortStableFunc(order, func(a, b int32) int { return int(ready[a] - ready[b]) })
	}
	if n.Kind.Name == plan.Scatter {
		w.blocks = trees[0].sums(n.Lengths)
	}
	w.first = make([]int32, n.nodes+1)
	for v := range int32(n.nodes) {
		for i := range trees {
			w.queue(v, i)
		}
		w.first[v+1] = int32(len(w.queues))
	}
	for q := w.first[n.Root]; q < w.first[n.Root+1]; q++ {
		w.queues[q].waits = false
		w.push(ready[w.queues[q].order[0]], q)
	}
	return w
}

// queue divides a node's children in a tree among its channels.
func (w *flow) queue(v int32, tree int) {
	if len(w.orders[tree]) == 0 {
		return
	}
	at := len(w.queues)
	for _, c := range w.trees[tree].children[v] {
		if w.blocks != nil && w.blocks[c] == 0 {
			continue
		}
		channel, q := w.channel(v, c), at
		for q < len(w.queues) && w.channel(v, w.queues[q].children[0]) != channel {
			q++
		}
		if q == len(w.queues) {
			w.queues = append(w.queues, queue{node: v, order: w.orders[tree], waits: true})
		}
		w.queues[q].children = append(w.queues[q].children, c)
	}
}

// channel is the channel of a node that a message to another takes; backwards in time that by which it takes a message from it.
func (w *flow) channel(v, other int32) int32 {
	if w.backwards {
		return w.In(other, v)
	}
	return w.Out(v, other)
}

// push lets a queue go on in a cycle. Of several trees, earlier pieces come first.
func (w *flow) push(at router.Cycle, queue int32) {
	t := turn{at: at, queue: queue}
	if q := &w.queues[queue]; len(w.orders) > 1 {
		t.piece = q.next / int32(len(q.children))
	}
	w.turns.Push(t)
}

// run books all messages. It reports false as soon as one is whole at the limit or later.
func (w *flow) run(limit router.Cycle) bool {
	for len(w.turns) > 0 {
		t := w.turns.Pop()
		q := &w.queues[t.queue]
		children := int32(len(q.children))
		piece, child := q.order[q.next/children], q.children[q.next%children]
		if has := w.has[int(q.node)*w.parts+int(piece)]; has > t.at {
			if q.waits = has == never; !q.waits {
				w.push(has, t.queue)
			}
			continue
		}
		words := w.size(piece)
		if w.blocks != nil {
			words = w.blocks[child]
		}
		source, target := q.node, child
		if w.backwards {
			source, target = child, q.node
		}
		route := w.Route(source, target)
		handed, whole, ok := w.book.ReserveAt(router.NodeID(source), route, words, t.at)
		if max(handed, whole) >= limit {
			return false
		}
		if !ok {
			w.push(handed, t.queue)
			continue
		}
		w.messages = append(w.messages, message{q.node, child, piece, handed, whole})
		w.arrive(child, piece, whole)
		if q.next++; q.next < children*int32(len(q.order)) {
			w.push(t.at+1, t.queue)
		}
	}
	return true
}

// arrive lets the queues of a node that wait go on.
func (w *flow) arrive(v, piece int32, whole router.Cycle) {
	w.has[int(v)*w.parts+int(piece)] = whole
	for q := w.first[v]; q < w.first[v+1]; q++ {
		if x := &w.queues[q]; x.waits && x.order[x.next/int32(len(x.children))] == piece {
			x.waits = false
			w.push(whole, q)
		}
	}
}
