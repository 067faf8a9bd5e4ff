// SPDX-License-Identifier: Apache-2.0

package timetable

// expansion is a successor in the making.
type expansion struct {
	*partial
	successor
	now      *phase // those that move in the slot
	phase    uint64
	slots    int32  // that a direction has after this one
	used     uint32 // directions, a bit each
	landings int
	load     [maxFlight]int32
	left     int32
	entries  int // that may be yet
	landers  int
	most     int // offsets tried in a direction where something enters
}

// samples are the offsets that are tried in each direction, by the number of
// directions that are free, where several messages may enter in a slot.
var samples = [...]int{1, 1 << 30, 24, 10, 6, 4, 3, 3, 2, 2, 2, 2, 2}

// expand offers successors of a schedule: all of them where one message enters
// in a slot.
func (b *beam) expand(i int32, slot int) {
	s := &b.level[i]
	e := &b.growing
	*e = expansion{partial: s, load: s.load, left: s.left, most: 1 << 30, entries: b.entries, landers: b.entries}
	e.phase = uint64(slot % b.rules.phases)
	e.now = &s.phases[e.phase]
	e.slots = int32(b.limit - 1 - b.rules.phases - slot)
	e.from, e.successor.hash = i, s.hash
	if b.entries > 1 {
		e.most = samples[len(b.directions)-int(e.now.flying)]
	}
	if b.half && e.now.landed {
		e.entries = 0
	}
	if b.every > 0 && slot < maxOverlap {
		e.successor.hash += mix(s.hash) // what the first slots use matters until the end
	}
	if b.every > 0 && slot >= b.every {
		b.behind(slot - b.every)
	}
	b.advance(0)
}

// Bits of successor.used and partial.head.
const (
	anEntry  = 1 << 15
	aLanding = 1 << 14
)

// behind leaves out the directions, entries and landings that the next round uses in a slot.
func (b *beam) behind(slot int) {
	e := &b.growing
	head := e.head[min(slot, maxOverlap-1)]
	e.used = uint32(head & (aLanding - 1))
	if b.entries == 1 && head&anEntry != 0 {
		e.entries = 0
	}
	if b.entries == 1 && head&aLanding != 0 {
		e.landers = 0
	}
}

// advance lets the k-th message in the air, and then those behind it, take
// every direction that is open to it.
func (b *beam) advance(k int32) {
	e := &b.growing
	if k == e.now.flying {
		b.enter(0)
		return
	}
	from := e.now.air[k]
	for d, to := range b.ahead[from] {
		if b.hop(from, to, d) {
			e.take[k] = int8(d)
			b.advance(k + 1)
			b.unhop(from, to, d)
		}
	}
}

// random is the random number of a message in the air that has so much left.
func (b *beam) random(left int32) uint64 { return b.flying[left] * (2*b.growing.phase + 1) }

// hop notes that a message takes direction d, if it may.
func (b *beam) hop(from, to int32, d int) bool {
	b.tried++
	e := &b.growing
	if to < 0 || e.used>>d&1 != 0 || to == 0 && e.landings == e.landers {
		return false
	}
	e.used |= 1 << d
	b.shift(&e.load, from, to)
	e.successor.hash -= b.random(from)
	if to == 0 {
		e.landings++
	} else {
		e.successor.hash += b.random(to)
	}
	return true
}

func (b *beam) unhop(from, to int32, d int) {
	e := &b.growing
	e.used &^= 1 << d
	b.shift(&e.load, to, from)
	e.successor.hash += b.random(from)
	if to == 0 {
		e.landings--
	} else {
		e.successor.hash -= b.random(to)
	}
}

// enter lets messages enter in direction d and in those behind it, or none.
func (b *beam) enter(d int) {
	e := &b.growing
	full := int(e.entered) == e.entries || int(e.now.flying)+int(e.entered) == b.flights
	if full || d == len(b.directions) {
		b.offer()
		return
	}
	b.enter(d + 1)
	if e.used>>d&1 != 0 {
		return
	}
	left := b.left(e.from)
	from := int32(0)
	if e.most < b.nodes { // a sample: start anywhere
		from = int32(mix(e.successor.hash^b.seed+uint64(d)) % uint64(b.nodes))
	}
	tried := 0
	for range 2 {
		for v := first(left, from); v >= 0 && tried < e.most; v = first(left, v+1) {
			if b.enters(v, d) {
				tried++
			}
		}
		if from == 0 {
			return
		}
		from = 0
	}
}

// enters tries offset v in direction d.
func (b *beam) enters(v int32, d int) bool {
	b.tried++
	e := &b.growing
	for _, other := range e.enter[:e.entered] {
		if other == v {
			return false
		}
	}
	to := b.ahead[v][d]
	if !b.hop(v, to, d) {
		return false
	}
	e.enter[e.entered], e.take[e.now.flying+int32(e.entered)] = v, int8(d)
	e.entered++
	e.left--
	e.successor.hash += b.random(v) - b.sleeping[v]
	b.enter(d + 1)
	e.successor.hash -= b.random(v) - b.sleeping[v]
	e.left++
	e.entered--
	b.unhop(v, to, d)
	return true
}

// offer judges the successor and keeps it if it is among the best.
func (b *beam) offer() {
	b.tried++
	e := &b.growing
	score := float64(e.left) * float64(e.left)
	for k := range b.directions {
		load := e.load[k]
		if load > 2*e.slots && b.dims[b.directions[k].dim]%2 == 1 {
			return // it cannot end in time
		}
		score += float64(load) * float64(load) / 4
	}
	if e.left > e.slots*int32(b.entries) {
		return
	}
	hash := e.successor.hash
	if e.landings > 0 && b.half {
		hash++ // another state
	}
	e.score = score + b.noise*float64(mix(hash^b.seed)>>11)/(1<<53)
	if len(b.offers) == 3*b.width && e.score >= b.offers[0].score || !b.landing() {
		return
	}
	c := e.successor
	c.hash, c.used = hash, b.usedNow()
	b.push(&c)
}

// usedNow returns the entry of partial.head for the slot.
func (b *beam) usedNow() uint16 {
	e := &b.growing
	used := uint16(0)
	for _, d := range e.take[:int(e.now.flying)+int(e.entered)] {
		used |= 1 << d
	}
	if e.entered > 0 {
		used |= anEntry
	}
	if e.landings > 0 {
		used |= aLanding
	}
	return used
}

// push puts a successor into the heap, in place of the worst when it is full.
func (b *beam) push(c *successor) {
	b.tried++
	h := b.offers
	if len(h) < 3*b.width {
		h = append(h, *c)
		for i := len(h) - 1; i > 0; {
			up := (i - 1) / 2
			if h[up].score >= h[i].score {
				break
			}
			h[up], h[i] = h[i], h[up]
			i = up
		}
		b.offers = h
		return
	}
	i := 0
	for {
		k := 2*i + 1
		if k+1 < len(h) && h[k+1].score > h[k].score {
			k++
		}
		if k >= len(h) || h[k].score <= c.score {
			break
		}
		h[i] = h[k]
		i = k
	}
	h[i] = *c
}
