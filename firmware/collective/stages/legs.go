// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"fmt"
	"slices"
	"strings"

	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// Legs is [Strides] along whole axes, for tori of unequal sides, where axes that take
// turns have to wait for each other. The colours go along one axis after the other. A leg
// along an axis is an all-gather of rings, in which the words of all nodes of the earlier
// axes count as one block. Each colour starts with another axis and keeps its own time.
type Legs struct{ Colours []Colour }

// String lists the legs: the axis from 1 on, its rounds and its buckets; and
// the parts of several colours.
func (s Legs) String() string {
	var text []string
	for _, c := range s.Colours {
		var legs []string
		for _, l := range c.Legs {
			leg := fmt.Sprintf("%d: %s", l.Axis+1, roundsText(l.Rounds))
			if l.Buckets > 1 {
				leg += fmt.Sprintf("/%d", l.Buckets)
			}
			legs = append(legs, leg)
		}
		part := strings.Join(legs, ", ")
		if len(s.Colours) > 1 {
			part = fmt.Sprintf("%d× %s", c.Parts, part)
		}
		text = append(text, part)
	}
	return "(" + strings.Join(text, "; ") + ")"
}

// List returns the transfers for blocks of the given lengths, with the cycles
// in which they start. Errors are *input.Error.
func (s Legs) List(g Grid, lengths []int, p Pace) (*transfer.List, error) {
	if err := g.check(lengths, 1); err != nil || len(g) == 0 {
		return &transfer.List{Nodes: len(lengths)}, err
	}
	w, err := s.plan(g)
	if err != nil {
		return nil, err
	}
	return w.list(lengths, p), nil
}

// Time is the time of the operation for blocks of so many words each, exactly.
// Errors are *input.Error.
func (s Legs) Time(g Grid, words int, p Pace) (router.Cycle, error) {
	if len(g) == 0 || words == 0 {
		return 0, nil
	}
	w, err := s.plan(g)
	if err != nil {
		return 0, err
	}
	return w.time(words, p), nil
}

// Colour is a part of each block that goes along whole axes, one after the
// other. The colours share a block in proportion to their Parts.
type Colour struct {
	Parts int
	Legs  []Leg
}

// Leg is a way along an axis, with rounds and buckets of its own. In the leg f
// of all colours each goes along another axis, in its own time.
type Leg struct {
	Axis, Buckets int
	Rounds        []Stride
}

// legsPlan is Legs at work.
type legsPlan struct {
	grid    Grid
	colours []Colour
	legs    []*legWork // by phase and colour
}

// legWork is a leg: a stridesPlan along one axis, in which a message carries the
// blocks of all nodes along the axes before.
type legWork struct {
	*stridesPlan
	phase, colour, axis int
	blocks              int    // known to a node before
	before              []bool // axes that the colour has gone along
}

// plan works out the messages. Its error is an *input.Error.
func (s Legs) plan(g Grid) (*legsPlan, error) {
	r := &legsPlan{grid: g, colours: s.Colours}
	before := make([][]bool, len(s.Colours))
	for phase := range g {
		used := make([]bool, len(g))
		for colour, c := range s.Colours {
			if c.Parts < 1 || len(c.Legs) != len(g) {
				return nil, input.Errorf("expected a leg for every axis, and a part of the block", "a colour with %s and %s", input.Count(len(c.Legs), "leg"), input.Count(c.Parts, "part"))
			}
			leg := c.Legs[phase]
			if before[colour] == nil {
				before[colour] = make([]bool, len(g))
			}
			if leg.Axis < 0 || leg.Axis >= len(g) || used[leg.Axis] || before[colour][leg.Axis] {
				return nil, input.Errorf("expected an axis for every colour, all in turn", "leg %d along axis %d", phase, leg.Axis)
			}
			m, err := Strides{Buckets: leg.Buckets, Axes: [][]Stride{leg.Rounds}}.plan(Grid{g[leg.Axis]})
			if err != nil {
				return nil, err
			}
			w := &legWork{stridesPlan: m, phase: phase, colour: colour, axis: leg.Axis, blocks: 1, before: slices.Clone(before[colour])}
			for a, done := range w.before {
				if done {
					w.blocks *= g[a].Size
				}
			}
			used[leg.Axis], before[colour][leg.Axis] = true, true
			r.legs = append(r.legs, w)
		}
	}
	return r, nil
}

// part returns a colour's share of a block of so many words.
func (r *legsPlan) part(words, colour int) (from, to int) {
	first, all := 0, 0
	for i, c := range r.colours {
		if i < colour {
			first += c.Parts
		}
		all += c.Parts
	}
	return words * first / all, words * (first + r.colours[colour].Parts) / all
}

// moment is a step in time.
type moment struct {
	base router.Cycle
	frame
	any bool
}

