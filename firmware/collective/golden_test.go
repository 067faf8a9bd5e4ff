// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/router"
)

func TestPapersTables(t *testing.T) {
	for _, row := range []struct {
		file       string
		collective string
		lengths    []int
		algorithm  string
		order      []router.NodeID
		cycles     router.Cycle
		bound      router.Cycle
	}{
		{"fig1a.csv", "scatter", []int{0, 0, 0, 0, 4, 3}, "furthest-first", nil, 11, 11},
		{"fig1b.csv", "scatter", []int{0, 0, 0, 0, 4, 3}, "furthest-first", []router.NodeID{4, 5}, 12, 11},
		{"fig2.csv", "gather", []int{0, 2, 3, 0, 2, 1}, "shoulder-tap", nil, 12, 9},
		{"fig3.csv", "gather", []int{0, 9, 0, 1, 0, 1}, "shoulder-tap", nil, 14, 12},
		{"fig4.csv", "gather", []int{0, 2, 3, 0, 2, 1}, "certification", nil, 22, 9},
	} {
		t.Run(row.file, func(t *testing.T) {
			j := collectivetest.Job(t, "path:6", "bufferless", 0, row.lengths...)
			j.Order = row.order
			plan, err := collective.Generate(t.Context(), row.collective, row.algorithm, j)
			require.NoError(t, err)
			table := newTableMonitor()
			r, err := collective.Execute(t.Context(), plan, func(n *fabric.Network) error {
				n.Attach(table)
				return nil
			})
			require.NoError(t, err)
			require.NoError(t, r.Failure)
			require.True(t, r.Delivered)
			require.Equal(t, row.cycles, r.Cycles)
			require.Equal(t, row.bound, plan.LowerBound())
			want, err := golden(row.file)
			require.NoError(t, err)
			require.Equal(t, want, table.text(6))
		})
	}
}
