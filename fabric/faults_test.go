// SPDX-License-Identifier: Apache-2.0

package fabric_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// messages sends messages in given cycles and notes what arrives when.
type messages struct {
	at      map[router.Cycle][]fabric.Message
	left    int
	arrived []string
}

func newMessages(at map[router.Cycle][]fabric.Message) *messages {
	m := &messages{at: at}
	for _, list := range at {
		m.left += len(list)
	}
	return m
}

func (m *messages) Evaluate(s fabric.Signals) {
	for _, message := range m.at[s.Now()] {
		s.Send(message)
		m.left--
	}
	for _, r := range s.Received() {
		m.arrived = append(m.arrived, fmt.Sprintf("%d: %d>%d %x", s.Now(), r.Source, r.Destination, r.Words))
	}
}
func (m *messages) Update(fabric.Signals) {}
func (m *messages) Finished() bool        { return m.left == 0 }

// faultyNetwork returns a machine on a topology with the faults of a file's text.
func faultyNetwork(t *testing.T, preset, spec, faults string, settings ...string) *fabric.Network {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	list, err := fault.ParseFile("f.csv", []byte(faults))
	require.NoError(t, err)
	n, err := fabric.New(topo, m, fabric.WithFaults(&fault.List{Faults: list}))
	require.NoError(t, err)
	return n
}

// lostAt sums the messages that the links have lost. Each is listed once.
func lostAt(t *testing.T, n *fabric.Network) int {
	messages := 0
	for cause, all := range map[fault.Cause]int{fault.Dead: n.Losses().Dead, fault.Dropped: n.Losses().Dropped} {
		sum, seen := 0, map[[2]router.NodeID]bool{}
		for _, l := range n.LostAt(cause) {
			at := [2]router.NodeID{l.From, l.To}
			require.False(t, seen[at])
			seen[at], sum = true, sum+l.Messages
		}
		require.Equal(t, all, sum)
		messages += sum
	}
	return messages
}

// A message of three flits leaves node 0 in cycle 5: its head crosses 0>1 in cycle 5, and 1>2 in cycle 6.
func TestAMessageIsLostByItsHead(t *testing.T) {
	const whole = "10: 0>3 [a b c]"
	for _, row := range []struct {
		faults string
		want   string
		losses fabric.Losses
	}{
		{"link,1>2,7", whole, fabric.Losses{}},
		{"link,1>2,6", "", fabric.Losses{Dead: 1, Flits: 3}},
		{"link,1>2,6,7", "", fabric.Losses{Dead: 1, Flits: 3}},
		{"link,1>2,0,6", whole, fabric.Losses{}},
		{"link,2>1", whole, fabric.Losses{}},
		{"drop,1>2,6", "", fabric.Losses{Dropped: 1, Flits: 3}},
		{"drop,1>2,7", whole, fabric.Losses{}},
		{"node,2,6", "", fabric.Losses{Dead: 1, Flits: 3}},
		{"node,3", "", fabric.Losses{Dead: 1, Flits: 3}},
		{"flip,1>2,7,,4", "10: 0>3 [a 1b c]", fabric.Losses{Flipped: 1}},
		{"flip,1>2,6,,4\nflip,2>3,7,,4\nflip,2>3,7,,5", "10: 0>3 [2a b c]", fabric.Losses{Flipped: 2}},
		{"flip,1>2,5,,4\nflip,1>2,9,,4", whole, fabric.Losses{}},
		{"drop,0>1,5\nflip,0>1,6,,1", "", fabric.Losses{Dropped: 1, Flits: 3}},
	} {
		t.Run(row.faults, func(t *testing.T) {
			for _, preset := range []string{"wormhole", "bufferless"} {
				n := faultyNetwork(t, preset, "path:4", row.faults)
				m := newMessages(map[router.Cycle][]fabric.Message{5: {{Source: 0, Destination: 3, Words: []uint32{0xa, 0xb, 0xc}}}})
				n.Attach(m)
				require.NoError(t, n.Run(t.Context(), 100))
				require.Equal(t, row.want, strings.Join(m.arrived, ", "), preset)
				require.Equal(t, row.losses, n.Losses(), preset)
				require.Equal(t, row.losses.Messages(), lostAt(t, n), preset)
				require.Zero(t, n.Bank().Held())
			}
		})
	}
}

