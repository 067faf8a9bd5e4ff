// SPDX-License-Identifier: Apache-2.0

package router_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// packetTwin is chips that switch packets as their registers say it: every
// chip looked at in every cycle, every flit kept by itself, the age of requests
// as a matrix. It rides on a network, is given the flits that enter its
// injection registers, and compares all that can be seen.
type packetTwin struct {
	t       *testing.T
	n       *fabric.Network
	through bool
	setup   int
	chips   []twinChip
	ejected []router.Delivery
	losing  lossTwin
	blocked int // requests that were not granted
	crowd   int // most requests at a chip
}

type twinChip struct {
	fifo      [][]router.Flit
	injection *router.Flit
	ejection  *router.Flit
	from      int // port the flit in ejection came by
	order     []int
	sending   bool
	input     int
	output    int
	timer     int
	receiving bool
	port      int
	waiting   []bool
	older     [][]bool

	// of the present tick
	fresh     bool // a head was placed
	candidate int  // input, -1: none
	request   int  // output
	started   bool
	fires     bool
}

func newPacketTwin(t *testing.T, n *fabric.Network) *packetTwin {
	w := &packetTwin{t: t, n: n, through: n.Machine.Switching == machine.CutThrough, setup: n.Machine.SetupTicks()}
	w.chips = make([]twinChip, n.Topology.Nodes())
	for v := range w.chips {
		ports := n.Topology.Ports(router.NodeID(v))
		c := &w.chips[v]
		c.fifo, c.waiting, c.older = make([][]router.Flit, ports), make([]bool, ports), make([][]bool, ports)
		for p := range ports {
			c.older[p] = make([]bool, ports)
		}
	}
	return w
}

func (w *packetTwin) Evaluate(s fabric.Signals) { w.ejected = slices.Clone(s.Flits()) }

func (w *packetTwin) Update(s fabric.Signals) {
	for v := range w.chips {
		w.chips[v].fresh, w.chips[v].started, w.chips[v].fires, w.chips[v].candidate = false, false, false, -1
	}
	for _, p := range s.Placed() {
		c := &w.chips[p.Node]
		require.Nil(w.t, c.injection)
		f := p.Flit
		c.injection, c.fresh = &f, f.Flags&router.Head != 0
	}
	for v := range w.chips {
		w.request(v)
	}
	granted := make([]int, len(w.chips)) // port, -1: none
	for v := range w.chips {
		granted[v] = w.grant(v)
	}
	for v := range w.chips {
		w.send(v)
	}
	w.compare(s)
	w.update(granted)
}

func (w *packetTwin) front(v, input int) *router.Flit {
	c := &w.chips[v]
	if input == len(c.fifo) {
		return c.injection
	}
	require.NotEmpty(w.t, c.fifo[input])
	return &c.fifo[input][0]
}

func (w *packetTwin) request(v int) {
	c := &w.chips[v]
	switch {
	case c.sending:
		return
	case len(c.order) > 0:
		c.candidate = c.order[0]
	case c.fresh:
		c.candidate = len(c.fifo)
	default:
		return
	}
	f := w.front(v, c.candidate)
	c.request = int(w.n.Next(router.NodeID(v), w.worm(f).Destination))
	require.GreaterOrEqual(w.t, c.request, 0)
}

func (w *packetTwin) worm(f *router.Flit) *router.Worm { return w.n.Bank().Worm(f.Worm) }

// neighbor returns the chip at the other end of a link, and the port there.
func (w *packetTwin) neighbor(v, p int) (int, int) {
	t := w.n.Topology
	return int(t.Neighbor(router.NodeID(v), router.Port(p))), int(t.BackPort(router.NodeID(v), router.Port(p)))
}

// requested reports whether the chip at the other end of v's port p requests the link to v.
func (w *packetTwin) requested(v, p int) bool {
	if w.n.Topology.Neighbor(router.NodeID(v), router.Port(p)) == router.None {
		return false
	}
	u, out := w.neighbor(v, p)
	return w.chips[u].candidate >= 0 && w.chips[u].request == out
}

