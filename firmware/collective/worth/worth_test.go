// SPDX-License-Identifier: Apache-2.0

package worth_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective/worth"
	"meshwright/internal/bitset"
	"meshwright/router"
)

// promise gives a piece to a node of a path of 8 nodes.
func promise(w *worth.Worth, node, piece int32) {
	links := make([]int32, 8)
	for v := range links {
		links[v] = max(int32(v)-node, node-int32(v))
	}
	w.Promised(piece, links)
}

// A piece is in the levels up to the links from the nearest node that has it.
func TestWorthByHand(t *testing.T) {
	w := worth.New(8, 2, 7, 1)
	promise(w, 7, 1)
	for v, nearest := range []int{7, 6, 5, 4, 3, 2, 1, 0} {
		require.Equal(t, nearest, w.Nearest(int32(v), 1))
		require.Greater(t, w.Nearest(int32(v), 0), 7, "nobody has piece 0")
		for k := range 3 {
			require.Equal(t, nearest >= 1<<k, bitset.Set(w.Beyond(k, int32(v))).Has(1), "level %d of node %d", k, v)
		}
	}
	promise(w, 2, 1)
	for v, nearest := range []int{2, 1, 0, 1, 2, 2, 1, 0} {
		require.Equal(t, nearest, w.Nearest(int32(v), 1))
	}
	require.False(t, bitset.Set(w.Beyond(2, 0)).Has(1))
	require.False(t, w.Near(0, 1, 2), "not nearer than node 2")
}

// A message brings the pieces from far away alone, if the near ones are not worth their time.
func TestBestMessage(t *testing.T) {
	w := worth.New(8, 2, 7, 1)
	promise(w, 7, 0)
	promise(w, 1, 1)
	held := bitset.New(2)
	held.Set(0)
	held.Set(1)
	o := worth.Offer{To: 0, Held: held, Promised: bitset.New(2), Words: 1, Most: 10, Time: func(words int) router.Cycle { return router.Cycle(words) }}
	far, level, words := w.Best(o)
	require.Equal(t, 2, level)
	require.Equal(t, 1, words)
	o.Time = func(words int) router.Cycle { return router.Cycle(words) + 100 }
	both, level, words := w.Best(o)
	require.Equal(t, 0, level, "a startup pays for both")
	require.Equal(t, 2, words)
	require.Less(t, both, far)
	o.Promised = held
	none, _, _ := w.Best(o)
	require.Zero(t, none)
}
