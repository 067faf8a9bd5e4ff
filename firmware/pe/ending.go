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
	Cycle   router.Cycle
	Waiting []Wait // the first ones
	More    int    // others
	Lost    int    // messages that faults have lost
	Dead    int    // PEs whose nodes are dead
}

// maxNamed bounds the waiting PEs that an error names.
const maxNamed = 4

// NewStuck lists the PEs that still wait in a network in which nothing moves any more.
func NewStuck(a *Array) *Stuck {
	s := &Stuck{Cycle: a.now}
	if a.network != nil {
		losses := a.network.Losses()
		s.Lost = losses.Messages()
	}
	for w := range a.Waiting() {
		if len(s.Waiting) < maxNamed {
			s.Waiting = append(s.Waiting, w)
		} else {
			s.More++
		}
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
	fmt.Fprintf(&b, "nothing moves any more in cycle %d:", s.Cycle)
	for i, w := range s.Waiting {
		if i > 0 {
			b.WriteString(";")
		}
		b.WriteString(" " + w.String())
	}
	if s.More > 0 {
		fmt.Fprintf(&b, "; and %d more", s.More)
	}
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
