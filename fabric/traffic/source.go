// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"iter"
	"math/rand/v2"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Source is the component that generates packets and sends them. Packets wait in an
// unbounded queue at their source. A PE always takes what arrives, and its replies wait
// in the same queue as its own packets; so replies cannot deadlock with requests.
type Source struct {
	nodes    []router.NodeID `snapshot:"start"` // that generate, in rising order; nil: all
	gen      generator
	ahead    packet // the next one to be generated
	more     bool
	replies  Sizes   `snapshot:"start"`
	burst    float64 `snapshot:"start"` // flits of a mean burst; 0: none
	replyRng *rand.Rand

	packets []packet  // that wait or are in flight; a message's tag is its packet's place
	free    []int32   // places of packets that are no more
	queues  []backlog // by node
	meter   *meter    // that is told of packets; nil: none
}

// packet is a packet from its generation to its delivery.
type packet struct {
	source, destination router.NodeID
	flits               int32
	next                int32        // the next one in the queue
	generated           router.Cycle // when the source generated it, or a PE took the tail of the request
	asked               router.Cycle // when the request was generated, of which this is the reply; otherwise generated
	reply               bool
}

// backlog is the packets that wait at a node: places, noPacket of none.
type backlog struct{ first, last int32 }

const noPacket = -1

func newSource(nodes int, sources []router.NodeID, gen generator) *Source {
	s := &Source{nodes: sources, gen: gen, queues: make([]backlog, nodes)}
	for n := range s.queues {
		s.queues[n] = backlog{noPacket, noPacket}
	}
	s.ahead, s.more = gen.next()
	return s
}

// fits refuses a source of another network.
func (s *Source) fits(t *topology.Topology) error {
	const want = "expected one that Load.Source or Trace.Source has made for this network"
	switch {
	case s == nil || s.gen == nil:
		return input.Errorf(want, "no source of packets")
	case len(s.queues) != t.Nodes():
		return input.Errorf(want, "a source of packets for %s on %s with %s", input.Count(len(s.queues), "node"), t, input.Count(t.Nodes(), "node"))
	}
	return nil
}

// count returns the number of nodes that generate packets.
func (s *Source) count() int {
	if s.nodes == nil {
		return len(s.queues)
	}
	return len(s.nodes)
}

// senders ranges over these nodes.
func (s *Source) senders() iter.Seq[router.NodeID] {
	return func(yield func(router.NodeID) bool) {
		for i := range s.count() {
			node := router.NodeID(i)
			if s.nodes != nil {
				node = s.nodes[i]
			}
			if !yield(node) {
				return
			}
		}
	}
}

// Evaluate implements fabric.Component.
func (s *Source) Evaluate(sig fabric.Signals) {
	now := sig.Now()
	s.receive(sig)
	for node := range sig.Freed() {
		s.send(sig, node)
	}
	for s.more && s.ahead.generated <= now {
		s.generate(sig, s.ahead)
		s.ahead, s.more = s.gen.next()
	}
}

// OnlyMessages implements fabric.Messenger.
func (s *Source) OnlyMessages() {}

// OnlySends implements fabric.Sender.
func (s *Source) OnlySends() {}

// Update implements fabric.Component.
func (s *Source) Update(fabric.Signals) {}

// Wakes returns when the next packet is generated.
func (s *Source) Wakes() router.Cycle {
	if !s.more {
		return fabric.Never
	}
	return s.ahead.generated
}

// Finished reports whether every packet has been generated, and delivered or lost.
func (s *Source) Finished() bool { return !s.more && len(s.free) == len(s.packets) }

// receive notes the packets that have arrived, and answers requests.
func (s *Source) receive(sig fabric.Signals) {
	at := sig.Network().ArrivalTime(sig.Now())
	for _, r := range sig.Received() {
		place := int32(r.Tag)
		p := s.packets[place]
		s.free = append(s.free, place)
		if s.meter != nil {
			s.meter.received(&p, r.Times, at)
		}
		if s.replies.Largest() > 0 && !p.reply {
			s.generate(sig, packet{
				source: p.destination, destination: p.source, flits: int32(s.replies.draw(s.replyRng)),
				generated: sig.Now(), asked: p.generated, reply: true,
			})
		}
	}
}

// lossMonitor tells a source of the packets that faults lose. It is a component of its own,
// because a Source without faults has nothing to do in Update.
type lossMonitor struct{ source *Source }

// Evaluate implements fabric.Component.
func (l *lossMonitor) Evaluate(fabric.Signals) {}

// Update implements fabric.Component.
func (l *lossMonitor) Update(sig fabric.Signals) {
	for _, strike := range sig.Strikes() {
		if strike.Lost != fault.Sound {
			l.source.lose(int32(sig.Worm(strike.Offer.Flit).Tag))
		}
	}
}

// Wakes returns Never: a packet can be lost only while the network is busy.
func (l *lossMonitor) Wakes() router.Cycle { return fabric.Never }

// lose forgets a packet that will not arrive.
func (s *Source) lose(place int32) {
	p := s.packets[place]
	s.free = append(s.free, place)
	if s.meter != nil {
		s.meter.losing(&p)
	}
}

// generate puts a packet into the queue of its source.
func (s *Source) generate(sig fabric.Signals, p packet) {
	if s.meter != nil {
		s.meter.generated(&p)
	}
	p.next = noPacket
	place := s.put(p)
	q := &s.queues[p.source]
	if q.first != noPacket { // which waits for a channel
		s.packets[q.last].next = place
		q.last = place
		return
	}
	q.first, q.last = place, place
	s.send(sig, p.source)
}

// put keeps a packet, and returns its place.
func (s *Source) put(p packet) int32 {
	if last := len(s.free) - 1; last >= 0 {
		place := s.free[last]
		s.free = s.free[:last]
		s.packets[place] = p
		return place
	}
	s.packets = append(s.packets, p)
	return int32(len(s.packets) - 1)
}

// send hands packets of a node to its channels until one of them is busy.
func (s *Source) send(sig fabric.Signals, node router.NodeID) {
	q := &s.queues[node]
	for q.first != noPacket {
		p := &s.packets[q.first]
		m := fabric.Message{Source: p.source, Destination: p.destination, Length: int(p.flits), Tag: uint32(q.first)}
		if _, err := sig.Send(m); err != nil {
			return // a busy channel; all other errors end the run
		}
		q.first = p.next
	}
}
