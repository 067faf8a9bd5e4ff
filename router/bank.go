// SPDX-License-Identifier: Apache-2.0

package router

import "meshwright/internal/bitset"

// Config describes the chips of a bank and how they are joined. It is fixed during a run.
type Config struct {
	PortBase   []int32 // link ports of chip n: PortBase[n] to PortBase[n+1]
	Peer       []int32 // the port at the other end of each port's link, -1 where unconnected
	CrossesRim []bool  // ports whose outgoing link closes a ring; nil where there is no dateline or one virtual channel
	Routing    Routing // chooses output ports
	VCs        int     // virtual channels per link port
	Buffer     int     // flits per link port and virtual channel
	PerLink    bool    // one NIC channel per link port instead of one per chip
	SinglePort bool    // one flit sent and one received per chip and cycle
	HalfDuplex bool    // a PE does not send and receive in the same cycle
	Hop        int     // cycles a flit needs from chip to chip
	Flit       int     // cycles a flit occupies a link
	Bufferless bool    // a flit that cannot move on is a collision
	Faulty     bool    // links may lose worms, see Lose

	// Packet switching: one virtual channel, full duplex, hop 1; a single port and
	// one NIC channel, or all ports and a NIC channel per link port.
	Packet     int   // flits of the largest packet; 0: flits are switched, not packets
	CutThrough bool  // a packet goes on when its head has come, not only when its tail has
	Setup      Cycle // cycles on every link before a packet's first flit
}

// input is the state of one input: a link port's buffer for one virtual
// channel, or an injection register. Its flits are not kept one by one: they
// are the segments of worms in the input's ring, in order, and left tells how
// far the first of these worms has gone through.
type input struct {
	count uint16 // flits held; not used by the streaming evaluation, see Bank.held
	first uint16 // slot of the first segment
	worms uint16 // segments held
	left  uint32 // flits of the first worm that have still to leave; see Bank.left
	out   int32  // output-VC that the first worm wants or owns, -1: none
	next  int32  // next input that waits for the same output-VC, -1: last
}

// segment is the part of a worm that passes through an input.
type segment struct {
	worm uint32
	hop  uint32 // links crossed so far
}

// output is the state of one output-VC.
type output struct {
	owner   int32 // input whose worm has claimed it, -1: free
	waiting int32 // first of the list of inputs whose heads request it, -1: none
	pointer int32 // input with highest priority; the arbiter's order is that of the numbers
}

// Bank holds many chips in flat arrays. The inputs of a chip have consecutive numbers, in
// the order of its arbiters: link ports first, as port*VCs+vc, then injection channels.
// Outputs are numbered likewise, with ejection channels last. A cycle is EvaluateEjection,
// any number of Place, EvaluateLinks, Update.
type Bank struct {
	cfg Config
	now Cycle

	// wiring
	chips       int
	ports       int     // link ports of all chips
	linkInputs  int32   // ports*VCs
	chipAt      []int32 // chip of each input
	channelBase []int32 // NIC channels of chip n: channelBase[n] to channelBase[n+1]
	routes      []int8  // port at [chip*chips+destination]; nil: ask Routing
	behind      []int32 // input behind each link output-VC; the peers themselves when there is one VC
	streaming   bool    // neither virtual channels nor port, duplex or timing rules, and no faults: the streaming evaluation

	// state
	in      []input
	slots   []segment // a ring per input: Buffer for a link input, one for an injection register
	out     []output
	filled  bitset.Set // injection registers that hold a flit, by channel
	flow    flow       // additional state of the streaming evaluation
	vcNext  []uint8    // per output port: virtual channel with highest priority
	rest    []Cycle    // per output port: first cycle in which it may offer again; nil when Flit is 1
	sendPtr []int32    // per chip, single port: output port with highest priority
	takePtr []int32    // per chip, single port: input port with highest priority
	chip    []chipTimes
	transit []uint16 // per link input: flits in the link's delay line; nil when Hop is 1
	delay   [][]arrival
	worms   wormTable

	// outputs by what happens at them, the cycle's decisions among them
	links      outputs
	ejects     outputs
	deliver    []Delivery
	offers     offerList
	bufferless bufferlessState
	packets    packetState
	losses     losses

	// counts
	carried []uint64 // per link port: flits of worms that have crossed its outgoing link to the tail
	Blocked []uint64 // per link port: cycles in which a flit was offered and did not cross; see BlockedCycles
	watch   []watchEntry

	keepBlocked bool // Offers shows blocked flits too
}

// outputs are the output-VCs of one kind, of all chips, as sets; number k of a
// set is output-VC first+k.
type outputs struct {
	first    int32
	asking   bitset.Set // free, and heads request it
	owned    bitset.Set // claimed by a worm
	fresh    bitset.Set // owned, and the head has not crossed yet
	crossing bitset.Set // a flit crosses in this cycle
	blocked  bitset.Set // a flit is offered in this cycle and does not cross
}

