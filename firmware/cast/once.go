// SPDX-License-Identifier: Apache-2.0

package cast

import (
	"cmp"
	"slices"

	"meshwright/firmware/transfer"
)

// Once drops from a gossip, in which every word has the same place everywhere,
// what comes to a node that has it or has been sent it before, so that each
// word comes to every node but its own once: only then can the gossip be turned
// round to sum up. lengths are those of the nodes' words, which follow one
// another.
func Once(l *transfer.List, lengths []int) *transfer.List {
	words := 0
	for _, length := range lengths {
		words += length
	}
	has := make([]bitset, len(lengths))
	from := 0
	for n, length := range lengths {
		has[n] = make(bitset, (words+63)/64)
		for w := from; w < from+length; w++ {
			has[n].put(w)
		}
		from += length
	}
	once := &transfer.List{Nodes: l.Nodes, Transfers: slices.Clone(l.Transfers), Sync: l.Sync}
	slices.SortStableFunc(once.Transfers, func(a, b transfer.Transfer) int { return cmp.Compare(a.Step, b.Step) })
	for i := range once.Transfers {
		x := &once.Transfers[i]
		x.Out, x.In = has[x.To].add(x.Out), nil
	}
	return once
}

// bitset is a set of words.
type bitset []uint64

func (b bitset) put(w int)      { b[w>>6] |= 1 << (w & 63) }
func (b bitset) has(w int) bool { return b[w>>6]>>(w&63)&1 == 1 }

// add puts words in and returns those that were not there.
func (b bitset) add(s transfer.Set) transfer.Set {
	var fresh transfer.Set
	for _, r := range s {
		for w := r.From; w < r.To; w++ {
			if b.has(w) {
				continue
			}
			b.put(w)
			if last := len(fresh) - 1; last >= 0 && fresh[last].To == w {
				fresh[last].To++
			} else {
				fresh = append(fresh, transfer.Range{From: w, To: w + 1})
			}
		}
	}
	return fresh
}

// ReduceScatter turns a gossip round that comes to every node Once: in the end
// each node has the sums of what were its own words.
func ReduceScatter(l *transfer.List) *transfer.List { return Reversed(l, transfer.Add) }
