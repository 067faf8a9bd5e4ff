// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// measured measures a load.
func measured(t *testing.T, n *fabric.Network, l *Load, phases Phases) *Result {
	t.Helper()
	s, err := l.Source(n.Topology, n.Machine.Ticks())
	require.NoError(t, err)
	r, err := Measure(context.Background(), n, s, phases, Keep{Nodes: true, Pairs: true})
	require.NoError(t, err)
	return r
}

// on is the network of a machine, with packets of up to 8 flits.
func on(t *testing.T, spec string, settings ...string) *fabric.Network {
	t.Helper()
	var m machine.Machine
	m.Channels, m.Hop, m.Flit, m.Width, m.Watchdog, m.Buffer = 1, 1, 1, 32, 1000, 4
	for i := 0; i < len(settings); i += 2 {
		if settings[i] == "switching" && settings[i+1] != "wormhole" {
			m.Buffer = 0
		}
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	at := parse(t, spec)
	m, err := m.Resolve(at)
	require.NoError(t, err)
	m, err = m.FitPackets(8)
	require.NoError(t, err)
	n, err := fabric.New(at, m)
	require.NoError(t, err)
	return n
}

// A packet that is alone takes the startup, a hop for each link of its route, and its flits: on every pattern, packet by packet.
func TestZeroLoadLatency(t *testing.T) {
	for _, c := range []struct{ spec, pattern string }{
		{"mesh:8x8", "uniform"}, {"mesh:8x8", "transpose"}, {"mesh:4x4", "bitcomp"}, {"mesh:4x4", "bitrev"}, {"torus:4x4", "shuffle"}, {"torus:5x5", "tornado"}, {"mesh:4x3", "neighbor"}, {"hypercube:4", "hotspot:3,4@0.5"},
	} {
		for _, settings := range [][]string{nil, {"startup", "5", "hop", "2", "flit", "3"}, {"startup", "5", "hop", "2", "flit", "3", "header", "flit"}, {"switching", "store-forward", "ports", "single", "setup", "3/2"}, {"switching", "store-forward", "ports", "single", "setup", "3/2", "header", "flit"}} {
			n := on(t, c.spec, settings...)
			p, err := ParsePattern(c.pattern, n.Topology)
			require.NoError(t, err)
			trace, sum := alone(n, p)
			s := trace.Source(n.Machine.Ticks())
			r, err := Measure(context.Background(), n, s, Phases{}, Keep{Pairs: true})
			require.NoError(t, err)
			require.Zero(t, r.Missing)
			ticks := float64(n.Machine.Ticks())
			require.InDelta(t, sum, r.Packet.Mean()/ticks*float64(r.Packet.Count()), 1e-6, "%v %v", c, settings)
			require.InDelta(t, r.Packet.Mean()-float64(n.Machine.StartupTicks()), r.Network.Mean(), 1e-6)
			for pair, flow := range r.Pairs {
				require.InDelta(t, closed(n, pair)*float64(flow.Packets), float64(flow.Latency)/ticks, 1e-6, "%v %v %v", c, settings, pair)
			}
		}
	}
}

// closed is the latency of a packet of 8 flits that is alone, in cycles.
func closed(n *fabric.Network, pair Pair) float64 {
	m, d := n.Machine, float64(n.Distance(pair.Source, pair.Destination))
	if m.Switching == machine.StoreForward {
		return float64(m.Startup) + d*(1.5+float64(m.WithHeader(8)*m.Flit))
	}
	return float64(m.Startup) + d*float64(m.Hop) + float64(m.WithHeader(8)*m.Flit)
}

// alone is a trace of a packet of each source, one long after the other, with the sum of their latencies.
func alone(n *fabric.Network, p Pattern) (*Trace, float64) {
	sources := p.Sources()
	if sources == nil {
		for node := range router.NodeID(n.Topology.Nodes()) {
			sources = append(sources, node)
		}
	}
	trace, sum, rng := &Trace{nodes: n.Topology.Nodes(), sources: sources}, 0.0, rand.New(rand.NewPCG(1, 1))
	for i, from := range sources {
		to := p.Destination(from, rng)
		sum += closed(n, Pair{from, to})
		trace.packets = append(trace.packets, packet{source: from, destination: to, flits: 8, generated: router.Cycle(1000 * i)})
	}
	return trace, sum
}

// At a low rate the network accepts what is offered, and the latency is near that of packets that are alone.
func TestLowLoad(t *testing.T) {
	for _, pattern := range []string{"uniform", "transpose", "bitcomp", "tornado", "hotspot:9@0.05"} {
		n := network(t, "mesh:8x8", 1)
		r := measured(t, n, load(t, pattern, "mesh:8x8", 0.01), Phases{WarmUp: 1000, Measure: 50_000, Drain: 10_000})
		require.Empty(t, r.Unstable)
		require.InDelta(t, 0.01, r.Offered, 0.0007, pattern)
		require.InDelta(t, r.Offered, r.Accepted, 0.0001, pattern)
		sum := 0.0
		for pair, flow := range r.Pairs {
			sum += closed(n, pair) * float64(flow.Packets)
		}
		expected := sum / float64(r.Packet.Count())
		require.GreaterOrEqual(t, r.Packet.Mean(), expected, pattern)
		require.Less(t, r.Packet.Mean(), 1.06*expected, pattern)
		require.InDelta(t, 7, r.Network.Mean()-r.Head.Mean(), 0.2, pattern) // the flits behind the head
	}
}

// No load makes half of the flits of a k x k mesh cross its k links in the middle faster than one in a cycle.
func TestUniformStaysBelowTheBisection(t *testing.T) {
	for k, least := range map[int]float64{4: 0.4, 8: 0.25} {
		spec := fmt.Sprintf("mesh:%dx%d", k, k)
		r := measured(t, network(t, spec, 1), load(t, "uniform", spec, 1), Phases{WarmUp: 1000, Measure: 5000, Drain: 1000})
		bound := 4 / float64(k) * (1 - 1/float64(k*k)) // a node does not send to itself
		require.NotEmpty(t, r.Unstable)
		require.Less(t, r.Accepted, bound)
		require.Greater(t, r.Accepted, least)
	}
}

// Transposed, 7 nodes of a row or a column of mesh:8x8 send over one link: more than 1/7 flit per cycle each is too much. Those that starve are a small part of all nodes. A link that a stable load keeps busy all the time
// leaves no source behind.
func TestAnOverloadedLinkIsNotStable(t *testing.T) {
	for _, row := range []struct {
		pattern string
		rate    float64
		stable  bool
	}{
		{"transpose", 0.13, true}, {"transpose", 0.146, false}, {"transpose", 0.148, false}, {"neighbor", 1, true},
	} {
		l := load(t, row.pattern, "mesh:8x8", row.rate)
		l.Requests = sizes(t, "1")
		r := measured(t, on(t, "mesh:8x8", "nic.channels", "links"), l, Phases{WarmUp: AutoWarmUp, Measure: 10000, Drain: 4000})
		require.Equal(t, row.stable, r.Unstable == "", "%s at %g: %s", row.pattern, row.rate, r.Unstable)
		if !row.stable {
			require.Equal(t, PiledUp, r.Cause)
			require.Contains(t, r.Unstable, "have piled up, in both halves of the measurement")
		}
	}
}

// A mean latency that rises by more than half is that of an overload; one that falls is that of a queue that drains.
func TestOnlyARisingLatencyIsNotStable(t *testing.T) {
	for _, row := range []struct {
		first, second float64 // mean latencies of the halves, in cycles
		packets       uint64  // of each half
		want          string
	}{
		{10, 10, 100, ""},
		{10, 15, 100, ""},
		{10, 15.1, 100, "the mean latency rose from 10.0 cycles in the first half of the measurement to 15.1 in the second"},
		{10, 15.1, 99, ""},
		{10, 5, 100, ""},
		{10, 1, 100, ""},
	} {
		m := meter{ticks: 2}
		for i, mean := range []float64{row.first, row.second} {
			m.halves[i] = half{row.packets, 2 * mean * float64(row.packets)}
		}
		cause, text := m.rising()
		require.Equal(t, row.want, text, "%v", row)
		require.Equal(t, row.want != "", cause == Rising, "%v", row)
	}
	m := meter{ticks: 1, missing: 2, halves: [2]half{{100, 1000}, {100, 1000}}}
	cause, text := m.rising()
	require.Equal(t, NotDelivered, cause)
	require.Equal(t, "2 measured packets were not delivered in the drain", text)
}

// A hub takes a flit in each cycle. With this seed its queues are long at the begin of the measurement and drain, and the mean latency falls to less than half.
func TestAQueueThatDrainsIsStable(t *testing.T) {
	l := load(t, "hotspot:0", "hub:9", 0.12)
	l.Requests = sizes(t, "1")
	r := measured(t, on(t, "hub:9", "nic.channels", "1", "buffer", "16"), l, Phases{WarmUp: AutoWarmUp, Measure: 10_000, Drain: 100_000})
	require.Empty(t, r.Unstable)
	require.Greater(t, r.Packet.Mean(), 11.)
}

// Two nodes share a link, and all others send in pairs. The two are overloaded where the link carries less than both send, also if it is never busy all the time, and those that answer them where it is the replies that
// share one. Nodes in the middle of a burst at the end of the measurement are not.
func TestFewOverloadedNodesAreNotStable(t *testing.T) {
	text := "source,destination\n0,7\n1,6\n"
	for a := 8; a < 64; a += 2 {
		text += fmt.Sprintf("%d,%d\n%d,%d\n", a, a+1, a+1, a)
	}
	file := filepath.Join(t.TempDir(), "pairs.csv")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	for _, row := range []struct {
		name, claim, flits, replies string
		rate                        float64
		injection                   Injection
		measure                     int
		stable                      bool
	}{
		{"claims take a ninth of the time", "1", "8", "", 0.6, Injection{}, 10000, false},
		{"claims, less than the link carries", "1", "8", "", 0.4, Injection{}, 10000, true},
		{"replies", "0", "1", "8", 0.65, Injection{}, 10000, false},
		{"replies, less than the link carries", "0", "1", "8", 0.45, Injection{}, 10000, true},
		{"bursts", "0", "8", "", 0.45, Injection{Burst: 200, OnRate: 1}, 2000, true},
	} {
		for seed := range uint64(3) {
			l := load(t, "permutation:"+file, "mesh:8x8", row.rate)
			l.Requests, l.Injection, l.Seed = sizes(t, row.flits), row.injection, seed
			if row.replies != "" {
				l.Replies = sizes(t, row.replies)
			}
			r := measured(t, on(t, "mesh:8x8", "claim", row.claim), l, Phases{WarmUp: AutoWarmUp, Measure: row.measure, Drain: 100000})
			require.Equal(t, row.stable, r.Unstable == "", "%s, seed %d: %s", row.name, seed, r.Unstable)
		}
	}
}

// All figures are those that follow from the log of the network and a list of all packets.
func TestFiguresAreThoseOfTheLog(t *testing.T) {
	for seed := range uint64(6) {
		n, l := network(t, "mesh:4x4", 1), load(t, "uniform", "mesh:4x4", []float64{0.05, 0.3, 0.6}[seed%3])
		l.Seed, l.Requests = seed, sizes(t, "1,5@2,9")
		if seed >= 3 {
			l.Injection = Injection{Burst: 30, OnRate: 0.9}
		}
		n.KeepLog()
		phases := Phases{WarmUp: 500, Measure: 3000, Drain: 50_000}
		crossed := &crossings{from: 500, until: 3500, flits: map[string]int{}}
		n.Attach(crossed)
		r := measured(t, n, l, phases)
		crossed.require(t, n.Topology, r.Links)
		twin := newTwin(t, n, l, r, phases)
		require.Equal(t, twin.packets, int(r.Packets))
		require.InDelta(t, twin.offered, r.Offered, 1e-12)
		require.InDelta(t, twin.accepted, r.Accepted, 60./3000/16) // worms that are half out at the ends
		if r.Unstable != "" {
			continue // the run has ended earlier
		}
		for _, c := range []struct {
			name  string
			want  []float64
			found *Histogram
		}{{"packet", twin.packet, &r.Packet}, {"network", twin.network, &r.Network}} {
			require.Equal(t, uint64(len(c.want)), c.found.Count(), c.name)
			require.InDelta(t, mean(c.want), c.found.Mean(), 1e-9, c.name)
			slices.Sort(c.want)
			for _, share := range []float64{0.5, 0.95, 0.99, 1} {
				require.Equal(t, c.want[int(math.Ceil(share*float64(len(c.want))))-1], float64(c.found.Quantile(share)), "%s %g", c.name, share)
			}
			require.Equal(t, c.want[len(c.want)-1], float64(c.found.Max()))
		}
		for node, flow := range r.Nodes {
			require.Equal(t, twin.nodes[node], flow, node)
		}
	}
}

// crossings counts the flits that cross each link in some cycles.
type crossings struct {
	from, until router.Cycle
	flits       map[string]int
}

func (c *crossings) Evaluate(fabric.Signals) {}

func (c *crossings) Update(s fabric.Signals) {
	if s.Now() < c.from || s.Now() >= c.until {
		return
	}
	topo := s.Network().Topology
	for o := range s.Offers() {
		if o.Fired && int(o.Port) < topo.Ports(o.Node) {
			c.flits[fmt.Sprintf("%d>%d", o.Node, topo.Neighbor(o.Node, o.Port))]++
		}
	}
}

// require compares the counts with the loads of links, each flit of which takes a cycle.
func (c *crossings) require(t *testing.T, topo *topology.Topology, l LinkLoads) {
	sum, most := 0, 0
	for _, flits := range c.flits {
		sum, most = sum+flits, max(most, flits)
	}
	cycles := float64(c.until - c.from)
	require.InDelta(t, float64(most)/cycles, l.Most, 1e-12)
	require.InDelta(t, float64(sum)/cycles/float64(len(topo.Links())), l.Mean, 1e-12)
	require.Equal(t, most, c.flits[fmt.Sprintf("%d>%d", l.Hottest.From, l.Hottest.To)])
}

// Packets that are switched keep links busy for their set-ups, too, and slow flits for several cycles.
func TestLinksAreBusyForSetupsAndSlowFlits(t *testing.T) {
	for _, row := range []struct {
		preset string
		keys   [][2]string
		cycles int // of a packet of 3 flits on a link
	}{
		{"wormhole", [][2]string{{"flit", "2"}, {"hop", "3"}}, 6},
		{"store-forward", [][2]string{{"setup", "4"}, {"packet", "3"}}, 7},
	} {
		topo, err := topology.Parse("path:3")
		require.NoError(t, err)
		m, err := machine.Preset(row.preset)
		require.NoError(t, err)
		for _, k := range row.keys {
			require.NoError(t, m.Set(k[0], k[1]))
		}
		n, err := fabric.New(topo, m)
		require.NoError(t, err)
		trace := &Trace{nodes: 3, sources: []router.NodeID{0, 1}, packets: []packet{
			{source: 0, destination: 2, flits: 3}, {source: 1, destination: 2, flits: 3, generated: router.Cycle(1000 * n.Machine.Ticks())},
		}}
		r, err := Measure(t.Context(), n, trace.Source(n.Machine.Ticks()), Phases{}, Keep{})
		require.NoError(t, err)
		time := float64(r.Measure) / float64(n.Machine.Ticks())
		require.Equal(t, "1>2", fmt.Sprintf("%d>%d", r.Links.Hottest.From, r.Links.Hottest.To))
		require.InDelta(t, float64(2*row.cycles)/time, r.Links.Most, 1e-9, row.preset)
		require.InDelta(t, float64(3*row.cycles)/time/4, r.Links.Mean, 1e-9)
	}
}

// A trace may have packets that are as far apart as the clock allows: the time between them takes few steps.
func TestTraceWithLongGaps(t *testing.T) {
	const gap = 1 << 50
	n := network(t, "mesh:4x4", 1)
	trace := &Trace{nodes: 16, sources: []router.NodeID{0, 5}, packets: []packet{
		{source: 0, destination: 3, flits: 8}, {source: 5, destination: 6, flits: 8, generated: gap}, {source: 0, destination: 1, flits: 8, generated: gap + 5},
	}}
	r, err := Measure(t.Context(), n, trace.Source(1), Phases{}, Keep{})
	require.NoError(t, err)
	require.Equal(t, []any{uint64(3), uint64(0), ""}, []any{r.Packets, r.Missing, r.Unstable})
	require.Equal(t, router.Cycle(gap+5+1+8), r.Measure)
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(len(values))
}

// twin is the figures from lists.
type twin struct {
	packets           int
	offered, accepted float64
	packet, network   []float64
	nodes             []Flow
}

// newTwin generates the packets again: those of a source are sent in the order of their generation.
func newTwin(t *testing.T, n *fabric.Network, l *Load, r *Result, phases Phases) twin {
	again, err := l.Source(n.Topology, 1)
	require.NoError(t, err)
	from, until := router.Cycle(phases.WarmUp), router.Cycle(phases.WarmUp+phases.Measure)
	queues := make([][]packet, n.Topology.Nodes())
	w := twin{nodes: make([]Flow, n.Topology.Nodes())}
	flits := 0
	for p := again.ahead; p.generated < n.Now(); p, _ = again.gen.next() {
		queues[p.source] = append(queues[p.source], p)
		if p.generated >= from && p.generated < until {
			w.packets++
			flits += int(p.flits)
			w.nodes[p.source].Generated += uint64(p.flits)
		}
	}
	taken := 0
	for _, sent := range n.Log() {
		p := queues[sent.Source][0]
		queues[sent.Source] = queues[sent.Source][1:]
		require.Equal(t, p.destination, sent.Destination)
		require.Equal(t, int(p.flits), sent.Length)
		require.GreaterOrEqual(t, sent.Cycle, p.generated)
		if sent.Arrival == 0 {
			continue
		}
		flow := &w.nodes[p.source]
		if sent.Arrival > from && sent.Arrival <= until {
			taken += int(p.flits)
			flow.Delivered += uint64(p.flits)
		}
		if p.generated >= from && p.generated < until {
			w.packet = append(w.packet, float64(sent.Arrival-p.generated))
			w.network = append(w.network, float64(sent.Arrival-sent.Dispatch))
			flow.Packets++
			flow.Latency += sent.Arrival - p.generated
		}
	}
	per := float64(phases.Measure * n.Topology.Nodes())
	w.offered, w.accepted = float64(flits)/per, float64(taken)/per
	return w
}

// A PE answers in the cycle in which it takes the tail of a request. On a machine that switches packets the latency of the request ends in this
// cycle; a worm's ends in the next one.
func TestRoundTripIsRequestAndReply(t *testing.T) {
	file := filepath.Join(t.TempDir(), "one.csv")
	require.NoError(t, os.WriteFile(file, []byte("source,destination\n0,1\n"), 0o600))
	for _, row := range []struct {
		switching, hop, flit string
		shared               router.Cycle
	}{{"wormhole", "1", "1", 1}, {"wormhole", "3", "1", 1}, {"wormhole", "1", "3", 1}, {"store-forward", "1", "1", 0}, {"cut-through", "1", "2", 0}} {
		n, l := on(t, "path:2", "nic.channels", "links", "switching", row.switching, "hop", row.hop, "flit", row.flit), load(t, "permutation:"+file, "path:2", 0.01)
		l.Requests, l.Replies = sizes(t, "1"), sizes(t, "5")
		r := measured(t, n, l, Phases{Measure: 20_000, Drain: 1000})
		require.Greater(t, r.RoundTrip.Count(), uint64(10))
		require.Equal(t, r.Request.Quantile(0.5)+r.Reply.Quantile(0.5)-row.shared, r.RoundTrip.Quantile(0.5), row)
	}
}

// A reply goes back after its request, and both count as load.
func TestReplies(t *testing.T) {
	n, l := network(t, "mesh:4x4", 1), load(t, "uniform", "mesh:4x4", 0.05)
	l.Requests, l.Replies = sizes(t, "1"), sizes(t, "9")
	r := measured(t, n, l, Phases{WarmUp: 1000, Measure: 40_000, Drain: 10_000})
	require.InDelta(t, 0.05, r.Offered, 0.004)
	require.InDelta(t, r.Offered, r.Accepted, 0.001)
	require.InDelta(t, float64(r.Request.Count()), float64(r.Reply.Count()), 5)
	require.Equal(t, r.Packet.Count(), r.Request.Count()+r.Reply.Count())
	require.Equal(t, r.Reply.Count(), r.RoundTrip.Count())
	require.InDelta(t, r.Request.Mean()+r.Reply.Mean()-1, r.RoundTrip.Mean(), 0.2) // a PE answers in the cycle in which it takes the request
	// All send their requests to one node, whose replies queue up without stopping it from taking requests.
	l = load(t, "hotspot:5", "mesh:4x4", 0.9)
	l.Replies = sizes(t, "8")
	r = measured(t, network(t, "mesh:4x4", 1), l, Phases{WarmUp: 1000, Measure: 5000, Drain: 1000})
	require.NoError(t, r.Deadlock)
	require.NotEmpty(t, r.Unstable)
}

func TestDeadlock(t *testing.T) {
	r := measured(t, network(t, "torus:8x8", 1), load(t, "uniform", "torus:8x8", 0.5), Phases{WarmUp: AutoWarmUp, Measure: 1000, Drain: 1000})
	var locked *router.Deadlock
	require.ErrorAs(t, r.Deadlock, &locked)
	require.Equal(t, "the network is in a deadlock", r.Unstable)
}

// Packets that faults lose neither pile up nor are waited for. A load that is too much stays so.
func TestLostPacketsAreNoCongestion(t *testing.T) {
	for _, row := range []struct {
		name, faults string
		rate         float64
		reply        string
		stable       bool
	}{
		{"a broken link", "link,5-6", 0.1, "", true},
		{"a broken link, replies", "link,5-6", 0.1, "4", true},
		{"a dead node", "node,5", 0.1, "", true},
		{"drops", "drop:0.01", 0.1, "", true},
		{"too much", "drop:0.01", 0.9, "", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			n, l := faulty(t, "mesh:4x4", row.faults), load(t, "uniform", "mesh:4x4", row.rate)
			if row.reply != "" {
				l.Replies = sizes(t, row.reply)
			}
			r := measured(t, n, l, Phases{WarmUp: 1000, Measure: 5000, Drain: 100_000})
			require.Equal(t, row.stable, r.Unstable == "", r.Unstable)
			require.Positive(t, r.Lost)
			if row.stable {
				require.Positive(t, r.Vanished)
				require.Equal(t, r.Missing, r.Vanished)
				require.LessOrEqual(t, r.Vanished, uint64(r.Lost))
				require.LessOrEqual(t, r.Drain, router.Cycle(2*batch))
			}
		})
	}
}

