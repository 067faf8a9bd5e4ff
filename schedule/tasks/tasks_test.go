// SPDX-License-Identifier: Apache-2.0

package tasks

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// builder makes graphs.
type builder struct{ Graph }

func (b *builder) add(t Task) int32 {
	t.Group, t.Name = -1, fmt.Sprintf("task %d", len(b.Tasks))
	b.Tasks = append(b.Tasks, t)
	return int32(len(b.Tasks) - 1)
}

func (b *builder) compute(n router.NodeID, cycles router.Cycle, after ...int32) int32 {
	return b.add(Task{Kind: Compute, Node: n, Cycles: cycles, After: after})
}

func (b *builder) message(from, to router.NodeID, flits int, after ...int32) (send, receive int32) {
	send = b.add(Task{Kind: Send, Node: from, Flits: flits, After: after})
	receive = b.add(Task{Kind: Receive, Node: to, Peer: send})
	b.Tasks[send].Peer = receive
	return send, receive
}

func preset(t testing.TB, name string) machine.Machine {
	m, err := machine.Preset(name)
	require.NoError(t, err)
	return m
}

func network(t testing.TB, spec string) *topology.Topology {
	net, err := topology.Parse(spec)
	require.NoError(t, err)
	return net
}

func run(t testing.TB, g *Graph, spec string, m machine.Machine) *Result {
	r, err := Execute(context.Background(), g, network(t, spec), m)
	require.NoError(t, err)
	return r
}

// The times of small graphs, worked out by hand: a message of F flits that is sent in
// cycle t over d links is whole in cycle t+d+F-1, and the run ends one later.
func TestTimes(t *testing.T) {
	for _, row := range []struct {
		name        string
		make        func(b *builder)
		cycles      router.Cycle
		transferred router.Cycle
	}{
		{"one computation", func(b *builder) { b.compute(0, 7) }, 7, 0},
		{"computations of one node take turns", func(b *builder) { b.compute(0, 7); b.compute(0, 5) }, 12, 0},
		{"computations of two nodes do not", func(b *builder) { b.compute(0, 7); b.compute(1, 5) }, 7, 0},
		{"a message of 4 flits over 2 links", func(b *builder) { b.message(0, 2, 4) }, 6, 6},
		{"a message behind a computation", func(b *builder) { b.message(0, 2, 4, b.compute(0, 10)) }, 16, 16},
		{"a computation behind a message", func(b *builder) {
			_, got := b.message(0, 2, 4)
			b.compute(2, 10, got)
		}, 15, 6},
		{"a relay", func(b *builder) {
			_, got := b.message(0, 1, 4)
			b.message(1, 2, 4, got)
		}, 9, 9},
		{"two messages through one channel", func(b *builder) { b.message(0, 2, 4); b.message(0, 2, 4) }, 10, 10},
		{"computing hides a message", func(b *builder) { b.compute(0, 20); b.message(0, 2, 4) }, 20, 6},
	} {
		t.Run(row.name, func(t *testing.T) {
			var b builder
			row.make(&b)
			r := run(t, &b.Graph, "path:3", preset(t, "wormhole"))
			require.True(t, r.Delivered, r.Failure)
			require.Equal(t, row.cycles, r.Cycles)
			require.Equal(t, row.transferred, r.Transferred)
			require.LessOrEqual(t, b.Floor(network(t, "path:3"), r.Network.Machine), r.Cycles)
		})
	}
}

