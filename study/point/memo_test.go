// SPDX-License-Identifier: Apache-2.0

package point

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

// A memo makes a value once for each key, and keeps no more than it may.
func TestMemoIsBounded(t *testing.T) {
	var m memo[int]
	made := 0
	get := func(key int) {
		value, err := m.get(strconv.Itoa(key), func() (int, error) { made++; return 2 * key, nil })
		require.NoError(t, err)
		require.Equal(t, 2*key, value)
	}
	for key := range mostKept {
		get(key)
		get(0)
	}
	require.Equal(t, mostKept, made)
	get(mostKept)
	require.Len(t, m.made, 1)
	get(0)
	require.Equal(t, mostKept+2, made)
	require.Len(t, m.made, 2)
}
