// SPDX-License-Identifier: Apache-2.0

// Package transfer describes collectives as lists of messages.
package transfer

import (
	"cmp"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

type Range struct{ From, To int }
type Set []Range

func (s Set) Words() int {
	n := 0
	for _, r := range s {
		n += r.To - r.From
	}
	return n
}

func (s Set) Part(i, k int) Set {
	w := s.Words()
	from, to := w*i/k, w*(i+1)/k
	var out Set
	at := 0
	for _, r := range s {
		a, b := max(from, at), min(to, at+r.To-r.From)
		if a < b {
			out = append(out, Range{r.From + a - at, r.From + b - at})
		}
		at += r.To - r.From
	}
	return out
}

func Join(sets ...Set) Set {
	var out Set
	for _, s := range sets {
		for _, r := range s {
			if r.From == r.To {
				continue
			}
			if n := len(out); n > 0 && out[n-1].To == r.From {
				out[n-1].To = r.To
			} else {
				out = append(out, r)
			}
		}
	}
	return out
}

type Op uint8

const (
	Put Op = iota
	Add
)

type Transfer struct {
	Step     int
	From, To router.NodeID
	Out      Set
	In       Set
	Op       Op
	Route    []router.Port
	Start    router.Cycle
}

type List struct {
	Nodes     int
	Transfers []Transfer
	Sync      bool
}

type Timing struct {
	Cycles          router.Cycle
	Handed, Arrived []router.Cycle
}

func Foretell(t *topology.Topology, m machine.Machine, l *List) (*Timing, error) {
	m, err := m.Resolve(t)
	if err != nil {
		return nil, err
	}
	if m.Switching == machine.Bufferless { // stub only
		m.Switching, m.Buffer = machine.Wormhole, 4
	}
	net, err := fabric.New(t, m)
	if err != nil {
		return nil, err
	}
	type action struct {
		step, kind, index int
	}
	acts := make([][]action, l.Nodes)
	for i, x := range l.Transfers {
		if x.Out.Words() == 0 {
			continue
		}
		acts[x.From] = append(acts[x.From], action{x.Step, 0, i})
		acts[x.To] = append(acts[x.To], action{x.Step, 1, i})
	}
	for n := range acts {
		slices.SortStableFunc(acts[n], func(a, b action) int {
			return cmp.Or(cmp.Compare(a.step, b.step), cmp.Compare(a.kind, b.kind), cmp.Compare(a.index, b.index))
		})
	}
	tm := &Timing{Handed: make([]router.Cycle, len(l.Transfers)), Arrived: make([]router.Cycle, len(l.Transfers))}
	for i := range tm.Arrived {
		tm.Arrived[i] = -1
	}
	now := make([]router.Cycle, l.Nodes)
	pc := make([]int, l.Nodes)
	type ch struct {
		n router.NodeID
		c router.Port
	}
	free, ready := map[ch]router.Cycle{}, map[ch]router.Cycle{}
	s, f, h := router.Cycle(m.Startup), router.Cycle(m.Flit), router.Cycle(m.Hop)
	for moved := true; moved; {
		moved = false
		for n := range pc {
			for ; pc[n] < len(acts[n]); pc[n]++ {
				a := acts[n][pc[n]]
				x := l.Transfers[a.index]
				if a.kind == 0 {
					c := ch{n: router.NodeID(n)}
					route := x.Route
					if route == nil {
						route = net.Route(x.From, x.To)
					}
					if m.Channels == machine.Links {
						c.c = route[0]
					}
					hand := max(now[n], free[c], x.Start)
					now[n] = hand
					w := router.Cycle(x.Out.Words())
					first := max(hand+s, ready[c])
					last := first + (w-1)*f
					free[c], ready[c] = last+1, last+f
					tm.Handed[a.index] = hand
					tm.Arrived[a.index] = last + router.Cycle(len(route))*h + f - 1
					tm.Cycles = max(tm.Cycles, tm.Arrived[a.index]+1)
				} else {
					if tm.Arrived[a.index] < 0 {
						break
					}
					now[n] = max(now[n], tm.Arrived[a.index])
				}
				moved = true
			}
		}
	}
	for n := range pc {
		if pc[n] < len(acts[n]) {
			panic("stuck")
		}
	}
	return tm, nil
}
