// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"meshwright/firmware/transfer"
	"meshwright/internal/input"
)

// Words has the content of the memories of all PEs, by rank, at the start and at the end. Words of more than
// 32 bits are several numbers, the lowest first.
type Words struct{ Start, End [][]uint32 }

// Words returns the content of the memories before and after a list that List made with
// the same length, for inputs drawn with seed. On a machine of width bits a word the
// inputs are small enough for their sums to fit. A word that is not an input differs, at
// the start, in all bits from its final value. Each chunk's end is computed twice, from
// the list and from the inputs that Flow found in it. The *input.Error says that the width
// has no room for the sums.
func (f *Flow) Words(l *transfer.List, sizes []int, length, width int, seed uint64) (*Words, error) {
	elements := max(1, width/32) // numbers of a word
	inputs, most := width, bits.Len32(uint32(f.most-1))
	if width < 32 {
		inputs -= most
	}
	if inputs < 1 {
		return nil, input.At("--width", 0, fmt.Sprintf("expected at least %d: sums of %d inputs", most+1, f.most), "%d", width)
	}
	mask := uint32(1)<<width - 1
	random := rand.New(rand.NewPCG(seed, 0x6d7363636c))
	w := &Words{}
	length *= elements // in numbers from here on
	for rank, size := range sizes {
		start := make([]uint32, size*elements)
		for i := range start {
			start[i] = random.Uint32() & mask
		}
		from, to := f.given(rank, length)
		for i := from; i < to; i++ {
			start[i] &= uint32(1)<<inputs - 1
		}
		w.Start, w.End = append(w.Start, start), append(w.End, append([]uint32(nil), start...))
	}
	written := replay(l, w.End, elements)
	for rank, end := range w.End {
		from, to := f.given(rank, length)
		for i := range end {
			if written[rank][i] && (i < from || i >= to) {
				w.Start[rank][i] = ^end[i] & mask
			}
		}
	}
	f.compare(w, length)
	return w, nil
}

// given returns the words of a rank that are there from the start: its input.
func (f *Flow) given(rank, length int) (from, to int) {
	l := f.Algorithm.layout(rank)
	in, _, _ := f.Algorithm.buffers(rank)
	return l.input * length, (l.input + in) * length
}

// replay carries a list out on memories: step by step, first the moves, then
// all sends, then all takes. It returns which words were written.
func replay(l *transfer.List, memory [][]uint32, elements int) [][]bool {
	written := make([][]bool, len(memory))
	for n := range memory {
		written[n] = make([]bool, len(memory[n]))
	}
	var sent []uint32
	put := func(t *transfer.Transfer, words []uint32) {
		for _, r := range t.Places() {
			for i := r.From * elements; i < r.To*elements; i, words = i+1, words[1:] {
				if t.Op == transfer.Add {
					memory[t.To][i] += words[0]
				} else {
					memory[t.To][i] = words[0]
				}
				written[t.To][i] = true
			}
		}
	}
	for from := 0; from < len(l.Transfers); {
		to := from
		for to < len(l.Transfers) && l.Transfers[to].Step == l.Transfers[from].Step {
			to++
		}
		step := l.Transfers[from:to]
		for i := range step {
			if t := &step[i]; t.From == t.To {
				sent = gather(sent[:0], memory, t, elements)
				put(t, sent)
			}
		}
		sent = sent[:0]
		for i := range step {
			if t := &step[i]; t.From != t.To {
				sent = gather(sent, memory, t, elements)
			}
		}
		rest := sent
		for i := range step {
			if t := &step[i]; t.From != t.To {
				put(t, rest)
				rest = rest[t.Out.Words()*elements:]
			}
		}
		from = to
	}
	return written
}

// gather appends the words that a transfer takes along.
func gather(words []uint32, memory [][]uint32, t *transfer.Transfer, elements int) []uint32 {
	for _, r := range t.Out {
		words = append(words, memory[t.From][r.From*elements:r.To*elements]...)
	}
	return words
}

// compare demands that every chunk ends as the sum of the inputs that Flow
// found in it.
func (f *Flow) compare(w *Words, length int) {
	known := map[*term][]uint32{}
	for rank, memory := range f.memory {
		for k, c := range memory {
			if c == nil {
				continue
			}
			want, ok := known[&c[0]]
			if !ok {
				want = f.evaluate(c, w, length)
				known[&c[0]] = want
			}
			for i, word := range want {
				if got := w.End[rank][k*length+i]; got != word {
					panic(fmt.Sprintf("msccl: the list of %s leaves 0x%08x in word %d of chunk %d of rank %d, its steps 0x%08x", f.Algorithm.File, got, i, k, rank, word))
				}
			}
		}
	}
}

// evaluate returns the words of a sum of inputs.
func (f *Flow) evaluate(c content, w *Words, length int) []uint32 {
	sum := make([]uint32, length)
	for _, t := range c {
		l := f.Algorithm.layout(t.rank)
		from := (l.input + t.chunk) * length
		for i := range sum {
			sum[i] += uint32(t.times) * w.Start[t.rank][from+i]
		}
	}
	return sum
}
