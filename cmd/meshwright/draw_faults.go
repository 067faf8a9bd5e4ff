// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"meshwright/capture/svg"
	"meshwright/fabric/fault"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// drawnFaults are the faults of the network in a picture; the zero value: none.
type drawnFaults struct {
	list *fault.List         // with its random faults drawn
	left *topology.Survivors // on which the trees grow; nil: they know no faults
}

// The widest payload of a flit, and of one in a buffer with its check bits: a picture has no machine, and takes all bits.
const (
	anyWidth  = 512
	anyStored = 2 * anyWidth
)

// faultsOn draws the random faults of --faults on a network. As in a run, the root of trees is not among them.
func (f *drawFlags) faultsOn(t *topology.Topology, root router.NodeID) (d drawnFaults, err error) {
	list, err := fault.Parse(f.faults, fault.DefaultSeed)
	if list == nil || err != nil {
		return d, input.Locate(err, "--faults", 0)
	}
	if f.ring && list.Known {
		return d, input.At("--faults", 0, "expected none, or a --tree: the ring is one of the whole network", "known with --ring")
	}
	spare := router.None
	if f.tree != "" {
		spare = root
	}
	if d.list, err = list.Draw(t, spare); err != nil {
		return d, input.Locate(err, "--faults", 0)
	}
	if _, err := d.list.On(t, 1, anyWidth, anyStored); err != nil {
		return d, input.Locate(err, "--faults", 0)
	}
	if f.tree == "" {
		return d, nil
	}
	if d.left, err = d.list.Survivors(t, root); err != nil {
		return d, input.Locate(err, "--faults", 0)
	}
	if d.left != nil && d.left.Place[root] == router.None {
		return d, input.At("--root", 0, "expected a live node", "root %d is dead", root)
	}
	return d, nil
}

// whole brings a tree on what faults leave back to the whole network. Dead nodes are not in it.
func (d *drawnFaults) whole(s *topology.SpanningTree) *topology.SpanningTree {
	nodes := d.left.Whole.Nodes()
	out := &topology.SpanningTree{Root: d.left.Node[s.Root], Parent: make([]router.NodeID, nodes), Depth: make([]int32, nodes)}
	for n := range nodes {
		out.Parent[n], out.Depth[n] = router.None, -1
	}
	for _, place := range s.Order {
		n := d.left.Node[place]
		out.Order, out.Depth[n] = append(out.Order, n), s.Depth[place]
		if parent := s.Parent[place]; parent != router.None {
			out.Parent[n] = d.left.Node[parent]
		}
	}
	return out
}

// signs are the faults in a picture, what its subtitle says of them, and its notes, which name the faults that have cycles.
func (d *drawnFaults) signs(t *topology.Topology) (faults []svg.Fault, counts string, notes []string) {
	if d.list == nil {
		return nil, "", nil
	}
	broken := fault.BrokenOf(d.list.Faults)
	if slices.ContainsFunc(broken, func(b fault.Broken) bool { return b.When() != "" }) {
		notes = append(notes, "Dead: "+fault.BrokenText(t, broken)+".")
	}
	if d.list.Drop > 0 || len(d.list.Corrupt)+len(d.list.Upset) > 0 || slices.ContainsFunc(d.list.Faults, func(x fault.Fault) bool { return x.Kind != fault.Node && x.Kind != fault.Link }) {
		notes = append(notes, "Lost messages and flipped bits are not drawn.")
	}
	return svg.FaultsOf(broken), ", " + fault.BrokenCounts(broken), notes
}
