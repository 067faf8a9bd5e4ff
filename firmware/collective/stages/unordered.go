// SPDX-License-Identifier: Apache-2.0

package stages

import "meshwright/firmware/transfer"

// unordered collects transfers whose steps do not rise. They are in pieces, since there may be a million of them.
type unordered struct {
	pieces [][]transfer.Transfer
	count  []int // of the transfers, by step
}

// pieceSize is the number of transfers in a piece.
const pieceSize = 1 << 10

// add enters a transfer.
func (u *unordered) add(t transfer.Transfer) {
	last := len(u.pieces) - 1
	if last < 0 || len(u.pieces[last]) == pieceSize {
		size := pieceSize
		if last < 0 {
			size = 0 // most lists are short
		}
		u.pieces = append(u.pieces, make([]transfer.Transfer, 0, size))
		last++
	}
	u.pieces[last] = append(u.pieces[last], t)
	for t.Step >= len(u.count) {
		u.count = append(u.count, 0)
	}
	u.count[t.Step]++
}

// inSteps returns the transfers in rising steps, and those of a step as they were entered.
func (u *unordered) inSteps() []transfer.Transfer {
	next := make([]int, len(u.count)) // by step: the place of its next transfer
	all := 0
	for step, count := range u.count {
		next[step] = all
		all += count
	}
	if all == 0 {
		return nil
	}
	list := make([]transfer.Transfer, all)
	for _, piece := range u.pieces {
		for i := range piece {
			step := piece[i].Step
			list[next[step]] = piece[i]
			next[step]++
		}
	}
	return list
}
