// SPDX-License-Identifier: Apache-2.0

package gate

import (
	"math/rand/v2"
	"slices"
)

// A simulation drops most candidates that are no invariants, long before a search would find them one by one. Every lane holds a
// state in which all candidates hold. It advances with random inputs that keep the rules, so what does not hold in its next state
// does not follow from the candidates, and is dropped. Then all that are left hold in this state, too. What is left in the end is the
// same with or without simulation: the search decides.

// quiet is how many cycles in a row drop nothing before a simulation ends; repairs is how often inputs that break a rule are changed.
const (
	quiet   = 20
	repairs = 8
)

// candidate is what may be an invariant: one of its terms is true. In clauses it holds while its literal is true.
type candidate struct {
	row     []Term
	assumed int
}

// weeder simulates the sound design.
type weeder struct {
	p       *Prover
	program *Program
	inputs  []Net // that the program reads and that may change
	isInput map[Net]bool
	rng     *rand.Rand
	now     []int32 // by net: the place of a register
	next    []int32 // by net: the place of what a register takes over
}

func (p *Prover) weeder() *weeder {
	w := &weeder{p: p, isInput: map[Net]bool{}, rng: rand.New(rand.NewPCG(1, 2)), next: make([]int32, p.d.nets)}
	w.program = p.d.Compile([]int{0}, p.tied, p.watched())
	w.now = w.program.place
	for _, s := range w.program.saved {
		w.next[p.d.registers[s.register].now] = s.next
	}
	for _, list := range p.d.Inputs {
		for _, net := range list {
			if _, tied := p.tied[net]; !tied && w.program.place[net] >= 2 {
				w.inputs = append(w.inputs, net)
				w.isInput[net] = true
			}
		}
	}
	slices.Sort(w.inputs)
	return w
}

// fromRun begins in the states of the run.
func (w *weeder) fromRun() {
	for _, s := range w.program.saved {
		now := &w.program.values[s.now]
		for lane := range Lanes {
			now.set(lane, w.p.states[lane%len(w.p.states)][s.register])
		}
	}
}

// fromValues begins in a state and with inputs that are given, and, in all lanes but the first, in others near it.
func (w *weeder) fromValues(value func(Net) bool, list []candidate) {
	near := func(net Net, rarity int) {
		v := all(value(net))
		flip := w.seldom(rarity)
		flip.set(0, false)
		for k := range v {
			v[k] ^= flip[k]
		}
		w.program.values[w.program.place[net]] = v
	}
	for _, s := range w.program.saved {
		near(w.p.d.registers[s.register].now, 8)
	}
	var far Word
	for i := range list {
		broken := w.broken(list[i].row, w.now)
		far.or(&broken)
	}
	for _, s := range w.program.saved {
		w.program.values[s.now].choose(&far, all(value(w.p.d.registers[s.register].now)))
	}
	for _, net := range w.inputs {
		near(net, 3)
	}
}

// seldom returns a word with a random bit of 2^rarity set.
func (w *weeder) seldom(rarity int) Word {
	word := all(true)
	for k := range word {
		for range rarity {
			word[k] &= w.rng.Uint64()
		}
	}
	return word
}

// draw gives all inputs random values. Resets are seldom.
func (w *weeder) draw() {
	for _, net := range w.inputs {
		w.program.values[w.program.place[net]] = w.seldom(1)
	}
	if rst := w.p.d.Inputs["rst_i"][0]; w.isInput[rst] {
		w.program.values[w.program.place[rst]] = w.seldom(6)
	}
}

// run drops candidates until some cycles drop none. The first cycle has the inputs that are there.
func (w *weeder) run(list []candidate) []candidate {
	for calm := 0; calm < quiet; calm++ {
		legal := w.legal()
		before := len(list)
		list = slices.DeleteFunc(list, func(c candidate) bool {
			broken := w.broken(c.row, w.next)
			return broken.meets(&legal)
		})
		if len(list) < before {
			calm = 0
		}
		w.program.clockIn(&legal)
		w.draw()
	}
	return list
}

// legal changes inputs until most lanes keep the rules, and returns these lanes.
func (w *weeder) legal() Word {
	var wrong Word
	for range repairs {
		w.program.Evaluate()
		wrong = Word{}
		for _, row := range w.p.never {
			broken := w.program.allTrue(row)
			if broken == (Word{}) {
				continue
			}
			wrong.or(&broken)
			if t := row[w.rng.IntN(len(row))]; w.isInput[t.Net] {
				w.program.values[w.program.place[t.Net]].choose(&broken, all(!t.Value))
			}
		}
		if wrong == (Word{}) {
			break
		}
	}
	for k := range wrong {
		wrong[k] = ^wrong[k]
	}
	return wrong
}

// broken returns the lanes in which no term of a row is true, in this state or the next one.
func (w *weeder) broken(row []Term, places []int32) Word {
	lanes := all(true)
	for _, t := range row {
		lanes.and(&w.program.values[places[t.Net]], !t.Value)
	}
	return lanes
}

// allTrue returns the lanes in which all terms of a row are true.
func (p *Program) allTrue(row []Term) Word {
	lanes := all(true)
	for _, t := range row {
		lanes.and(p.Value(t.Net), t.Value)
	}
	return lanes
}

// and leaves the lanes in which a value is the wanted one.
func (w *Word) and(value *Word, want bool) {
	for k := range w {
		if want {
			w[k] &= value[k]
		} else {
			w[k] &^= value[k]
		}
	}
}

// or adds lanes.
func (w *Word) or(lanes *Word) {
	for k := range w {
		w[k] |= lanes[k]
	}
}

// choose sets some lanes.
func (w *Word) choose(lanes *Word, value Word) {
	for k := range w {
		w[k] = w[k]&^lanes[k] | value[k]&lanes[k]
	}
}

// meets reports whether words have a lane in common.
func (w *Word) meets(other *Word) bool {
	return w[0]&other[0]|w[1]&other[1]|w[2]&other[2]|w[3]&other[3] != 0
}
