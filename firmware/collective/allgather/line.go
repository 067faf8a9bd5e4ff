// SPDX-License-Identifier: Apache-2.0

package allgather

import (
	"meshwright/fabric/machine"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// line is a node's place among the nodes along one dimension, with the
// combined blocks that these have to exchange.
type line struct {
	at, size    int
	ring        bool
	right, left router.NodeID // neighbours, router.None at the ends
	blocks      []span        // by place
}

// span is a run of neighbouring blocks, as a piece of all blocks in a row.
type span struct {
	tag      router.NodeID // lowest node in it
	from, to int
}

func (s span) words() int { return s.to - s.from }

// stream is the blocks that pass a node in one direction of a line.
type stream struct {
	to, from router.NodeID
	blocks   []span // own block first, then as they are taken
	sends    int    // how many of them are sent on
	takes    int    // how many are taken
}

// lineOf returns node n's line along dimension d.
func lineOf(t *plan.Task, n router.NodeID, d int) line {
	axis := t.Topology.Axis(d)
	l := line{
		at: axis.Coordinate(n), size: axis.Size, ring: axis.Wrap,
		right: t.Topology.Neighbor(n, router.Port(2*d)), left: t.Topology.Neighbor(n, router.Port(2*d+1)),
		blocks: make([]span, axis.Size),
	}
	first := n // the lowest node that is at most in earlier dimensions elsewhere
	for earlier := range d {
		first = t.Topology.Axis(earlier).Move(first, 0)
	}
	for place := range l.blocks {
		low := axis.Move(first, place)
		l.blocks[place] = span{low, t.Offset[low], t.Offset[int(low)+axis.Stride]}
	}
	return l
}

// rightward is the stream that comes from the left.
func (l line) rightward(sends, takes int) stream { return l.stream(-1, l.right, l.left, sends, takes) }

// leftward is the stream that comes from the right.
func (l line) leftward(sends, takes int) stream { return l.stream(+1, l.left, l.right, sends, takes) }

func (l line) stream(step int, to, from router.NodeID, sends, takes int) stream {
	s := stream{to: to, from: from, sends: sends, takes: takes, blocks: make([]span, max(sends, takes+1))}
	for i := range s.blocks {
		s.blocks[i] = l.blocks[((l.at+i*step)%l.size+l.size)%l.size]
	}
	return s
}

// bothWays gives every block the shorter way to every node: round a ring half
// of the places to the right (of an even number of places the odd one too), the
// others to the left; along a path to both ends.
func (l line) bothWays() (right, left stream) {
	if l.ring {
		return l.rightward(l.size/2, l.size/2), l.leftward((l.size-1)/2, (l.size-1)/2)
	}
	right, left = l.rightward(l.at+1, l.at), l.leftward(l.size-l.at, l.size-1-l.at)
	if l.right == router.None {
		right.sends = 0
	}
	if l.left == router.None {
		left.sends = 0
	}
	return right, left
}

// turns moves the blocks in one direction at a time: round a ring to the right only, along a
// path to the right and then to the left. On a path a node sends to the left only after it has
// received all blocks from the left, and so has its left neighbour. So blocks from the two
// sides never meet. Two nodes that can send and receive at once exchange their blocks in one turn.
func (l line) turns(duplex machine.Duplex) []stream {
	switch {
	case l.ring:
		return []stream{l.rightward(l.size-1, l.size-1)}
	case l.size == 2 && duplex == machine.Full:
		other := max(l.right, l.left) // the one that there is
		return []stream{l.stream(1, other, other, 1, 1)}
	}
	right, left := l.bothWays()
	return []stream{right, left}
}

// sent returns the messages of the stream that the node sends, and their flits.
func (s stream) sent() (messages, flits int) {
	for _, b := range s.blocks[:s.sends] {
		if b.words() > 0 {
			messages++
			flits += b.words()
		}
	}
	return messages, flits
}

// lastSent returns the words of the last block sent that is not empty.
func (s stream) lastSent() int {
	for i := s.sends - 1; i >= 0; i-- {
		if words := s.blocks[i].words(); words > 0 {
			return words
		}
	}
	return 0
}
