// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"meshwright/fabric"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Activity counts the flits that a chip has moved in the measurement: each is an event that models of power ask for.
type Activity struct {
	Injected uint64 // flits that left an injection register
	Ejected  uint64 // flits that the PE took
	Written  uint64 // flits on their way into an input buffer, counted when they leave the chip before
	Read     uint64 // flits that left an input buffer
	Sent     uint64 // flits that the chip put on its links
}

// Crossbar returns the flits that crossed from an input of the chip to an output.
func (a *Activity) Crossbar() uint64 { return a.Sent + a.Ejected }

// LinkFlow is what a link did in the measurement.
type LinkFlow struct {
	Link    topology.Link
	Flits   uint64
	Packets uint64   // heads of them
	Busy    uint64   // ticks, see fabric.LinkUse
	Blocked uint64   // ticks
	VCs     []uint64 // flits by virtual channel
}

// watcher counts the flits that move in the measurement, one by one.
type watcher struct {
	meter *meter
	base  []int32 `snapshot:"start"` // link ports of a node start here

	nodes []Activity
	ports []portCount // of links, by node and port
}

// portCount counts the flits that leave a chip by a port.
type portCount struct {
	heads uint64
	vcs   []uint64
}

func newWatcher(m *meter) *watcher {
	t := m.net.Topology
	w := &watcher{meter: m, base: make([]int32, t.Nodes()+1), nodes: make([]Activity, t.Nodes())}
	for n := range t.Nodes() {
		w.base[n+1] = w.base[n] + int32(t.Ports(router.NodeID(n)))
	}
	w.ports = make([]portCount, w.base[t.Nodes()])
	all := make([]uint64, len(w.ports)*m.net.Machine.VCs)
	for i := range w.ports {
		w.ports[i].vcs, all = all[:m.net.Machine.VCs:m.net.Machine.VCs], all[m.net.Machine.VCs:]
	}
	return w
}

// Evaluate implements fabric.Component.
func (w *watcher) Evaluate(fabric.Signals) {}

// Wakes lets the clock skip: where nothing moves there is nothing to count.
func (w *watcher) Wakes() router.Cycle { return fabric.Never }

// Update counts the flits that move in the cycle.
func (w *watcher) Update(s fabric.Signals) {
	if now := s.Now(); now < w.meter.from || now >= w.meter.until {
		return
	}
	t, vcs := w.meter.net.Topology, w.meter.net.Machine.VCs
	for o := range s.Offers() {
		if !o.Fired {
			continue
		}
		chip, ports := &w.nodes[o.Node], t.Ports(o.Node)
		if int(o.Input) < ports*vcs {
			chip.Read++
		} else {
			chip.Injected++
		}
		if int(o.Port) >= ports {
			chip.Ejected++
			continue
		}
		chip.Sent++
		p := &w.ports[w.base[o.Node]+int32(o.Port)]
		p.vcs[o.Flit.VC]++
		if o.Flit.Flags&router.Head != 0 {
			p.heads++
		}
		if !s.Network().Bank().Loses(o) {
			w.nodes[t.Neighbor(o.Node, o.Port)].Written++
		}
	}
}

// linkFlows returns what every link did in the measurement, in the order of Topology.Links.
func (m *meter) linkFlows() []LinkFlow {
	time := uint64(max(0, min(m.until, m.net.Now())-m.from))
	var flows []LinkFlow
	for link, u := range m.net.LinkUses() {
		before := m.uses[len(flows)]
		f := LinkFlow{Link: link, Flits: u.Flits - before.Flits, Busy: min(time, u.Busy-min(u.Busy, before.Busy))}
		f.Blocked = min(time-f.Busy, u.Blocked-min(u.Blocked, before.Blocked))
		if m.watcher != nil {
			p := &m.watcher.ports[m.watcher.base[link.From]+int32(link.FromPort)]
			f.Packets, f.VCs = p.heads, p.vcs
		}
		flows = append(flows, f)
	}
	return flows
}
