// SPDX-License-Identifier: Apache-2.0

package published

import (
	"meshwright/fabric/topology"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// bucket goes around the rings of one dimension after the other. On each ring the words are cut in
// a segment for each node; every segment travels once around and is summed up on its way. The next
// dimension goes on with the segment that has come to its end at the node. An all-gather is the
// same backwards.
type bucket struct {
	axes    []topology.Axis // in the order in which a reduce-scatter takes them
	forward bool            // in + direction
}

// buckets lists the buckets that share the words out among them: one, or, where all links of a node
// work at once, one for each dimension with which it may begin and each direction.
func buckets(t *topology.Topology, independent bool) []bucket {
	axes := make([]topology.Axis, 0, len(t.Dims))
	for _, a := range t.Axes() {
		if a.Size > 1 {
			axes = append(axes, a)
		}
	}
	if !independent || len(axes) == 0 {
		return []bucket{{axes, true}}
	}
	var list []bucket
	for _, forward := range []bool{true, false} {
		for d := range axes {
			list = append(list, bucket{append(append([]topology.Axis(nil), axes[d:]...), axes[:d]...), forward})
		}
	}
	return list
}

// next is the node behind n on its ring, or the one so many places behind.
func (b bucket) next(a topology.Axis, n router.NodeID, places int) router.NodeID {
	if !b.forward {
		places = -places
	}
	return a.Move(n, ((a.Coordinate(n)+places)%a.Size+a.Size)%a.Size)
}

// segments are the words that a node works for in a dimension: those of the nodes that have its
// coordinates in the dimensions before. A part of them is that of the nodes with one coordinate.
type segments func(n router.NodeID, done []topology.Axis, a topology.Axis, coordinate int) transfer.Set

// reduceScatter writes the steps by which each node gets the sums of its own words, and counts them.
func (b bucket) reduceScatter(l *lister, words segments) (steps int) {
	for i, a := range b.axes {
		for round := range a.Size - 1 {
			for n := range router.NodeID(l.Nodes) {
				// The segment that ends at the node so many places behind this one.
				end := b.next(a, n, a.Size-1-round)
				l.send(steps, n, b.next(a, n, 1), words(n, b.axes[:i], a, a.Coordinate(end)), transfer.Add)
			}
			steps++
		}
	}
	return steps
}

// allGather is reduceScatter backwards: what a node has travels once around.
func (b bucket) allGather(l *lister, words segments) (steps int) {
	for i := len(b.axes) - 1; i >= 0; i-- {
		a := b.axes[i]
		for round := range a.Size - 1 {
			for n := range router.NodeID(l.Nodes) {
				begin := b.next(a, n, -round)
				l.send(steps, n, b.next(a, n, 1), words(n, b.axes[:i], a, a.Coordinate(begin)), transfer.Put)
			}
			steps++
		}
	}
	return steps
}

// number numbers the segments of a dimension: by the node's coordinates in the dimensions before, and by the coordinate in this one. There are as many as count.
func number(n router.NodeID, done []topology.Axis, a topology.Axis, coordinate int) (index, count int) {
	count = 1
	for _, d := range done {
		index, count = index*d.Size+d.Coordinate(n), count*d.Size
	}
	return index*a.Size + coordinate, count * a.Size
}

// ofRange cuts the words of a vector: evenly in a dimension, and each part again in the next.
func (b bucket) ofRange(all transfer.Range) segments {
	return func(n router.NodeID, done []topology.Axis, a topology.Axis, coordinate int) transfer.Set {
		index, count := number(n, done, a, coordinate)
		return cut(all, index, index+1, count)
	}
}

// ofBlocks takes the words of nodes' own blocks. Messages share the sets.
func (b bucket) ofBlocks(nodes int, own blocks) segments {
	known := make([][]transfer.Set, len(b.axes)) // by dimension and number
	return func(n router.NodeID, done []topology.Axis, a topology.Axis, coordinate int) transfer.Set {
		sets := &known[len(done)]
		if *sets == nil {
			*sets = allSegments(nodes, own, done, a)
		}
		index, _ := number(n, done, a, coordinate)
		return (*sets)[index]
	}
}

// allSegments lists the words of all segments of a dimension.
func allSegments(nodes int, own blocks, done []topology.Axis, a topology.Axis) []transfer.Set {
	var parts [][]transfer.Set
	for m := range router.NodeID(nodes) {
		index, count := number(m, done, a, a.Coordinate(m))
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
