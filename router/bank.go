// SPDX-License-Identifier: Apache-2.0

package router

// Config says what the chips of a bank are and how they are joined. It is
// fixed during a run.
type Config struct {
	PortBase   []int32 // link ports of chip n: PortBase[n] to PortBase[n+1]
	Peer       []int32 // the port at the other end of each port's link, -1 where unconnected
	CrossesRim []bool  // ports whose outgoing link closes a ring; nil where there is no dateline
	Routing    Routing // chooses output ports
	VCs        int     // virtual channels per link port
	Buffer     int     // flits per link port and virtual channel
	PerLink    bool    // one NIC channel per link port instead of one per chip
	SinglePort bool    // one flit sent and one received per chip and cycle
	HalfDuplex bool    // a PE does not send and receive in the same cycle
	Hop        int     // cycles a flit needs from chip to chip
	Flit       int     // cycles a flit occupies a link
	Bufferless bool    // a flit that cannot move on is a collision
}

// input is the state of one input: a link port's buffer for one virtual
// channel, or an injection register.
type input struct {
	first uint16 // slot of the front flit
	count uint16 // flits held
	out   int32  // output-VC that the worm at the front wants or owns, -1: none
	next  int32  // next input that waits for the same output-VC, -1: last
}

// output is the state of one output-VC.
type output struct {
	owner   int32 // input whose worm has claimed it, -1: free
	waiting int32 // first of the list of inputs whose heads request it, -1: none
	pointer int32 // chip-local index of the input with highest priority
}

// move is a flit that crosses from an input to an output in this cycle.
type move struct{ in, out int32 }

// Bank is many chips in flat arrays. Inputs are numbered with link ports
// first, port*VCs+vc, then injection channels; outputs likewise with ejection
// channels last. A cycle is EvaluateEjection, any number of Place,
// EvaluateLinks, Update.
type Bank struct {
	cfg Config
	now Cycle

	// wiring
	chips       int
	ports       int     // link ports of all chips
	linkInputs  int32   // ports*VCs
	portChip    []int32 // chip of each link port
	channelBase []int32 // NIC channels of chip n: channelBase[n] to channelBase[n+1]
	channelChip []int32
	plain       bool // neither virtual channels nor port, duplex or timing rules: the short evaluation

	// state
	in      []input
	slots   []Flit
	out     []output
	vcNext  []uint8 // per output port: virtual channel with highest priority
	rest    []Cycle // per output port: first cycle in which it may offer again; nil when Flit is 1
	sendPtr []int32 // per chip, single port: output port with highest priority
	takePtr []int32 // per chip, single port: input port with highest priority
	chip    []chipTimes
	transit []uint16 // per link input: flits in the link's delay line; nil when Hop is 1
	delay   [][]arrival
	worms   wormTable

	// the cycle's decisions
	wantLink  bitset // link output-VCs with an owner or a request
	wantEject bitset
	moves     []move
	ejected   int // moves[:ejected] are ejections
	deliver   []Delivery
	offers    offerList
	lossy     lossState

	// counts
	Busy    []uint64 // per link port: flits that crossed its outgoing link
	Blocked []uint64 // per link port: cycles in which a flit was offered and did not cross
	watch   []watchEntry
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
	b.plain = cfg.VCs == 1 && !cfg.SinglePort && !cfg.HalfDuplex && cfg.Hop == 1 && cfg.Flit == 1
	b.wire()
	b.allocate()
	return b
}

func (b *Bank) wire() {
	b.portChip = make([]int32, b.ports)
	b.channelBase = make([]int32, b.chips+1)
	for n := range b.chips {
		ports := b.cfg.PortBase[n+1] - b.cfg.PortBase[n]
		for g := b.cfg.PortBase[n]; g < b.cfg.PortBase[n+1]; g++ {
			b.portChip[g] = int32(n)
		}
		channels := int32(1)
		if b.cfg.PerLink {
			channels = ports
		}
		b.channelBase[n+1] = b.channelBase[n] + channels
		for range channels {
			b.channelChip = append(b.channelChip, int32(n))
		}
	}
}

func (b *Bank) allocate() {
	channels := len(b.channelChip)
	b.in = make([]input, int(b.linkInputs)+channels)
	for i := range b.in {
		b.in[i].out, b.in[i].next = -1, -1
	}
	b.slots = make([]Flit, int(b.linkInputs)*b.cfg.Buffer+channels)
	b.out = make([]output, (b.ports+channels)*b.cfg.VCs)
	for o := range b.out {
		b.out[o].owner, b.out[o].waiting = -1, -1
	}
	b.wantLink = newBitset(int(b.linkInputs))
	b.wantEject = newBitset(channels * b.cfg.VCs)
	b.moves = make([]move, 0, b.ports+2*channels)
	b.Busy = make([]uint64, b.ports)
	b.Blocked = make([]uint64, b.ports)
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
	if b.cfg.Bufferless {
		b.lossy = newLossState(len(b.in), b.ports+channels, b.chips)
	}
}

// Now returns the cycle that the next evaluation is for.
func (b *Bank) Now() Cycle { return b.now }

// Chips returns the number of chips.
func (b *Bank) Chips() int { return b.chips }

// Channels returns the number of injection channels of chip n.
func (b *Bank) Channels(n NodeID) int32 { return b.channelBase[n+1] - b.channelBase[n] }

// Ready reports whether the injection register of a channel is empty.
func (b *Bank) Ready(n NodeID, channel int32) bool {
	return b.in[b.linkInputs+b.channelBase[n]+channel].count == 0
}

// Place fills an injection register that is Ready; the flit takes part in the
// present cycle.
func (b *Bank) Place(n NodeID, channel int32, f Flit) {
	i := b.linkInputs + b.channelBase[n] + channel
	in := &b.in[i]
	if in.count != 0 {
		panic("router: injection register is full")
	}
	b.slots[b.slot(i, 0)] = f
	in.count = 1
	if b.cfg.Bufferless {
		b.lossy.held.set(int(i))
	} else if f.Flags&Head != 0 {
		b.request(i)
	}
}

// slot returns where flit k of an input's queue is kept.
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
func (b *Bank) front(i int32) *Flit { return &b.slots[b.slot(i, 0)] }

// chipOf returns the chip an input belongs to.
func (b *Bank) chipOf(i int32) int32 {
	if i >= b.linkInputs {
		return b.channelChip[i-b.linkInputs]
	}
	return b.portChip[int(i)/b.cfg.VCs]
}

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

// arbiterSize returns how many inputs a chip's arbiters serve.
func (b *Bank) arbiterSize(chip int32) int32 {
	return (b.cfg.PortBase[chip+1]-b.cfg.PortBase[chip])*int32(b.cfg.VCs) + b.channelBase[chip+1] - b.channelBase[chip]
}

// SkipTo moves the clock forward over cycles in which the bank holds no flit.
func (b *Bank) SkipTo(t Cycle) { b.now = max(b.now, t) }

// TakeLost returns how many flits the last update dropped.
func (b *Bank) TakeLost() int {
	lost := b.lossy.lost
	b.lossy.lost = 0
	return lost
}
