// SPDX-License-Identifier: Apache-2.0

package bitset

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestEmptySets(t *testing.T) {
	for _, n := range []int{0, 1, 64, 65} {
		s := New(n)
		require.True(t, s.Empty(), n)
		require.Zero(t, s.Size(), n)
		require.Empty(t, slices.Collect(s.All()), n)
	}
}

// Numbers at both ends of a word are kept apart.
func TestEndsOfWords(t *testing.T) {
	s := New(130)
	for _, i := range []int32{0, 63, 64, 127, 128, 129} {
		require.False(t, s.Has(i), i)
		s.Set(i)
		require.True(t, s.Has(i), i)
	}
	require.Equal(t, []int32{0, 63, 64, 127, 128, 129}, slices.Collect(s.All()))
	s.Clear(64)
	s.Flip(127)
	s.Flip(1)
	require.Equal(t, []int32{0, 1, 63, 128, 129}, slices.Collect(s.All()))
	require.Equal(t, 5, s.Size())
	require.False(t, s.Empty())
}

// A set does what a map of numbers does.
func TestSetsAgreeWithMaps(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	s, twin := New(200), map[int32]bool{}
	for range 5000 {
		i := random.Int32N(200)
		switch random.IntN(3) {
		case 0:
			s.Set(i)
			twin[i] = true
		case 1:
			s.Clear(i)
			delete(twin, i)
		default:
			s.Flip(i)
			if twin[i] {
				delete(twin, i)
			} else {
				twin[i] = true
			}
		}
		require.Equal(t, twin[i], s.Has(i))
		require.Equal(t, len(twin), s.Size())
	}
	for i := range s.All() {
		require.True(t, twin[i])
	}
}

// A walk ends when its user has enough.
func TestAllEndsEarly(t *testing.T) {
	s := New(70)
	s.Set(3)
	s.Set(69)
	for i := range s.All() {
		require.EqualValues(t, 3, i)
		break
	}
}

// What two sets have to do with one another, number by number.
func TestTwoSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		n := 1 + rng.IntN(150)
		a, b := New(n), New(n)
		sparse := 1 + rng.IntN(40)
		for i := range int32(n) {
			if rng.IntN(sparse) == 0 {
				a.Set(i)
			}
			if rng.IntN(sparse) == 0 {
				b.Set(i)
			}
		}
		united, less, both := slices.Clone(a), slices.Clone(a), slices.Clone(a)
		united.Unite(b)
		less.Subtract(b)
		both.Intersect(b)
		within, meets := true, false
		for i := range int32(n) {
			require.Equal(t, a.Has(i) || b.Has(i), united.Has(i))
			require.Equal(t, a.Has(i) && !b.Has(i), less.Has(i))
			require.Equal(t, a.Has(i) && b.Has(i), both.Has(i))
			within, meets = within && (!a.Has(i) || b.Has(i)), meets || a.Has(i) && b.Has(i)
		}
		require.Equal(t, within, a.Within(b))
		require.Equal(t, meets, a.Meets(b))
		require.True(t, both.Within(a) && less.Within(united))
	}
}
