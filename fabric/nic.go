// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"iter"
	"math/bits"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/internal/bitset"
	"meshwright/internal/countdown"
	"meshwright/router"
)

// Message is the data that a PE hands to its network interface.
type Message struct {
	Source, Destination router.NodeID
	Kind                router.Kind
	Tag                 uint32        // the program's name for it, carried in every flit
	Words               []uint32      // payload, a word a flit, Machine.Elements numbers a word; copied by Send
	Length              int           // flits of data, used when Words is nil: a message without content
	Route               []router.Port // output ports; nil: the machine's own route
	Ordered             bool          // not to be overtaken by later messages to the same destination, if it has no route
}

// Received is a message whose last flit has been delivered.
type Received struct {
	Message
	Serial int32 // unique in the run, in order of sending
	Times  Times // after a call of Network.KeepTimes, otherwise zero
}

// Times are the times of a message in flight.
type Times struct {
	Dispatch router.Cycle // cycle in which its first flit stood in the injection register
	Head     router.Cycle // when its head had been delivered, see Network.ArrivalTime
}

// Sent is a message that its channel has accepted.
type Sent struct {
	Serial   int32
	Cycle    router.Cycle // cycle of Send
	Dispatch router.Cycle // cycle in which its first flit stood in the injection register, -1: not yet
	Arrival  router.Cycle // when it had been delivered, see Network.ArrivalTime; 0: not yet
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
	worm   uint32
	length uint32
	left   uint32 // flits that have still to be placed; of a steady channel see interfaces.steps
	lane   router.VC
	ready  router.Cycle // first cycle in which it may place its next flit
}

// interfaces are the network interfaces of all nodes. Sets of channels are
// bits, 64 to a word, as in Bank.Filled.
type interfaces struct {
	net      *Network
	base     []int32         `snapshot:"start"` // channels of node n start here
	node     []router.NodeID `snapshot:"start"`
	elements int             `snapshot:"start"` // of a word
	headers  int             `snapshot:"start"` // flits of a message before its data
	nothing  []uint32        `snapshot:"start"` // the word of a flit without content
	lanes    int             `snapshot:"start"` // of each class
	classes  int             `snapshot:"start"`
	dateline bool            `snapshot:"start"`
	flitTime router.Cycle    `snapshot:"start"` // of a flit on a link
	holds    router.Cycle    `snapshot:"start"` // for how long a flit that crosses a link still holds it, one of the fastest
	startup  router.Cycle    `snapshot:"start"`
	senders  []sender
	active   []uint64      // channels with a message
	steady   []uint64      // those that place a flit whenever their register is empty, until the tail
	steps    countdown.Set // flits that steady channels have still to place
	placing  []uint64      // channels that placed a flit in this cycle
	held     []uint64      `snapshot:"-"` // channels that place no flit in this cycle; nil: none may be, see Anew
	parts    []placer      // by part of the bank
	onePart  func(k int)   `snapshot:"-"` // placePart
	busy     int           // channels in active
	placed   int           // channels in placing
	freed    []int32       // channels that became free at the end of the last cycle
	words    [][]uint32
	spare    spare    `snapshot:"-"` // for words
	kept     []kept   // in this cycle
	arrived  []uint32 // by worm: flits delivered; only in a network that may lose some
	serial   int32
	late     [][]router.Delivery // deliveries that take more cycles, by cycle modulo their number
	pending  int                 // flits in late
	received []Received          `snapshot:"-"`
	finished []uint32            `snapshot:"-"` // worms of the messages received
	log      []Sent
	keepLog  bool
	expected int     `snapshot:"-"` // messages of the run, 0 when that is not known
	times    []Times // by worm; nil unless timed
	timed    bool    // times are kept
	control  int     // control messages that were sent and have not been received
	done     uint64  // flits delivered
	leaving  int     // of them, those that leave the network in this cycle

	// lists for observers, made when asked for
	flits      []router.Delivery `snapshot:"-"`
	placements []Placement       `snapshot:"-"`
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
	words := (len(c.node) + 63) / 64
	c.active, c.steady, c.placing = make([]uint64, words), make([]uint64, words), make([]uint64, words)
	c.parts, c.onePart = make([]placer, n.bank.Parts()), c.placePart
	for k := range c.parts {
		first, end := n.bank.Part(k)
		c.parts[k] = placer{first: int32(first), working: bitset.New(end - first)}
	}
	c.steps = countdown.New(len(c.node))
	c.elements, c.headers = n.Machine.Elements(), n.Machine.HeaderFlits()
	c.nothing = make([]uint32, c.elements)
	c.lanes = n.Machine.Lanes(n.Topology)
	c.classes, c.dateline = n.Machine.Routing.Classes(), n.Machine.Datelines(n.Topology)
	c.flitTime, c.startup = router.Cycle(n.Machine.FlitTicks()), router.Cycle(n.Machine.StartupTicks())
	_, c.holds = n.Holds(0, 0, router.NoPort, router.Flit{})
	c.late = make([][]router.Delivery, 1)
	if !n.Machine.PacketSwitched() { // a packet's flit crosses in the last cycle of its time on the link
		c.late = make([][]router.Delivery, n.Machine.Flit)
	}
}

