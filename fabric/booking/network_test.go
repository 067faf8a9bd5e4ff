// SPDX-License-Identifier: Apache-2.0

package booking_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/booking"
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// pick is one of some values.
func pick[T any](g *rand.Rand, list ...T) T { return list[g.IntN(len(list))] }

// randomNetwork is a network without packets whose buffers take the full rate.
// Messages may have routes of their own.
func randomNetwork(t testing.TB, g *rand.Rand) (*topology.Topology, machine.Machine) {
	topo, err := topology.Parse(pick(g, "path:5", "ring:6", "mesh:4x3", "torus:4x4", "hypercube:3", "debruijn:3", "hub:5"))
	require.NoError(t, err)
	m, err := machine.Preset(pick(g, "bufferless", "wormhole"))
	require.NoError(t, err)
	hop, flit := 1+g.IntN(4), 1+g.IntN(4)
	for key, value := range map[string]any{
		"startup": g.IntN(7), "hop": hop, "flit": flit, "buffer": hop/flit + 1 + g.IntN(2), "routing": "source",
		"ports": pick(g, "all", "single"), "nic.channels": pick(g, "1", "links"), "nic.duplex": pick(g, "full", "half"),
	} {
		require.NoError(t, m.Set(key, fmt.Sprint(value)))
	}
	m, err = m.Resolve(topo)
	require.NoError(t, err)
	return topo, m
}

// walk is a route that does not come to a node twice.
func walk(g *rand.Rand, t *topology.Topology, from router.NodeID, most int) (route []router.Port, to router.NodeID) {
	seen := map[router.NodeID]bool{from: true}
	for to = from; len(route) < most; {
		var open []router.Port
		for p := range router.Port(t.Ports(to)) {
			if next := t.Neighbor(to, p); next != router.None && !seen[next] {
				open = append(open, p)
			}
		}
		if len(open) == 0 {
			break
		}
		p := pick(g, open...)
		route, to = append(route, p), t.Neighbor(to, p)
		seen[to] = true
	}
	return route, to
}

// booked is a message with its times.
type booked struct {
	fabric.Message
	from, handed, whole router.Cycle
}

// book reserves times for random messages.
func book(g *rand.Rand, t *topology.Topology, m machine.Machine, count int) []booked {
	b := booking.NewBook(t, m).Stalling()
	list := make([]booked, count)
	for i := range list {
		x := &list[i]
		x.Source, x.Length, x.Tag, x.from = router.NodeID(g.IntN(t.Nodes())), 1+g.IntN(9), uint32(i), router.Cycle(g.IntN(40))
		x.Route, x.Destination = walk(g, t, x.Source, 1+g.IntN(5))
		x.handed, x.whole = b.Reserve(x.Source, x.Route, x.Length, x.from)
	}
	return list
}

// sender hands messages over in their cycles.
type sender struct {
	network *fabric.Network
	list    []booked
	sent    int
	busy    int                     // messages whose channel was busy
	last    map[uint32]router.Cycle // by tag: the cycle in which the last flit was placed
}

func (p *sender) Evaluate(s fabric.Signals) {
	for i := range p.list {
		if x := &p.list[i]; x.handed == s.Now() {
			if _, err := s.Send(x.Message); err != nil {
				p.busy++
			}
			p.sent++
		}
	}
}

func (p *sender) Update(s fabric.Signals) {
	for _, f := range s.Placed() {
		if f.Flit.Flags&router.Tail != 0 {
			p.last[p.network.Bank().Worm(f.Flit.Worm).Tag] = s.Now()
		}
	}
}

func (p *sender) Finished() bool { return p.sent == len(p.list) }

// run sends messages through the network.
func run(t testing.TB, topo *topology.Topology, m machine.Machine, list []booked) (p *sender, collisions int) {
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	p = &sender{network: n, list: list, last: map[uint32]router.Cycle{}}
	n.KeepLog()
	n.Attach(p)
	err = n.Run(context.Background(), 1<<20)
	_, collisions = n.Collisions()
	require.True(t, err == nil || collisions > 0, err)
	return p, collisions
}