func (w *packetTwin) grant(v int) int {
	c := &w.chips[v]
	best, crowd := -1, 0
	for p := range c.fifo {
		if !w.requested(v, p) {
			continue
		}
		crowd++
		if c.receiving || w.n.Machine.Buffer-len(c.fifo[p]) < w.n.Machine.Packet {
			continue
		}
		switch {
		case best < 0, c.waiting[p] && !c.waiting[best], c.waiting[p] && c.waiting[best] && c.older[p][best]:
			best = p
		}
	}
	w.crowd = max(w.crowd, crowd)
	if best >= 0 {
		u, out := w.neighbor(v, best)
		s := &w.chips[u]
		s.started, s.sending, s.input, s.output = true, true, s.candidate, out
		s.timer = w.setup + w.n.Machine.FlitTicks() - 1
	}
	return best
}

func (w *packetTwin) send(v int) {
	c := &w.chips[v]
	switch {
	case !c.sending:
	case c.timer == 0:
		c.fires = true
		c.timer = w.n.Machine.FlitTicks() - 1
	default:
		c.timer--
	}
}

func (w *packetTwin) compare(s fabric.Signals) {
	var offers []router.Offer
	var ejected []router.Delivery
	for v := range w.chips {
		c := &w.chips[v]
		node := router.NodeID(v)
		if c.ejection != nil {
			ejected = append(ejected, router.Delivery{Node: node, Flit: *c.ejection})
			offers = append(offers, router.Offer{Node: node, Port: router.Port(len(c.fifo)), Input: int32(c.from), Flit: *c.ejection, Fired: true})
		}
		switch {
		case c.fires:
			offers = append(offers, router.Offer{Node: node, Port: router.Port(c.output), Input: int32(c.input), Flit: *w.front(v, c.input), Fired: true})
		case c.candidate >= 0 && !c.started:
			w.blocked++
			offers = append(offers, router.Offer{Node: node, Port: router.Port(c.request), Input: int32(c.candidate), Flit: *w.front(v, c.candidate)})
		}
		for p := range c.fifo {
			if occupied := s.Network().Bank().Occupancy(node, router.Port(p), 0); occupied != len(c.fifo[p]) {
				require.Equal(w.t, len(c.fifo[p]), occupied, "node %d port %d", v, p)
			}
		}
		if ready := c.injection == nil || placedNow(s, node); ready != wasReady(s, node) {
			require.Equal(w.t, ready, !ready, "node %d is ready", v)
		}
	}
	seen := slices.SortedFunc(s.Offers(), func(a, b router.Offer) int {
		if a.Node != b.Node {
			return int(a.Node - b.Node)
		}
		return int(b.Port - a.Port)
	})
	slices.SortFunc(offers, func(a, b router.Offer) int {
		if a.Node != b.Node {
			return int(a.Node - b.Node)
		}
		return int(b.Port - a.Port)
	})
	requireEqual(w.t, offers, seen, s.Now())
	requireEqual(w.t, ejected, nilIfEmpty(w.ejected), s.Now())
}

// requireEqual compares two lists; it calls require only to tell a difference, because the calls
// of all cycles would take most of the time.
func requireEqual[T any](t *testing.T, want, got []T, now router.Cycle) {
	if !reflect.DeepEqual(want, got) {
		t.Helper()
		require.Equal(t, want, got, "cycle %d", now)
	}
}

func nilIfEmpty(list []router.Delivery) []router.Delivery {
	if len(list) == 0 {
		return nil
	}
	return list
}

func placedNow(s fabric.Signals, n router.NodeID) bool {
	return slices.ContainsFunc(s.Placed(), func(p fabric.Placement) bool { return p.Node == n })
}

// wasReady reports whether the injection register is empty or was filled in this cycle.
func wasReady(s fabric.Signals, n router.NodeID) bool {
	return s.Network().Bank().Ready(n, 0) || placedNow(s, n)
}

