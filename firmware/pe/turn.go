// SPDX-License-Identifier: Apache-2.0

package pe

import (
	"meshwright/fabric"
	"meshwright/router"
)

// PEs that act in the same cycle do not see one another, so they run at the same time, some of them in each turn. What
// they do to others waits in the turn. It is carried out in the order of the turns, which is that of the nodes. The
// turns depend on the PEs alone, so the results are the same with any number of workers.

// turn is what some PEs have done in a cycle that concerns more than themselves.
type turn struct {
	outbox  fabric.Outbox
	waits   []timer
	taken   []int32 // entries of the inbox that are free now
	halts   int
	failure *Fault   // of the last of the PEs that ran; nil: none
	word    []uint32 // of the last sendw
}

const (
	ofTurn   = 64 // PEs
	together = 64 // turns, so that little is held back
	worthAll = 4  // turns that are worth all workers
)

// runReady runs the PEs of the list ready.
func (a *Array) runReady(s fabric.Signals) {
	if a.doTurn == nil {
		a.doTurn = a.takeTurn
	}
	a.signals = s
	for rest := a.ready; len(rest) > 0 && a.fault == nil; rest = rest[len(a.turning):] {
		a.turning = rest[:min(len(rest), ofTurn*together)]
		turns := (len(a.turning) + ofTurn - 1) / ofTurn
		for len(a.turns) < turns {
			a.turns = append(a.turns, turn{})
		}
		if turns >= worthAll {
			s.Do(turns, a.doTurn)
		} else {
			for i := range turns {
				a.takeTurn(i)
			}
		}
		for i := range a.turns[:turns] {
			a.settle(&a.turns[i])
		}
	}
}

// takeTurn runs the PEs of turn i, up to one that fails.
func (a *Array) takeTurn(i int) {
	t := &a.turns[i]
	for _, n := range a.turning[i*ofTurn : min(len(a.turning), (i+1)*ofTurn)] {
		c := &a.cores[n]
		c.queued = false
		if c.state != dead && t.failure == nil {
			a.run(t, router.NodeID(n))
		}
	}
}

// settle carries out what the PEs of a turn have done, unless one in an earlier turn has failed.
func (a *Array) settle(t *turn) {
	if a.fault == nil {
		a.signals.Post(&t.outbox)
		for _, w := range t.waits {
			a.timers.Push(w)
		}
		for _, k := range t.taken {
			a.inbox.release(k)
		}
		if t.halts > 0 {
			a.active, a.lastHalt = a.active-t.halts, a.now
		}
		a.fault = t.failure
	}
	t.outbox.Clear()
	t.waits, t.taken, t.halts, t.failure = t.waits[:0], t.taken[:0], 0, nil
}
