// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// ReduceScatter bounds the time in which each of N nodes gets the sum of its piece of W words of every
// node; the pieces are as equal as the words allow. Let s be the startup, f the cycles of a flit and h
// the cycles of a hop. The bound is the largest of these bounds:
//
//   - Every node gets the sum of its piece, as in a Reduce.
//   - What one node adds to the pieces of all others comes to them. If all others add zeros, the messages are those of a Scatter
//     of this node's words. So the growth of a scatter holds for every node, and startups and words together for a node with
//     the fewest channels (see relays).
//   - A node adds something to the pieces of all others, so at least W less its piece flits leave it,
//     over all its channels, its links or its port: T >= s + h + f*ceil(flits/channels).
//   - An all-gather of the pieces on a machine without startup, s cycles later. Hand each message over when its startup ends, so that no startup is left, and turn
//     the schedule round in time: messages go from their receivers to their senders, and what was added up comes to all who added something to it.
//     Nothing happens before cycle s.
//   - Startups and words together of each node, as in an all-gather: see reduceScatterStartups.
func ReduceScatter(t *topology.Topology, m machine.Machine, words int) (best Proven) {
	if !possible(t, m) || words <= 0 || t.Nodes() == 1 {
		return best
	}
	nodes := t.Nodes()
	pieces := make([]int, nodes)
	first, flit := lead(&m)+router.Cycle(m.Hop), router.Cycle(m.Flit)
	for n := range nodes {
		pieces[n] = words*(n+1)/nodes - words*n/nodes
	}
	fewest, wire, pauses := router.NodeID(0), wiresOf(t, m), pausesOf(m)
	for n := range nodes {
		at := router.NodeID(n)
		if channels(t, m, at) < channels(t, m, fewest) {
			fewest = at
		}
		sent := router.Cycle(words - pieces[n])
		best.raise(first+max(flit*share(sent, gates(t, m, at)), wire.shared(sent, t.Degree(at)), pauses.shared(sent, channels(t, m, at))), ByDistance)
		if nodes > maxRoots && n < nodes-1 {
			continue
		}
		if pieces[n] > 0 {
			best.oneWord(t, m, at, pieces[n], flit)
		}
		if r := reach(t, at); r.receivers(pieces) > 0 {
			best.raise(r.informed(t, m, pieces, period(&m))+1, ByGrowth)
		}
	}
	best.Include(Scatter(t, m, fewest, pieces))
	prompt := m
	prompt.Startup, prompt.Links = 0, nil // links are faster or slower in one direction alone
	best.raise(router.Cycle(m.StartupTicks())+Gossip(t, prompt, pieces).Cycles, ByAllGather)
	best.raise(reduceScatterStartups(t, m, pieces, words), ByStartups)
	best.exceed(slowPieces(t, m, pieces, best.Cycles), ByCut)
	return best
}
