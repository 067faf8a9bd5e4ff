// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/progress"
	"meshwright/router"
)

// Whether heads are followed, in one window of time or in several, or sections are compared: the
// report is the same.
func TestApproachesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(41, 42))
	verdicts := map[bool]int{}
	for _, spec := range []string{"path:40", "ring:30", "mesh:8x8", "torus:5x4x3", "random-tree:100", "debruijn:5"} {
		top, err := topology.Parse(spec)
		require.NoError(t, err)
		for _, gap := range []int{top.Nodes() / 8, top.Nodes(), 3 * top.Nodes()} {
			m := randomMachine(r)
			s := unrelated(150, top.Nodes())
			now := router.Cycle(m.Startup)
			for i := range s.Rows {
				s.Rows[i].Dispatch = now
				now += router.Cycle((gap + r.IntN(gap)) * m.Hop * m.Flit)
			}
			if r.IntN(2) == 0 {
				r.Shuffle(len(s.Rows), func(i, j int) { s.Rows[i], s.Rows[j] = s.Rows[j], s.Rows[i] })
			}
			want, err := Check(s, top, m, KeepArrivals(), withApproach(bySections, 0))
			require.NoError(t, err)
			verdicts[want.OK]++
			for _, windows := range []int{1, 2, 5} {
				got, err := Check(s, top, m, KeepArrivals(), withApproach(byHeads, windows))
				require.NoError(t, err)
				require.Equal(t, want, got, fmt.Sprint(top, m, windows))
			}
		}
	}
	require.Greater(t, verdicts[true], 2)
	require.Greater(t, verdicts[false], 2)
}

// Where very much collides a walk ends early, and the report is still the same.
func TestWalksEndInCrowds(t *testing.T) {
	top, m := millionMachine(t, machine.SinglePort)
	s := unrelated(400, top.Nodes())
	for i := range s.Rows {
		s.Rows[i].Dispatch /= 100
	}
	p, err := newPlan(t.Context(), s, top, m)
	require.NoError(t, err)
	p.how = byHeads
	w := p.newWalk()
	phase := progress.Begin(t.Context(), "walk", 0)
	free, err := w.run(t.Context(), phase)
	require.NoError(t, err)
	require.False(t, free)
	want, err := Check(s, top, m, withApproach(bySections, 0))
	require.NoError(t, err)
	got, err := Check(s, top, m, withApproach(byHeads, 0))
	require.NoError(t, err)
	require.Equal(t, want, got)
}

// A message that ends in the cycle in which the next one begins does not touch it; a cycle later
// they collide.
func TestMessagesApart(t *testing.T) {
	for _, row := range []struct {
		second int // its dispatch
		ok     bool
	}{{6, true}, {5, false}} {
		top, s := parse(t, "path:4", fmt.Sprintf("0,0,3,3,0 1,3,0,1,%d 2,0,3,1,20", row.second))
		for _, how := range []approach{byHeads, bySections} {
			got, err := Check(s, top, with(t, "nic.duplex=half"), withApproach(how, 1))
			require.NoError(t, err)
			require.Equal(t, row.ok, got.OK)
		}
	}
}
