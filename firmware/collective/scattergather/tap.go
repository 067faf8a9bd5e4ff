// SPDX-License-Identifier: Apache-2.0

package scattergather

import (
	"cmp"
	"slices"

	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// ShoulderTap gathers on a path without any node knowing another's length: an
// order "transmit after s steps" passes outwards, and every node makes its
// neighbour's from its own (Bhatt, Pucci, Ranade, Rosenberg). A root inside
// the path taps both arms; it knows the lengths, as in MPI_Gatherv, and orders
// the second arm so that its messages find the root's port free.
func ShoulderTap(t *plan.Task) (*plan.Plan, error) {
	if err := checkTap(t); err != nil {
		return nil, err
	}
	root, middle, end := plan.LoadRole("tap-root"), plan.LoadRole("tap-middle"), plan.LoadRole("tap-end")
	p := t.NewPlan(root, middle, end)
	taps := tapArms(t)
	list := root.Parameters()
	list.Set("TAPS", len(taps))
	list.List("TAP_LIST")
	var arrivals []arrival
	for _, tap := range taps {
		if most := max(tap.order, tap.most); uint32(most) > t.WordMask() {
			return nil, input.Errorf("expected a larger width, or nearest-first", "shoulder-tap: order %d does not fit width %d", most, t.Machine.Width)
		}
		r := list.Record("TAP")
		r.Set("FIRST", int(tap.arm[0]))
		r.Set("VALUE", tap.order)
		r.Set("START", int(tap.start))
		arrivals = append(arrivals, tap.arrivals...)
		armPEs(t, p, middle, end, tap.arm)
	}
	slices.SortStableFunc(arrivals, func(a, b arrival) int { return cmp.Compare(a.end, b.end) })
	gatherAt(t, p, root, list, arrivals)
	if t.Bufferless() { // elsewhere orders may cost more
		t.Predict(p, lastArrival(arrivals))
	}
	return p, nil
}

// checkTap rejects bufferless machines on which the orders' timing is wrong.
func checkTap(t *plan.Task) error {
	if !t.Bufferless() {
		return nil
	}
	return plan.Lacking("shoulder-tap", "nearest-first", t.UnitTimes()...)
}

// armPEs gives the nodes of an arm, nearest first, their programs.
func armPEs(t *plan.Task, p *plan.Plan, middle, end *plan.Role, arm []router.NodeID) {
	for i, n := range arm {
		r := middle
		if i == len(arm)-1 {
			r = end
		}
		own := r.Parameters()
		if r == middle {
			own.Set("NEXT", int(arm[i+1]))
		}
		own.Set("ROOT", int(t.Root))
		own.Set("SELF", int(n))
		own.Set("ADDRESS", len(own.Words))
		own.Set("WORDS", t.Lengths[n])
		p.PEs[n] = t.Source(r, own, n)
		p.NeedHeader(uint32(n), i+1) // the order's tag, too
	}
}

// tap is an arm of the path with the order that starts it.
type tap struct {
	arm      []router.NodeID // nearest first
	start    router.Cycle    // in which the root sends the order
	order    int
	most     int       // the largest order that follows
	arrivals []arrival // of the messages that are not empty
}

// tapArms taps both arms, in the better order. On equal terms the arm of the
// higher nodes goes first.
func tapArms(t *plan.Task) []tap {
	var up, down []router.NodeID
	for n := t.Root + 1; int(n) < t.Topology.Nodes(); n++ {
		up = append(up, n)
	}
	for n := t.Root - 1; n >= 0; n-- {
		down = append(down, n)
	}
	switch {
	case up == nil && down == nil:
		return nil
	case down == nil:
		return []tap{tapArm(t, up, 0, 1)}
	case up == nil:
		return []tap{tapArm(t, down, 0, 1)}
	case t.IndependentLinks():
		return []tap{tapArm(t, up, 0, 1), tapArm(t, down, 0, 1)}
	}
	first, second := tapBoth(t, up, down), tapBoth(t, down, up)
	if lastEnd(second) < lastEnd(first) {
		return second
	}
	return first
}

// tapBoth taps one arm in cycle 0 and the other in cycle 1, with the smallest
// order that keeps their messages apart at the root.
func tapBoth(t *plan.Task, first, second []router.NodeID) []tap {
	a := tapArm(t, first, 0, 1)
	for order := 1; ; order++ {
		if b := tapArm(t, second, 1, order); apart(a.arrivals, b.arrivals) {
			return []tap{a, b}
		}
	}
}

func lastEnd(taps []tap) router.Cycle {
	end := router.Cycle(0)
	for _, t := range taps {
		end = max(end, lastArrival(t.arrivals))
	}
	return end
}

// tapArm predicts the arrivals at the root of an arm that is tapped with an order, by the rule
// of programs/tap-middle.s.
func tapArm(t *plan.Task, arm []router.NodeID, start router.Cycle, order int) tap {
	result := tap{arm: arm, start: start, order: order}
	s := order
	for i, n := range arm {
		tapped := start + router.Cycle(i) + 1
		first := tapped + router.Cycle(max(2, s))
		if i == len(arm)-1 {
			first = tapped + router.Cycle(max(1, s))
		}
		if t.Lengths[n] > 0 {
			atRoot := first + router.Cycle(i)
			result.arrivals = append(result.arrivals, arrival{node: n, first: atRoot, end: atRoot + t.Length(n)})
		}
		if i < len(arm)-1 {
			s = max(1, t.Lengths[n]+max(0, s-2))
			result.most = max(result.most, s)
		}
	}
	return result
}

// apart reports whether no two arrivals, each list in rising order, overlap.
func apart(a, b []arrival) bool {
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0].end <= b[0].first:
			a = a[1:]
		case b[0].end <= a[0].first:
			b = b[1:]
		default:
			return false
		}
	}
	return true
}
