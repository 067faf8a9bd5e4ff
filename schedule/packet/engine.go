// SPDX-License-Identifier: Apache-2.0

package packet

import "meshwright/internal/progress"

// engine follows bursts from the root of a tree, one after the other, in time
// proportional to bursts times hops.
type engine struct {
	phase *progress.Phase // told how far a time is; nil: nobody is
	tree  *Tree
	clock clock
	free  []int64 // by node: when its sender is through with all packets so far
	trail []int32 // scratch: the path to a destination
	log   []undo  // what back takes back, when keep is set
	keep  bool
	work  int // links that packets were followed over, and some more for every burst
}

// undo is a sender's time before a packet.
type undo struct {
	node int32
	free int64
}

func newEngine(t *Tree, c clock) *engine {
	return &engine{tree: t, clock: c, free: make([]int64, t.nodes())}
}

// send dispatches a burst and returns when its last packet arrives.
func (e *engine) send(b Burst) int64 {
	e.trail = e.tree.path(e.trail[:0], int32(b.Node))
	e.work += len(e.trail) + 2
	s := evenSplit(int64(b.Flits), int64(b.Packets))
	arrival := e.row(e.clock.cost(s.Flits), s.Large)
	if s.Small > 0 {
		arrival = e.row(e.clock.cost(s.Flits-1), s.Small)
	}
	return arrival
}

// row sends count packets that each take cost on a link along the trail. The first packet may
// have to wait at any node. The others follow it everywhere without gaps, since it leaves no
// node later than cost after it reached the node.
func (e *engine) row(cost, count int64) int64 {
	time, rest := int64(0), (count-1)*cost
	for j := len(e.trail) - 1; j > 0; j-- {
		v := e.trail[j]
		if e.keep {
			e.log = append(e.log, undo{v, e.free[v]})
		}
		time = max(time, e.free[v]) + cost
		e.free[v] = time + rest
	}
	return time + rest
}

// back undoes everything that was sent since the log had the length mark.
func (e *engine) back(mark int) {
	for len(e.log) > mark {
		last := e.log[len(e.log)-1]
		e.free[last.node] = last.free
		e.log = e.log[:len(e.log)-1]
	}
}

// time returns the arrival of the last packet of all bursts, and the burst of this packet.
func (e *engine) time(bursts []Burst) (time int64, last int) {
	clear(e.free)
	for i, b := range bursts {
		if e.phase != nil && e.phase.Due() {
			e.phase.Set(i, len(bursts))
		}
		if arrival := e.send(b); arrival > time {
			time, last = arrival, i
		}
	}
	return time, last
}

func (e *engine) plan(bursts []Burst) *Plan {
	time, _ := e.time(bursts)
	return &Plan{Bursts: bursts, Ticks: Ticks(time), Scale: e.clock.flit, Visited: 1}
}