func newOutputs(first int32, n int) outputs {
	return outputs{
		first: first, asking: bitset.New(n), owned: bitset.New(n), fresh: bitset.New(n),
		crossing: bitset.New(n), blocked: bitset.New(n),
	}
}

// chipTimes are the per-chip rests of the single-port and half-duplex rules:
// the first cycle in which the action is allowed again.
type chipTimes struct{ send, take, eject, inject Cycle }

// arrival is a flit that leaves a delay line.
type arrival struct {
	in int32
	f  Flit
}

// Delivery is a flit that a PE takes in this cycle.
type Delivery struct {
	Node    NodeID
	Channel int32 // the chip's ejection channel
	Flit    Flit
}

// NewBank returns the chips of cfg, empty, at cycle 0.
func NewBank(cfg Config) *Bank {
	b := &Bank{cfg: cfg, chips: len(cfg.PortBase) - 1, ports: len(cfg.Peer)}
	b.linkInputs = int32(b.ports * cfg.VCs)
	b.streaming = cfg.VCs == 1 && !cfg.SinglePort && !cfg.HalfDuplex && cfg.Hop == 1 && cfg.Flit == 1 && !cfg.Bufferless && cfg.Packet == 0 && !cfg.Faulty
	b.wire()
	b.routes = tabulate(cfg.Routing, b.chips)
	b.allocate()
	return b
}

func (b *Bank) wire() {
	b.channelBase = make([]int32, b.chips+1)
	for n := range b.chips {
		b.channelBase[n+1] = b.channelBase[n] + 1
		if b.cfg.PerLink {
			b.channelBase[n+1] = b.channelBase[n] + b.cfg.PortBase[n+1] - b.cfg.PortBase[n]
		}
	}
	b.chipAt = make([]int32, b.linkInputs+b.channelBase[b.chips])
	vcs := int32(b.cfg.VCs)
	for n := range int32(b.chips) {
		for i := b.cfg.PortBase[n] * vcs; i < b.cfg.PortBase[n+1]*vcs; i++ {
			b.chipAt[i] = n
		}
		for k := b.channelBase[n]; k < b.channelBase[n+1]; k++ {
			b.chipAt[b.linkInputs+k] = n
		}
	}
	b.behind = b.cfg.Peer
	if vcs > 1 {
		b.behind = make([]int32, b.linkInputs)
		for o := range b.linkInputs {
			b.behind[o] = b.cfg.Peer[o/vcs]*vcs + o%vcs
		}
	}
}

func (b *Bank) allocate() {
	channels := int(b.channelBase[b.chips])
	b.filled = bitset.New(channels)
	b.carried = make([]uint64, b.ports)
	b.Blocked = make([]uint64, b.ports)
	if b.cfg.Faulty {
		b.losses.worms = make([]uint32, b.linkInputs)
	}
	if b.cfg.Packet > 0 {
		b.packets = b.newPacketState()
		return
	}
	b.in = make([]input, len(b.chipAt))
	for i := range b.in {
		b.in[i].out, b.in[i].next = -1, -1
	}
	b.out = make([]output, (b.ports+channels)*b.cfg.VCs)
	for o := range b.out {
		b.out[o].owner, b.out[o].waiting = -1, -1
	}
	b.links = newOutputs(0, int(b.linkInputs))
	b.ejects = newOutputs(b.linkInputs, channels*b.cfg.VCs)
	if b.cfg.Bufferless {
		b.bufferless = b.newBufferlessState()
	} else {
		b.slots = make([]segment, int(b.linkInputs)*b.cfg.Buffer+channels)
	}
	if b.streaming {
		b.flow = b.newFlow(channels)
	}
	if b.cfg.VCs > 1 {
		b.vcNext = make([]uint8, b.ports+channels)
	}
	if b.cfg.Flit > 1 {
		b.rest = make([]Cycle, b.ports+channels)
	}
	if b.cfg.SinglePort {
		b.sendPtr = make([]int32, b.chips)
		b.takePtr = make([]int32, b.chips)
		b.offers = newOfferList(b.chips)
	}
	if b.cfg.SinglePort || b.cfg.HalfDuplex {
		b.chip = make([]chipTimes, b.chips)
	}
	if b.cfg.Hop > 1 {
		b.transit = make([]uint16, b.linkInputs)
		b.delay = make([][]arrival, b.cfg.Hop)
	}
}

// Now returns the cycle that the next evaluation is for.
func (b *Bank) Now() Cycle { return b.now }

// Channels returns the number of injection channels of chip n.
func (b *Bank) Channels(n NodeID) int32 { return b.channelBase[n+1] - b.channelBase[n] }

// Ready reports whether the injection register of a channel is empty.
func (b *Bank) Ready(n NodeID, channel int32) bool {
	return !b.filled.Has(b.channelBase[n] + channel)
}

