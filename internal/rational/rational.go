// SPDX-License-Identifier: Apache-2.0

// Package rational holds exact fractions that users write: times that are not
// whole cycles.
package rational

import (
	"fmt"
	"math/big"
	"regexp"
	"strconv"

	"meshwright/internal/input"
)

// Rational is Num/Den in lowest terms, at least 0. The zero value is 0.
type Rational struct{ Num, Den int }

// Bounds of what Parse takes.
const (
	MaxDenominator = 1000
	MaxValue       = 1 << 20
)

// form is a whole number, a decimal fraction, or a quotient.
var form = regexp.MustCompile(`^[0-9]+([./][0-9]+)?$`)

// maxText bounds the characters of a number that is read at all.
const maxText = 40

// New returns num/den, for num at least 0 and den at least 1.
func New(num, den int) Rational {
	a, b := num, den
	for b != 0 {
		a, b = b, a%b
	}
	return Rational{num / a, den / a}
}

// Parse reads "2", "1.5" or "3/2". Its errors are *input.Error.
func Parse(text string) (Rational, error) {
	value := new(big.Rat)
	ok := len(text) <= maxText && form.MatchString(text)
	if ok {
		_, ok = value.SetString(text)
	}
	switch {
	case !ok:
		return Rational{}, input.Errorf("expected a number from 0 on, such as 2, 1.5 or 3/2", "%q", text)
	case value.Cmp(big.NewRat(MaxValue, 1)) > 0:
		return Rational{}, input.Errorf(fmt.Sprintf("expected at most %d", MaxValue), "%q", text)
	case value.Denom().Cmp(big.NewInt(MaxDenominator)) > 0:
		return Rational{}, input.Errorf(fmt.Sprintf("expected a denominator of at most %d", MaxDenominator), "%q", text)
	}
	return Rational{int(value.Num().Int64()), int(value.Denom().Int64())}, nil
}

// Denominator returns Den, 1 for the zero value.
func (r Rational) Denominator() int { return max(1, r.Den) }

// String writes the number as Parse reads it: 2 or 3/2.
func (r Rational) String() string {
	if r.Denominator() == 1 {
		return strconv.Itoa(r.Num)
	}
	return fmt.Sprintf("%d/%d", r.Num, r.Den)
}
