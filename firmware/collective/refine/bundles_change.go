// SPDX-License-Identifier: Apache-2.0

package refine

import (
	"math/rand/v2"
	"slices"

	"meshwright/internal/bitset"
)

// changed is a list with a random change. It is valid until the next call.
func (b *bundles) changed(from *listed, random *rand.Rand) []bundle {
	list := append(b.scratch[:0], from.list...)
	for changes := 1 + random.IntN(2); changes > 0 && len(list) > 0; changes-- {
		i := random.IntN(len(list))
		if k := int(from.chain[random.IntN(len(from.chain))]); random.IntN(2) == 0 && k < len(list) {
			i = k
		}
		list = b.change(list, i, random)
	}
	b.scratch = list
	return list
}

// change changes a list at a bundle.
func (b *bundles) change(list []bundle, i int, random *rand.Rand) []bundle {
	x := &list[i]
	switch draw := random.IntN(100); {
	case draw < 15:
		x.from, x.but = b.neighbour(x.to, random), nil
	case draw < 30:
		x.to, x.but = b.neighbour(x.from, random), nil
	case draw < 50:
		to := random.IntN(len(list))
		if random.IntN(3) > 0 {
			reach := 1 + random.IntN(8)
			to = min(max(0, i+random.IntN(2*reach+1)-reach), len(list)-1)
		}
		m := list[i]
		list = slices.Insert(slices.Delete(list, i, i+1), to, m)
	case draw < 62:
		x.skip = max(0, x.skip+2*int32(random.IntN(2))-1)
	case draw < 72:
		b.leave(x, random)
	case draw < 80:
		list = slices.Delete(list, i, i+1)
	case draw < 92:
		m := bundle{from: x.to, to: x.from, skip: x.skip}
		switch random.IntN(3) {
		case 0:
			m.to = b.neighbour(m.from, random)
		case 1:
			m.to = x.to
			m.from = b.neighbour(m.to, random)
		}
		list = slices.Insert(list, i+random.IntN(min(8, len(list)-i))+1, m)
	default:
		b.swap(list, x.from, x.to, random)
	}
	return slices.DeleteFunc(list, func(x bundle) bool { return x.from == x.to })
}

// leave changes what a bundle leaves to others: nothing, a piece, or all whose root is as near to its receiver as that of a piece.
func (b *bundles) leave(x *bundle, random *rand.Rand) {
	p := int32(random.IntN(len(b.pieces)))
	switch random.IntN(3) {
	case 0:
		x.but = nil
	case 1:
		but := bitset.New(len(b.pieces))
		copy(but, x.but)
		but.Flip(p)
		x.but = but
	default:
		but := bitset.New(len(b.pieces))
		copy(but, x.but)
		for q := range b.pieces {
			if b.Links(b.roots[q], x.to) <= b.Links(b.roots[p], x.to) {
				but.Set(int32(q))
			}
		}
		x.but = but
	}
}

// swap lets two nodes change places in all bundles, or in those behind some.
func (b *bundles) swap(list []bundle, u, v int32, random *rand.Rand) {
	if random.IntN(2) == 0 {
		v = b.neighbour(u, random)
	}
	first := 0
	if random.IntN(2) == 0 {
		first = random.IntN(len(list))
	}
	for i := first; i < len(list); i++ {
		x := &list[i]
		x.from, x.to = swapped(x.from, u, v), swapped(x.to, u, v)
	}
}

// swapped is a node after two nodes have changed places.
func swapped(n, u, v int32) int32 {
	switch n {
	case u:
		return v
	case v:
		return u
	}
	return n
}
