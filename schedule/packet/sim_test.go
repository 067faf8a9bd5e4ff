// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/rational"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// randomTree hangs every node below an earlier one; span 1 makes a path.
func randomTree(t testing.TB, random *rand.Rand, n, span int) *Tree {
	t.Helper()
	parent := make([]int, n)
	parent[0] = -1
	for v := 1; v < n; v++ {
		parent[v] = v - 1 - random.IntN(min(v, span))
	}
	tree, err := NewTree(parent)
	require.NoError(t, err)
	return tree
}

func pathOf(t testing.TB, n int) *Tree {
	return randomTree(t, rand.New(rand.NewPCG(0, 0)), n, 1)
}

func randomBursts(random *rand.Rand, n, count, most int) []Burst {
	bursts := make([]Burst, count)
	for i := range bursts {
		flits := 1 + random.IntN(most)
		bursts[i] = Burst{1 + random.IntN(n-1), flits, 1 + random.IntN(flits)}
	}
	return bursts
}

// twin runs a scatter tick by tick, as the rules have it, and returns the
// arrivals and the most flits that a node held at the start of a tick.
func twin(tree *Tree, packets []Packet, c clock) (arrivals []Ticks, buffer int) {
	type sending struct {
		packet int
		timer  int64
		flits  int64
	}
	arrivals = make([]Ticks, len(packets))
	queue := make([][]int, tree.nodes())
	held := make([]int, tree.nodes())
	active := make([]*sending, tree.nodes())
	for i := range packets {
		queue[tree.root] = append(queue[tree.root], i)
	}
	left := len(packets)
	for tick := int64(0); left > 0; tick++ {
		type crossing struct{ from, packet int }
		var complete []crossing
		for v := range queue {
			if active[v] == nil && len(queue[v]) > 0 {
				active[v] = &sending{queue[v][0], c.setup + c.flit - 1, int64(packets[queue[v][0]].Flits)}
				queue[v] = queue[v][1:]
			}
		}
		for v, s := range active {
			if s == nil {
				continue
			}
			if s.timer > 0 {
				s.timer--
				continue
			}
			s.timer = c.flit - 1
			s.flits--
			if v != int(tree.root) {
				held[v]--
			}
			if next := step(tree, v, packets[s.packet].Node); next != packets[s.packet].Node {
				held[next]++
			}
			if s.flits == 0 {
				complete = append(complete, crossing{v, s.packet})
				active[v] = nil
			}
		}
		for _, x := range complete {
			next := step(tree, x.from, packets[x.packet].Node)
			if next == packets[x.packet].Node {
				arrivals[x.packet] = Ticks(tick + 1)
				left--
			} else {
				queue[next] = append(queue[next], x.packet)
			}
		}
		for _, h := range held {
			buffer = max(buffer, h)
		}
	}
	return arrivals, buffer
}

// step is the child of v on the way to a node.
func step(tree *Tree, v, to int) int {
	for int(tree.parent[to]) != v {
		to = int(tree.parent[to])
	}
	return to
}

func TestScatterIsThatOfEveryTick(t *testing.T) {
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 5))
		n := 2 + random.IntN(8)
		tree := randomTree(t, random, n, 1+random.IntN(4))
		beta := ratio(t, random.Int64N(9), 1+random.Int64N(4))
		bursts := randomBursts(random, n, 1+random.IntN(8), 12)
		plan, err := Evaluate(tree, bursts, beta)
		require.NoError(t, err)
		packets := plan.Packets()
		o, err := Scatter(tree, packets, beta)
		require.NoError(t, err)
		arrivals, buffer := twin(tree, packets, clockOf(beta))
		require.Equal(t, arrivals, o.Arrival, "seed %d", seed)
		require.Equal(t, buffer, o.Buffer, "seed %d", seed)
		require.Equal(t, plan.Ticks, o.Completion, "seed %d", seed)
		largest := 0
		for _, p := range packets {
			largest = max(largest, p.Flits)
		}
		require.LessOrEqual(t, o.Buffer, largest, "Tsai, theorem 6")
	}
}

// TestGatherBackwards: a scatter turned around takes as long, but for rare
// packets that are early and in the way of others.
func TestGatherBackwards(t *testing.T) {
	slower, faster := 0, 0
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 6))
		n := 2 + random.IntN(12)
		tree := randomTree(t, random, n, 1+random.IntN(4))
		beta := ratio(t, random.Int64N(9), 1+random.Int64N(4))
		plan, err := Evaluate(tree, randomBursts(random, n, 1+random.IntN(10), 12), beta)
		require.NoError(t, err)
		gather, err := plan.Gather(tree, beta)
		require.NoError(t, err)
		switch {
		case gather.Ticks > plan.Ticks:
			slower++
			require.LessOrEqual(t, float64(gather.Ticks), 1.05*float64(plan.Ticks), "seed %d", seed)
		case gather.Ticks < plan.Ticks:
			faster++
		}
		lengths := make([]int, n)
		for _, b := range plan.Bursts {
			lengths[b.Node] += b.Flits
		}
		low, err := bound.PacketTree(parents(tree), lengths, router.Cycle(beta.Num()), router.Cycle(beta.Den()))
		require.NoError(t, err)
		require.GreaterOrEqual(t, int64(gather.Ticks), int64(low), "seed %d", seed)
	}
	t.Logf("of 3000 random plans %d are slower as a gather, %d faster", slower, faster)
	require.Less(t, slower, 15)
}

