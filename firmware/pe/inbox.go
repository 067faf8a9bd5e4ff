// SPDX-License-Identifier: Apache-2.0

package pe

import (
	"meshwright/fabric"
	"meshwright/router"
)

// message is a message that waits for its PE.
type message struct {
	source router.NodeID
	tag    uint32
	next   int32 // the message that arrived after it, -1: none; in the free list: the next free entry
	words  []uint32
}

// queue lists a PE's messages in order of arrival; -1: none.
type queue struct{ first, last int32 }

var emptyQueue = queue{-1, -1}

// inbox holds the messages of all PEs. The entries of removed messages are used again.
type inbox struct {
	messages []message
	free     int32
	held     int
}

func newInbox() inbox { return inbox{free: -1} }

// add appends a message to a queue. It returns memory in exchange for the message's words.
func (b *inbox) add(q *queue, m *fabric.Received) (spare []uint32) {
	k := b.free
	if k < 0 {
		k = int32(len(b.messages))
		b.messages = append(b.messages, message{})
	} else {
		b.free = b.messages[k].next
	}
	p := &b.messages[k]
	p.source, p.tag, p.next = m.Source, m.Tag, -1
	spare, p.words = p.words, m.Words
	if q.last < 0 {
		q.first = k
	} else {
		b.messages[q.last].next = k
	}
	q.last = k
	b.held++
	return spare
}

// find returns the oldest message of a queue from source (router.None: from
// any) with a tag (nil: with any) and the one before it; -1: none.
func (b *inbox) find(q *queue, source router.NodeID, tag *uint32) (k, before int32) {
	before = -1
	for k = q.first; k >= 0; k = b.messages[k].next {
		p := &b.messages[k]
		if (source == router.None || p.source == source) && (tag == nil || p.tag == *tag) {
			return k, before
		}
		before = k
	}
	return -1, -1
}

// unlink takes message k, which stands behind before, out of its queue.
func (b *inbox) unlink(q *queue, k, before int32) {
	next := b.messages[k].next
	if before < 0 {
		q.first = next
	} else {
		b.messages[before].next = next
	}
	if q.last == k {
		q.last = before
	}
}

// release makes the entry of a message that is in no queue any more available.
func (b *inbox) release(k int32) {
	p := &b.messages[k]
	p.words = p.words[:0]
	p.next, b.free = b.free, k
	b.held--
}
