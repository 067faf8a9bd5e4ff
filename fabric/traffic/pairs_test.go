// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

// The pairs are those that many draws find.
func TestPairsAreThoseOfTheDraws(t *testing.T) {
	file := filepath.Join(t.TempDir(), "weights.csv")
	require.NoError(t, os.WriteFile(file, []byte("source,destination,weight\n0,1,1\n0,2,3\n0,3,0\n5,4,2\n"), 0o600))
	for _, row := range []struct {
		spec, pattern string
		dead          router.NodeID
	}{{"mesh:4x4", "transpose", -1}, {"mesh:4x4", "transpose", 1}, {"ring:5", "neighbor", -1}, {"mesh:4x4", "matrix:" + file, -1}, {"mesh:4x4", "matrix:" + file, 2}} {
		at := parse(t, row.spec)
		p, err := ParsePattern(row.pattern, at)
		require.NoError(t, err)
		if row.dead >= 0 {
			p, err = Among(p, at, func(n router.NodeID) bool { return n != row.dead })
			require.NoError(t, err)
		}
		sources := p.Sources()
		if sources == nil {
			for n := range router.NodeID(at.Nodes()) {
				sources = append(sources, n)
			}
		}
		drawn, rng := map[Pair]bool{}, rand.New(rand.NewPCG(1, 1))
		for _, from := range sources {
			for range 200 {
				drawn[Pair{from, p.Destination(from, rng)}] = true
			}
		}
		l := &Load{Pattern: p}
		require.Len(t, l.Pairs(), len(drawn), row)
		for _, pair := range l.Pairs() {
			require.True(t, drawn[pair], row)
		}
		l.Replies = sizes(t, "1")
		require.Len(t, l.Pairs(), 2*len(drawn))
		require.Contains(t, l.Pairs(), Pair{l.Pairs()[0].Destination, l.Pairs()[0].Source})
	}
	require.Nil(t, (&Load{Pattern: uniform(4)}).Pairs())
	trace := &Trace{packets: []packet{{source: 1, destination: 2}, {source: 2, destination: 1}, {source: 1, destination: 2}}}
	require.Equal(t, []Pair{{1, 2}, {2, 1}}, trace.Pairs())
}
