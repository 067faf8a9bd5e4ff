// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"fmt"
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// transferPlan turns transfers into firmware: programs/transfers.s for all
// PEs, with a list of actions each. blocks says what is in a PE's block.
func (t *task) transferPlan(l *transfer.List, blocks func(router.NodeID) Block) (*Plan, error) {
	own := make([]Block, l.Nodes)
	for n := range own {
		own[n] = blocks(router.NodeID(n))
	}
	if err := l.Check(func(n router.NodeID) int { return len(own[n].Words) }); err != nil {
		return nil, err
	}
	r := loadRole("transfers")
	p := t.newPlan(r)
	p.Messages, p.Flits = l.Messages()
	parts := l.Parts()
	for n := range p.PEs {
		if err := t.ctx.Err(); err != nil {
			return nil, err
		}
		w := &actionWriter{list: l, own: r.parameters(), block: own[n]}
		pe := PE{Role: r.index, Block: w.block}
		w.write(parts[n], &pe)
		if words := len(pe.Parameters) + len(pe.Block.Words) + pe.Scratch; words > maxMemory {
			return nil, input.Errorf(fmt.Sprintf("expected at most %d", maxMemory), "PE %d needs a memory of %d words", n, words)
		}
		p.PEs[n] = pe
	}
	return p, nil
}

// maxMemory bounds a PE's words: addresses are 32-bit signed numbers.
const maxMemory = 1 << 30

// actionWriter writes the actions of a PE.
type actionWriter struct {
	list  *transfer.List
	own   *parameters
	block Block
	base  int // address of the block
	end   int // address of the buffer
	size  int // words of the buffer
	lists []pieceList
}

// pieceList is the pieces of an action, to be listed behind the actions.
type pieceList struct {
	owner record
	set   transfer.Set
}

// write fills in a PE's parameters, scratch words and routes.
func (w *actionWriter) write(part []transfer.Action, pe *PE) {
	w.place(part)
	w.own.list("FIRST")
	w.own.set("BUFFER", w.end)
	w.own.set("TOKENS", w.end+w.size)
	for _, a := range part {
		w.action(a, pe)
	}
	piece := w.own.role.at("PIECE")
	for _, l := range w.lists {
		l.owner.set("LIST", len(w.own.words))
		l.owner.set("PIECES", len(l.set))
		for _, r := range l.set {
			e := w.own.record("PIECE")
			e.set("ADDRESS", w.base+r.From)
			e.set("LENGTH", r.To-r.From)
		}
	}
	if len(w.own.words) != w.base {
		panic(fmt.Sprintf("collective: block at %d, not %d; pieces of %d words", len(w.own.words), w.base, piece))
	}
	pe.Parameters, pe.Scratch = w.own.words, w.size
	if w.list.Sync {
		pe.Scratch += w.list.Nodes
	}
}

// place works out where everything behind the actions will be.
func (w *actionWriter) place(part []transfer.Action) {
	r := w.own.role
	words := len(w.own.words)
	actions := 0
	for _, a := range part {
		t := &w.list.Transfers[a.Transfer]
		for _, s := range w.sides(a) {
			if w.buffered(a, s) {
				words += len(s) * r.at("PIECE")
				w.size = max(w.size, s.Words())
			}
		}
		actions += len(w.kinds(a, t))
	}
	w.own.set("ACTIONS", actions)
	w.base = words + actions*r.at("ACTION")
	w.own.words = slices.Grow(w.own.words, w.base-len(w.own.words))
	w.end = w.base + len(w.block.Words)
}

// sides returns the sets of an action's own PE.
func (w *actionWriter) sides(a transfer.Action) []transfer.Set {
	t := &w.list.Transfers[a.Transfer]
	switch a.Kind {
	case transfer.Send:
		return []transfer.Set{t.Out}
	case transfer.Take:
		return []transfer.Set{t.Places()}
	case transfer.Local:
		return []transfer.Set{t.Out, t.Places()}
	}
	return nil
}

// buffered tells the words that pass through the buffer.
func (w *actionWriter) buffered(a transfer.Action, s transfer.Set) bool {
	return a.Kind == transfer.Local || len(s) != 1 || a.Kind == transfer.Take && w.list.Transfers[a.Transfer].Op == transfer.Add
}

// kinds returns the actions of the program that an action comes to.
func (w *actionWriter) kinds(a transfer.Action, t *transfer.Transfer) []string {
	sum := t.Op == transfer.Add
	switch {
	case a.Kind == transfer.Grant:
		return []string{"GRANT"}
	case a.Kind == transfer.Send && w.list.Sync:
		return []string{"AWAIT", "SEND"}
	case a.Kind == transfer.Send:
		return []string{"SEND"}
	case a.Kind == transfer.Take && sum:
		return []string{"TAKESUM"}
	case a.Kind == transfer.Take:
		return []string{"TAKE"}
	case sum:
		return []string{"PACK", "SUM"}
	}
	return []string{"PACK", "STORE"}
}

func (w *actionWriter) action(a transfer.Action, pe *PE) {
	t := &w.list.Transfers[a.Transfer]
	sides := w.sides(a)
	for i, kind := range w.kinds(a, t) {
		e := w.own.record("ACTION")
		e.set("KIND", w.own.role.at(kind))
		e.set("PEER", int(t.From))
		e.set("TAG", int(a.Transfer))
		if a.Kind == transfer.Send {
			e.set("PEER", int(t.To))
			e.set("START", int(t.Start))
		}
		if len(sides) == 0 || kind == "AWAIT" {
			continue
		}
		set := sides[min(i, len(sides)-1)]
		e.set("WORDS", set.Words())
		if w.buffered(a, set) {
			e.set("PLACE", w.end)
			w.lists = append(w.lists, pieceList{e, set})
		} else {
			e.set("PLACE", w.base+set[0].From)
		}
		if a.Kind == transfer.Send && t.Route != nil {
			pe.Routes = append(pe.Routes, t.Route)
			e.set("ROUTE", len(pe.Routes))
		}
	}
}
