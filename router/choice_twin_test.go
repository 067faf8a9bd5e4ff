// SPDX-License-Identifier: Apache-2.0

package router_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/traffic"
	"meshwright/internal/soak"
	"meshwright/router"
)

// wormTwin is wormhole chips of grids whose heads choose their virtual channels freely, as the written rules say it: every chip and channel is looked at in
// every cycle, and every flit is kept by itself. It rides on a network, is given the flits that enter its injection registers, and compares
// what all ports show.
type wormTwin struct {
	t     *testing.T
	n     *fabric.Network
	chips []wormChip
	shown int // offers compared
	apart int // heads that took another channel than the lowest of their class
}

// wormChip has inputs port*vcs+vc, then the injection register, and outputs port*vcs+vc, then those of the ejection channel.
type wormChip struct {
	queue   [][]wormFlit
	owner   []int // input that has claimed an output; -1: none
	pointer []int // input that an output prefers
	turn    []int // by port: virtual channel that it prefers
}

// wormFlit knows the dimension of its last link, and whether it has crossed the dateline there.
type wormFlit struct {
	router.Flit
	dim     int
	crossed bool
}

// crossing is a flit that an output of a chip shows.
type crossing struct{ chip, in, out int }

func newWormTwin(t *testing.T, n *fabric.Network) *wormTwin {
	w := &wormTwin{t: t, n: n, chips: make([]wormChip, n.Topology.Nodes())}
	for v := range w.chips {
		ports, vcs := n.Topology.Ports(router.NodeID(v)), n.Machine.VCs
		c := &w.chips[v]
		c.queue = make([][]wormFlit, ports*vcs+1)
		c.pointer, c.turn = make([]int, (ports+1)*vcs), make([]int, ports+1)
		c.owner = slices.Repeat([]int{-1}, (ports+1)*vcs)
	}
	return w
}

func (w *wormTwin) Evaluate(fabric.Signals) {}

func (w *wormTwin) Update(s fabric.Signals) {
	vcs := w.n.Machine.VCs
	var moves []crossing
	var offers []router.Offer
	pick := func(v, port int) {
		if m, fires, ok := w.pick(v, port); ok {
			f := w.chips[v].queue[m.in][0].Flit
			f.VC = router.VC(m.out % vcs)
			offers = append(offers, router.Offer{Node: router.NodeID(v), Port: router.Port(port), Input: int32(m.in), Flit: f, Fired: fires})
			if fires {
				moves = append(moves, m)
			}
		}
	}
	for v := range w.chips {
		ports := len(w.chips[v].turn) - 1
		w.claim(v, func(in int) (out int, ok bool) {
			return ports*vcs + in%vcs, in < ports*vcs && w.to(v, in) == v
		})
		pick(v, ports)
	}
	for _, p := range s.Placed() {
		c := &w.chips[p.Node]
		register := len(c.queue) - 1
		require.Empty(w.t, c.queue[register])
		c.queue[register] = append(c.queue[register], wormFlit{Flit: p.Flit, dim: -1})
	}
	for v := range w.chips {
		w.claim(v, func(in int) (out int, ok bool) {
			if w.to(v, in) == v {
				return 0, false
			}
			return w.choose(v, in), true
		})
	}
	for v := range w.chips {
		for port := range len(w.chips[v].turn) - 1 {
			pick(v, port)
		}
	}
	w.compare(s, offers)
	w.move(moves)
}

// to is the destination of the front of an input.
func (w *wormTwin) to(v, in int) int {
	return int(w.n.Bank().Worm(w.chips[v].queue[in][0].Worm).Destination)
}

// claim lets the heads of a chip that have no output request one, all by the same state, and gives each free output to the first of them from its
// pointer on.
func (w *wormTwin) claim(v int, wants func(in int) (out int, ok bool)) {
	c := &w.chips[v]
	requests := map[int][]int{}
	for in, q := range c.queue {
		if len(q) == 0 || q[0].Flags&router.Head == 0 || slices.Contains(c.owner, in) {
			continue
		}
		if out, ok := wants(in); ok {
			requests[out] = append(requests[out], in)
		}
	}
	for out, list := range requests {
		if c.owner[out] >= 0 {
			continue
		}
		winner := list[0]
		for _, in := range list {
			if in >= c.pointer[out] {
				winner = in
				break
			}
		}
		c.owner[out], c.pointer[out] = winner, winner+1
	}
}

// choose is the output that a head requests: the first free channel of its class of the link that it takes next, else the lowest.
func (w *wormTwin) choose(v, in int) int {
	f := w.chips[v].queue[in][0]
	port, class, classes := w.next(v, f), 0, 1
	if w.n.Machine.Routing == machine.O1Turn {
		class, classes = w.order(f), 2
	}
	if slices.Contains(w.n.Topology.Wrap, true) {
		class, classes = 2*class, 2*classes
		if w.n.Topology.Closes(router.NodeID(v), router.Port(port)) || f.dim == port/2 && f.crossed {
			class++
		}
	}
	vcs := w.n.Machine.VCs
	for vc := class; vc < vcs; vc += classes {
		if w.chips[v].owner[port*vcs+vc] < 0 {
			if vc > class {
				w.apart++
			}
			return port*vcs + vc
		}
	}
	return port*vcs + class
}

