// SPDX-License-Identifier: Apache-2.0

package machine_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
)

func TestAlternatives(t *testing.T) {
	for _, row := range []struct {
		preset, key, value string
		want               []string
		hop                int // 0: 1
	}{
		{"wormhole", "buffer", "4", []string{"2", "8"}, 0},
		{"wormhole", "buffer", "5", []string{"2", "10"}, 0},
		{"wormhole", "buffer", "1", []string{"2"}, 0},
		{"wormhole", "buffer", "1024", []string{"512"}, 0},
		{"wormhole", "buffer", "4", []string{"2", "8", "21"}, 20},
		{"wormhole", "buffer", "4", []string{"2", "8"}, 7},
		{"wormhole", "startup", "0", nil, 0},
		{"wormhole", "startup", "1", []string{"2"}, 0},
		{"wormhole", "width", "32", []string{"16", "64"}, 0},
		{"wormhole", "width", "24", []string{"12"}, 0},
		{"wormhole", "width", "512", []string{"256"}, 0},
		{"wormhole", "ports", "all", []string{"single"}, 0},
		{"wormhole", "nic.channels", "1", []string{"links"}, 0},
		{"wormhole", "switching", "wormhole", []string{"bufferless", "store-forward", "cut-through"}, 0},
		{"store-forward", "setup", "1", []string{"0.5", "2"}, 0},
		{"store-forward", "setup", "3/2", []string{"0.75", "3"}, 0},
		{"store-forward", "setup", "1/3", []string{"1/6", "2/3"}, 0},
	} {
		t.Run(fmt.Sprint(row.key, " ", row.value, " hop ", row.hop), func(t *testing.T) {
			m, err := machine.Preset(row.preset)
			require.NoError(t, err)
			m.Hop = max(1, row.hop)
			require.NoError(t, m.Set(row.key, row.value))
			for _, k := range machine.Keys() {
				if k.Name == row.key {
					require.Equal(t, row.want, k.Alternatives(&m))
				}
			}
		})
	}
}
