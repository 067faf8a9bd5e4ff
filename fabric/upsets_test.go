// SPDX-License-Identifier: Apache-2.0

package fabric_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/code"
	"meshwright/router"
)

// What each code makes of one, two and three wrong bits. A message of three flits leaves node 0
// in cycle 5: its second flit crosses 0>1 in cycle 6, and leaves the buffer of node 1 in cycle 7.
func TestUpsets(t *testing.T) {
	const sound = "a b c"
	for _, row := range []struct {
		code, bits, words string
		errors            fabric.BufferErrors
		decoded           code.Verdict
	}{
		{"none", "4", "a 1b c", fabric.BufferErrors{Injected: 1, Silent: 1}, code.Sound},
		{"none", "4 5", "a 3b c", fabric.BufferErrors{Injected: 1, Silent: 1}, code.Sound},
		{"parity", "4", "a 1b c", fabric.BufferErrors{Injected: 1, Detected: 1}, code.Detected},
		{"parity", "32", sound, fabric.BufferErrors{Injected: 1, Detected: 1}, code.Detected},
		{"parity", "4 5", "a 3b c", fabric.BufferErrors{Injected: 1, Silent: 1}, code.Sound},
		{"parity", "4 5 6", "a 7b c", fabric.BufferErrors{Injected: 1, Detected: 1}, code.Detected},
		{"secded", "4", sound, fabric.BufferErrors{Injected: 1, Corrected: 1}, code.Corrected},
		{"secded", "33", sound, fabric.BufferErrors{Injected: 1, Corrected: 1}, code.Corrected},
		{"secded", "38", sound, fabric.BufferErrors{Injected: 1, Corrected: 1}, code.Corrected},
		{"secded", "4 5", "a 3b c", fabric.BufferErrors{Injected: 1, Detected: 1}, code.Detected},
		{"secded", "4 38", "a 1b c", fabric.BufferErrors{Injected: 1, Detected: 1}, code.Detected},
		{"secded", "4 4", sound, fabric.BufferErrors{}, code.Sound},
		// Positions 3, 5 and 7 are those of bits 0, 1 and 3: their sum is 1, a check bit, so bits 0, 1 and 3 stay wrong.
		{"secded", "0 1 3", "a 0 c", fabric.BufferErrors{Injected: 1, Corrected: 1, Silent: 1}, code.Corrected},
	} {
		t.Run(row.code+" "+row.bits, func(t *testing.T) {
			for _, preset := range []string{"wormhole", "store-forward", "all ports"} {
				settings := []string{"buffer.code", row.code}
				if preset != "wormhole" {
					settings = append(settings, "switching", "cut-through", "setup", "0", "packet", "3")
				}
				if preset == "all ports" {
					settings = append(settings, "ports", "all")
				}
				var file strings.Builder
				for _, bit := range strings.Fields(row.bits) {
					file.WriteString("upset,0>1,6,," + bit + "\n")
				}
				n := faultyNetwork(t, strings.Replace(preset, "all ports", "store-forward", 1), "path:4", file.String(), settings...)
				m := newMessages(map[router.Cycle][]fabric.Message{5: {{Source: 0, Destination: 3, Words: []uint32{0xa, 0xb, 0xc}}}})
				watch := &decodings{}
				n.Attach(m)
				n.Attach(watch)
				require.NoError(t, n.Run(t.Context(), 100))
				require.Len(t, m.arrived, 1)
				require.Contains(t, m.arrived[0], "["+row.words+"]", preset)
				require.Equal(t, row.errors, n.BufferErrors(), preset)
				if row.decoded == code.Sound {
					require.Empty(t, watch.list)
					continue
				}
				require.Equal(t, []fabric.Decoded{{Node: 1, Verdict: row.decoded}}, watch.list, preset)
				require.Equal(t, router.Cycle(7), watch.cycle, preset)
			}
		})
	}
}

// decodings notes the errors that decoders find.
type decodings struct {
	list  []fabric.Decoded
	cycle router.Cycle
}

func (d *decodings) Evaluate(fabric.Signals) {}
func (d *decodings) Update(s fabric.Signals) {
	if len(s.Decoded()) > 0 {
		d.list, d.cycle = append(d.list, s.Decoded()...), s.Now()
	}
}

// A flit that enters no buffer has no upset: it is lost, or a packet chip puts it into its ejection register.
func TestFlitsOutsideBuffersHaveNoUpsets(t *testing.T) {
	for _, row := range []struct {
		preset, faults string
		settings       []string
	}{
		{"wormhole", "drop,0>1,0\nupset,0>1,0,,3\nupset,1>0,0,,3\n", []string{"buffer.code", "secded"}},
		{"store-forward", "upset,0>1,0,,3\nupset,0>1,1,,3", []string{"packet", "1", "setup", "0"}},
	} {
		n := faultyNetwork(t, row.preset, "path:2", row.faults, row.settings...)
		n.Attach(newMessages(map[router.Cycle][]fabric.Message{0: {{Source: 0, Destination: 1, Words: []uint32{1}}}}))
		require.NoError(t, n.Run(t.Context(), 100))
		require.Zero(t, n.BufferErrors())
	}
}