// order is the order of a message of o1turn: 1 for the highest dimension first.
func (w *wormTwin) order(f wormFlit) int {
	lane := int(w.n.Bank().Worm(f.Worm).Lane)
	if slices.Contains(w.n.Topology.Wrap, true) {
		lane /= 2
	}
	return lane % 2
}

// next is the port of the shorter direction in the first dimension that differs, in the order of the routing.
func (w *wormTwin) next(v int, f wormFlit) int {
	t, to := w.n.Topology, w.n.Bank().Worm(f.Worm).Destination
	dims := make([]int, len(t.Dims))
	for d := range dims {
		dims[d] = d
	}
	if w.n.Machine.Routing == machine.ReverseOrder || w.n.Machine.Routing == machine.O1Turn && w.order(f) == 1 {
		slices.Reverse(dims)
	}
	for _, d := range dims {
		here, there, size := t.Coordinate(router.NodeID(v), d), t.Coordinate(to, d), t.Dims[d]
		if here == there {
			continue
		}
		plus := there > here
		if t.Wrap[d] {
			plus = 2*((there-here+size)%size) <= size
		}
		if plus {
			return 2 * d
		}
		return 2*d + 1
	}
	panic("the head is there")
}

// pick is the flit that a port shows: its virtual channels take turns, those with room first.
func (w *wormTwin) pick(v, port int) (m crossing, fires, ok bool) {
	c, vcs := &w.chips[v], w.n.Machine.VCs
	for _, room := range []bool{true, false} {
		for k := range vcs {
			vc := (c.turn[port] + k) % vcs
			in := c.owner[port*vcs+vc]
			if in < 0 || len(c.queue[in]) == 0 || room && !w.room(v, port, vc) {
				continue
			}
			return crossing{v, in, port*vcs + vc}, room, true
		}
	}
	return m, false, false
}

func (w *wormTwin) room(v, port, vc int) bool {
	if port == len(w.chips[v].turn)-1 {
		return true // PEs take all
	}
	to, in := w.behind(v, port, vc)
	return len(w.chips[to].queue[in]) < w.n.Machine.Buffer
}

func (w *wormTwin) behind(v, port, vc int) (chip, in int) {
	t := w.n.Topology
	return int(t.Neighbor(router.NodeID(v), router.Port(port))), int(t.BackPort(router.NodeID(v), router.Port(port)))*w.n.Machine.VCs + vc
}

func (w *wormTwin) compare(s fabric.Signals, offers []router.Offer) {
	inOrder := func(a, b router.Offer) int {
		if a.Node != b.Node {
			return int(a.Node - b.Node)
		}
		return int(a.Port - b.Port)
	}
	slices.SortFunc(offers, inOrder)
	requireEqual(w.t, offers, slices.SortedFunc(s.Offers(), inOrder), s.Now())
	w.shown += len(offers)
}

// move lets flits cross. Tails free their outputs.
func (w *wormTwin) move(moves []crossing) {
	vcs := w.n.Machine.VCs
	var arrivals []func()
	for _, m := range moves {
		c, port, vc := &w.chips[m.chip], m.out/vcs, m.out%vcs
		f := c.queue[m.in][0]
		c.queue[m.in] = c.queue[m.in][1:]
		c.turn[port] = (vc + 1) % vcs
		if f.Flags&router.Tail != 0 {
			c.owner[m.out] = -1
		}
		if port == len(c.turn)-1 {
			continue
		}
		to, in := w.behind(m.chip, port, vc)
		f.Hop, f.VC = f.Hop+1, router.VC(vc)
		f.crossed = w.n.Topology.Closes(router.NodeID(m.chip), router.Port(port)) || f.dim == port/2 && f.crossed
		f.dim = port / 2
		arrivals = append(arrivals, func() { w.chips[to].queue[in] = append(w.chips[to].queue[in], f) })
	}
	for _, arrive := range arrivals {
		arrive()
	}
}

// The engine does what the written rules of the free choice say, flit by flit.
func TestFreeChoiceIsItsTwin(t *testing.T) {
	for k, row := range soak.Some(7, []struct {
		topology, routing, vcs, buffer string
		flits                          int
	}{
		{"mesh:4x4", "dor", "4", "2", 5},
		{"mesh:3x4", "yx", "3", "1", 7},
		{"torus:4x4", "dor", "4", "3", 6},
		{"ring:7", "dor", "6", "2", 9},
		{"mesh:4x3", "o1turn", "6", "2", 4},
		{"torus:3x4", "o1turn", "8", "1", 5},
		{"mesh:3x2x3", "dor", "2", "8", 12},
		{"torus:4x3", "yx", "16", "1", 3},
		{"hypercube:4", "dor", "5", "2", 1},
		{"path:9", "dor", "3", "4", 20},
	}) {
		n := network(t, row.topology, "routing", row.routing, "vcs", row.vcs, "vc.choice", "free", "buffer", row.buffer, "nic.channels", "1")
		n.KeepBlocked()
		source, err := traffic.NewUniform(n.Topology.Nodes(), row.flits, 0.7, uint64(k))
		require.NoError(t, err)
		twin := newWormTwin(t, n)
		n.Attach(source)
		n.Attach(twin)
		for range 600 {
			n.Step()
		}
		require.Greater(t, twin.shown, 1000, "%v", row)
		require.Positive(t, twin.apart, "%v", row)
	}
}
