// SPDX-License-Identifier: Apache-2.0

package pe

import (
	"fmt"
	"strings"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/topology"
	"meshwright/firmware/isa"
	"meshwright/internal/input"
	"meshwright/router"
)

// Stuck is the error of a run that ended while PEs were waiting for messages that never
// come.
type Stuck struct {
	Cycle router.Cycle
	Waits
	Dead     []router.NodeID // nodes that are dead
	AtDead   []fabric.Lossy  // dead links that lost messages
	Dropping []fabric.Lossy  // links that dropped messages
	Broken   []fault.Broken  // what is dead in which cycles

	topology *topology.Topology // whose nodes have names; nil: numbers
}

// Waits are the PEs that have not halted.
type Waits struct {
	Waiting []Wait // the first ones
	More    int    // others
}

// maxNamed bounds the waiting PEs that an error names.
const maxNamed = 4

// stalled lists the PEs that have not halted.
func (a *Array) stalled() Waits {
	var list Waits
	for w := range a.Waiting() {
		if len(list.Waiting) < maxNamed {
			list.Waiting = append(list.Waiting, w)
		} else {
			list.More++
		}
	}
	return list
}

// String lists the waiting PEs, and what each waits for.
func (l Waits) String() string {
	var b strings.Builder
	for i, w := range l.Waiting {
		if i > 0 {
			b.WriteString("; ")
		}
		b.WriteString(w.String())
	}
	if l.More > 0 {
		fmt.Fprintf(&b, "; and %d more", l.More)
	}
	return b.String()
}

// Endless is the error of a run that came to its limit of cycles while PEs were running.
type Endless struct {
	Limit router.Cycle
	Waits
}

// NewEndless lists the PEs that have not halted at the limit.
func NewEndless(a *Array, limit router.Cycle) *Endless { return &Endless{limit, a.stalled()} }

// Error gives the limit, and where the PEs are.
func (e *Endless) Error() string {
	text := fmt.Sprintf("%v: %d", fabric.ErrLimit, e.Limit)
	if len(e.Waiting) > 0 {
		text += ": " + e.Waits.String()
	}
	return text
}

// Unwrap returns fabric.ErrLimit.
func (e *Endless) Unwrap() error { return fabric.ErrLimit }

// NewStuck lists the PEs that still wait in a network in which nothing moves any more.
func NewStuck(a *Array) *Stuck {
	s := &Stuck{Cycle: a.now, Waits: a.stalled()}
	if a.network != nil {
		s.topology = a.network.Topology
		s.AtDead, s.Dropping = a.network.LostAt(fault.Dead), a.network.LostAt(fault.Dropped)
		if f := a.network.Faults(); f != nil {
			s.Broken = f.Broken()
		}
	}
	for n := range a.cores {
		if a.cores[n].state == dead {
			s.Dead = append(s.Dead, router.NodeID(n))
		}
	}
	return s
}

// Error says what faults took away, and lists the waiting PEs and what each waits for.
func (s *Stuck) Error() string {
	causes := s.causes()
	if len(causes) == 0 {
		return fmt.Sprintf("nothing moves any more in cycle %d: %s", s.Cycle, s.Waits)
	}
	waiting := len(s.Waiting) + s.More
	verb := "wait"
	if waiting == 1 {
		verb = "waits"
	}
	return fmt.Sprintf("%s; nothing moves any more in cycle %d, %s %s: %s", strings.Join(causes, "; "), s.Cycle, input.Count(waiting, "PE"), verb, s.Waits)
}

// causes are what faults did; none without faults.
func (s *Stuck) causes() (list []string) {
	for _, c := range []struct {
		did, where string
		links      []fabric.Lossy
	}{{"lost", "dead link", s.AtDead}, {"dropped", "link", s.Dropping}} {
		if len(c.links) == 0 {
			continue
		}
		messages, verb, names := 0, "were", []string{}
		for i, l := range c.links {
			if messages += l.Messages; i < maxNamed {
				names = append(names, s.topology.LinkText(l.From, l.To, ">"))
				if when := fault.WhenOf(s.Broken, l.From, l.To); when != "" && c.did == "lost" {
					names[i] += " (dead " + when + ")"
				}
			}
		}
		if messages == 1 {
			verb = "was"
		}
		if len(c.links) > 1 {
			c.where += "s"
		}
		text := fmt.Sprintf("%s %s %s at %s %s", input.Count(messages, "message"), verb, c.did, c.where, strings.Join(names, ", "))
		if more := len(c.links) - maxNamed; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		list = append(list, text)
	}
	return append(list, s.deadNodes()...)
}

// deadNodes says which nodes are dead, or were dead in which cycles: their PEs stay stopped.
func (s *Stuck) deadNodes() (list []string) {
	nodes := map[string][]router.NodeID{}
	var order []string
	for _, n := range s.Dead {
		when := fault.WhenOf(s.Broken, n, n)
		if nodes[when] == nil {
			order = append(order, when)
		}
		nodes[when] = append(nodes[when], n)
	}
	for i, when := range order {
		if i == maxNamed {
			return append(list, fmt.Sprintf("nodes of %d other spans of cycles are dead", len(order)-i))
		}
		verb := " are dead"
		switch {
		case len(nodes[when]) == 1 && strings.HasPrefix(when, "in "):
			verb = " was dead"
		case strings.HasPrefix(when, "in "):
			verb = " were dead"
		case len(nodes[when]) == 1:
			verb = " is dead"
		}
		if when != "" {
			verb += " " + when
		}
		list = append(list, fault.NodesText(s.topology, nodes[when])+verb)
	}
	return list
}

// Unwrap returns fabric.ErrIdle.
func (s *Stuck) Unwrap() error { return fabric.ErrIdle }

// SetRegister gives a register of a PE a value, before the first cycle.
func (a *Array) SetRegister(n router.NodeID, r isa.Reg, value uint32) { a.cores[n].regs[r] = value }

// LastHalt returns the cycle in which the last PE to halt did; -1 when none has.
func (a *Array) LastHalt() router.Cycle { return a.lastHalt }

// CountHalted counts the PEs that have a program and have halted.
func (a *Array) CountHalted() int {
	count := 0
	for n := range a.cores {
		if a.load.Runs[n] != Nothing && a.cores[n].state == halted {
			count++
		}
	}
	return count
}
