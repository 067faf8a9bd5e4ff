// SPDX-License-Identifier: Apache-2.0

package study_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/study"
)

func paragon(t *testing.T, mostWords int, specs ...string) *study.Sweep {
	t.Helper()
	m, err := machine.Preset("paragon")
	require.NoError(t, err)
	sizes, err := study.ParseSizes("8..1M")
	require.NoError(t, err)
	s := &study.Sweep{Collective: "gossip", Machine: m, Sync: true, Bytes: sizes, MostWords: mostWords, Store: study.NewStore()}
	for _, spec := range specs {
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		s.Networks = append(s.Networks, topo)
	}
	return s
}

func TestP(t *testing.T) {
	r, err := paragon(t, 1<<18, "mesh:8x8", "mesh:16x8").Run(t.Context())
	require.NoError(t, err)
	for _, n := range r.Networks {
		for i := range n.Bytes {
			t.Log(n.Bytes[i], n.Contenders[n.Fastest(i)], n.Rows[i][n.Fastest(i)].A, n.Rows[i][n.Fastest(i)].B, n.Rows[i][n.Fastest(i)].Cycles, n.Rows[i][0].Source)
		}
		for _, c := range n.Crossovers {
			t.Log(c.From, c.To, c.Predicted, c.Measured, c.Source, c.Apart())
		}
		t.Log(n.Farthest())
	}
	var a bytes.Buffer
	require.NoError(t, r.Plot(&a, "gossip"))
	t.Log(a.Len())
}
