// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"context"

	"meshwright/firmware/transfer"
	"meshwright/internal/parallel"
	"meshwright/internal/progress"
	"meshwright/router"
)

// stridesWriter turns steps into transfers.
type stridesWriter struct {
	*stridesPlan
	lengths, offset []int
	list            []transfer.Transfer
	groups          []group              // of the list, in its order
	largest         map[*jointStep][]int // by colour, in words
}

// group is the transfers of a step that go one way in a colour.
type group struct {
	step        *jointStep
	number      int // of the step
	colour, way int
	from, to    int // in the list
	largest     int // words of a message
}

// outgoing is a transfer with what its start depends on.
type outgoing struct {
	transfer.Transfer
	colour, way int
}

func newWriter(m *stridesPlan, lengths []int) *stridesWriter {
	w := &stridesWriter{stridesPlan: m, lengths: lengths, offset: make([]int, len(lengths)+1), largest: map[*jointStep][]int{}}
	for n, length := range lengths {
		w.offset[n+1] = w.offset[n] + length
	}
	for i := range m.steps {
		w.largest[&m.steps[i]] = make([]int, len(m.steps[i].axisSteps))
		for colour, b := range m.steps[i].axisSteps {
			if b != nil {
				w.groups = append(w.groups, group{step: &m.steps[i], number: i, colour: colour, way: right}, group{step: &m.steps[i], number: i, colour: colour, way: left})
			}
		}
	}
	return w
}

// place is a node's place along an axis.
func (m *stridesPlan) place(node, axis int) int { return m.grid[axis].place(node) }

// fill makes the transfers of all groups, on all cores when there are many. Each group has room for one of every node.
func (w *stridesWriter) fill() {
	nodes, workers := len(w.lengths), 1
	if len(w.groups)*nodes >= manyTransfers {
		workers = parallel.Workers()
	}
	w.list = make([]transfer.Transfer, len(w.groups)*nodes)
	phase := progress.Begin(context.Background(), "", 0) // a list has no context
	defer phase.End()
	err := parallel.Each(context.Background(), phase, workers, len(w.groups), func() func(int) error {
		f := &groupWriter{stridesWriter: w}
		return func(i int) error {
			f.fill(&w.groups[i], i*nodes)
			return nil
		}
	})
	if err != nil {
		panic("stages: " + err.Error()) // no piece fails
	}
	w.close()
}

// manyTransfers are worth all cores.
const manyTransfers = 1 << 14

// close moves the groups together, and notes their largest messages.
func (w *stridesWriter) close() {
	end := 0
	for i := range w.groups {
		g := &w.groups[i]
		w.largest[g.step][g.colour] = max(w.largest[g.step][g.colour], g.largest)
		count := copy(w.list[end:], w.list[g.from:g.to])
		g.from, g.to = end, end+count
		end += count
	}
	clear(w.list[end:])
	w.list = w.list[:end]
}

// groupWriter makes the transfers of one group after the other.
type groupWriter struct {
	*stridesWriter
	sets  transfer.Store
	nodes [2][]int         // by half: blocks of the set that is being made
	set   []transfer.Range // that is being made
}

// fill makes the transfers of a group, from a place in the list on.
func (w *groupWriter) fill(g *group, from int) {
	t, b, sign := g.step, g.step.axisSteps[g.colour], 1-2*g.way
	axis := w.axis(t.turn, g.colour)
	a := w.grid[axis]
	var blocks [2]blocks
	for half := range w.halves() {
		blocks[half] = w.blocks(w.offsets(t, g.colour, half, g.way))
	}
	g.from, g.to = from, from
	for node := range w.lengths {
		at := w.place(node, axis)
		to := at + sign*b.distance
		if !a.Ring && (to < 0 || to >= a.Size) {
			continue
		}
		receiver := node + (a.wrap(to)-at)*a.Stride
		out := w.words(receiver, g.colour, &blocks)
		if words := out.Words(); words > 0 {
			g.largest = max(g.largest, words)
			w.list[g.to] = transfer.Transfer{Step: g.number, From: router.NodeID(node), To: router.NodeID(receiver), Out: w.sets.Keep(out)}
			g.to++
		}
	}
}

// words returns the words that a receiver gets, in rising order: of the blocks at some offsets from
// it, by half. They are valid until the next call.
func (w *groupWriter) words(receiver, colour int, blocks *[2]blocks) transfer.Set {
	w.set = w.set[:0]
	for half := range w.halves() {
		w.nodes[half] = blocks[half].appendOf(w.nodes[half][:0], w.grid, receiver)
	}
	for first, second := w.nodes[0], w.nodes[1]; len(first)+len(second) > 0; {
		half, n := 0, 0
		if len(second) == 0 || len(first) > 0 && first[0] <= second[0] {
			n, first = first[0], first[1:]
		} else {
			half, n, second = 1, second[0], second[1:]
		}
		from, to := w.part(w.lengths[n], colour, half)
		from, to = w.offset[n]+from, w.offset[n]+to
		switch last := len(w.set) - 1; {
		case from == to:
		case last >= 0 && w.set[last].To == from:
			w.set[last].To = to
		default:
			w.set = append(w.set, transfer.Range{From: from, To: to})
		}
	}
	return w.set
}

// blocks tells the nodes at some offsets before a node: by axis, by place of the node, the rising
// places of these nodes, times the stride.
type blocks [][][]int

func (m *stridesPlan) blocks(offsets [][]int) blocks {
	list := make(blocks, len(m.grid))
	for a, axis := range m.grid {
		list[a] = make([][]int, axis.Size)
		for at := range list[a] {
			is := make([]bool, axis.Size)
			for _, o := range offsets[a] {
				is[axis.wrap(at-o)] = true
			}
			for place := range is {
				if is[place] {
					list[a][at] = append(list[a][at], place*axis.Stride)
				}
			}
		}
	}
	return list
}

// appendOf appends the nodes before a node, in rising order: the last axis has the greatest stride.
func (b blocks) appendOf(nodes []int, grid Grid, node int) []int {
	nodes = append(nodes, 0)
	for a := len(grid) - 1; a >= 0; a-- {
		before := len(nodes)
		for _, n := range nodes {
			for _, place := range b[a][grid[a].place(node)] {
				nodes = append(nodes, n+place)
			}
		}
		nodes = nodes[:copy(nodes, nodes[before:])]
	}
	return nodes
}

// start sets the starts of a group's transfers.
func (w *stridesWriter) start(g *group) {
	t, axis := g.step, w.axis(g.step.turn, g.colour)
	a := w.grid[axis]
	for i := g.from; i < g.to; i++ {
		x, sum := &w.list[i], 0
		for other := range w.grid {
			sum += w.place(int(x.From), other)
		}
		bucket := sum % t.span.buckets
		x.Start = t.span.base + router.Cycle(bucket)*t.span.width
		if a.Ring {
			turn := a.turn(w.place(int(x.From), axis)/t.span.buckets, g.way, t.span.buckets, t.axisSteps[g.colour].distance)
			x.Start += router.Cycle(turn) * t.span.between[g.colour]
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
