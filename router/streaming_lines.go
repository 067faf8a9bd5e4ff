// SPDX-License-Identifier: Apache-2.0

package router

import "math/bits"

// byLines numbers the link ports of a mesh or torus for the streaming engine so that a word has 64 ports which a worm
// passes one after the other. So in sparse traffic the head, the tail and the body of a worm are events of one word or
// two, along both dimensions. The ports of a shard keep the range of numbers that they have in the wiring, and those of
// a chip keep their order, which is that of the arbiters.
//
//	ports of the first dimension     ports of the second
//	+ 64 chips of a row, - the same  + 64 chips of columns, - the same
//	+ the next 64,       - the same  ...
//
// It is for two dimensions whose sides, and the rows of a shard, are powers of two: so no tables and no
// divisions are needed.
type byLines struct {
	chips uint8 // of a shard: so many times 2 to the power of one; 0: the numbers are those of the wiring
	width uint8 // likewise: chips of a row,
	rows  uint8 // and rows of a shard
}

// newByLines returns the numbering of an engine that has its shards.
func newByLines(e *streaming) byLines {
	order, ok := e.cfg.Routing.(*DimensionOrder)
	if !ok || len(order.dims) != 2 || int(e.linkInputs) != 4*e.cfg.VCs*e.chips {
		return byLines{}
	}
	width, chips := order.dims[0], e.chips/len(e.shards)
	if chips < 64 || chips%width != 0 || chips&(chips-1) != 0 || width&(width-1) != 0 {
		return byLines{}
	}
	for k, s := range e.shards {
		if int(s.firstLane) != k*4*e.cfg.VCs*chips {
			return byLines{}
		}
	}
	log := func(n int) uint8 { return uint8(bits.TrailingZeros(uint(n))) }
	return byLines{chips: log(chips), width: log(width), rows: log(chips / width)}
}

// of returns the number of port g of the wiring.
func (b byLines) of(g int32) int32 {
	if b.chips == 0 {
		return g
	}
	chip, p := uint32(g)>>2, uint32(g)&3
	at := chip & (1<<b.chips - 1)
	if p >= 2 {
		at = at&(1<<b.width-1)<<b.rows | at>>b.width
	}
	return int32(chip>>b.chips<<(b.chips+2) | p>>1<<(b.chips+1) | at>>6<<7 | p&1<<6 | at&63)
}

// port returns the port of the wiring that has number n.
func (b byLines) port(n int32) int32 {
	if b.chips == 0 {
		return n
	}
	x := uint32(n)
	p := x>>(b.chips+1)&1<<1 | x>>6&1
	at := x>>1&(1<<b.chips-1)&^63 | x&63
	if p >= 2 {
		at = at&(1<<b.rows-1)<<b.width | at>>b.rows
	}
	return int32((x>>(b.chips+2)<<b.chips|at)<<2 | p)
}

// opposite returns the lane behind output-VC o if the links of its word go to the next chips of their lines.
func (t *word) opposite(o, lined int32) int32 { return (o ^ lined) + int32(t.rise) - int32(t.fall) }

// findNear finds the links that lead to the next chip of a line, whose lane is in the opposite word. What
// happens to them is a matter of a word at a time.
func (e *streaming) findNear() {
	if e.lined < 0 {
		return
	}
	for o, out := range e.out[:e.base] {
		t := &e.words[o>>6]
		if t.rise, t.fall = uint8(e.pair), 0; o>>6&e.pair != 0 {
			t.rise, t.fall = t.fall, t.rise
		}
		if out.behind >= 0 && out.behind == t.opposite(int32(o), e.lined) && out.behind>>6 == int32(o>>6^e.pair) {
			t.near |= 1 << (o & 63)
		}
	}
}

// ahead returns the lanes behind outputs that are near, as bits of the opposite word.
func (t *word) ahead(outputs uint64) uint64 { return outputs << (t.rise & 63) >> (t.fall & 63) }

// before returns the outputs that are near and lead to lanes of the opposite word.
func (t *word) before(lanes uint64) uint64 { return lanes << (t.fall & 63) >> (t.rise & 63) & t.near }
