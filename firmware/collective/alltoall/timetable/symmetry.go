// SPDX-License-Identifier: Apache-2.0

package timetable

import (
	"slices"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// symmetry is a group of maps of a network onto itself: by map and node, where the node goes. The first map leaves all nodes where they are.
//
//	mesh:3x3, the four rotations		mesh:2x4, both mirrors
//
//	0 1 2      6 3 0			0 1      1 0      6 7      7 6
//	3 4 5  ->  7 4 1 -> ...			2 3  ->  3 2  ,   4 5  ,   5 4
//	6 7 8      8 5 2			4 5      5 4      2 3      3 2
//						6 7      7 6      0 1      1 0
type symmetry [][]router.NodeID

// symmetries lists groups of a grid's symmetries, large groups first, and last the group of one map.
func symmetries(t *topology.Topology) (list []symmetry) {
	nodes := t.Nodes()
	same := make([]router.NodeID, nodes)
	for n := range same {
		same[n] = router.NodeID(n)
	}
	alone := symmetry{same}
	if t.IsGrid() && t.Nodes() > 1 {
		turned := slices.Clone(same)
		for d := range t.Dims {
			turned = after(turned, mirror(t, d))
		}
		if len(t.Dims) == 2 && t.Dims[0] == t.Dims[1] && t.Wrap[0] == t.Wrap[1] {
			quarter := after(transposed(t), mirror(t, 0))
			list = append(list, generated(alone, quarter))
		}
		if len(t.Dims) > 1 {
			mirrors := alone
			for d := range t.Dims {
				mirrors = generated(mirrors, mirror(t, d))
			}
			list = append(list, mirrors)
		}
		list = append(list, generated(alone, turned))
	}
	return append(list, alone)
}

// mirror is the map that turns one dimension round.
func mirror(t *topology.Topology, dim int) []router.NodeID {
	to := make([]router.NodeID, t.Nodes())
	axis := t.Axes()[dim]
	for n := range to {
		at := router.NodeID(n)
		to[n] = axis.Move(at, axis.Size-1-axis.Coordinate(at))
	}
	return to
}

// transposed is the map that exchanges the two dimensions of a square grid.
func transposed(t *topology.Topology) []router.NodeID {
	side := t.Dims[0]
	to := make([]router.NodeID, t.Nodes())
	for n := range to {
		to[n] = router.NodeID(n%side*side + n/side)
	}
	return to
}

// after is the map a and then the map b.
func after(a, b []router.NodeID) []router.NodeID {
	c := make([]router.NodeID, len(a))
	for n, to := range a {
		c[n] = b[to]
	}
	return c
}

// generated is the group of a group's maps and another map that commutes with them.
func generated(g symmetry, by []router.NodeID) symmetry {
	all := slices.Clone(g)
	for power := by; !slices.ContainsFunc(all, func(m []router.NodeID) bool { return slices.Equal(m, power) }); power = after(power, by) {
		for _, m := range g {
			all = append(all, after(m, power))
		}
	}
	return all
}

// apart reports whether all maps but the first take a message to another source and another destination, so that the message and its images can leave
// at the same time.
func (s symmetry) apart(source, destination router.NodeID) bool {
	for i, m := range s {
		for _, other := range s[:i] {
			if m[source] == other[source] || m[destination] == other[destination] {
				return false
			}
		}
	}
	return true
}

// isImage reports whether a map takes a message to one that comes before it, of which it is an image.
func (s symmetry) isImage(source, destination router.NodeID) bool {
	return slices.ContainsFunc(s, func(m []router.NodeID) bool {
		return m[source] < source || m[source] == source && m[destination] < destination
	})
}
