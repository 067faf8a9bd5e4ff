// SPDX-License-Identifier: Apache-2.0

package packet

import "slices"

// candidates bounds the messages that backwards chooses among for a packet.
const candidates = 8

// backwards builds a schedule from its end. Given the time that is left after the last packet
// leaves the root, it adds one packet after the other in front. Each packet is as large as
// still arrives in time, and leaves the nodes of its route free for the packets after it. The
// root is kept busy where possible. Sizes fall geometrically towards the end of the schedule.
// Messages on different branches alternate where a larger packet would delay the next one
// behind it.
//
// Reversed in time this is a gather that is built from its start. The code builds this gather:
// free is the time at which a node has received all packets so far.
func (k *climb) backwards(m messages, tail int64) []Burst {
	clear(k.free)
	k.free[k.tree.root] = tail
	left, open := slices.Clone(m.flits), make([]int, len(m.node))
	for i := range open {
		open[i] = i
	}
	greed := 0.6 + 0.4*k.random.Float64() // of the largest size
	var list []Burst
	for range maxBackwards + 4*len(m.node) {
		if len(open) == 0 {
			break
		}
		at, size := k.candidate(m, left, open)
		i := open[at]
		if size > 1 && size < left[i] {
			size = max(1, int64(float64(size)*(greed+(1-greed)*k.random.Float64())))
		}
		k.receive(m.node[i], k.clock.cost(size), true)
		list = appendPacket(list, Burst{int(m.node[i]), int(size), 1})
		if left[i] -= size; left[i] == 0 {
			open[at] = open[len(open)-1]
			open = open[:len(open)-1]
		}
	}
	for _, i := range open { // too many packets: the rest at once
		packets := max(1, min(left[i], int64(k.random.IntN(maxBackwards))))
		list = append(list, Burst{int(m.node[i]), int(left[i]), int(packets)})
	}
	slices.Reverse(list)
	return list
}

// maxBackwards bounds the packets that are built one by one, besides four a message.
const maxBackwards = 256

// appendPacket adds a packet to a list, to its last burst if it fits.
func appendPacket(list []Burst, packet Burst) []Burst {
	if n := len(list); n > 0 && list[n-1].Node == packet.Node && list[n-1].Flits == packet.Flits*list[n-1].Packets {
		list[n-1].Flits += packet.Flits
		list[n-1].Packets++
		return list
	}
	return append(list, packet)
}

// candidate chooses a message, by its place in open, and the size of its packet: the largest
// size without a pause of the root, else one flit with the shortest pause.
func (k *climb) candidate(m messages, left []int64, open []int) (at int, size int64) {
	root := k.free[k.tree.root]
	best := int64(-1)
	for try := range min(candidates, len(open)) {
		place := try
		if len(open) > candidates {
			place = k.random.IntN(len(open))
		}
		i := open[place]
		value, flits := int64(0), int64(0)
		if pause := k.receive(m.node[i], k.clock.cost(1), false) - root; pause > k.clock.cost(1) {
			value, flits = never-pause, 1
		} else {
			low, high := int64(1), left[i]
			for low < high {
				mid := low + (high-low+1)/2
				if c := k.clock.cost(mid); k.receive(m.node[i], c, false) <= root+c {
					low = mid
				} else {
					high = mid - 1
				}
			}
			value, flits = never+low+k.random.Int64N(1+low/2), low
		}
		if value > best {
			best, at, size = value, place, flits
		}
	}
	return at, size
}

// receive returns the time at which the root has a packet of node v that takes cost on a link.
func (k *climb) receive(v int32, cost int64, book bool) int64 {
	time := int64(0)
	for v = k.tree.parent[v]; v >= 0; v = k.tree.parent[v] {
		k.work++
		time = max(time, k.free[v]) + cost
		if book {
			k.free[v] = time
		}
	}
	return time
}

// construct makes now the best of some schedules built backwards, with random tails.
func (k *climb) construct(m messages, tries int) {
	longest, deepest := int64(0), int64(0)
	for i, v := range m.node {
		longest, deepest = max(longest, m.flits[i]), max(deepest, int64(k.tree.depth[v]))
	}
	var least score
	for try := range tries {
		low, high := k.clock.cost(1), (deepest-1)*k.clock.cost(longest)
		tail := low
		for range k.random.IntN(64) { // a member of a geometric sequence
			if tail += 1 + tail/8; tail > high {
				tail = low
			}
		}
		list := k.backwards(m, tail)
		if s := k.judge(list); try == 0 || s.less(least) {
			least, k.now = s, append(k.now[:0], list...)
		}
	}
	if tries > 0 && least.less(k.best) {
		k.best, k.record = least, append(k.record[:0], k.now...)
	}
}
