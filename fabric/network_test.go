// SPDX-License-Identifier: Apache-2.0

package fabric_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/internal/soak"
	"meshwright/router"
)

func network(t testing.TB, spec, preset string, settings ...string) *fabric.Network {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset(preset)
	require.NoError(t, err)
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	return n
}

// script sends messages at given cycles, or as soon after as the channel is free.
type script struct {
	at       []router.Cycle
	messages []fabric.Message
}

func (c *script) Evaluate(s fabric.Signals) {
	for i := 0; i < len(c.messages); {
		if c.at[i] <= s.Now() {
			if _, err := s.Send(c.messages[i]); err == nil {
				c.at = append(c.at[:i], c.at[i+1:]...)
				c.messages = append(c.messages[:i], c.messages[i+1:]...)
				continue
			}
		}
		i++
	}
}
func (c *script) Update(fabric.Signals) {}
func (c *script) Finished() bool        { return len(c.messages) == 0 }

func (c *script) add(at router.Cycle, from, to router.NodeID, flits int) {
	c.at = append(c.at, at)
	c.messages = append(c.messages, fabric.Message{Source: from, Destination: to, Length: flits})
}

func TestMessageArrivesAfterDistanceAndLength(t *testing.T) {
	for _, row := range []struct {
		name, topology, preset string
		settings               []string
		from, to               router.NodeID
		flits                  int
		want                   router.Cycle // startup + distance*hop + flits*flit
	}{
		{"one flit, one hop", "path:2", "bufferless", nil, 0, 1, 1, 2},
		{"worm on a path", "path:6", "bufferless", nil, 0, 5, 4, 9},
		{"wormhole is as fast when nothing blocks", "path:6", "wormhole", nil, 0, 5, 4, 9},
		{"two dimensions", "mesh:4x4", "wormhole", nil, 0, 15, 3, 9},
		{"shorter way round", "ring:8", "wormhole", nil, 1, 7, 3, 5},
		{"startup", "path:6", "wormhole", []string{"startup", "10"}, 0, 5, 4, 19},
		{"hop", "path:6", "wormhole", []string{"hop", "3"}, 0, 5, 3, 18},
		{"claim", "path:6", "wormhole", []string{"claim", "1"}, 0, 5, 3, 5 + 6 + 3},
		{"claim and hop", "path:6", "wormhole", []string{"claim", "1", "hop", "2"}, 0, 5, 3, 10 + 6 + 3},
		{"hop without buffers", "path:6", "bufferless", []string{"hop", "3"}, 0, 5, 3, 18},
		{"flit", "path:6", "wormhole", []string{"flit", "3"}, 0, 5, 4, 17},
		{"flit without buffers", "path:6", "bufferless", []string{"flit", "3"}, 0, 5, 4, 17},
		{"all of them", "torus:4x4", "wormhole", []string{"startup", "7", "hop", "2", "flit", "3"}, 0, 5, 4, 7 + 4 + 12},
		{"single port", "mesh:4x4", "wormhole", []string{"ports", "single"}, 0, 15, 3, 9},
	} {
		t.Run(row.name, func(t *testing.T) {
			n := network(t, row.topology, row.preset, row.settings...)
			n.KeepLog()
			s := &script{}
			s.add(0, row.from, row.to, row.flits)
			n.Attach(s)
			require.NoError(t, n.Run(context.Background(), 1000))
			require.Equal(t, row.want, n.Log()[0].Arrival)
			_, collisions := n.Collisions()
			require.Zero(t, collisions)
		})
	}
}

func TestBufferOfOneHalvesTheRate(t *testing.T) {
	for buffer, want := range map[string]router.Cycle{"1": 3 + 2*8 - 1, "2": 3 + 8} {
		n := network(t, "path:4", "wormhole", "buffer", buffer)
		n.KeepLog()
		s := &script{}
		s.add(0, 0, 3, 8)
		n.Attach(s)
		require.NoError(t, n.Run(context.Background(), 1000))
		require.Equal(t, want, n.Log()[0].Arrival, "buffer %s", buffer)
	}
}