func (w *packetTwin) update(granted []int) {
	requests := make([][]bool, len(w.chips))
	for v := range w.chips {
		requests[v] = make([]bool, len(w.chips[v].fifo))
		for p := range requests[v] {
			requests[v][p] = w.requested(v, p)
		}
		c := &w.chips[v]
		c.ejection = nil
		if granted[v] >= 0 {
			c.receiving, c.port = true, granted[v]
		}
		if c.started && len(c.order) > 0 {
			c.order = c.order[1:]
		}
		if c.fresh && !c.started || c.fresh && c.input != len(c.fifo) {
			c.order = append(c.order, len(c.fifo))
		}
	}
	for u := range w.chips {
		if w.chips[u].fires {
			w.move(u)
		}
	}
	for v := range w.chips {
		w.age(v, requests[v], granted[v])
	}
}

// move lets the flit that u sends cross.
func (w *packetTwin) move(u int) {
	c := &w.chips[u]
	f := *w.front(u, c.input)
	if c.input == len(c.fifo) {
		c.injection = nil
	} else {
		c.fifo[c.input] = c.fifo[c.input][1:]
	}
	f.Hop++
	v, p := w.neighbor(u, c.output)
	to := &w.chips[v]
	require.True(w.t, to.receiving)
	require.Equal(w.t, to.port, p)
	goes := router.Tail
	if w.through {
		goes = router.Head
	}
	if w.losing.loses(w.n, router.NodeID(u), router.NodeID(v), f) {
		// it is not seen again
	} else if int(w.worm(&f).Destination) == v {
		to.ejection, to.from = &f, p
	} else {
		to.fifo[p] = append(to.fifo[p], f)
		require.LessOrEqual(w.t, len(to.fifo[p]), w.n.Machine.Buffer)
		if f.Flags&goes != 0 {
			to.order = append(to.order, p)
		}
	}
	if f.Flags&router.Tail != 0 {
		c.sending, to.receiving = false, false
	}
}

// age notes who waits for a grant of chip v, and since before whom.
func (w *packetTwin) age(v int, requests []bool, granted int) {
	c := &w.chips[v]
	var begin []int
	for p, requested := range requests {
		waits := requested && p != granted
		if waits && !c.waiting[p] {
			begin = append(begin, p)
		}
		if !waits {
			c.waiting[p] = false
			for q := range requests {
				c.older[p][q], c.older[q][p] = false, false
			}
		}
	}
	for _, p := range begin {
		for q := range requests {
			if c.waiting[q] {
				c.older[q][p] = true
			}
		}
		c.waiting[p] = true
	}
}

// random sends messages of random lengths between random nodes.
type random struct {
	rng     *rand.Rand
	nodes   int
	longest int
	rate    float64
}

func (r *random) Evaluate(s fabric.Signals) {
	for n := range r.nodes {
		to := r.rng.IntN(r.nodes)
		if r.rng.Float64() > r.rate || to == n {
			continue
		}
		s.Send(fabric.Message{Source: router.NodeID(n), Destination: router.NodeID(to), Length: 1 + r.rng.IntN(r.longest)})
	}
}
func (r *random) Update(fabric.Signals) {}

// lossTwin knows by link the message whose head was lost there last.
type lossTwin map[[2]router.NodeID]int32

// loses reports whether a link loses a flit that crosses it now. Of a message whose head is
// lost, all flits are.
func (l *lossTwin) loses(n *fabric.Network, from, to router.NodeID, f router.Flit) bool {
	if *l == nil {
		*l = lossTwin{}
	}
	link, message := [2]router.NodeID{from, to}, n.Bank().Worm(f.Worm).Message
	if f.Flags&router.Head != 0 && n.Faults() != nil && n.Faults().Loses(from, to, n.Now()) != fault.Sound {
		(*l)[link] = message
	}
	lost, any := (*l)[link]
	return any && lost == message
}

