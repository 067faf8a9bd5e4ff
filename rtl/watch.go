// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"fmt"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/router"
	"meshwright/rtl/verilog"
)

// shown is an output that the bench compares: expressions that name the network i_top, and the nets of its ports ej_valid and ej_flit.
type shown struct{ valid, fire, flit string }

// shown lists the outputs: links, then ejection channels.
func (d *Design) shown() []shown {
	list := make([]shown, 0, d.outputCount())
	for i, l := range d.Links {
		if d.Packets {
			valid, fire, flit := d.samplePacketLink(i)
			list = append(list, shown{valid, fire, flit})
			continue
		}
		n, p := fmt.Sprintf("i_top.n%d_", l.From), int(l.FromPort)
		fire := fmt.Sprintf("i_top.%s & i_top.n%d_take[%d]", d.linkNet(i, "offer"), l.To, l.ToPort)
		list = append(list, shown{fmt.Sprintf("%svalid[%d]", n, p), fire, slice(n+"flit", p*d.FlitWidth, d.FlitWidth, "")})
	}
	for n := range router.NodeID(d.Chips) {
		for c := range d.channels(n) {
			at := d.firstChannel[n] + c
			valid := fmt.Sprintf("ej_valid[%d]", at)
			list = append(list, shown{valid, valid, slice("ej_flit", at*d.FlitWidth, d.FlitWidth, "")})
		}
	}
	return list
}

// The outputs of a watched network, besides those of the network.
const (
	WatchedValid = "watched_valid_o"
	WatchedFire  = "watched_fire_o"
	WatchedFlit  = "watched_flit_o"
	WatchedCount = "watched_count_o"
)

// Watched returns the network with ports for what the bench reads from outside.
func (d *Design) Watched() *verilog.Module {
	m := d.top()
	bits := d.VCs * d.CountWidth
	for _, p := range []struct {
		name  string
		width int
	}{{WatchedValid, d.outputCount()}, {WatchedFire, d.outputCount()}, {WatchedFlit, d.outputCount() * d.FlitWidth}, {WatchedCount, d.firstPort[d.Chips] * bits}} {
		m.Ports = append(m.Ports, verilog.Port{Name: p.name, Width: fmt.Sprint(p.width), Output: true})
	}
	inside := strings.NewReplacer("i_top.", "", "ej_valid[", "ej_valid_o[", "ej_flit[", "ej_flit_o[")
	watch := func(port, value string) {
		m.Items = append(m.Items, verilog.Assign{Target: port, Value: inside.Replace(value)})
	}
	for i, s := range d.shown() {
		watch(fmt.Sprintf("%s[%d]", WatchedValid, i), s.valid)
		watch(fmt.Sprintf("%s[%d]", WatchedFire, i), s.fire)
		watch(slice(WatchedFlit, i*d.FlitWidth, d.FlitWidth, ""), s.flit)
	}
	for n := range router.NodeID(d.Chips) {
		watch(slice(WatchedCount, d.firstPort[n]*bits, d.ports(n)*bits, ""), fmt.Sprintf("n%d_count", n))
	}
	return m
}

// Watches returns how many channels of injection the design has, and how many links its bench watches.
func (d *Design) Watches() (channels, links int) { return d.allChannels(), len(d.Links) }

// Field is a part of the flits that come to an input of a chip, from bit At on, with the values that it has: the part by which
// the chip routes.
type Field struct {
	At, Bits int
	Values   map[uint64]bool
}

// Arrivals returns what comes to the links of chip n, by port, and to its injection channels; nil if routing leaves a choice,
// or if not every flit shows its route.
func (d *Design) Arrivals(n router.NodeID) (links, channels []Field) {
	f := Field{At: d.Width + d.RouteWidth, Bits: d.NodeWidth}
	switch d.Kind {
	case dimensionOrder, reverseOrder, tableRouting:
	case sourceRouting:
		f = Field{At: d.Width, Bits: d.PortWidth}
	default:
		return nil, nil
	}
	if d.HeadFlit {
		return nil, nil
	}
	t := d.net.Topology
	links, channels = make([]Field, d.ports(n)), make([]Field, d.channels(n))
	for p := range links {
		links[p] = Field{f.At, f.Bits, map[uint64]bool{}}
		from := t.Neighbor(n, router.Port(p))
		if from == router.None {
			continue
		}
		if d.Kind == sourceRouting {
			d.anyWay(n, links[p].Values)
			links[p].Values[1<<d.PortWidth-1] = true
			continue
		}
		for to := range router.NodeID(d.Chips) {
			if to != from && t.Neighbor(from, d.net.Next(from, to)) == n {
				links[p].Values[uint64(to)] = true
			}
		}
	}
	for c := range channels {
		channels[c] = Field{f.At, f.Bits, map[uint64]bool{}}
		switch {
		case d.Kind != sourceRouting:
		case len(channels) == 1:
			d.anyWay(n, channels[c].Values)
			continue
		case t.Neighbor(n, router.Port(c)) != router.None:
			channels[c].Values[uint64(c)] = true
			continue
		}
		for to := range router.NodeID(d.Chips) {
			if to != n && (len(channels) == 1 || d.net.Next(n, to) == router.Port(c)) {
				channels[c].Values[uint64(to)] = true
			}
		}
	}
	return links, channels
}

// anyWay adds all links of chip n, since a schedule may lead its source routes over any of them.
func (d *Design) anyWay(n router.NodeID, values map[uint64]bool) {
	for p := range d.ports(n) {
		if d.net.Topology.Neighbor(n, router.Port(p)) != router.None {
			values[uint64(p)] = true
		}
	}
}

// ShiftedIn returns the bits of a flit on a link that the chip before has shifted into its route: they are zero.
func (d *Design) ShiftedIn() (at, bits int) {
	if d.Kind != sourceRouting || d.HeadFlit {
		return 0, 0
	}
	return d.Width + d.RouteWidth - d.PortWidth, d.PortWidth
}

// HeadsCross reports whether a head that a link shows crosses it if there is room behind the link. With a channel for each link,
// an output without an owner shows the register of its own channel, whose head would request it. With one channel it shows
// heads that go elsewhere.
func (d *Design) HeadsCross() bool {
	m := d.net.Machine
	return !d.Bufferless && !d.Packets && m.Channels == machine.Links && d.Kind <= reverseOrder && d.VCs == 1 &&
		!d.SinglePort && !d.HalfDuplex && d.Flit == 1 && m.Hop == 1 && m.Punctual()
}
