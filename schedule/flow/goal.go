// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"fmt"
	"iter"

	"meshwright/internal/input"
	"meshwright/router"
)

// Kind is a collective whose blocks can be followed.
type Kind uint8

// The collectives.
const (
	Gossip    Kind = iota // every node gets every node's block
	Gather                // the root gets every node's block
	Scatter               // every node gets its block from the root
	Broadcast             // every node gets the root's block
	Exchange              // every node gets a block from every other
)

// Goal says which node has which blocks at the start, and must have which at the end.
type Goal struct {
	Kind  Kind
	Nodes int
	Root  router.NodeID // of gather, scatter and broadcast
}

// Blocks is the number of blocks that the collective moves.
func (g *Goal) Blocks() int {
	switch g.Kind {
	case Gather, Scatter:
		return g.Nodes - 1
	case Broadcast:
		return 1
	case Exchange:
		return g.Nodes * (g.Nodes - 1)
	}
	return g.Nodes
}

// String is the name of the collective.
func (k Kind) String() string {
	return [...]string{Gossip: "all-gather", Gather: "gather", Scatter: "scatter", Broadcast: "broadcast", Exchange: "all-to-all"}[k]
}

// Done says what holds at the end.
func (g *Goal) Done() string {
	switch g.Kind {
	case Gather:
		return fmt.Sprintf("node %d has %s", g.Root, all(g.Nodes-1))
	case Scatter:
		return fmt.Sprintf("every node has its block from node %d", g.Root)
	case Broadcast:
		return fmt.Sprintf("every node has the block of node %d", g.Root)
	case Exchange:
		return "every node has " + all(g.Nodes-1) + " for it"
	}
	return "every node has " + all(g.Nodes)
}

func all(blocks int) string {
	if blocks == 1 {
		return "the block"
	}
	return "all " + input.Count(blocks, "block")
}

// ids is how many numbers blocks have, see id.
func (g *Goal) ids() int {
	if g.Kind == Exchange {
		return g.Nodes * g.Nodes
	}
	return g.Nodes
}

// id numbers a block: that of a node, or of a node for another.
func (g *Goal) id(from, to router.NodeID) int {
	if g.Kind == Exchange {
		return int(from)*g.Nodes + int(to)
	}
	return int(from)
}

// name is the block with a number, as files have it.
func (g *Goal) name(id int) string {
	if g.Kind == Exchange {
		return fmt.Sprintf("%d>%d", id/g.Nodes, id%g.Nodes)
	}
	return fmt.Sprint(id)
}

// starts ranges over the blocks that a node has at the start.
func (g *Goal) starts(n router.NodeID) iter.Seq[int] {
	switch g.Kind {
	case Scatter:
		if n == g.Root {
			return g.others()
		}
		return none
	case Broadcast:
		if n == g.Root {
			return only(int(n))
		}
		return none
	case Exchange:
		return g.pairs(n, func(other router.NodeID) int { return g.id(n, other) })
	}
	return only(int(n))
}

// needs ranges over the blocks that a node must have at the end.
func (g *Goal) needs(n router.NodeID) iter.Seq[int] {
	switch g.Kind {
	case Gather:
		if n == g.Root {
			return g.others()
		}
		return none
	case Scatter:
		if n != g.Root {
			return only(int(n))
		}
		return none
	case Broadcast:
		return only(int(g.Root))
	case Exchange:
		return g.pairs(n, func(other router.NodeID) int { return g.id(other, n) })
	}
	return func(yield func(int) bool) {
		for block := 0; block < g.Nodes && yield(block); block++ {
		}
	}
}

// others ranges over the blocks of all nodes but the root.
func (g *Goal) others() iter.Seq[int] {
	return g.pairs(g.Root, func(other router.NodeID) int { return int(other) })
}

// pairs ranges over what belongs to a node and each other one.
func (g *Goal) pairs(n router.NodeID, of func(other router.NodeID) int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for other := range router.NodeID(g.Nodes) {
			if other != n && !yield(of(other)) {
				return
			}
		}
	}
}

func only(block int) iter.Seq[int] { return func(yield func(int) bool) { yield(block) } }

func none(func(int) bool) {}
