// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"sync"

	"meshwright/router"
)

// Outbox keeps the messages that some nodes send in a cycle, until Signals.Post hands them to their network interfaces.
// Goroutines may fill an outbox each at the same time, as long as no node sends by two of them.
type Outbox struct {
	posts []post
	asked router.Worm // scratch
}

// post is a message in an outbox.
type post struct {
	Message // without its words
	words   []uint32
	channel int32
	err     error // that ends the run; nil: the network takes the message
}

// Send is Signals.CanSend and Signals.Send together: it returns false when the channel that the message needs has one
// already. The words that it returns are the copy that will be sent: the caller may still change them. There are none
// if the message ends the run.
func (o *Outbox) Send(s Signals, m *Message) (words []uint32, ok bool) {
	n, channel := s.n, int32(0)
	if n.leaves(m.Source, m.Destination, m.Route) {
		channel = n.nic.channelFor(m.Source, m.Destination, m.Route, &o.asked)
		if !n.nic.free(m.Source, channel) || o.holds(m.Source, channel) {
			return nil, false
		}
	}
	if len(o.posts) < cap(o.posts) {
		o.posts = o.posts[:len(o.posts)+1]
	} else {
		o.posts = append(o.posts, post{})
	}
	p := &o.posts[len(o.posts)-1]
	p.Message, p.channel, p.err = *m, channel, n.refuse(m)
	if p.Words = nil; p.err != nil {
		return nil, true
	}
	p.Length = n.flitsOf(m)
	p.words = n.nic.copyWords(m.Words)
	return p.words, true
}

// holds reports whether a node has sent by a channel. The node's messages are the last ones.
func (o *Outbox) holds(node router.NodeID, channel int32) bool {
	for k := len(o.posts) - 1; k >= 0 && o.posts[k].Source == node; k-- {
		if p := &o.posts[k]; p.channel == channel && p.err == nil {
			return true
		}
	}
	return false
}

// Post hands the messages of an outbox to their network interfaces, in the order of sending, and empties it. What is
// wrong with a message ends the run.
func (s Signals) Post(o *Outbox) {
	c := &s.n.nic
	for i := range o.posts {
		p := &o.posts[i]
		if p.err != nil {
			if s.n.fault == nil {
				s.n.fault = p.err
			}
			continue
		}
		worm := c.start(&p.Message, p.channel)
		c.words[worm], p.words = p.words, nil
	}
	o.posts = o.posts[:0]
}

// Clear empties an outbox.
func (o *Outbox) Clear() { o.posts = o.posts[:0] }

// spare is memory for the words of messages. Goroutines may share it.
type spare struct {
	lock sync.Mutex
	free [][]uint32
}

// take returns an empty slice, with room for words if there is one.
func (s *spare) take() []uint32 {
	s.lock.Lock()
	defer s.lock.Unlock()
	last := len(s.free) - 1
	if last < 0 {
		return nil
	}
	words := s.free[last]
	s.free = s.free[:last]
	return words[:0]
}

// give takes back the memory of words that nobody needs any more.
func (s *spare) give(words []uint32) {
	if cap(words) > 0 {
		s.lock.Lock()
		defer s.lock.Unlock()
		s.free = append(s.free, words)
	}
}
