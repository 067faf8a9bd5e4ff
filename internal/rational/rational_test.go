// SPDX-License-Identifier: Apache-2.0

package rational

import (
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/input"
)

func TestParse(t *testing.T) {
	for _, row := range []struct{ text, want, fault string }{
		{text: "0", want: "0"},
		{text: "2", want: "2"},
		{text: "007", want: "7"},
		{text: "1.5", want: "3/2"},
		{text: "2.0", want: "2"},
		{text: "0.001", want: "1/1000"},
		{text: "0.000000001", want: "1/1000000000"},
		{text: "1.5000000000000", want: "3/2"},
		{text: "3/2", want: "3/2"},
		{text: "6/4", want: "3/2"},
		{text: "0/7", want: "0"},
		{text: "4000000000/2000000000", want: "2"},
		{text: "1000000000", want: "1000000000"},
		{text: "", fault: `"" is not a number (` + form + `)`},
		{text: ".5", fault: `".5" is not a number (` + form + `)`},
		{text: "5.", fault: `"5." is not a number (` + form + `)`},
		{text: "1e-3", fault: `"1e-3" is not a number (` + form + `)`},
		{text: "+1", fault: `"+1" is not a number (` + form + `)`},
		{text: " 1", fault: `" 1" is not a number (` + form + `)`},
		{text: "1/2/3", fault: `"1/2/3" is not a number (` + form + `)`},
		{text: "1.5/2", fault: `"1.5/2" is not a number (` + form + `)`},
		{text: "1/-2", fault: `"1/-2" is not a number (` + form + `)`},
		{text: "NaN", fault: `"NaN" is not a number (` + form + `)`},
		{text: "--1", fault: `"--1" is not a number (` + form + `)`},
		{text: "-3/2", fault: `"-3/2" is negative (expected 0 or more)`},
		{text: "-x", fault: `"-x" is not a number (` + form + `)`},
		{text: "1/0", fault: `"1/0" divides by zero (expected a denominator of at least 1)`},
		{text: "1000000001", fault: `"1000000001" is out of range (` + bounds + `)`},
		{text: "1/1000000007", fault: `"1/1000000007" is out of range (` + bounds + `)`},
		{text: "99999999999999999999", fault: `"99999999999999999999" is out of range (` + bounds + `)`},
		{text: "0.1234567891", fault: `"0.1234567891" (expected at most 9 decimals, or a fraction)`},
	} {
		got, err := Parse(row.text)
		if row.fault != "" {
			require.EqualError(t, err, row.fault)
			var fault *input.Error
			require.True(t, errors.As(err, &fault))
			continue
		}
		require.NoError(t, err, row.text)
		require.Equal(t, row.want, got.String())
		again, err := Parse(got.String())
		require.NoError(t, err)
		require.Equal(t, got, again)
	}
}

func TestZero(t *testing.T) {
	require.Zero(t, Rational{}.Num())
	require.Equal(t, "0", Rational{}.String())
	require.EqualValues(t, 1, Rational{}.Den())
}

func TestNew(t *testing.T) {
	for _, row := range []struct {
		num, den int64
		fault    string
	}{
		{1, 0, "1/0 divides by zero (expected a denominator of at least 1)"},
		{-1, 2, "-1/2 is negative (expected 0 or more)"},
		{1, -2, "1/-2 is negative (expected 0 or more)"},
		{Max + 1, 1, "1000000001/1 is out of range (" + bounds + ")"},
	} {
		_, err := New(row.num, row.den)
		require.EqualError(t, err, row.fault)
	}
}

func TestFractionsAreExact(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		num, den := random.Int64N(10000), 1+random.Int64N(10000)
		r, err := New(num, den)
		require.NoError(t, err)
		require.Zero(t, big.NewRat(num, den).Cmp(r.Rat()))
		require.Equal(t, []int64{r.Rat().Num().Int64(), r.Rat().Denom().Int64()}, []int64{r.Num(), r.Den()})
	}
}