// reserve makes room for the log of a run of so many messages, and for those of them that may be in flight at the same
// time: one for each channel, if there are several messages for each.
func (c *interfaces) reserve(messages int) {
	c.log, c.expected = slices.Grow(c.log, messages), messages
	atOnce := min(len(c.node), messages/messagesAtOnce)
	c.words, c.arrived = slices.Grow(c.words, atOnce), slices.Grow(c.arrived, atOnce)
	c.received = slices.Grow(c.received, atOnce)
	c.net.bank.ReserveWorms(atOnce)
}

// messagesAtOnce bounds the share of messages for which reserve makes room.
const messagesAtOnce = 8

// channelFor returns the channel by which a message leaves node from: the only channel, or the
// channel of the first link of its route. It works in asked.
func (c *interfaces) channelFor(from, to router.NodeID, route []router.Port, asked *router.Worm) int32 {
	if c.net.Machine.Channels != machine.Links {
		return 0
	}
	if route != nil {
		return int32(route[0])
	}
	return int32(c.net.next(from, to, asked))
}

// free reports whether a channel takes a message in this cycle.
func (c *interfaces) free(from router.NodeID, channel int32) bool {
	k := c.base[from] + channel
	return c.active[k>>6]>>(k&63)&1 == 0
}

// send hands a message to its channel. What is wrong with a message ends the
// run.
func (c *interfaces) send(m *Message) (int32, error) {
	if err := c.net.refuse(m); err != nil {
		if c.net.fault == nil {
			c.net.fault = err
		}
		return 0, err
	}
	channel := c.channelFor(m.Source, m.Destination, m.Route, &c.net.asked)
	if !c.free(m.Source, channel) {
		return 0, ErrBusy
	}
	worm := c.start(m, channel)
	if len(m.Words) > 0 {
		c.words[worm] = c.copyWords(m.Words)
	}
	return c.serial - 1, nil
}

// start begins the startup of a message without its words. Its worm is the flits on the links, header flit included.
func (c *interfaces) start(m *Message, channel int32) (worm uint32) {
	n := c.net
	data := n.flitsOf(m)
	length := uint32(n.Machine.WithHeader(data))
	worm, header := n.bank.NewWorm()
	n.head(header, m, n.RouteOf(m, c.serial))
	header.Length, header.Message = length, c.serial
	if int(worm) == len(c.words) {
		c.words, c.arrived = append(c.words, nil), append(c.arrived, 0)
		if c.timed {
			c.times = append(c.times, Times{})
		}
	}
	c.arrived[worm] = 0
	if m.Kind != router.Data {
		c.control++
	}
	k := c.base[m.Source] + channel
	ready := max(n.bank.Now()+c.startup, c.senders[k].ready)
	c.hold(k, sender{worm: worm, length: length, left: length, lane: header.Lane, ready: ready})
	if n.fly.on {
		n.fly.depart(k, ready, n.bank.Now())
	}
	if c.keepLog {
		sent := *m
		sent.Words, sent.Length, sent.Route = nil, data, header.Route
		c.log = append(c.log, Sent{Serial: c.serial, Cycle: n.bank.Now(), Dispatch: -1, Message: sent})
	}
	c.serial++
	return worm
}

// copyWords returns a copy of the words of a message, in spare memory if they fit.
func (c *interfaces) copyWords(words []uint32) []uint32 {
	var kept []uint32
	if len(words) > 0 {
		kept = c.spare.take()
		kept = append(kept, words...)
		if rest := len(words) % c.elements; rest > 0 { // the last word is not whole
			kept = append(kept, make([]uint32, c.elements-rest)...)
		}
	}
	return kept
}

