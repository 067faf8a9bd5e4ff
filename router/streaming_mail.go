// SPDX-License-Identifier: Apache-2.0

package router

import "sync/atomic"

// outbox is what a shard of the streaming engine has to tell the others, lane by lane.
type outbox struct {
	turned []int32  // inputs that begin or cease to gain a flit in every cycle
	heads  []headAt // worms whose heads cross
	ending []int32  // inputs to which tails come
	rooms  []int32  // output-VCs behind which there is room, or no more
}

// headAt is a worm whose head crosses into a lane.
type headAt struct {
	to              int32
	worm, way, left uint32
}

// clear empties the outbox for the next cycle, but for rooms.
func (b *outbox) clear() {
	b.turned, b.heads, b.ending = b.turned[:0], b.heads[:0], b.ending[:0]
}

// receive takes over what the others' outboxes have for this shard after advance.
func (s *shard) receive() {
	for _, k := range s.neighbours {
		other := s.e.shards[k]
		for _, i := range other.outbox.turned {
			if s.has(i) {
				s.arrive(i)
			}
		}
		for _, h := range other.outbox.heads {
			if s.has(h.to) {
				s.receiveHead(h)
			}
		}
		for _, i := range other.outbox.ending {
			if s.has(i) {
				s.end(i)
			}
		}
	}
}

// receiveHead lets a worm into a lane.
func (s *shard) receiveHead(h headAt) {
	if s.arriveHeads(&s.e.words[h.to>>6], 1<<(h.to&63), h.to) != 0 {
		s.queueUp(&s.e.lanes[h.to], h.worm, h.way, h.left)
		return
	}
	s.enter(h.to, h.worm, h.way, h.left)
}

// receiveRooms takes over what the others' outboxes have of rooms after settle. It is part of the next cycle, so that no
// shard waits for it.
func (s *shard) receiveRooms() {
	for _, k := range s.neighbours {
		for _, o := range s.e.shards[k].outbox.rooms {
			if s.has(o) {
				s.turnRoom(o)
			}
		}
	}
}

// advancedIn is the cycle in which a shard has advanced last. Other workers look at it, so it has a cache line.
type advancedIn struct {
	atomic.Int64
	_ [56]byte
}

// mayReceive reports whether this shard and its neighbours have advanced in the present cycle.
func (s *shard) mayReceive() bool {
	now := int64(s.e.now)
	if s.advanced.Load() != now {
		return false
	}
	for _, k := range s.neighbours {
		if s.e.shards[k].advanced.Load() != now {
			return false
		}
	}
	return true
}

// shardOfLink returns the shard of a link lane.
func (e *streaming) shardOfLink(o int32) *shard {
	at := 0
	for !e.shards[at].has(o) {
		at++
	}
	return e.shards[at]
}
