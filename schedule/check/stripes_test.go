// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/internal/progress"
	"meshwright/router"
	"meshwright/schedule"
)

// Stripes of any size count the pairs that the rules' sweeps find, one by one and with the ends of the routes.
func TestStripesCountWhatSweepsFind(t *testing.T) {
	r := rand.New(rand.NewPCG(51, 52))
	counted := 0
	for _, top := range randomTopologies(t) {
		for _, stripe := range []int{1, 2, 5, 1000} {
			m := randomMachine(r)
			s := &schedule.Schedule{}
			for i := range 100 {
				s.Rows = append(s.Rows, randomRow(r, top, m, i, 400, stripe == 2))
			}
			text := func() string { return fmt.Sprintf("stripe %d\n%s", stripe, describe(top, m, s)) }
			m, err := m.Resolve(top)
			require.NoError(t, err, text())
			p, err := newPlan(t.Context(), s, top, m)
			require.NoError(t, err, text())
			p.stripe, p.batch = stripe, 100
			e, rules := effort{t.Context(), progress.Begin(t.Context(), "count", 0)}, p.rules()
			links, got, want := newCounter(p.rows), &Report{}, newCounter(p.rows)
			p.linkUses(&sorter{}).find(e, links)
			counter := newCounter(p.rows)
			require.True(t, p.stripes().count(e, counter), text())
			require.Equal(t, links.tally, counter.tally, text())
			if !p.countLinks(e, got, rules) {
				require.Equal(t, machine.SinglePort, m.Ports)
				continue
			}
			p.search(e, want, rules)
			require.Equal(t, len(want.tally), got.Collisions, text())
			counted++
		}
	}
	require.Greater(t, counted, 20)
}

// Where very many uses are abreast stripes leave the count to others; where very much collides they end it.
func TestStripesGiveUp(t *testing.T) {
	top, m := millionMachine(t, machine.AllPort)
	for _, row := range []struct {
		name           string
		rows           int
		apart          router.Cycle // a number of rows is dispatched every so many cycles
		together       int
		abreast, count bool
	}{
		{"abreast", 2 * mostAbreast, 0, 1, false, false},
		{"few", mostAbreast, 0, 1, true, false},
		{"more than Counted", 14000, 100, 200, true, true},
	} {
		s := &schedule.Schedule{}
		for i := range row.rows {
			s.Rows = append(s.Rows, schedule.Row{Message: int32(i), Destination: 1, Flits: 5, Dispatch: router.Cycle(i/row.together) * row.apart})
		}
		p, err := newPlan(t.Context(), s, top, m)
		require.NoError(t, err)
		p.stripe = 1 << 11
		c := newCounter(p.rows)
		require.Equal(t, row.abreast, p.stripes().count(effort{t.Context(), progress.Begin(t.Context(), "count", 0)}, c), row.name)
		require.Equal(t, row.count, c.more, row.name)
		if row.count {
			require.EqualValues(t, math.MinInt64, c.limit)
			require.Len(t, c.tally, Counted)
		}
	}
}
