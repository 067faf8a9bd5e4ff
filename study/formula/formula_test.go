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
		{"1 / zero > 3", 0, false},
		{"zero && 1 / zero > 3", 0, true},
		{"cycles || 1 / zero > 3", 1, true},
		{"zero || 1 / zero > 3", 0, false},
		{"min(cycles, 3 * mhz, 200)", 120, true},
		{"max(cycles, 3 * mhz)", 180, true},
		{"max(cycles)", 120, true},
		{"max(cycles, lut4)", 0, false},
		{"log2(cycles + 8)", 7, true},
		{"log2(zero)", 0, false},
		{"log2(-1)", 0, false},
		{"pow(2, nic.channels + 9) / 2", 512, true},
		{"pow(10, 400)", 0, false},
		{"pow(zero - 1, 0.5)", 0, false},
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
	f, err = formula.Parse("max(nic.channels, log2(cycles)) + min")
	require.NoError(t, err)
	require.Equal(t, []string{"nic.channels", "cycles", "min"}, f.Uses())
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
		{"f(a)", `"f(a)": unknown function "f" (expected log2, max, min or pow)`},
		{"(a)(b)", `"(a)(b)": unknown function "" (expected log2, max, min or pow)`},
		{"max(a...)", `"max(a...)": unknown function "max" (expected log2, max, min or pow)`},
		{"log2(a, b)", `"log2(a, b)": log2 of 2 numbers (expected 1 number)`},
		{"min()", `"min()": min of 0 numbers (expected 1 number or more)`},
		{"pow(a)", `"pow(a)": pow of 1 number (expected 2 numbers)`},
		{"a << 2", `"a << 2" (expected names, numbers, texts, + - * / == != < <= > >= && || !, parentheses, log2, max, min, pow)`},
		{"a ** 2", `"a ** 2" (expected names, numbers, texts, + - * / == != < <= > >= && || !, parentheses, log2, max, min, pow)`},
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
		{"cycles / zero < 3", `"cycles / zero < 3": a division by 0, or another number that does not exist (expected a finite number)`},
		{"max(ports, 1) > 0", `"max(ports, 1) > 0": max does not take a text (expected numbers)`},
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
