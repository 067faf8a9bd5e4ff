// SPDX-License-Identifier: Apache-2.0

package tolerant

import (
	"cmp"
	"slices"

	"meshwright/firmware/pe"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// writer writes the parameters of the PEs, one after another.
type writer struct {
	*schedule
	role   *plan.Role
	period router.Cycle
	fields *actionFields

	// of the present PE
	node    router.NodeID
	own     *plan.Parameters
	slots   map[copyOf]int // offsets from the first slot
	scratch int            // words of all slots
	begins  []int32        // messages of the PE, in the order in which they leave
	results []result
	at      map[int32]int // by message: its place in results
	free    []int         // for the slots of results
	actions []action
}

// copyOf is a copy of a message at a PE; at its source all copies are the first.
type copyOf struct{ message, copy int32 }

// result is a message that the PE keeps.
type result struct {
	message     int32
	words, mark int
	slots       []int
}

// action is what the PE does in a cycle.
type action struct {
	cycle   router.Cycle
	peer    router.NodeID
	message int32
	slot    int
	take    bool
}

// actionFields are the places of the fields of an action. They are looked up once, since a plan has millions of
// actions.
type actionFields struct{ size, cycle, peer, slot, flits, tag, take int }

func newActionFields(r *plan.Role) *actionFields {
	return &actionFields{r.At("ACTION"), r.At("CYCLE"), r.At("PEER"), r.At("SLOT"), r.At("FLITS"), r.At("TAG"), r.At("TAKE")}
}

// append appends an action of a PE whose slots begin at an address.
func (f *actionFields) append(words []uint32, a *action, slots, flits int) []uint32 {
	base := len(words)
	words = append(words, make([]uint32, f.size)...)
	e := words[base:]
	e[f.cycle], e[f.peer], e[f.slot] = uint32(a.cycle), uint32(a.peer), uint32(slots+a.slot)
	e[f.flits], e[f.tag] = uint32(flits), uint32(a.message)
	if a.take {
		e[f.take] = 1
	}
	return words
}

// begin forgets the last PE.
func (w *writer) begin(n router.NodeID) {
	w.node, w.own, w.scratch = n, w.role.Parameters(), 0
	w.begins, w.results, w.actions = w.begins[:0], w.results[:0], w.actions[:0]
	clear(w.slots)
	clear(w.at)
}

// write returns the PE for the hops that begin or end at it.
func (w *writer) write(n router.NodeID, hops []int32) plan.PE {
	w.begin(n)
	block := w.block(n)
	if len(hops) == 0 {
		return plan.PE{Role: pe.Nothing, Block: block}
	}
	for _, i := range hops {
		h := &w.hops[i]
		if h.from == w.node {
			w.send(h)
		} else {
			w.take(h)
		}
	}
	slices.SortStableFunc(w.actions, func(a, b action) int {
		if a.cycle == b.cycle && a.take != b.take {
			if a.take {
				return -1
			}
			return 1
		}
		return cmp.Compare(a.cycle, b.cycle)
	})
	w.layOut(w.WordsOf(block.Words))
	return plan.PE{Role: w.role.Index, Parameters: w.own.Words, Block: block, Scratch: w.scratch}
}

func (w *writer) send(h *hop) {
	key := copyOf{h.message, h.copy}
	if w.messages[h.message].source == w.node {
		key.copy = 0
	}
	slot, ok := w.slots[key]
	if !ok {
		slot = w.slot(key)
		w.begins = append(w.begins, h.message)
	}
	w.actions = append(w.actions, action{router.Cycle(h.step) * w.period, h.to, h.message, slot, false})
}

func (w *writer) take(h *hop) {
	slot := w.slot(copyOf{h.message, h.copy})
	w.actions = append(w.actions, action{router.Cycle(h.step+1) * w.period, h.from, h.message, slot, true})
	words, mark, keeps := w.place(h.message, w.node)
	if !keeps || h.passes {
		return
	}
	k, ok := w.at[h.message]
	if !ok {
		k = len(w.results)
		w.at[h.message] = k
		if len(w.free) < w.copies { // one piece of memory for many results
			w.free = make([]int, 64*w.copies)
		}
		w.results = append(w.results, result{h.message, words, mark, w.free[:0:w.copies]})
		w.free = w.free[w.copies:]
	}
	w.results[k].slots = append(w.results[k].slots, slot)
}

// slot makes the slot of a copy.
func (w *writer) slot(key copyOf) int {
	slot := w.scratch
	w.slots[key] = slot
	w.scratch += 1 + w.flits(key.message)
	return slot
}

// layOut writes the lists, now that their lengths are known.
func (w *writer) layOut(block int) {
	own := w.own
	base := len(own.Words) + len(w.begins)*w.role.At("OWN_MESSAGE") + len(w.actions)*w.role.At("ACTION")
	for _, r := range w.results {
		base += w.role.At("RESULT") + len(r.slots)
	}
	own.Words = slices.Grow(own.Words, base-len(own.Words))
	slots := base + block // addresses of the block and of the first slot
	own.Set("SUMS", sums(w.Task))
	own.Set("SHIFT", max(0, 32-w.Machine.Width))
	if w.copies > 2 && sums(w.Task) == 0 {
		own.Set("VOTE", 1)
	}
	own.Set("OWN", len(w.begins))
	own.List("OWN_LIST")
	for _, m := range w.begins {
		words := w.messages[m].words
		e := own.Record("OWN_MESSAGE")
		e.Set("ADDRESS", base+words.From)
		e.Set("WORDS", words.To-words.From)
		e.Set("SLOT", slots+w.slots[copyOf{m, 0}])
	}
	own.Set("ACTIONS", len(w.actions))
	own.List("ACTION_LIST")
	for i := range w.actions {
		own.Words = w.fields.append(own.Words, &w.actions[i], slots, w.flits(w.actions[i].message))
	}
	own.Set("RESULTS", len(w.results))
	own.List("RESULT_LIST")
	for _, r := range w.results {
		words := w.messages[r.message].words
		e := own.Record("RESULT")
		e.Set("ADDRESS", base+r.words)
		e.Set("WORDS", words.To-words.From)
		e.Set("MARK", base+r.mark)
		e.Set("COPIES", len(r.slots))
		for _, slot := range r.slots {
			own.Words = append(own.Words, uint32(slots+slot))
		}
	}
}
