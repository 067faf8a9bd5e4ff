// SPDX-License-Identifier: Apache-2.0

package timing_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// pick is one of some values.
func pick[T any](g *rand.Rand, list ...T) T { return list[g.IntN(len(list))] }

// set sets keys of a machine.
func set(t testing.TB, m *machine.Machine, settings map[string]any) {
	for key, value := range settings {
		require.NoError(t, m.Set(key, fmt.Sprint(value)))
	}
}

// randomNetwork is a network without packets whose buffers take the full rate.
func randomNetwork(t testing.TB, g *rand.Rand) *fabric.Network {
	topo, err := topology.Parse(pick(g, "path:5", "ring:6", "mesh:4x3", "torus:4x4", "hypercube:3", "torus:3x2x3"))
	require.NoError(t, err)
	m, err := machine.Preset(pick(g, "bufferless", "wormhole"))
	require.NoError(t, err)
	hop, flit := 1+g.IntN(4), 1+g.IntN(4)
	set(t, &m, map[string]any{
		"startup": g.IntN(7), "hop": hop, "flit": flit, "buffer": hop/flit + 1 + g.IntN(2),
		"ports": pick(g, "all", "single"), "nic.channels": pick(g, "1", "links"), "nic.duplex": pick(g, "full", "half"), "header": pick(g, "wires", "flit"),
	})
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	return n
}

// sending is a message of a PE with the times that are predicted for it.
type sending struct {
	fabric.Message
	from, handed, last, whole router.Cycle
}

// program is a PE that hands its messages over, one after the other, in the cycles
// that are predicted.
type program struct {
	t       testing.TB
	network *fabric.Network
	list    []sending
	next    int
	last    map[uint32]router.Cycle // by tag: the cycle in which the last flit was placed
}

func (p *program) Evaluate(s fabric.Signals) {
	for ; p.next < len(p.list) && p.list[p.next].handed == s.Now(); p.next++ {
		_, err := s.Send(p.list[p.next].Message)
		require.NoError(p.t, err, "the channel is free when it is predicted to be")
	}
	if p.next < len(p.list) && !p.single() {
		x := &p.list[p.next]
		free := s.CanSend(x.Source, x.Destination, nil) && s.Now() >= x.from
		require.False(p.t, free, "cycle %d: not before it is", s.Now())
	}
}

// single reports whether messages wait for the chip's port, before their channels.
func (p *program) single() bool { return p.network.Machine.Ports == machine.SinglePort }

func (p *program) Update(s fabric.Signals) {
	for _, f := range s.Placed() {
		if f.Flit.Flags&router.Tail != 0 {
			p.last[p.network.Bank().Worm(f.Flit.Worm).Tag] = s.Now()
		}
	}
}

func (p *program) Finished() bool { return p.next == len(p.list) }

// run compares what happens with what is predicted.
func (p *program) run() {
	p.last = map[uint32]router.Cycle{}
	p.network.KeepLog()
	p.network.Attach(p)
	require.NoError(p.t, p.network.Run(context.Background(), 1<<20))
	_, collisions := p.network.Collisions()
	require.Zero(p.t, collisions)
	for i, sent := range p.network.Log() {
		x := &p.list[i]
		model := timing.Of(&p.network.Machine)
		require.Equal(p.t, x.handed, sent.Cycle, "message %d: handed over", i)
		require.Equal(p.t, x.last+model.Flit-model.Flits(1, x.Length), sent.Dispatch, "message %d: first flit", i)
		require.Equal(p.t, x.last, p.last[x.Tag], "message %d: last flit", i)
		require.Equal(p.t, x.whole+1, sent.Arrival, "message %d: whole", i)
	}
}

// A PE that hands over messages as early as it can: the interface predicts when, and
// when they are whole. The routes from one node form a tree, on which messages that
// are apart at the root never meet.
func TestInterfacesKeepTheTimesOfTheNetwork(t *testing.T) {
	for seed := range uint64(200) {
		g := rand.New(rand.NewPCG(seed, 0x74696d65))
		n := randomNetwork(t, g)
		source := router.NodeID(g.IntN(n.Topology.Nodes()))
		nic := timing.NewInterface(&n.Machine, timing.Channels(&n.Machine, n.Topology.Ports(source)))
		p := &program{t: t, network: n}
		now := router.Cycle(0)
		for tag := range 12 {
			to := router.NodeID(g.IntN(n.Topology.Nodes()))
			if to == source {
				continue
			}
			x := sending{Message: fabric.Message{Source: source, Destination: to, Tag: uint32(tag), Length: 1 + g.IntN(5)}}
			x.from = now + router.Cycle(max(0, g.IntN(30)-20))
			x.handed, x.last = nic.Hand(timing.ChannelOf(&n.Machine, n.Next(source, to)), x.from, x.Length)
			x.whole = nic.WholeAfter(x.last, n.Distance(source, to))
			now = x.handed
			p.list = append(p.list, x)
		}
		t.Run(strconv.FormatUint(seed, 10)+" "+n.Topology.String()+" "+n.Machine.Describe(), func(t *testing.T) {
			p.t = t
			p.run()
		})
	}
}

