// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// transit bounds a collective by what a node must pass on through its single port. Take a node n, and the parts into which
// the network falls without it. All words from one part to another go through n, in its routers or through its PE:
//
//	part A --- n --- part B		n sends to B its own words and those of A, and to A its own and those of B
//
// If n sends X words, each takes its port for f cycles, none before cycle s. The last of them is at the neighbour
// in cycle s + f*X + h - 1 at the earliest, so that T >= s + f*X + h. The same holds for the words that n receives. The function words counts
// them, given the words of each part. The result is 0 on machines with all ports, and on networks with more than maxTransit nodes.
func transit(t *topology.Topology, m machine.Machine, lengths []int, words func(n router.NodeID, parts []int) int) router.Cycle {
	if m.Ports != machine.SinglePort {
		return 0
	}
	most := mostPassedOn(t, lengths, words)
	if most == 0 {
		return 0
	}
	return lead(&m) + router.Cycle(most)*router.Cycle(m.Flit) + router.Cycle(m.Hop)
}

// mostPassedOn returns the most words that a node passes on; 0 on networks with more than maxTransit nodes.
func mostPassedOn(t *topology.Topology, lengths []int, words func(n router.NodeID, parts []int) int) (most int) {
	if t.Nodes() > maxTransit {
		return 0
	}
	for n := range router.NodeID(t.Nodes()) {
		most = max(most, words(n, partsWithout(t, n, lengths)))
	}
	return most
}

// maxTransit bounds the networks whose nodes are taken away one by one.
const maxTransit = 512

// partsWithout returns the sum of the lengths of each part into which a network falls without a node.
func partsWithout(t *topology.Topology, without router.NodeID, lengths []int) (parts []int) {
	seen := make([]bool, t.Nodes())
	seen[without] = true
	for first := range router.NodeID(t.Nodes()) {
		if seen[first] {
			continue
		}
		seen[first] = true
		sum := 0
		for queue := []router.NodeID{first}; len(queue) > 0; {
			n := queue[0]
			queue = queue[1:]
			sum += lengths[n]
			for p := range router.Port(t.Ports(n)) {
				if v := t.Neighbor(n, p); v != router.None && !seen[v] {
					seen[v] = true
					queue = append(queue, v)
				}
			}
		}
		parts = append(parts, sum)
	}
	return parts
}

// gossipTransit bounds a gossip.
func gossipTransit(t *topology.Topology, m machine.Machine, lengths []int, total int) router.Cycle {
	return transit(t, m, lengths, gossipPassesOn(total))
}

// gossipPassesOn counts the words of a gossip: each part lacks all words but its own, and all of them come from the node.
func gossipPassesOn(total int) func(router.NodeID, []int) int {
	return func(_ router.NodeID, parts []int) int {
		sent := 0
		for _, words := range parts {
			sent += total - words
		}
		return sent
	}
}

// exchangeTransit counts the words of an all-to-all, by node and by part: those that the node sends or receives itself, and those
// for other parts.
func exchangeTransit(t *topology.Topology, m machine.Machine, lengths []int) router.Cycle {
	sizes := make([]int, len(lengths))
	total := 0
	for n, length := range lengths {
		sizes[n] = 1
		total += length
	}
	return transit(t, m, lengths, func(n router.NodeID, parts []int) int {
		through := 0
		for i, nodes := range partsWithout(t, n, sizes) {
			through += parts[i] * (len(lengths) - 1 - nodes)
		}
		return through + max(lengths[n]*(len(lengths)-1), total-lengths[n])
	})
}
