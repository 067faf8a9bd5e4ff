// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	"meshwright/firmware/transfer"
)

// CarryOut returns the content of the blocks after a list of transfers has been carried
// out on blocks with the content start: a PE's words, of so many elements each, and all words
// that it received.
func CarryOut(l *transfer.List, start [][]uint32, elements int) [][]uint32 {
	blocks := make([][]uint32, len(start))
	for n := range start {
		blocks[n] = slices.Clone(start[n])
	}
	order := make([]int32, len(l.Transfers))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(i, j int32) int { return l.Transfers[i].Step - l.Transfers[j].Step })
	var words []uint32
	for from := 0; from < len(order); {
		to := from
		words = words[:0]
		for ; to < len(order) && l.Transfers[order[to]].Step == l.Transfers[order[from]].Step; to++ {
			x := &l.Transfers[order[to]]
			for _, r := range x.Out {
				words = append(words, blocks[x.From][r.From*elements:r.To*elements]...)
			}
		}
		sent := words
		for _, i := range order[from:to] {
			sent = storeWords(&l.Transfers[i], blocks, sent, elements)
		}
		from = to
	}
	return blocks
}

// storeWords puts a transfer's words, the first of those sent, into its
// receiver's block and returns the others.
func storeWords(x *transfer.Transfer, blocks [][]uint32, sent []uint32, elements int) []uint32 {
	for _, r := range x.Places() {
		to := blocks[x.To][r.From*elements : r.To*elements]
		if x.Op == transfer.Put {
			copy(to, sent)
		} else {
			for i := range to {
				to[i] += sent[i]
			}
		}
		sent = sent[len(to):]
	}
	return sent
}
