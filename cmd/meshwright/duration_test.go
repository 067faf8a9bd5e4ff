// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDurationsPrintExactly(t *testing.T) {
	for _, row := range []struct {
		d          duration
		text, json string
	}{
		{duration{12, 1}, "12", "12"},
		{duration{31, 2}, "15.5", "15.5"},
		{duration{30, 2}, "15", "15"},
		{duration{31, 8}, "3.875", "3.875"},
		{duration{31, 3}, "31/3", "10.33333333333333333"},
		{duration{7, 0}, "7", "7"},
	} {
		require.Equal(t, row.text, row.d.String())
		number, err := row.d.MarshalJSON()
		require.NoError(t, err)
		require.Equal(t, row.json, string(number))
	}
}
