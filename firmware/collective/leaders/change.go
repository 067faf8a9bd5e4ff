// SPDX-License-Identifier: Apache-2.0

package leaders

import (
	"math/rand/v2"
	"slices"
)

// changed returns a design with a random change: of one piece, or of all of them in the same way.
func (n *network) changed(from *schedule, random *rand.Rand) (d design, ok bool) {
	d = from.design
	if len(d.ends) > 1 && random.IntN(12) == 0 {
		return d, d.resize(random)
	}
	d.forms = slices.Clone(d.forms)
	at := place{int32(random.IntN(len(d.forms))), int32(random.IntN(n.nodes))}
	if random.IntN(2) == 0 {
		at = from.critical[random.IntN(len(from.critical))]
	}
	all, seed := random.IntN(3) == 0, random.Uint64()
	if d.shared() {
		all = random.IntN(8) > 0
	}
	for p := range d.forms {
		switch {
		case all && p > 0 && from.forms[p] == from.forms[p-1]:
			d.forms[p] = d.forms[p-1]
		case all || p == int(at.piece):
			f := d.forms[p].clone()
			if n.change(f, at.node, rand.New(rand.NewPCG(seed, 0))) {
				d.forms[p], ok = f, true
			}
		}
	}
	return d, ok
}

// shared reports whether all pieces have the same form.
func (d *design) shared() bool {
	return !slices.ContainsFunc(d.forms, func(f *form) bool { return f != d.forms[0] })
}

// resize moves the border between two pieces. It reports false if there would be none in a piece.
func (d *design) resize(random *rand.Rand) bool {
	p := int32(random.IntN(len(d.ends) - 1))
	step := int32(1 + random.IntN(1+d.size(p)/8))
	if random.IntN(2) == 0 {
		step = -step
	}
	d.ends = replaced(d.ends, int(p), d.ends[p]+step)
	return d.size(p) > 0 && d.size(p+1) > 0
}

// change changes a form at random, at or near a node. It reports false if it does not.
func (n *network) change(f *form, v int32, random *rand.Rand) bool {
	switch draw := random.IntN(100); {
	case draw < 12:
		return n.otherGiver(f, v, random)
	case draw < 36:
		return n.otherDown(f, v, random)
	case draw < 56:
		return n.moveCluster(f, v, random)
	case draw < 68:
		return n.joinClusters(f, v, random)
	case draw < 76:
		return n.learn(f, v, random)
	case draw < 82:
		return n.forget(f, v, random)
	case draw < 90:
		return n.swapNodes(f, v, random)
	default:
		f.early[int(v)+n.nodes*random.IntN(2)] += int32(random.IntN(2*n.shift+1) - n.shift)
		return true
	}
}

// neighbour is a node, mostly near another.
func (n *network) neighbour(v int32, random *rand.Rand) int32 {
	near := n.near[v]
	if random.IntN(2) == 0 {
		near = near[:min(6, len(near))]
	}
	return near[random.IntN(len(near))]
}

// around is a random cluster of several nodes that a node is in; none if there is none.
func (f *form) around(v int32, random *rand.Rand) int32 {
	depth := 0
	for c := f.clusters[v].parent; c != none; c = f.clusters[c].parent {
		depth++
	}
	if depth == 0 {
		return none
	}
	c := f.clusters[v].parent
	for range random.IntN(depth) {
		c = f.clusters[c].parent
	}
	return c
}

// otherGiver lets another node send a part's sum to a knower.
func (n *network) otherGiver(f *form, v int32, random *rand.Rand) bool {
	c := f.around(v, random)
	if c == none {
		return false
	}
	x := &f.clusters[c]
	i, j := random.IntN(len(x.knowers)), random.IntN(len(x.children))
	knowers := f.clusters[x.children[j]].knowers
	if x.givers[i][j] == none || len(knowers) == 1 {
		return false
	}
	x.givers = replaced(x.givers, i, replaced(x.givers[i], j, knowers[random.IntN(len(knowers))]))
	return true
}

// otherDown lets another node send the whole sum to a node.
func (n *network) otherDown(f *form, v int32, random *rand.Rand) bool {
	u := n.neighbour(v, random)
	if f.down[v] == none || f.below(u, v) {
		return false
	}
	f.down[v] = u
	return true
}

// moveCluster makes a cluster a part of another one.
func (n *network) moveCluster(f *form, v int32, random *rand.Rand) bool {
	c, to := n.pair(f, v, random)
	if c == none {
		return false
	}
	to = f.clusters[to].parent
	if to == none || to == f.clusters[c].parent || f.within(to, c) || !n.leave(f, c) {
		return false
	}
	if !f.used(to) {
		return false
	}
	n.enter(f, c, to)
	return true
}

// joinClusters makes one cluster of two, which only the nodes that know the sum of the second one know.
func (n *network) joinClusters(f *form, v int32, random *rand.Rand) bool {
	c, to := n.pair(f, v, random)
	if c == none || f.within(to, c) || !n.leave(f, c) || !f.used(to) {
		return false
	}
	parent := f.clusters[to].parent
	made := n.add(f, []int32{to, c}, f.clusters[to].knowers)
	f.clusters[made].parent = parent
	if parent == none {
		f.root = made
		return true
	}
	x := &f.clusters[parent]
	x.children = replaced(x.children, slices.Index(x.children, to), made)
	return true
}

