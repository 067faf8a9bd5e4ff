// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/router"
)

// KeepingPlan turns the transfers of an exchange into firmware. A node keeps other nodes' blocks behind its own
// words, so many extra words. The words that remain there at the end are compared, too.
func (t *Task) KeepingPlan(l *transfer.List, extra []int) (*Plan, error) {
	own := make([]Block, len(t.Lengths))
	start := make([][]uint32, len(t.Lengths))
	most, elements := 0, t.Machine.Elements()
	for n := range start {
		own[n] = t.ExchangeBlock(router.NodeID(n))
		start[n] = make([]uint32, len(own[n].Words)+extra[n]*elements)
		copy(start[n], own[n].Words[:own[n].Given.To*elements])
		most = max(most, extra[n])
	}
	end := CarryOut(l, start, elements)
	for n := range end {
		copy(end[n], own[n].Words)
		own[n].Words = end[n]
	}
	p, err := t.TransferPlan(l, func(n router.NodeID) Block { return own[n] })
	if err != nil {
		return nil, err
	}
	sent := make([]int, len(t.Lengths))
	for i := range l.Transfers {
		sent[l.Transfers[i].From]++
	}
	p.Facts = []Fact{
		{Key: "messages_a_node", Name: "messages of a node", Value: router.Cycle(slices.Max(sent)), Unit: Counted},
		{Key: "kept_words", Name: "words that a node keeps for others", Value: router.Cycle(most), Unit: Flits},
	}
	return p, nil
}