// chip is a node of a network of packet chips: what its registers hold.
type chip struct {
	own       []int // packets not yet in the injection register
	injected  int   // the packet there, -1 for none
	queue     []int // packets in the order in which they are sent; their links do not matter
	fresh     bool  // the injected packet came in this tick and is not in the queue
	candidate int   // the packet that asks, -1 for none
	sending   int   // -1 for none
	timer     int64
	left      int64
	busy      bool  // receiving
	waiting   []int // children that asked, the oldest first
}

// network runs a gather tick by tick, by the packet chip's rules.
type network struct {
	tree     *Tree
	clock    clock
	dispatch []Dispatch
	chips    []*chip
	from     []int // by packet: the child that it came from
	held     []int // by child: flits that came from it
	arrivals []Ticks
	buffer   int
}

func gatherTwin(tree *Tree, dispatch []Dispatch, c clock) (arrivals []Ticks, buffer int) {
	n := &network{tree: tree, clock: c, dispatch: dispatch, chips: make([]*chip, tree.nodes()),
		from: make([]int, len(dispatch)), held: make([]int, tree.nodes()), arrivals: make([]Ticks, len(dispatch))}
	for v := range n.chips {
		n.chips[v] = &chip{injected: -1, sending: -1}
	}
	for i, d := range dispatch {
		n.chips[d.Node].own = append(n.chips[d.Node].own, i)
	}
	for tick := int64(0); slices.Contains(n.arrivals, 0); tick++ {
		n.inject(tick)
		for v := range n.chips {
			n.grant(v)
		}
		n.update(n.fire(), tick)
	}
	return n.arrivals, n.buffer
}

// inject fills empty injection registers and finds who asks.
func (n *network) inject(tick int64) {
	for _, x := range n.chips {
		if x.injected < 0 && len(x.own) > 0 && int64(n.dispatch[x.own[0]].At) <= tick {
			x.injected, x.own, x.fresh = x.own[0], x.own[1:], true
		}
		x.candidate = -1
		if x.sending < 0 && len(x.queue) > 0 {
			x.candidate = x.queue[0]
		} else if x.sending < 0 && x.fresh {
			x.candidate = x.injected
		}
	}
}

// grant lets the oldest of a chip's children begin.
func (n *network) grant(v int) {
	x := n.chips[v]
	for _, child := range n.tree.children[v] {
		if n.chips[child].candidate >= 0 && !slices.Contains(x.waiting, int(child)) {
			x.waiting = append(x.waiting, int(child))
		}
	}
	if x.busy || len(x.waiting) == 0 {
		return
	}
	y := n.chips[x.waiting[0]]
	x.waiting, x.busy = x.waiting[1:], true
	y.sending, y.timer, y.left = y.candidate, n.clock.setup+n.clock.flit-1, int64(n.dispatch[y.candidate].Flits)
	if len(y.queue) > 0 {
		y.queue = y.queue[1:]
	} else {
		y.fresh = false
	}
}

// fire moves flits over links and returns the chips whose packets are through.
func (n *network) fire() (through []int) {
	for v, x := range n.chips {
		if x.sending < 0 {
			continue
		}
		if x.timer > 0 {
			x.timer--
			continue
		}
		x.timer = n.clock.flit - 1
		x.left--
		if n.dispatch[x.sending].Node != v {
			n.held[n.from[x.sending]]--
		}
		if int(n.tree.parent[v]) != int(n.tree.root) {
			n.held[v]++
		}
		if x.left == 0 {
			through = append(through, v)
		}
	}
	return through
}

// update queues what came in this tick: own packets before others.
func (n *network) update(through []int, tick int64) {
	for _, x := range n.chips {
		if x.fresh {
			x.queue, x.fresh = append(x.queue, x.injected), false
		}
	}
	for _, v := range through {
		x, up := n.chips[v], n.chips[n.tree.parent[v]]
		if x.injected == x.sending {
			x.injected = -1
		}
		if int(n.tree.parent[v]) == int(n.tree.root) {
			n.arrivals[x.sending] = Ticks(tick + 1)
		} else {
			n.from[x.sending] = v
			up.queue = append(up.queue, x.sending)
		}
		x.sending, up.busy = -1, false
	}
	n.buffer = max(n.buffer, slices.Max(n.held))
}

