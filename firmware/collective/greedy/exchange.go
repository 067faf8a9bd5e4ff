// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective/relayed"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// Exchange sends every node's words for every other node. Its errors are *input.Error, or the context's.
func Exchange(t *plan.Task) (*plan.Plan, error) {
	if len(t.Lengths) <= closeNodes {
		return grownExchange(t, never)
	}
	own := *t
	p, err := relayed.Plan(&own)
	if len(t.Lengths) <= maxPairs && (err != nil || !p.Predicted.Exact) {
		return grownExchange(t, never)
	}
	if err != nil || len(t.Lengths) > maxPairs || p.Predicted.Least <= t.LowerBound() || t.Search.Err() != nil {
		return p, err
	}
	other, err := grownExchange(t, p.Predicted.Least)
	if err != nil || other != nil {
		return other, err
	}
	return p, nil
}

// grownExchange is an all-to-all that grows in less time than another; nil if none is found.
func grownExchange(t *plan.Task, known router.Cycle) (*plan.Plan, error) {
	n, err := newNetwork(t)
	if err != nil {
		return nil, err
	}
	if err := t.NeedBlocks(plan.PerBlock); err != nil {
		return nil, err
	}
	n.resumes = true
	n.next = make([][]int32, n.nodes*n.nodes)
	drafts := n.exchangeDrafts()
	best, err := n.best(drafts, known, firstWork, growerOf((*network).carry).on(n))
	if best == nil || err != nil {
		return nil, err
	}
	if best, err = n.settle(best, drafts); err != nil {
		return nil, err
	}
	list, extra := relayed.List(t, relays(best))
	p, err := t.KeepingPlan(list, extra)
	if err != nil {
		return nil, err
	}
	if slices.ContainsFunc(best.messages, func(m message) bool { return m.route != nil }) {
		p.Machine.Routing = machine.Source
	}
	return n.finish(best, p), nil
}

// exchangeDrafts lists what is tried: limits for the words and the links of a message, and what counts.
func (n *network) exchangeDrafts() (list []draft) {
	words := slices.Max(n.Lengths)
	n.longest, n.total = max(1, words), n.TotalWords()
	startup := int(n.model.Startup / n.model.Flit)
	for _, most := range []int{n.total * n.nodes, 4 * startup, startup, words} {
		if most < words || most > words && startup == 0 {
			continue
		}
		for reach := n.Furthest; ; reach = (reach + 1) / 2 {
			for _, scarce := range []bool{false, true} {
				for _, local := range []bool{false, true} {
					list = append(list, draft{try: try{most: most, reach: reach, scarce: scarce, local: local, seed: n.Seed + uint64(len(list))}})
				}
			}
			if reach <= 1 || most == words { // on one node it is 0
				break
			}
		}
	}
	return list
}

// relays returns the messages of a schedule.
func relays(s *schedule) []relayed.Message {
	list := make([]relayed.Message, len(s.messages))
	for i, m := range s.messages {
		list[i] = relayed.Message{From: m.from, To: m.to, Route: m.route, Handed: m.handed, Whole: m.whole, Blocks: m.pieces}
	}
	return list
}
