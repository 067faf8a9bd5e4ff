// SPDX-License-Identifier: Apache-2.0

package router

// Bank holds many chips in flat arrays and advances them together. A cycle is
// EvaluateEjection, any number of Place, EvaluateLinks, Update. How the chips work is the
// business of the bank's engine.
type Bank struct {
	*shared
	engine engine

	deliver []Delivery `snapshot:"-"`
	watch   []watchEntry
}

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
	s := newShared(cfg)
	return &Bank{shared: s, engine: newEngine(s)}
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
	b.engine.place(b.linkInputs+k, f)
}

// Begin places the head of a worm, of which no link has been crossed, in injection register k, which is Ready. The
// registers of chip 0 come first. The bank Streams.
func (b *Bank) Begin(k int32, worm uint32) {
	if b.filled.Has(k) {
		panic("router: injection register is full")
	}
	b.filled.Set(k)
	b.engine.(streamer).begin(k, worm)
}

// Streams reports whether Refill may place the flits of a worm after its head.
func (b *Bank) Streams() bool {
	_, ok := b.engine.(streamer)
	return ok
}

// Parts returns for how many workers a cycle has work at the same time; 1 for small networks.
func (b *Bank) Parts() int {
	if e, ok := b.engine.(*streaming); ok {
		return len(e.shards)
	}
	return 1
}

// Part returns the words of Filled that part k has.
func (b *Bank) Part(k int) (first, end int) {
	if e, ok := b.engine.(*streaming); ok {
		return e.registers(k)
	}
	return 0, len(b.filled)
}

// Workers do pieces of work at the same time. What the caller did before a call is visible to the workers, and what they
// did is visible to the caller after it.
type Workers interface {
	// Do calls work for 0 to pieces-1, and returns when all calls have returned.
	Do(pieces int, work func(i int))
	// DoInTurn calls first for 0 to pieces-1, and then for them, each as soon as ready returns true. That must come
	// to pass when first has returned for all pieces. All of them run in any worker.
	DoInTurn(pieces int, first func(i int), ready func(i int) bool, then func(i int))
}

// Employ lets several workers compute the cycles of a bank of several Parts. With nil, there is one worker. Results
// do not depend on it.
func (b *Bank) Employ(workers Workers) {
	if e, ok := b.engine.(*streaming); ok {
		e.workers = workers
	}
}

// Refill places the next flits of their worms in the injection registers of
// word w of Filled that are in the mask. A bank that Streams takes it that
// each register is filled in the first cycle in which it is Ready, from the
// head to the tail.
func (b *Bank) Refill(w int, mask uint64) { b.filled[w] |= mask }

// EvaluateEjection decides which flits the PEs take in this cycle, and returns
// their number. It reads registers only.
func (b *Bank) EvaluateEjection() int { return b.engine.eject() }

// Deliveries returns the flits that the PEs take in this cycle. It is valid
// between EvaluateEjection and Update, until the next call.
func (b *Bank) Deliveries() []Delivery {
	b.deliver = b.engine.deliveries(b.deliver[:0])
	return b.deliver
}

// AppendTails appends the worms whose tails the PEs take in this cycle. It is
// valid when Deliveries is, and cheaper.
func (b *Bank) AppendTails(worms []uint32) []uint32 { return b.engine.tails(worms) }

// AppendHeads does the same for the worms whose heads the PEs take.
func (b *Bank) AppendHeads(worms []uint32) []uint32 { return b.engine.landing(worms) }

// EvaluateLinks decides which flits cross links in this cycle.
func (b *Bank) EvaluateLinks() { b.engine.link() }

// Update carries out the cycle's decisions and moves to the next cycle.
func (b *Bank) Update() {
	b.engine.update()
	b.now++
}

// Advance is EvaluateLinks and Update at once, in a bank that Streams, for callers that do not look at the decisions of
// the cycle before they are carried out. Before the links of part k it calls place, which may place flits in the
// registers of that part; workers do so for several parts at the same time. Moved and Crossing are still those of the
// cycle.
func (b *Bank) Advance(place func(k int)) {
	b.engine.(streamer).cycle(place)
	b.now++
}

// SkipTo moves the clock forward over cycles in which nothing happens in the
// bank: it holds no flit, or NextEvent says so.
func (b *Bank) SkipTo(t Cycle) { b.now = max(b.now, t) }

// TakeLost returns how many flits the last update dropped.
func (b *Bank) TakeLost() int {
	lost := b.losses.flits
	b.losses.flits = 0
	return lost
}

// BytesPerChip returns the memory that the bank's wiring and state take,
// divided by the number of chips. The headers of messages in flight are not
// the chips' and not counted.
func (b *Bank) BytesPerChip() float64 {
	total := b.engine.bytes() +
		b.carried.bytes() + b.blocked.bytes() + 8*uintptr(len(b.filled)) + 4*uintptr(len(b.losses.worms)) +
		4*uintptr(len(b.cfg.PortBase)+len(b.cfg.Peer)+len(b.chipAt)+len(b.channelBase)) +
		uintptr(len(b.routes)) + uintptr(len(b.cfg.CrossesRim)+len(b.cfg.Hops)+len(b.cfg.Flits))
	if b.cfg.VCs > 1 {
		total += 4 * uintptr(len(b.behind))
	}
	return float64(total) / float64(b.chips)
}
