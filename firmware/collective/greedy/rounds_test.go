// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// An assignment has the largest sum of all orders of the receivers.
func TestAssignmentsAreTheBest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0x61737367))
	for range 300 {
		nodes := 1 + random.IntN(6)
		a := newAssignment(nodes)
		for i := range a.value {
			a.value[i] = random.IntN(12) * random.IntN(2)
		}
		for range 2 { // again with what is left of before
			sum := 0
			senders, receivers := map[int32]bool{}, map[int32]bool{}
			a.solve(func(from, to int32) {
				require.False(t, senders[from] || receivers[to])
				senders[from], receivers[to] = true, true
				sum += a.value[int(from)*nodes+int(to)]
			})
			require.Equal(t, mostOf(a, 0, make([]bool, nodes)), sum, "%v", a.value)
		}
	}
}

// mostOf is the largest sum of the values of senders from one on with receivers that are not taken.
func mostOf(a *assignment, from int, taken []bool) (most int) {
	if from == a.nodes {
		return 0
	}
	for to := range taken {
		if !taken[to] {
			taken[to] = true
			most = max(most, a.value[from*a.nodes+to]+mostOf(a, from+1, taken))
			taken[to] = false
		}
	}
	return most
}
