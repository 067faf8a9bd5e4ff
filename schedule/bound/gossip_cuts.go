// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/maxflow"
	"meshwright/router"
)

// gossipCuts bounds a gossip by the narrowest cut, on any network:
//
//	a part: W words  --- c exits --->  the rest, at least one PE
//
// The PE outside needs all W words of the part. An exit is a link, the injection or ejection channel of a PE, or with a single
// port all links of a node together. It passes one flit in f cycles, none before cycle s, and its last flit needs a hop. So
//
//	T >= s + f * max over all parts of ceil(W / c) + h.
//
// The largest quotient is found by flows (for links alone it is the bound of Zhao and others, ForestColl, 2024). Let X be the flits that an exit passes.
// Take a flow of all words to one PE, in which an exit has room for X and each PE has its own words. By the theorem of maximum flow and
// minimum cut the words arrive if and only if W <= c * X for all parts without that PE. If some do not, the least cut is a
// part that needs a larger X, and the search goes on with that X. No X that has been needed is ever too large, so each PE is visited once.
//
// The result is 0 on machines that switch packets, on grids with equal blocks, whose corners are their narrowest cuts (see hardest), and on networks
// with more than maxCutWork nodes times nodes times links.
func gossipCuts(t *topology.Topology, m machine.Machine, lengths []int) router.Cycle {
	links := t.Links()
	if m.PacketSwitched() || slices.Max(lengths) == 0 || hardest(t, lengths) == 1 || t.Nodes()*t.Nodes()*len(links) > maxCutWork {
		return 0
	}
	return lead(&m) + router.Cycle(m.Flit)*router.Cycle(mostAcross(t, m, links, lengths)) + router.Cycle(m.Hop)
}

// maxCutWork bounds the nodes times nodes times links of networks whose cuts are looked for: these are some ten milliseconds.
const maxCutWork = 1 << 21

// cutFlow is the network of flows. Each node has the words that come in by its links, its PE, and the words that go out.
//
//	links in --- in --- out --- links out     routers pass on any number of flits
//	              \     /
//	                PE --- own words           by its channels
//
// With a single port every word passes the PE, and the port takes the place of the channels.
type cutFlow struct {
	net      *maxflow.Network
	ways     []wayOut
	lengths  []int
	capacity int64 // X
}

// wayOut is an arc that passes width flits at once.
type wayOut struct {
	arc, from, to int32
	width         int64
}

// mostAcross returns the largest quotient of words and exits, rounded up, of all parts.
func mostAcross(t *topology.Topology, m machine.Machine, links []topology.Link, lengths []int) int64 {
	c := newCutFlow(t, m, links, lengths)
	total := int64(0)
	for _, length := range lengths {
		total += int64(length)
	}
	for n := range lengths {
		for {
			c.refill()
			if c.net.Send(c.source(), c.pe(n), total) == total {
				break
			}
			c.capacity = c.needed()
		}
	}
	return c.capacity
}

func newCutFlow(t *topology.Topology, m machine.Machine, links []topology.Link, lengths []int) *cutFlow {
	c := &cutFlow{net: maxflow.New(3*t.Nodes()+1, len(links)+4*t.Nodes()), lengths: lengths, capacity: 1}
	for _, l := range links {
		c.way(c.out(int(l.From)), c.in(int(l.To)), 1)
	}
	for n, length := range lengths {
		width := int64(gates(t, m, router.NodeID(n)))
		c.way(c.in(n), c.pe(n), width)
		c.way(c.pe(n), c.out(n), width)
		if m.Ports != machine.SinglePort {
			c.net.Arc(c.in(n), c.out(n), maxflow.Unlimited)
		}
		c.net.Arc(c.source(), c.pe(n), int64(length))
	}
	return c
}

func (c *cutFlow) in(n int) int32  { return int32(3 * n) }
func (c *cutFlow) pe(n int) int32  { return int32(3*n + 1) }
func (c *cutFlow) out(n int) int32 { return int32(3*n + 2) }
func (c *cutFlow) source() int32   { return int32(3 * len(c.lengths)) }

func (c *cutFlow) way(from, to int32, width int64) {
	c.ways = append(c.ways, wayOut{c.net.Arc(from, to, 0), from, to, width})
}

// refill takes all flow back and gives all exits room for X flits.
func (c *cutFlow) refill() {
	c.net.Reset()
	for _, w := range c.ways {
		c.net.SetLeft(w.arc, w.width*c.capacity)
	}
}

// needed returns the X of the part that a flow which came to too little has found.
func (c *cutFlow) needed() int64 {
	words, width := int64(0), int64(0)
	for n, length := range c.lengths {
		if !c.net.Reaches(c.pe(n)) {
			words += int64(length)
		}
	}
	for _, w := range c.ways {
		if !c.net.Reaches(w.from) && c.net.Reaches(w.to) {
			width += w.width
		}
	}
	return (words + width - 1) / width
}
