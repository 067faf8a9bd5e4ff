// SPDX-License-Identifier: Apache-2.0

package sendtree

import (
	"cmp"
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/internal/bitset"
)

// Once drops from an all-gather the words that come to a node which already has them, or
// to which they have been sent before. So each word comes exactly once to every node but
// its own, which is required for a reversal that sums up. In the all-gather every word
// must have the same position at all nodes. lengths are the lengths of the nodes' blocks,
// which follow one another.
func Once(l *transfer.List, lengths []int) *transfer.List {
	words := 0
	for _, length := range lengths {
		words += length
	}
	has := make([]bitset.Set, len(lengths))
	from := 0
	for n, length := range lengths {
		has[n] = bitset.New(words)
		for w := from; w < from+length; w++ {
			has[n].Set(int32(w))
		}
		from += length
	}
	once := &transfer.List{Nodes: l.Nodes, Transfers: slices.Clone(l.Transfers), Sync: l.Sync}
	slices.SortStableFunc(once.Transfers, func(a, b transfer.Transfer) int { return cmp.Compare(a.Step, b.Step) })
	for i := range once.Transfers {
		x := &once.Transfers[i]
		x.Out, x.In = put(has[x.To], x.Out), nil
	}
	return once
}

// put puts words into a set and returns those that were not there.
func put(b bitset.Set, s transfer.Set) transfer.Set {
	var fresh transfer.Set
	for _, r := range s {
		for w := r.From; w < r.To; w++ {
			if b.Has(int32(w)) {
				continue
			}
			b.Set(int32(w))
			if last := len(fresh) - 1; last >= 0 && fresh[last].To == w {
				fresh[last].To++
			} else {
				fresh = append(fresh, transfer.Range{From: w, To: w + 1})
			}
		}
	}
	return fresh
}

// ReduceScatter reverses an all-gather in which every word comes to every node once, see
// Once. At the end each node has the sums of the words that were its own block.
func ReduceScatter(l *transfer.List) *transfer.List { return Reversed(l, transfer.Add) }