// The output is free from the cycle behind a tail on, in which the next head claims it. Without the claim it would cross.
func TestAClaimTakesACycleOfTheLink(t *testing.T) {
	const messages = 5
	for claim, between := range []int{0, 1} {
		n := network(t, "path:2", "wormhole", "claim", fmt.Sprint(claim))
		n.KeepLog()
		s := &script{}
		for range messages {
			s.add(0, 0, 1, 3)
		}
		n.Attach(s)
		require.NoError(t, n.Run(context.Background(), 1000))
		log := n.Log()
		for i := 1; i < messages; i++ {
			require.EqualValues(t, 3+between, log[i].Arrival-log[i-1].Arrival, "claim %d, message %d", claim, i)
		}
	}
}

func TestRingDeadlocksWithoutDatelineOnly(t *testing.T) {
	fill := func(n *fabric.Network) {
		s := &script{}
		for v := range router.NodeID(6) {
			s.add(0, v, (v+3)%6, 20)
		}
		n.Attach(s)
	}
	stuck := network(t, "ring:6", "wormhole", "vcs", "1", "buffer", "2")
	fill(stuck)
	err := stuck.Run(context.Background(), 100000)
	var deadlock *router.Deadlock
	require.ErrorAs(t, err, &deadlock)
	require.Len(t, deadlock.Chain, 12, "six injection registers and six buffers")
	require.Less(t, deadlock.Cycle, router.Cycle(100), "found when it happens, not at the next interval")
	require.Contains(t, err.Error(), "node 0 channel 0 (message 1), that for room in node 1 port 1 vc 0 (message 1), that for the output held by node 1 channel 0 (message 2)")
	require.Equal(t, 12, strings.Count(err.Error(), "(message "))

	for _, settings := range [][]string{
		{"vcs", "2"}, {"vcs", "4"}, {"vcs", "2", "routing", "table"}, {"vcs", "4", "routing", "source"},
		{"vcs", "2", "ports", "single", "flit", "2", "hop", "3"}, {"vcs", "2", "claim", "1"},
	} {
		free := network(t, "ring:6", "wormhole", append(settings, "buffer", "2")...)
		fill(free)
		require.NoError(t, free.Run(context.Background(), 100000), "%v", settings)
		require.EqualValues(t, 120, free.Delivered())
	}
}

// A circle in one row of a torus is found although the other row goes on.
func TestDeadlockIsFoundBesideOtherTraffic(t *testing.T) {
	n := network(t, "torus:6x2", "wormhole", "vcs", "1", "buffer", "2", "watchdog", "500")
	s := &script{}
	for v := range router.NodeID(6) {
		s.add(0, v, (v+3)%6, 20)
	}
	n.Attach(s)
	n.Attach(&stream{from: 6, to: 7})
	var deadlock *router.Deadlock
	require.ErrorAs(t, n.Run(context.Background(), 100000), &deadlock)
	require.LessOrEqual(t, deadlock.Cycle, router.Cycle(1000))
	for _, w := range deadlock.Chain {
		require.Less(t, w.Node, router.NodeID(6))
	}
}

// stream sends messages without end.
type stream struct{ from, to router.NodeID }

func (c *stream) Evaluate(s fabric.Signals) {
	s.Send(fabric.Message{Source: c.from, Destination: c.to, Length: 3})
}
func (c *stream) Update(fabric.Signals) {}

// The place of a flit is taken from the cycle after it left the last chip until
// it leaves this one: hop/flit+1 flits keep a link busy, one less do not.
func TestBuffersForTheFullRate(t *testing.T) {
	const flits, links = 60, 5
	for _, row := range []struct{ hop, flit int }{{1, 1}, {2, 1}, {3, 1}, {5, 1}, {2, 2}, {3, 2}, {5, 2}, {3, 3}} {
		arrival := func(buffer int) router.Cycle {
			n := network(t, "path:6", "wormhole", "buffer", fmt.Sprint(buffer), "hop", fmt.Sprint(row.hop), "flit", fmt.Sprint(row.flit))
			n.KeepLog()
			s := &script{}
			s.add(0, 0, links, flits)
			n.Attach(s)
			require.NoError(t, n.Run(context.Background(), 10000))
			return n.Log()[0].Arrival
		}
		full, enough := router.Cycle(links*row.hop+flits*row.flit), row.hop/row.flit+1
		require.Equal(t, full, arrival(enough), "%+v", row)
		require.Greater(t, arrival(enough-1), full, "%+v", row)
	}
}

