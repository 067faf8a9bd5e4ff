// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// Every node holds one colour's parts of the blocks of a box of nodes: along
// every axis some places. Boxes are numbered, so that nodes that hold the same
// share one set of words.

// maxAxes bounds the axes of more than one node: a PE has room for the blocks
// of 2^14 nodes at most, unless most of them are empty.
const maxAxes = 16

// box names the Places along every axis by their number.
type box [maxAxes]int32

// share is one part of every block on its way.
type share struct {
	grid          Grid
	lengths       []int
	offset        []int // of the nodes' blocks
	colour, of    int
	classes       [][]int // by axis and place, where there are classes
	places        []Places
	numberOfPlace map[Places]int32
	boxes         []box
	numberOfBox   map[box]int32
	sets          []transfer.Set // by box, once it was asked for
	parts         map[part]transfer.Set
	hold          []int32 // by node: its box
}

// part is a part of the blocks in a box.
type part struct {
	box      int32
	part, of int
}

// newColours returns the colours of a gossip at its start.
func newColours(g Grid, lengths []int, colours int, classes [][]int) ([]*share, error) {
	if len(g) > maxAxes {
		return nil, input.Errorf("expected at most 16", "a gossip in %d dimensions", len(g))
	}
	offset := make([]int, len(lengths)+1)
	for n, length := range lengths {
		offset[n+1] = offset[n] + length
	}
	list := make([]*share, colours)
	for i := range list {
		c := &share{
			grid: g, lengths: lengths, offset: offset, colour: i, of: colours, classes: classes,
			numberOfPlace: map[Places]int32{}, numberOfBox: map[box]int32{}, parts: map[part]transfer.Set{},
			hold: make([]int32, len(lengths)),
		}
		for n := range c.hold {
			var own box
			for a, axis := range g {
				own[a] = c.number(Places{First: axis.place(n), Count: 1}, axis.Size)
			}
			c.hold[n] = c.intern(own)
		}
		list[i] = c
	}
	return list, nil
}

func (c *share) number(p Places, size int) int32 {
	if p.Of == 0 && p.Count == size || p.Of == 1 {
		p = Places{Count: size}
	}
	k, ok := c.numberOfPlace[p]
	if !ok {
		k = int32(len(c.places))
		c.places = append(c.places, p)
		c.numberOfPlace[p] = k
	}
	return k
}

func (c *share) intern(b box) int32 {
	k, ok := c.numberOfBox[b]
	if !ok {
		k = int32(len(c.boxes))
		c.boxes = append(c.boxes, b)
		c.sets = append(c.sets, nil)
		c.numberOfBox[b] = k
	}
	return k
}

// along returns a box with other places along an axis.
func (c *share) along(b int32, axis int, p Places) int32 {
	other := c.boxes[b]
	other[axis] = c.number(p, c.grid[axis].Size)
	return c.intern(other)
}

// set returns the words of a part of a box.
func (c *share) set(b int32, i, of int) transfer.Set {
	if c.sets[b] == nil {
		c.sets[b] = c.words(c.boxes[b])
	}
	if of == 1 {
		return c.sets[b]
	}
	key := part{b, i, of}
	s, ok := c.parts[key]
	if !ok {
		s = c.sets[b].Part(i, of)
		c.parts[key] = s
	}
	return s
}

// words returns this colour's words of the blocks in a box.
func (c *share) words(b box) transfer.Set {
	nodes := []int{0}
	for a := len(c.grid) - 1; a >= 0; a-- {
		members := c.members(a, c.places[b[a]])
		more := make([]int, 0, len(nodes)*len(members))
		for _, n := range nodes {
			for _, x := range members {
				more = append(more, n+x*c.grid[a].Stride)
			}
		}
		nodes = more
	}
	s := make(transfer.Set, 0, len(nodes))
	for _, n := range nodes {
		from, to := c.offset[n]+c.lengths[n]*c.colour/c.of, c.offset[n]+c.lengths[n]*(c.colour+1)/c.of
		switch last := len(s) - 1; {
		case from == to:
		case last >= 0 && s[last].To == from:
			s[last].To = to
		default:
			s = append(s, transfer.Range{From: from, To: to})
		}
	}
	return slices.Clip(s)
}

// members lists places along an axis in rising order.
func (c *share) members(axis int, p Places) []int {
	var list []int
	size := c.grid[axis].Size
	for x := range size {
		in := (x-p.First+size)%size < p.Count
		if p.Of > 0 {
			in = c.classes[axis][x]%p.Of == p.Class
		}
		if in {
			list = append(list, x)
		}
	}
	return list
}

// run enters the transfers of a stage of all lines along an axis, its first step at
// `base`. stage returns the stage of the line that begins at a node. run returns
// the number of steps that the stage takes.
func (c *share) run(moves *unordered, base, axis int, stage func(first int) *Stage) int {
	a := c.grid[axis]
	steps := 0
	for first := range c.hold {
		if a.place(first) != 0 {
			continue
		}
		s := stage(first)
		steps = max(steps, s.Steps)
		node := func(place int) int { return first + place*a.Stride }
		for _, m := range s.Moves {
			cargo := c.hold[node(m.First)]
			if m.Count > 1 {
				cargo = c.along(cargo, axis, Places{First: m.First, Count: m.Count})
			}
			if out := c.set(cargo, m.Part, m.Of); len(out) > 0 {
				moves.add(transfer.Transfer{
					Step: base + m.Step, From: router.NodeID(node(m.From)), To: router.NodeID(node(m.To)), Out: out,
				})
			}
		}
		for _, g := range s.Gains {
			c.hold[node(g.Place)] = c.along(c.hold[node(g.Like)], axis, g.Places)
		}
	}
	return steps
}