// hold gives a message to a channel.
func (c *interfaces) hold(k int32, s sender) {
	c.senders[k] = s
	c.active[k>>6] |= 1 << (k & 63)
	part := c.partOf(k)
	part.working.Set(k>>6 - part.first)
	c.busy++
}

// waiting ranges over the channels with a message.
func (c *interfaces) waiting() iter.Seq[int32] { return bitset.Set(c.active).All() }

// depart gives a message to its channel that has left it before, in the cycle in which it leaves again.
func (c *interfaces) depart(f *router.Flight) {
	w := c.net.bank.Worm(f.Worm)
	c.arrived[f.Worm] = 0
	c.hold(f.Channel, sender{worm: f.Worm, length: w.Length, left: w.Length, lane: w.Lane, ready: f.Off})
}

// LaneOf returns the lane of messages between two nodes, of so many lanes, at least 1.
func LaneOf(from, to router.NodeID, lanes int) int { return int(from+to) % lanes }

// lane picks the virtual channel of a worm of a class at injection; with datelines a lane
// is a pair. Classes take turns in the numbering. It depends on the two ends only, so that messages between the
// same two nodes that take the same route stay in one lane and do not overtake one
// another: a PE that takes messages by their source gets them in the order of
// sending. On different routes they may overtake.
func (c *interfaces) lane(from, to router.NodeID, class int) router.VC {
	lane := router.VC(class)
	if c.lanes > 1 {
		lane += router.VC(LaneOf(from, to, c.lanes) * c.classes)
	}
	if c.dateline {
		lane *= 2
	}
	return lane
}

// placer is the channels that place flits in the registers of one part of the bank. Workers may do so for several parts
// at the same time.
type placer struct {
	first   int32      `snapshot:"start"` // word of channels
	working bitset.Set // words of active, counted from the first, that are not 0
	touched []int32    // words of placing that may not be 0
	freed   []int32    // channels that became free in this cycle
	placed  int        // channels in placing
}

// partOf returns the part that has a channel.
func (c *interfaces) partOf(k int32) *placer {
	at := len(c.parts) - 1
	for k>>6 < c.parts[at].first {
		at--
	}
	return &c.parts[at]
}

// place fills the empty injection registers of channels whose startup is over.
// It looks only where channels have messages.
func (c *interfaces) place() {
	for k := range c.parts {
		c.placePart(k)
	}
	c.notePlaced()
}

// placePart does so for part k.
func (c *interfaces) placePart(k int) {
	p := &c.parts[k]
	for _, w := range p.touched {
		c.placing[w] = 0
	}
	p.freed, p.placed, p.touched = p.freed[:0], 0, p.touched[:0]
	for b, working := range p.working {
		for ; working != 0; working &= working - 1 {
			c.placeWord(p, int(p.first)+b<<6+bits.TrailingZeros64(working))
		}
	}
}

// notePlaced sums up what the parts have placed.
func (c *interfaces) notePlaced() {
	c.placed = 0
	for k := range c.parts {
		c.placed += c.parts[k].placed
	}
	clear(c.held)
	c.net.inFlight += c.placed
	c.noteFreed()
}

// noteFreed lists the channels that became free in the parts.
func (c *interfaces) noteFreed() {
	if len(c.parts) == 1 {
		c.freed, c.parts[0].freed = c.parts[0].freed, c.freed[:0]
		c.busy -= len(c.freed)
		return
	}
	c.freed = c.freed[:0]
	for k := range c.parts {
		c.freed = append(c.freed, c.parts[k].freed...)
	}
	c.busy -= len(c.freed)
}

// placeWord fills the registers of the channels of word w.
func (c *interfaces) placeWord(p *placer, w int) {
	bank, active := c.net.bank, c.active[w]
	empty := active &^ bank.Filled()[w]
	if c.held != nil {
		empty &^= c.held[w]
	}
	if empty == 0 {
		return
	}
	p.touched = append(p.touched, int32(w))
	placing, alone := empty&c.steady[w], empty&^c.steady[w]
	c.placing[w] = placing
	if placing != 0 {
		bank.Refill(w, placing)
		c.step(p, w, placing)
	}
	for ; alone != 0; alone &= alone - 1 {
		c.placeAlone(p, int32(w<<6+bits.TrailingZeros64(alone)))
	}
	p.placed += bits.OnesCount64(c.placing[w])
}

