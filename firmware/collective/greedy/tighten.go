// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"slices"

	"meshwright/firmware/collective/listed"
	"meshwright/router"
)

// shakenOfNodes times the third power of the number of nodes bounds the work of a shake: some tenths of a second for 64 nodes.
const shakenOfNodes = 40

// tightened closes the gaps of an all-gather, a reduce-scatter or both, whose messages keep their pieces. A shake has so much work for the third power of the nodes.
func (n *network) tightened(known *schedule, shaken int) *schedule {
	if known.cycles <= n.LowerBound() {
		return known
	}
	known.inTime()
	l, t := n.listed(known), &listed.Times{Cycles: known.cycles}
	for i := range known.messages {
		t.Handed, t.Whole = append(t.Handed, known.messages[i].handed), append(t.Whole, known.messages[i].whole)
	}
	t = l.Tighten(t, mostRounds)
	if n.weighs() {
		nodes := min(n.nodes, closeNodes)
		t = l.Shake(t, listed.Limits{
			Least: n.LowerBound(), Work: n.Spend(shaken * nodes * nodes * nodes),
			Ended: func() bool { return n.Search.Err() != nil || n.Ctx.Err() != nil },
		})
	}
	if t.Cycles >= known.cycles {
		return known
	}
	made := &schedule{pieces: known.pieces, messages: slices.Clone(known.messages)}
	for i := range made.messages {
		made.messages[i].handed, made.messages[i].whole = t.Handed[i], t.Whole[i]
	}
	made.end()
	return made
}

// listed makes a list of messages in time. A message waits for all that bring one of its pieces to its sender: in an all-gather that is one for each piece, in a
// reduce-scatter every part of a sum.
func (n *network) listed(s *schedule) *listed.List {
	bringing := make([][]int32, n.nodes*len(s.pieces)) // by node and piece: the messages so far
	list := make([]listed.Message, len(s.messages))
	for i := range s.messages {
		m := &s.messages[i]
		x := &list[i]
		x.From, x.To, x.Route = router.NodeID(m.from), router.NodeID(m.to), n.Route(m.from, m.to)
		for _, p := range m.pieces {
			x.Words += s.pieces[p].To - s.pieces[p].From
			x.After = append(x.After, bringing[int(m.from)*len(s.pieces)+int(p)]...)
			at := int(m.to)*len(s.pieces) + int(p)
			bringing[at] = append(bringing[at], int32(i))
		}
		slices.Sort(x.After)
		x.After = slices.Compact(x.After)
	}
	return listed.New(n.Topology, n.booked, list, n.Seed)
}
