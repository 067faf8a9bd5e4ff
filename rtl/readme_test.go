// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

// README names the ports as the bench's messages number them: links first, and behind them the channels.
func TestPortsAreNamed(t *testing.T) {
	for _, row := range []struct {
		spec, channels, want string
	}{
		{"path:3", "1", "Ports: 0 +x, 1 -x; 2 is the channel of the PE."},
		{"mesh:3x3", "links", "Ports: 0 +x, 1 -x, 2 +y, 3 -y; 4 to 7 are the channels of the PE, in this order."},
		{"twisted-torus:4x2", "1", "Ports: 0 +x, 1 -x, 2 +y, 3 -y; 4 is the channel of the PE."},
		{"hypercube:4", "1", "Ports: 0 +x, 1 -x, 2 +y, 3 -y, 4 +z, 5 -z, 6 +d3, 7 -d3; 8 is the channel of the PE."},
		{"hypercube:5", "links", "Ports: 2k leads in + direction of dimension k, 2k+1 in - direction; 10 to 19 are the channels of the PE, in this order."},
		{"star:4", "1", "Ports: 0 dim2, 1 dim3, 2 dim4; 3 is the channel of the PE."},
		{"hub:4", "1", "Ports: from 0 on the links to the neighbours, lowest node first; then the channel of the PE."},
		{"complete:4", "links", "Ports: from 0 on the links to the neighbours, lowest node first; then the channels of the PE,\nin this order."},
	} {
		t.Run(row.spec, func(t *testing.T) {
			d := design(t, row.spec, "nic.channels", row.channels)
			require.Equal(t, row.want, d.portNames())
			var outputs, buffers bytes.Buffer
			require.NoError(t, d.writeOutputNames(&outputs))
			require.NoError(t, d.writeBufferNames(&buffers))
			for n := range router.NodeID(d.Chips) {
				last := d.net.Topology.Ports(n)
				if row.channels == "links" {
					last = 2*last - 1
				}
				require.Equal(t, last, lastPort(t, n, &outputs, 8), "the last output of node %d", n)
				require.Equal(t, last, lastPort(t, n, &buffers, 16), "the last injection register of node %d", n)
			}
		})
	}
}

// lastPort returns the port in the last line of a node; behind the node a line has so many digits.
func lastPort(t *testing.T, n router.NodeID, text *bytes.Buffer, digits int) int {
	last := -1
	for line := range strings.Lines(text.String()) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, fmt.Sprintf("%08x", n)) && len(line) == 8+digits {
			port, err := strconv.ParseInt(line[8:16], 16, 0)
			require.NoError(t, err)
			last = int(port)
		}
	}
	return last
}

// README explains every form of a difference that the bench of the machine prints.
func TestDifferencesAreExplained(t *testing.T) {
	const all = "valid: fire: digits flits: "
	for _, row := range []struct {
		settings []string
		want     string
	}{
		{nil, all},
		{[]string{"switching", "bufferless"}, all + "collision "},
		{[]string{"buffer.code", "secded"}, all + "corrected: "},
	} {
		text, found := design(t, "path:3", row.settings...).differences(), ""
		for _, form := range []string{"valid:", "fire:", "digits", "flits:", "collision", "corrected:"} {
			if strings.Contains(text, "\n  "+form) {
				found += form + " "
			}
		}
		require.Equal(t, row.want, found)
	}
}