// A trace ends although some of its packets are lost.
func TestTraceWithLosses(t *testing.T) {
	n := faulty(t, "mesh:4x4", "link,0-1")
	trace := &Trace{nodes: 16, sources: []router.NodeID{0, 5}, packets: []packet{
		{source: 0, destination: 3, flits: 8}, {source: 5, destination: 6, flits: 8, generated: 40},
	}}
	r, err := Measure(context.Background(), n, trace.Source(1), Phases{}, Keep{})
	require.NoError(t, err)
	require.Equal(t, []any{uint64(2), uint64(1), uint64(1), 1, ""}, []any{r.Packets, r.Missing, r.Vanished, r.Lost, r.Unstable})
}

// The warm-up ends when the load is steady, and an interrupt ends everything.
func TestPhases(t *testing.T) {
	r := measured(t, network(t, "mesh:8x8", 1), load(t, "uniform", "mesh:8x8", 0.2), Phases{WarmUp: AutoWarmUp, Measure: 2000, Drain: 1000})
	require.GreaterOrEqual(t, r.WarmUp, router.Cycle(2*batch))
	require.Less(t, r.WarmUp, router.Cycle(mostBatches*batch))
	require.Equal(t, router.Cycle(2000), r.Measure)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	n, l := network(t, "mesh:8x8", 1), load(t, "uniform", "mesh:8x8", 0.2)
	s, err := l.Source(n.Topology, 1)
	require.NoError(t, err)
	r, err = Measure(ctx, n, s, Phases{Measure: 1_000_000_000}, Keep{})
	require.ErrorIs(t, err, context.Canceled)
	require.NotNil(t, r, "what was measured until then")
}

