// SPDX-License-Identifier: Apache-2.0

package router

import "math/bits"

// levels are the numbers of flits in many buffers. One word operation works on 64 numbers:
// word w*planes+p holds bit p of the numbers of buffers 64*w to 64*w+63.
type levels struct {
	planes int
	words  []uint64
	depth  []uint64  // of each plane: all ones where the bit of the full level is one
	top    [3]uint64 // the same of the first planes
}

func newLevels(buffers, depth int) levels {
	l := levels{planes: bits.Len(uint(depth))}
	l.words = make([]uint64, (buffers+63)/64*l.planes)
	for p := range l.planes {
		l.depth = append(l.depth, -uint64(depth>>p&1))
	}
	copy(l.top[:], l.depth)
	return l
}

// change says which buffers of a word reached or left the two ends.
type change struct{ emptied, refilled, filled, relieved uint64 }

// count adds a flit to the buffers of word w in gain and takes one from those in loss.
func (l *levels) count(w int, gain, loss uint64) change {
	if l.planes == 3 {
		return l.count3(w, gain, loss)
	}
	planes := l.words[w*l.planes:][:l.planes]
	carry, borrow := gain, loss
	was, is, wasFull, isFull := uint64(0), uint64(0), ^uint64(0), ^uint64(0)
	for p, full := range l.depth {
		old := planes[p]
		level := old ^ (carry | borrow)
		planes[p] = level
		carry &= old
		borrow &^= old
		was |= old
		is |= level
		wasFull &^= old ^ full
		isFull &^= level ^ full
	}
	return change{emptied: loss &^ is, refilled: gain &^ was, filled: gain & isFull, relieved: loss & wasFull}
}

// count3 is count for buffers of four to seven flits.
func (l *levels) count3(w int, gain, loss uint64) change {
	planes := l.words[uint(w)*3 : uint(w)*3+3]
	a, b, c := planes[0], planes[1], planes[2]
	either := gain | loss
	carry, borrow := gain&a, loss&^a
	d := a ^ either
	e := b ^ (carry | borrow)
	carry, borrow = carry&b, borrow&^b
	f := c ^ (carry | borrow)
	planes[0], planes[1], planes[2] = d, e, f
	return change{
		emptied: loss &^ (d | e | f), refilled: gain &^ (a | b | c),
		filled:   gain &^ ((d ^ l.top[0]) | (e ^ l.top[1]) | (f ^ l.top[2])),
		relieved: loss &^ ((a ^ l.top[0]) | (b ^ l.top[1]) | (c ^ l.top[2])),
	}
}

// at returns the level of buffer i.
func (l *levels) at(i int32) int {
	level := 0
	for p := range l.planes {
		level |= int(l.words[int(i>>6)*l.planes+p]>>(i&63)&1) << p
	}
	return level
}

// tally counts to eight, for 64 numbers at once: bit p of number i is bit i of word p.
type tally [3]uint64

// add adds one to the numbers of a set, and returns those that have come to eight, and begin again.
func (t *tally) add(set uint64) uint64 {
	a, b, c := t[0], t[1], t[2]
	t[0] = a ^ set
	set &= a
	t[1] = b ^ set
	set &= b
	t[2] = c ^ set
	return set & c
}

// at returns number i.
func (t *tally) at(i int32) uint64 {
	return t[0]>>(i&63)&1 | t[1]>>(i&63)&1<<1 | t[2]>>(i&63)&1<<2
}
