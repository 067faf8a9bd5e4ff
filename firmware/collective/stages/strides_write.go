// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/router"
)

// stridesWriter turns steps into transfers.
type stridesWriter struct {
	*stridesPlan
	lengths, offset []int
	list            map[*jointStep][]outgoing
	largest         map[*jointStep][]int // by colour, in words
	order           []*jointStep
}

// outgoing is a transfer with what its start depends on.
type outgoing struct {
	transfer.Transfer
	colour, way int
}

func newWriter(m *stridesPlan, lengths []int) *stridesWriter {
	w := &stridesWriter{stridesPlan: m, lengths: lengths, offset: make([]int, len(lengths)+1), list: map[*jointStep][]outgoing{}, largest: map[*jointStep][]int{}}
	for n, length := range lengths {
		w.offset[n+1] = w.offset[n] + length
	}
	return w
}

// place is a node's place along an axis.
func (m *stridesPlan) place(node, axis int) int { return m.grid[axis].place(node) }

// fill makes the transfers of a step.
func (w *stridesWriter) fill(t *jointStep, step int) {
	w.order = append(w.order, t)
	w.largest[t] = make([]int, len(t.axisSteps))
	for colour, b := range t.axisSteps {
		if b == nil {
			continue
		}
		a := w.grid[w.axis(t.turn, colour)]
		for way, sign := range [2]int{1, -1} {
			var offsets [2][][]int
			for half := range w.halves() {
				offsets[half] = w.offsets(t, colour, half, way)
			}
			for node := range w.lengths {
				at := w.place(node, w.axis(t.turn, colour))
				to := at + sign*b.distance
				if !a.Ring && (to < 0 || to >= a.Size) {
					continue
				}
				receiver := node + (a.wrap(to)-at)*a.Stride
				out := w.set(receiver, colour, offsets)
				if words := out.Words(); words > 0 {
					w.largest[t][colour] = max(w.largest[t][colour], words)
					x := transfer.Transfer{Step: step, From: router.NodeID(node), To: router.NodeID(receiver), Out: out}
					w.list[t] = append(w.list[t], outgoing{x, colour, way})
				}
			}
		}
	}
}

// set returns the words that a receiver gets: of the blocks at some offsets from
// it, by half.
func (w *stridesWriter) set(receiver, colour int, offsets [2][][]int) transfer.Set {
	var s transfer.Set
	for half := range w.halves() {
		for _, n := range w.blocks(receiver, offsets[half]) {
			from, to := w.part(w.lengths[n], colour, half)
			if from < to {
				s = append(s, transfer.Range{From: w.offset[n] + from, To: w.offset[n] + to})
			}
		}
	}
	slices.SortFunc(s, func(a, b transfer.Range) int { return a.From - b.From })
	return slices.Clip(transfer.Join(s))
}

// blocks lists the nodes at some offsets before a node.
func (w *stridesWriter) blocks(node int, offsets [][]int) []int {
	nodes := []int{0}
	for a := len(w.grid) - 1; a >= 0; a-- {
		axis, at := w.grid[a], w.place(node, a)
		more := make([]int, 0, len(nodes)*len(offsets[a]))
		for _, n := range nodes {
			for _, o := range offsets[a] {
				more = append(more, n+axis.wrap(at-o)*axis.Stride)
			}
		}
		nodes = more
	}
	return nodes
}

// start sets the starts of a step's transfers.
func (w *stridesWriter) start(t *jointStep) {
	for i := range w.list[t] {
		x := &w.list[t][i]
		axis := w.axis(t.turn, x.colour)
		a, sum := w.grid[axis], 0
		for other := range w.grid {
			sum += w.place(int(x.From), other)
		}
		bucket := sum % t.span.buckets
		x.Start = t.span.base + router.Cycle(bucket)*t.span.width
		if a.Ring {
			turn := a.turn(w.place(int(x.From), axis)/t.span.buckets, x.way, t.span.buckets, t.axisSteps[x.colour].distance)
			x.Start += router.Cycle(turn) * t.span.between[x.colour]
		}
	}
}

// turn returns the turn of a place among the places of its bucket in its segment, counted in
// the direction in which it sends.
func (l Line) turn(place, way, buckets, distance int) int {
	places, segments := l.Size/buckets, l.Size/distance
	i := ((place+1)*segments - 1) / places
	if way == right {
		return place - i*places/segments
	}
	return (i+1)*places/segments - 1 - place
}

// transfers returns all of them.
func (w *stridesWriter) transfers() []transfer.Transfer {
	var all []transfer.Transfer
	for _, t := range w.order {
		for _, x := range w.list[t] {
			all = append(all, x.Transfer)
		}
	}
	return all
}
