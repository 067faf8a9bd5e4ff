// SPDX-License-Identifier: Apache-2.0

package gate

import "math/rand/v2"

// Lanes is the number of copies of a design that a program advances together.
const Lanes = 64 * words

const words = 4

// Word is a bit of every lane.
type Word [words]uint64

// all returns a word whose bits are the same.
func all(value bool) Word {
	if !value {
		return Word{}
	}
	return Word{^uint64(0), ^uint64(0), ^uint64(0), ^uint64(0)}
}

// Lane returns the bit of a lane.
func (w *Word) Lane(i int) bool { return w[i/64]>>(i%64)&1 == 1 }

// set sets the bit of a lane.
func (w *Word) set(i int, value bool) {
	if value {
		w[i/64] |= 1 << (i % 64)
	} else {
		w[i/64] &^= 1 << (i % 64)
	}
}

// Program is a design with a fault in each lane.
type Program struct {
	place  []int32 // by net: where its value is
	code   []step
	saved  []save
	values []Word
	next   []Word // of the registers that are kept
}

// step computes a value.
type step struct {
	op           op
	a, b, s, out int32
}

// save is a register that the program keeps.
type save struct {
	register  int32 // in the design
	next, now int32
}

// folding is a design while a program is made of it.
type folding struct {
	d      *Design
	alias  []Net // by net: the net that always has its value
	used   []bool
	chosen map[int]Word // by the number of a fault: its lanes
	given  map[Net]Word // nets whose value never changes
	gates  []gate
}

// Compile makes a program in which lane i has fault faults[i]; fault 0 is none. It computes the nets that are watched and
// what they need. Inputs in tied have a value that never changes.
func (d *Design) Compile(faults []int, tied map[Net]bool, watched []Net) *Program {
	f := d.folded(faults, tied)
	f.use(watched)
	return f.program(watched)
}

// folded folds the design for some faults.
func (d *Design) folded(faults []int, tied map[Net]bool) *folding {
	f := &folding{d: d, alias: make([]Net, d.nets), used: make([]bool, d.nets), chosen: map[int]Word{}, given: map[Net]Word{}}
	for i := range f.alias {
		f.alias[i] = Net(i)
	}
	for lane, number := range faults {
		w := f.chosen[number]
		w.set(lane, true)
		f.chosen[number] = w
	}
	for _, c := range d.choices {
		if w, ok := f.chosen[c.number]; ok && c.number != 0 {
			f.given[c.out] = w
		} else {
			f.alias[c.out] = Zero
		}
	}
	for net, value := range tied {
		f.alias[net] = Zero
		if value {
			f.alias[net] = One
		}
	}
	for i := range d.gates {
		f.fold(d.gates[i])
	}
	return f
}

// fold keeps a gate, or says what its output always is.
func (f *folding) fold(g gate) {
	a, b, s := f.alias[g.in[0]], f.alias[g.in[1]], f.alias[g.in[2]]
	g.in = [3]Net{a, b, s}
	same, is := Zero, true
	switch {
	case g.op == copyOf:
		same = a
	case g.op == not && a <= One:
		same = One - a
	case g.op == and && (a == Zero || b == One || a == b):
		same = a
	case g.op == and && (b == Zero || a == One):
		same = b
	case g.op == or && (a == One || b == Zero || a == b):
		same = a
	case g.op == or && (b == One || a == Zero):
		same = b
	case g.op == xor && b == Zero, g.op == xnor && b == One, g.op == andNot && b == Zero, g.op == orNot && b == One:
		same = a
	case g.op == xor && a == Zero, g.op == xnor && a == One:
		same = b
	case g.op == xor && a == b, g.op == andNot && (a == Zero || b == One || a == b), g.op == nor && (a == One || b == One), g.op == nand && a == One && b == One:
		same = Zero
	case g.op == xnor && a == b, g.op == orNot && (a == One || b == Zero || a == b), g.op == nand && (a == Zero || b == Zero), g.op == nor && a == Zero && b == Zero:
		same = One
	case g.op == mux && (s == Zero || a == b):
		same = a
	case g.op == mux && s == One:
		same = b
	case g.op == mux && a == Zero && b == One:
		same = s
	default:
		is = false
	}
	if is {
		f.alias[g.out] = same
		return
	}
	f.gates = append(f.gates, g)
}

// use marks the nets on which the watched ones depend, in this cycle or a later one.
func (f *folding) use(watched []Net) {
	byNow := make(map[Net]Net, len(f.d.registers))
	for _, r := range f.d.registers {
		byNow[r.now] = f.alias[r.next]
	}
	for _, net := range watched {
		f.used[f.alias[net]] = true
	}
	for changed := true; changed; {
		changed = false
		for i := len(f.gates) - 1; i >= 0; i-- {
			if g := &f.gates[i]; f.used[g.out] {
				for _, in := range g.inputs() {
					f.used[in] = true
				}
			}
		}
		for now, next := range byNow {
			if f.used[now] {
				delete(byNow, now)
				changed = changed || !f.used[next]
				f.used[next] = true
			}
		}
	}
}

