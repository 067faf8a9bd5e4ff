// SPDX-License-Identifier: Apache-2.0

package stages_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective/stages"
)

// The last step of an even number of bridgeheads goes to the right only.
func TestExchangeOfAnEvenNumber(t *testing.T) {
	heads := []int{0, 2, 4, 6}
	s := stages.Exchange(stages.Line{Size: 8, Ring: true}, heads, []int{0, 1, 2, 3}, func(int) stages.Places { return stages.Places{Count: 8} })
	require.Equal(t, 2, s.Steps)
	require.Len(t, s.Moves, 12)
	for _, m := range s.Moves[8:] {
		require.Equal(t, 1, m.Step)
		require.Equal(t, (m.From+2)%8, m.To)
		require.Equal(t, (m.From+6)%8, m.First)
	}
}

// The two old bridgeheads of nine places, 0 and 8, feed seven new ones in four
// parts, in ⌊(4+7)/2⌋ steps; those beyond the last one come after.
func ExampleInsert() {
	inside := stages.Insert(stages.Line{Size: 9}, []int{0, 8}, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, 4)
	outside := stages.Insert(stages.Line{Size: 9}, []int{6}, []int{6, 7, 8}, 4)
	fmt.Println(inside.Steps, len(inside.Moves), outside.Steps, len(outside.Moves))
	// Output:
	// 5 28 5 8
}
