// SPDX-License-Identifier: Apache-2.0

package router

// books is what is booked until when: links, ejection channels, ports and PEs, by number. Most bookings
// come after all earlier ones of the same thing. So the last block of time is in the slot
// itself, and the blocks before it are a list.
type books struct {
	slots  []slot
	blocks []block
	free   int32 // first of the list of unused blocks, -1: none
}

// slot is one thing that can be booked.
type slot struct {
	start, end Cycle  // the last block: booked from start to end-1
	carried    uint64 // of links: flits of all worms that booked it
	before     int32  // the block before it, -1: none that is known
	blocks     uint16 // blocks in the list
	purge      uint16 // how many there may be before those of the past are dropped
}

// block is a time that ends before a later one begins.
type block struct {
	start, end Cycle
	before     int32
}

// minPurge is how many blocks of the past may be in a list at least.
const minPurge = 8

func newBooks(n int) books {
	b := books{slots: make([]slot, n)}
	b.clear()
	return b
}

// clear takes all bookings back; the counters stay.
func (b *books) clear() {
	for i := range b.slots {
		s := &b.slots[i]
		s.start, s.end, s.before, s.blocks, s.purge = 0, 0, -1, 0, minPurge
	}
	b.blocks, b.free = b.blocks[:0], -1
}

// book books slot i from cycle start to end-1, if it is free. Nobody asks for times before now any more.
func (b *books) book(i int, start, end, now Cycle) bool {
	s := &b.slots[i]
	if start < s.end {
		return b.insert(s, start, end)
	}
	if start > s.end {
		if s.end > now {
			b.push(s, now)
		}
		s.start = start
	}
	s.end = end
	return true
}

// push moves the last block into the list.
func (b *books) push(s *slot, now Cycle) {
	if s.blocks >= s.purge {
		b.forget(s, now)
	}
	s.before = b.add(block{s.start, s.end, s.before})
	s.blocks++
}

// add returns the number of a new block.
func (b *books) add(x block) int32 {
	if k := b.free; k >= 0 {
		b.free = b.blocks[k].before
		b.blocks[k] = x
		return k
	}
	b.blocks = append(b.blocks, x)
	return int32(len(b.blocks) - 1)
}

// forget drops the blocks of the past. The next look comes when there are twice as many blocks as
// stay, so that a booking costs a bounded time on average.
func (b *books) forget(s *slot, now Cycle) {
	at, kept := &s.before, uint16(0)
	for *at >= 0 && b.blocks[*at].end > now {
		at = &b.blocks[*at].before
		kept++
	}
	for k := *at; k >= 0; {
		next := b.blocks[k].before
		b.blocks[k].before, b.free = b.free, k
		k = next
	}
	*at = -1
	s.blocks, s.purge = kept, uint16(min(2*int(kept)+minPurge, 1<<16-1))
}

// insert books a time before the end of the last block.
func (b *books) insert(s *slot, start, end Cycle) bool {
	if end > s.start {
		return false
	}
	later, k := int32(-1), s.before // the blocks around the gap; -1: the last, and none
	for k >= 0 && b.blocks[k].end > start {
		if end > b.blocks[k].start {
			return false
		}
		later, k = k, b.blocks[k].before
	}
	begin := &s.start
	if later >= 0 {
		begin = &b.blocks[later].start
	}
	switch {
	case end == *begin:
		*begin = start
	case k >= 0 && b.blocks[k].end == start:
		b.blocks[k].end = end
	case s.blocks == 1<<16-1:
		return false // in doubt they meet
	default:
		x := b.add(block{start, end, k})
		s.blocks++
		if later < 0 {
			s.before = x
		} else {
			b.blocks[later].before = x
		}
	}
	return true
}
