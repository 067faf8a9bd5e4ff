// SPDX-License-Identifier: Apache-2.0

package leaders

import (
	"slices"

	"meshwright/firmware/transfer"
)

// none is no node, or no cluster.
const none = int32(-1)

// form says who sends what of a piece. The first clusters are those of single nodes. Slices within a cluster are never changed, since forms share them.
type form struct {
	clusters []cluster
	root     int32   // the cluster of all nodes
	down     []int32 // by node: from where it gets the whole sum; none for a leader
	early    []int32 // by node: by how many cycles its sum goes before others, and then the whole sum to it; two for each node
}

// cluster is a set of nodes.
type cluster struct {
	parent   int32     // none: of the root
	children []int32   // at least two, none for a single node
	knowers  []int32   // the nodes that know its sum; none of a cluster that is not used
	givers   [][]int32 // by knower and child: from where it has the child's sum; none if it knows that itself
}

// design is the forms of all pieces.
type design struct {
	forms []*form
	ends  []int32 // by piece: the end of its words
}

// even is the design of pieces of the same size.
func (n *network) even(forms []*form) design {
	d := design{forms: forms}
	for p := range forms {
		d.ends = append(d.ends, int32((p+1)*n.total/len(forms)))
	}
	return d
}

// words returns the words of a piece.
func (d *design) words(piece int32) transfer.Range {
	r := transfer.Range{To: int(d.ends[piece])}
	if piece > 0 {
		r.From = int(d.ends[piece-1])
	}
	return r
}

// size is the number of words of a piece.
func (d *design) size(piece int32) int {
	r := d.words(piece)
	return r.To - r.From
}

func newForm(nodes int) *form {
	f := &form{clusters: make([]cluster, nodes, 2*nodes), root: none, down: slices.Repeat([]int32{none}, nodes), early: make([]int32, 2*nodes)}
	for v := range f.clusters {
		f.clusters[v] = cluster{parent: none, knowers: []int32{int32(v)}}
	}
	return f
}

func (f *form) clone() *form {
	return &form{slices.Clone(f.clusters), f.root, slices.Clone(f.down), slices.Clone(f.early)}
}

// used reports whether a cluster is part of the form.
func (f *form) used(c int32) bool { return f.clusters[c].knowers != nil }

// add makes a cluster of others, whose knowers have the sums of the children from the nearest nodes.
func (n *network) add(f *form, children, knowers []int32) int32 {
	c := int32(len(f.clusters))
	for i := n.nodes; i < len(f.clusters); i++ {
		if !f.used(int32(i)) {
			c = int32(i)
			break
		}
	}
	if int(c) == len(f.clusters) {
		f.clusters = append(f.clusters, cluster{})
	}
	x := cluster{parent: none, children: children, knowers: knowers}
	for _, v := range knowers {
		x.givers = append(x.givers, n.giversTo(f, v, children))
	}
	f.clusters[c] = x
	for _, d := range children {
		f.clusters[d].parent = c
	}
	return c
}

// giversTo returns the nodes from which a node has the sums of clusters: of those at one distance another one for each node.
func (n *network) giversTo(f *form, v int32, children []int32) []int32 {
	givers := make([]int32, len(children))
	for i, d := range children {
		givers[i] = n.giverTo(f, v, d)
	}
	return givers
}

func (n *network) giverTo(f *form, v, child int32) int32 {
	best := none
	knowers := f.clusters[child].knowers
	for k := range knowers {
		u := knowers[(k+int(v))%len(knowers)]
		if u == v {
			return none
		}
		if best == none || n.Links(u, v) < n.Links(best, v) {
			best = u
		}
	}
	return best
}

// within reports whether a cluster is another one or part of it.
func (f *form) within(c, other int32) bool {
	for ; c != none; c = f.clusters[c].parent {
		if c == other {
			return true
		}
	}
	return false
}

// below reports whether a node is another one, or gets the whole sum by way of it.
func (f *form) below(v, other int32) bool {
	for ; v != none; v = f.down[v] {
		if v == other {
			return true
		}
	}
	return false
}

// replaced returns a list with another element i.
func replaced[T any](list []T, i int, by T) []T {
	list = slices.Clone(list)
	list[i] = by
	return list
}

// without returns a list without its element i.
func without[T any](list []T, i int) []T { return slices.Delete(slices.Clone(list), i, i+1) }

// with returns a list with one more element.
func with[T any](list []T, x T) []T { return append(slices.Clip(list), x) }