// More hops than 16 bits count.
func TestSourceRouteOfALongPath(t *testing.T) {
	nodes := soak.Number(33_000, 70_000) // more hops than 15 bits count, or 16
	n := network(t, fmt.Sprintf("path:%d", nodes), "wormhole", "routing", "source", "nic.channels", "1")
	n.KeepLog()
	s := &script{}
	s.add(0, 0, router.NodeID(nodes-1), 1)
	n.Attach(s)
	require.NoError(t, n.Run(context.Background(), 100000))
	require.EqualValues(t, nodes, n.Log()[0].Arrival)
}

func TestRunEndsAtItsLimit(t *testing.T) {
	for _, row := range []struct{ name, startup string }{{"in the middle of a worm", "0"}, {"in cycles without work", "1000"}} {
		t.Run(row.name, func(t *testing.T) {
			n := network(t, "path:3", "wormhole", "startup", row.startup)
			s := &sleepy{to: 2, flits: 50}
			n.Attach(s)
			require.ErrorIs(t, n.Run(context.Background(), 20), fabric.ErrLimit)
			require.EqualValues(t, 20, n.Now())
			require.NoError(t, n.Run(context.Background(), 5000), "it goes on where it stopped")
			require.EqualValues(t, 50, n.Delivered())
		})
	}
}

// Deliveries that take several cycles, and startups, keep the clock from
// skipping what is still to happen.
func TestSkippingLeavesTimesAlone(t *testing.T) {
	for _, settings := range [][]string{
		{"flit", "5"}, {"flit", "5", "startup", "40"}, {"flit", "3", "hop", "4", "startup", "7"},
		{"flit", "4", "nic.channels", "1", "nic.duplex", "half", "ports", "single", "startup", "9"},
	} {
		var logs [2][]fabric.Sent
		for i := range logs {
			n := network(t, "mesh:3x3", "wormhole", settings...)
			n.KeepLog()
			for k := range 6 {
				n.Attach(&sleepy{from: router.NodeID(k), to: 8, at: router.Cycle(300 * k), flits: 1 + k})
			}
			if i == 1 {
				n.Attach(&counter{}) // not a Sleeper: no cycle is skipped
			}
			require.NoError(t, n.Run(context.Background(), 100000))
			logs[i] = n.Log()
		}
		require.Len(t, logs[0], 6)
		require.Equal(t, logs[1], logs[0], "%v", settings)
	}
}

func TestFlitsAreConserved(t *testing.T) {
	for _, row := range []struct {
		topology string
		settings []string
	}{
		{"mesh:4x4", nil},
		{"torus:4x4", []string{"vcs", "4", "buffer", "2"}},
		{"torus:3x5", []string{"ports", "single"}},
		{"mesh:3x3x2", []string{"nic.channels", "1", "nic.duplex", "half", "hop", "2"}},
		{"ring:9", []string{"flit", "3", "hop", "2", "startup", "5"}},
		{"hypercube:4", []string{"vcs", "3", "ports", "single", "flit", "2"}},
	} {
		t.Run(row.topology+" "+strings.Join(row.settings, " "), func(t *testing.T) {
			n := network(t, row.topology, "wormhole", row.settings...)
			u, err := traffic.NewUniform(n.Topology.Nodes(), 4, 0.05, 3)
			require.NoError(t, err)
			placed := &counter{}
			n.Attach(u)
			n.Attach(placed)
			for range 2000 {
				n.Step()
				require.Equal(t, placed.flits, placed.ejected+n.Bank().Held())
			}
			require.Positive(t, placed.ejected)
			for b := range n.Bank().Occupancies() {
				require.LessOrEqual(t, b, n.Machine.Buffer)
			}
		})
	}
}

// counter counts what enters and leaves the network.
type counter struct{ flits, ejected int }

func (c *counter) Evaluate(fabric.Signals) {}
func (c *counter) Update(s fabric.Signals) {
	c.flits += len(s.Placed())
	for o := range s.Offers() {
		if o.Fired && int(o.Port) >= s.Network().Topology.Ports(o.Node) {
			c.ejected++
		}
	}
}

