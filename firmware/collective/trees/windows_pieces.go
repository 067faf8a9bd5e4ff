// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// sides says how many of the g nodes around a node are to its left and to its right.
func (s *windowShare) sides(turn int) (left, right int) {
	g := s.group[turn]
	if s.mirrored {
		return (g - 1) / 2, g / 2
	}
	return g / 2, (g - 1) / 2
}

// piece returns the piece of what a node works for that is another node's on the same line, at a turn.
func (s *windowShare) piece(turn int, words transfer.Range, holder router.NodeID) transfer.Range {
	g, length := s.group[turn], words.To-words.From
	p := s.axes[turn].Coordinate(holder) % g
	return transfer.Range{From: words.From + length*p/g, To: words.From + length*(p+1)/g}
}

// chain is the route of messages from neighbour to neighbour along an axis, in one direction.
type chain struct {
	share     *windowShare
	direction int            // 1 or -1
	steps     int            // of the route
	at        []router.Cycle // by node: when it can send in this step
	done      []router.Cycle // by node: when it has what came
}

// chains are the routes of all shares in both directions. They start from where the words are ready.
func (w *windower) chains(turn int, outward bool) (list []*chain) {
	for _, s := range w.shares {
		done := append([]router.Cycle(nil), s.ready...)
		left, right := s.sides(turn) // what is to the left of a holder comes to it going to the right
		if outward {
			left, right = right, left
		}
		list = append(list, &chain{s, 1, left, s.ready, done}, &chain{s, -1, right, s.ready, done})
	}
	return list
}

// together lets the sums of all pieces come to their holders. On the way to the right a node sends, in
// step i, the piece of the holder left-i places further; it has just received the sum over the nodes behind it.
func (w *windower) together(turn int) {
	list := w.chains(turn, false)
	for step, more := 0, true; more; step++ {
		more = false
		for _, c := range list {
			if step < c.steps {
				more = true
				w.step(c, turn, transfer.Add, c.direction*(c.steps-step))
			}
		}
	}
	for i, s := range w.shares {
		s.ready = list[2*i].done
		s.before = append(s.before, s.words)
		own := make([]transfer.Range, len(s.words))
		for n := range own {
			own[n] = s.piece(turn, s.words[n], router.NodeID(n))
		}
		s.words = own
	}
}

// apart lets the holders' sums go to the nodes around them. On the way to the right a node sends, in step i, the
// piece of the holder i places behind it.
func (w *windower) apart(turn int) {
	list := w.chains(turn, true)
	for _, s := range w.shares {
		s.words = s.before[turn]
	}
	for step, more := 0, true; more; step++ {
		more = false
		for _, c := range list {
			if step < c.steps {
				more = true
				w.step(c, turn, transfer.Put, -c.direction*step)
			}
		}
	}
	for i, s := range w.shares {
		s.ready = list[2*i].done
	}
}

// step lets every node send its neighbour the piece of the holder so many places away.
func (w *windower) step(c *chain, turn int, op transfer.Op, places int) {
	a, s := c.share.axes[turn], c.share
	at := append([]router.Cycle(nil), s.ready...)
	for n := range router.NodeID(len(at)) {
		to := around(a, n, c.direction)
		m, _ := w.send(n, to, s.piece(turn, s.words[n], around(a, n, places)), op, c.at[n])
		at[to] = max(at[to], m.whole)
		c.done[to] = max(c.done[to], m.whole)
	}
	c.at = at
}
