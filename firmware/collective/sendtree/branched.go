// SPDX-License-Identifier: Apache-2.0

package sendtree

import (
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Sharing is how nodes divide those for which they stand among their links, see Branched.
type Sharing int

const (
	// RootShares: only the root divides them. Each link has runs of its own, as in Ordered, and so has each other node, whichever link it takes.
	RootShares Sharing = iota
	// AllShare: every node divides them.
	AllShare
	// Neighbours: every node divides them, and sends all of a link to the neighbour there in one message.
	Neighbours
)

// Sharings lists all of them.
func Sharings() []Sharing { return []Sharing{RootShares, AllShare, Neighbours} }

// Branched is Ordered for nodes whose links work at once: the other nodes are divided among the links of the root, as evenly as they can be when the nodes of a
// link hang together. On a hypercube, for instance, half of all nodes are behind one link of the machine's routes, but all links can have as many if neighbours pass messages on.
// Errors are *input.Error.
func Branched(t *topology.Topology, m machine.Machine, root router.NodeID, by Sharing, words func(nodes int) int) (*Tree, error) {
	net, err := fabric.NewRoutes(t, m)
	if err != nil {
		return nil, err
	}
	b := &brancher{topology: t, net: net, by: by, tree: newTree(root, t.Nodes()), given: runs(newClock(m), t.Nodes(), words), part: make([]int, t.Nodes())}
	all := []router.NodeID{root}
	for v := range router.NodeID(t.Nodes()) {
		if v != root {
			all = append(all, v)
		}
	}
	b.queue = [][]router.NodeID{all}
	for i := 0; i < len(b.queue); i++ {
		nodes := b.queue[i]
		list := b.divided(nodes)
		if i == 0 || by != RootShares {
			list = b.shared(nodes)
		}
		for _, r := range list {
			to := r.nodes[0]
			b.tree.add(to, nodes[0], r.turn, net.Distance(nodes[0], to), net.Next(nodes[0], to))
			b.queue = append(b.queue, r.nodes)
		}
	}
	return b.tree, nil
}

// served is nodes, of which the first one is served in some turn and stands for all.
type served struct {
	nodes []router.NodeID
	turn  int
}

// brancher divides nodes among those that stand for them.
type brancher struct {
	topology *topology.Topology
	net      *fabric.Routes
	by       Sharing
	tree     *Tree
	given    []int             // see runs
	queue    [][]router.NodeID // each with the node that stands for it in front
	part     []int             // by node: how many were in the queue when it was divided last; none once it has a branch
}

// divided divides nodes into the runs to which the first one sends, one after the other.
func (b *brancher) divided(nodes []router.NodeID) (list []served) {
	for turn := 1; len(nodes) > 1; turn++ {
		q := b.given[len(nodes)]
		list = append(list, served{nodes[len(nodes)-q:], turn})
		nodes = nodes[:len(nodes)-q]
	}
	return list
}

// shared divides nodes among the links of the first one, and those of each link into runs.
func (b *brancher) shared(nodes []router.NodeID) (list []served) {
	for _, walk := range b.branches(nodes) {
		if b.by == Neighbours {
			list = append(list, served{walk, 1})
			continue
		}
		list = append(list, b.behind(nodes[0], walk)...)
	}
	slices.SortStableFunc(list, func(x, y served) int { return x.turn - y.turn })
	return list
}

// behind divides the nodes of a branch into the runs to which a node sends by its link. The first node of each run is one to which that link leads. If all nodes share, a run without
// one goes with the last run, that of the neighbour.
func (b *brancher) behind(from router.NodeID, walk []router.NodeID) (list []served) {
	port := b.net.Next(from, walk[0])
	var others []router.NodeID
	for _, r := range b.divided(append([]router.NodeID{from}, walk...)) {
		k := slices.IndexFunc(r.nodes, func(v router.NodeID) bool { return b.net.Next(from, v) == port })
		if k < 0 && b.by == AllShare {
			others = append(others, r.nodes...)
			continue
		}
		k = max(k, 0)
		list = append(list, served{slices.Concat(r.nodes[k:k+1], r.nodes[:k], r.nodes[k+1:]), r.turn})
	}
	last := &list[len(list)-1]
	last.nodes = append(last.nodes, others...)
	return list
}

// branch is a part of the nodes, which grows from a neighbour of the first one.
type branch struct {
	port  int    // of the first node, and which of its ports each node looks at first, so that no branch has the first choice everywhere
	open  []next // nodes next to it, in the order in which they were seen
	nodes []next // in the order in which they came
}

// next is a node and another to which it has a link.
type next struct{ node, parent router.NodeID }

// branches divides nodes among the links of the first one. The branch with the fewest nodes grows first. A branch is a walk: each node comes before those that hang on it, and is followed by all of them, the largest
// part last. Nodes that hang on none join the smallest branch.
func (b *brancher) branches(nodes []router.NodeID) (walks [][]router.NodeID) {
	const done = -1
	free := len(b.queue)
	for _, v := range nodes {
		b.part[v] = free
	}
	b.part[nodes[0]] = done
	var list []branch
	for p := range b.topology.Ports(nodes[0]) {
		if v := b.topology.Neighbor(nodes[0], router.Port(p)); v != router.None && b.part[v] == free {
			list = append(list, branch{port: p, open: []next{{v, router.None}}})
		}
	}
	for {
		least := -1
		for i := range list {
			x := &list[i]
			for len(x.open) > 0 && b.part[x.open[0].node] != free {
				x.open = x.open[1:]
			}
			if len(x.open) > 0 && (least < 0 || len(x.nodes) < len(list[least].nodes)) {
				least = i
			}
		}
		if least < 0 {
			break
		}
		x := &list[least]
		at := x.open[0]
		b.part[at.node], x.nodes = done, append(x.nodes, at)
		ports := b.topology.Ports(at.node)
		for p := range ports {
			if v := b.topology.Neighbor(at.node, router.Port((p+x.port)%ports)); v != router.None && b.part[v] == free {
				x.open = append(x.open, next{v, at.node})
			}
		}
	}
	for i := range list {
		if len(list[i].nodes) > 0 {
			walks = append(walks, list[i].walk())
		}
	}
	for _, v := range nodes {
		if b.part[v] == free {
			if len(walks) == 0 {
				walks = append(walks, nil)
			}
			least := 0
			for i := range walks {
				if len(walks[i]) < len(walks[least]) {
					least = i
				}
			}
			walks[least] = append(walks[least], v)
		}
	}
	return walks
}

// walk lists the nodes of a branch, see branches.
func (x *branch) walk() []router.NodeID {
	children, below := make(map[router.NodeID][]router.NodeID), make(map[router.NodeID]int)
	for _, at := range slices.Backward(x.nodes) {
		below[at.node]++
		below[at.parent] += below[at.node]
		children[at.parent] = append(children[at.parent], at.node)
	}
	walk := make([]router.NodeID, 0, len(x.nodes))
	for stack := []router.NodeID{x.nodes[0].node}; len(stack) > 0; {
		at := stack[len(stack)-1]
		stack, walk = stack[:len(stack)-1], append(walk, at)
		list := children[at]
		slices.SortStableFunc(list, func(a, b router.NodeID) int { return below[b] - below[a] })
		stack = append(stack, list...)
	}
	return walk
}