// What cannot be measured is refused, with what was expected.
func TestMeasurementsThatMakeNoSense(t *testing.T) {
	trace := &Trace{nodes: 4, sources: []router.NodeID{0}, packets: []packet{{source: 0, destination: 1, flits: 8}}}
	random, err := load(t, "uniform", "mesh:2x2", 0.1).Source(parse(t, "mesh:2x2"), 1)
	require.NoError(t, err)
	for _, row := range []struct {
		source *Source
		phases Phases
		on     string
		want   string
	}{
		{random, Phases{}, "mesh:2x2", "a measurement of 0 cycles (expected at least 1; only a trace has all its packets measured)"},
		{random, Phases{Measure: -10}, "mesh:2x2", "a measurement of -10 cycles (expected 1 to 1000000000000, or 0 of a trace)"},
		{trace.Source(1), Phases{Measure: -10}, "mesh:2x2", "a measurement of -10 cycles (expected 1 to 1000000000000, or 0 of a trace)"},
		{random, Phases{WarmUp: -2, Measure: 1}, "mesh:2x2", "a warm-up of -2 cycles (expected 0 to 1000000000000, or AutoWarmUp)"},
		{random, Phases{Measure: 1, Drain: -1}, "mesh:2x2", "a drain of -1 cycles (expected 0 to 1000000000000)"},
		{random, Phases{Measure: 1}, "mesh:3x3", "a source of packets for 4 nodes on mesh:3x3 with 9 nodes (expected one that Load.Source or Trace.Source has made for this network)"},
		{nil, Phases{Measure: 1}, "mesh:2x2", "no source of packets (expected one that Load.Source or Trace.Source has made for this network)"},
		{&Source{}, Phases{Measure: 1}, "mesh:2x2", "no source of packets (expected one that Load.Source or Trace.Source has made for this network)"},
	} {
		r, err := Measure(t.Context(), network(t, row.on, 1), row.source, row.phases, Keep{})
		require.EqualError(t, err, row.want)
		require.ErrorAs(t, err, new(*input.Error))
		require.Nil(t, r)
	}
	_, err = Measure(t.Context(), network(t, "mesh:2x2", 1), trace.Source(1), Phases{}, Keep{})
	require.NoError(t, err)
}

