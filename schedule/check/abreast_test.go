// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/internal/progress"
	"meshwright/schedule"
)

// Legs that are compared by pairs count the pairs that the rules find.
func TestAbreastCountsWhatRulesFind(t *testing.T) {
	r := rand.New(rand.NewPCG(61, 62))
	counted := 0
	for round := range 10 {
		for _, top := range randomTopologies(t) {
			m := randomMachine(r)
			m.Ports = machine.SinglePort
			m, err := m.Resolve(top)
			require.NoError(t, err)
			s := &schedule.Schedule{}
			for i := range 60 {
				s.Rows = append(s.Rows, randomRow(r, top, m, i, 100+900*(round%2), round%5 == 0))
			}
			p, err := newPlan(t.Context(), s, top, m)
			require.NoError(t, err)
			p.stripe, p.batch, p.how, p.windows = 10, 100, approach(1+round%2), round%4
			p.chooseWay(1)
			e, rules := effort{t.Context(), progress.Begin(t.Context(), "count", 0)}, p.rules()
			got, want := newCounter(p.rows), newCounter(p.rows)
			if !p.countAbreast(e, got, rules) {
				continue
			}
			counted++
			p.search(e, want, rules)
			require.Equal(t, want.tally, got.tally, describe(top, m, s))
		}
	}
	require.Greater(t, counted, 50)
}
