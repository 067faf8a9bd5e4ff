// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// place is what flits need at a node: one thing for all its ports, or one for each.
//
// A half-duplex PE either sends or receives in a cycle. So it gives the things of one of two sides: its injection channels, or its ejection channels. Its chip belongs to it,
// since in a cycle in which flits pass through the chip there is less left of it for the PE:
//
//	         PE sends                     PE receives
//	in  -----------------> out      in  -----------------> out      a flit that passes needs the input and the output
//	         PE ----------> out     in  ------> PE                  others need one of them
//
// An input, the buffer behind a link, gives one flit in a cycle, to the PE or to an output. An output, a link, takes one. So both have a price for the cycles in which the PE sends and another one for
// those in which it receives, and a flit that passes pays input and output in the cheaper of both states. That holds where an input has one virtual channel and a flit takes a cycle, or where flits never wait. Else a flit may leave the
// input while the PE receives, and still be on the link when it sends. Then links have one price, and the PE gives only its channels.
//
// In the first h cycles after cycle s no PE receives, and in the last h ones none sends. For a PE that gives the same for both sides these are h cycles in all.
//
// All of this is the same backwards in time.
type place struct {
	out, in       []int32    // channels
	leave, arrive [2][]int32 // what the chip gives to flits that leave it, or have come, by the state of its PE
	send, take    int32      // single ports whose flits may be of any state, or none
}

// none is the thing that costs nothing.
const none = -1

// states returns how many states of a PE matter to flits that pass its chip.
func (p *treePrices) states() int {
	m := &p.machine
	if m.Duplex == machine.Half && (m.Switching == machine.Bufferless || m.Flit == 1 && m.VCs == 1) {
		return 2
	}
	return 1
}

// links returns what flits need on each link.
func (p *treePrices) links(t *topology.Topology) (roads []road) {
	places := make([]place, p.nodes)
	for v := range places {
		places[v] = p.place(t.Ports(router.NodeID(v)))
	}
	for v := range router.NodeID(p.nodes) {
		for port := range router.Port(t.Ports(v)) {
			to := t.Neighbor(v, port)
			if to == router.None {
				continue
			}
			from, into, back := &places[v], &places[to], t.BackPort(v, port)
			r := road{from: int32(v), to: int32(to), out: of(from.out, port), in: of(into.in, back), passes: [2]int32{from.send, into.take}}
			for z := range from.leave {
				r.leave[z], r.arrive[z] = of(from.leave[z], port), of(into.arrive[z], back)
			}
			roads = append(roads, r)
		}
	}
	return roads
}

// of returns the thing of a port, the one of all ports, or none.
func of(things []int32, port router.Port) int32 {
	switch len(things) {
	case 0:
		return none
	case 1:
		return things[0]
	}
	return things[port]
}

// place adds what flits need at a node. Where each link has its own channel, and flits can come and go at once, the links suffice.
func (p *treePrices) place(ports int) place {
	x := place{send: none, take: none}
	if p.states() == 2 {
		p.chip(ports, &x)
		return x
	}
	if p.machine.Ports == machine.SinglePort {
		x.send, x.take = p.alone(), p.alone()
	} else {
		for range ports {
			x.leave[sends] = append(x.leave[sends], p.alone())
		}
	}
	switch each := p.each(); {
	case p.machine.Duplex != machine.Half && each:
	case p.machine.Duplex != machine.Half:
		x.out, x.in = []int32{p.alone()}, []int32{p.alone()}
	case each:
		x.out, x.in = p.some(ports), p.some(ports)
		p.half(x.out, x.in)
	default:
		x.out, x.in = p.some(1), p.some(1)
		p.half(x.out, x.in)
	}
	return x
}

// chip adds a half-duplex PE with its chip.
func (p *treePrices) chip(ports int, x *place) {
	things := ports
	if p.machine.Ports == machine.SinglePort {
		if p.machine.Switching == machine.Bufferless {
			things = 1
		} else { // flits may come in one state, and leave their buffer in the other
			x.send, x.take = p.alone(), p.alone()
		}
	}
	if !p.each() {
		x.out, x.in = p.some(1), p.some(1)
	}
	var sides [2][]int32
	for z := range sides {
		x.leave[z], x.arrive[z] = p.some(things), p.some(things)
		sides[z] = slices.Concat(x.leave[z], x.arrive[z])
	}
	p.half(append(sides[sends], x.out...), append(sides[receives], x.in...))
}

// each reports whether a PE can use a channel for each link at once.
func (p *treePrices) each() bool {
	return p.machine.Channels == machine.Links && p.machine.Ports != machine.SinglePort
}

// half adds a half-duplex PE, which gives some things while it sends, and others while it receives.
func (p *treePrices) half(sends, receives []int32) {
	p.givers = append(p.givers, giver{sides: [2][]int32{sends, receives}, half: true})
}

// some adds things. Each passes a flit at a time.
func (p *treePrices) some(count int) (list []int32) {
	for range count {
		list = append(list, p.thing())
	}
	return list
}

// thing adds a thing.
func (p *treePrices) thing() int32 {
	p.things = append(p.things, thing{})
	return int32(len(p.things) - 1)
}

// alone adds a thing that is all that its giver gives.
func (p *treePrices) alone() int32 {
	x := p.thing()
	p.givers = append(p.givers, giver{sides: [2][]int32{{x}}})
	return x
}
