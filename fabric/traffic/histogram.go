// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"iter"
	"maps"
	"math"
	"slices"

	"meshwright/router"
)

// Histogram counts times exactly, one count for each time that occurred. It does not keep the times one by one.
type Histogram struct {
	counts []uint64 // of times below flat
	rare   map[router.Cycle]uint64
	count  uint64
	sum    float64
	max    router.Cycle
}

// flat bounds the times that are counted in a list.
const flat = 1 << 16

// add counts a time of at least 0.
func (h *Histogram) add(t router.Cycle) {
	h.count++
	h.sum += float64(t)
	h.max = max(h.max, t)
	if t >= flat {
		if h.rare == nil {
			h.rare = map[router.Cycle]uint64{}
		}
		h.rare[t]++
		return
	}
	if int(t) >= len(h.counts) {
		h.counts = append(h.counts, make([]uint64, int(t)+1-len(h.counts))...)
	}
	h.counts[t]++
}

// Count returns the number of times.
func (h *Histogram) Count() uint64 { return h.count }

// Mean returns the mean, NaN of nothing.
func (h *Histogram) Mean() float64 { return h.sum / float64(h.count) }

// Max returns the longest time, 0 of nothing.
func (h *Histogram) Max() router.Cycle { return h.max }

// All yields every time that occurred, in rising order, with its count.
func (h *Histogram) All() iter.Seq2[router.Cycle, uint64] {
	return func(yield func(t router.Cycle, count uint64) bool) {
		for t, n := range h.counts {
			if n > 0 && !yield(router.Cycle(t), n) {
				return
			}
		}
		for _, t := range slices.Sorted(maps.Keys(h.rare)) {
			if !yield(t, h.rare[t]) {
				return
			}
		}
	}
}

// Quantile returns the shortest time that at least this share of all times do not exceed; 0 of nothing.
func (h *Histogram) Quantile(share float64) router.Cycle {
	rank := uint64(math.Ceil(share * float64(h.count)))
	seen := uint64(0)
	for t, n := range h.All() {
		if seen += n; seen >= rank {
			return t
		}
	}
	return h.max
}