func TestGatherIsThatOfEveryTick(t *testing.T) {
	for seed := range uint64(600) {
		random := rand.New(rand.NewPCG(seed, 17))
		n := 2 + random.IntN(8)
		tree := randomTree(t, random, n, 1+random.IntN(6))
		beta := ratio(t, random.Int64N(9), 1+random.Int64N(4))
		dispatch := make([]Dispatch, 1+random.IntN(12))
		latest := 1 + random.Int64N(60)
		for i := range dispatch {
			dispatch[i] = Dispatch{Packet{1 + random.IntN(n-1), 1 + random.IntN(7)}, Ticks(random.Int64N(latest))}
		}
		o, err := Gather(tree, dispatch, beta)
		require.NoError(t, err)
		arrivals, buffer := gatherTwin(tree, dispatch, clockOf(beta))
		require.Equal(t, arrivals, o.Arrival, "seed %d", seed)
		require.Equal(t, buffer, o.Buffer, "seed %d", seed)
	}
}

func TestSimulationInputs(t *testing.T) {
	tree := pathOf(t, 4)
	beta := ratio(t, 1, 1)
	for _, row := range []struct {
		packet Packet
		at     Ticks
		fault  string
	}{
		{Packet{0, 1}, 0, "packet 1: node 0 (expected a node of the tree other than the root)"},
		{Packet{4, 1}, 0, "packet 1: node 4 (expected a node of the tree other than the root)"},
		{Packet{-1, 1}, 0, "packet 1: node -1 (expected a node of the tree other than the root)"},
		{Packet{3, 0}, 0, "packet 1: 0 flits (expected 1 to 268435456)"},
		{Packet{3, 1 << 29}, 0, "packet 1: 536870912 flits (expected 1 to 268435456)"},
		{Packet{3, 1}, -1, "packet 1: dispatched at tick -1 (expected 0 to 2^61)"},
	} {
		_, err := Gather(tree, []Dispatch{{Packet{1, 1}, 0}, {row.packet, row.at}}, beta)
		require.EqualError(t, err, row.fault)
		if row.at == 0 {
			_, err = Scatter(tree, []Packet{{1, 1}, row.packet}, beta)
			require.EqualError(t, err, row.fault)
		}
	}
	_, err := Scatter(tree, slices.Repeat([]Packet{{3, 1 << 28}}, 10), ratio(t, 1, rational.Max))
	require.EqualError(t, err, "10 packets, 2684354560 flits over 3 links would take too many ticks to count (expected fewer flits, or a setup with a smaller denominator)")
	_, err = Evaluate(tree, []Burst{{1, 3, 4}}, beta)
	require.EqualError(t, err, "node 1: 4 packets of 3 flits (expected 1 to as many packets as flits)")
	_, err = Evaluate(tree, []Burst{{9, 3, 3}}, beta)
	require.EqualError(t, err, "packet 0: node 9 (expected a node of the tree other than the root)")
}

func TestTreeInputs(t *testing.T) {
	for _, row := range []struct {
		parent []int
		fault  string
	}{
		{nil, "a tree of 0 nodes (expected 1 to 4194304)"},
		{[]int{-1, 2}, "node 1 has parent 2 (expected a node, or -1 for the root)"},
		{[]int{-1, -2}, "node 1 has parent -2 (expected a node, or -1 for the root)"},
		{[]int{-1, 0, -1}, "nodes 0 and 2 have no parent (expected one root)"},
		{[]int{1, 0}, "every node has a parent (expected parent -1 for the root)"},
		{[]int{-1, 2, 1}, "2 nodes of 3 do not hang from root 0 (expected a tree)"},
	} {
		_, err := NewTree(row.parent)
		require.EqualError(t, err, row.fault)
	}
}

func ExampleScatter() {
	tree, _ := NewTree([]int{-1, 0, 1, 2})
	beta, _ := rational.Parse("1.5")
	o, _ := Scatter(tree, []Packet{{3, 4}, {2, 2}, {1, 1}}, beta)
	fmt.Println(o.Arrival, "half cycles;", o.Time().FloatString(1), "cycles; at most", o.Buffer, "flits wait at a node")
	// Output:
	// [33 29 23] half cycles; 16.5 cycles; at most 4 flits wait at a node
}

func BenchmarkScatter(b *testing.B) {
	tree, lengths := largeCase(b, 1, 1001, 4, 100)
	beta := ratio(b, 5, 2)
	plan, err := FurthestFirst(tree, lengths, beta)
	require.NoError(b, err)
	packets := plan.Packets()
	hops := 0
	for _, p := range packets {
		hops += tree.Depth(p.Node)
	}
	gather, err := plan.Gather(tree, beta)
	require.NoError(b, err)
	b.Run("scatter", func(b *testing.B) {
		for b.Loop() {
			_, _ = Scatter(tree, packets, beta)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(hops), "ns/hop")
	})
	b.Run("gather", func(b *testing.B) {
		for b.Loop() {
			_, _ = Gather(tree, gather.Dispatch, beta)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(hops), "ns/hop")
	})
}
