// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"cmp"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// reached describes a network as seen from one node: the distances, and the parts into which
// the network falls without the node.
type reached struct {
	root     router.NodeID
	distance []int32
	part     []int32 // by node; the node's own is nowhere
	links    []int   // by part: the node's links to it
	labelled int     // nodes with a part
}

const nowhere = -1

// reach finds the distances from a node and the parts of the rest.
func reach(t *topology.Topology, from router.NodeID) *reached {
	r := &reached{root: from, distance: make([]int32, t.Nodes()), part: make([]int32, t.Nodes())}
	for n := range r.distance {
		r.distance[n], r.part[n] = -1, nowhere
	}
	r.distance[from] = 0
	queue := make([]router.NodeID, 1, t.Nodes())
	queue[0] = from
	for next := 0; next < len(queue) && len(queue) < t.Nodes(); next++ { // the nodes that have been found
		at := queue[next]
		for p := range router.Port(t.Ports(at)) {
			if to := t.Neighbor(at, p); to != router.None && r.distance[to] < 0 {
				r.distance[to] = r.distance[at] + 1
				queue = append(queue, to)
			}
		}
	}
	for p := range router.Port(t.Ports(from)) {
		if to := t.Neighbor(from, p); to != router.None {
			r.label(t, from, to)
		}
	}
	return r
}

// depths returns the links from the node to the furthest node of each part.
func (r *reached) depths() []int32 {
	depths := make([]int32, len(r.links))
	for n, part := range r.part {
		if part != nowhere {
			depths[part] = max(depths[part], r.distance[n])
		}
	}
	return depths
}

// below returns by node of a tree, for each part that the node cuts off from the root, the links from the node to the furthest node of the part.
func (r *reached) below(t *topology.Topology) [][]int32 {
	order := make([]router.NodeID, 0, len(r.distance))
	for n, d := range r.distance {
		if d >= 0 {
			order = append(order, router.NodeID(n))
		}
	}
	slices.SortFunc(order, func(a, b router.NodeID) int { return cmp.Compare(r.distance[b], r.distance[a]) })
	parts := make([][]int32, len(r.distance))
	for _, n := range order {
		for p := range router.Port(t.Ports(n)) {
			if above := t.Neighbor(n, p); above != router.None && r.distance[above] < r.distance[n] {
				parts[above] = append(parts[above], 1+slices.Max(append(parts[n], 0)))
			}
		}
	}
	return parts
}

// label counts a link of node from, to node to, and marks the part behind it
// when the link is the first one there.
func (r *reached) label(t *topology.Topology, from, to router.NodeID) {
	if part := r.part[to]; part != nowhere {
		r.links[part]++
		return
	}
	part := int32(len(r.links))
	r.links = append(r.links, 1)
	r.part[to] = part
	r.labelled++
	for stack := []router.NodeID{to}; len(stack) > 0 && r.labelled < t.Nodes()-1; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for p := range router.Port(t.Ports(at)) {
			next := t.Neighbor(at, p)
			if next != router.None && next != from && r.part[next] == nowhere {
				r.part[next] = part
				r.labelled++
				stack = append(stack, next)
			}
		}
	}
}

// load counts the messages to nodes at one distance.
type load struct{ words, messages router.Cycle }

// loads counts the messages to a set of nodes, by distance.
type loads []load

func (l *loads) add(distance int32, words int) {
	for len(*l) <= int(distance) {
		*l = append(*l, load{})
	}
	(*l)[distance].words += router.Cycle(words)
	(*l)[distance].messages++
}

// tally sums all messages by distance.
func (r *reached) tally(lengths []int) loads {
	var all loads
	for n, d := range r.distance {
		if d > 0 && lengths[n] > 0 {
			all.add(d, lengths[n])
		}
	}
	return all
}

// receivers counts the other nodes that have a length.
func (r *reached) receivers(lengths []int) (count int) {
	for n, d := range r.distance {
		if d > 0 && lengths[n] > 0 {
			count++
		}
	}
	return count
}

// tallyParts sums each part's messages by distance.
func (r *reached) tallyParts(lengths []int) []loads {
	parts := make([]loads, len(r.links))
	for n, d := range r.distance {
		if d > 0 && lengths[n] > 0 {
			parts[r.part[n]].add(d, lengths[n])
		}
	}
	return parts
}

// worst returns the largest time over all k, for the messages at distance k
// or more.
func worst(l loads, time func(k int, words, messages router.Cycle) router.Cycle) router.Cycle {
	var sum load
	best := router.Cycle(0)
	for k := len(l) - 1; k > 0; k-- {
		sum.words += l[k].words
		sum.messages += l[k].messages
		if sum.messages > 0 {
			best = max(best, time(k, sum.words, sum.messages))
		}
	}
	return best
}