// pair draws a cluster below the root, and another one that has nodes near it.
func (n *network) pair(f *form, v int32, random *rand.Rand) (c, other int32) {
	c, other = f.top(v, random), f.top(n.neighbour(v, random), random)
	if f.within(other, c) || f.within(c, other) && other == f.root {
		return none, none
	}
	return c, other
}

// top is one of the clusters whose sums a node knows, mostly the largest; the root only for a node that knows nothing else.
func (f *form) top(v int32, random *rand.Rand) int32 {
	c := v
	for {
		p := f.clusters[c].parent
		if p == none || !slices.Contains(f.clusters[p].knowers, v) || random.IntN(8) == 0 {
			return c
		}
		c = p
	}
}

// leave takes a cluster out of the one that it is a part of. It reports false if the cluster has nodes that know more.
func (n *network) leave(f *form, c int32) bool {
	parent := f.clusters[c].parent
	if parent == none {
		return false
	}
	for _, v := range f.clusters[c].knowers {
		if slices.Contains(f.clusters[parent].knowers, v) {
			return false
		}
	}
	x := &f.clusters[parent]
	i := slices.Index(x.children, c)
	x.children = without(x.children, i)
	givers := make([][]int32, len(x.givers))
	for k := range givers {
		givers[k] = without(x.givers[k], i)
	}
	x.givers = givers
	f.clusters[c].parent = none
	if len(x.children) == 1 {
		f.dissolve(parent)
	}
	return true
}

// dissolve puts the only part of a cluster in its place.
func (f *form) dissolve(c int32) {
	x := f.clusters[c]
	only := x.children[0]
	f.clusters[c] = cluster{parent: none}
	f.clusters[only].parent = x.parent
	if c == f.root {
		f.root = only
		f.lead(x.knowers)
		return
	}
	y := &f.clusters[x.parent]
	y.children = replaced(y.children, slices.Index(y.children, c), only)
}

// lead gives the nodes that know the sum of the root, and did not before, their part: they are leaders now.
func (f *form) lead(before []int32) {
	for _, v := range f.clusters[f.root].knowers {
		if !slices.Contains(before, v) {
			f.down[v] = none
		}
	}
}

// enter makes a cluster a part of another one.
func (n *network) enter(f *form, c, to int32) {
	x := &f.clusters[to]
	givers := make([][]int32, len(x.givers))
	for k, v := range x.knowers {
		givers[k] = with(x.givers[k], n.giverTo(f, v, c))
	}
	x.children, x.givers = with(x.children, c), givers
	f.clusters[c].parent = to
}

// learn lets a node know the sum of one more cluster, or of several around one another.
func (n *network) learn(f *form, v int32, random *rand.Rand) bool {
	c := v
	ok := false
	for {
		parent := f.clusters[c].parent
		if parent == none {
			return ok
		}
		if x := &f.clusters[parent]; !slices.Contains(x.knowers, v) {
			x.knowers, x.givers = with(x.knowers, v), with(x.givers, n.giversTo(f, v, x.children))
			if parent == f.root {
				f.down[v] = none
			}
			ok = true
			if random.IntN(3) > 0 {
				return true
			}
		}
		c = parent
	}
}

// forget lets a node no longer know the largest sum that it knows.
func (n *network) forget(f *form, v int32, random *rand.Rand) bool {
	c := f.around(v, random)
	if c == none || len(f.clusters[c].knowers) == 1 {
		return false
	}
	x := &f.clusters[c]
	i := random.IntN(len(x.knowers))
	v = x.knowers[i]
	parent := x.parent
	if parent != none && slices.Contains(f.clusters[parent].knowers, v) {
		return false
	}
	x.knowers, x.givers = without(x.knowers, i), without(x.givers, i)
	if parent == none {
		f.down[v] = x.knowers[random.IntN(len(x.knowers))]
		return true
	}
	y := &f.clusters[parent]
	j := slices.Index(y.children, c)
	givers := slices.Clone(y.givers)
	for k := range givers {
		if givers[k][j] == v {
			givers[k] = replaced(givers[k], j, n.giverTo(f, y.knowers[k], c))
		}
	}
	y.givers = givers
	return true
}

// swapNodes lets two nodes change places.
func (n *network) swapNodes(f *form, a int32, random *rand.Rand) bool {
	b := n.neighbour(a, random)
	other := func(v int32) int32 {
		switch v {
		case a:
			return b
		case b:
			return a
		}
		return v
	}
	all := func(list []int32) []int32 {
		if !slices.Contains(list, a) && !slices.Contains(list, b) {
			return list
		}
		list = slices.Clone(list)
		for i, v := range list {
			list[i] = other(v)
		}
		return list
	}
	for c := n.nodes; c < len(f.clusters); c++ {
		if !f.used(int32(c)) {
			continue
		}
		x := &f.clusters[c]
		x.children, x.knowers = all(x.children), all(x.knowers)
		givers := make([][]int32, len(x.givers))
		for k := range givers {
			givers[k] = all(x.givers[k])
		}
		x.givers = givers
	}
	f.clusters[a].parent, f.clusters[b].parent = f.clusters[b].parent, f.clusters[a].parent
	if f.root == a || f.root == b {
		f.root = other(f.root)
	}
	f.down[a], f.down[b] = f.down[b], f.down[a]
	f.down = all(f.down)
	return true
}
