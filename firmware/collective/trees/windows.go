// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/booking"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// Windows is an allreduce on closed grids with few hops in a row. A node's
// window is the sum of its own vector and of those of r nodes to either side. In a step every node
// sends its window to the nodes 2r+1 away on both sides, so that windows become three times as
// wide. Nodes for which a whole window is too much get narrower windows that fit, which
// left their nodes as soon as those had them:
//
//	ring of 16:      -7 -6 -5 -4 -3 -2 -1  0  1  2  3  4  5  6  7  8
//	own vector                             |
//	from -1, 1                          |     |
//	from -3, 3                 |--------|     |--------|
//	from -6, 6; 8    |--------|                         |--------|  |
//
// All words have come as soon as those of the furthest node could.
//
// Of longer vectors each node works for a piece only. The g nodes in a row around a node have
// different pieces, so that of each piece there is a holder g/2 hops away at most. A holder first gets
// the sum of its piece over the g nodes around it: sums of the piece come to it from both
// sides, from neighbour to neighbour. Windows go from holder to holder of the same piece, g nodes
// apart. In the end the holders' sums go back to the g nodes around them:
//
//	pieces of 4:     0  1  2  3  0  1  2  3  0  1  2  3  0  1  2  3
//	sum of piece 0                     >--->  |  <
//	windows          |           |            |           |
//
// With g = 1 there are only windows; with g as large as the ring there are none, and all links carry
// as few words as they can.
const Windows = "windows"

// PlanWindows takes the form that is the fastest: those that come first by an estimate are booked.
func PlanWindows(t *plan.Task) (*plan.Plan, error) {
	net, err := fabric.NewRoutes(t.Topology, t.Machine)
	if err != nil {
		return nil, err
	}
	best, err := bestForm(t, net)
	if err != nil {
		return nil, err
	}
	w := newWindower(t, net, best, !t.TimeOnly || t.Machine.HeaderFlits() > 0)
	if err := w.run(); err != nil {
		return nil, err
	}
	p, err := w.plan()
	if err != nil {
		return nil, err
	}
	p.Facts = append(p.Facts, plan.Fact{Key: "pieces", Name: "pieces", Value: router.Cycle(best.pieces(t)), Unit: plan.Counted})
	if t.MayDeadlock() {
		t.PredictBooked(p, w.end)
	} else {
		t.PredictExactly(p, w.end)
	}
	return p, nil
}

// bestForm books the forms that could be the fastest, and returns the one that is.
func bestForm(t *plan.Task, net *fabric.Routes) (windowForm, error) {
	forms := windowForms(t)
	best, least := forms[0], fabric.Never
	for _, f := range forms {
		if err := t.NeedParts(f.messages(t)); err != nil {
			return best, err
		}
		if len(forms) == 1 {
			break
		}
		w := newWindower(t, net, f, false)
		w.limit = least
		if err := w.run(); err != nil {
			return best, err
		}
		if w.end < least {
			best, least = f, w.end
		}
	}
	return best, nil
}

// bookOf returns the book for a task's messages. Where messages that meet could block one another for good, also the stalls of small buffers have their time.
func bookOf(t *plan.Task) *booking.Book {
	b := booking.NewBook(t.Topology, t.Machine)
	if t.MayDeadlock() {
		b.Stalling()
	}
	return b
}

// windower books the messages of windows.
type windower struct {
	task   *plan.Task
	list   *transfer.List // nil: only the time is asked for
	store  transfer.Store
	count  int // messages
	flits  int // of all messages
	book   *booking.Book
	net    *fabric.Routes
	shares []*windowShare
	end    router.Cycle // time of the operation
	limit  router.Cycle // what takes as long is not booked to its end
	route  []router.Port
}

// booked is a message that has its time.
type booked struct {
	index int // in the list, if there is one
	to    router.NodeID
	whole router.Cycle
}

// windowShare is a part of the words, which takes the axes in an order of its own.
type windowShare struct {
	axes     []topology.Axis
	group    []int              // by turn: nodes in a row that share the words out among them
	mirrored bool               // the longer side of the g nodes is to the right
	words    []transfer.Range   // by node: what it works for
	before   [][]transfer.Range // by turn: what it worked for before
	ready    []router.Cycle     // by node: when it has its words
}

func newWindower(t *plan.Task, net *fabric.Routes, f windowForm, listed bool) *windower {
	w := &windower{task: t, book: bookOf(t), net: net, limit: fabric.Never}
	if listed {
		w.list = &transfer.List{Nodes: len(t.Lengths), Timed: true}
	}
	axes := t.Topology.Axes()
	for i := range f.parts {
		words := t.VectorWords()
		r := transfer.Range{From: words * i / f.parts, To: words * (i + 1) / f.parts}
		turned := i % max(1, len(axes))
		s := &windowShare{
			axes:     slices.Concat(axes[turned:], axes[:turned]),
			mirrored: i/max(1, len(axes))%2 == 1,
			words:    slices.Repeat([]transfer.Range{r}, len(t.Lengths)),
			ready:    make([]router.Cycle, len(t.Lengths)),
		}
		for turn, a := range s.axes {
			s.group = append(s.group, fitting(f.group[turn], a.Size))
		}
		w.shares = append(w.shares, s)
	}
	return w
}

