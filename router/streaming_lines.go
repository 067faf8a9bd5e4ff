// SPDX-License-Identifier: Apache-2.0

package router

import "math/bits"

// byLines numbers the link ports of a mesh for the streaming engine so that a word has 64 ports which a worm
// passes one after the other. So in sparse traffic the head, the tail and the body of a worm are events of one word or
// two, along both dimensions. The ports of a shard keep the range of numbers that they have in the wiring, and those of
// a chip keep their order, which is that of the arbiters.
//
//	ports of the first dimension     ports of the second
//	+ 64 chips of a row, - the same  + 64 chips of columns, - the same
//	+ the next 64,       - the same  ...
//
// It is for meshes of two dimensions whose sides, and the rows of a shard, are powers of two: so no tables and no
// divisions are needed.
type byLines struct {
	chips uint8 // of a shard: so many times 2 to the power of one; 0: the numbers are those of the wiring
	width uint8 // likewise: chips of a row,
	rows  uint8 // and rows of a shard
}

// newByLines returns the numbering of an engine that has its shards.
func newByLines(e *streaming) byLines {
	order, ok := e.cfg.Routing.(*DimensionOrder)
	if !ok || len(order.dims) != 2 || e.cfg.CrossesRim != nil || int(e.linkInputs) != 4*e.cfg.VCs*e.chips {
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
