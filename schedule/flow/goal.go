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

	Reduce        // the root gets the sum of all nodes' blocks
	Allreduce     // every node gets the sum
	ReduceScatter // every node gets its piece of the sum, see Piece
)

// Goal says which node has which blocks at the start, and must have which at the end.
type Goal struct {
	Kind  Kind
	Nodes int
	Root  router.NodeID // of gather, scatter, broadcast and reduce
}

// Sums reports whether messages carry sums of blocks.
func (g *Goal) Sums() bool { return g.Kind >= Reduce }

// Piece returns the words, from and to behind the last, that are a node's own in a vector that is cut as evenly as its words allow.
func Piece(n router.NodeID, nodes, words int) (from, to int) {
	return words * int(n) / nodes, words * (int(n) + 1) / nodes
}

// summed returns the words, from and to behind the last, of which a node must have the sum at the end.
func (g *Goal) summed(n router.NodeID, words int) (from, to int) {
	switch {
	case g.Kind == ReduceScatter:
		return Piece(n, g.Nodes, words)
	case g.Kind == Reduce && n != g.Root:
		return 0, 0
	}
	return 0, words
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
	return [...]string{Gossip: "all-gather", Gather: "gather", Scatter: "scatter", Broadcast: "broadcast", Exchange: "all-to-all", Reduce: "reduce", Allreduce: "allreduce", ReduceScatter: "reduce-scatter"}[k]
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
	case Reduce:
		return fmt.Sprintf("node %d has the sum of %s", g.Root, all(g.Nodes))
	case Allreduce:
		return "every node has the sum of " + all(g.Nodes)
	case ReduceScatter:
		return "every node has its piece of the sum of " + all(g.Nodes)
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
