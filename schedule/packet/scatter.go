// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"fmt"

	"meshwright/internal/input"
	"meshwright/internal/rational"
)

// Scatter simulates packets that the root of a tree dispatches one after the
// other, the first at time 0. Time and space are linear in packets times hops.
// Errors: a packet to the root or to no node, without flits, too long.
func Scatter(t *Tree, dispatch []Packet, beta rational.Rational) (*Outcome, error) {
	if err := t.valid(); err != nil {
		return nil, err
	}
	c := clockOf(beta)
	if err := checkPackets(t, dispatch, c); err != nil {
		return nil, err
	}
	o := &Outcome{Scale: c.flit, Arrival: make([]Ticks, len(dispatch))}
	free := make([]int64, t.nodes()) // when a node's sender is
	through := t.through(dispatch)
	var path []int32
	for i, p := range dispatch {
		path = t.path(path[:0], int32(p.Node))
		time, in := int64(0), int64(0)
		cost := c.cost(int64(p.Flits))
		for j := len(path) - 1; j > 0; j-- {
			v := path[j]
			start := max(time, free[v])
			if v != t.root {
				through[v] = append(through[v], hop{in, start, int64(p.Flits)})
			}
			in, time = start, start+cost
			free[v] = time
		}
		o.Arrival[i] = Ticks(time)
		o.Completion = max(o.Completion, Ticks(time))
	}
	for _, hops := range through {
		o.Buffer = max(o.Buffer, int(crowding(hops, c)))
	}
	return o, nil
}

// path appends node v and its ancestors, the root last.
func (t *Tree) path(path []int32, v int32) []int32 {
	for ; v >= 0; v = t.parent[v] {
		path = append(path, v)
	}
	return path
}

func checkPackets(t *Tree, packets []Packet, c clock) error {
	total, depth := int64(0), int32(0)
	for i, p := range packets {
		if p.Node < 0 || p.Node >= t.nodes() || int32(p.Node) == t.root {
			return input.Errorf("expected a node of the tree other than the root", "packet %d: node %d", i, p.Node)
		}
		if p.Flits < 1 || p.Flits > maxFlits {
			return input.Errorf(fmt.Sprintf("expected 1 to %d", maxFlits), "packet %d: %s", i, input.Count(p.Flits, "flit"))
		}
		total += int64(p.Flits)
		depth = max(depth, t.depth[p.Node])
	}
	return c.room(int64(len(packets)), total, depth)
}

// through makes room for the packets that pass every node but do not stay.
func (t *Tree) through(packets []Packet) [][]hop {
	count, total := make([]int, t.nodes()), 0
	for _, p := range packets {
		count[p.Node]++
		total += max(0, int(t.depth[p.Node])-1)
	}
	all := make([]hop, 0, total)
	through := make([][]hop, t.nodes())
	for i := len(t.order) - 1; i >= 0; i-- {
		v := t.order[i]
		passing := 0
		for _, child := range t.children[v] {
			passing += count[child]
		}
		count[v] += passing
		if v != t.root {
			at := len(all)
			all = all[:at+passing]
			through[v] = all[at:at:len(all)]
		}
	}
	return through
}
