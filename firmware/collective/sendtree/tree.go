// SPDX-License-Identifier: Apache-2.0

package sendtree

import (
	"cmp"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// Tree says which node sends to which. Every edge is a message, over one link or more.
type Tree struct {
	Root   router.NodeID
	Parent []router.NodeID // router.None at the root
	Order  []router.NodeID // parents before children; a node's children in the order in which it serves them
	Turn   []int           // by node: the turn of its parent in which it is served, from 1; children of one turn are behind different channels
	Links  []int           // by node: how many links are between it and its parent
	Port   []router.Port   // by node: its parent's port by which the message leaves
}

func newTree(root router.NodeID, nodes int) *Tree {
	t := &Tree{
		Root: root, Parent: make([]router.NodeID, nodes), Order: make([]router.NodeID, 1, nodes),
		Turn: make([]int, nodes), Links: make([]int, nodes), Port: make([]router.Port, nodes),
	}
	t.Parent[root], t.Order[0] = router.None, root
	return t
}

// add makes a node the next child of its parent.
func (t *Tree) add(n, parent router.NodeID, turn, links int, port router.Port) {
	t.Parent[n], t.Turn[n], t.Links[n], t.Port[n] = parent, turn, links, port
	t.Order = append(t.Order, n)
}

// Spanning returns a spanning tree of the network, in which all messages go to neighbours.
// A node first serves the children whose subtrees, in messages of words words, take
// longest. With one channel this order is the best, by an exchange argument.
func Spanning(t *topology.Topology, m machine.Machine, s *topology.SpanningTree, words int) *Tree {
	c := newClock(m)
	children := s.Children()
	below := make([]router.Cycle, len(s.Parent)) // from the cycle in which a node has the words
	for _, n := range slices.Backward(s.Order) {
		list := children[n]
		slices.SortStableFunc(list, func(a, b router.NodeID) int { return cmp.Compare(below[b], below[a]) })
		for i, child := range list {
			from := router.Cycle(0)
			if !c.links {
				from = router.Cycle(i) * c.turn(words)
			}
			below[n] = max(below[n], from+c.UntilWhole(1, words)+below[child])
		}
	}
	tree := newTree(s.Root, len(s.Parent))
	for i := 0; i < len(tree.Order); i++ {
		at := tree.Order[i]
		for _, child := range children[at] {
			port, _ := t.PortTo(at, child)
			tree.add(child, at, 1, 1, port)
		}
	}
	return tree
}

// MaxDepth returns the most messages from the root to a node.
func (t *Tree) MaxDepth() int {
	depth := make([]int, len(t.Parent))
	most := 0
	for _, n := range t.Order[1:] {
		depth[n] = depth[t.Parent[n]] + 1
		most = max(most, depth[n])
	}
	return most
}

// Startups returns the most startups that follow one another until a node has its message:
// the startups of the messages on the way to it, and of earlier messages of the same
// channels.
func (t *Tree) Startups(m machine.Machine) int {
	c := newClock(m)
	most := 0
	served := newChannels(t, c)
	done := make([]int, len(t.Parent))
	for _, n := range t.Order[1:] {
		p := t.Parent[n]
		k := served.of(n)
		served.count[k]++
		done[n] = done[p] + served.count[k]
		most = max(most, done[n])
	}
	return most
}

// channels counts or times the messages of every channel. Children of a node stand together in
// the order, so only the last node's channels are kept.
type channels struct {
	tree  *Tree
	c     *clock
	at    router.NodeID
	count []int // messages, by channel
	times []timing.Channel
	now   router.Cycle // of the sender's program
}

func newChannels(t *Tree, c *clock) *channels {
	most := router.Port(0)
	for _, p := range t.Port {
		most = max(most, p)
	}
	return &channels{tree: t, c: c, at: router.None, count: make([]int, most+1), times: make([]timing.Channel, most+1)}
}

// of returns the channel by which a node is served, that of a new sender
// without a past.
func (k *channels) of(n router.NodeID) int {
	if p := k.tree.Parent[n]; p != k.at {
		k.at, k.now = p, 0
		clear(k.count)
		clear(k.times)
	}
	if !k.c.links {
		return 0
	}
	return int(k.tree.Port[n])
}

// hand hands a message over to a channel from a cycle on, and returns the
// cycle in which its last flit is placed.
func (k *channels) hand(channel int, from router.Cycle, words int) (last router.Cycle) {
	k.now, last = k.c.Hand(&k.times[channel], max(k.now, from), words)
	return last
}

// Cycles returns the time of the messages of a tree when a node's has so many
// words, 0 for none.
func (t *Tree) Cycles(m machine.Machine, words func(router.NodeID) int) router.Cycle {
	return t.cycles(newClock(m), words)
}

func (t *Tree) cycles(c *clock, words func(router.NodeID) int) router.Cycle {
	has := make([]router.Cycle, len(t.Parent))
	channels := newChannels(t, c)
	end := router.Cycle(0)
	for _, n := range t.Order[1:] {
		k := channels.of(n)
		if words(n) == 0 {
			continue
		}
		last := channels.hand(k, has[t.Parent[n]], words(n))
		has[n] = c.WholeAfter(last, t.Links[n])
		end = max(end, has[n]+1)
	}
	return end
}

// standing returns the words of every node's message, by how many nodes it
// stands for.
func (t *Tree) standing(words func(nodes int) int) func(router.NodeID) int {
	size := make([]int, len(t.Parent))
	for _, n := range slices.Backward(t.Order[1:]) {
		size[n]++
		size[t.Parent[n]] += size[n]
	}
	return func(n router.NodeID) int { return words(size[n]) }
}

// steps returns the steps in which the nodes take their messages.
func (t *Tree) steps() []int {
	steps := make([]int, len(t.Parent))
	for _, n := range t.Order[1:] {
		steps[n] = steps[t.Parent[n]] + t.Turn[n]
	}
	return steps
}

// all is the words 0 to words-1 of a block.
func all(words int) transfer.Set {
	if words == 0 {
		return nil
	}
	return transfer.Set{{From: 0, To: words}}
}

// Broadcast sends the root's block of so many words down the tree in so many
// parts, each as soon as it has come.
func (t *Tree) Broadcast(words, parts int) *transfer.List {
	l := &transfer.List{Nodes: len(t.Parent)}
	steps := t.steps()
	for p := range parts {
		part := all(words).Part(p, parts)
		if part.Words() == 0 {
			continue
		}
		for _, n := range t.Order[1:] {
			l.Transfers = append(l.Transfers, transfer.Transfer{Step: p + steps[n] - 1, From: t.Parent[n], To: n, Out: part})
		}
	}
	return l
}

// Reduce is Broadcast reversed in time: every node adds the words of its children to its
// block, part by part, and sends the sum on.
func (t *Tree) Reduce(words, parts int) *transfer.List {
	return Reversed(t.Broadcast(words, parts), transfer.Add)
}

// Reversed reverses a list in time: a message from one node to another becomes a message
// back, and the last step comes first. The receiver stores the words or adds them, as op
// says.
func Reversed(l *transfer.List, op transfer.Op) *transfer.List {
	last := 0
	for i := range l.Transfers {
		last = max(last, l.Transfers[i].Step)
	}
	r := &transfer.List{Nodes: l.Nodes, Transfers: make([]transfer.Transfer, 0, len(l.Transfers))}
	for _, x := range slices.Backward(l.Transfers) {
		x.Step, x.From, x.To, x.Out, x.In, x.Op = last-x.Step, x.To, x.From, x.Places(), x.Out, op
		r.Transfers = append(r.Transfers, x)
	}
	return r
}

// AllReduce is Reduce and, of every part that the root has the sum of, at once
// Broadcast: up and down the tree messages go over opposite links.
func (t *Tree) AllReduce(words, parts int) *transfer.List {
	l := &transfer.List{Nodes: len(t.Parent)}
	steps := t.steps()
	depth := 0
	for _, s := range steps {
		depth = max(depth, s)
	}
	for p := range parts {
		part := all(words).Part(p, parts)
		if part.Words() == 0 {
			continue
		}
		for _, n := range slices.Backward(t.Order[1:]) {
			l.Transfers = append(l.Transfers, transfer.Transfer{Step: p + depth - steps[n], From: n, To: t.Parent[n], Out: part, Op: transfer.Add})
		}
		for _, n := range t.Order[1:] {
			l.Transfers = append(l.Transfers, transfer.Transfer{Step: p + depth + steps[n] - 1, From: t.Parent[n], To: n, Out: part})
		}
	}
	return l
}

// Then joins two lists, one after the other. Nodes do not wait for one another in between,
// except for the messages that they receive.
func Then(a, b *transfer.List) *transfer.List {
	after := 0
	for i := range a.Transfers {
		after = max(after, a.Transfers[i].Step+1)
	}
	l := &transfer.List{Nodes: a.Nodes, Transfers: slices.Clone(a.Transfers)}
	for _, x := range b.Transfers {
		x.Step += after
		l.Transfers = append(l.Transfers, x)
	}
	return l
}
