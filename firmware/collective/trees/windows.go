// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"meshwright/fabric"
	"meshwright/fabric/booking"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// Windows is an allreduce on closed grids with the least sum of hops, for short vectors. A node's
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
const Windows = "windows"

// PlanWindows takes one dimension after the other; or, where all links of a node work at once, it also
// tries to begin with each dimension for a part of the words.
func PlanWindows(t *plan.Task) (*plan.Plan, error) {
	if t.MayDeadlock() {
		return nil, t.Deadlock()
	}
	if err := t.NeedParts(8 * max(1, len(t.Topology.Dims))); err != nil {
		return nil, err
	}
	starts := []int{1}
	if dims := len(t.Topology.Dims); dims > 1 && t.IndependentLinks() {
		starts = append(starts, dims)
	}
	var best *transfer.List
	var least router.Cycle
	for _, k := range starts {
		l, err := windows(t, k)
		if err != nil {
			return nil, err
		}
		timing, err := transfer.PredictContext(t.Ctx, t.Topology, t.Machine, l)
		if err != nil {
			return nil, err
		}
		if best == nil || timing.Cycles < least {
			best, least = l, timing.Cycles
		}
	}
	p, err := t.VectorPlan(best)
	if err != nil {
		return nil, err
	}
	t.PredictExactly(p, least)
	return p, nil
}

// windower books the messages of windows.
type windower struct {
	list *transfer.List
	book *booking.Book
	net  *fabric.Routes
}

// windows lists the messages when the words are shared out among so many parts, each of which begins with
// another dimension.
func windows(t *plan.Task, parts int) (*transfer.List, error) {
	net, err := fabric.NewRoutes(t.Topology, t.Machine)
	if err != nil {
		return nil, err
	}
	w := &windower{&transfer.List{Nodes: len(t.Lengths), Timed: true}, booking.NewBook(t.Topology, t.Machine), net}
	axes := t.Topology.Axes()
	ready := make([][]router.Cycle, parts)
	for i := range ready {
		ready[i] = make([]router.Cycle, len(t.Lengths))
	}
	for turn := range axes {
		for i := range parts {
			words := transfer.Set{{From: 0, To: t.VectorWords()}}.Part(i, parts)
			if words.Words() > 0 {
				ready[i] = w.line(axes[(turn+i)%len(axes)], words, ready[i])
			}
		}
		if err := t.Ctx.Err(); err != nil {
			return nil, err
		}
	}
	return w.list, nil
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

// line sums up along an axis. ready is by node the cycle in which it has its words; line returns when it has
// the sums.
func (w *windower) line(a topology.Axis, words transfer.Set, ready []router.Cycle) []router.Cycle {
	right, left := a.Size/2, (a.Size-1)/2
	radii := []int{0}
	for r := 0; 3*r+1 <= left; {
		r = 3*r + 1
		radii = append(radii, r)
	}
	last := len(radii) - 1
	fromRight, fromLeft := narrower(radii, radii[last], right), narrower(radii, radii[last], left)
	var late []int // messages that are taken in the end
	done := ready
	for k, r := range radii {
		next := append([]router.Cycle(nil), done...)
		var wider []int
		if k < last {
			wider = append(w.send(a, words, done, -(2*r+1), next), w.send(a, words, done, 2*r+1, next)...)
		}
		for _, reach := range fromRight {
			if reach.radius == r {
				late = append(late, w.send(a, words, done, -reach.distance, next)...)
			}
		}
		for _, reach := range fromLeft {
			if reach.radius == r {
				late = append(late, w.send(a, words, done, reach.distance, next)...)
			}
		}
		w.take(wider, next)
		done = next
	}
	w.take(late, done)
	return done
}

// take lets nodes handle messages as soon as they have all of them; done is by node when it could at the
// earliest, and then when it has.
func (w *windower) take(messages []int, done []router.Cycle) {
	for _, i := range messages {
		x := &w.list.Transfers[i]
		done[x.To] = max(done[x.To], x.Due)
	}
	for _, i := range messages {
		x := &w.list.Transfers[i]
		x.Due = done[x.To]
	}
}

// send books a message of every node to the node so far away on its line. No sum may change before the
// message with it has been handed over, which next keeps.
func (w *windower) send(a topology.Axis, words transfer.Set, ready []router.Cycle, distance int, next []router.Cycle) (made []int) {
	for n := range router.NodeID(w.list.Nodes) {
		to := a.Move(n, ((a.Coordinate(n)+distance)%a.Size+a.Size)%a.Size)
		handed, whole := w.book.Reserve(n, w.net.Route(n, to), words.Words(), ready[n])
		made = append(made, len(w.list.Transfers))
		w.list.Transfers = append(w.list.Transfers, transfer.Transfer{From: n, To: to, Out: words, Op: transfer.Add, Start: handed, Due: whole})
		next[n] = max(next[n], handed+1)
	}
	return made
}