// step counts the flits of the steady channels of word w that place one.
func (c *interfaces) step(p *placer, w int, placing uint64) {
	for word := c.steps.Step(w, placing); word != 0; word &= word - 1 {
		k := int32(w<<6 + bits.TrailingZeros64(word))
		s := &c.senders[k]
		if s.left = countdown.Rest(s.left); s.left == 0 {
			c.release(p, k)
		}
	}
}

// placeAlone places the next flit of a channel that is not steady: a head, or
// any flit where the network needs each by itself.
func (c *interfaces) placeAlone(p *placer, k int32) {
	now, bank := c.net.bank.Now(), c.net.bank
	s := &c.senders[k]
	if now < s.ready {
		return
	}
	if bank.Streams() {
		c.begin(p, k, s, now)
		return
	}
	f := s.next(s.left)
	if f.Flags&router.Head != 0 {
		c.dispatched(s.worm, now)
	}
	c.placing[k>>6] |= 1 << (k & 63)
	bank.Place(c.node[k], k-c.base[c.node[k]], f)
	s.ready = now + c.flitTime
	if s.left--; s.left == 0 {
		c.release(p, k)
	}
}

// begin places the head of a message in a bank that streams: the channel is steady from then on.
func (c *interfaces) begin(p *placer, k int32, s *sender, now router.Cycle) {
	c.dispatched(s.worm, now)
	w, bit := k>>6, uint64(1)<<(k&63)
	c.placing[w] |= bit
	c.net.bank.Begin(k, s.worm)
	if s.left--; s.left == 0 {
		c.release(p, k)
		return
	}
	c.steady[w] |= bit
	c.steps.Load(k, s.left)
}

// next returns the flit that is placed when left are still to be.
func (s *sender) next(left uint32) router.Flit {
	f := router.Flit{Worm: s.worm, Seq: s.length - left, VC: s.lane}
	if f.Seq == 0 {
		f.Flags = router.Head
	}
	if left == 1 {
		f.Flags |= router.Tail
	}
	return f
}

// release frees a channel of a part whose message has been placed to the tail.
func (c *interfaces) release(p *placer, k int32) {
	if c.active[k>>6] &^= 1 << (k & 63); c.active[k>>6] == 0 {
		p.working.Clear(k>>6 - p.first)
	}
	c.steady[k>>6] &^= 1 << (k & 63)
	p.freed = append(p.freed, k)
	c.senders[k].ready = c.net.bank.Now() + c.flitTime
}

// listPlaced returns the flits placed in this cycle.
func (c *interfaces) listPlaced() []Placement {
	c.placements = c.placements[:0]
	for w, word := range c.placing {
		for ; word != 0; word &= word - 1 {
			k := int32(w<<6 + bits.TrailingZeros64(word))
			node, s := c.node[k], &c.senders[k]
			left := s.left
			if c.steady[w]>>(k&63)&1 != 0 {
				left = c.steps.Left(k, s.left)
			}
			c.placements = append(c.placements, Placement{node, k - c.base[node], s.next(left + 1)})
		}
	}
	return c.placements
}

func (c *interfaces) dispatched(worm uint32, now router.Cycle) {
	if c.timed {
		c.times[worm].Dispatch = now
	}
	if c.keepLog {
		c.log[c.net.bank.Worm(worm).Message].Dispatch = now
	}
}

// take receives the flits that leave the network in this cycle.
func (c *interfaces) take(leaving int) {
	c.received, c.finished = c.received[:0], c.finished[:0]
	c.net.inFlight -= leaving
	c.leaving = leaving
	switch {
	case leaving == 0 && c.pending == 0:
		c.flits = c.flits[:0]
	case len(c.late) > 1:
		c.takeLate()
	case c.net.Machine.Switching == machine.Bufferless:
		c.flits = c.net.bank.Deliveries()
	default:
		// Worms arrive whole and in order: only the tails have more to do.
		c.done += uint64(leaving)
		if c.timed {
			c.noteHeads(c.net.bank.AppendHeads(c.finished))
		}
		c.finished = c.net.bank.AppendTails(c.finished)
		if c.keepLog {
			for _, worm := range c.finished {
				c.complete(worm)
			}
		}
		return
	}
	for _, d := range c.flits {
		c.assemble(d)
	}
}

