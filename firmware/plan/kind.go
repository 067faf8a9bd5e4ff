// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"
	"strings"

	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule/flow"
)

// The collectives.
const (
	Scatter   = "scatter"
	Gather    = "gather"
	Gossip    = "gossip"
	Broadcast = "broadcast"
	Reduce    = "reduce"
	Allreduce = "allreduce"
	Exchange  = "exchange"

	ReduceScatter = "reduce-scatter"
)

// Kind describes a collective.
type Kind struct {
	Name    string
	Aliases []string // other names that it answers to: that of MPI first, if there are any
	Does    string   // one line
	Rooted  bool     // one node, Job.Root, is different
	Holders Holders
	follows flow.Kind // what a schedule of it is, see Goal
}

// Holders says which nodes have words at the start, and so what Job.Lengths means.
type Holders uint8

// Who has words. Equal: every node, and as many as any other. Each: every
// node, and Lengths says how many for each of the others.
const (
	Everyone Holders = iota
	AllButRoot
	OnlyRoot
	Equal
	Each
)

// Kinds returns all collectives.
func Kinds() []Kind {
	return []Kind{
		{Scatter, nil, "every node gets its block from the root", true, AllButRoot, flow.Scatter},
		{Gather, nil, "the root gets every node's block", true, AllButRoot, flow.Gather},
		{Gossip, []string{"allgather"}, "every node gets every node's block (all-gather)", false, Everyone, flow.Gossip},
		{Broadcast, []string{"bcast"}, "every node gets the root's block", true, OnlyRoot, flow.Broadcast},
		{Reduce, nil, "the root gets the sum of all nodes' blocks", true, Equal, flow.Reduce},
		{Allreduce, nil, "every node gets the sum of all nodes' blocks", false, Equal, flow.Allreduce},
		{ReduceScatter, []string{"reduce_scatter"}, "every node gets its piece of the sum of all nodes' blocks", false, Equal, flow.ReduceScatter},
		{Exchange, []string{"alltoall", "total-exchange"}, "every node gets a block from every other (all-to-all)", false, Each, flow.Exchange},
	}
}

// Goal is what the collective demands of a schedule that names blocks.
func (k Kind) Goal(nodes int, root router.NodeID) flow.Goal {
	return flow.Goal{Kind: k.follows, Nodes: nodes, Root: root}
}

// MPI is the name that the collective has in MPI.
func (k Kind) MPI() string {
	if len(k.Aliases) > 0 {
		return k.Aliases[0]
	}
	return k.Name
}

// KindOf returns the collective that answers to a name; the error is an *input.Error. Capitals, hyphens, underscores and MPI_ in front make no difference:
// gossip answers to allgather, MPI_Allgather, all-gather and ALL_GATHER.
func KindOf(name string) (Kind, error) {
	var names []string
	for _, k := range Kinds() {
		if bare(k.Name) == bare(name) || slices.ContainsFunc(k.Aliases, func(alias string) bool { return bare(alias) == bare(name) }) {
			return k, nil
		}
		names = append(names, k.Name)
	}
	if err := misspelt(name); err != nil {
		return Kind{}, err
	}
	last := len(names) - 1
	return Kind{}, input.Errorf("expected "+strings.Join(names[:last], ", ")+" or "+names[last], "unknown collective %q", name)
}

// misspelt refuses a name that is close to one of a collective, with that one; nil: none is close.
func misspelt(name string) error {
	var answering []string
	for _, k := range Kinds() {
		answering = append(append(answering, k.Name), k.Aliases...)
	}
	if near := input.Nearest(name, answering); near != "" {
		return input.Errorf("did you mean "+near+"?", "unknown collective %q", name)
	}
	return nil
}

// checkName refuses a slip of the pen in the name of a collective. Names of the caller's own are fine.
func checkName(name string) error {
	if _, err := KindOf(name); err != nil {
		return misspelt(name)
	}
	return nil
}

// bare is a name of a collective without what makes no difference.
func bare(name string) string {
	return strings.TrimPrefix(strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name)), "mpi")
}

