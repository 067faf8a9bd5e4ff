// SPDX-License-Identifier: Apache-2.0

package refine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"

	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// Name is the name of the algorithms.
const Name = "refined"

// mostNodes bounds the networks whose schedules are refined: a set of nodes is a word of 64 bits.
const mostNodes = 64

const (
	// workOf times the third power of the nodes is how many links and channels a search looks at, within bounds: one or two seconds for 64 nodes, some hundredths for 16.
	workOf    = 256
	leastWork = 1 << 19
	mostWork  = 3 << 23
	// usualTries is how often a list is booked, also if that is more work; leastTries how often it must be booked for a search to make sense.
	usualTries, leastTries = 1000, 200
	// heat is the part of the time by which a schedule may become slower at the start.
	heat = 1. / 150
)

// Refuse returns the reason why schedules of a task are not refined; nil if they are.
func Refuse(t *plan.Task) error {
	if len(t.Lengths) > mostNodes {
		return input.Errorf(fmt.Sprintf("expected at most %d", mostNodes), "%s %s for %d nodes", t.Kind.Name, Name, len(t.Lengths))
	}
	return nil
}

// Plan returns a plan of a task that is faster than a known one; nil if none is found, or if the known plan has no list or no exact time. Its errors are *input.Error, or the context's.
func Plan(t *plan.Task, known *plan.Plan) (*plan.Plan, error) {
	n, l, err := begin(t, known)
	if n == nil || err != nil {
		return nil, err
	}
	from := n.orderOf(l)
	if len(from.messages) == 0 {
		return nil, n.Ctx.Err()
	}
	best := n.fastest(from)
	if best == nil || best.cycles >= known.Predicted.Least {
		return nil, n.Ctx.Err()
	}
	return n.finish(best)
}

// begin returns the network and the timed list of a known plan, nil if it has no list or no exact time, or is the fastest.
func begin(t *plan.Task, known *plan.Plan) (*network, *transfer.List, error) {
	if known.List == nil || known.List.Sync || !known.Predicted.Exact || known.Predicted.Least <= known.LowerBound() || known.TimeOnly {
		return nil, nil, nil
	}
	own := *t
	own.Root, own.RoutingTree = known.Root, nil
	l, err := timed(&own, known.List)
	if err != nil || l == nil {
		return nil, nil, err
	}
	n, err := newNetwork(&own, cut(l, borders(&own)))
	return n, l, err
}

// finish makes a plan of the best schedule.
func (n *network) finish(best *outcome) (*plan.Plan, error) {
	p, err := n.ListPlan(n.list(best))
	if err != nil {
		return nil, err
	}
	p.Facts = append(p.Facts, plan.Fact{Key: "pieces", Name: "pieces", Value: router.Cycle(len(best.ends)), Unit: plan.Counted})
	n.PredictBooked(p, best.cycles)
	p.Stopped = n.Search.Err() != nil && best.cycles > n.LowerBound()
	return p, n.Ctx.Err()
}

// timed returns a list with the times of its messages; nil if it has moves, or routes of its own.
func timed(t *plan.Task, l *transfer.List) (*transfer.List, error) {
	for i := range l.Transfers {
		if x := &l.Transfers[i]; x.From == x.To || x.In != nil || x.Route != nil {
			return nil, nil
		}
	}
	if l.Timed {
		return l, nil
	}
	times, err := transfer.PredictContext(t.Ctx, t.Topology, t.Machine, l)
	if err != nil {
		return nil, err
	}
	own := *l
	own.Transfers = append([]transfer.Transfer(nil), l.Transfers...)
	for i := range own.Transfers {
		own.Transfers[i].Start, own.Transfers[i].Due = times.Handed[i], times.Arrived[i]
	}
	return &own, nil
}

// fastest is the fastest result of two searches, of which one also cuts pieces in two, and of a third one that begins with the better of them and accepts nothing slower; nil if they do not begin. Pieces of several
// roots are not cut.
func (n *network) fastest(from order) *outcome {
	if scattered(n.Task) {
		return n.anneal(from, n.Seed, search{heat: heat})
	}
	var both sync.WaitGroup
	var found [2]*outcome
	for i := range found {
		both.Go(func() { found[i] = n.anneal(from, n.Seed, search{heat: heat, cuts: i == 1}) })
	}
	both.Wait()
	best := found[0]
	if best == nil || found[1] != nil && found[1].cycles < best.cycles {
		best = found[1]
	}
	if best == nil {
		return nil
	}
	if last := n.anneal(best.order(), n.Seed, search{part: 3}); last != nil && last.cycles < best.cycles {
		return last
	}
	return best
}

// order is the list that was booked.
func (o *outcome) order() order {
	list := order{ends: o.ends}
	for _, m := range o.messages {
		list.messages = append(list.messages, m.message)
	}
	return list
}

// search is how lists are changed.
type search struct {
	heat float64 // the part of the time by which a schedule may become slower at the start
	cuts bool    // whether pieces may be cut in two
	part int     // of the work; 0: all of it
}

// anneal changes a list at random. Changes that make it slower are accepted as long as it is hot. The result is the fastest list; nil if the first one has no times, or is too long
// to be booked often.
func (n *network) anneal(from order, seed uint64, by search) *outcome {
	t, random := newTimer(n, by.cuts), rand.New(rand.NewPCG(seed, 0x726566696e65))
	if !t.run(from, never) {
		return nil
	}
	most := n.Spend(min(max(leastWork, workOf*n.nodes*n.nodes*n.nodes, usualTries*t.work), mostWork))
	if t.work*leastTries > most {
		return nil
	}
	most /= max(1, by.part)
	at := t.outcome()
	best := at
	start := at.cost() * by.heat
	for t.work < most && best.cycles > n.LowerBound() && n.Ctx.Err() == nil && n.Search.Err() == nil {
		t.work += 16
		o, ok := t.changed(at, random)
		if !ok {
			continue
		}
		left := 1 - float64(t.work)/float64(most)
		allowed := at.cost() - start*left*left*math.Log(1-random.Float64())
		if t.run(o, router.Cycle(allowed)+1) && t.cost() <= allowed {
			if at = t.outcome(); at.cycles < best.cycles {
				best = at
			}
		}
	}
	return best
}
