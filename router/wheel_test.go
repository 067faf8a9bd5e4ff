// SPDX-License-Identifier: Apache-2.0

package router

import (
	"math"
	"math/rand/v2"
	"meshwright/internal/bitset"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTimersExpireInTheirTick(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	for _, span := range []Cycle{1, 7, 3 * maxWheel} {
		w := newWheel(20, span)
		due := map[int32]Cycle{}
		for now := Cycle(0); now < 4*span+100; now++ {
			soonest := w.soonest(now)
			next := Cycle(math.MaxInt64)
			for _, at := range due {
				next = min(next, at)
			}
			if next == math.MaxInt64 || next < now+Cycle(len(w.first)) {
				require.Equal(t, next, soonest)
			}
			list := w.expire(now, nil)
			for _, chip := range list {
				require.Equal(t, now, due[chip])
				delete(due, chip)
			}
			require.False(t, next == now && len(list) == 0)
			for chip := range int32(20) {
				if _, runs := due[chip]; !runs && rng.Int64N(int64(span)+1) == 0 {
					due[chip] = now + 1 + Cycle(rng.Int64N(int64(span)))
					w.start(chip, due[chip])
				}
			}
			require.Equal(t, len(due), w.running)
		}
	}
}

func TestSparseSetsHoldWhatBitsetsDo(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 4))
	const size = 10_000
	s, want := newSparse(size), bitset.New(size)
	for range 300 {
		for range rng.IntN(4) {
			i := int32(rng.IntN(size))
			s.set(i)
			want.Set(i)
		}
		if i := int32(rng.IntN(size)); rng.IntN(2) == 0 {
			s.clear(i)
			want.Clear(i)
		}
		require.Equal(t, want.Size() == 0, s.empty())
		require.Equal(t, slices.Collect(want.All()), slices.Collect(s.all()))
		if rng.IntN(20) == 0 {
			require.Equal(t, append([]int32{}, slices.Collect(want.All())...), append([]int32{}, s.drain(nil)...))
			clear(want)
		}
		if rng.IntN(20) == 0 {
			s.reset()
			clear(want)
		}
	}
}
