// SPDX-License-Identifier: Apache-2.0

package certification

import (
	"cmp"
	"fmt"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// Transmission certification (Bhatt, Pucci, Ranade, Rosenberg) gathers on any
// tree without any node knowing another's length. A token wakes the nodes; each
// answers with a certificate (lag c, flits n): "c cycles after an order I can
// send the n flits of my subtree without a gap"; the root's orders pass down,
// each node making its children's from its own, and the messages come in one
// stream without gaps.
//
// What a PE is given says nothing of the lengths of others: parent, children,
// its own length. The root also has a table of where each node's block is to
// go, as in MPI_Gatherv; the protocol does not look at it. With no flits to
// gather the protocol still runs, since nobody knows.

// certScheme is a way to certify: its programs and the arithmetic in them.
type certScheme struct {
	name, root, inner, leaf string // the algorithm; programs

	ports  machine.Regime // AllPort: counts on links and channels that work independently
	silent bool           // a subtree without flits gets no order
	timed  bool           // tokens follow one another, certificates are held back to arrive apart
	slower string         // why it may take longer than 2B + C + M; "": it never does
	lag    func(own int, children []certificate) int
	atRoot func(children []certificate) int // the order that the root acts on; nil: every child gets its own lag
	order  func(s, before, k int) int       // child k's (from 0), with so many flits of the stream before its part
}

// certificate is the content of a certificate from a node to its parent.
type certificate struct {
	lag, flits int
	node       router.NodeID
}

// Printed gathers as the paper's section 3.2 prints it.
func Printed(t *plan.Task) (*plan.Plan, error) {
	return certify(t, &certScheme{
		name: "certification", root: "cert-root", inner: "cert-inner", leaf: "cert-leaf",
		ports: machine.SinglePort, lag: printedLag, slower: "the token walks around the tree",
		atRoot: func(children []certificate) int { return printedLag(0, children) },
		order:  func(s, before, k int) int { return s + before - 2 - k },
	})
}

// printedLag is the paper's closed formula, for children in rising order of lag.
func printedLag(own int, children []certificate) int {
	c, free := len(children)+1, own
	for _, child := range children {
		c += max(0, child.lag-free)
		free = child.lag + child.flits
	}
	return c
}

// Tight gathers as certification does, without waiting for one
// child's certificate before waking the next, and with the smallest lag:
//
//	c = max(d+1, max over k of c_k + k + 1 - F_k)
//
// for the d children with flits in rising order of lag, F_k the flits of the
// stream before child k's part, its own message's included. Child k's order
// arrives in t+k, so that s_k = s + F_k - 1 - k >= c_k is all that is needed;
// and orders leave before own flits. Since n_k >= 1, exchanging two neighbours
// into rising order of lag never makes c larger. No order or term less makes it
// larger either, and the printed sum is at least its largest partial one, so that
// printed c >= d+1 + max(0, max over k of c_k - F_k) >= this one.
func Tight(t *plan.Task) (*plan.Plan, error) {
	return certify(t, &certScheme{
		name: "certification-tight", root: "cert-tight-root", inner: "cert-tight-inner", leaf: "cert-tight-leaf",
		silent: true, timed: true, ports: machine.SinglePort,
		lag:    func(own int, children []certificate) int { return max(len(children)+1, tightOrder(own, children)) },
		atRoot: func(children []certificate) int { return tightOrder(0, children) },
		order:  func(s, before, k int) int { return s + before - 2 - k },
	})
}

// tightOrder is the smallest order that leaves the children time.
func tightOrder(own int, children []certificate) int {
	s, before := 0, own
	for k, child := range children {
		s = max(s, child.lag+k+2-before)
		before += child.flits
	}
	return s
}

// Parallel gathers over links that work independently: tokens and
// orders go to all children at once, a node's stream leaves over the link to its
// parent,
//
//	c = max(1, max over k of c_k + 2 - F_k),
//
// and at the root every child's stream has a link of its own and starts as
// soon as the child has certified it.
func Parallel(t *plan.Task) (*plan.Plan, error) {
	return certify(t, &certScheme{
		name: "certification-parallel", root: "cert-parallel-root", inner: "cert-parallel-inner", leaf: "cert-tight-leaf",
		silent: true, ports: machine.AllPort,
		lag: func(own int, children []certificate) int {
			c, before := 1, own
			for _, child := range children {
				c = max(c, child.lag+2-before)
				before += child.flits
			}
			return c
		},
		order: func(s, before, _ int) int { return s + before - 2 },
	})
}

// MaxNodes bounds the nodes for which auto runs a protocol in which the nodes find out the
// lengths that the other gathers know from the start.
const MaxNodes = 1024

// maxChildren bounds the children of a node: a PE may have to sort and add all
// certificates in one cycle, and executes at most pe.MaxInstructions in it.
const maxChildren = 36_000

// certify plans a gather with certificates.
func certify(t *plan.Task, s *certScheme) (*plan.Plan, error) {
	if err := checkCertification(t, s); err != nil {
		return nil, err
	}
	tree, err := AskingTree(t, s.ports)
	if err != nil {
		return nil, err
	}
	for n := range router.NodeID(len(tree.Parent)) {
		if d := len(tree.Children(n)); d > maxChildren {
			return nil, input.Errorf(fmt.Sprintf("expected at most %d, or nearest-first", maxChildren), "%s: node %d has %d children in the tree", s.name, n, d)
		}
	}
	if most := largestWord(tree, s, t.Lengths); uint32(most) > t.WordMask() {
		return nil, input.Errorf("expected a larger width, or nearest-first", "%s: lag or order %d does not fit width %d", s.name, most, t.Machine.Width)
	}
	hold := make([]int32, len(tree.Parent))
	if s.timed {
		hold = newCertTimes(tree).hold
	}
	root, inner, leaf := plan.LoadRole(s.root), plan.LoadRole(s.inner), plan.LoadRole(s.leaf)
	p := t.NewPlan(root, inner, leaf)
	for _, n := range tree.Order[1:] {
		r := inner
		if len(tree.Children(n)) == 0 {
			r = leaf
		}
		p.PEs[n] = certifier(t, r, tree, n, int(hold[n]))
	}
	p.PEs[t.Root] = certRoot(t, root, tree)
	p.Messages, p.Flits = t.Count, t.TotalWords()
	needHeaders(p, tree, func(n router.NodeID) int { return t.Lengths[n] })
	p.Facts = certFacts(t, s, tree)
	return p, nil
}

// needHeaders keeps the tags of a gather with certificates: tokens, orders and messages have the number of a node, a
// certificate has what is in flight from the subtree, of which own tells a node's part.
func needHeaders(p *plan.Plan, tree *plan.GatherTree, own func(router.NodeID) int) {
	sum := make([]int, len(tree.Parent))
	for _, n := range slices.Backward(tree.Order[1:]) {
		sum[n] += own(n)
		sum[tree.Parent[n]] += sum[n]
		p.NeedHeader(uint32(max(sum[n], int(n))), int(tree.Depth[n]))
	}
}

// certFacts judges a gather with certificates: by the least time of any in
// which nobody knows the lengths of others, and by 2B + C + M, where it applies.
func certFacts(t *plan.Task, s *certScheme, tree *plan.GatherTree) []plan.Fact {
	m := t.Machine
	facts := []plan.Fact{{Key: "uninformed_bound", Name: "lower bound, lengths not known", Value: bound.GatherUninformed(t.Topology, m, t.Root, t.Lengths), Unit: plan.Cycles}}
	fullRate := t.Bufferless() || m.Switching == machine.Wormhole && m.FullRate()
	if !fullRate || !m.UnitTimes() || m.Duplex != machine.Full || s.ports == machine.AllPort && !t.IndependentLinks() {
		return facts
	}
	c := bound.CertificationOf(tree.SpanningTree, s.ports, t.Lengths)
	return append(facts,
		plan.Fact{Key: "broadcast", Name: "broadcast B", Value: c.Broadcast, Unit: plan.Cycles}, plan.Fact{Key: "certificates", Name: "certificates C", Value: c.Certificates, Unit: plan.Cycles},
		plan.Fact{Key: "message_flits", Name: "flits M", Value: c.Flits, Unit: plan.Flits}, plan.Fact{Key: "certification_bound", Name: "2B+C+M", Value: c.Time(), Unit: plan.Cycles, Exceeded: s.slower})
}

// checkCertification rejects bufferless machines on which the timing is wrong.
// Where flits can wait the protocol is right whatever they cost, and only its
// time differs.
func checkCertification(t *plan.Task, s *certScheme) error {
	if !t.Bufferless() {
		return nil
	}
	lacks, instead := t.UnitTimes(), "nearest-first"
	err := plan.Lacking(s.name, instead, lacks...)
	if s.ports != machine.AllPort {
		return err
	}
	if err == nil {
		instead = "certification-tight"
	}
	return plan.Lacking(s.name, instead, append(lacks, t.OwnLinks())...)
}

// certifier is a PE other than the root.
func certifier(t *plan.Task, r *plan.Role, tree *plan.GatherTree, n router.NodeID, hold int) plan.PE {
	own := r.Parameters()
	own.Set("ROOT", int(t.Root))
	own.Set("PARENT", int(tree.Parent[n]))
	own.Set("SELF", int(n))
	own.Set("WORDS", t.Lengths[n])
	scratch := 0
	if children := tree.Children(n); len(children) > 0 {
		enterChildren(own, children)
		own.Set("SORTED", len(own.Words)+t.Lengths[n])
		scratch = r.At("HEAD") + len(children)*r.At("ENTRY")
	}
	if _, ok := r.Offset["HOLD"]; ok {
		own.Set("HOLD", hold)
	}
	own.Set("ADDRESS", len(own.Words))
	pe := t.Source(r, own, n)
	pe.Scratch = scratch
	return pe
}

// certRoot is the root's PE.
func certRoot(t *plan.Task, r *plan.Role, tree *plan.GatherTree) plan.PE {
	list := r.Parameters()
	children := tree.Children(t.Root)
	enterChildren(list, children)
	list.List("PLACES")
	base := len(list.Words) + t.Topology.Nodes()
	for _, offset := range t.Offset[:t.Topology.Nodes()] {
		list.Words = append(list.Words, uint32(base+offset))
	}
	pe := plan.PE{Role: r.Index, Parameters: list.Words, Block: plan.Block{Words: t.Words}}
	if _, ok := r.Offset["SORTED"]; ok {
		list.Set("SORTED", base+t.TotalWords())
		pe.Scratch = r.At("HEAD") + len(children)*r.At("ENTRY")
	}
	return pe
}

// enterChildren appends the list of a node's children.
func enterChildren(p *plan.Parameters, list []router.NodeID) {
	p.Set("CHILDREN", len(list))
	p.List("CHILD_LIST")
	for _, child := range list {
		p.Words = append(p.Words, uint32(child))
	}
}

// largestWord predicts the largest lag or order on the wire.
func largestWord(c *plan.GatherTree, s *certScheme, lengths []int) int {
	most := 0
	certificates, orders := make([]certificate, len(c.Parent)), make([]int, len(c.Parent))
	informed := make([]certificate, 0, len(c.Parent))
	for i := len(c.Order) - 1; i > 0; i-- {
		n := c.Order[i]
		informed = inform(c, informed[:0], certificates, s, n)
		flits := lengths[n]
		for _, child := range c.Children(n) {
			flits += certificates[child].flits
		}
		certificates[n] = certificate{s.lag(lengths[n], informed), flits, n}
		most = max(most, certificates[n].lag)
	}
	for _, n := range c.Order {
		informed = inform(c, informed[:0], certificates, s, n)
		if n == c.Root {
			if s.atRoot == nil {
				for _, child := range informed {
					orders[child.node] = child.lag
				}
				continue
			}
			orders[n] = s.atRoot(informed)
		}
		before := lengths[n]
		for k, child := range informed {
			orders[child.node] = s.order(orders[n], before, k)
			before += child.flits
			most = max(most, orders[child.node])
		}
	}
	return most
}

// inform lists the certificates of a node's children that get orders, by lag.
func inform(c *plan.GatherTree, list, certificates []certificate, s *certScheme, n router.NodeID) []certificate {
	for _, child := range c.Children(n) {
		if !s.silent || certificates[child].flits > 0 {
			list = append(list, certificates[child])
		}
	}
	slices.SortFunc(list, func(a, b certificate) int {
		return cmp.Or(cmp.Compare(a.lag, b.lag), cmp.Compare(a.node, b.node))
	})
	return list
}