// A load that has no packets on a network is refused.
func TestLoadsThatMakeNoSense(t *testing.T) {
	at := parse(t, "mesh:2x2")
	for want, change := range map[string]func(*Load){
		"a rate of 0 flits per source and cycle (expected more than 0, at most 1)":           func(l *Load) { l.Rate = 0 },
		"a load without a pattern (expected a pattern, see traffic.ParsePattern)":            func(l *Load) { l.Pattern = nil },
		"a load without requests (expected sizes of packets, see traffic.ParseSizes)":        func(l *Load) { l.Requests = Sizes{} },
		"packets with headers of -1 flits (expected at least 0)":                             func(l *Load) { l.Headers = -1 },
		"a pattern of 9 nodes on mesh:2x2 with 4 nodes (expected a pattern of this network)": func(l *Load) { l.Pattern = uniform(9) },
		"source 4 is not a node of mesh:2x2 (expected 0 to 3)":                               func(l *Load) { l.Pattern = from{4} },
		"a pattern without a source (expected a pattern in which at least one node sends)":   func(l *Load) { l.Pattern = from{} },
		"bursts of 0.5 cycles (expected at least 1)":                                         func(l *Load) { l.Injection.Burst = 0.5 },
	} {
		l := load(t, "uniform", "mesh:2x2", 0.1)
		change(l)
		_, err := l.Source(at, 1)
		require.EqualError(t, err, want)
	}
	l := load(t, "uniform", "mesh:2x2", 0.1)
	_, err := l.Source(nil, 1)
	require.EqualError(t, err, "no topology (expected one that topology.Parse has made)")
	_, err = l.Source(at, 0)
	require.EqualError(t, err, "a cycle of 0 ticks (expected at least 1)")
	_, err = ParsePattern("uniform", nil)
	require.EqualError(t, err, "no topology (expected one that topology.Parse has made)")
}

