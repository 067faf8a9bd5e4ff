// SPDX-License-Identifier: Apache-2.0

// Package rational holds exact non-negative numbers that a user may write as a
// whole number, a decimal or a fraction: 2, 1.5, 3/2.
package rational

import (
	"math/big"
	"strconv"
	"strings"

	"meshwright/internal/input"
)

// Max bounds numerator and denominator in lowest terms.
const Max = 1_000_000_000

const (
	form     = "expected a number such as 2, 1.5 or 3/2"
	wantZero = "expected 0 or more"
)

var bounds = "expected numerator and denominator of at most " + strconv.Itoa(Max) + " in lowest terms"

// Rational is num/den in lowest terms, from 0 to Max. The zero value is 0.
type Rational struct{ num, less int64 } // less is den-1, so that the zero value is 0/1

// New makes num/den. Its errors are *input.Error: negative, no denominator,
// more than Max in lowest terms.
func New(num, den int64) (Rational, error) {
	text := func() string { return strconv.FormatInt(num, 10) + "/" + strconv.FormatInt(den, 10) }
	if den == 0 {
		return Rational{}, input.Errorf("expected a denominator of at least 1", "%s divides by zero", text())
	}
	if num < 0 || den < 0 {
		return Rational{}, input.Errorf(wantZero, "%s is negative", text())
	}
	g := gcd(num, den)
	num, den = num/g, den/g
	if num > Max || den > Max {
		return Rational{}, input.Errorf(bounds, "%s is out of range", text())
	}
	return Rational{num, den - 1}, nil
}

// Whole makes n, which must be from 0 to Max.
func Whole(n int64) (Rational, error) { return New(n, 1) }

// One makes 1.
func One() Rational { return Rational{num: 1} }

// Parse reads digits, digits.digits or digits/digits: no sign, no spaces, no
// exponent. Its errors are *input.Error and quote the text.
func Parse(text string) (Rational, error) {
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		if _, err := Parse(rest); err == nil {
			return Rational{}, input.Errorf(wantZero, "%q is negative", text)
		}
		return Rational{}, malformed(text)
	}
	if above, below, ok := strings.Cut(text, "/"); ok {
		return fraction(text, above, below)
	}
	whole, part, ok := strings.Cut(text, ".")
	if ok && part == "" {
		return Rational{}, malformed(text)
	}
	part = strings.TrimRight(part, "0")
	if ok && part == "" {
		part = "0"
	}
	if len(part) > 9 && digits(part) {
		return Rational{}, input.Errorf("expected at most 9 decimals, or a fraction", "%q", text)
	}
	if whole == "" {
		return Rational{}, malformed(text)
	}
	return fraction(text, whole+part, "1"+strings.Repeat("0", len(part)))
}

func fraction(text, above, below string) (Rational, error) {
	if !digits(above) || !digits(below) {
		return Rational{}, malformed(text)
	}
	num, err1 := strconv.ParseInt(above, 10, 64)
	den, err2 := strconv.ParseInt(below, 10, 64)
	if err1 != nil || err2 != nil {
		return Rational{}, input.Errorf(bounds, "%q is out of range", text)
	}
	if den == 0 {
		return Rational{}, input.Errorf("expected a denominator of at least 1", "%q divides by zero", text)
	}
	g := gcd(num, den)
	if num/g > Max || den/g > Max {
		return Rational{}, input.Errorf(bounds, "%q is out of range", text)
	}
	return Rational{num / g, den/g - 1}, nil
}

func malformed(text string) error { return input.Errorf(form, "%q is not a number", text) }

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Num returns the numerator in lowest terms.
func (r Rational) Num() int64 { return r.num }

// Den returns the denominator in lowest terms, 1 for whole numbers.
func (r Rational) Den() int64 { return r.less + 1 }

// Rat returns r for arithmetic without bounds.
func (r Rational) Rat() *big.Rat { return big.NewRat(r.num, r.Den()) }

// String returns 2 or 3/2, which Parse reads.
func (r Rational) String() string {
	if r.less == 0 {
		return strconv.FormatInt(r.num, 10)
	}
	return strconv.FormatInt(r.num, 10) + "/" + strconv.FormatInt(r.Den(), 10)
}

// Exactly writes num/den as a decimal fraction if it is one, else as a/b in
// lowest terms: 31.5, 104/3. The denominator is not 0.
func Exactly(num, den int64) string { return Text(big.NewRat(num, den)) }

// Text is Exactly of any number.
func Text(x *big.Rat) string {
	digits, ok := x.FloatPrec()
	if !ok {
		return x.RatString()
	}
	return x.FloatString(digits)
}
