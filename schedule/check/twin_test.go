// SPDX-License-Identifier: Apache-2.0

package check

import (
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule"
)

// twin is the checker's slow, readable twin: it marks, flit by flit and cycle
// by cycle, what every message uses.
type twin struct {
	t    *topology.Topology
	m    machine.Machine
	net  *fabric.Network // its routes
	uses map[thing][]int // rows that use a thing in a cycle
}

// thing is something that one message can use in a cycle.
type thing struct {
	rule  router.Conflict
	id    int // node, link port or channel
	side  int // duplex: 0 to send, 1 to receive
	cycle router.Cycle
}

func newTwin(t *topology.Topology, m machine.Machine) *twin {
	m.Routing = ""
	net, err := fabric.New(t, m)
	if err != nil {
		panic(err)
	}
	return &twin{t: t, m: net.Machine, net: net}
}

// pairs returns the colliding pairs of rows, lower row first, with the first
// cycle of each. Row -1 is cycle 0, before which no startup begins.
func (w *twin) pairs(s *schedule.Schedule) map[[2]int]router.Cycle {
	w.uses = map[thing][]int{}
	pairs := map[[2]int]router.Cycle{}
	for i := range s.Rows {
		w.mark(i, &s.Rows[i])
		if s.Rows[i].Dispatch < router.Cycle(w.m.Startup) {
			pairs[[2]int{-1, i}] = s.Rows[i].Dispatch
		}
	}
	note := func(a, b int, cycle router.Cycle) {
		key := [2]int{min(a, b), max(a, b)}
		if old, ok := pairs[key]; !ok || cycle < old {
			pairs[key] = cycle
		}
	}
	for what, rows := range w.uses {
		for i, a := range rows {
			for _, b := range rows[:i] {
				cycle := what.cycle
				if what.rule == schedule.InjectionConflict {
					cycle = max(s.Rows[a].Dispatch, s.Rows[b].Dispatch)
				}
				if what.rule != router.DuplexConflict {
					note(a, b, cycle)
				}
			}
			if w.m.Duplex == machine.Half && what.rule == router.DuplexConflict && what.side == 0 {
				other := what
				other.side = 1
				for _, b := range w.uses[other] {
					note(a, b, what.cycle)
				}
			}
		}
	}
	return pairs
}

// mark walks all flits of a row through the network.
func (w *twin) mark(row int, r *schedule.Row) {
	ports := w.ports(r)
	channel, exit := 1000*int(r.Source), 1000*int(r.Destination)
	if w.m.Channels == machine.Links {
		channel += int(ports[0])
	}
	flits := r.Flits
	if w.m.Header == machine.HeadFlit {
		flits++
	}
	lastPlaced := r.Dispatch + router.Cycle((flits-1)*w.m.Flit)
	for cycle := r.Dispatch - router.Cycle(w.m.Startup); cycle <= lastPlaced; cycle++ {
		w.uses[thing{schedule.InjectionConflict, channel, 0, cycle}] = append(w.uses[thing{schedule.InjectionConflict, channel, 0, cycle}], row)
	}
	for flit := range flits {
		at, cycle := r.Source, r.Dispatch+router.Cycle(flit*w.m.Flit)
		w.use(thing{schedule.InjectionConflict, channel + 500, 0, cycle}, row)
		w.use(thing{router.DuplexConflict, int(at), 0, cycle}, row)
		for _, p := range ports {
			to := w.t.Neighbor(at, p)
			w.use(thing{router.LinkConflict, 1000*int(at) + int(p), 0, cycle}, row)
			if w.m.Ports == machine.SinglePort {
				w.use(thing{router.SendConflict, int(at), 0, cycle}, row)
				w.use(thing{router.ReceiveConflict, int(to), 0, cycle}, row)
			}
			if flit == 0 && w.m.Channels == machine.Links {
				exit = 1000*int(to) + int(w.t.BackPort(at, p))
			}
			at = to
			cycle += router.Cycle(w.m.Hop)
		}
		w.use(thing{router.EjectConflict, exit, 0, cycle}, row)
		w.use(thing{router.DuplexConflict, int(at), 1, cycle}, row)
	}
}

// use marks the cycles of one flit.
func (w *twin) use(what thing, row int) {
	for range w.m.Flit {
		w.uses[what] = append(w.uses[what], row)
		what.cycle++
	}
}

func (w *twin) ports(r *schedule.Row) []router.Port {
	if r.Route == nil {
		return w.net.Route(r.Source, r.Destination)
	}
	var ports []router.Port
	for i, to := range r.Route[1:] {
		p, _ := w.t.PortTo(r.Route[i], to)
		ports = append(ports, p)
	}
	return ports
}

// delay tries delays of row b one after the other until it is clear of row a.
func (w *twin) delay(s *schedule.Schedule, a, b int) router.Cycle {
	both := &schedule.Schedule{Rows: []schedule.Row{s.Rows[a], s.Rows[b]}}
	for delay := router.Cycle(1); ; delay++ {
		both.Rows[1].Dispatch = s.Rows[b].Dispatch + delay
		if _, collide := w.pairs(both)[[2]int{0, 1}]; !collide {
			return delay
		}
	}
}
