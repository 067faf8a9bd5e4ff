// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"math/bits"
	"math/rand/v2"
	"slices"

	"meshwright/router"
)

const (
	maxCycleSearched = 1024 // nodes of networks other than grids
	maxExact         = 18   // nodes of networks in which all paths are looked at
	starts           = 8
	turns            = 50 // for each node
)

// HamiltonianCycle lists all nodes, from node 0 on, so that each is a neighbour of the one before and
// the last one of the first; two nodes with a link, and a single node, count as a cycle. A grid of one dimension has a cycle if it
// is a ring or has at most two nodes. Other grids, sides of one node left out, have one if a side is even or all dimensions are closed. On other
// networks a search looks for one, up to 1024 nodes. It is nil where there is none, where the search finds none, and of a
// topology that is not Valid.
func HamiltonianCycle(t *Topology) []router.NodeID {
	switch {
	case t.Valid() != nil:
		return nil
	case t.IsGrid():
		return gridCycle(t)
	case t.cycle != nil:
		return slices.Clone(t.cycle)
	case t.Nodes() > maxCycleSearched:
		return nil
	}
	return searchCycle(t)
}

// HamiltonianPath lists all nodes of a grid, from node 0 on, so that each is a neighbour of the one
// before: to and fro along the lowest dimension, and so on. It is nil of a network that is no grid, and of a topology that is not Valid.
func HamiltonianPath(t *Topology) []router.NodeID {
	if t.Valid() != nil || !t.IsGrid() {
		return nil
	}
	return toAndFro(t.Axes())
}

func toAndFro(axes []Axis) []router.NodeID {
	nodes := []router.NodeID{0}
	for _, axis := range axes {
		layer := nodes
		for i := 1; i < axis.Size; i++ {
			layer = slices.Clone(layer)
			slices.Reverse(layer)
			for k := range layer {
				layer[k] = axis.Move(layer[k], i)
			}
			nodes = append(nodes, layer...)
		}
	}
	return nodes
}

// gridCycle goes around a grid.
func gridCycle(t *Topology) []router.NodeID {
	axes := slices.DeleteFunc(t.Axes(), func(a Axis) bool { return a.Size == 1 })
	if len(axes) == 0 {
		return []router.NodeID{0}
	}
	closed := true
	for i, a := range slices.Backward(axes) {
		closed = closed && a.Wrap
		if a.Size%2 == 0 && len(axes) > 1 {
			return thereAndBack(toAndFro(slices.Delete(axes, i, i+1)), a)
		}
	}
	if a := axes[0]; len(axes) == 1 && (a.Wrap || a.Size == 2) {
		return toAndFro(axes)
	}
	if !closed {
		return nil
	}
	cycle := toAndFro(axes[:1])
	for _, a := range axes[1:] {
		cycle = aroundBoth(cycle, a)
	}
	return cycle
}

// thereAndBack takes a path and an axis of even size that is not in it: to and fro along all of the path
// but its first node, and back along the copies of that one.
func thereAndBack(path []router.NodeID, a Axis) []router.NodeID {
	nodes := []router.NodeID{path[0]}
	for row := range a.Size {
		for i := 1; i < len(path); i++ {
			at := i
			if row%2 == 1 {
				at = len(path) - i
			}
			nodes = append(nodes, a.Move(path[at], row))
		}
	}
	for row := a.Size - 1; row > 0; row-- {
		nodes = append(nodes, a.Move(path[0], row))
	}
	return nodes
}

// aroundBoth takes a cycle and a closed axis that is not in it, both of odd length. It goes around the shorter of both once
// for each place of the longer one, which moves it by one place forward or back: forward so much more often that it ends where it
// began.
func aroundBoth(cycle []router.NodeID, a Axis) []router.NodeID {
	short, long := len(cycle), a.Size
	node := func(i, k int) router.NodeID { return a.Move(cycle[i], k) }
	if short > long {
		short, long = long, short
		node = func(i, k int) router.NodeID { return a.Move(cycle[k], i) }
	}
	nodes := make([]router.NodeID, 0, short*long)
	back := (long - short) / 2 // long - back is short more than that
	for k, at := 0, 0; k < long; k++ {
		sign := 1
		if k >= long-back {
			sign = -1
		}
		for range short {
			nodes = append(nodes, node(at, k))
			at = (at + sign + short) % short
		}
		at = (at - sign + short) % short
	}
	return nodes
}

