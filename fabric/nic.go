// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"fmt"

	"meshwright/fabric/machine"
	"meshwright/router"
)

// Message is what a PE hands to its network interface.
type Message struct {
	Source, Destination router.NodeID
	Kind                router.Kind
	Tag                 uint32        // the program's name for it, carried in every flit
	Words               []uint32      // payload, a flit a word; copied by Send
	Length              int           // flits, used when Words is nil: a message without content
	Route               []router.Port // output ports; nil: the machine's own route
}

// Received is a message whose last flit has been delivered.
type Received struct {
	Message
	Serial int32 // unique in the run, in order of sending
}

// Sent is a message that its channel has accepted.
type Sent struct {
	Serial   int32
	Cycle    router.Cycle // cycle of Send
	Dispatch router.Cycle // cycle in which its first flit stood in the injection register, -1: not yet
	Arrival  router.Cycle // 1 + cycle in which its last flit was delivered, 0: not yet
	Message
}

// Placement is a flit that entered an injection register.
type Placement struct {
	Node    router.NodeID
	Channel int32
	Flit    router.Flit
}

// sender is the state of an injection channel.
type sender struct {
	busy   bool
	worm   uint32
	seq    uint32
	length uint32
	ready  router.Cycle // first cycle in which it may place its next flit
}

// interfaces are the network interfaces of all nodes.
type interfaces struct {
	net      *Network
	base     []int32 // channels of node n start here
	node     []router.NodeID
	senders  []sender
	active   []int32 // channels with a message, in no particular order
	freed    []int32 // channels that became free at the end of the last cycle
	words    [][]uint32
	arrived  []uint32 // by worm: flits delivered
	serial   int32
	placed   []Placement
	late     [][]router.Delivery // deliveries that take more cycles, by cycle modulo Flit
	pending  int                 // flits in late
	received []Received
	flits    []router.Delivery
	log      []Sent
	keepLog  bool
	done     uint64 // flits delivered
}

func (c *interfaces) init(n *Network) {
	c.net = n
	c.base = make([]int32, n.Topology.Nodes()+1)
	for v := range router.NodeID(n.Topology.Nodes()) {
		channels := n.bank.Channels(v)
		c.base[v+1] = c.base[v] + channels
		for range channels {
			c.node = append(c.node, v)
		}
	}
	c.senders = make([]sender, len(c.node))
	c.late = make([][]router.Delivery, n.Machine.Flit)
}

// channelFor returns the channel by which a message leaves node from: the only
// one, or the one of the link its route begins with.
func (c *interfaces) channelFor(from, to router.NodeID, route []router.Port) int32 {
	if c.net.Machine.Channels != machine.Links {
		return 0
	}
	if route != nil {
		return int32(route[0])
	}
	return int32(c.net.Next(from, to))
}

// free reports whether a channel takes a message in this cycle.
func (c *interfaces) free(from router.NodeID, channel int32) bool {
	return !c.senders[c.base[from]+channel].busy
}

// send hands a message to its channel; false when the channel is busy.
func (c *interfaces) send(m Message) (int32, bool) {
	if m.Source == m.Destination {
		panic(fmt.Sprintf("fabric: node %d sends to itself", m.Source))
	}
	channel := c.channelFor(m.Source, m.Destination, m.Route)
	if !c.free(m.Source, channel) {
		return 0, false
	}
	length := m.Length
	if m.Words != nil {
		length = len(m.Words)
	}
	if length < 1 {
		panic("fabric: a message has at least one flit")
	}
	c.start(m, channel, uint32(length))
	return c.serial - 1, true
}

func (c *interfaces) start(m Message, channel int32, length uint32) {
	n := c.net
	if n.Machine.Routing == machine.Source && m.Route == nil {
		m.Route = n.Route(m.Source, m.Destination)
	}
	worm := n.bank.AddWorm(router.Worm{
		Source: m.Source, Destination: m.Destination, Length: length, Message: c.serial, Tag: m.Tag, Kind: m.Kind,
		Lane: c.lane(m.Source, m.Destination), Route: m.Route,
	})
	if int(worm) == len(c.words) {
		c.words, c.arrived = append(c.words, nil), append(c.arrived, 0)
	}
	c.words[worm], c.arrived[worm] = append(c.words[worm][:0], m.Words...), 0
	k := c.base[m.Source] + channel
	c.senders[k] = sender{busy: true, worm: worm, length: length, ready: max(n.bank.Now()+router.Cycle(n.Machine.Startup), c.senders[k].ready)}
	c.active = append(c.active, k)
	if c.keepLog {
		m.Words, m.Length = nil, int(length)
		c.log = append(c.log, Sent{Serial: c.serial, Cycle: n.bank.Now(), Dispatch: -1, Message: m})
	}
	c.serial++
}

