// SPDX-License-Identifier: Apache-2.0

package collective_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
	"meshwright/firmware/collective/collectivetest"
	"meshwright/firmware/isa"
	"meshwright/firmware/pe"
	"meshwright/router"
)

// TestTheAuditFails breaks plans in every way that a schedule can be wrong.
func TestTheAuditFails(t *testing.T) {
	// The root's list of a scatter: COUNT, LIST, then NODE, ADDRESS, WORDS, START of 5, 4, 3.
	const count, first, second = 0, 2, 6
	scatter := func(t *testing.T) *collective.Plan {
		plan, err := collective.Generate(t.Context(), "scatter", "", collectivetest.Job(t, "path:6", "bufferless", 0, 0, 0, 0, 2, 4, 4))
		require.NoError(t, err)
		require.Equal(t, []uint32{5, 14 + 6, 4, 0}, plan.PEs[0].Parameters[first:second])
		return plan
	}
	gather := func(t *testing.T) *collective.Plan {
		plan, err := collective.Generate(t.Context(), "gather", "nearest-first", collectivetest.Job(t, "path:6", "bufferless", 0, 0, 2, 3, 0, 2, 1))
		require.NoError(t, err)
		return plan
	}
	for _, row := range []struct {
		name string
		plan func(*testing.T) *collective.Plan
		harm func(p *collective.Plan)
		want any // the failure's type
		text string
	}{
		{"a send dropped", scatter, func(p *collective.Plan) { p.PEs[0].Parameters[count] = 2 }, new(*collective.Stuck),
			"nothing moves any more in cycle 12: PE 3 waits in recv from 0 at scatter-leaf.s:12"},
		{"a send doubled", scatter, func(p *collective.Plan) { copy(p.PEs[0].Parameters[second:], p.PEs[0].Parameters[first:second]) }, new(*collective.Stuck),
			"nothing moves any more in cycle 13: PE 4 waits in recv from 0 at scatter-leaf.s:12"},
		{"a message too many", gather, func(p *collective.Plan) {
			p.Programs = append(slices.Clone(p.Programs), program(t, "li r2, 1\n li r3, 3\n send r0, r0, r2, r3\n halt"))
			p.Machine.Switching = machine.Wormhole
			p.PEs[3].Role = 2
			p.PEs[3].Parameters = []uint32{7}
		}, new(*collective.Leftover), "PE 0 never took a message of 1 word with tag 3 from 3"},
		{"a message too many, lost on the way", gather, func(p *collective.Plan) {
			p.Programs = append(slices.Clone(p.Programs), program(t, "li r2, 1\n li r3, 3\n li r4, 3\n wait r4\n send r0, r0, r2, r3\n halt"))
			p.PEs[3].Role = 2
			p.PEs[3].Parameters = []uint32{7}
		}, new(*collective.Lost), "1 flit lost to collisions, the first in cycle 3 at node 3"},
		{"two messages swapped", scatter, func(p *collective.Plan) {
			list := p.PEs[0].Parameters
			list[first], list[second] = list[second], list[first]
		}, new(*collective.Mismatch), ""},
		{"a wrong address", scatter, func(p *collective.Plan) { p.PEs[0].Parameters[first+1]-- }, new(*collective.Mismatch), ""},
		{"a message too short", scatter, func(p *collective.Plan) { p.PEs[0].Parameters[first+2]-- }, new(*collective.Mismatch), ""},
		{"a message too long", scatter, func(p *collective.Plan) { p.PEs[0].Parameters[second+2]++ }, new(*pe.Fault),
			`scatter-leaf.s:12: PE 4 at address 2 in cycle 12: memory words 2 to 6 do not exist: the PE has 6: "recv r3, r1, r2"`},
		{"a parameter overwritten", scatter, func(p *collective.Plan) { p.PEs[4].Parameters[1] = 1 }, new(*collective.Mismatch), ""},
		{"a dispatch delayed", gather, func(p *collective.Plan) { p.PEs[1].Parameters[4]++ }, new(*collective.Stuck), ""},
		{"a dispatch early", gather, func(p *collective.Plan) { p.PEs[4].Parameters[4]-- }, new(*collective.Stuck), ""},
		{"a word that never moved", scatter, func(p *collective.Plan) { p.PEs[3].Role = pe.Nothing }, new(*collective.Mismatch), ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			plan := row.plan(t)
			row.harm(plan)
			r, err := collective.Execute(t.Context(), plan)
			require.NoError(t, err)
			require.False(t, r.Delivered)
			require.ErrorAs(t, r.Failure, row.want)
			if row.text != "" {
				require.EqualError(t, r.Failure, row.text)
			}
		})
	}
}

