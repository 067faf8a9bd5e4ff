// SPDX-License-Identifier: Apache-2.0

package check

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule"
)

func storeForward(t testing.TB, settings ...string) machine.Machine {
	m, err := machine.Preset("store-forward")
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	return m
}

func parsed(t testing.TB, spec string) *topology.Topology {
	top, err := topology.Parse(spec)
	require.NoError(t, err)
	return top
}

// Node 0 takes one packet at a time: the second one waits in node 2, then it has the link to node 3 for itself.
func ExamplePackets() {
	t, _ := topology.Parse("hub:4")
	m, _ := machine.Preset("store-forward")
	s := &schedule.Schedule{Rows: []schedule.Row{
		{Message: 1, Source: 1, Destination: 3, Flits: 2},
		{Message: 2, Source: 2, Destination: 3, Flits: 2},
	}}
	r, _ := Packets(s, t, m)
	fmt.Println(r.Arrivals, r.LowerBound, r.Grants, r.MaxBufferFlits)
	// Output: [6 9] 9 {1 3} 2
}

// A packet of b flits over l idle links takes l (setup + b), cut through l (setup + 1) + b - 1, in ticks.
func TestPacketsAlone(t *testing.T) {
	top := parsed(t, "path:9")
	for l := 1; l <= 8; l++ {
		for b := 1; b <= 5; b++ {
			s := &schedule.Schedule{Rows: []schedule.Row{{Destination: router.NodeID(l), Flits: b, Dispatch: 4}}}
			stored, err := Packets(s, top, storeForward(t, "setup", "3/2"))
			require.NoError(t, err)
			require.EqualValues(t, 4+l*(3+2*b), stored.Cycles)
			through, err := Packets(s, top, storeForward(t, "setup", "3/2", "switching", "cut-through"))
			require.NoError(t, err)
			require.EqualValues(t, 4+l*(3+2)+(b-1)*2, through.Cycles)
		}
	}
}

// What is addressed to a chip is not sent on, whatever its route: on these machines only.
func TestPacketsLeaveWhereTheyFirstMeetTheirDestination(t *testing.T) {
	s := &schedule.Schedule{Rows: []schedule.Row{{Destination: 1, Flits: 2, Route: []router.NodeID{0, 1, 2, 1}}}}
	r, err := Packets(s, parsed(t, "path:4"), storeForward(t))
	require.NoError(t, err)
	require.EqualValues(t, 1+2, r.Cycles)
	run, err := schedule.Execute(t.Context(), s, parsed(t, "path:4"), storeForward(t))
	require.NoError(t, err)
	require.EqualValues(t, 1+2, run.Cycles)
}

// A ring of full buffers never moves again; packets that meet none of it arrive.
func TestPacketsNameThoseThatNeverArrive(t *testing.T) {
	s := &schedule.Schedule{}
	for i := range 40 {
		s.Rows = append(s.Rows, schedule.Row{Message: int32(i + 1), Source: router.NodeID(i % 5), Destination: router.NodeID((i + 2) % 5), Flits: 2})
	}
	r, err := Packets(s, parsed(t, "ring:5"), storeForward(t, "buffer", "2", "setup", "30"))
	require.NoError(t, err)
	require.False(t, r.OK)
	require.Len(t, r.Stuck, r.Missing)
	require.Greater(t, r.Missing, 10)
	require.Equal(t, 5, r.Grants.Packets, "one of every node, and for ever")
	require.Equal(t, 5, r.Turns.Packets, "and behind it the next one of the PE")
	for _, message := range r.Stuck {
		require.EqualValues(t, -1, r.Arrivals[message-1])
	}
}

// Node 0 takes packets from both sides in turn, so half of those from node 3 wait in node 1.
func TestPacketsFindTheFullestBuffer(t *testing.T) {
	s := &schedule.Schedule{}
	for i := range 12 {
		s.Rows = append(s.Rows, schedule.Row{Message: int32(i + 1), Source: router.NodeID(3 - i%2), Flits: 2})
	}
	r, err := Packets(s, parsed(t, "binary:2"), storeForward(t, "buffer", "80"))
	require.NoError(t, err)
	require.Zero(t, r.Missing)
	require.Equal(t, 6, r.MaxBufferFlits)
	require.EqualValues(t, 1, r.Fullest)
	require.Equal(t, 2, r.Largest)
	require.False(t, r.OK, "all arrive, but a buffer holds more than a packet")
}

