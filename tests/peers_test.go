// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/soak"
	"meshwright/router"
	"meshwright/schedule"
	"meshwright/schedule/check"
)

// peers are published collision-free schedules of total exchange on tori.
var peers = []struct {
	file, topology string
	cycles, floor  router.Cycle
}{
	{"tdm-torus-3x3.csv", "torus:3x3", 10, 10},
	{"tdm-torus-4x4.csv", "torus:4x4", 19, 18},
	{"tdm-torus-5x5.csv", "torus:5x5", 27, 27},
	{"tdm-torus-8x8.csv", "torus:8x8", 87, 68},
}

func openPeer(t *testing.T, file, spec string) (*schedule.Schedule, *topology.Topology, machine.Machine) {
	t.Helper()
	s, err := schedule.Read(filepath.Join("testdata/peers", file))
	require.NoError(t, err)
	top, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("bufferless")
	require.NoError(t, err)
	m.Ports, m.Channels, m.Routing = machine.AllPort, 1, machine.Source
	return s, top, m
}

func TestPeersAreListed(t *testing.T) {
	files, err := filepath.Glob("testdata/peers/*.csv")
	require.NoError(t, err)
	require.Len(t, files, len(peers))
}

func TestPeersAreAccepted(t *testing.T) {
	for _, peer := range peers {
		t.Run(peer.topology, func(t *testing.T) {
			s, top, m := openPeer(t, peer.file, peer.topology)
			require.Len(t, s.Rows, top.Nodes()*(top.Nodes()-1))
			r, err := check.Check(s, top, m)
			require.NoError(t, err)
			require.True(t, r.OK, r.First)
			require.Equal(t, peer.cycles, r.Cycles)
			require.Equal(t, peer.floor, r.LowerBound)
			require.Equal(t, peer.cycles, playPeer(t, s, top, m))
		})
	}
}

// playPeer runs a schedule on the cycle model, which must not collide, and
// returns its time.
func playPeer(t *testing.T, s *schedule.Schedule, top *topology.Topology, m machine.Machine) router.Cycle {
	t.Helper()
	net, err := fabric.New(top, m)
	require.NoError(t, err)
	net.KeepLog()
	player, err := schedule.NewPlayer(net, s)
	require.NoError(t, err)
	net.Attach(player)
	require.NoError(t, net.Run(context.Background(), 10_000))
	_, count := player.Collisions()
	require.Zero(t, count)
	end := router.Cycle(0)
	for _, sent := range net.Log() {
		require.Positive(t, sent.Arrival)
		end = max(end, sent.Arrival)
	}
	return end
}

// Any one message moved onto a slot that is taken, at its source or on one of
// its links, is found: every move of every message of the two small schedules,
// and without a soak two moves of every eighteenth message of the two large ones.
func TestPeersAreRejectedAfterAnyMove(t *testing.T) {
	for _, peer := range peers {
		t.Run(peer.topology, func(t *testing.T) {
			s, top, m := openPeer(t, peer.file, peer.topology)
			sources, links := slotsTaken(s)
			moves := 0
			sampled := len(s.Rows) > 200 && !soak.On()
			every := 1
			if sampled {
				every = 18
			}
			for i := 0; i < len(s.Rows); i += every {
				r := &s.Rows[i]
				targets := onto(r.Dispatch, sources[r.Source], 0)
				if sampled {
					targets = targets[i%len(targets):][:1]
				}
				fromLinks := 0
				for hop, from := range r.Route[:len(r.Route)-1] {
					taken := onto(r.Dispatch, links[[2]router.NodeID{from, r.Route[hop+1]}], router.Cycle(hop))
					if sampled && len(taken) > 0 {
						taken = taken[i%len(taken):][:1-fromLinks]
						fromLinks = 1
					}
					targets = append(targets, taken...)
				}
				own := r.Dispatch
				for _, r.Dispatch = range targets {
					requireRejected(t, s, top, m, i)
					moves++
				}
				r.Dispatch = own
			}
			require.GreaterOrEqual(t, moves, 2*len(s.Rows)/every)
			t.Logf("%d moves", moves)
		})
	}
}

// slotsTaken lists the dispatches of every source and the cycles in which every
// link is used.
func slotsTaken(s *schedule.Schedule) (map[router.NodeID][]router.Cycle, map[[2]router.NodeID][]router.Cycle) {
	sources, links := map[router.NodeID][]router.Cycle{}, map[[2]router.NodeID][]router.Cycle{}
	for _, r := range s.Rows {
		sources[r.Source] = append(sources[r.Source], r.Dispatch)
		for hop, from := range r.Route[:len(r.Route)-1] {
			link := [2]router.NodeID{from, r.Route[hop+1]}
			links[link] = append(links[link], r.Dispatch+router.Cycle(hop))
		}
	}
	return sources, links
}

// onto returns the dispatches, other than own, whose flit meets one of the
// slots after so many hops.
func onto(own router.Cycle, slots []router.Cycle, hops router.Cycle) []router.Cycle {
	var list []router.Cycle
	for _, slot := range slots {
		if dispatch := slot - hops; dispatch >= 0 && dispatch != own {
			list = append(list, dispatch)
		}
	}
	return list
}

// requireRejected demands a collision, all of them with the moved row.
func requireRejected(t *testing.T, s *schedule.Schedule, top *topology.Topology, m machine.Machine, moved int) {
	t.Helper()
	r, err := check.Check(s, top, m)
	require.NoError(t, err)
	if r.OK || r.Collisions == 0 {
		t.Fatalf("message %d dispatched in cycle %d: not rejected", s.Rows[moved].Message, s.Rows[moved].Dispatch)
	}
	for _, c := range r.First {
		if !slices.Contains(c.Rows[:], moved) {
			t.Fatalf("message %d dispatched in cycle %d: %+v", s.Rows[moved].Message, s.Rows[moved].Dispatch, c)
		}
	}
}