// Booked messages never collide in the network, and the network sends and
// delivers each of them in the cycles that the booking predicts, also where worms stall for room in their buffers.
func TestBookedMessagesKeepTheirTimes(t *testing.T) {
	for seed := range uint64(300) {
		g := rand.New(rand.NewPCG(seed, 0x626f6f6b))
		topo, m := randomNetwork(t, g)
		if seed%2 == 1 {
			m.Buffer = 1 + g.IntN(m.Buffer)
		}
		model := timing.Stalling(&m)
		list := book(g, topo, m, 1+g.IntN(60))
		t.Run(strconv.FormatUint(seed, 10)+" "+topo.String()+" "+m.Describe(), func(t *testing.T) {
			p, collisions := run(t, topo, m, list)
			require.Zero(t, collisions)
			require.Zero(t, p.busy)
			log := p.network.Log()
			require.Len(t, log, len(list))
			for _, sent := range log {
				x := &list[sent.Tag]
				require.GreaterOrEqual(t, sent.Cycle, x.from)
				require.Equal(t, x.handed, sent.Cycle, "message %d: handed over", sent.Tag)
				require.Equal(t, x.handed+router.Cycle(m.Startup), sent.Dispatch, "message %d: first flit", sent.Tag)
				if last := sent.Dispatch + model.Work(x.Length) - router.Cycle(m.Flit); model.Stall() > 0 { // it stands in the register
					require.LessOrEqual(t, p.last[sent.Tag], last)
				} else {
					require.Equal(t, last, p.last[sent.Tag], "message %d: last flit", sent.Tag)
				}
				require.Equal(t, x.whole+1, sent.Arrival, "message %d: whole", sent.Tag)
			}
		})
	}
}

// A message that has to wait cannot go a cycle earlier, where the book is as strict as
// the machine.
func TestBookedMessagesWaitNoLongerThanTheyMust(t *testing.T) {
	waited := 0
	for seed := range uint64(300) {
		g := rand.New(rand.NewPCG(seed, 0x6561726c))
		topo, m := randomNetwork(t, g)
		if m.Switching != machine.Bufferless || m.Flit > 1 || m.Duplex == machine.Half {
			m.Switching, m.Flit, m.Duplex, m.VCs, m.Buffer = machine.Bufferless, 1, machine.Full, 1, 1
		}
		list := book(g, topo, m, 1+g.IntN(30))
		last := &list[len(list)-1]
		if last.handed == last.from {
			continue
		}
		waited++
		last.handed--
		p, collisions := run(t, topo, m, list)
		require.Positive(t, p.busy+collisions, "seed %d: message %d could go in cycle %d", seed, len(list)-1, last.handed)
	}
	require.Greater(t, waited, 50)
}

// A book that counts with stalls hands a message over as soon as the channel accepts it.
func TestChannelsAcceptTheNextMessage(t *testing.T) {
	topo, err := topology.Parse("path:2")
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	for _, row := range []struct {
		startup, flit  int
		strict, second router.Cycle // when the second of two messages of one flit is handed over
	}{{0, 2, 2, 2}, {1, 2, 3, 2}, {1, 3, 4, 3}, {5, 3, 8, 6}, {5, 1, 6, 6}} {
		m.Startup, m.Flit = row.startup, row.flit
		for want, b := range map[router.Cycle]*booking.Book{row.strict: booking.NewBook(topo, m), row.second: booking.NewBook(topo, m).Stalling()} {
			b.Reserve(0, []router.Port{0}, 1, 0)
			handed, _ := b.Reserve(0, []router.Port{0}, 1, 0)
			require.Equal(t, want, handed, "%v", row)
		}
	}
}
