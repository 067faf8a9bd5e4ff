// SPDX-License-Identifier: Apache-2.0

package symmetric

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective/orbits"
	"meshwright/firmware/collective/symmetries"
	"meshwright/firmware/plan"
	"meshwright/internal/bitset"
)

// An allreduce of few words takes the groups first that divide them among the most nodes.
func TestGroupsOfMostOwners(t *testing.T) {
	three, two := symmetries.Closure([]symmetries.Symmetry{{1, 2, 0, 4, 5, 3}}), symmetries.Closure([]symmetries.Symmetry{{1, 0, 3, 2, 5, 4}})
	task := func(kind string, words int) *plan.Task {
		k, err := plan.KindOf(kind)
		require.NoError(t, err)
		return &plan.Task{Kind: k, Job: plan.Job{Lengths: slices.Repeat([]int{words}, 6)}}
	}
	for _, row := range []struct {
		kind  string
		words int
		first symmetries.Group
	}{
		{plan.Gossip, 2, three}, {plan.Allreduce, 2, two}, {plan.Allreduce, 3, three}, {plan.Allreduce, 6, three},
	} {
		require.Equal(t, row.first, inOrderOfOwners(task(row.kind, row.words), []symmetries.Group{three, two})[0], "%v", row)
	}
}

// A message of few pieces takes them from one node on, around the numbers of the nodes.
func TestMessagesOfFewPieces(t *testing.T) {
	g := symmetries.Alone(5)
	s := newSpread(&network{nodes: 5, group: g, back: [][]int32{{0}, {0}, {0}, {0}, {0}}}, bitset.Set{0b11111})
	w := &way{Uses: orbits.Uses{Most: 4}}
	for _, row := range []struct {
		x         step
		has, want uint64
	}{
		{step{}, 0b11011, 0b11001}, {step{most: 1}, 0b11011, 0b00001}, {step{most: 1, first: 2}, 0b11011, 0b01000},
		{step{most: 2, first: 4}, 0b11011, 0b10001}, {step{most: 3, first: 4}, 0b11011, 0b11001}, {step{first: 4}, 0b00010, 0},
	} {
		require.Equal(t, bitset.Set{row.want}, s.useful(w, row.x, bitset.Set{row.has}, bitset.Set{0b00010}), "%+v", row)
	}
}
