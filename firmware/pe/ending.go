// SPDX-License-Identifier: Apache-2.0

package pe

import (
	"fmt"
	"strings"

	"meshwright/fabric"
	"meshwright/firmware/isa"
	"meshwright/internal/input"
	"meshwright/router"
)

// Stuck is the error of a run that ended while PEs were waiting for messages that never
// come.
type Stuck struct {
	Cycle router.Cycle
	Waits
	Lost int // messages that faults have lost
	Dead int // PEs whose nodes are dead
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
		losses := a.network.Losses()
		s.Lost = losses.Messages()
	}
	for n := range a.cores {
		if a.cores[n].state == dead {
			s.Dead++
		}
	}
	return s
}

// Error lists the waiting PEs, what each waits for, and what faults took away.
func (s *Stuck) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "nothing moves any more in cycle %d: %s", s.Cycle, s.Waits)
	if s.Lost > 0 || s.Dead > 0 {
		fmt.Fprintf(&b, "; faults: %s lost, %s dead", input.Count(s.Lost, "message"), input.Count(s.Dead, "PE"))
	}
	return b.String()
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
