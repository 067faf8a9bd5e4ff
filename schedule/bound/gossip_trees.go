// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// gossipTrees bounds a gossip by prices of what the words need on their routes: channels, links and ports, each for f cycles.
//
// Take for each word and each node the message with which the word comes to the node first. Its sender had the word before, so that these messages are the arcs of a tree from the word's node to all others. An arc costs the prices of all that a
// flit needs on the cheapest route from node to node: an injection channel, links, an ejection channel, and with a single port the ports of all nodes on the way. Let A(n) be the cost of the cheapest tree from n, and L(n) the words of n.
//
// No flit leaves a PE before cycle s, and the last ones need a hop. So everything can be used in T-s-h cycles. Let P be all that is paid in a cycle at most, and H the part of
// half-duplex PEs and their chips, which get their prices for h cycles more (see places). The prices pay for all trees:
//
//	f * sum of L(n)*A(n)  <=  (T-s-h)*P + h*H
//
// Any prices give a bound. They are found by multiplicative weights: what the trees of a round use most becomes dearer.
//
// The bound is 0 where no prices are found that show much more than a known one.
func gossipTrees(t *topology.Topology, m machine.Machine, lengths []int, known router.Cycle) router.Cycle {
	if t.Translates() && slices.Min(lengths) == slices.Max(lengths) {
		return 0
	}
	return dearestTrees(t, m, lengths, newSpreadTrees(t.Nodes()), known)
}
