// SPDX-License-Identifier: Apache-2.0

package machine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
)

func TestAlternatives(t *testing.T) {
	for _, row := range []struct {
		preset, key, value string
		want               []string
	}{
		{"wormhole", "buffer", "4", []string{"2", "8"}},
		{"wormhole", "buffer", "5", []string{"2", "10"}},
		{"wormhole", "buffer", "1", []string{"2"}},
		{"wormhole", "buffer", "1024", []string{"512"}},
		{"wormhole", "startup", "0", nil},
		{"wormhole", "startup", "1", []string{"2"}},
		{"wormhole", "width", "32", []string{"16", "64"}},
		{"wormhole", "width", "24", []string{"12"}},
		{"wormhole", "width", "512", []string{"256"}},
		{"wormhole", "ports", "all", []string{"single"}},
		{"wormhole", "nic.channels", "1", []string{"links"}},
		{"wormhole", "switching", "wormhole", []string{"bufferless", "store-forward", "cut-through"}},
		{"store-forward", "setup", "1", []string{"0.5", "2"}},
		{"store-forward", "setup", "3/2", []string{"0.75", "3"}},
		{"store-forward", "setup", "1/3", []string{"1/6", "2/3"}},
	} {
		t.Run(row.key+" "+row.value, func(t *testing.T) {
			m, err := machine.Preset(row.preset)
			require.NoError(t, err)
			require.NoError(t, m.Set(row.key, row.value))
			for _, k := range machine.Keys() {
				if k.Name == row.key {
					require.Equal(t, row.want, k.Alternatives(&m))
				}
			}
		})
	}
}
