// SPDX-License-Identifier: Apache-2.0

package fabric_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/router"
)

// collective sends the messages of each channel one after the other, from given cycles on, and with
// rounds above 1 forwards what arrives to the next node.
type collective struct {
	queues [][]fabric.Message // by source
	rounds []int              // by node: messages that it has still to send
	next   []router.NodeID

	messages, sent int
}

func (c *collective) OnlyMessages()         {}
func (c *collective) Update(fabric.Signals) {}
func (c *collective) Wakes() router.Cycle   { return fabric.Never }

func (c *collective) Finished() bool { return c.sent == c.messages }

func (c *collective) send(s fabric.Signals, v router.NodeID) {
	if q := c.queues[v]; len(q) > 0 && s.CanSend(v, q[0].Destination, nil) {
		_, _ = s.Send(q[0])
		c.queues[v] = q[1:]
		c.sent++
	}
}

func (c *collective) Evaluate(s fabric.Signals) {
	if s.Now() == 0 {
		for v := range c.queues {
			c.send(s, router.NodeID(v))
		}
	}
	for v := range s.Freed() {
		c.send(s, v)
	}
	for _, m := range s.Received() {
		if v := m.Destination; c.next != nil && c.rounds[v] > 0 {
			c.rounds[v]--
			c.queues[v] = append(c.queues[v], fabric.Message{Source: v, Destination: c.next[v], Length: m.Length})
			c.send(s, v)
		}
	}
}

// timed sends messages in given cycles.
type timed struct {
	at       []router.Cycle
	messages []fabric.Message
}

func (c *timed) OnlyMessages()         {}
func (c *timed) Update(fabric.Signals) {}
func (c *timed) Finished() bool        { return len(c.at) == 0 }
func (c *timed) Wakes() router.Cycle {
	if len(c.at) == 0 {
		return fabric.Never
	}
	return c.at[0]
}

func (c *timed) Evaluate(s fabric.Signals) {
	for len(c.at) > 0 && c.at[0] <= s.Now() {
		_, _ = s.Send(c.messages[0])
		c.at, c.messages = c.at[1:], c.messages[1:]
	}
}

// scatterOf sends from node 0, the furthest first.
func scatterOf(n *fabric.Network, flits int) fabric.Component {
	nodes := n.Topology.Nodes()
	c := &collective{queues: make([][]fabric.Message, nodes), messages: nodes - 1}
	for v := nodes - 1; v > 0; v-- {
		c.queues[0] = append(c.queues[0], fabric.Message{Destination: router.NodeID(v), Length: flits})
	}
	return c
}

// gatherOf sends to node 0 of a mesh, so that the messages arrive one after the other, the nearest first.
func gatherOf(n *fabric.Network, flits int) fabric.Component {
	c := &timed{}
	far := n.Topology.Dims[0] + n.Topology.Dims[1] - 2
	byDistance := make([][]router.NodeID, far+1)
	for v := 1; v < n.Topology.Nodes(); v++ {
		d := v%n.Topology.Dims[0] + v/n.Topology.Dims[0]
		byDistance[d] = append(byDistance[d], router.NodeID(v))
	}
	arrival := router.Cycle(far)
	for d, list := range byDistance {
		for _, v := range list {
			c.at = append(c.at, arrival-router.Cycle(d))
			c.messages = append(c.messages, fabric.Message{Source: v, Destination: 0, Length: flits})
			arrival += router.Cycle(flits)
		}
	}
	return c
}

// gossipOf sends every block around its row of a torus.
func gossipOf(n *fabric.Network, flits int) fabric.Component {
	nodes, dims := n.Topology.Nodes(), n.Topology.Dims
	c := &collective{queues: make([][]fabric.Message, nodes), rounds: make([]int, nodes), next: make([]router.NodeID, nodes)}
	c.messages = nodes * (dims[0] - 1)
	for v := range nodes {
		x := v % dims[0]
		c.next[v], c.rounds[v] = router.NodeID(v-x+(x+1)%dims[0]), dims[0]-2
		c.queues[v] = []fabric.Message{{Source: router.NodeID(v), Destination: c.next[v], Length: flits}}
	}
	return c
}

// The hops are those of all flits, and of all messages.
func BenchmarkFlying(b *testing.B) {
	for _, row := range []struct {
		name, spec string
		flits      int
		of         func(*fabric.Network, int) fabric.Component
	}{
		{"scatter", "mesh:32x32", 4096, scatterOf},
		{"gather", "mesh:32x32", 4096, gatherOf},
		{"gossip", "torus:16x16", 4096, gossipOf},
		{"scatter", "mesh:256x256", 4, scatterOf},
		{"gather", "mesh:256x256", 4, gatherOf},
		{"scatter", "mesh:1024x1024", 4, scatterOf},
		{"gather", "mesh:1024x1024", 4, gatherOf},
	} {
		b.Run(fmt.Sprintf("%s/%s/%d", row.name, row.spec, row.flits), func(b *testing.B) {
			flits, worms := 0.0, 0.0
			for b.Loop() {
				b.StopTimer()
				n := network(b, row.spec, "wormhole")
				n.Attach(row.of(n, row.flits))
				fabric.NewMeter(n)
				b.StartTimer()
				require.NoError(b, n.Run(context.Background(), 1<<40))
				b.StopTimer()
				_, met := n.Flown()
				require.False(b, met)
				for _, l := range n.LinkUse() {
					flits += float64(l.Flits)
					worms += float64(l.Flits) / float64(row.flits)
				}
				b.StartTimer()
			}
			b.ReportMetric(flits/b.Elapsed().Seconds()/1e6, "Mflit-hops/s")
			b.ReportMetric(worms/b.Elapsed().Seconds()/1e6, "Mworm-hops/s")
		})
	}
}