func TestPacketsRefuse(t *testing.T) {
	s := &schedule.Schedule{Rows: []schedule.Row{{Message: 1, Destination: 2, Flits: 4}}}
	for _, row := range []struct{ key, value, want string }{
		{"packet", "3", "packet 3: the largest packet has 4 flits (expected at least as many, or 0)"},
		{"buffer", "3", "buffer 3: the largest packet has 4 flits (expected room for a packet, or 0)"},
		{"nic.channels", "links", "nic.channels links with ports single on a machine of switching store-forward (expected nic.channels 1)"},
		{"switching", "wormhole", "switching wormhole: no packets (expected switching store-forward or cut-through)"},
	} {
		_, err := Packets(s, parsed(t, "path:3"), storeForward(t, row.key, row.value))
		require.EqualError(t, err, row.want)
	}
	_, err := Packets(&schedule.Schedule{Rows: []schedule.Row{{Destination: 7, Flits: 1}}}, parsed(t, "path:3"), storeForward(t))
	require.EqualError(t, err, "message 0: destination 7 (expected a node from 0 to 2)")
	r, err := Packets(&schedule.Schedule{}, parsed(t, "path:3"), storeForward(t))
	require.NoError(t, err)
	require.True(t, r.OK, "nothing to do")
}

// Times may be long: the largest set-ups and messages that a row can have.
func TestPacketsTakeLong(t *testing.T) {
	s := &schedule.Schedule{Rows: []schedule.Row{{Destination: 8, Flits: schedule.MaxFlits, Dispatch: schedule.MaxDispatch}}}
	m := storeForward(t, "setup", "999999999/1000", "flit", "64", "startup", "1073741824")
	r, err := Packets(s, parsed(t, "path:9"), m)
	require.NoError(t, err)
	require.Equal(t, max(schedule.MaxDispatch, 1000<<30), r.Entered[0])
	require.EqualValues(t, r.Entered[0]+8*(999999999+64000*router.Cycle(schedule.MaxFlits)), r.Cycles)
}

// A million messages on a tree of 100000 nodes: nanoseconds per link that a
// packet crosses, and the ticks of the run.
func BenchmarkPackets(b *testing.B) {
	for _, switching := range []string{"store-forward", "cut-through"} {
		for _, row := range []struct {
			name, spec     string
			messages       int
			scatter, flits int
		}{
			{"a scatter on recursive-tree:100000,1", "recursive-tree:100000,1", 1_000_000, 1, 1},
			{"pairs on recursive-tree:100000,1", "recursive-tree:100000,1", 1_000_000, 0, 8},
			{"pairs on mesh:100x100", "mesh:100x100", 100_000, 0, 8},
		} {
			b.Run(switching+", "+row.name, func(b *testing.B) {
				top := parsed(b, row.spec)
				rng := rand.New(rand.NewPCG(1, 1))
				s := &schedule.Schedule{}
				for i := range row.messages {
					from := 0
					if row.scatter == 0 {
						from = rng.IntN(top.Nodes())
					}
					to := (from + 1 + rng.IntN(top.Nodes()-1)) % top.Nodes()
					s.Rows = append(s.Rows, schedule.Row{Message: int32(i), Source: router.NodeID(from), Destination: router.NodeID(to), Flits: 1 + rng.IntN(row.flits)})
				}
				// Without a bound no buffer can be full, and nothing locks.
				m := storeForward(b, "setup", "3/2", "switching", switching, "buffer", "536870912")
				var r *PacketReport
				for b.Loop() {
					var err error
					r, err = Packets(s, top, m)
					require.NoError(b, err)
					require.Zero(b, r.Missing)
				}
				crossings := uint64(0) // each a set-up of 3 ticks, and flits of 2
				for _, use := range r.Links {
					crossings += (use.Busy - 2*use.Flits) / 3
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(crossings), "ns/crossing")
				b.ReportMetric(float64(r.Cycles), "ticks")
			})
		}
	}
}
