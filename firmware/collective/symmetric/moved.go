// SPDX-License-Identifier: Apache-2.0

package symmetric

import (
	"math/bits"

	"meshwright/firmware/collective/symmetries"
	"meshwright/internal/bitset"
)

// move adds to a set where a symmetry brings the nodes of another.
func move(s symmetries.Symmetry, from, to bitset.Set) {
	for k, word := range from {
		for ; word != 0; word &= word - 1 {
			to.Set(s[k<<6+bits.TrailingZeros64(word)])
		}
	}
}

// moved is where a symmetry brings a set of nodes.
func moved(s symmetries.Symmetry, set bitset.Set) bitset.Set {
	to := bitset.New(len(s))
	move(s, set, to)
	return to
}
