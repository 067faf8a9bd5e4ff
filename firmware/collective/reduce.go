// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"fmt"
	"math/bits"

	"meshwright/firmware/cast"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// summable makes sure that no sum needs more bits than a flit has: a machine
// sums up in 32 bits, and cuts words when it sends them. Random words are
// made small enough; given ones are refused when their sum is too large.
func (t *task) summable() error {
	width, nodes := t.Machine.Width, len(t.Lengths)
	if width == 32 {
		return nil // sums are modulo 2^32 everywhere
	}
	if t.Payload == nil {
		most := mask(width) / uint32(nodes) // of a word
		if most == 0 {
			return input.Errorf(fmt.Sprintf("expected at least %d", bits.Len(uint(nodes))), "width %d: a sum of %d words may not fit", width, nodes)
		}
		for i := range t.words {
			t.words[i] = uint32(uint64(t.words[i]) * uint64(most+1) >> width)
		}
		return nil
	}
	for i := range t.Lengths[0] {
		sum := uint64(0)
		for n := range nodes {
			sum += uint64(t.words[t.offset[n]+i])
		}
		if sum > uint64(mask(width)) {
			return input.Errorf(fmt.Sprintf("expected at most %d, or width 32", mask(width)), "width %d: the sum of all words %d is %d", width, i, sum)
		}
	}
	return nil
}

// sumPlan is the plan of a list by which some nodes get the sum of all blocks.
// What the others are left with, sums of some blocks, is compared, too.
func (t *task) sumPlan(l *transfer.List, gets func(router.NodeID) bool) (*Plan, error) {
	start, total := make([][]uint32, len(t.Lengths)), make([]uint32, t.Lengths[0])
	for n := range start {
		start[n] = t.block(router.NodeID(n))
		for i, word := range start[n] {
			total[i] += word
		}
	}
	end := carried(l, start)
	for n := range end {
		if gets(router.NodeID(n)) {
			end[n] = total
		}
	}
	return t.transferPlan(l, func(n router.NodeID) Block { return Block{Words: end[n], Start: start[n]} })
}

// ringAllreduce lets segments go round.
func ringAllreduce(t *task) (*Plan, error) {
	words := t.Lengths[0]
	if err := t.needParts(len(t.Lengths)); err != nil { // a segment for each node goes round twice
		return nil, err
	}
	l := cast.RingAllReduce(t.Topology, t.Machine, words)
	time, err := t.settle(l, false)
	if err != nil {
		return nil, err
	}
	p, err := t.castPlan(l)
	if err != nil {
		return nil, err
	}
	t.foretold(p, time)
	return p, nil
}

// centre is a node from which all others are near: the middle of a mesh.
func (t *task) centre() router.NodeID {
	node, stride := 0, 1
	for axis, size := range t.Topology.Dims {
		if !t.Topology.Wrap[axis] {
			node += size / 2 * stride
		}
		stride *= size
	}
	if t.Topology.IsGrid() || t.Topology.Nodes() > maxTried {
		return router.NodeID(node)
	}
	best, least := router.NodeID(0), bound.Eccentricity(t.Topology, 0)
	for n := range router.NodeID(t.Topology.Nodes()) {
		if e := bound.Eccentricity(t.Topology, n); e < least {
			best, least = n, e
		}
	}
	return best
}
