// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/input"
	"meshwright/internal/rational"
)

func ratio(t testing.TB, num, den int64) rational.Rational {
	t.Helper()
	r, err := rational.New(num, den)
	require.NoError(t, err)
	return r
}

func TestEvenSplit(t *testing.T) {
	for _, row := range []struct {
		m, r  int64
		sizes []int
	}{
		{7, 3, []int{3, 2, 2}}, {6, 3, []int{2, 2, 2}}, {5, 5, []int{1, 1, 1, 1, 1}}, {5, 1, []int{5}}, {8, 3, []int{3, 3, 2}},
	} {
		s, err := EvenSplit(row.m, row.r)
		require.NoError(t, err)
		require.Equal(t, row.sizes, s.Sizes())
	}
	s, err := EvenSplit(Most, 3)
	require.NoError(t, err)
	require.Equal(t, Split{Flits: 333333333333333334, Large: 1, Small: 2}, s)
}

func TestFormulaInputs(t *testing.T) {
	one := ratio(t, 1, 1)
	for _, row := range []struct {
		call  func() error
		fault string
	}{
		{func() error { _, err := EvenSplit(0, 1); return err }, "0 flits (" + wantFormula + ")"},
		{func() error { _, err := EvenSplit(4, 5); return err }, "5 packets of 4 flits (expected 1 to as many packets as flits)"},
		{func() error { _, err := EvenSplit(4, 0); return err }, "0 packets of 4 flits (expected 1 to as many packets as flits)"},
		{func() error { _, err := Alpha(0, 4, 1, one); return err }, "0 links (" + wantFormula + ")"},
		{func() error { _, err := Alpha(1, 4, 9, one); return err }, "9 packets of 4 flits (expected 1 to as many packets as flits)"},
		{func() error { _, err := Best(Most+1, 1, one); return err }, "1000000000000000001 flits (" + wantFormula + ")"},
		{func() error { _, err := Best(1, -1, one); return err }, "-1 links (" + wantFormula + ")"},
		{func() error { _, err := ScatterContiguous(1, 3, 2, one); return err }, "nodes 3..2 (expected rising numbers from 1 to 1000000000000000000)"},
		{func() error { _, err := ScatterContiguous(0, 1, 2, one); return err }, "0 flits (" + wantFormula + ")"},
		{func() error { _, err := ScatterContiguous(1, 0, 2, one); return err }, "nodes 0..2 (expected rising numbers from 1 to 1000000000000000000)"},
	} {
		err := row.call()
		require.EqualError(t, err, row.fault)
		var fault *input.Error
		require.True(t, errors.As(err, &fault))
	}
}

// slow is the first r of the least n*(m + r*beta) + hops*(beta + ceil(m/r)),
// less the constant terms, in units of 1/den.
func slow(m, n, hops, num, den int64) (best int64) {
	least := int64(-1)
	for r := int64(1); r <= m; r++ {
		if cost := n*r*num + hops*den*((m+r-1)/r); least < 0 || cost < least {
			best, least = r, cost
		}
	}
	return best
}

func TestBestIsThatOfAllPackets(t *testing.T) {
	for _, quarters := range []int64{0, 1, 2, 3, 4, 5, 6, 7, 9, 12, 20, 41, 100} {
		beta := ratio(t, quarters, 4)
		for m := int64(1); m <= 400; m++ {
			for l := int64(1); l <= 12; l++ {
				got, err := Best(m, l, beta)
				require.NoError(t, err)
				r := slow(m, 1, l-1, quarters, 4)
				if got.Packets != r || got.PacketFlits != (m+r-1)/r {
					require.Failf(t, "not the best", "m=%d l=%d beta=%v: %d packets of %d, expected %d", m, l, beta, got.Packets, got.PacketFlits, r)
				}
			}
		}
	}
}

func TestBestTakesTheFewestPacketsOfEquallyFast(t *testing.T) {
	// 1*r + 1*ceil(12/r) is 7 for r = 3 and r = 4.
	got, err := Best(12, 2, ratio(t, 1, 1))
	require.NoError(t, err)
	require.EqualValues(t, 3, got.Packets)
	require.EqualValues(t, 4, got.PacketFlits)
	require.Equal(t, "20", got.Time.RatString())
}

func TestBestOfLargerMessages(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 1))
	for range 300 {
		m, n, hops := 1+random.Int64N(100_000), 1+random.Int64N(1<<random.IntN(12)), random.Int64N(1<<random.IntN(12))
		num, den := random.Int64N(1<<random.IntN(12)+1), 1+random.Int64N(1000)
		beta := ratio(t, num, den)
		got := choose(n, hops, m, beta)
		require.Equal(t, slow(m, n, hops, beta.Num(), beta.Den()), got.Packets, "m=%d n=%d hops=%d beta=%v", m, n, hops, beta)
		alone, err := Best(m, hops+1, beta)
		require.NoError(t, err)
		time, err := Alpha(hops+1, m, alone.Packets, beta)
		require.NoError(t, err)
		require.Zero(t, time.Cmp(alone.Time))
	}
}

// TestBestOfTheLargest compares with neighbours and with the real relaxation,
// n*hops*beta*m*4 <= (cost)^2, where no loop over all r is possible.
func TestBestOfTheLargest(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 1))
	for i := range 200 {
		m, l := Most-random.Int64N(1<<(1+i%59)), Most-random.Int64N(1<<(1+i%59))
		l = max(1, l>>random.IntN(60))
		beta := ratio(t, 1+random.Int64N(1<<(1+i%29)), 1+random.Int64N(1<<(1+(i/3)%29)))
		got, err := Best(m, l, beta)
		require.NoError(t, err)
		for range 50 {
			r := got.Packets + random.Int64N(2001) - 1000
			if r < 1 || r > m {
				continue
			}
			time, err := Alpha(l, m, r, beta)
			require.NoError(t, err)
			order := got.Time.Cmp(time)
			require.False(t, order > 0 || order == 0 && r < got.Packets, "m=%d l=%d beta=%v r=%d", m, l, beta, r)
		}
		cost := new(big.Rat).Sub(got.Time, contiguousTime(1, l-1, m, 0, 0, beta))
		square := new(big.Rat).Mul(cost, cost)
		real := new(big.Rat).Mul(beta.Rat(), whole(4*1))
		real.Mul(real, whole(m)).Mul(real, whole(l-1))
		require.True(t, square.Cmp(real) >= 0)
	}
}

func ExampleBest() {
	beta, _ := rational.Parse("3/2")
	best, _ := Best(1000, 10, beta)
	fmt.Println(best.Packets, "packets of", best.PacketFlits, "flits at most:", best.Time.FloatString(1), "cycles")
	// Output:
	// 77 packets of 13 flits at most: 1246.0 cycles
}

func BenchmarkBest(b *testing.B) {
	for _, row := range []struct {
		name     string
		m, l     int64
		num, den int64
	}{
		{"small", 1000, 10, 3, 2},
		{"even", Most, Most, 1, 1},
		{"odd", Most - 17, Most - 3, 999999937, 999999893},
		{"short path", Most, 2, 1, 3},
		{"long setup", Most - 11, 12345, rational.Max, 1},
		{"short setup", Most - 11, 12345, 1, rational.Max},
	} {
		b.Run(row.name, func(b *testing.B) {
			beta := ratio(b, row.num, row.den)
			for b.Loop() {
				_, _ = Best(row.m, row.l, beta)
			}
		})
	}
}
