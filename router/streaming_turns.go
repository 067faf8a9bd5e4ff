// SPDX-License-Identifier: Apache-2.0

package router

// turns picks the virtual channels of ports, for a word of output-VCs at once: the channels of
// a port are a group of neighbouring bits. The channel after the one that was picked last has
// the highest priority.
type turns struct {
	vcs    int
	lowest uint64   // the first bit of every group
	all    uint64   // a group of ones
	within []uint64 // within[d]: bits that are at least d places above the first of their group
	next   []uint64 // by word: the bit of each group with the highest priority; nil with one channel
}

func newTurns(vcs, outputs int) turns {
	t := turns{vcs: vcs, all: 1<<vcs - 1}
	if vcs == 1 {
		return t
	}
	for bit := 0; bit < 64; bit += vcs {
		t.lowest |= 1 << bit
	}
	t.within = make([]uint64, vcs)
	for d := range t.within {
		t.within[d] = t.lowest * (t.all &^ (1<<d - 1))
	}
	t.next = make([]uint64, (outputs+63)/64)
	for w := range t.next {
		t.next[w] = t.lowest
	}
	return t
}

// groups returns all bits of the groups that have a bit in x.
func (t *turns) groups(x uint64) uint64 {
	for d := 1; d < t.vcs; d <<= 1 {
		x |= x >> d
	}
	return (x & t.lowest) * t.all
}

// pick returns one bit of each group that has bits in x: the first one at or after the turn.
func (t *turns) pick(x, turn uint64) uint64 {
	ahead := x &^ (turn - t.lowest) // not before the turn in its group
	x = ahead | x&^t.groups(ahead)
	below := uint64(0)
	for d := 1; d < t.vcs; d++ {
		below |= x << d & t.within[d]
	}
	return x &^ below
}

// after returns the turn when the bits of picked have sent.
func (t *turns) after(turn, picked uint64) uint64 {
	next := picked << 1 & t.within[1]
	next |= picked >> (t.vcs - 1) & t.lowest
	return turn&^t.groups(picked) | next
}

// choose lets one virtual channel of each port of word w send: one with room behind its link, else it
// shows a flit that is blocked.
func (t *turns) choose(at int, w *word) {
	turn := t.next[at]
	w.crossing = t.pick(w.crossing, turn)
	w.blocked = t.pick(w.blocked&^t.groups(w.crossing), turn)
	t.next[at] = t.after(turn, w.crossing)
}