func TestOrderOfComponentsDoesNotMatter(t *testing.T) {
	run := func(order []int) []fabric.Sent {
		n := network(t, "torus:4x4", "wormhole", "ports", "single")
		n.KeepLog()
		parts := make([]*script, 16)
		for v := range parts {
			parts[v] = &script{}
			for k := range 10 {
				parts[v].add(router.Cycle(3*k), router.NodeID(v), router.NodeID((v*5+k+1)%16), 1+k%5)
				if parts[v].messages[k].Destination == router.NodeID(v) {
					parts[v].messages[k].Destination = router.NodeID((v + 1) % 16)
				}
			}
		}
		for _, v := range order {
			n.Attach(parts[v])
		}
		require.NoError(t, n.Run(context.Background(), 100000))
		return n.Log()
	}
	forward := run([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
	shuffled := run([]int{9, 3, 15, 0, 12, 6, 1, 14, 8, 2, 11, 5, 10, 4, 13, 7})
	type key struct {
		from, to router.NodeID
		sent     router.Cycle
	}
	arrivals := map[key]router.Cycle{}
	for _, m := range forward {
		arrivals[key{m.Source, m.Destination, m.Dispatch}] = m.Arrival
	}
	require.Len(t, shuffled, len(forward))
	for _, m := range shuffled {
		require.Equal(t, arrivals[key{m.Source, m.Destination, m.Dispatch}], m.Arrival)
	}
}

func TestIdleCyclesAreSkipped(t *testing.T) {
	n := network(t, "path:3", "wormhole", "startup", "1000000")
	n.KeepLog()
	s := &sleepy{to: 2, flits: 1}
	n.Attach(s)
	require.NoError(t, n.Run(context.Background(), 1<<40))
	require.EqualValues(t, 1_000_000+1+2, n.Log()[0].Arrival)
	require.Less(t, s.calls, 50)
}

// sleepy sends one message and sleeps before and after.
type sleepy struct {
	from, to router.NodeID
	at       router.Cycle
	flits    int
	sent     bool
	calls    int
}

func (c *sleepy) Evaluate(s fabric.Signals) {
	c.calls++
	if !c.sent && s.Now() >= c.at {
		_, err := s.Send(fabric.Message{Source: c.from, Destination: c.to, Length: c.flits})
		c.sent = err == nil
	}
}
func (c *sleepy) Update(fabric.Signals) {}
func (c *sleepy) Wakes() router.Cycle {
	if c.sent {
		return fabric.Never
	}
	return c.at
}
func (c *sleepy) Finished() bool { return c.sent }

func TestWormholeRouterFitsIn512Bytes(t *testing.T) {
	n := network(t, "mesh:8x8", "wormhole", "nic.channels", "1")
	require.LessOrEqual(t, n.Bank().BytesPerChip(), 512.0)
}

func TestNothingIsAllocatedPerCycle(t *testing.T) {
	n := network(t, "mesh:8x8", "wormhole", "nic.channels", "1")
	uniform, err := traffic.NewUniform(64, 8, 0.01, 1)
	require.NoError(t, err)
	n.Attach(uniform)
	for range 20000 {
		n.Step()
	}
	require.Less(t, testing.AllocsPerRun(5000, n.Step), 0.01)
}

// monitor counts the flits that enter one node: a user's own component.
type monitor struct {
	node  router.NodeID
	flits int
}

func (m *monitor) Evaluate(fabric.Signals) {}
func (m *monitor) Update(s fabric.Signals) {
	t := s.Network().Topology
	for o := range s.Offers() {
		if o.Fired && int(o.Port) < t.Ports(o.Node) && t.Neighbor(o.Node, o.Port) == m.node {
			m.flits++
		}
	}
}

// pulse is a user's own traffic source: a packet from node 0 every Period cycles.
type pulse struct {
	to     router.NodeID
	period router.Cycle
}

func (p *pulse) Evaluate(s fabric.Signals) {
	if s.Now()%p.period == 0 {
		s.Send(fabric.Message{Source: 0, Destination: p.to, Length: 2})
	}
}
func (p *pulse) Update(fabric.Signals) {}

// A traffic source and a monitor of one's own go on the clock beside the
// network, through the same two phases.
func ExampleComponent() {
	t, _ := topology.Parse("mesh:4x4")
	m, _ := machine.Preset("wormhole")
	n, _ := fabric.New(t, m)
	seen := &monitor{node: 3}
	n.Attach(&pulse{to: 15, period: 10})
	n.Attach(seen)
	for range 100 {
		n.Step()
	}
	fmt.Println("flits through node 3:", seen.flits)
	fmt.Println("flits delivered:", n.Delivered())
	// Output:
	// flits through node 3: 20
	// flits delivered: 20
}
