// SPDX-License-Identifier: Apache-2.0

package stages_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// The time of CIRCGOS on 1024 nodes with startups of 10 blocks, by the formula of Juurlink, Sibeyn and Rao: whole rounds, one factor throughout, and a
// concentration that counts full powers of 3. docs/algorithms/circgos.md compares it with ours.
func TestPublishedCircgos(t *testing.T) {
	const nodes, startup = 1024.0, 10.0
	least, bestA, bestB := math.Inf(1), 0, 0
	for a := 2; a <= nodes; a++ {
		for b := max(1, a/2); b <= 3*a; b++ {
			g := nodes / float64(a)
			concentrate := math.Ceil(math.Log(g)/math.Log(3) - 1e-9)
			rounds := math.Ceil(math.Log(g)/math.Log(float64(a)) - 1e-9)
			time := concentrate*startup + (math.Pow(3, concentrate)-1)/2 +
				float64(a/2)*(startup+g) + rounds*float64(b)*(startup+nodes/float64(2*b-a+2))
			if time < least {
				least, bestA, bestB = time, a, b
			}
		}
	}
	require.Equal(t, []int{1967, 33, 44}, []int{int(math.Round(least)), bestA, bestB})
}
