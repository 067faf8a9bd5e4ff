// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/internal/soak"
	"meshwright/schedule"
)

func parseTree(t testing.TB, tree []int32) *topology.Topology {
	file := filepath.Join(t.TempDir(), "tree.csv")
	writeTree(t, file, tree)
	top, err := topology.Parse("tree:" + file)
	require.NoError(t, err)
	return top
}

// Messages up and down trees of every shape, those on long chains included.
func TestCheckAgreesWithItsTwinOnTrees(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 20))
	colliding, delays := 0, 0
	for _, shape := range trees {
		top := parseTree(t, shape.make(r, 40))
		for range 60 {
			m := randomMachine(r)
			w := newTwin(top, m)
			s := &schedule.Schedule{}
			horizon := 1 + r.IntN(400)
			for i := range 1 + r.IntN(30) {
				s.Rows = append(s.Rows, randomRow(r, top, m, i, horizon, false))
			}
			got, err := Check(s, top, m, withBatch(1+r.IntN(30)))
			require.NoError(t, err)
			requirePairs(t, w.pairs(s), got, func() string { return describe(top, m, s) })
			if got.OK {
				continue
			}
			colliding++
			if c := got.First[r.IntN(len(got.First))]; c.Rows[0] >= 0 && c.Rows[0] != c.Rows[1] {
				require.Equal(t, w.delay(s, c.Rows[0], c.Rows[1]), c.Delay, "%d and %d\n%s", c.First, c.Second, describe(top, m, s))
				delays++
			}
		}
	}
	require.Greater(t, colliding, 200)
	require.Less(t, colliding, 500)
	require.Greater(t, delays, 150)
}

// The benchmark's rows in small. On the path messages x hops is 2·10^8, for every
// pair that collides hops is 20 000: a check that lists them takes its time.
func TestCheckOfLargeTrees(t *testing.T) {
	for _, shape := range trees {
		t.Run(shape.name, func(t *testing.T) {
			n := soak.Number(1_000, 20_000)
			tree := shape.make(rand.New(rand.NewPCG(21, 22)), n)
			top := parseTree(t, tree)
			for _, order := range orders {
				got, err := Check(order.make(rand.New(rand.NewPCG(23, 24)), tree), top, with(t))
				require.NoError(t, err)
				if order.want != either {
					require.Equal(t, order.want == clean, got.OK, order.name)
				}
			}
		})
	}
}

// On one link two flits pass each other between two nodes; at a node they collide.
func TestSingleFlitsPassEachOther(t *testing.T) {
	for _, row := range []struct {
		name, rows string
		collisions int
	}{
		{"on a link", "1,0,9,1,0 2,9,0,1,0", 0},
		{"at a node", "1,0,9,1,0 2,9,0,1,1", 1},
		{"a longer one", "1,0,9,2,0 2,9,0,1,0", 1},
		{"many", "1,0,9,1,0 2,0,9,1,2 3,0,9,1,4 4,9,0,1,0 5,9,0,1,2 6,9,0,1,4", 0},
		{"many at nodes", "1,0,9,1,0 2,0,9,1,2 3,0,9,1,4 4,9,0,1,1 5,9,0,1,3 6,9,0,1,5", 9},
	} {
		t.Run(row.name, func(t *testing.T) {
			top, s := parse(t, "path:10", row.rows)
			r, err := Check(s, top, with(t))
			require.NoError(t, err)
			require.Equal(t, row.collisions, r.Collisions)
		})
	}
}
