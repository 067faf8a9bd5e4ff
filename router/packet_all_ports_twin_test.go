// SPDX-License-Identifier: Apache-2.0

package router_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/router"
)

// linksTwin is chips that switch packets over all ports at once, as their rules
// say it: every output of every chip looked at in every cycle, every flit kept
// by itself, every request with the cycle in which it began. It rides on a
// network, is given the flits that enter its injection registers, and compares
// all that can be seen.
type linksTwin struct {
	t       *testing.T
	n       *fabric.Network
	chips   []linksChip
	ejected []router.Delivery
	losing  lossTwin
	blocked int // requests at the front of their output that did not start
	crowd   int // most requests for an output
	abreast int // most links of a chip on which flits cross in one cycle
}

// linksChip has inputs 0 to ports-1, the links, then an injection register per port.
type linksChip struct {
	inputs   [][]router.Flit // an injection register holds one flit at most
	since    []router.Cycle  // by input: when the packet at its front began to request, -1: it does not
	ejection []*router.Flit
	outputs  []linksOutput
}

type linksOutput struct {
	input int // that is sent from, or requests in vain; -1: none
	busy  bool
	timer int
	fires bool
}

func newLinksTwin(t *testing.T, n *fabric.Network) *linksTwin {
	w := &linksTwin{t: t, n: n, chips: make([]linksChip, n.Topology.Nodes())}
	for v := range w.chips {
		ports := n.Topology.Ports(router.NodeID(v))
		w.chips[v] = linksChip{
			inputs: make([][]router.Flit, 2*ports), since: make([]router.Cycle, 2*ports),
			ejection: make([]*router.Flit, ports), outputs: make([]linksOutput, ports),
		}
		for i := range w.chips[v].since {
			w.chips[v].since[i] = -1
		}
	}
	return w
}

func (w *linksTwin) Evaluate(s fabric.Signals) { w.ejected = slices.Clone(s.Flits()) }

func (w *linksTwin) Update(s fabric.Signals) {
	for _, p := range s.Placed() {
		c := &w.chips[p.Node]
		register := &c.inputs[len(c.outputs)+int(p.Channel)]
		require.Empty(w.t, *register)
		*register = append(*register, p.Flit)
	}
	for v := range w.chips {
		w.request(v, s.Now())
	}
	for v := range w.chips {
		for out := range w.chips[v].outputs {
			w.send(v, out)
		}
	}
	w.compare(s)
	for v := range w.chips {
		for p := range w.chips[v].ejection {
			w.chips[v].ejection[p] = nil
		}
	}
	for v := range w.chips {
		for out := range w.chips[v].outputs {
			if w.chips[v].outputs[out].fires {
				w.move(v, out)
			}
		}
	}
}

func (w *linksTwin) worm(f router.Flit) *router.Worm { return w.n.Bank().Worm(f.Worm) }

// output returns the output that a head takes.
func (w *linksTwin) output(v int, f router.Flit) int {
	return int(w.n.Next(router.NodeID(v), w.worm(f).Destination))
}

// request notes the cycle in which each packet began to request its output.
func (w *linksTwin) request(v int, now router.Cycle) {
	c := &w.chips[v]
	for i, flits := range c.inputs {
		whole := w.n.Machine.Switching == machine.CutThrough || i >= len(c.outputs) ||
			slices.ContainsFunc(flits, func(f router.Flit) bool { return f.Flags&router.Tail != 0 })
		if c.since[i] < 0 && len(flits) > 0 && flits[0].Flags&router.Head != 0 && whole {
			c.since[i] = now
		}
	}
}

// send lets a free output take the oldest request, if there is room for it.
func (w *linksTwin) send(v, out int) {
	c := &w.chips[v]
	o := &c.outputs[out]
	o.fires = false
	if !o.busy {
		var requests []int
		for i := range c.inputs {
			if c.since[i] >= 0 && c.inputs[i][0].Flags&router.Head != 0 && w.output(v, c.inputs[i][0]) == out {
				requests = append(requests, i)
			}
		}
		w.crowd = max(w.crowd, len(requests))
		if o.input = -1; len(requests) == 0 {
			return
		}
		o.input = slices.MinFunc(requests, func(a, b int) int { return cmp.Or(cmp.Compare(c.since[a], c.since[b]), a-b) })
		to, p := w.neighbor(v, out)
		if w.n.Machine.Buffer-len(w.chips[to].inputs[p]) < w.n.Machine.Packet {
			return
		}
		o.busy, o.timer = true, w.n.Machine.SetupTicks()+w.n.Machine.FlitTicks()
	}
	if o.timer--; o.timer == 0 {
		o.fires, o.timer = true, w.n.Machine.FlitTicks()
	}
}

// neighbor returns the chip at the other end of a link, and the port there.
func (w *linksTwin) neighbor(v, p int) (int, int) {
	t := w.n.Topology
	return int(t.Neighbor(router.NodeID(v), router.Port(p))), int(t.BackPort(router.NodeID(v), router.Port(p)))
}

