// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A slower machine is never advised, however fast its plan is.
func TestSlowerMachinesAreNotAdvised(t *testing.T) {
	faster := func(x float64) *float64 { return &x }
	key := func(name, now, best string, x float64) keyEffect {
		return keyEffect{Key: name, Now: now, Faster: faster(x), Changes: []keyChange{{Value: best, Algorithm: "greedy", Cycles: &duration{90, 1}}}}
	}
	for _, row := range []struct {
		key   keyEffect
		lucky bool
	}{
		{key("hop", "1", "2", 1.04), true},
		{key("hop", "2", "1", 1.04), false},
		{key("hop", "1", "2", 1), false},
		{key("buffer", "8", "4", 1.1), true},
		{key("buffer", "8", "16", 1.1), false},
		{key("buffer", "8", "0", 1.1), false},
		{key("startup", "100", "200", 1.1), true},
		{key("header", "wires", "flit", 1.1), true},
		{key("header", "flit", "wires", 1.1), false},
		{key("nic.channels", "links", "1", 1.1), true},
		{key("nic.channels", "1", "links", 1.1), false},
		{key("routing", "dor", "yx", 1.1), false},
	} {
		require.Equal(t, row.lucky, row.key.lucky(), "%s %s", row.key.Key, row.key.Changes[0].Value)
	}
	r := sensitivityReport{Cycles: duration{100, 1}, Keys: []keyEffect{key("hop", "1", "2", 1.2), key("buffer", "4", "8", 1.1)}}
	require.Equal(t, "Change buffer first: with 8 instead of 4, greedy takes 90 cycles, 1.10 times faster than 100 now.", r.advice())
	r.Keys = r.Keys[:1]
	require.Equal(t, "No change of one key makes this faster.", r.advice())
}
