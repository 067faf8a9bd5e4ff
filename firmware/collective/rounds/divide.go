// SPDX-License-Identifier: Apache-2.0

package rounds

import "math/bits"

// offer is what a message could bring, and what it brings.
type offer struct {
	slot   int32
	count  int
	pieces uint64
	others uint64 // what those with more to offer could bring
	takes  uint64
}

// divide divides what the messages to a node offer among them: what only one has goes with it, and those with the least to offer take as much as the others, if they can. It returns all pieces.
func divide(offers []offer) (all uint64) {
	if len(offers) == 1 {
		offers[0].takes = offers[0].pieces
		return offers[0].pieces
	}
	for k, o := range offers {
		all |= o.pieces
		for ; k > 0 && (offers[k-1].count > o.count || offers[k-1].count == o.count && offers[k-1].slot > o.slot); k-- {
			offers[k] = offers[k-1]
		}
		offers[k] = o
	}
	var behind uint64
	for k := len(offers) - 1; k >= 0; k-- {
		offers[k].others = behind
		behind |= offers[k].pieces
	}
	left := all
	for k := range offers {
		o, rest := &offers[k], len(offers)-k
		share := (bits.OnesCount64(left) + rest - 1) / rest
		o.takes = o.pieces & left &^ o.others
		need := share - bits.OnesCount64(o.takes)
		for more := o.pieces & left & o.others; more != 0 && need > 0; more &= more - 1 {
			o.takes |= more & -more
			need--
		}
		left &^= o.takes
	}
	return all
}
