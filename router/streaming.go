// SPDX-License-Identifier: Apache-2.0

package router

import (
	"math/bits"
	"sync"
	"unsafe"

	"meshwright/internal/countdown"
)

// This file has the state of the streaming engine: wormhole switching with any virtual
// channels whose number divides 64, and without port, duplex or timing rules. It makes the
// same decisions as the reference engine.
//
// The body of a worm that holds its outputs streams: the same flits cross the
// same links cycle after cycle, and every buffer on the way loses one flit and
// gains one. So whether an output can move is kept as a bit, and 64 outputs
// are decided and counted by a few word operations. Only events cost individual
// work: heads and tails, streams that start or stop, and buffers that fill or
// drain, since only one of their ends streams. Words of 64 outputs that no worm owns are not looked at.
//
// Inputs and outputs share words: bit i%64 of words[i/64] is link lane i and link output-VC i, see byLines for
// their numbers. The injection registers and the ejection output-VCs follow from the next whole word on, the base. A
// register has the number of the first ejection output-VC of its channel.

// streaming is the engine.
type streaming struct {
	*shared
	base   int32   // number of the first injection register and of the first ejection output-VC
	lanes  []lane  // by input
	out    []owned // by output-VC
	words  []word
	levels levels   // flits in the buffers of link lanes
	waits  counters // by port: cycles in which a flit was blocked
	turns  turns    // which virtual channel is next; of several
	ways   []int16  `snapshot:"-"` // output-VC at [chip*chips+destination], of small networks where nothing else decides; nil: see change
	row    []int32  `snapshot:"-"` // by lane: where the routes of its chip begin in ways
	lines  liner    `snapshot:"-"` // the routes, if they run straight
	rim    []bool   `snapshot:"-"` // by port, as the lanes are numbered: its link closes a ring; nil: there are no datelines
	shift  uint8    // output-VCs of a port are 1<<shift
	order  byLines  `snapshot:"start"`
	across int32    // a worm that goes straight on leaves lane i by output-VC i^across
	lined  int32    `snapshot:"start"` // across, if the numbers are byLines; otherwise -1
	pair   int      `snapshot:"start"` // the opposite word of link word w is w^pair
	shards []*shard
	phases phases `snapshot:"-"`

	workers Workers     `snapshot:"-"` // nil: there is one
	hand    func(k int) `snapshot:"-"` // what the caller has to do in the present cycle for the registers of shard k
	early   Cycle       // the cycle whose ejections have been evaluated before it, see cycle; -1: none
	rare    sync.Mutex  `snapshot:"-"` // for shared counters
}

// lane is the state of one input: a link port's buffer for one virtual channel, or an
// injection register. Its flits are not kept one by one: worms pass through it in order, and
// the lane knows the first of them.
type lane struct {
	worm uint32
	way  uint32 // links crossed so far, times 1<<wayBits, plus links to go straight on or, with ways, the destination
	left uint32 // flits of the worm that have still to leave; the owner of an output counts them there, see countdown
	out  int32  // output-VC that the worm wants or owns
	next int32  // next lane that waits for the same output-VC, -1: last; of one whose claim is bound: the owner before
	more int32  // the worm behind it in the lane, in the shard's queue; -1: none
}

// owned is the state of one output-VC, and where it leads.
type owned struct {
	owner   int32  // lane whose worm claimed it last; it has it while the bit of owned is set; -1: none has
	waiting int32  // first of the list of lanes whose heads request it in vain, -1: none
	behind  int32  // the lane behind the link; of no meaning at an ejection channel
	carried uint32 // flits of the worms whose heads have crossed
}

// queued is a worm that stands behind another one in its lane.
type queued struct {
	worm, way, left uint32
	next            int32 // the worm behind it; in the free list, too
}

// word is what is known of 64 inputs and of the 64 output-VCs of the same numbers. The fields rise and fall are wiring.
type word struct {
	// outputs
	bound    uint64 // claimed since the last evaluation: other heads may still contest it
	owned    uint64 // claimed by a worm
	straight uint64 // owned, and the worm goes straight on, see byLines
	long     uint64 // owned, and the next report of the countdown is not that of the tail
	wanted   uint64 // owned, and lanes wait for it
	fresh    uint64 // owned, and the head has not crossed yet
	offered  uint64 // the owner has a flit; of no meaning without owner
	room     uint64 // room in the buffer behind the link; always behind an ejection channel
	flowing  uint64 // a flit crossed in the last cycle, and was not the tail
	crossing uint64 // a flit crosses in this cycle
	blocked  uint64 // a flit is offered in this cycle and does not cross
	left     countdown.Word
	waited   tally  // cycles of blocked that are not in the counters yet
	near     uint64 `snapshot:"start"` // the lane behind the link is a neighbour in the opposite word, see byLines
	rise     uint8  `snapshot:"start"` // its bit is that of the output, moved to the left by so many places
	fall     uint8  `snapshot:"start"` // and then to the right

	// inputs
	live     uint8  // 1: the word is in the inputs of its section
	busy     uint64 // a worm is here
	queued   uint64 // and another one behind it
	arriving uint64 // gained a flit in the last cycle, while the stream lasts
	leaving  uint64 // lost a flit in the last cycle, while the stream lasts
	heads    uint64 // a head comes in this cycle
	ending   uint64 // a tail comes in this cycle
	tails    uint64 // a tail leaves in this cycle
}

