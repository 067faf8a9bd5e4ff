// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"math/bits"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Certification has the bound for a gather by transmission certification along a tree: by
// Theorem 3 of Bhatt, Pucci, Ranade and Rosenberg it takes at most 2B + C + M cycles. All
// values are for startup 0, one cycle a hop and one a flit.
type Certification struct {
	Broadcast    router.Cycle // B: fewest cycles in which one flit reaches every node
	Certificates router.Cycle // C
	Flits        router.Cycle // M: the flits of all messages
}

// Time returns 2B + C + M.
func (c Certification) Time() router.Cycle { return 2*c.Broadcast + c.Certificates + c.Flits }

// CertificationOf computes B, C and M of a tree whose nodes have a single port, or all ports;
// lengths are by node, the root's is ignored.
//
// In the paper C is the time in which certificates are collected; the sorting in the nodes on
// the way dominates it. A PE here computes in no time, and C = B + D, where D is the depth of
// the tree: B for the certificates' route to the root, which is a broadcast reversed in time,
// and D for the route of the stream's first flit.
//
// 2B + C + M holds under three conditions:
//
//   - Tokens and certificates together take at most 2B.
//   - A node's lag is c <= max(d+1, 2 + max c_k) for its d children that have flits (a leaf's
//     lag is 1). Then the first flit is at the root at most max over w of d_w + 2 depth(w) <=
//     B + D cycles after the last certificate, since B >= depth(w) + d_w and D >= depth(w).
//   - M flits follow without a gap.
//
// certification-tight satisfies all three. certification-parallel, with all ports (B = D, c <=
// max(1, 2 + max c_k)), does so, too. The printed certification satisfies neither of the first
// two.
func CertificationOf(tree *topology.SpanningTree, ports machine.Regime, lengths []int) Certification {
	if tree == nil || len(tree.Order) == 0 || len(tree.Depth) != len(tree.Parent) || len(lengths) != len(tree.Parent) || tree.Branch() == nil {
		return Certification{}
	}
	depth := router.Cycle(0)
	c := Certification{}
	for _, n := range tree.Order[1:] {
		depth = max(depth, router.Cycle(tree.Depth[n]))
		c.Flits += router.Cycle(lengths[n])
	}
	c.Broadcast = depth
	if ports == machine.SinglePort {
		c.Broadcast = broadcast(tree)
	}
	c.Certificates = c.Broadcast + depth
	return c
}

// broadcast returns the fewest cycles in which one flit reaches every node of a tree when a
// node sends to one child a cycle. A node serves its children in the order of falling B, so
// B(v) = max over j of j + B_j. The function shares no code with topology.BroadcastTime, by
// which trees are chosen and with which tests compare it: a bound that judges a plan must not
// repeat the planner's mistake.
func broadcast(tree *topology.SpanningTree) router.Cycle {
	children := tree.Children()
	times := make([]router.Cycle, len(tree.Parent))
	var list []router.Cycle
	for _, n := range slices.Backward(tree.Order) {
		list = list[:0]
		for _, child := range children[n] {
			list = append(list, times[child])
		}
		slices.Sort(list)
		for i, time := range list {
			times[n] = max(times[n], router.Cycle(len(list)-i)+time)
		}
	}
	return times[tree.Root]
}

// GatherUninformed bounds the time of a gather in which a node sends nothing
// before something that began at the root in cycle 0 has reached it, as in all
// protocols in which no node knows when others send. It is Gather's, or more: a
// flit from at least k links away is at the root in cycle 2(s + k*h) at the
// earliest, with the route from the root in front; and all senders have to be
// reached first (asking). It is 0 without messages: nodes that have none are
// asked as well, but no flit of data waits for that.
func GatherUninformed(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int) router.Cycle {
	if !possible(t, m) || !t.Has(root) || !fitting(t, lengths) {
		return 0
	}
	r := reach(t, root)
	there := func(servers int) func(int, router.Cycle, router.Cycle) router.Cycle {
		return func(k int, words, _ router.Cycle) router.Cycle {
			return 2*(lead(&m)+router.Cycle(k*m.Hop)) + share(words*router.Cycle(m.Flit), servers)
		}
	}
	all := r.tally(lengths)
	best := max(Gather(t, m, root, lengths).Cycles, worst(all, there(channels(t, m, root))))
	if m.Ports == machine.SinglePort {
		return max(best, worst(all, there(1)), asking(t, m, root, lengths, all))
	}
	for part, loads := range r.tallyParts(lengths) {
		best = max(best, worst(loads, there(r.links[part])))
	}
	return best
}

// asking bounds the time to ask all senders and to receive the last sender's first flit, where
// nodes have a single port and a hop and a flit take a cycle. On a tree see asked. In other
// networks the number of reached nodes at most doubles in a cycle. So S senders at k links or
// more have been asked in cycle log2(S+1) at the earliest, and the last sender's flit has k
// links to go.
func asking(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int, all loads) router.Cycle {
	if m.Startup != 0 || m.Hop != 1 || m.Flit != 1 {
		return 0
	}
	if t.Kind == topology.Tree {
		return asked(topology.BreadthFirst(t, root), lengths)
	}
	return worst(all, func(k int, _, senders router.Cycle) router.Cycle {
		return 1 + router.Cycle(bits.Len(uint(senders))+k)
	})
}

// asked is the bound of asking on a tree. Let A(v) be the cycles from the first flit at node v
// until the answer of the last sender at v or behind v is at the root. A sender's own answer
// takes its depth. A node serves its children in the order of falling A, so A(v) = max over j
// of j + A_j. Children without senders behind them need not be asked.
func asked(tree *topology.SpanningTree, lengths []int) router.Cycle {
	const nobody = -1
	children := tree.Children()
	times := make([]router.Cycle, len(tree.Parent))
	var list []router.Cycle
	for _, n := range slices.Backward(tree.Order) {
		list = list[:0]
		for _, child := range children[n] {
			if times[child] != nobody {
				list = append(list, times[child])
			}
		}
		slices.Sort(list)
		times[n] = nobody
		if n != tree.Root && lengths[n] > 0 {
			times[n] = router.Cycle(tree.Depth[n])
		}
		for i, time := range list {
			times[n] = max(times[n], router.Cycle(len(list)-i)+time)
		}
	}
	return times[tree.Root] + 1
}
