// SPDX-License-Identifier: Apache-2.0

package input

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestListShowsTen(t *testing.T) {
	var l List
	require.NoError(t, l.Err())
	var want []string
	for i := range 12 {
		l = append(l, At("f", i+1, "", "bad"))
		if i < 10 {
			want = append(want, fmt.Sprintf("f:%d: bad", i+1))
		}
	}
	require.EqualError(t, l[:10].Err(), strings.Join(want, "\n"))
	require.EqualError(t, l[:11].Err(), strings.Join(append(want, "1 more error"), "\n"))
	require.EqualError(t, l.Err(), strings.Join(append(want, "2 more errors"), "\n"))
}

func TestListSaysLongExpectationsOnce(t *testing.T) {
	long := "expected one of " + strings.Repeat("halt, ", 20)
	l := List{At("f", 1, long, "a"), At("f", 2, "expected x", "b"), At("f", 3, long, "c"), At("f", 4, "expected x", "d")}
	require.EqualError(t, l, "f:1: a ("+long+")\nf:2: b (expected x)\nf:3: c\nf:4: d (expected x)")
}

func TestUnlist(t *testing.T) {
	a, b, c := errors.New("a"), errors.New("b\nc"), errors.New("d")
	wrapped := fmt.Errorf("%w: %w", a, b)
	for _, row := range []struct {
		err  error
		want List
	}{
		{a, List{a}},
		{b, List{b}},
		{errors.Join(a, b), List{a, b}},
		{errors.Join(List{a, b}, c), List{a, b, c}},
		{wrapped, List{wrapped}},
		{errors.Join(a), List{a}},
	} {
		require.Equal(t, row.want, Unlist(row.err))
	}
}
