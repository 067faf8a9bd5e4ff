// SPDX-License-Identifier: Apache-2.0

package treesearch

import (
	"slices"

	"meshwright/fabric/booking"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// schedule is the messages of a form, with their times.
type schedule struct {
	messages []message
	sums     int // the first messages, which add up words; the others put them
	cycles   router.Cycle
	period   router.Cycle // of a form whose pieces repeat the first ones, which are the messages; 0: these are of all pieces
	mean     float64      // of the cycles in which the nodes have everything
	last     message      // that is whole last
	first    message      // of an allreduce, the sum on which the time depends most: that which leaves first, or, if both ways are booked together, comes last; it goes to the child in the tree
}

// timer books forms, one after the other.
type timer struct {
	*network
	forwards, backwards *booking.Book
	rotas               *rotas
}

func newTimer(n *network) *timer {
	t := &timer{network: n, forwards: booking.NewBook(n.Topology, n.Machine).Stalling(), backwards: booking.NewBackwards(n.Topology, n.Machine).Stalling()}
	t.rotas = newRotas(n, t.forwards)
	return t
}

// schedule books the messages of a form; nil if they take more than limit cycles.
func (n *timer) schedule(f *form, limit router.Cycle) *schedule {
	s := &schedule{}
	if n.words == 0 {
		return s
	}
	if f.periodic {
		return n.periodic(f, limit)
	}
	n.forwards.Clear()
	if f.joint {
		j := &joint{timer: n, form: f}
		if !j.run(limit) {
			return nil
		}
		return j.measure()
	}
	ready := make([]router.Cycle, f.parts)
	if n.Kind.Name == plan.Reduce || n.Kind.Name == plan.Allreduce {
		n.backwards.Clear()
		in := newFlow(n, f.up(), n.backwards, true, ready)
		if !in.run(limit) {
			return nil
		}
		s.messages, s.sums = in.messages, len(in.messages)
		s.measure(in)
		s.first = s.last
		s.turn()
		for _, m := range s.messages {
			if m.to == int32(n.Root) {
				ready[m.piece] = max(ready[m.piece], m.whole)
			}
		}
	}
	if n.Kind.Name == plan.Allreduce {
		for _, m := range s.messages {
			r := n.piece(m.piece, f.parts)
			n.forwards.Reserve(router.NodeID(m.from), n.Route(m.from, m.to), r.To-r.From, m.handed)
		}
	}
	if n.Kind.Name != plan.Reduce {
		out := newFlow(n, f.trees, n.forwards, false, ready)
		if !out.run(limit) {
			return nil
		}
		s.messages = append(s.messages, out.messages...)
		s.measure(out)
	}
	return s
}

// faster books a form, in an allreduce in both ways; nil if it takes more than limit cycles.
func (n *timer) faster(f form, limit router.Cycle) (best *found) {
	for _, joint := range []bool{false, true} {
		if joint && n.Kind.Name != plan.Allreduce {
			break
		}
		own := f
		own.joint = joint
		if made := n.schedule(&own, limit); made != nil {
			best, limit = &found{&own, made}, made.cycles
		}
	}
	return best
}

// measure adds up when the nodes have everything.
func (s *schedule) measure(w *flow) {
	latest := make([]router.Cycle, w.nodes)
	for i := range w.messages {
		m := &w.messages[i]
		latest[m.to] = max(latest[m.to], m.whole)
		if m.whole+1 > s.cycles {
			s.cycles, s.last = m.whole+1, *m
		}
	}
	for _, at := range latest {
		s.mean += float64(at) / float64(w.nodes)
	}
}

// turn reverses the messages in time.
func (s *schedule) turn() {
	end := s.cycles - 1
	for i, m := range s.messages {
		s.messages[i] = message{m.to, m.from, m.piece, end - m.whole, end - m.handed}
	}
}

// list turns a form's schedule into transfers. Sums have a step for each level of the tree, from below, and so has what goes out, from the root.
func (n *network) list(x *found) *transfer.List {
	l := &transfer.List{Nodes: n.nodes, Timed: true, Transfers: make([]transfer.Transfer, len(x.made.messages))}
	up, down := depthsOf(x.form.up()), depthsOf(x.form.trees)
	most := int32(0)
	for _, depths := range up {
		most = max(most, slices.Max(depths))
	}
	for i, m := range x.made.messages {
		t := transfer.Transfer{
			From: router.NodeID(m.from), To: router.NodeID(m.to), Out: transfer.Set{n.piece(m.piece, x.form.parts)}, Start: m.handed, Due: m.whole,
		}
		if i < x.made.sums {
			t.Op, t.Step = transfer.Add, int(most-up[of(m.piece, x.form.up())][m.from])
		} else {
			t.Step = int(most + down[of(m.piece, x.form.trees)][m.from])
		}
		l.Transfers[i] = t
	}
	return l
}

func depthsOf(trees []*tree) (list [][]int32) {
	for _, t := range trees {
		list = append(list, t.depths())
	}
	return list
}
