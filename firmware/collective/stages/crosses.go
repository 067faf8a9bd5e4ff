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

// Crosses is an all-gather on rings and tori in which all nodes do the same, over all
// links at once. In every step each node sends blocks that it knows along every axis, in
// both directions. Each step has a distance for every direction (arm). In d dimensions the
// words that a node knows can grow by a factor of 2d+1 in a step, while with [Strides],
// which sends every part of a block along one axis at a time, they grow by 3.
//
// The offset of a block at a node is the node's position less the position of the block's
// owner. The offsets that are reached are the sums, over all steps, of the distance of one
// arm, or none. A step sends only words that the receiver gets in no other way.
// [BestCrosses] searches for distances that reach all nodes with the least load. Starts
// and buckets are as in Strides.
type Crosses struct {
	Buckets int     // divides the sides of all rings
	Steps   [][]int // distances by arm: the short axes first, along each ring right and left, along an axis of two nodes one
}

// String lists the distances of every step.
func (x Crosses) String() string {
	var steps []string
	for _, arms := range x.Steps {
		if slices.Min(arms) == slices.Max(arms) {
			arms = arms[:1]
		}
		steps = append(steps, strings.ReplaceAll(strings.Trim(fmt.Sprint(arms), "[]"), " ", ","))
	}
	text := strings.Join(steps, " ")
	if x.Buckets > 1 {
		text += fmt.Sprintf("; %d buckets", x.Buckets)
	}
	return "(" + text + ")"
}

// arm is a way out of every node.
type arm struct {
	Axis
	way int // of an axis of two nodes right, which is the way to the other
}

// arms lists the arms of a grid of rings and axes of two nodes. The arms of short axes come
// first, so that a torus gets the same crosses whichever side comes first.
func (g Grid) arms() []arm {
	var list []arm
	for _, a := range slices.SortedStableFunc(slices.Values(g), func(a, b Axis) int { return a.Size - b.Size }) {
		list = append(list, arm{a, right})
		if a.Ring {
			list = append(list, arm{a, left})
		}
	}
	return list
}

// longest is the greatest distance: half a ring is routed to the right.
func (a *arm) longest() int {
	switch {
	case !a.Ring:
		return 1
	case a.way == right:
		return a.Size / 2
	}
	return (a.Size - 1) / 2
}

// move returns where an arm of so many links leads from a place, as a change of
// the node's number.
func (a *arm) move(node, distance int) int {
	at := a.place(node)
	if a.way == left {
		distance = -distance
	}
	to := at + distance
	switch {
	case to >= a.Size:
		to -= a.Size
	case to < 0:
		to += a.Size
	}
	return (to - at) * a.Stride
}

// check returns an *input.Error if the distances are wrong.
func (x Crosses) check(g Grid) error {
	arms := g.arms()
	for _, a := range g {
		if !a.Ring && a.Size > 2 {
			return input.Errorf("expected rings and tori", "crosses along a path of %d nodes", a.Size)
		}
		if a.Ring && (x.Buckets < 1 || a.Size%x.Buckets != 0) {
			return input.Errorf("expected a number that divides all sides", "%s on a side of %d", input.Count(x.Buckets, "bucket"), a.Size)
		}
	}
	for _, step := range x.Steps {
		if len(step) != len(arms) {
			return input.Errorf(fmt.Sprintf("expected %d", len(arms)), "%s for a step", input.Count(len(step), "distance"))
		}
		for i, d := range step {
			if d < 1 || d > arms[i].longest() {
				return input.Errorf(fmt.Sprintf("expected 1 to %d", arms[i].longest()), "a distance of %d along %d nodes", d, arms[i].Size)
			}
		}
	}
	return nil
}

// reacher follows the offsets that crosses reach.
type reacher struct {
	grid  Grid
	arms  []arm
	mark  []int32 // by offset: round in which it was reached
	round int32
	list  []int32 // reached, in order
	news  []int   // by arm: offsets that it reached in the last step
}

func newReacher(g Grid) *reacher {
	r := &reacher{grid: g, arms: g.arms(), mark: make([]int32, g.Nodes())}
	r.news = make([]int, len(r.arms))
	return r
}

func (r *reacher) reset() {
	r.round++
	r.list = append(r.list[:0], 0)
	r.mark[0] = r.round
}

// step reaches further; the arms take turns at being first, so that they have
// about as much to do. tell, if not nil, gets every offset with its arm.
func (r *reacher) step(distances []int, tell func(arm int, offset int32)) {
	clear(r.news)
	for i, o := range r.list {
		first := i % len(r.arms)
		for k := range r.arms {
			if k += first; k >= len(r.arms) {
				k -= len(r.arms)
			}
			to := o + int32(r.arms[k].move(int(o), distances[k]))
			if r.mark[to] != r.round {
				r.mark[to] = r.round
				r.list = append(r.list, to)
				r.news[k]++
				if tell != nil {
					tell(k, to)
				}
			}
		}
	}
}

