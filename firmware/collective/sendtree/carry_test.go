// SPDX-License-Identifier: Apache-2.0

package sendtree

import (
	"cmp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// carry carries a list out on the areas of the nodes, as slowly as can be: the
// nodes take turns, each goes on until it waits for a message. A word that is
// not there yet is noWord, and nobody may send it.
func carry(t *testing.T, l *transfer.List, areas [][]int64) {
	t.Helper()
	type action struct{ step, take, index int }
	acts := make([][]action, l.Nodes)
	for i, x := range l.Transfers {
		if x.Out.Words() == 0 {
			continue
		}
		require.NotEqual(t, x.From, x.To)
		acts[x.From] = append(acts[x.From], action{x.Step, 0, i})
		acts[x.To] = append(acts[x.To], action{x.Step, 1, i})
	}
	left := 0
	for n := range acts {
		left += len(acts[n])
		slices.SortFunc(acts[n], func(a, b action) int {
			return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.take, b.take), cmp.Compare(a.index, b.index))
		})
	}
	mail := make([][]int64, len(l.Transfers))
	for moved := true; moved; {
		moved = false
		for n := range acts {
			for len(acts[n]) > 0 {
				a := acts[n][0]
				x := l.Transfers[a.index]
				if a.take == 0 {
					mail[a.index] = read(t, areas[n], x.Out)
				} else if mail[a.index] == nil {
					break
				} else {
					in := x.In
					if in == nil {
						in = x.Out
					}
					write(t, areas[n], in, mail[a.index], x.Op)
				}
				acts[n], moved = acts[n][1:], true
				left--
			}
		}
	}
	require.Zero(t, left, "nodes wait for one another")
}

const noWord = -1 << 62

func read(t *testing.T, area []int64, s transfer.Set) []int64 {
	var words []int64
	for _, r := range s {
		words = append(words, area[r.From:r.To]...)
	}
	require.NotContains(t, words, int64(noWord), "a word is sent that is not there")
	return words
}

func write(t *testing.T, area []int64, s transfer.Set, words []int64, op transfer.Op) {
	require.Equal(t, len(words), s.Words())
	for _, r := range s {
		for k := r.From; k < r.To; k++ {
			if op == transfer.Add {
				area[k] += words[0]
			} else {
				area[k] = words[0]
			}
			words = words[1:]
		}
	}
}

func parse(t testing.TB, spec string) *topology.Topology {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	return topo
}

// broadcasts carries a list out as a broadcast.
func broadcasts(t *testing.T, l *transfer.List, root router.NodeID, words int) {
	t.Helper()
	areas := make([][]int64, l.Nodes)
	want := make([]int64, words)
	for i := range want {
		want[i] = int64(1000 + i)
	}
	for n := range areas {
		areas[n] = slices.Repeat([]int64{noWord}, words)
	}
	areas[root] = slices.Clone(want)
	carry(t, l, areas)
	for n := range areas {
		require.Equal(t, want, areas[n], "node %d", n)
	}
}

// reduces carries a list out as a reduce.
func reduces(t *testing.T, l *transfer.List, root router.NodeID, words int) {
	t.Helper()
	areas := make([][]int64, l.Nodes)
	want := make([]int64, words)
	for n := range areas {
		areas[n] = make([]int64, words)
		for i := range want {
			areas[n][i] = int64((n + 3) * (i + 7) * (n + i + 1))
			want[i] += areas[n][i]
		}
	}
	carry(t, l, areas)
	require.Equal(t, want, areas[root])
}

// wormhole is the preset with other times.
func wormhole(t testing.TB, startup, flit, hop int) machine.Machine {
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	m.Startup, m.Flit, m.Hop, m.Buffer = startup, flit, hop, hop/flit+1 // for the full rate
	return m
}

// predict is the time of a list.
func predict(t testing.TB, topo *topology.Topology, m machine.Machine, l *transfer.List) router.Cycle {
	timing, err := transfer.Predict(topo, m, l)
	require.NoError(t, err)
	return timing.Cycles
}
