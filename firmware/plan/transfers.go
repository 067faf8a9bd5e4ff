// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"

	"meshwright/fabric"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// TransferPlan turns transfers into firmware: programs/transfers.s for all
// PEs, with a list of actions each. blocks returns the block of a PE.
func (t *Task) TransferPlan(l *transfer.List, blocks func(router.NodeID) Block) (*Plan, error) {
	if t.TimeOnly {
		return t.timePlan(l)
	}
	if t.Whole != nil {
		return t.planOnWhole(l, blocks)
	}
	own := make([]Block, l.Nodes)
	for n := range own {
		own[n] = blocks(router.NodeID(n))
	}
	if err := l.Check(func(n router.NodeID) int { return t.WordsOf(own[n].Words) }); err != nil {
		return nil, err
	}
	r := LoadRole("transfers")
	p := t.NewPlan(r)
	p.Messages, p.Flits = l.Messages()
	if err := p.needHeaders(l); err != nil {
		return nil, err
	}
	if t.KeepList {
		p.List = l
	}
	parts, at := l.Parts(), newActionLayout(r)
	err := eachNode(t.Ctx, "write the programs' parameters", l.Nodes, len(l.Transfers) >= manyTransfers, func(n router.NodeID) error {
		w := &actionWriter{actionLayout: at, list: l, block: t.WordsOf(own[n].Words)}
		pe := PE{Role: r.Index, Block: own[n]}
		w.write(parts[n], &pe)
		if words := len(pe.Parameters) + w.block + pe.Scratch; words > maxMemory {
			return input.Errorf(fmt.Sprintf("expected at most %d", maxMemory), "PE %d needs a memory of %d words", n, words)
		}
		p.PEs[n] = pe
		return nil
	})
	if err != nil {
		return nil, err
	}
	return p, nil
}

// needHeaders keeps which header the messages of a list need: their tags are the places of their transfers in the list.
// It refuses a list that the machine has no room for, before its words are written.
func (p *Plan) needHeaders(l *transfer.List) error {
	if p.Machine.HeaderFlits() == 0 {
		return nil
	}
	net, err := fabric.NewRoutes(p.Topology, p.Machine)
	if err != nil {
		return err
	}
	for i := range l.Transfers {
		x := &l.Transfers[i]
		if x.From == x.To || x.Out.Words() == 0 {
			continue
		}
		hops := len(x.Route)
		if x.Route == nil {
			hops = net.Distance(x.From, x.To) // should the plan choose routes at the source
		}
		p.NeedHeader(uint32(i), hops)
	}
	return p.FitsHeaders()
}

// maxMemory bounds a PE's words: addresses are 32-bit signed numbers.
const maxMemory = 1 << 30

// manyTransfers are worth all cores.
const manyTransfers = 1 << 14

// actionLayout is the layout of the parameters of programs/transfers.s, looked up once for all PEs.
type actionLayout struct {
	parameters, actions, first, buffer, tokens                             int
	action, kind, peer, tag, words, place, pieces, pieceList, start, route int
	piece, address, length                                                 int

	grant, await, pack, send, store, sum, take, takeSum uint32 // kinds
}

func newActionLayout(r *Role) *actionLayout {
	kind := func(name string) uint32 { return uint32(r.At(name)) }
	return &actionLayout{
		parameters: r.At("PARAMETERS"), actions: r.At("ACTIONS"), first: r.At("FIRST"), buffer: r.At("BUFFER"), tokens: r.At("TOKENS"),
		action: r.At("ACTION"), kind: r.At("KIND"), peer: r.At("PEER"), tag: r.At("TAG"), words: r.At("WORDS"), place: r.At("PLACE"),
		pieces: r.At("PIECES"), pieceList: r.At("LIST"), start: r.At("START"), route: r.At("ROUTE"),
		piece: r.At("PIECE"), address: r.At("ADDRESS"), length: r.At("LENGTH"),
		grant: kind("GRANT"), await: kind("AWAIT"), pack: kind("PACK"), send: kind("SEND"),
		store: kind("STORE"), sum: kind("SUM"), take: kind("TAKE"), takeSum: kind("TAKESUM"),
	}
}

// actionWriter writes the actions of a PE.
type actionWriter struct {
	*actionLayout
	list  *transfer.List
	block int      // words of the block
	own   []uint32 // the parameters
	base  int      // address of the block
	end   int      // address of the buffer
	size  int      // words of the buffer, as far as the actions are written
	next  int      // address of the next list of pieces
}