// Filled returns the set of injection registers that are not Ready, 64 to a word,
// beginning with the registers of chip 0. Callers must not change it.
func (b *Bank) Filled() []uint64 { return b.filled }

// Place fills an injection register that is Ready; the flit takes part in the
// present cycle.
func (b *Bank) Place(n NodeID, channel int32, f Flit) {
	k := b.channelBase[n] + channel
	if b.filled.Has(k) {
		panic("router: injection register is full")
	}
	b.filled.Set(k)
	i := b.linkInputs + k
	if b.cfg.Packet > 0 {
		b.placePacket(i, f)
		return
	}
	if b.cfg.Bufferless {
		b.placeBufferless(i, f)
		return
	}
	b.in[i].count = 1
	if f.Flags&Head != 0 {
		b.enter(i, segment{f.Worm, f.Hop})
	}
}

// Streams reports whether Refill may place the flits of a worm after its head.
func (b *Bank) Streams() bool { return b.streaming }

// Refill places the next flits of their worms in the injection registers of
// word w of Filled that are in the mask. A bank that Streams takes it that
// each register is filled in the first cycle in which it is Ready, from the
// head to the tail.
func (b *Bank) Refill(w int, mask uint64) { b.filled[w] |= mask }

// slot returns where segment k of an input's ring is kept.
func (b *Bank) slot(i int32, k uint16) int {
	if i >= b.linkInputs {
		return int(b.linkInputs)*b.cfg.Buffer + int(i-b.linkInputs)
	}
	at := int(b.in[i].first) + int(k)
	if at >= b.cfg.Buffer {
		at -= b.cfg.Buffer
	}
	return int(i)*b.cfg.Buffer + at
}

// front returns the flit at the front of an input that holds one.
func (b *Bank) front(i int32) Flit {
	switch {
	case b.cfg.Bufferless:
		return b.bufferless.cells[i].f
	case b.cfg.Packet > 0:
		return b.frontOf(&b.packets.packets[b.packets.inputs[i].first])
	}
	s := b.slots[b.slot(i, 0)]
	w := b.Worm(s.worm)
	left := b.left(i)
	f := Flit{Worm: s.worm, Seq: w.Length - left, Hop: s.hop, VC: b.vcAt(i, w)}
	if f.Seq == 0 {
		f.Flags = Head
	}
	if left == 1 {
		f.Flags |= Tail
	}
	return f
}

// left returns how many flits of the first worm have still to leave input i.
// The streaming evaluation counts the flits of a worm that owns an output at
// that output.
func (b *Bank) left(i int32) uint32 {
	in := &b.in[i]
	if !b.streaming || in.out < 0 || b.out[in.out].owner != i {
		return in.left
	}
	if in.out < b.linkInputs {
		return b.flow.links.left.Left(in.out, in.left)
	}
	return b.flow.ejects.left.Left(in.out-b.linkInputs, in.left)
}

// holds reports whether a flit stands at the front of input i.
func (b *Bank) holds(i int32) bool {
	if i >= b.linkInputs {
		return b.filled.Has(i - b.linkInputs)
	}
	return b.held(i) > 0
}

// held returns how many flits are in the buffer of link input i.
func (b *Bank) held(i int32) int {
	switch {
	case b.streaming:
		return b.flow.held.at(i)
	case b.cfg.Packet > 0:
		return int(b.packets.count[i])
	case b.cfg.Bufferless && b.bufferless.held.words.Has(i):
		return 1
	}
	return int(b.in[i].count)
}

// vcAt returns the virtual channel of input i, which worm w goes through.
func (b *Bank) vcAt(i int32, w *Worm) VC {
	switch {
	case b.cfg.VCs == 1:
		return 0
	case i >= b.linkInputs:
		return w.Lane
	}
	return VC(int(i) % b.cfg.VCs)
}

// portChip returns the chip of a link port.
func (b *Bank) portChip(port int32) int32 { return b.chipAt[int(port)*b.cfg.VCs] }

// local returns an input's place in its chip's arbiters: link ports and their
// virtual channels first, then injection channels.
func (b *Bank) local(i, chip int32) int32 {
	first := b.cfg.PortBase[chip] * int32(b.cfg.VCs)
	if i < b.linkInputs {
		return i - first
	}
	links := b.cfg.PortBase[chip+1]*int32(b.cfg.VCs) - first
	return links + i - b.linkInputs - b.channelBase[chip]
}

// SkipTo moves the clock forward over cycles in which nothing happens in the
// bank: it holds no flit, or NextEvent says so.
func (b *Bank) SkipTo(t Cycle) { b.now = max(b.now, t) }

// TakeLost returns how many flits the last update dropped.
func (b *Bank) TakeLost() int {
	lost := b.bufferless.lost + b.losses.flits
	b.bufferless.lost, b.losses.flits = 0, 0
	return lost
}
