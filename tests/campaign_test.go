// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// A campaign that is interrupted prints what it has found. A process that does not get to its end in time after an
// interrupt, on a machine that does much else, is ended without a word, and is tried again.
func TestInterruptedCampaign(t *testing.T) {
	var got spoken
	for range 50 {
		p := begin(t, t.TempDir(), "sweep faults gossip -t hypercube:5 -m bufferless --ports all --nic.channels links -l 1 --copies 5 --count 6 --sets 100000000")
		p.await(p.working)
		got = p.signal(os.Interrupt)
		require.Equal(t, interrupted.code, got.code)
		require.Equal(t, interrupted.stderr, got.stderr)
		p.requireClean()
		if got.stdout != "" {
			break
		}
	}
	require.Regexp(t, `interrupted after +│ [0-9]+ sets`, got.stdout)
	require.NotContains(t, got.stdout, "also run in the model")
}
