// SPDX-License-Identifier: Apache-2.0

package tolerant

import (
	"math"
	"slices"

	"meshwright/router"
)

// Any is the answer of Withstands when no number of faults stops a message.
const Any = math.MaxInt

// Withstands returns the greatest k for which any k dead nodes or links, whichever they are, leave every live node
// every message of a live node. A message is stopped when each of its copies meets a fault between source and
// destination. So the answer is one less than the fewest nodes and links that stop some message. Faults
// of a node are those of all its links, and a link is dead in both directions.
func (r *Replay) Withstands(nodes, links bool) int {
	fewest := Any
	for i := range r.kept {
		fewest = min(fewest, r.stops(&r.kept[i], nodes, links, fewest))
	}
	if fewest == Any {
		return Any
	}
	return fewest - 1
}

// stops returns the fewest faults that stop a message, or most if there are no fewer.
func (r *Replay) stops(k *kept, nodes, links bool, most int) int {
	var ways [][]int32
	for _, s := range k.slots {
		way := r.way(s, nodes, links)
		if len(way) == 0 {
			return most
		}
		ways = append(ways, way)
	}
	if disjoint(ways) {
		return min(most, len(ways))
	}
	return hitting(ways, most)
}

// way lists what can stop the copy in a slot: inner nodes of its route, and links, which have the numbers behind the
// nodes. Beside the nodes, only the link of a route without inner nodes is of use: every other link has an inner node
// at one of its ends, which stops as many copies.
func (r *Replay) way(slot int32, nodes, links bool) []int32 {
	var inner, crossed []int32
	for r.into[slot] != none {
		h := r.hops[r.into[slot]]
		slot = h.from
		n, to := r.ends(h.link)
		crossed = append(crossed, int32(len(r.base))+min(h.link, r.base[to]+int32(r.t.BackPort(n, router.Port(h.link-r.base[n])))))
		if r.into[slot] != none {
			inner = append(inner, int32(n))
		}
	}
	switch {
	case nodes && (len(inner) > 0 || !links):
		return inner
	case links:
		return crossed
	}
	return nil
}

// ends returns the two ends of a link.
func (r *Replay) ends(link int32) (from, to router.NodeID) {
	n, found := slices.BinarySearch(r.base, link)
	for found && n+1 < len(r.base) && r.base[n+1] == link { // nodes without ports
		n++
	}
	if !found {
		n--
	}
	return router.NodeID(n), r.t.Neighbor(router.NodeID(n), router.Port(link-r.base[n]))
}

// disjoint reports whether no two routes have anything in common.
func disjoint(ways [][]int32) bool {
	for i, way := range ways {
		for _, other := range ways[:i] {
			if slices.ContainsFunc(way, func(x int32) bool { return slices.Contains(other, x) }) {
				return false
			}
		}
	}
	return true
}

// hitting returns the size of the smallest set that has something of each route, or most if that is no larger. The
// first route must be hit somewhere: each place is tried.
func hitting(ways [][]int32, most int) int {
	if len(ways) == 0 {
		return 0
	}
	if most <= 1 {
		return most
	}
	for _, x := range ways[0] {
		rest := slices.DeleteFunc(slices.Clone(ways), func(way []int32) bool { return slices.Contains(way, x) })
		most = min(most, 1+hitting(rest, most-1))
	}
	return most
}
