// SPDX-License-Identifier: Apache-2.0

package traffic

import (
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

// Quantile returns the shortest time that at least this share of all times do not exceed; 0 of nothing.
func (h *Histogram) Quantile(share float64) router.Cycle {
	rank := uint64(math.Ceil(share * float64(h.count)))
	seen := uint64(0)
	for t, n := range h.counts {
		if seen += n; seen >= rank && n > 0 {
			return router.Cycle(t)
		}
	}
	times := make([]router.Cycle, 0, len(h.rare))
	for t := range h.rare {
		times = append(times, t)
	}
	slices.Sort(times)
	for _, t := range times {
		if seen += h.rare[t]; seen >= rank {
			return t
		}
	}
	return h.max
}
