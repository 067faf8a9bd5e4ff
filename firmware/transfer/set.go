// SPDX-License-Identifier: Apache-2.0

package transfer

// Range is the words From to To-1 of a block.
type Range struct{ From, To int }

// Set is ranges of words in the order in which they travel.
type Set []Range

// Words returns how many words a set has.
func (s Set) Words() int {
	words := 0
	for _, r := range s {
		words += r.To - r.From
	}
	return words
}

// empty reports whether a set has no words.
func (s Set) empty() bool {
	for _, r := range s {
		if r.To > r.From {
			return false
		}
	}
	return true
}

// Part returns part i, from 0, of the k parts into which a set is cut as
// evenly as its words allow.
func (s Set) Part(i, k int) Set {
	words := s.Words()
	if k < 1 || i < 0 || i >= k {
		return nil
	}
	return s.cut(words*i/k, words*(i+1)/k)
}

// cut returns the words from to to-1 of a set, counted along it.
func (s Set) cut(from, to int) Set {
	var part Set
	for _, r := range s {
		length := r.To - r.From
		if first, last := max(0, from), min(length, to); first < last {
			part = append(part, Range{r.From + first, r.From + last})
		}
		from, to = from-length, to-length
	}
	return part
}

// Join returns sets one after the other, with neighbouring ranges as one and
// without empty ones.
func Join(sets ...Set) Set {
	var joined Set
	for _, s := range sets {
		for _, r := range s {
			switch last := len(joined) - 1; {
			case r.From == r.To:
			case last >= 0 && joined[last].To == r.From:
				joined[last].To = r.To
			default:
				joined = append(joined, r)
			}
		}
	}
	return joined
}

// Store keeps sets in large pieces of memory, since each piece costs the allocator as much
// as a set would. The zero value is empty.
type Store struct{ free []Range }

// piece is the number of ranges in a piece of a Store.
const piece = 1 << 12

// Keep returns a copy of a set. It lives as long as any set of its piece.
func (s *Store) Keep(set Set) Set {
	if len(set) > cap(s.free)-len(s.free) {
		s.free = make([]Range, 0, max(piece, len(set)))
	}
	from := len(s.free)
	s.free = append(s.free, set...)
	return Set(s.free[from:len(s.free):len(s.free)])
}