// share returns how many words a node has at the start.
func share(t *Task, n router.NodeID) (int, error) {
	length := t.Lengths[n]
	if length < 0 || length > MaxWords {
		return 0, input.Errorf("expected at least 0, all together at most 2^28", "length %d of node %d", length, n)
	}
	switch t.Kind.Holders {
	case Each:
		return length * (len(t.Lengths) - 1), nil
	case Equal:
		if length != t.Lengths[0] {
			return 0, input.Errorf("expected as many for each node", "%s of %d words at node 0, of %d at node %d", t.Kind.Name, t.Lengths[0], length, n)
		}
	}
	return length, nil
}

// drop leaves out the lengths of nodes that have nothing.
func drop(t *Task) {
	for n := range t.Lengths {
		isRoot := router.NodeID(n) == t.Root
		if t.Kind.Holders == AllButRoot && isRoot || t.Kind.Holders == OnlyRoot && !isRoot {
			t.Lengths[n] = 0
		}
	}
}

// fits refuses jobs that need more than the memories of all PEs together.
func fits(t *Task) error {
	nodes, words := len(t.Lengths), t.Offset[len(t.Lengths)]
	each := words // most words that a PE has in the end
	switch t.Kind.Holders {
	case AllButRoot:
		return nil
	case Equal:
		each = t.Lengths[0]
	case Each:
		each = 2 * words / nodes
	}
	if each > MaxWords/nodes {
		return tooManyWords(t, "expected at most 2^28 in all PEs together", fmt.Sprintf("%d words, all of them in each of %d PEs", each, nodes))
	}
	return nil
}

// The block of a PE in an exchange begins with the words that it sends, by
// destination in rising order. The words that it gets follow, by source in rising
// order. Neither part has words for the PE itself.

// ExchangeOut returns where, in the block of node i, the words are that it sends to node
// j.
func (t *Task) ExchangeOut(i, j router.NodeID) Range {
	from := (int(j) - after(j, i)) * t.Lengths[i]
	return Range{From: from, To: from + t.Lengths[i]}
}

// ExchangeIn returns where, in the block of node i, the words are that it gets from node
// j.
func (t *Task) ExchangeIn(i, j router.NodeID) Range {
	others := len(t.Lengths) - 1
	from := t.Lengths[i]*others + t.Offset[j]/max(1, others) - after(j, i)*t.Lengths[i]
	return Range{From: from, To: from + t.Lengths[j]}
}

// after is 1 when node j comes behind node i.
func after(j, i router.NodeID) int {
	if j > i {
		return 1
	}
	return 0
}

// ExchangeWords is the length of a node's block in an exchange.
func (t *Task) ExchangeWords(n router.NodeID) int {
	words := 0
	for m, length := range t.Lengths {
		if router.NodeID(m) != n {
			words += length
		}
	}
	return words + t.Lengths[n]*(len(t.Lengths)-1)
}

// ExchangeBlock is the block of node i in an exchange.
func (t *Task) ExchangeBlock(i router.NodeID) Block {
	words := slices.Clone(t.Block(i))
	elements, given := t.Machine.Elements(), Range{From: 0, To: t.WordsOf(words)}
	for j := range router.NodeID(len(t.Lengths)) {
		if j != i {
			r := t.ExchangeOut(j, i)
			words = append(words, t.Block(j)[r.From*elements:r.To*elements]...)
		}
	}
	return Block{Words: words, Given: given}
}

// GossipBlock is the block of a node in a gossip: all nodes' words.
func (t *Task) GossipBlock(n router.NodeID) Block {
	return Block{Words: t.Words, Given: Range{From: t.Offset[n], To: t.Offset[n+1]}}
}

// Piece returns which words are a node's own: of a gossip its block, among all words, and else
// its part of the vector, which is cut as evenly as its words allow. In a reduce-scatter the node
// gets the sum of these words.
func (t *Task) Piece(n router.NodeID) Range {
	if t.Kind.Name == Gossip {
		return Range{From: t.Offset[n], To: t.Offset[n+1]}
	}
	from, to := flow.Piece(n, len(t.Lengths), t.VectorWords())
	return Range{From: from, To: to}
}

// VectorWords is the length of the vector that is broadcast or reduced.
func (t *Task) VectorWords() int { return t.Lengths[t.Root] }