func TestValidate(t *testing.T) {
	for _, row := range []struct {
		name string
		make func(b *builder)
		want string
	}{
		{"empty", func(*builder) {}, "g: no tasks (expected at least one)"},
		{"no such node", func(b *builder) { b.compute(3, 1) }, "g: task 0: node 3 (expected 0 to 2)"},
		{"negative time", func(b *builder) { b.compute(0, -1) }, "g: task 0: -1 cycles (expected 0 to 1099511627776)"},
		{"no flits", func(b *builder) { b.message(0, 1, 0) }, "g: task 0: 0 flits (expected 1 to 268435456)"},
		{"another node's task", func(b *builder) { b.compute(1, 1, b.compute(0, 1)) }, "g: task 1: waits for task 0 (expected a task of the same node)"},
		{"to itself", func(b *builder) { b.message(1, 1, 1) }, "g: task 0: node 1 sends to itself (expected two nodes)"},
		{"one end", func(b *builder) { b.add(Task{Kind: Send, Flits: 1, Peer: -1}) }, "g: task 0: its message has no other end (expected a send and a reception that name each other)"},
		{"no link", func(b *builder) {
			b.message(0, 2, 1)
			b.Tasks[0].Route = []router.NodeID{0, 2}
		}, "g: task 0: route over 0>2 (expected a link of path:3)"},
		{"wrong end", func(b *builder) {
			b.message(0, 2, 1)
			b.Tasks[0].Route = []router.NodeID{0, 1}
		}, "g: task 0: another route (expected a route from node 0 to node 2)"},
		{"circle over a message", func(b *builder) {
			_, a := b.message(0, 1, 1)
			_, c := b.message(1, 0, 1, a)
			b.Tasks[0].After = []int32{c}
		}, "g: task 0 waits for task 3, which waits for task 2, which waits for task 1, which waits for task 0 (expected an order without circles)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := builder{Graph{File: "g"}}
			row.make(&b)
			require.EqualError(t, b.Validate(network(t, "path:3")), row.want)
		})
	}
}

// Random graphs end, no earlier than their floor, whether flits move one by one or
// messages fly whole.
func TestRandomGraphs(t *testing.T) {
	for seed := range uint64(60) {
		g := rand.New(rand.NewPCG(seed, 5))
		var b builder
		last := make([]int32, 9)
		for n := range last {
			last[n] = b.compute(router.NodeID(n), router.Cycle(g.IntN(20)))
		}
		for range 30 {
			from := g.IntN(9)
			to := (from + 1 + g.IntN(8)) % 9
			send, got := b.message(router.NodeID(from), router.NodeID(to), 1+g.IntN(12), last[from])
			last[from] = send
			last[to] = b.compute(router.NodeID(to), router.Cycle(g.IntN(9)), last[to], got)
		}
		m := preset(t, "wormhole")
		m.Startup = g.IntN(5)
		whole := run(t, &b.Graph, "mesh:3x3", m)
		require.True(t, whole.Delivered, whole.Failure)
		require.LessOrEqual(t, b.Floor(network(t, "mesh:3x3"), whole.Network.Machine), whole.Cycles)
		each, err := Execute(context.Background(), &b.Graph, network(t, "mesh:3x3"), m, func(n *fabric.Network) error {
			n.Attach(everyFlit{}) // no Messenger: flits are not left out
			return nil
		})
		require.NoError(t, err)
		require.Equal(t, whole.Cycles, each.Cycles, "seed %d", seed)
	}
}

// everyFlit is a component that wants to see every cycle.
type everyFlit struct{}

func (everyFlit) Evaluate(fabric.Signals) {}
func (everyFlit) Update(fabric.Signals)   {}

// A message that collides on a machine without buffers leaves tasks undone, and the result names the first.
func TestUnfinished(t *testing.T) {
	var b builder
	b.message(0, 2, 9)
	b.message(1, 2, 9)
	r := run(t, &b.Graph, "path:3", preset(t, "bufferless"))
	require.False(t, r.Delivered)
	require.Positive(t, r.CollisionCount)
	require.EqualError(t, r.Failure, "task 3 was not done")
}

func ExampleExecute() {
	net, _ := topology.Parse("path:3")
	m, _ := machine.Preset("wormhole")
	g := &Graph{Groups: []string{"first"}, Tasks: []Task{
		{Kind: Compute, Node: 0, Cycles: 10, Group: -1},
		{Kind: Send, Node: 0, Flits: 4, Peer: 2, After: []int32{0}},
		{Kind: Receive, Node: 2, Peer: 1},
	}}
	r, err := Execute(context.Background(), g, net, m)
	fmt.Println(r.Cycles, r.Groups[0].From, r.Groups[0].To, r.Delivered, err)
	// Output: 16 10 16 true <nil>
}
