// SPDX-License-Identifier: Apache-2.0

package formula_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/study/formula"
)

func names(name string) (formula.Value, bool) {
	v, ok := map[string]formula.Value{"cycles": 120.0, "mhz": 60.0, "ports": "all", "nic.channels": 1.0, "zero": 0.0}[name]
	return v, ok
}

func TestNumbers(t *testing.T) {
	for _, row := range []struct {
		text string
		want float64
		ok   bool
	}{
		{"cycles / mhz", 2, true},
		{"-(cycles + 1) * 2 - nic.channels", -243, true},
		{"cycles * lut4", 0, false},
		{"1.5e2", 150, true},
		{"cycles > 100", 1, true},
		{`ports == "one"`, 0, true},
		{"lut4 > 5", 0, false},
		{`(ports == "all") * cycles`, 120, true},
		{`-(ports == "all")`, -1, true},
		{"cycles && !zero", 1, true},
		{`cycles == "all"`, 0, true},
		{`ports != 3`, 1, true},
		{"1 / zero", 0, false},
		{"zero / zero", 0, false},
	} {
		f, err := formula.Parse(row.text)
		require.NoError(t, err, row.text)
		x, ok, err := f.Number(names)
		require.NoError(t, err, row.text)
		require.Equal(t, row.ok, ok, row.text)
		require.InDelta(t, row.want, x, 1e-9, row.text)
	}
	f, err := formula.Parse("nic.channels * cycles")
	require.NoError(t, err)
	require.Equal(t, []string{"nic.channels", "cycles"}, f.Uses())
}

func TestConstraints(t *testing.T) {
	for text, want := range map[string]bool{
		"cycles <= 120": true, "cycles < 120": false, `ports == "all" && !(mhz != 60)`: true, `ports != "all" || cycles > 1000`: false, "mhz >= 61": false, "mhz > 59": true,
	} {
		f, err := formula.Parse(text)
		require.NoError(t, err, text)
		holds, err := f.Holds(names)
		require.NoError(t, err, text)
		require.Equal(t, want, holds, text)
	}
}

func TestBadFormulas(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"", `"" (expected a formula such as buffer * vcs <= 32)`},
		{"a +", `"a +" (expected a formula such as buffer * vcs <= 32)`},
		{"f(a)", `"f(a)" (expected names, numbers, texts, + - * / == != < <= > >= && || ! and parentheses)`},
		{"a << 2", `"a << 2" (expected names, numbers, texts, + - * / == != < <= > >= && || ! and parentheses)`},
	} {
		_, err := formula.Parse(row.text)
		require.EqualError(t, err, row.want)
	}
	for _, row := range []struct{ text, want string }{
		{"cycles + 1", `"cycles + 1" is no constraint (expected a comparison such as buffer <= 8)`},
		{"ports < 3", `"ports < 3": < does not take these values (expected two numbers, or two texts to compare)`},
		{`ports + "x" == "y"`, `"ports + \"x\" == \"y\"": + does not take these values (expected two numbers, or two texts to compare)`},
		{"!ports", `"!ports": ! does not take these values (expected two numbers, or two texts to compare)`},
		{"ports && cycles", `"ports && cycles": && does not take these values (expected two numbers, or two texts to compare)`},
		{"cycles < lut4", `"cycles < lut4": lut4 has no value (expected it in axes or in set)`},
	} {
		f, err := formula.Parse(row.text)
		require.NoError(t, err, row.text)
		_, err = f.Holds(names)
		require.EqualError(t, err, row.want)
	}
}

// A measure is a number: a formula that is a text is refused.
func TestTextsAreNoNumbers(t *testing.T) {
	f, err := formula.Parse("ports")
	require.NoError(t, err)
	_, _, err = f.Number(names)
	require.EqualError(t, err, `"ports" is a text (expected a number, or a comparison such as chosen == "greedy")`)
}