// from is a pattern of the user: these nodes send to node 0.
type from []router.NodeID

func (f from) Sources() []router.NodeID                          { return f }
func (from) Destination(router.NodeID, *rand.Rand) router.NodeID { return 0 }

// Jain's index by hand, and quantiles by a sorted list.
func TestFairnessAndQuantiles(t *testing.T) {
	m := &meter{r: &Result{}, source: &Source{nodes: []router.NodeID{0, 2, 3}}, delivered: []uint64{6, 99, 3, 0}}
	f := m.fairness()
	require.Equal(t, Fairness{0, 6, 81. / (3 * 45)}, f)
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		var h Histogram
		var list []router.Cycle
		for range 1 + rng.IntN(60) {
			x := router.Cycle(rng.IntN([]int{5, 1000, 4 * flat}[rng.IntN(3)]))
			h.add(x)
			list = append(list, x)
		}
		slices.Sort(list)
		for _, share := range []float64{0.01, 0.5, 0.95, 0.99, 1} {
			require.Equal(t, list[int(math.Ceil(share*float64(len(list))))-1], h.Quantile(share))
		}
		require.Equal(t, list[len(list)-1], h.Max())
		var all []router.Cycle
		for x, count := range h.All() {
			all = append(all, slices.Repeat([]router.Cycle{x}, int(count))...)
		}
		require.Equal(t, list, all)
	}
}

// All messages of the bit complement on a mesh of 8x8 are in one lane. Half of the nodes send over the eight links that lead to the other half: with a free choice of
// channels these take nearly a flit in every cycle, 0.25 flits for each of the 32 nodes.
func TestFreeChoiceFillsTheMiddle(t *testing.T) {
	for _, row := range []struct {
		vcs, choice string
		least, most float64
	}{{"1", "free", 0.1, 0.15}, {"4", "lane", 0.1, 0.15}, {"4", "free", 0.24, 0.2501}} {
		n := on(t, "mesh:8x8", "vcs", row.vcs, "vc.choice", row.choice)
		p, err := ParsePattern("bitcomp", n.Topology)
		require.NoError(t, err)
		r := measured(t, n, &Load{Pattern: p, Rate: 0.8, Requests: sizes(t, "4"), Seed: 1}, Phases{WarmUp: 1000, Measure: 3000})
		require.Greater(t, r.Accepted, row.least, "%v", row)
		require.Less(t, r.Accepted, row.most, "%v", row)
	}
}