// faulty draws faults for every second trial: links that die for a while, a node, and drops.
func faulty(t testing.TB, rng *rand.Rand, topo *topology.Topology) *fault.List {
	if rng.IntN(2) == 0 {
		return nil
	}
	list := &fault.List{Seed: rng.Uint64(), Drop: 0.2 * rng.Float64() * float64(rng.IntN(2))}
	for _, l := range topo.Links() {
		if rng.IntN(6) == 0 {
			start := router.Cycle(rng.IntN(300))
			list.Faults = append(list.Faults, fault.Fault{Kind: fault.Link, From: l.From, To: l.To, Start: start, End: start + 1 + router.Cycle(rng.IntN(60))})
		}
	}
	node := router.NodeID(rng.IntN(topo.Nodes()))
	list.Faults = append(list.Faults, fault.Fault{Kind: fault.Node, From: node, To: node, Start: router.Cycle(rng.IntN(400)), End: fault.Never})
	_, err := list.On(topo, 1, 32, 32)
	require.NoError(t, err)
	return list
}

// packetNetwork returns a machine that switches packets, with faults that are drawn.
func packetNetwork(t testing.TB, rng *rand.Rand, spec, switching string, settings ...string) *fabric.Network {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("store-forward")
	require.NoError(t, err)
	require.NoError(t, m.Set("switching", switching))
	for i := 0; i < len(settings); i += 2 {
		require.NoError(t, m.Set(settings[i], settings[i+1]))
	}
	m.Faults = faulty(t, rng, topo)
	n, err := fabric.New(topo, m)
	require.NoError(t, err)
	return n
}

func TestPacketsAgreeWithTheirTwin(t *testing.T) {
	for _, spec := range []string{"path:7", "mesh:4x3", "torus:3x4", "tree:../examples/trees/binary.csv", "ring:5"} {
		for _, switching := range []string{"store-forward", "cut-through"} {
			t.Run(spec+" "+switching, func(t *testing.T) { compareWithTwin(t, spec, switching) })
		}
	}
}

func compareWithTwin(t *testing.T, spec, switching string) {
	rng := rand.New(rand.NewPCG(uint64(len(spec)), uint64(len(switching))))
	lost, blocked, crowd, delivered := 0, 0, 0, uint64(0)
	for trial := range 24 {
		setup := []string{"0", "1", "2", "5", "3/2", "5/2"}[trial%6]
		packet := 1 + rng.IntN(6)
		buffer := packet * (1 + trial%3)
		if trial%4 == 3 {
			buffer += rng.IntN(packet)
		}
		flit := 1 + rng.IntN(3)
		if setup == "3/2" || setup == "5/2" {
			flit = 1
		}
		name := fmt.Sprintf("trial %d: setup %s packet %d buffer %d flit %d", trial, setup, packet, buffer, flit)
		n := packetNetwork(t, rand.New(rand.NewPCG(uint64(trial), uint64(len(spec)))), spec, switching, "setup", setup, "packet", strconv.Itoa(packet), "buffer", strconv.Itoa(buffer),
			"flit", strconv.Itoa(flit), "startup", strconv.Itoa(rng.IntN(3)), "routing", []string{"table", "source"}[rng.IntN(2)])
		n.KeepBlocked()
		twin := newPacketTwin(t, n)
		load := []float64{0.01, 0.05, 0.5}[rng.IntN(3)]
		n.Attach(&random{rng, n.Topology.Nodes(), packet, load})
		n.Attach(twin)
		for range 400 {
			n.Step()
			if t.Failed() {
				t.Fatal(name)
			}
		}
		losses := n.Losses()
		lost += losses.Messages()
		blocked, crowd, delivered = blocked+twin.blocked, max(crowd, twin.crowd), delivered+n.Delivered()
	}
	require.Positive(t, lost)
	require.Positive(t, delivered)
	require.Positive(t, blocked)
	require.Greater(t, crowd, 1, "requests must meet")
}