// searchCycle looks for a cycle by rotations, from several nodes, and then through all paths of a small network.
func searchCycle(t *Topology) []router.NodeID {
	n := t.Nodes()
	if n < 3 {
		return toBoth(t)
	}
	for m := range router.NodeID(n) {
		if t.Degree(m) < 2 {
			return nil
		}
	}
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	for range starts {
		if nodes := rotateCycle(t, router.NodeID(rng.IntN(n)), rng); nodes != nil {
			return nodes
		}
	}
	return exactCycle(t)
}

// toBoth is the route to a neighbour and back, if there is one; and a single node.
func toBoth(t *Topology) []router.NodeID {
	nodes := []router.NodeID{0, 1}[:t.Nodes()]
	if _, ok := t.PortTo(0, 1); len(nodes) == 2 && !ok {
		return nil
	}
	return nodes
}

// rotateCycle makes a path longer at its end as long as it can. Then it turns the part behind a neighbour of the end
// round, so that another node comes to the end, until the path can go on; at last until the end is next to the
// beginning (Pósa's rotations: Hamiltonian circuits in random graphs, 1976).
func rotateCycle(t *Topology, start router.NodeID, rng *rand.Rand) []router.NodeID {
	n := t.Nodes()
	r := rotor{t: t, rng: rng, place: slices.Repeat([]int{-1}, n), free: make([]int, n)}
	for m := range router.NodeID(n) {
		r.free[m] = t.Degree(m)
	}
	r.add(start)
	for range turns * n {
		if r.grow() {
			continue
		}
		if _, closed := t.PortTo(r.path[len(r.path)-1], r.path[0]); closed && len(r.path) == n {
			first := r.place[0]
			return append(r.path[first:], r.path[:first]...)
		}
		r.rotate()
	}
	return nil
}

// exactCycle looks at all paths from node 0: by the nodes of a path, the nodes at which it can end (Held and Karp, 1962). It is
// nil for more than maxExact nodes.
func exactCycle(t *Topology) []router.NodeID {
	n := t.Nodes()
	if n > maxExact {
		return nil
	}
	near := make([]uint32, n) // by node: its neighbours
	for _, l := range t.Links() {
		near[l.From] |= 1 << l.To
	}
	ends := make([]uint32, 1<<n)
	ends[1] = 1
	for path := 1; path < 1<<n; path += 2 { // all paths have node 0
		for left := ends[path]; left != 0; left &= left - 1 {
			for next := near[bits.TrailingZeros32(left)] &^ uint32(path); next != 0; next &= next - 1 {
				ends[path|int(next&-next)] |= next & -next
			}
		}
	}
	path := uint32(1<<n - 1)
	last := ends[path] & near[0]
	if last == 0 {
		return nil
	}
	nodes := make([]router.NodeID, n)
	for i := n - 1; i > 0; i-- {
		at := bits.TrailingZeros32(last)
		nodes[i] = router.NodeID(at)
		path &^= 1 << at
		last = ends[path] & near[at]
	}
	return nodes
}

// rotor is a path that turns.
type rotor struct {
	t     *Topology
	rng   *rand.Rand
	path  []router.NodeID
	place []int // by node: in the path, or -1
	free  []int // by node: neighbours that are not in the path
}

func (r *rotor) add(n router.NodeID) {
	r.place[n] = len(r.path)
	r.path = append(r.path, n)
	for _, q := range r.neighbours(n) {
		r.free[q]--
	}
}

// grow adds a neighbour of the end: of those that are not in the path, the one with the fewest neighbours that are not.
func (r *rotor) grow() bool {
	best := router.None
	for _, q := range r.neighbours(r.path[len(r.path)-1]) {
		if r.place[q] < 0 && (best == router.None || r.free[q] < r.free[best]) {
			best = q
		}
	}
	if best == router.None {
		return false
	}
	r.add(best)
	return true
}

// rotate turns the part behind one of the end's neighbours round, or now and then the whole path.
func (r *rotor) rotate() {
	next := r.neighbours(r.path[len(r.path)-1])
	from := r.place[next[r.rng.IntN(len(next))]] + 1
	if from == len(r.path)-1 { // the node before the end
		from = 0
	}
	slices.Reverse(r.path[from:])
	for i, n := range r.path[from:] {
		r.place[n] = from + i
	}
}

func (r *rotor) neighbours(n router.NodeID) []router.NodeID {
	return slices.DeleteFunc(slices.Clone(r.t.next[r.t.base[n]:r.t.base[n+1]]), func(q router.NodeID) bool { return q == router.None })
}