func TestTheFirstWrongWordIsNamed(t *testing.T) {
	j := collectivetest.Job(t, "path:3", "wormhole", 0, 0, 2, 2)
	j.Payload = [][]uint32{nil, {0x11, 0x12}, {0x21, 0x22}}
	plan, err := collective.Generate(t.Context(), "scatter", "", j)
	require.NoError(t, err)
	plan.PEs[1].Block.Words = []uint32{0x11, 0x13}
	r, err := collective.Execute(t.Context(), plan)
	require.NoError(t, err)
	require.EqualError(t, r.Failure, "PE 1 holds 0x00000012 at address 3, expected 0x00000013: word 1 of its block")
}

// swapper swaps two elements of the first flit that crosses a link.
type swapper struct{ done bool }

func (w *swapper) Evaluate(fabric.Signals) {}
func (w *swapper) Update(s fabric.Signals) {
	for o := range s.Offers() {
		if word := s.Word(o.Flit); !w.done && s.Worm(o.Flit).Kind == router.Data {
			word[0], word[1], w.done = word[1], word[0], true
		}
	}
}

// Two elements of a flit that change places on the way are wrong words.
func TestElementsThatChangePlacesAreFound(t *testing.T) {
	j := collectivetest.Job(t, "path:3", "wormhole", 0, 0, 2, 2)
	require.NoError(t, j.Machine.Set("width", "64"))
	j.Payload = [][]uint32{nil, {0x11, 0x12, 0x13, 0x14}, {0x21, 0x22, 0x23, 0x24}}
	plan, err := collective.Generate(t.Context(), "scatter", "", j)
	require.NoError(t, err)
	sound, err := collective.Execute(t.Context(), plan)
	require.NoError(t, err)
	require.True(t, sound.Delivered)
	harmed, err := collective.Execute(t.Context(), plan, func(n *fabric.Network) error {
		n.Attach(&swapper{})
		return nil
	})
	require.NoError(t, err)
	require.EqualError(t, harmed.Failure, "PE 2 holds 0x00000022 in element 0 at address 2, expected 0x00000021: word 0 of its block")
}

func TestAMissingWordDiffersFromTheStart(t *testing.T) {
	j := collectivetest.Job(t, "path:3", "wormhole", 1, 2, 0, 2)
	j.Machine.Width = 8
	plan, err := collective.Generate(t.Context(), "gather", "", j)
	require.NoError(t, err)
	start, end := plan.Start(1), plan.End(1)
	for i := len(plan.PEs[1].Parameters); i < len(start); i++ {
		require.Equal(t, uint32(0xff), start[i]^end[i])
	}
	require.Equal(t, plan.End(0), plan.Start(0))
}

// TestCollisionsAreReported: a schedule with a collision is not delivered, and
// the collision is named.
func TestCollisionsAreReported(t *testing.T) {
	plan, err := collective.Generate(t.Context(), "gather", "nearest-first", collectivetest.Job(t, "path:3", "bufferless", 0, 0, 2, 2))
	require.NoError(t, err)
	plan.PEs[1].Parameters[4] = 1 // START: while the message of node 2 passes
	r, err := collective.Execute(t.Context(), plan)
	require.NoError(t, err)
	require.False(t, r.Delivered)
	require.ErrorIs(t, r.Failure, fabric.ErrIdle)
	require.Equal(t, 1, r.CollisionCount)
	require.Equal(t, router.Collision{Cycle: 2, Node: 1, Port: 1, Conflict: router.LinkConflict, Lost: 1, Holder: 2}, r.Collisions[0])
}

func program(t testing.TB, text string) *isa.Program {
	t.Helper()
	p, err := isa.Assemble("test.s", strings.NewReader(text))
	require.NoError(t, err)
	return p
}