// pace sets all steps in time, and returns the time of the operation. A step waits for the
// previous step of its colour, which brings its words, and for the previous step on its axis,
// which may belong to another colour.
func (r *legsPlan) pace(p Pace, words func(l *legWork, t *jointStep) int) router.Cycle {
	byColour, byAxis := make([]moment, len(r.colours)), make([]moment, len(r.grid))
	end := router.Cycle(0)
	for _, l := range r.legs {
		for i := range l.steps {
			t := &l.steps[i]
			f, any := l.frameOf(p, t, func(t *jointStep, _ int) int { return words(l, t) })
			if !any {
				continue
			}
			now := moment{frame: f, any: true}
			for _, last := range [...]moment{byColour[l.colour], byAxis[l.axis]} {
				if last.any {
					now.base = max(now.base, last.base+p.then(last.frame, f))
				}
			}
			byColour[l.colour], byAxis[l.axis] = now, now
			t.span.base, t.span.buckets, t.span.width = now.base, f.buckets, f.width
			end = max(end, now.base+p.end(f))
		}
	}
	return end
}

// time is the time of the operation for equal blocks.
func (r *legsPlan) time(words int, p Pace) router.Cycle {
	return r.pace(p, func(l *legWork, t *jointStep) int {
		from, to := r.part(words, l.colour)
		return l.blocks * l.words(t, 0, to-from)
	})
}

// list makes the transfers.
func (r *legsPlan) list(lengths []int, p Pace) *transfer.List {
	w := &legsWriter{legsPlan: r, lengths: lengths, offset: make([]int, len(lengths)+1), sent: map[*jointStep][]outgoing{}, largest: map[*jointStep]int{}}
	for n, length := range lengths {
		w.offset[n+1] = w.offset[n] + length
	}
	first, steps, phase := 0, 0, 0
	for _, l := range r.legs {
		if l.phase > phase {
			first, phase = steps, l.phase
		}
		for i := range l.steps {
			w.fill(l, &l.steps[i], first+i)
		}
		steps = max(steps, first+len(l.steps))
	}
	r.pace(p, func(_ *legWork, t *jointStep) int { return w.largest[t] })
	var moves unordered
	for _, l := range r.legs {
		for i := range l.steps {
			for _, t := range w.start(p, l, &l.steps[i]) {
				moves.add(t)
			}
		}
	}
	return &transfer.List{Nodes: len(lengths), Timed: len(r.colours) > 1, Transfers: moves.inSteps()}
}

// legsWriter turns legs into transfers.
type legsWriter struct {
	*legsPlan
	lengths, offset []int
	sent            map[*jointStep][]outgoing
	largest         map[*jointStep]int // words of a message
}

// fill makes the transfers of a step.
func (w *legsWriter) fill(l *legWork, t *jointStep, step int) {
	a, distance := w.grid[l.axis], t.axisSteps[0].distance
	for way, sign := range [2]int{1, -1} {
		for node := range w.lengths {
			at := l.place(node, 0)
			to := at + sign*distance
			if !a.Ring && (to < 0 || to >= a.Size) {
				continue
			}
			receiver := node + (a.wrap(to)-at)*a.Stride
			out := w.set(l, t, way, receiver)
			if words := out.Words(); words > 0 {
				w.largest[t] = max(w.largest[t], words)
				x := transfer.Transfer{Step: step, From: router.NodeID(node), To: router.NodeID(receiver), Out: out}
				w.sent[t] = append(w.sent[t], outgoing{x, l.colour, way})
			}
		}
	}
}

// set returns the words that a receiver gets in a step from one side.
func (w *legsWriter) set(l *legWork, t *jointStep, way, receiver int) transfer.Set {
	var s transfer.Set
	for half := range l.halves() {
		for _, o := range t.axisSteps[0].news[half][way] {
			a := w.grid[l.axis]
			at := l.place(receiver, 0)
			for _, n := range w.along(l, receiver+(a.wrap(at-o)-at)*a.Stride) {
				low, high := w.part(w.lengths[n], l.colour)
				from, to := l.stridesPlan.part(high-low, 0, half)
				if from < to {
					s = append(s, transfer.Range{From: w.offset[n] + low + from, To: w.offset[n] + low + to})
				}
			}
		}
	}
	slices.SortFunc(s, func(a, b transfer.Range) int { return a.From - b.From })
	return slices.Clip(transfer.Join(s))
}

// along lists the nodes that differ from one in the axes before a leg.
func (w *legsWriter) along(l *legWork, node int) []int {
	nodes := []int{node}
	for i, done := range l.before {
		if !done {
			continue
		}
		a := w.grid[i]
		var more []int
		for _, n := range nodes {
			first := n - a.place(n)*a.Stride
			for place := range a.Size {
				more = append(more, first+place*a.Stride)
			}
		}
		nodes = more
	}
	return nodes
}

// start returns a step's transfers with their times. A message is stored so many
// cycles after its start as it has links, startup and flits; the PE is ready
// for what comes next a cycle before.
func (w *legsWriter) start(p Pace, l *legWork, t *jointStep) []transfer.Transfer {
	a := w.grid[l.axis]
	var list []transfer.Transfer
	for i := range w.sent[t] {
		x := &w.sent[t][i]
		sum := 0
		for _, other := range w.grid {
			sum += other.place(int(x.From))
		}
		x.Start = t.span.base + router.Cycle(sum%t.span.buckets)*t.span.width
		links := 1
		if a.Ring {
			links = t.axisSteps[0].distance
			turn := a.turn(l.place(int(x.From), 0)/t.span.buckets, x.way, t.span.buckets, links)
			x.Start += router.Cycle(turn) * t.span.between[0]
		}
		x.Due = x.Start + p.UntilWhole(links, x.Out.Words())
		list = append(list, x.Transfer)
	}
	return list
}
