// SPDX-License-Identifier: Apache-2.0

package router

import (
	"iter"
	"math/bits"
)

// sparse is a bitset that mostly is nearly empty: an index tells which of its
// words are not, so that a walk costs what the set holds.
type sparse struct{ words, index bitset }

func newSparse(n int) sparse {
	words := newBitset(n)
	return sparse{words, newBitset(len(words))}
}

func (s *sparse) set(i int32) {
	s.words.set(i)
	s.index.set(i >> 6)
}

func (s *sparse) clear(i int32) {
	s.words.clear(i)
	if s.words[i>>6] == 0 {
		s.index.clear(i >> 6)
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

// drain empties the set and returns what it held, in rising order, in list.
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
		for w := range s.index.all() {
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
