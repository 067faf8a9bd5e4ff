// SPDX-License-Identifier: Apache-2.0

package tolerant

import (
	"context"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// translates reports whether every node has as much to send, on a network on which a schedule of node 0
// can be moved to every node.
func (b *builder) translates() bool {
	if b.Kind.Name == plan.Scatter || !b.Topology.Translates() {
		return false
	}
	for _, length := range b.Lengths {
		if length != b.Lengths[0] {
			return false
		}
	}
	return true
}

// destinations lists those to which node 0 sends in a gossip or exchange, router.None: all nodes at once.
func destinations(t *topology.Topology, kind string) []router.NodeID {
	if kind == plan.Gossip {
		return []router.NodeID{router.None}
	}
	return furthestFirst(t, 0)
}

// Steps returns the steps of a gossip or exchange of so many messages in so many copies, on a star graph or
// hypercube; 0 on other networks.
func Steps(ctx context.Context, t *topology.Topology, kind string, messages, copies int) (int, error) {
	if cover.ClosedSpanning(t) == nil {
		return 0, nil
	}
	c, err := cover.Named(ctx, closedCover(t), t, 0, 0)
	if err != nil {
		return 0, err
	}
	if copies < 1 || copies > len(c.Trees) {
		return 0, nil
	}
	o := newOrigin(t, c.Trees, copies)
	o.schedule(destinations(t, kind), messages)
	return (&schedule{hops: o.hops}).steps(), nil
}

// translate makes the schedule of node 0 and moves it to every node. Node 0's copies use each
// generator once in a step, so all copies together use each link once: see topology.Translate.
func (b *builder) translate(parts int) {
	parts = min(parts, b.Lengths[0])
	list := destinations(b.Topology, b.Kind.Name)
	first := newOrigin(b.Topology, b.trees[0], b.copies)
	first.schedule(list, parts)
	nodes := router.NodeID(b.Topology.Nodes())
	for source := range nodes {
		for _, to := range list {
			if to != router.None {
				to = b.Topology.Translate(source, to)
			}
			words, at := b.own(source, to)
			b.cut(source, to, words, at, parts)
		}
	}
	b.hops = make([]hop, 0, len(first.hops)*int(nodes))
	for _, h := range first.hops {
		for source := range nodes {
			moved := h
			moved.message += int32(source) * int32(len(list)*parts)
			moved.from, moved.to = b.Topology.Translate(source, h.from), b.Topology.Translate(source, h.to)
			b.hops = append(b.hops, moved)
		}
	}
}

// hopsOfEach counts the hops of a node whose blocks have one part.
func (b *builder) hopsOfEach() int {
	if b.Kind.Name == plan.Gossip {
		return b.copies * (b.Topology.Nodes() - 1)
	}
	hops := 0
	for n := range router.NodeID(b.Topology.Nodes()) {
		var depths []int
		for _, tree := range b.trees[0] {
			depths = append(depths, int(tree.Depth[n]))
		}
		slices.Sort(depths)
		for _, depth := range depths[:b.copies] {
			hops += depth
		}
	}
	return hops
}

// leastOfEach bounds the steps of a schedule in which all nodes send and receive alike.
func (b *builder) leastOfEach(s *schedule) int {
	messages := len(s.messages) / b.Topology.Nodes()
	if b.Kind.Name == plan.Gossip {
		return profileOf(b.Task).Gossip(messages, b.copies).Time
	}
	return profileOf(b.Task).Exchange(messages/max(1, b.Topology.Nodes()-1), b.copies).Time
}