// Bits of lane.way: a path of the largest network has fewer than 1<<22 links.
const (
	wayBits = 10
	maxLine = 1<<wayBits - 1
	oneHop  = 1 << wayBits
)

// streams reports whether a configuration is one of the streaming engine.
func streams(cfg *Config) bool {
	if _, chooses := cfg.Routing.(chooser); chooses || cfg.Classes > 0 {
		return false
	}
	return 64%cfg.VCs == 0 && !cfg.SinglePort && !cfg.HalfDuplex && cfg.Hop == 1 && cfg.Flit == 1 && cfg.Hops == nil && cfg.Flits == nil && !cfg.Bufferless && cfg.Packet == 0 && !cfg.Faulty && !cfg.Gaps && !cfg.Claims
}

func newStreaming(s *shared) *streaming {
	channels := int(s.channelBase[s.chips])
	base := (int(s.linkInputs) + 63) &^ 63
	words := (base + channels*s.cfg.VCs + 63) / 64
	e := &streaming{
		shared: s, base: int32(base), lanes: make([]lane, 64*words), out: make([]owned, 64*words),
		words: make([]word, words), waits: newCounters(s.ports), levels: newLevels(int(s.linkInputs), s.cfg.Buffer),
		across: int32(s.cfg.VCs), shift: uint8(bits.TrailingZeros(uint(s.cfg.VCs))), turns: newTurns(s.cfg.VCs, 64*words), early: -1, lined: -1,
	}
	s.carried.low, s.blocked.low = nil, nil // outputs count for themselves
	if s.straight() {
		e.lines, _ = s.cfg.Routing.(liner)
	}
	for i := range e.lanes {
		e.lanes[i] = lane{out: -1, next: -1, more: -1}
	}
	for o := range e.out {
		e.out[o] = owned{owner: -1, waiting: -1}
	}
	e.shards, e.phases = newShards(e), e.newPhases()
	if e.order = newByLines(e); e.order.chips > 0 {
		e.across = 64 * int32(s.cfg.VCs)
		e.lined, e.pair = e.across, s.cfg.VCs
	}
	for o, behind := range s.behind {
		if behind >= 0 {
			behind = e.lane(behind)
		}
		e.out[e.lane(int32(o))].behind = behind
	}
	e.findNear()
	e.rim = e.rims()
	e.ways = e.tabulate()
	for w := range e.words {
		e.words[w].room = ^uint64(0)
	}
	return e
}

// rims returns Config.CrossesRim in the order of the lanes.
func (e *streaming) rims() []bool {
	if e.cfg.CrossesRim == nil {
		return nil
	}
	rim := make([]bool, len(e.cfg.CrossesRim))
	for g, crosses := range e.cfg.CrossesRim {
		rim[e.order.of(int32(g))] = crosses
	}
	return rim
}

// tabulate returns the outputs by which worms leave the chips of a small network, if the destination
// alone decides.
func (e *streaming) tabulate() []int16 {
	if e.routes == nil || e.cfg.VCs > 1 || e.cfg.PerLink || len(e.out) > 1<<15 {
		return nil
	}
	ways := make([]int16, len(e.routes))
	for at, p := range e.routes {
		ways[at] = int16(e.output(e.outputBy(0, int32(at/e.chips), Port(p), 0)))
	}
	e.row = make([]int32, len(e.lanes))
	for i := range int32(e.inputs) {
		e.row[e.lane(i)] = e.chipOf(i) * int32(e.chips)
	}
	return ways
}

// lane returns the engine's number of an input of the wiring.
func (e *streaming) lane(i int32) int32 {
	if i < e.linkInputs {
		return e.order.of(i>>e.shift)<<e.shift | i&(1<<e.shift-1)
	}
	return e.base + (i-e.linkInputs)<<e.shift
}

// input returns the wiring's number of a lane.
func (e *streaming) input(i int32) int32 {
	if i < e.base {
		return e.order.port(i>>e.shift)<<e.shift | i&(1<<e.shift-1)
	}
	return e.linkInputs + (i-e.base)>>e.shift
}

// output returns the engine's number of an output of the wiring.
func (e *streaming) output(o int32) int32 {
	if o < e.linkInputs {
		return e.lane(o)
	}
	return o - e.linkInputs + e.base
}

// straight reports whether a worm that goes on straight from link port p leaves by port p^1,
// on every chip: the ports come in pairs.
func (w *wiring) straight() bool {
	for n := range w.chips {
		if w.cfg.PortBase[n]%2 != 0 {
			return false
		}
	}
	return true
}

func (e *streaming) bytes() uintptr {
	total := uintptr(len(e.lanes))*unsafe.Sizeof(lane{}) + uintptr(len(e.out))*unsafe.Sizeof(owned{}) +
		uintptr(len(e.words))*unsafe.Sizeof(word{}) + e.waits.bytes() + 8*uintptr(len(e.levels.words)+len(e.turns.next)) + 2*uintptr(len(e.ways)) + 4*uintptr(len(e.row)) + uintptr(len(e.rim))
	for _, s := range e.shards {
		total += s.bytes()
	}
	return total
}

// registers returns the words of shard k in the set of registers that are filled.
func (e *streaming) registers(k int) (first, end int) {
	at := func(k int) int {
		if k == len(e.shards) {
			return len(e.filled)
		}
		return (e.shards[k].ejects.first - int(e.base>>6)) >> e.shift
	}
	return at(k), at(k + 1)
}