// Words of 128 bits have four elements. Each bit may flip; a word that is not whole is filled up with zeros.
func TestWideWordsCross(t *testing.T) {
	n := faultyNetwork(t, "wormhole", "path:4", "flip,1>2,7,,4\nflip,1>2,7,,127\nupset,2>3,9,,33", "width", "128")
	m := newMessages(map[router.Cycle][]fabric.Message{5: {{Source: 0, Destination: 3, Words: []uint32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}}}})
	n.Attach(m)
	require.NoError(t, n.Run(t.Context(), 100))
	require.Equal(t, []string{"10: 0>3 [1 2 3 4 15 6 7 80000008 9 8 0 0]"}, m.arrived)
	require.Equal(t, fabric.Losses{Flipped: 1}, n.Losses())
}

// A link that loses a message is free for the next one, and nothing is left of the first.
func TestTheNextMessageOfALinkCrosses(t *testing.T) {
	for _, preset := range []string{"wormhole", "bufferless", "store-forward"} {
		settings := []string{}
		if preset == "store-forward" {
			settings = []string{"packet", "3"}
		}
		n := faultyNetwork(t, preset, "path:4", "link,1>2,0,30", settings...)
		m := newMessages(map[router.Cycle][]fabric.Message{
			5: {{Source: 0, Destination: 3, Words: []uint32{1, 2, 3}}}, 40: {{Source: 0, Destination: 3, Words: []uint32{4, 5}}},
		})
		n.Attach(m)
		require.NoError(t, n.Run(t.Context(), 100))
		require.Len(t, m.arrived, 1, preset)
		require.Contains(t, m.arrived[0], "0>3 [4 5]", preset)
		require.Equal(t, fabric.Losses{Dead: 1, Flits: 3}, n.Losses(), preset)
	}
}

// A message without content gets words when a link flips one of its bits.
func TestAFlipInAMessageWithoutContent(t *testing.T) {
	n := faultyNetwork(t, "wormhole", "path:2", "flip,0>1,1,,3")
	m := newMessages(map[router.Cycle][]fabric.Message{0: {{Source: 0, Destination: 1, Length: 3}}})
	n.Attach(m)
	require.NoError(t, n.Run(t.Context(), 100))
	require.Equal(t, []string{"3: 0>1 [0 8 0]"}, m.arrived)
}

// Flits that were placed are held, delivered or lost after every cycle.
func TestFlitsAreConservedUnderFaults(t *testing.T) {
	lost := 0
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 5))
		pick := func(list ...string) string { return list[rng.IntN(len(list))] }
		preset, settings := "wormhole", []string{"ports", pick("all", "single"), "vcs", pick("2", "4")}
		if rng.IntN(2) == 0 {
			preset, settings = "store-forward", []string{"packet", "6", "switching", pick("store-forward", "cut-through"), "setup", pick("0", "2")}
		}
		n := faultyNetwork(t, preset, pick("mesh:3x3", "torus:3x4", "ring:5"), "node,1,50\nlink,1-2,10,90\nlink,0>1,20,40\n", settings...)
		load := &load{rng: rng}
		n.Attach(load)
		for range 200 {
			n.Step()
			losses := n.Losses()
			require.Equal(t, load.placed, int(n.Delivered())+n.Bank().Held()+losses.Flits, "%s %s, cycle %d", n.Topology, n.Machine.Describe(), n.Now())
		}
		losses := n.Losses()
		require.Equal(t, losses.Messages(), lostAt(t, n))
		lost += losses.Messages()
	}
	require.Positive(t, lost)
}

// load sends random messages and counts the flits that enter the network.
type load struct {
	rng    *rand.Rand
	placed int
}

func (l *load) Evaluate(s fabric.Signals) {
	nodes := s.Network().Topology.Nodes()
	from, to := router.NodeID(l.rng.IntN(nodes)), router.NodeID(l.rng.IntN(nodes))
	if from != to && s.CanSend(from, to, nil) {
		s.Send(fabric.Message{Source: from, Destination: to, Length: 1 + l.rng.IntN(6)})
	}
}
func (l *load) Update(s fabric.Signals) { l.placed += len(s.Placed()) }
