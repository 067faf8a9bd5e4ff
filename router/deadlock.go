// SPDX-License-Identifier: Apache-2.0

package router

import (
	"fmt"
	"strings"
)

// Wait is one step of a chain of waiting channels.
type Wait struct {
	Node    NodeID
	Port    Port // link port of the input, NoPort for an injection register
	Channel int32
	VC      VC
	Message int64 // serial number
	For     Reason
}

// Reason is the kind of resource that a waiting flit needs.
type Reason string

// The reasons.
const (
	ForClaim Reason = "the output held by" // another worm has claimed the output
	ForRoom  Reason = "room in"            // the buffer behind the link is full
	ForTurn  Reason = "its turn after"     // a packet that came before goes first
)

// Deadlock is the error of a run in which worms wait for one another in a circle.
type Deadlock struct {
	Cycle Cycle  // on a clock of several ticks a cycle: tick
	Ticks int    // of a cycle; 0 is 1
	Chain []Wait // each waits for the next, the last for the first
}

// Error names the waiting channels in their circle, each with its message and
// what it needs of the next.
func (d *Deadlock) Error() string {
	var b strings.Builder
	when := fmt.Sprintf("cycle %d", d.Cycle)
	if d.Ticks > 1 {
		when = fmt.Sprintf("tick %d (%d a cycle)", d.Cycle, d.Ticks)
	}
	fmt.Fprintf(&b, "deadlock in %s: %d channels wait in a circle: ", when, len(d.Chain))
	for i, w := range d.Chain {
		next := "the first"
		if i < len(d.Chain)-1 {
			next = d.Chain[i+1].place()
		}
		if i == 0 {
			fmt.Fprintf(&b, "%s waits for %s %s", w.place(), w.For, next)
		} else {
			fmt.Fprintf(&b, ", that for %s %s", w.For, next)
		}
	}
	return b.String()
}

func (w Wait) place() string {
	if w.Port == NoPort {
		return fmt.Sprintf("node %d channel %d (message %d)", w.Node, w.Channel, w.Message)
	}
	return fmt.Sprintf("node %d port %d vc %d (message %d)", w.Node, w.Port, w.VC, w.Message)
}

// watchEntry remembers what stood at the front of an input.
type watchEntry struct {
	worm, seq uint32
	held      bool
}

// Watch compares the first flits of all inputs with the first flits at its last call. If some
// have not moved, it follows the resources that they wait for; a circle is a *Deadlock. Call
// it at intervals longer than any worm waits in a sound network, or when nothing moves at all.
func (b *Bank) Watch() error {
	if b.cfg.Bufferless {
		return nil
	}
	first := b.watch == nil
	if first {
		b.watch = make([]watchEntry, b.inputs)
	}
	stuck := make([]bool, b.inputs)
	for i := range stuck {
		seen := watchEntry{}
		if f, ok := b.engine.front(int32(i)); ok {
			seen = watchEntry{f.Worm, f.Seq, true}
		}
		stuck[i] = !first && seen.held && seen == b.watch[i]
		b.watch[i] = seen
	}
	if e, ok := b.engine.(*reference); ok && b.cfg.Classes > 0 {
		e.mayMove(stuck)
	}
	if circle := b.findCircle(stuck); circle != nil {
		return &Deadlock{Cycle: b.now, Chain: circle}
	}
	return nil
}

// ForgetWatch makes the bank forget what stood at the front of inputs.
func (b *Bank) ForgetWatch() { b.watch = nil }

// findCircle follows, from every stuck input, the one input it waits for.
func (b *Bank) findCircle(stuck []bool) []Wait {
	walk := make([]int32, len(stuck)) // the walk that passed here, from 1
	for start := range stuck {
		for at := int32(start); at >= 0 && stuck[at] && walk[at] == 0; {
			walk[at] = int32(start) + 1
			next, _ := b.engine.waitsFor(at)
			if next >= 0 && stuck[next] && walk[next] == int32(start)+1 {
				return b.circleFrom(next)
			}
			at = next
		}
	}
	return nil
}

func (b *Bank) circleFrom(start int32) []Wait {
	var chain []Wait
	for at := start; ; {
		next, why := b.engine.waitsFor(at)
		chain = append(chain, b.waitAt(at, why))
		if at = next; at == start {
			return chain
		}
	}
}

func (b *Bank) waitAt(i int32, why Reason) Wait {
	chip := b.chipOf(i)
	f, _ := b.engine.front(i)
	w := Wait{Node: NodeID(chip), Port: NoPort, VC: f.VC, Message: int64(b.Worm(f.Worm).Message), For: why}
	if i < b.linkInputs {
		w.Port = Port(int(i)/b.cfg.VCs - int(b.cfg.PortBase[chip]))
	} else {
		w.Channel = i - b.linkInputs - b.channelBase[chip]
	}
	return w
}
