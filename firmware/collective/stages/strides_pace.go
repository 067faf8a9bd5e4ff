// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/router"
)

// Pace sets the steps of a gossip in time, by what messages cost on a machine.
type Pace struct{ timing.Model }

// PaceOf returns a machine's.
func PaceOf(m *machine.Machine) Pace { return Pace{timing.Of(m)} }

// frame is a step of one bucket after the other, each of so many cycles.
type frame struct {
	buckets int
	width   router.Cycle
}

// frame returns the frame of a step along a ring of `size` places over `distance` links
// with so many words a message, and the time between two starts.
//
// The places of a bucket form a ring of size/buckets places. It is cut into
// ⌊size/distance⌋ segments. In every segment the first place starts first,
// and each of the others when the worm of the one before it has passed it. A message ends where, one
// segment on, the starts have not yet come as far.
func (p Pace) frame(l Line, distance, buckets, words int) (f frame, between router.Cycle) {
	length := p.Work(words)
	if !l.Ring {
		return frame{1, length}, 0
	}
	buckets = divisor(buckets, distance)
	between = length + router.Cycle(buckets)*p.Hop
	starts := ceil(l.Size/buckets, l.Size/distance)
	return frame{buckets, router.Cycle(starts-1)*between + router.Cycle(distance-1)*p.Hop + length}, between
}

// then returns the least time from the base of one step to the base of the next. A node has
// the words for its next step when its bucket is over; the links are free when all buckets are
// over.
func (p Pace) then(now, next frame) router.Cycle {
	gap := router.Cycle(now.buckets) * now.width
	for b := range lcm(now.buckets, next.buckets) {
		ready := router.Cycle(b%now.buckets+1)*now.width + p.Startup + p.Hop - 1
		gap = max(gap, ready-router.Cycle(b%next.buckets)*next.width)
	}
	return gap
}

// end returns how long after a step's base everything has been delivered.
func (p Pace) end(f frame) router.Cycle {
	return router.Cycle(f.buckets)*f.width + p.Startup + p.Hop
}

// pace sets all steps in time, and returns the time of the operation. words
// tells the size of a colour's largest message.
func (m *stridesPlan) pace(p Pace, words func(t *jointStep, colour int) int) router.Cycle {
	base, end := router.Cycle(0), router.Cycle(0)
	var last *frame
	for i := range m.steps {
		t := &m.steps[i]
		f, any := m.frameOf(p, t, words)
		if !any {
			continue
		}
		if last != nil {
			base += p.then(*last, f)
		}
		t.span.base, t.span.buckets, t.span.width = base, f.buckets, f.width
		end, last = base+p.end(f), &f
	}
	return end
}

// frameOf is the frame that suits all colours of a step.
func (m *stridesPlan) frameOf(p Pace, t *jointStep, words func(t *jointStep, colour int) int) (frame, bool) {
	buckets := m.Buckets
	for colour, b := range t.axisSteps {
		if b != nil {
			if axis := m.grid[m.axis(t.turn, colour)]; axis.Ring {
				buckets = divisor(buckets, b.distance)
			} else {
				buckets = 1
			}
		}
	}
	all, any := frame{buckets: buckets}, false
	t.span.between = make([]router.Cycle, len(t.axisSteps))
	for colour, b := range t.axisSteps {
		if b == nil {
			continue
		}
		size := words(t, colour)
		if size == 0 {
			continue
		}
		f, between := p.frame(m.grid[m.axis(t.turn, colour)].Line, b.distance, buckets, size)
		all.width, any = max(all.width, f.width), true
		t.span.between[colour] = between
	}
	return all, any
}

// divisor is the greatest common divisor.
func divisor(a, b int) int {
	for b > 0 {
		a, b = b, a%b
	}
	return a
}

func lcm(a, b int) int { return a / divisor(a, b) * b }
