// SPDX-License-Identifier: Apache-2.0

package rational

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	for _, row := range []struct {
		text string
		want Rational
	}{
		{"0", Rational{0, 1}}, {"2", Rational{2, 1}}, {"1.5", Rational{3, 2}}, {"3/2", Rational{3, 2}}, {"6/4", Rational{3, 2}},
		{"0.001", Rational{1, 1000}}, {"2.50000", Rational{5, 2}}, {"1048576", Rational{1 << 20, 1}}, {"007", Rational{7, 1}},
	} {
		got, err := Parse(row.text)
		require.NoError(t, err, row.text)
		require.Equal(t, row.want, got, row.text)
		again, err := Parse(got.String())
		require.NoError(t, err)
		require.Equal(t, got, again)
		require.Equal(t, got, New(3*got.Num, 3*got.Den))
	}
	require.Equal(t, "0", Rational{}.String())
	require.Equal(t, "3/2", Rational{3, 2}.String())
}

func TestParseRefuses(t *testing.T) {
	const form = " (expected a number from 0 on, such as 2, 1.5 or 3/2)"
	for text, want := range map[string]string{
		"": `""` + form, "-1": `"-1"` + form, "NaN": `"NaN"` + form, "one": `"one"` + form, "1e3": `"1e3"` + form, "3/0": `"3/0"` + form,
		"1/2/3": `"1/2/3"` + form, ".5": `".5"` + form, "0x10": `"0x10"` + form, "+1": `"+1"` + form,
		"1/1001": `"1/1001" (expected a denominator of at most 1000)`, "0.0001": `"0.0001" (expected a denominator of at most 1000)`,
		"1048577": `"1048577" (expected at most 1048576)`, "2097153/2": `"2097153/2" (expected at most 1048576)`,
	} {
		_, err := Parse(text)
		require.EqualError(t, err, want)
	}
}
