// SPDX-License-Identifier: Apache-2.0

package refine

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// A piece that is cut stays whole in all messages but the one that is split.
func TestCutsKeepTheWords(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	before := []message{{from: 0, to: 1, pieces: []int32{0, 1, 2}}, {from: 1, to: 2, pieces: []int32{1}}, {from: 1, to: 3, pieces: []int32{0, 2}}}
	o := order{append([]message(nil), before...), []int32{4, 12, 13}}
	require.True(t, o.split(1, true, random))
	require.Len(t, o.ends, 4)
	require.Greater(t, o.ends[1], int32(4))
	require.Less(t, o.ends[1], int32(12))
	require.Equal(t, []int32{4, 12, 13}, []int32{o.ends[0], o.ends[2], o.ends[3]})
	require.Len(t, o.messages, 4)
	require.Equal(t, []int32{0, 1, 2, 3}, o.messages[0].pieces)
	require.Equal(t, []int32{1}, o.messages[1].pieces)
	require.Contains(t, o.messages[2:], message{from: 1, to: 2, pieces: []int32{2}})
	require.Contains(t, o.messages[2:], message{from: 1, to: 3, pieces: []int32{0, 3}})
	require.Equal(t, []int32{0, 1, 2}, before[0].pieces, "pieces are shared")

	whole := order{[]message{{from: 0, to: 1, pieces: []int32{0}}}, []int32{1}}
	require.False(t, whole.split(0, true, random), "a piece of one word")
	whole.ends = []int32{2}
	require.False(t, whole.split(0, false, random), "nothing is cut")
}
