// SPDX-License-Identifier: Apache-2.0

package npe

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/schedule"
)

const events = `[
{"proc":"B","zone":"K","zone_phase":"begin","sx":1,"sy":1,"timestamp":90},
{"proc":"B","noc":"NOC_0","sx":1,"sy":1,"dx":2,"dy":0,"num_bytes":9,"type":"READ","timestamp":107,"vc":-1},
{"proc":"B","noc":"NOC_0","sx":1,"sy":1,"dx":2,"dy":0,"num_bytes":8,"type":"WRITE_","timestamp":105},
{"proc":"B","noc":"NOC_0","sx":1,"sy":1,"dx":1,"dy":1,"num_bytes":8,"type":"WRITE_","timestamp":106},
{"proc":"B","noc":"NOC_1","sx":0,"sy":0,"dx":0,"dy":1,"type":"SEMAPHORE_INC","timestamp":110},
{"proc":"B","noc":"NOC_1","sx":0,"sy":0,"mcast_start_x":1,"mcast_start_y":0,"mcast_end_x":2,"mcast_end_y":0,"num_bytes":4,"type":"WRITE_MULTICAST","timestamp":111},
{"proc":"B","noc":"NOC_1","sx":0,"sy":0,"type":"READ_BARRIER_START","timestamp":112}
]`

func parse(text, network string) (*Trace, error) {
	return Parse("f", []byte(text), network)
}

// The events become messages in the order of time, the first in cycle 0.
func TestSchedule(t *testing.T) {
	trace, err := parse(events, "")
	require.NoError(t, err)
	require.Equal(t, Facts{Events: 7, Reads: 1, Writes: 2, Multicasts: 1, Semaphores: 1, Local: 1, Still: 2}, trace.Facts)
	require.Equal(t, "mesh:3x2", trace.Topology())
	net, err := topology.Parse("mesh:3x2")
	require.NoError(t, err)
	s, err := trace.Schedule(net, 4, 0)
	require.NoError(t, err)
	require.Equal(t, []schedule.Row{
		{Message: 1, Source: 4, Destination: 2, Flits: 2, Dispatch: 0, Line: 4},
		{Message: 2, Source: 2, Destination: 4, Flits: 3, Dispatch: 2, Line: 3},
		{Message: 3, Source: 0, Destination: 3, Flits: 1, Dispatch: 5, Line: 6},
		{Message: 4, Source: 0, Destination: 1, Flits: 1, Dispatch: 6, Line: 7},
		{Message: 5, Source: 0, Destination: 2, Flits: 1, Dispatch: 6, Line: 7},
	}, s.Rows)
}

func TestOneNetwork(t *testing.T) {
	trace, err := parse(events, "NOC_1")
	require.NoError(t, err)
	require.Equal(t, 3, trace.Facts.OtherNetwork)
	require.Len(t, trace.moves, 3)
}

func TestBadTraces(t *testing.T) {
	for _, row := range []struct{ name, text, network, want string }{
		{"no list", `{}`, "", "f:1: an object (expected a list of events)"},
		{"no events", `[]`, "", "f: no messages (expected events that move data between nodes)"},
		{"no object", `[3]`, "", "f:1: a number (expected an event, an object)"},
		{"no type", `[{}]`, "", `f:1: no field "type" (expected a string)`},
		{"unknown type", `[{"type":"TELEPORT","noc":"NOC_0"}]`, "", `f:1: unknown type "TELEPORT" (expected READ…, WRITE…, SEMAPHORE… or a barrier)`},
		{"between chips", "[\n{\"type\":\"FABRIC_UNICAST_WRITE\",\"noc\":\"NOC_0\"}]", "", "f:2: FABRIC_UNICAST_WRITE is between chips (expected events within one chip)"},
		{"unknown network", `[{"type":"READ","noc":"NOC_2"}]`, "", `f:1: noc "NOC_2" (expected NOC_0 or NOC_1)`},
		{"unknown choice", `[]`, "NOC_7", `--noc: "NOC_7" (expected NOC_0 or NOC_1)`},
		{"no time", `[{"type":"READ","noc":"NOC_0"}]`, "", `f:1: no field "timestamp" (expected a number)`},
		{"negative time", `[{"type":"READ","noc":"NOC_0","timestamp":-1}]`, "", `f:1: field "timestamp": -1 (expected 0 to 4611686018427387904)`},
		{"far away", `[{"type":"READ","noc":"NOC_0","timestamp":1,"num_bytes":4,"sx":5000,"sy":0}]`, "", `f:1: field "sx": 5000 (expected 0 to 1023)`},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := parse(row.text, row.network)
			require.EqualError(t, err, row.want)
		})
	}
}

func TestNetworkMustFit(t *testing.T) {
	trace, err := parse(events, "")
	require.NoError(t, err)
	for _, spec := range []string{"mesh:2x2", "ring:8", "mesh:3x2x2"} {
		net, err := topology.Parse(spec)
		require.NoError(t, err)
		_, err = trace.Schedule(net, 4, 0)
		require.EqualError(t, err, "f: events on "+spec+" (expected a mesh or torus of two dimensions, at least 3x2)")
	}
}

func FuzzFrom(f *testing.F) {
	f.Add(events)
	f.Add(`[{"type":"READ","noc":"NOC_0","timestamp":1,"num_bytes":4,"sx":5000,"sy":0}]`)
	f.Fuzz(func(t *testing.T, text string) {
		trace, err := parse(text, "")
		if err == nil && trace.Columns*trace.Rows < 1000 {
			var net *topology.Topology
			net, err = topology.Parse(trace.Topology())
			require.NoError(t, err)
			var s *schedule.Schedule
			if s, err = trace.Schedule(net, 4, 0); err == nil {
				require.NoError(t, s.Validate(net))
			}
		}
		var fault *input.Error
		require.True(t, err == nil || errors.As(err, &fault), err)
	})
}