// write fills in a PE's parameters, scratch words and routes.
func (w *actionWriter) write(part []transfer.Action, pe *PE) {
	count := w.layOut(part)
	w.own[w.actions], w.own[w.first], w.own[w.buffer] = uint32(count), uint32(w.parameters), uint32(w.end)
	from := w.parameters
	for _, a := range part {
		from = w.enter(from, a, pe)
	}
	w.own[w.tokens] = uint32(w.end + w.size)
	if w.next != w.base {
		panic(fmt.Sprintf("plan: block at %d, not %d", w.next, w.base))
	}
	pe.Parameters, pe.Scratch = w.own, w.size
	if w.list.Sync {
		pe.Scratch += w.list.Nodes
	}
}

// layOut works out where everything will be. It returns the number of actions.
func (w *actionWriter) layOut(part []transfer.Action) int {
	actions, pieces := 0, 0
	for _, a := range part {
		out, in := w.sides(a)
		for _, s := range [2]transfer.Set{out, in} {
			if w.buffered(a, s) {
				pieces += len(s)
			}
		}
		_, count := w.kinds(a)
		actions += count
	}
	w.next = w.parameters + actions*w.action
	w.base = w.next + pieces*w.piece
	w.own = make([]uint32, w.base)
	w.end = w.base + w.block
	return actions
}

// sides returns the words that an action takes from its own PE, and the places where it stores
// words there; nil: none.
func (w *actionWriter) sides(a transfer.Action) (out, in transfer.Set) {
	t := &w.list.Transfers[a.Transfer]
	switch a.Kind {
	case transfer.Send:
		return t.Out, nil
	case transfer.Take:
		return nil, t.Places()
	case transfer.Local:
		return t.Out, t.Places()
	}
	return nil, nil
}

// buffered tells the words that pass through the buffer.
func (w *actionWriter) buffered(a transfer.Action, s transfer.Set) bool {
	if s == nil {
		return false
	}
	return a.Kind == transfer.Local || len(s) != 1 || a.Kind == transfer.Take && w.list.Transfers[a.Transfer].Op == transfer.Add
}

// kinds returns the actions of the program that an action comes to: one or two.
func (w *actionWriter) kinds(a transfer.Action) (kinds [2]uint32, count int) {
	sum := w.list.Transfers[a.Transfer].Op == transfer.Add
	switch {
	case a.Kind == transfer.Grant:
		return [2]uint32{w.grant}, 1
	case a.Kind == transfer.Send && w.list.Sync:
		return [2]uint32{w.await, w.send}, 2
	case a.Kind == transfer.Send:
		return [2]uint32{w.send}, 1
	case a.Kind == transfer.Take && sum:
		return [2]uint32{w.takeSum}, 1
	case a.Kind == transfer.Take:
		return [2]uint32{w.take}, 1
	case sum:
		return [2]uint32{w.pack, w.sum}, 2
	}
	return [2]uint32{w.pack, w.store}, 2
}

// enter writes an action from an address on. It returns the address behind it.
func (w *actionWriter) enter(from int, a transfer.Action, pe *PE) int {
	t := &w.list.Transfers[a.Transfer]
	out, in := w.sides(a)
	kinds, count := w.kinds(a)
	for _, kind := range kinds[:count] {
		e := w.own[from : from+w.action]
		from += w.action
		e[w.kind], e[w.peer], e[w.tag] = kind, uint32(t.From), uint32(a.Transfer)
		if a.Kind == transfer.Send {
			e[w.peer], e[w.start] = uint32(t.To), uint32(t.Start)
		}
		set := out
		if set == nil || kind == w.store || kind == w.sum {
			set = in
		}
		if set == nil || kind == w.await {
			continue
		}
		if w.buffered(a, set) {
			e[w.place], e[w.pieceList], e[w.pieces] = uint32(w.end), uint32(w.next), uint32(len(set))
			words := w.enterPieces(set)
			w.size = max(w.size, words)
			e[w.words] = uint32(words)
		} else {
			e[w.place], e[w.words] = uint32(w.base+set[0].From), uint32(set.Words())
		}
		if a.Kind == transfer.Send && t.Route != nil {
			pe.Routes = append(pe.Routes, t.Route)
			e[w.route] = uint32(len(pe.Routes))
		}
	}
	return from
}

// enterPieces writes the pieces of an action, and counts their words.
func (w *actionWriter) enterPieces(set transfer.Set) (words int) {
	for _, r := range set {
		words += r.To - r.From
		e := w.own[w.next : w.next+w.piece]
		e[w.address], e[w.length] = uint32(w.base+r.From), uint32(r.To-r.From)
		w.next += w.piece
	}
	return words
}
