// SPDX-License-Identifier: Apache-2.0

package pe

import (
	"cmp"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"meshwright/firmware/isa"
	"meshwright/internal/input"
	"meshwright/router"
)

// Fault is the error of a PE whose program did something that no PE can do.
type Fault struct {
	Node     router.NodeID
	Address  isa.Address // of the instruction
	Position string      // file and line of the instruction
	Line     string      // the line
	Cycle    router.Cycle
	What     string
}

// Error gives file, line, PE, address and cycle of the fault.
func (f *Fault) Error() string {
	return fmt.Sprintf("%s: PE %d at address %d in cycle %d: %s: %q", f.Position, f.Node, f.Address, f.Cycle, f.What, f.Line)
}

// fail records the fault that ends the turn, and the run.
func (x *execution) fail(format string, args ...any) {
	source := x.load.Programs[x.program].Source
	at := isa.Address(x.pc)
	x.failure = &Fault{
		Node: x.node, Address: at, Position: source.Position(at), Cycle: x.s.Now(), What: fmt.Sprintf(format, args...),
	}
	if at >= 0 && int(at) < len(source.Source) {
		x.failure.Line = strings.Join(strings.Fields(source.Source[at].Text), " ")
	}
}

// Wait is a PE that has not halted and what it waits for.
type Wait struct {
	Node     router.NodeID
	For      string // "recv from 5"
	Tag      string // " with tag 7", of a recv that awaits a tag
	Position string // file and line of the instruction
	Held     string // of such a recv: " (a message of node 5 with tag 0 waits in the inbox)"; only from Waiting
	Name     string // of the node, for people: "5", "5 (4132)"; "": its number; only from Waiting
}

// String describes the wait in a sentence.
func (w Wait) String() string {
	name := cmp.Or(w.Name, strconv.Itoa(int(w.Node)))
	return fmt.Sprintf("PE %s waits in %s%s at %s%s", name, w.For, w.Tag, w.Position, w.Held)
}

// Waiting calls yield for every PE that has not halted and is not dead, in rising order.
func (a *Array) Waiting() iter.Seq[Wait] {
	return func(yield func(Wait) bool) {
		for n := range a.cores {
			w, waits := a.WaitOf(router.NodeID(n))
			if !waits {
				continue
			}
			if w.Tag != "" {
				w.Held = a.held(&a.cores[n])
			}
			if a.network != nil {
				w.Name = a.network.Topology.NodeText(w.Node)
			}
			if !yield(w) {
				return
			}
		}
	}
}

// WaitOf returns what a PE waits for between cycles; false if it has halted or is dead.
func (a *Array) WaitOf(n router.NodeID) (w Wait, waits bool) {
	c := &a.cores[n]
	if c.state == halted || c.state == dead {
		return w, false
	}
	p := a.load.Programs[c.program]
	return Wait{Node: n, For: c.reason(p), Tag: c.awaitedTag(p), Position: p.Source.Position(isa.Address(c.pc))}, true
}

// awaitedTag describes the tag that a stalled recv awaits, "": it awaits none.
func (c *core) awaitedTag(p *Program) string {
	if i := p.at(c.pc); c.state == inRecv && i != nil && i.Op == isa.Recv && i.Rc != 0 {
		return fmt.Sprintf(" with tag %d", c.regs[i.Rc])
	}
	return ""
}

// held describes the first message that a stalled recv would take if it had another tag, "": there is none.
func (a *Array) held(c *core) string {
	i := a.load.Programs[c.program].at(c.pc)
	k, _ := a.inbox.find(&c.data, router.NodeID(c.regs[i.Ra]), nil)
	if k < 0 {
		return ""
	}
	m := &a.inbox.messages[k]
	return fmt.Sprintf(" (a message of node %d with tag %d waits in the inbox)", m.source, m.tag)
}

// reason describes the event that a stalled PE waits for.
func (c *core) reason(p *Program) string {
	i := p.at(c.pc)
	if i == nil {
		return "an address outside its program"
	}
	switch c.state {
	case inSend:
		return fmt.Sprintf("%v to %d", i.Op, int32(c.regs[i.Rd]))
	case inRecv:
		if i.Op == isa.Probe {
			return "probe"
		}
		if from := int32(c.regs[i.Ra]); from != isa.AnySource {
			return fmt.Sprintf("recv from %d", from)
		}
		return "recv from any node"
	case inWait:
		return fmt.Sprintf("wait for cycle %d", c.regs[i.Ra])
	}
	return i.Op.String()
}

// Unread is a message that came and that its PE never asked for.
type Unread struct {
	Node, Source router.NodeID
	Tag          uint32
	Words        int
	Control      bool // a control word
}

// String describes the message in a sentence.
func (u Unread) String() string {
	what := fmt.Sprintf("a message of %s with tag %d", input.Count(u.Words, "word"), u.Tag)
	if u.Control {
		what = "a control word"
	}
	return fmt.Sprintf("PE %d never took %s from %d", u.Node, what, u.Source)
}

// Unread calls yield for every message that is still in an inbox, in rising
// order of the nodes.
func (a *Array) Unread() iter.Seq[Unread] {
	return func(yield func(Unread) bool) {
		if a.inbox.held == 0 {
			return
		}
		for n := range a.cores {
			c := &a.cores[n]
			for _, q := range [2]queue{c.data, c.control} {
				for k := q.first; k >= 0; k = a.inbox.messages[k].next {
					p := &a.inbox.messages[k]
					u := Unread{router.NodeID(n), p.source, p.tag, a.wordsOf(p), q == c.control}
					if !yield(u) {
						return
					}
				}
			}
		}
	}
}
