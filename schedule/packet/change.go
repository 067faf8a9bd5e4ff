// SPDX-License-Identifier: Apache-2.0

package packet

import "slices"

// change makes next from now by one random change, half of the time to the
// burst that arrives last.
func (k *climb) change() {
	k.next = append(k.next[:0], k.now...)
	n := len(k.next)
	i := k.random.IntN(n)
	if k.random.IntN(2) == 0 {
		i = k.late
	}
	switch kind := k.random.IntN(16); {
	case kind < 3:
		k.resplit(&k.next[i])
	case kind < 7 && n > 1:
		k.move(i, k.place(i, n))
	case kind < 9 && k.next[i].Flits > 1 && n < 4*k.tree.nodes()+32:
		k.part(i)
	case kind < 11:
		k.join(i)
	default:
		k.shift(i)
	}
}

// resplit takes another number of packets, mostly a near one.
func (k *climb) resplit(b *Burst) {
	step := 1
	if k.random.IntN(2) == 0 {
		step = 1 + k.random.IntN(1+b.Packets/2)
	}
	if k.random.IntN(2) == 0 {
		step = -step
	}
	b.Packets = max(1, min(b.Flits, b.Packets+step))
}

// place is another place in an order of n, mostly a near one.
func (k *climb) place(i, n int) int {
	if k.random.IntN(3) == 0 {
		return k.random.IntN(n)
	}
	return max(0, min(n-1, i+k.random.IntN(9)-4))
}

func (k *climb) move(from, to int) {
	b := k.next[from]
	if from < to {
		copy(k.next[from:to], k.next[from+1:to+1])
	} else {
		copy(k.next[to+1:from+1], k.next[to:from])
	}
	k.next[to] = b
}

// part sends some flits of a burst at another time.
func (k *climb) part(i int) {
	b := k.next[i]
	flits := 1 + k.random.IntN(b.Flits-1)
	packets := max(1, min(flits, b.Packets*flits/b.Flits+k.random.IntN(2)))
	rest := Burst{b.Node, b.Flits - flits, max(1, min(b.Flits-flits, b.Packets-packets))}
	k.next[i] = rest
	k.next = slices.Insert(k.next, k.place(i, len(k.next)+1), Burst{b.Node, flits, packets})
}

// sibling is another burst of the same message, a random one, or -1.
func (k *climb) sibling(i int) int {
	n := len(k.next)
	j := k.random.IntN(n)
	for range n {
		if j != i && k.next[j].Node == k.next[i].Node {
			return j
		}
		if j++; j == n {
			j = 0
		}
	}
	return -1
}

// join sends two bursts of a message at once again.
func (k *climb) join(i int) {
	b := &k.next[i]
	j := k.sibling(i)
	if j < 0 {
		k.resplit(b)
		return
	}
	b.Flits += k.next[j].Flits
	b.Packets += k.next[j].Packets
	if k.random.IntN(2) == 0 {
		b.Packets = max(1, b.Packets-1)
	}
	k.next = slices.Delete(k.next, j, j+1)
}

// shift takes some flits of a burst to another one of the same message, mostly few.
func (k *climb) shift(i int) {
	j := k.sibling(i)
	if j < 0 || k.next[i].Flits == 1 {
		k.resplit(&k.next[i])
		return
	}
	from, to := &k.next[i], &k.next[j]
	flits := 1
	if k.random.IntN(2) == 0 {
		flits += k.random.IntN(1 + from.Flits/4)
	}
	flits = min(flits, from.Flits-1)
	from.Flits -= flits
	to.Flits += flits
	from.Packets = min(from.Packets, from.Flits)
}