// noteHeads notes when the heads of worms have been delivered: now.
func (c *interfaces) noteHeads(worms []uint32) {
	at := c.net.ArrivalTime(c.net.bank.Now())
	for _, worm := range worms {
		c.times[worm].Head = at
	}
}

// takeLate holds flits back: with more than one cycle a flit the PE has them
// whole only Flit-1 cycles later.
func (c *interfaces) takeLate() {
	now := int(c.net.bank.Now())
	at, due := (now+len(c.late)-1)%len(c.late), now%len(c.late)
	fresh := c.net.bank.Deliveries()
	c.late[at] = append(c.late[at], fresh...)
	c.flits = append(c.flits[:0], c.late[due]...)
	c.late[due] = c.late[due][:0]
	c.pending += len(fresh) - len(c.flits)
}

// taking reports whether PEs take any flits in this cycle.
func (c *interfaces) taking() bool {
	if len(c.late) > 1 {
		return len(c.flits) > 0
	}
	return c.leaving > 0
}

// takingData reports whether PEs take any flits of data in this cycle. It
// looks at the flits only while control messages are in flight.
func (c *interfaces) takingData() bool {
	if c.control == 0 || !c.taking() {
		return c.taking()
	}
	for _, d := range c.listTaken() {
		if c.net.bank.Worm(d.Flit.Worm).Kind == router.Data {
			return true
		}
	}
	return false
}

// listTaken returns the flits that PEs take in this cycle.
func (c *interfaces) listTaken() []router.Delivery {
	if len(c.late) > 1 || c.net.fly.on {
		return c.flits
	}
	return c.net.bank.Deliveries()
}

// assemble counts a worm's flits; the tail completes the message, unless flits
// were lost to collisions on the way.
func (c *interfaces) assemble(d router.Delivery) {
	c.done++
	worm := d.Flit.Worm
	c.arrived[worm]++
	if c.timed && d.Flit.Flags&router.Head != 0 {
		c.times[worm].Head = c.net.ArrivalTime(c.net.bank.Now())
	}
	if d.Flit.Flags&router.Tail != 0 && c.arrived[worm] == c.net.bank.Worm(worm).Length {
		c.finished = append(c.finished, worm)
		c.complete(worm)
	}
}

// complete notes that a message has been received.
func (c *interfaces) complete(worm uint32) {
	if c.keepLog {
		c.log[c.net.bank.Worm(worm).Message].Arrival = c.net.ArrivalTime(c.net.bank.Now())
	}
}

// listReceived returns the messages received in this cycle. The list is made when a component asks for it.
func (c *interfaces) listReceived() []Received {
	for _, worm := range c.finished[len(c.received):] {
		w := c.net.bank.Worm(worm)
		r := Received{
			Message: Message{Source: w.Source, Destination: w.Destination, Kind: w.Kind, Tag: w.Tag, Words: c.words[worm], Length: int(w.Length) - c.headers, Route: w.Route},
			Serial:  w.Message,
		}
		if c.timed {
			r.Times = c.times[worm]
		}
		c.received = append(c.received, r)
	}
	return c.received
}

// retire frees the worms whose messages were received in this cycle.
func (c *interfaces) retire() {
	for _, k := range c.kept {
		c.words[k.worm] = k.spare
	}
	c.kept = c.kept[:0]
	bank := c.net.bank
	for _, worm := range c.finished {
		if bank.Worm(worm).Kind != router.Data {
			c.control--
		}
		bank.FreeWorm(worm)
		if c.words[worm] != nil {
			c.spare.give(c.words[worm])
			c.words[worm] = nil
		}
	}
}

// kept is a worm whose words a component has kept, and the memory that it gave for them.
type kept struct {
	worm  uint32
	spare []uint32
}

// nextStartup returns the first cycle in which a channel whose register is
// empty may place a flit.
func (c *interfaces) nextStartup() router.Cycle {
	next := Never
	for w, word := range c.active {
		for word &^= c.net.bank.Filled()[w]; word != 0; word &= word - 1 {
			next = min(next, c.senders[w<<6+bits.TrailingZeros64(word)].ready)
		}
	}
	return next
}