// A message that is alone takes the time that the model says, with packets, too, and on machines without the full rate.
func TestOneMessageTakesTheTimeOfTheNetwork(t *testing.T) {
	for seed := range uint64(300) {
		g := rand.New(rand.NewPCG(seed, 0x6f6e65))
		n := randomNetwork(t, g)
		switch seed % 3 {
		case 1:
			n = randomPackets(t, g)
		case 2:
			n = randomSlow(t, g)
		}
		m := fabric.Message{Source: router.NodeID(g.IntN(n.Topology.Nodes())), Length: 1 + g.IntN(6)}
		m.Destination = (m.Source + 1 + router.NodeID(g.IntN(n.Topology.Nodes()-1))) % router.NodeID(n.Topology.Nodes())
		at, model, links := router.Cycle(g.IntN(5)), timing.Of(&n.Machine), n.Distance(m.Source, m.Destination)
		t.Run(strconv.FormatUint(seed, 10)+" "+n.Topology.String()+" "+n.Machine.Describe(), func(t *testing.T) {
			n.KeepLog()
			n.Attach(&once{t: t, at: at, message: m})
			require.NoError(t, n.Run(context.Background(), 1<<20))
			sent := n.Log()[0]
			require.Equal(t, at, sent.Cycle)
			require.Equal(t, at+model.Startup, sent.Dispatch)
			alone := timing.Alone(&n.Machine)
			require.Equal(t, sent.Dispatch+alone.Transfer(links, m.Length), sent.Arrival)
			if !n.Machine.FullRate() && !n.Machine.PacketSwitched() {
				return
			}
			require.Equal(t, sent.Dispatch+model.Transfer(links, m.Length), sent.Arrival)
			require.Equal(t, n.ArrivalTime(at+model.UntilWhole(links, m.Length)), sent.Arrival)
		})
	}
}

// randomPackets is a network that switches packets.
func randomPackets(t testing.TB, g *rand.Rand) *fabric.Network {
	topo, err := topology.Parse(pick(g, "path:5", "ring:6", "mesh:4x3", "hypercube:3"))
	require.NoError(t, err)
	m, err := machine.Preset("store-forward")
	require.NoError(t, err)
	set(t, &m, map[string]any{
		"switching": pick(g, "store-forward", "cut-through"), "startup": g.IntN(5), "flit": 1 + g.IntN(3),
		"setup": pick(g, "0", "1", "3", "1/2", "7/3"), "packet": 6, "header": pick(g, "wires", "flit"),
	})
	if g.IntN(2) == 0 {
		set(t, &m, map[string]any{"ports": "all", "nic.channels": "links"})
	}
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	return n
}

// randomSlow is a network whose buffers may be too small for the full rate, and whose heads may pay for claims.
func randomSlow(t testing.TB, g *rand.Rand) *fabric.Network {
	topo, err := topology.Parse(pick(g, "path:5", "ring:6", "mesh:4x3", "torus:4x4", "hypercube:3"))
	require.NoError(t, err)
	m, err := machine.Preset("wormhole")
	require.NoError(t, err)
	set(t, &m, map[string]any{
		"startup": g.IntN(7), "hop": 1 + g.IntN(4), "flit": 1 + g.IntN(4), "buffer": 1 + g.IntN(4), "claim": g.IntN(2),
		"ports": pick(g, "all", "single"), "nic.channels": pick(g, "1", "links"), "nic.duplex": pick(g, "full", "half"), "header": pick(g, "wires", "flit"),
	})
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	return n
}

// once sends one message.
type once struct {
	t       testing.TB
	at      router.Cycle
	message fabric.Message
	sent    bool
}

func (o *once) Evaluate(s fabric.Signals) {
	if !o.sent && s.Now() == o.at {
		_, err := s.Send(o.message)
		require.NoError(o.t, err)
		o.sent = true
	}
}
func (o *once) Update(fabric.Signals) {}
func (o *once) Finished() bool        { return o.sent }