// lane picks the virtual channel of a worm at injection; with datelines a lane
// is a pair. It depends on the two ends only, so that messages between the
// same two nodes stay in one lane and do not overtake one another: a PE that
// takes messages by their source gets them in the order of sending.
func (c *interfaces) lane(from, to router.NodeID) router.VC {
	lanes := c.net.Machine.Lanes(c.net.Topology)
	lane := router.VC(int(from+to) % lanes)
	if machine.Dateline(c.net.Topology) && c.net.Machine.VCs > 1 {
		lane *= 2
	}
	return lane
}

// place fills the empty injection registers of channels whose startup is over.
func (c *interfaces) place() {
	now, bank := c.net.bank.Now(), c.net.bank
	c.placed, c.freed = c.placed[:0], c.freed[:0]
	kept := c.active[:0]
	for _, k := range c.active {
		s := &c.senders[k]
		node := c.node[k]
		channel := k - c.base[node]
		if now < s.ready || !bank.Ready(node, channel) {
			kept = append(kept, k)
			continue
		}
		f := router.Flit{Worm: s.worm, Seq: s.seq, VC: bank.Worm(s.worm).Lane}
		if s.seq == 0 {
			f.Flags |= router.Head
			c.dispatched(s.worm, now)
		}
		s.seq++
		s.ready = now + router.Cycle(c.net.Machine.Flit)
		if s.seq == s.length {
			f.Flags |= router.Tail
			s.busy = false
			c.freed = append(c.freed, k)
		} else {
			kept = append(kept, k)
		}
		bank.Place(node, channel, f)
		c.placed = append(c.placed, Placement{node, channel, f})
	}
	c.active = kept
	c.net.inFlight += len(c.placed)
}

func (c *interfaces) dispatched(worm uint32, now router.Cycle) {
	if c.keepLog {
		c.log[c.net.bank.Worm(worm).Message].Dispatch = now
	}
}

// take receives the flits that leave the network in this cycle; with more than
// one cycle a flit the PE has them whole only Flit-1 cycles later.
func (c *interfaces) take(fresh []router.Delivery) {
	c.received = c.received[:0]
	c.net.inFlight -= len(fresh)
	if len(c.late) == 1 {
		c.flits = fresh
	} else {
		now := int(c.net.bank.Now())
		at := (now + len(c.late) - 1) % len(c.late)
		c.late[at] = append(c.late[at], fresh...)
		c.pending += len(fresh)
		c.flits = append(c.flits[:0], c.late[now%len(c.late)]...)
		c.late[now%len(c.late)] = c.late[now%len(c.late)][:0]
		c.pending -= len(c.flits)
	}
	for _, d := range c.flits {
		c.assemble(d)
	}
}

// assemble counts a worm's flits; the tail completes the message, unless flits
// were lost to collisions on the way.
func (c *interfaces) assemble(d router.Delivery) {
	c.done++
	worm := d.Flit.Worm
	c.arrived[worm]++
	if d.Flit.Flags&router.Tail == 0 {
		return
	}
	w := c.net.bank.Worm(worm)
	if c.arrived[worm] != w.Length {
		return
	}
	c.received = append(c.received, Received{
		Message: Message{w.Source, w.Destination, w.Kind, w.Tag, c.words[worm], int(w.Length), w.Route},
		Serial:  w.Message,
	})
	if c.keepLog {
		c.log[w.Message].Arrival = c.net.bank.Now() + 1
	}
}

// retire frees the worms whose messages were received in this cycle.
func (c *interfaces) retire() {
	for _, d := range c.flits {
		if d.Flit.Flags&router.Tail != 0 && c.arrived[d.Flit.Worm] == c.net.bank.Worm(d.Flit.Worm).Length {
			c.net.bank.FreeWorm(d.Flit.Worm)
		}
	}
}

// nextStartup returns the first cycle in which a waiting channel may place a flit.
func (c *interfaces) nextStartup() router.Cycle {
	next := Never
	for _, k := range c.active {
		next = min(next, c.senders[k].ready)
	}
	return next
}
