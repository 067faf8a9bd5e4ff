// SPDX-License-Identifier: Apache-2.0

package fabric_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/router"
)

// Where a long message holds the channel of its lane, a short one takes another channel of the same link, if it may choose one of its class.
func TestFreeChoiceOvertakes(t *testing.T) {
	const long = 40
	for _, row := range []struct {
		topology, routing, vcs string
		overtakes              bool
	}{
		{"mesh:4x3", "dor", "1", false},
		{"mesh:4x3", "dor", "2", true},
		{"mesh:4x3", "yx", "3", true},
		{"mesh:4x3", "table", "2", true},
		{"mesh:4x3", "source", "2", true},
		{"mesh:4x3", "updown", "2", true},
		{"ring:8", "dor", "2", false}, // a dateline pair
		{"ring:8", "dor", "4", true},
		{"mesh:4x3", "o1turn", "4", true},
	} {
		n := network(t, row.topology, "wormhole", "routing", row.routing, "vcs", row.vcs, "vc.choice", "free", "nic.channels", "links")
		require.Equal(t, row.overtakes, n.Machine.ChoosesChannels(n.Topology))
		n.KeepLog()
		s := &script{}
		s.add(0, 1, 2, long)
		s.add(1, 0, 2, 2)
		n.Attach(s)
		require.NoError(t, n.Run(context.Background(), 1000))
		arrival := n.Log()[1].Arrival
		if row.overtakes {
			require.Less(t, arrival, router.Cycle(long), "%v", row)
		} else {
			require.Greater(t, arrival, router.Cycle(long), "%v", row)
		}
	}
}

// A head may take the channels of a link whose numbers are the same modulo the classes, the lowest first, and waits for that one.
func TestFreeChoiceStaysInItsClass(t *testing.T) {
	for _, row := range []struct{ topology, routing, vcs string }{
		{"mesh:3x4", "dor", "3"}, {"torus:4x3", "dor", "6"}, {"torus:4x3", "yx", "4"}, {"mesh:4x3", "o1turn", "6"}, {"ring:6", "o1turn", "8"},
		{"mesh:3x3", "valiant", "4"}, {"torus:3x4", "valiant", "8"}, {"torus:4x3", "table", "4"}, {"twisted-torus:3x6", "source", "4"}, {"debruijn:3", "updown", "2"},
	} {
		n := network(t, row.topology, "wormhole", "routing", row.routing, "vcs", row.vcs, "vc.choice", "free")
		lanes := network(t, row.topology, "wormhole", "routing", row.routing, "vcs", row.vcs)
		classes, vcs := n.Machine.ChannelClasses(n.Topology), n.Machine.VCs
		nodes := router.NodeID(n.Topology.Nodes())
		for from := range nodes {
			for to := range nodes {
				if from == to {
					continue
				}
				for way := range n.RouteChoices() {
					m := &fabric.Message{Source: from, Destination: to}
					free, fixed := n.Header(m, way), lanes.Header(m, way)
					list, one := n.Bank().Enter(nil, &free), lanes.Bank().Enter(nil, &fixed)
					for hop := uint32(1); len(one) > 0; hop++ {
						require.Len(t, one, 1)
						_, p, lane := lanes.Bank().ChannelAt(one[0])
						require.Len(t, list, vcs/classes+1, "%v", row)
						for k, c := range list {
							_, port, vc := n.Bank().ChannelAt(c)
							require.Equal(t, p, port, "%v", row)
							require.Equal(t, int(lane)%classes+k%(vcs/classes)*classes, int(vc), "%v", row)
						}
						list, one = n.Bank().Onward(nil, list[len(list)-2], &free, hop), lanes.Bank().Onward(nil, one[0], &fixed, hop)
					}
					require.Empty(t, list)
				}
			}
		}
	}
}

// pressed sends long messages from every node without an end.
type pressed struct{ nodes router.NodeID }

func (p *pressed) Evaluate(s fabric.Signals) {
	for from := range p.nodes {
		to := (from*7 + router.NodeID(s.Now())*3) % p.nodes
		if from != to && s.CanSend(from, to, nil) {
			s.Send(fabric.Message{Source: from, Destination: to, Length: 16})
		}
	}
}

func (p *pressed) Update(fabric.Signals) {}

func (p *pressed) Finished() bool { return false }

// A head that may take several channels is in a deadlock only if all of them stay claimed: no message of a circle that is reported arrives in any later
// cycle, however often somebody looks.
func TestDeadlocksWithAFreeChoiceAreDeadlocks(t *testing.T) {
	found := 0
	for _, spec := range []string{"random:60,3,5", "random:50,3,4", "star:4", "debruijn:4", "random:40,3,3"} {
		n := network(t, spec, "wormhole", "vcs", "2", "vc.choice", "free", "buffer", "1", "watchdog", "1")
		n.KeepLog()
		n.Attach(&pressed{router.NodeID(n.Topology.Nodes())})
		err := n.Run(context.Background(), 3000)
		var locked *router.Deadlock
		if !errors.As(err, &locked) {
			require.ErrorIs(t, err, fabric.ErrLimit)
			continue
		}
		found++
		for range 2000 {
			n.Step()
		}
		for _, w := range locked.Chain {
			require.Zero(t, n.Log()[w.Message-1].Arrival, "%s: %v", spec, err)
		}
	}
	require.Positive(t, found)
}

// Messages that are not to be overtaken are refused where heads choose their channels.
func TestFreeChoiceRefusesOrder(t *testing.T) {
	for _, row := range []struct{ vcs, choice, want string }{
		{"2", "free", "message from 0 to 1 in cycle 0: it is not to be overtaken, and vc.choice free lets messages overtake one another"},
		{"1", "free", ""},
		{"2", "lane", ""},
	} {
		n := network(t, "mesh:3x3", "wormhole", "vcs", row.vcs, "vc.choice", row.choice)
		n.Attach(&script{at: []router.Cycle{0}, messages: []fabric.Message{{Source: 0, Destination: 1, Length: 2, Ordered: true}}})
		err := n.Run(context.Background(), 100)
		if row.want == "" {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, row.want)
	}
}