// frame returns the frame of a step in which the messages of the arms have so many words. The
// distance along an axis of two nodes is 1, which leaves one bucket.
func (x Crosses) frame(p Pace, arms []arm, distances, words []int) (frame, bool) {
	f, any := frame{buckets: x.Buckets}, false
	for k, d := range distances {
		if words[k] > 0 {
			any, f.buckets = true, divisor(f.buckets, d)
		}
	}
	for k, d := range distances {
		if words[k] > 0 {
			one, _ := p.frame(arms[k].Line, d, f.buckets, words[k])
			f.width = max(f.width, one.width)
		}
	}
	return f, any
}

// clock adds steps up.
type clock struct {
	Pace
	base, end router.Cycle
	last      frame
	running   bool
}

// add enters a step behind the others.
func (c *clock) add(f frame) {
	if c.running {
		c.base += c.then(c.last, f)
	}
	c.running, c.last, c.end = true, f, c.base+c.Pace.end(f)
}

// measure returns the time for blocks of so many words, and how many nodes are
// not reached.
func (x Crosses) measure(r *reacher, words int, p Pace) (time router.Cycle, missing int) {
	c := clock{Pace: p}
	r.reset()
	for _, distances := range x.Steps {
		r.step(distances, nil)
		for k := range r.news {
			r.news[k] *= words
		}
		if f, any := x.frame(p, r.arms, distances, r.news); any {
			c.add(f)
		}
	}
	return c.end, len(r.mark) - len(r.list)
}

// Time is the time of the operation for blocks of so many words each, exactly.
// Errors are *input.Error.
func (x Crosses) Time(g Grid, words int, p Pace) (router.Cycle, error) {
	if err := x.check(g); err != nil || len(g) == 0 {
		return 0, err
	}
	time, missing := x.measure(newReacher(g), words, p)
	if missing > 0 {
		return 0, input.Errorf("expected all of them", "crosses that reach %d of %d nodes", g.Nodes()-missing, g.Nodes())
	}
	return time, nil
}

// List returns the transfers for blocks of the given lengths, with the cycles
// in which they start. Errors are *input.Error.
func (x Crosses) List(g Grid, lengths []int, p Pace) (*transfer.List, error) {
	l := &transfer.List{Nodes: len(lengths)}
	if err := g.check(lengths, 1); err != nil || len(g) == 0 {
		return l, err
	}
	if _, err := x.Time(g, 1, p); err != nil {
		return nil, err
	}
	offset := make([]int, len(lengths)+1)
	for n, length := range lengths {
		offset[n+1] = offset[n] + length
	}
	r, c := newReacher(g), clock{Pace: p}
	r.reset()
	for i, distances := range x.Steps {
		news := make([][]int32, len(r.arms))
		r.step(distances, func(arm int, o int32) { news[arm] = append(news[arm], o) })
		first := len(l.Transfers)
		largest := make([]int, len(r.arms))
		for k := range r.arms {
			for receiver := range lengths {
				out := g.blocksBefore(receiver, news[k], offset)
				if words := out.Words(); words > 0 {
					largest[k] = max(largest[k], words)
					back := arm{r.arms[k].Axis, left - r.arms[k].way}
					from := receiver + back.move(receiver, distances[k])
					l.Transfers = append(l.Transfers, transfer.Transfer{Step: i, From: router.NodeID(from), To: router.NodeID(receiver), Out: out})
				}
			}
		}
		f, any := x.frame(p, r.arms, distances, largest)
		if !any {
			continue
		}
		c.add(f)
		for j := first; j < len(l.Transfers); j++ {
			t := &l.Transfers[j]
			t.Start = c.base + g.starts(p, r.arms, distances, largest, f, t)
		}
	}
	return l, nil
}

// starts returns how long after the step's base a transfer starts.
func (g Grid) starts(p Pace, arms []arm, distances, largest []int, f frame, t *transfer.Transfer) router.Cycle {
	from, sum := int(t.From), 0
	for _, a := range g {
		sum += a.place(from)
	}
	start := router.Cycle(sum%f.buckets) * f.width
	for k, a := range arms {
		if largest[k] > 0 && a.Ring && from+a.move(from, distances[k]) == int(t.To) {
			_, between := p.frame(a.Line, distances[k], f.buckets, largest[k])
			return start + router.Cycle(a.turn(a.place(from)/f.buckets, a.way, f.buckets, distances[k]))*between
		}
	}
	return start
}

// blocksBefore returns the words of the blocks at some offsets before a node.
func (g Grid) blocksBefore(node int, offsets []int32, start []int) transfer.Set {
	s := make(transfer.Set, 0, len(offsets))
	for _, o := range offsets {
		n := 0
		for _, a := range g {
			n += a.wrap(a.place(node)-a.place(int(o))) * a.Stride
		}
		if start[n] < start[n+1] {
			s = append(s, transfer.Range{From: start[n], To: start[n+1]})
		}
	}
	slices.SortFunc(s, func(a, b transfer.Range) int { return a.From - b.From })
	return slices.Clip(transfer.Join(s))
}