// program numbers the values in the order in which they are computed.
func (f *folding) program(watched []Net) *Program {
	p := &Program{place: make([]int32, f.d.nets)}
	for i := range p.place {
		p.place[i] = -1
	}
	at := func(net Net) int32 {
		net = f.alias[net]
		if p.place[net] < 0 {
			p.place[net] = int32(len(p.values))
			p.values = append(p.values, f.given[net])
		}
		return p.place[net]
	}
	at(Zero)
	p.values[at(One)] = all(true)
	for _, list := range f.d.Inputs {
		for _, net := range list {
			if f.used[net] {
				at(net)
			}
		}
	}
	for i, r := range f.d.registers {
		if f.used[r.now] {
			p.saved = append(p.saved, save{int32(i), 0, at(r.now)})
		}
	}
	for i := range f.gates {
		if g := &f.gates[i]; f.used[g.out] {
			p.code = append(p.code, step{g.op, at(g.in[0]), at(g.in[1]), at(g.in[2]), at(g.out)})
		}
	}
	for i := range p.saved {
		p.saved[i].next = at(f.d.registers[p.saved[i].register].next)
	}
	for _, net := range watched {
		at(net)
	}
	p.next = make([]Word, len(p.saved))
	for i, to := range f.alias {
		p.place[i] = p.place[to]
	}
	return p
}

// Drive gives an input the same value in all lanes. An input that nothing needs is left alone.
func (p *Program) Drive(net Net, value bool) {
	if at := p.place[net]; at >= 2 {
		p.values[at] = all(value)
	}
}

// Value returns a watched net.
func (p *Program) Value(net Net) *Word { return &p.values[p.place[net]] }

// Evaluate computes all values from registers and inputs.
func (p *Program) Evaluate() {
	values := p.values
	for i := range p.code {
		s := &p.code[i]
		a, b, out := &values[s.a], &values[s.b], &values[s.out]
		switch s.op {
		case not:
			for k := range out {
				out[k] = ^a[k]
			}
		case and:
			for k := range out {
				out[k] = a[k] & b[k]
			}
		case nand:
			for k := range out {
				out[k] = ^(a[k] & b[k])
			}
		case andNot:
			for k := range out {
				out[k] = a[k] &^ b[k]
			}
		case or:
			for k := range out {
				out[k] = a[k] | b[k]
			}
		case nor:
			for k := range out {
				out[k] = ^(a[k] | b[k])
			}
		case orNot:
			for k := range out {
				out[k] = a[k] | ^b[k]
			}
		case xor:
			for k := range out {
				out[k] = a[k] ^ b[k]
			}
		case xnor:
			for k := range out {
				out[k] = ^(a[k] ^ b[k])
			}
		case mux:
			choose := &values[s.s]
			for k := range out {
				out[k] = a[k]&^choose[k] | b[k]&choose[k]
			}
		}
	}
}

// Clock is a rising edge of the clock.
func (p *Program) Clock() {
	for i := range p.saved {
		p.next[i] = p.values[p.saved[i].next]
	}
	for i := range p.saved {
		p.values[p.saved[i].now] = p.next[i]
	}
}

// clockIn is a rising edge of the clock in some lanes.
func (p *Program) clockIn(lanes *Word) {
	for i := range p.saved {
		p.next[i] = p.values[p.saved[i].next]
	}
	for i := range p.saved {
		p.values[p.saved[i].now].choose(lanes, p.next[i])
	}
}

// PowerUp gives every register a random value, the same in all lanes.
func (p *Program) PowerUp(rng *rand.Rand) {
	for i := range p.saved {
		p.values[p.saved[i].now] = all(rng.IntN(2) == 1)
	}
}

// Resume takes over the registers of lanes of another program of the same design. A register that the other one does
// not keep is 0.
func (p *Program) Resume(other *Program, from, to []int) {
	values := make(map[int32]*Word, len(other.saved))
	for i := range other.saved {
		values[other.saved[i].register] = &other.values[other.saved[i].now]
	}
	for i := range p.saved {
		now := &p.values[p.saved[i].now]
		if value := values[p.saved[i].register]; value != nil {
			for k := range from {
				now.set(to[k], value.Lane(from[k]))
			}
		}
	}
}

// Differ adds the lanes in which a value is not the wanted one.
func (w *Word) Differ(value *Word, want bool) {
	if want {
		for k := range w {
			w[k] |= ^value[k]
		}
		return
	}
	for k := range w {
		w[k] |= value[k]
	}
}