func (w *linksTwin) compare(s fabric.Signals) {
	var offers []router.Offer
	var ejected []router.Delivery
	for v := range w.chips {
		c := &w.chips[v]
		node, ports := router.NodeID(v), len(c.outputs)
		abreast := 0
		for p, o := range c.outputs {
			if f := c.ejection[p]; f != nil {
				ejected = append(ejected, router.Delivery{Node: node, Channel: int32(p), Flit: *f})
				offers = append(offers, router.Offer{Node: node, Port: router.Port(ports + p), Input: int32(p), Flit: *f, Fired: true})
			}
			if o.fires {
				abreast++
			} else if !o.busy && o.input >= 0 {
				w.blocked++
			}
			if o.fires || !o.busy && o.input >= 0 {
				require.NotEmpty(w.t, c.inputs[o.input])
				offers = append(offers, router.Offer{Node: node, Port: router.Port(p), Input: int32(o.input), Flit: c.inputs[o.input][0], Fired: o.fires})
			}
			occupied, ready := s.Network().Bank().Occupancy(node, router.Port(p), 0), s.Network().Bank().Ready(node, int32(p))
			if occupied != len(c.inputs[p]) || ready != (len(c.inputs[ports+p]) == 0) {
				require.Failf(w.t, "other buffers", "node %d port %d: %d flits, ready %t", v, p, occupied, ready)
			}
		}
		w.abreast = max(w.abreast, abreast)
	}
	order := func(a, b router.Offer) int { return cmp.Or(cmp.Compare(a.Node, b.Node), cmp.Compare(a.Port, b.Port)) }
	slices.SortFunc(offers, order)
	requireEqual(w.t, offers, slices.SortedFunc(s.Offers(), order), s.Now())
	requireEqual(w.t, ejected, nilIfEmpty(w.ejected), s.Now())
}

// move lets the flit that output out of chip v sends cross.
func (w *linksTwin) move(v, out int) {
	c := &w.chips[v]
	o := &c.outputs[out]
	f := c.inputs[o.input][0]
	c.inputs[o.input] = c.inputs[o.input][1:]
	if f.Flags&router.Tail != 0 {
		o.busy, c.since[o.input] = false, -1
	}
	f.Hop++
	to, p := w.neighbor(v, out)
	if w.losing.loses(w.n, router.NodeID(v), router.NodeID(to), f) {
		return
	}
	if int(w.worm(f).Destination) == to {
		w.chips[to].ejection[p] = &f
		return
	}
	w.chips[to].inputs[p] = append(w.chips[to].inputs[p], f)
	require.LessOrEqual(w.t, len(w.chips[to].inputs[p]), w.n.Machine.Buffer)
}

func TestPacketsOnAllPortsAgreeWithTheirTwin(t *testing.T) {
	for _, spec := range []string{"path:7", "mesh:4x3", "torus:3x4", "debruijn:3", "tree:../examples/trees/binary.csv", "ring:5"} {
		for _, switching := range []string{"store-forward", "cut-through"} {
			t.Run(spec+" "+switching, func(t *testing.T) { compareWithLinksTwin(t, spec, switching) })
		}
	}
}

func compareWithLinksTwin(t *testing.T, spec, switching string) {
	rng := rand.New(rand.NewPCG(uint64(len(spec)), uint64(len(switching))+100))
	lost, blocked, crowd, abreast, delivered := 0, 0, 0, 0, uint64(0)
	for trial := range 24 {
		setup, flit := []string{"0", "1", "2", "5", "3/2", "5/2"}[trial%6], 1+rng.IntN(3)
		packet := 1 + rng.IntN(6)
		buffer := packet * (1 + trial%3)
		if trial%4 == 3 {
			buffer += rng.IntN(packet)
		}
		name := fmt.Sprintf("trial %d: setup %s packet %d buffer %d flit %d", trial, setup, packet, buffer, flit)
		n := packetNetwork(t, rand.New(rand.NewPCG(uint64(trial), uint64(len(spec)))), spec, switching, "ports", "all", "nic.channels", "links", "setup", setup, "packet", strconv.Itoa(packet),
			"buffer", strconv.Itoa(buffer), "flit", strconv.Itoa(flit), "startup", strconv.Itoa(rng.IntN(3)), "routing", []string{"table", "source"}[rng.IntN(2)])
		n.KeepBlocked()
		twin := newLinksTwin(t, n)
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
		blocked, crowd, abreast, delivered = blocked+twin.blocked, max(crowd, twin.crowd), max(abreast, twin.abreast), delivered+n.Delivered()
	}
	require.Positive(t, delivered)
	require.Positive(t, lost)
	require.Positive(t, blocked)
	require.Greater(t, crowd, 1, "requests must meet")
	require.Greater(t, abreast, 1, "links of a chip must work at the same time")
}
