// SPDX-License-Identifier: Apache-2.0

package timetable

// landing reports whether all messages that the growing successor has in the air can land, if
// no other message enters.
func (b *beam) landing() bool {
	e := &b.growing
	var air [maxFlight]int32
	n := 0
	key := uint64(0)
	add := func(from int32, k int32) {
		if to := b.ahead[from][e.take[k]]; to != 0 {
			air[n] = to
			n++
			key += b.flying[to]
		}
	}
	for k := range e.now.flying {
		add(e.now.air[k], k)
	}
	for k := range int32(e.entered) {
		add(e.enter[k], e.now.flying+k)
	}
	return b.canLand(air[:n], key)
}

// canLand reports whether messages of which so much is left can go on to their
// ends. Key is the sum of their random numbers.
func (b *beam) canLand(air []int32, key uint64) bool {
	b.tried++
	if len(air) < 2 {
		return true
	}
	if ok, known := b.lands[key]; known {
		return ok
	}
	var next [maxFlight]int32
	ok := b.canMove(air, next[:0], 0, 0, 0)
	b.lands[key] = ok
	return ok
}

// canMove lets the messages of air take different directions, those that have
// done so are in next.
func (b *beam) canMove(air, next []int32, used uint32, key uint64, landings int) bool {
	b.tried++
	if len(air) == 0 {
		return b.canLand(next, key)
	}
	for d, to := range b.ahead[air[0]] {
		if to < 0 || used>>d&1 != 0 || to == 0 && landings == b.entries {
			continue
		}
		if to == 0 {
			if b.canMove(air[1:], next, used|1<<d, key, landings+1) {
				return true
			}
		} else if b.canMove(air[1:], append(next, to), used|1<<d, key+b.flying[to], landings) {
			return true
		}
	}
	return false
}