// plan is the plan of the messages.
func (w *windower) plan() (*plan.Plan, error) {
	if w.list == nil {
		return w.task.TimePlan(w.count, w.flits), nil
	}
	return w.task.VectorPlan(w.list)
}

// run books all messages: sums of pieces come together, axis by axis, then there are windows, and then the sums
// go out again.
func (w *windower) run() error {
	turns := len(w.task.Topology.Dims)
	for turn := range turns {
		w.together(turn)
		if err := w.task.Ctx.Err(); err != nil || w.end >= w.limit {
			return err
		}
	}
	for turn := range turns {
		for _, s := range w.shares {
			w.line(s, turn)
		}
		if err := w.task.Ctx.Err(); err != nil || w.end >= w.limit {
			return err
		}
	}
	for turn := turns - 1; turn >= 0; turn-- {
		w.apart(turn)
		if err := w.task.Ctx.Err(); err != nil || w.end >= w.limit {
			return err
		}
	}
	return nil
}

// send books a message over neighbours or further, as soon as its words are ready. It returns when the message is
// handed over and when it is whole; a message without words is neither, and is there at once.
func (w *windower) send(from, to router.NodeID, words transfer.Range, op transfer.Op, ready router.Cycle) (m booked, handed router.Cycle) {
	if words.From == words.To {
		return booked{-1, to, 0}, ready
	}
	m = booked{-1, to, 0}
	w.route = w.net.AppendRoute(w.route[:0], from, to)
	handed, m.whole = w.book.Reserve(from, w.route, words.To-words.From, ready)
	w.count, w.flits = w.count+1, w.flits+words.To-words.From
	if w.end = max(w.end, m.whole+1); w.list != nil {
		m.index = len(w.list.Transfers)
		w.list.Transfers = append(w.list.Transfers, transfer.Transfer{
			From: from, To: to, Out: w.store.Keep(transfer.Set{words}), Op: op, Start: handed, Due: m.whole,
		})
	}
	return m, handed
}

// reach is a window that a node sends: to the nodes so far away on one side or on both.
type reach struct{ radius, distance int }

// narrower lists the windows, of these radii, that make up the nodes from more than radius to reach
// away on one side.
func narrower(radii []int, radius, limit int) []reach {
	var list []reach
	for from := radius + 1; from <= limit; {
		for k := len(radii) - 1; k >= 0; k-- {
			if r := radii[k]; from+2*r <= limit {
				list = append(list, reach{r, from + r})
				from += 2*r + 1
				break
			}
		}
	}
	return list
}

// windowRadii are the radii of the windows that all nodes of a ring send.
func windowRadii(size int) []int {
	radii := []int{0}
	for r := 0; 3*r+1 <= (size-1)/2; {
		r = 3*r + 1
		radii = append(radii, r)
	}
	return radii
}

// line sums up over the holders of the same piece along an axis.
func (w *windower) line(s *windowShare, turn int) {
	holders := s.axes[turn].Size / s.group[turn]
	right, left := holders/2, (holders-1)/2
	radii := windowRadii(holders)
	last := len(radii) - 1
	fromRight, fromLeft := narrower(radii, radii[last], right), narrower(radii, radii[last], left)
	var late []booked // messages that are taken in the end
	for k, r := range radii {
		next := slices.Clone(s.ready)
		var wider []booked
		if k < last {
			wider = append(w.sendAll(s, turn, -(2*r+1), next, wider), w.sendAll(s, turn, 2*r+1, next, nil)...)
		}
		for _, reach := range fromRight {
			if reach.radius == r {
				late = w.sendAll(s, turn, -reach.distance, next, late)
			}
		}
		for _, reach := range fromLeft {
			if reach.radius == r {
				late = w.sendAll(s, turn, reach.distance, next, late)
			}
		}
		w.take(wider, next)
		s.ready = next
	}
	w.take(late, s.ready)
}

// sendAll books a message of every node to the holder so many holders away on its line. No sum may change before the
// message with it has been handed over, which next keeps.
func (w *windower) sendAll(s *windowShare, turn, distance int, next []router.Cycle, made []booked) []booked {
	a := s.axes[turn]
	for n := range router.NodeID(len(s.ready)) {
		to := around(a, n, distance*s.group[turn])
		m, handed := w.send(n, to, s.words[n], transfer.Add, s.ready[n])
		if m.whole > 0 {
			made = append(made, m)
			next[n] = max(next[n], handed+1)
		}
	}
	return made
}

// around is the node so many places further on its line.
func around(a topology.Axis, n router.NodeID, places int) router.NodeID {
	return a.Move(n, ((a.Coordinate(n)+places)%a.Size+a.Size)%a.Size)
}

// take lets nodes handle messages as soon as they have all of them; done is by node when it could at the
// earliest, and then when it has.
func (w *windower) take(messages []booked, done []router.Cycle) {
	for _, m := range messages {
		done[m.to] = max(done[m.to], m.whole)
	}
	if w.list == nil {
		return
	}
	for _, m := range messages {
		w.list.Transfers[m.index].Due = done[m.to]
	}
}

// fitting is the largest divisor of a size that is no larger than g.
func fitting(g, size int) int {
	for g = min(g, size); size%g != 0; {
		g--
	}
	return g
}
