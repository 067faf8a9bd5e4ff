// SPDX-License-Identifier: Apache-2.0

package router

import (
	"iter"
	"math/bits"
	"meshwright/internal/bitset"
)

// sparse is a bitset that is nearly empty most of the time. An index marks the words that are
// not zero, so the cost of a walk depends on the number of elements.
type sparse struct{ words, index bitset.Set }

func newSparse(n int) sparse {
	words := bitset.New(n)
	return sparse{words, bitset.New(len(words))}
}

func (s *sparse) set(i int32) {
	s.words.Set(i)
	s.index.Set(i >> 6)
}

func (s *sparse) clear(i int32) {
	s.words.Clear(i)
	if s.words[i>>6] == 0 {
		s.index.Clear(i >> 6)
	}
}

// reset takes all numbers out.
func (s *sparse) reset() {
	for k, block := range s.index {
		for ; block != 0; block &= block - 1 {
			s.words[k<<6+bits.TrailingZeros64(block)] = 0
		}
		s.index[k] = 0
	}
}

// drain empties the set and returns its elements, in rising order, in list.
func (s *sparse) drain(list []int32) []int32 {
	list = list[:0]
	for k, block := range s.index {
		for ; block != 0; block &= block - 1 {
			w := k<<6 + bits.TrailingZeros64(block)
			for word := s.words[w]; word != 0; word &= word - 1 {
				list = append(list, int32(w<<6+bits.TrailingZeros64(word)))
			}
			s.words[w] = 0
		}
		s.index[k] = 0
	}
	return list
}

// all ranges over the numbers in rising order.
func (s *sparse) all() iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for w := range s.index.All() {
			for word := s.words[w]; word != 0; word &= word - 1 {
				if !yield(w<<6 + int32(bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}

func (s *sparse) empty() bool {
	for _, block := range s.index {
		if block != 0 {
			return false
		}
	}
	return true
}
