// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// TransferPlan turns transfers into firmware: programs/transfers.s for all
// PEs, with a list of actions each. blocks returns the block of a PE.
func (t *Task) TransferPlan(l *transfer.List, blocks func(router.NodeID) Block) (*Plan, error) {
	if t.Whole != nil {
		return t.planOnWhole(l, blocks)
	}
	own := make([]Block, l.Nodes)
	for n := range own {
		own[n] = blocks(router.NodeID(n))
	}
	if err := l.Check(func(n router.NodeID) int { return len(own[n].Words) }); err != nil {
		return nil, err
	}
	r := LoadRole("transfers")
	p := t.NewPlan(r)
	p.Messages, p.Flits = l.Messages()
	parts := l.Parts()
	for n := range p.PEs {
		if err := t.Ctx.Err(); err != nil {
			return nil, err
		}
		w := &actionWriter{list: l, own: r.Parameters(), block: own[n]}
		pe := PE{Role: r.Index, Block: w.block}
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
	own   *Parameters
	block Block
	base  int // address of the block
	end   int // address of the buffer
	size  int // words of the buffer
	lists []pieceList
}

// pieceList is the pieces of an action, to be listed behind the actions.
type pieceList struct {
	owner Record
	set   transfer.Set
}

// write fills in a PE's parameters, scratch words and routes.
func (w *actionWriter) write(part []transfer.Action, pe *PE) {
	w.place(part)
	w.own.List("FIRST")
	w.own.Set("BUFFER", w.end)
	w.own.Set("TOKENS", w.end+w.size)
	for _, a := range part {
		w.action(a, pe)
	}
	piece := w.own.role.At("PIECE")
	for _, l := range w.lists {
		l.owner.Set("LIST", len(w.own.Words))
		l.owner.Set("PIECES", len(l.set))
		for _, r := range l.set {
			e := w.own.Record("PIECE")
			e.Set("ADDRESS", w.base+r.From)
			e.Set("LENGTH", r.To-r.From)
		}
	}
	if len(w.own.Words) != w.base {
		panic(fmt.Sprintf("plan: block at %d, not %d; pieces of %d words", len(w.own.Words), w.base, piece))
	}
	pe.Parameters, pe.Scratch = w.own.Words, w.size
	if w.list.Sync {
		pe.Scratch += w.list.Nodes
	}
}

// place works out where everything behind the actions will be.
func (w *actionWriter) place(part []transfer.Action) {
	r := w.own.role
	words := len(w.own.Words)
	actions := 0
	for _, a := range part {
		t := &w.list.Transfers[a.Transfer]
		for _, s := range w.sides(a) {
			if w.buffered(a, s) {
				words += len(s) * r.At("PIECE")
				w.size = max(w.size, s.Words())
			}
		}
		actions += len(w.kinds(a, t))
	}
	w.own.Set("ACTIONS", actions)
	w.base = words + actions*r.At("ACTION")
	w.own.Words = slices.Grow(w.own.Words, w.base-len(w.own.Words))
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
		e := w.own.Record("ACTION")
		e.Set("KIND", w.own.role.At(kind))
		e.Set("PEER", int(t.From))
		e.Set("TAG", int(a.Transfer))
		if a.Kind == transfer.Send {
			e.Set("PEER", int(t.To))
			e.Set("START", int(t.Start))
		}
		if len(sides) == 0 || kind == "AWAIT" {
			continue
		}
		set := sides[min(i, len(sides)-1)]
		e.Set("WORDS", set.Words())
		if w.buffered(a, set) {
			e.Set("PLACE", w.end)
			w.lists = append(w.lists, pieceList{e, set})
		} else {
			e.Set("PLACE", w.base+set[0].From)
		}
		if a.Kind == transfer.Send && t.Route != nil {
			pe.Routes = append(pe.Routes, t.Route)
			e.Set("ROUTE", len(pe.Routes))
		}
	}
}
