// SPDX-License-Identifier: Apache-2.0

package published

import (
	"slices"

	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// bucket goes around the rings of one dimension after the other. On each ring the words are cut in
// a segment for each node; every segment travels once around and is summed up on the way. The next
// dimension goes on with the segment that has come to its end at the node. An all-gather is the
// same backwards. The algorithm ring is a bucket with one ring through all nodes.
type bucket struct {
	circles []circle // in the order in which a reduce-scatter takes them
	forward bool     // in + direction
	turns   bool     // in each step the nodes at even places send before those at odd ones: for channels that work one way at a time
}

// circle is a set of rings of the same length, of which each node is in one.
type circle interface {
	places() int
	place(n router.NodeID) int
	at(n router.NodeID, place int) router.NodeID // on the ring of a node
}

// axis is the rings along a dimension.
type axis struct{ topology.Axis }

func (a axis) places() int                                 { return a.Size }
func (a axis) place(n router.NodeID) int                   { return a.Coordinate(n) }
func (a axis) at(n router.NodeID, place int) router.NodeID { return a.Move(n, place) }

// course is one ring through all nodes.
type course struct {
	nodes    []router.NodeID
	position []int // by node
}

func (c *course) places() int                                 { return len(c.nodes) }
func (c *course) place(n router.NodeID) int                   { return c.position[n] }
func (c *course) at(_ router.NodeID, place int) router.NodeID { return c.nodes[place] }

// courses lists the buckets with one ring through all nodes: one, or, where all links of a node work at once, one for each
// direction.
func courses(t *topology.Topology, independent bool) []bucket {
	c := &course{nodes: topology.HamiltonianCycle(t), position: make([]int, t.Nodes())}
	for i, n := range c.nodes {
		c.position[n] = i
	}
	list := []bucket{{circles: []circle{c}, forward: true}}
	if independent {
		list = append(list, bucket{circles: []circle{c}})
	}
	return list
}

// bucketsOf lists the buckets of Bucket, or those of Ring.
func bucketsOf(t *plan.Task, name string) []bucket {
	if name == Ring {
		return courses(t.Topology, t.IndependentLinks())
	}
	return buckets(t.Topology, t.IndependentLinks())
}

// buckets lists the buckets that share the words out among them: one, or, where all links of a node
// work at once, one for each dimension with which it may begin and each direction.
func buckets(t *topology.Topology, independent bool) []bucket {
	circles := make([]circle, 0, len(t.Dims))
	for _, a := range t.Axes() {
		if a.Size > 1 {
			circles = append(circles, axis{a})
		}
	}
	if !independent || len(circles) == 0 {
		return []bucket{{circles: circles, forward: true}}
	}
	var list []bucket
	for _, forward := range []bool{true, false} {
		for d := range circles {
			list = append(list, bucket{circles: append(slices.Clone(circles[d:]), circles[:d]...), forward: forward})
		}
	}
	return list
}

// next is the node behind n on its ring, or the one so many places behind.
func (b bucket) next(c circle, n router.NodeID, places int) router.NodeID {
	if !b.forward {
		places = -places
	}
	return c.at(n, ((c.place(n)+places)%c.places()+c.places())%c.places())
}

// segments are the words that a node works for in a dimension: those of the nodes that have its
// coordinates in the dimensions before. A part of them is that of the nodes with one coordinate.
type segments func(n router.NodeID, done []circle, c circle, place int) transfer.Set

// inTurns are the buckets with turns.
func inTurns(list []bucket) []bucket {
	list = slices.Clone(list)
	for i := range list {
		list[i].turns = true
	}
	return list
}

// step numbers a step of a node.
func (b bucket) step(c circle, n router.NodeID, step int) int {
	if b.turns {
		return 2*step + c.place(n)%2
	}
	return step
}

// reduceScatter writes the steps by which each node gets the sums of its own words, and counts them.
func (b bucket) reduceScatter(l *lister, words segments) (steps int) {
	for i, c := range b.circles {
		for round := range c.places() - 1 {
			for n := range router.NodeID(l.Nodes) {
				// The segment that ends at the node so many places behind this one.
				end := b.next(c, n, c.places()-1-round)
				l.send(b.step(c, n, steps), n, b.next(c, n, 1), words(n, b.circles[:i], c, c.place(end)), transfer.Add)
			}
			steps++
		}
	}
	if b.turns {
		steps *= 2
	}
	return steps
}

// allGather is reduceScatter backwards: what a node has travels once around.
func (b bucket) allGather(l *lister, words segments) (steps int) {
	for i, c := range slices.Backward(b.circles) {
		for round := range c.places() - 1 {
			for n := range router.NodeID(l.Nodes) {
				begin := b.next(c, n, -round)
				l.send(b.step(c, n, steps), n, b.next(c, n, 1), words(n, b.circles[:i], c, c.place(begin)), transfer.Put)
			}
			steps++
		}
	}
	if b.turns {
		steps *= 2
	}
	return steps
}

// number numbers the segments of a dimension: by the node's coordinates in the dimensions before, and by the coordinate in this one. There are as many as count.
func number(n router.NodeID, done []circle, c circle, place int) (index, count int) {
	count = 1
	for _, d := range done {
		index, count = index*d.places()+d.place(n), count*d.places()
	}
	return index*c.places() + place, count * c.places()
}

// ofRange cuts the words of a vector: evenly in a dimension, and each part again in the next.
func (b bucket) ofRange(all transfer.Range) segments {
	return func(n router.NodeID, done []circle, c circle, place int) transfer.Set {
		index, count := number(n, done, c, place)
		return cut(all, index, index+1, count)
	}
}

// ofBlocks takes the words of nodes' own blocks. Messages share the sets.
func (b bucket) ofBlocks(nodes int, own blocks) segments {
	known := make([][]transfer.Set, len(b.circles)) // by dimension and number
	return func(n router.NodeID, done []circle, c circle, place int) transfer.Set {
		sets := &known[len(done)]
		if *sets == nil {
			*sets = allSegments(nodes, own, done, c)
		}
		index, _ := number(n, done, c, place)
		return (*sets)[index]
	}
}

// allSegments lists the words of all segments of a dimension.
func allSegments(nodes int, own blocks, done []circle, c circle) []transfer.Set {
	var parts [][]transfer.Set
	for m := range router.NodeID(nodes) {
		index, count := number(m, done, c, c.place(m))
		if parts == nil {
			parts = make([][]transfer.Set, count)
		}
		parts[index] = append(parts[index], transfer.Set{own(m)})
	}
	sets := make([]transfer.Set, len(parts))
	for i, p := range parts {
		sets[i] = transfer.Join(p...)
	}
	return sets
}

// bucketAllreduce is a reduce-scatter and an all-gather.
func bucketAllreduce(t *topology.Topology, words int, list []bucket) *transfer.List {
	l := newLister(t.Nodes())
	for i, b := range list {
		r := transfer.Range{From: words * i / len(list), To: words * (i + 1) / len(list)}
		l.base = 0
		l.base = b.reduceScatter(l, b.ofRange(r))
		b.allGather(l, b.ofRange(r))
	}
	return l.List
}

// bucketScatter is a reduce-scatter of blocks.
func bucketScatter(t *topology.Topology, own blocks, list []bucket) *transfer.List {
	l := newLister(t.Nodes())
	for i, b := range list {
		b.reduceScatter(l, b.ofBlocks(l.Nodes, own.ofShare(i, len(list))))
	}
	return l.List
}

// bucketGather is an all-gather of blocks.
func bucketGather(t *topology.Topology, own blocks, list []bucket) *transfer.List {
	l := newLister(t.Nodes())
	for i, b := range list {
		b.allGather(l, b.ofBlocks(l.Nodes, own.ofShare(i, len(list))))
	}
	return l.List
}
