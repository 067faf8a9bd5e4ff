// SPDX-License-Identifier: Apache-2.0

package router

import (
	"math/bits"
	"unsafe"

	"meshwright/internal/countdown"
)

// This file has the state of the engine of small grids: wormhole switching with one or two virtual channels and one
// NIC channel, without port, duplex or timing rules, where the links of a port lead equally far in the order of the chips, but for those that close rings. It
// makes the same decisions as the reference engine.
//
// Bit n%64 of word n/64 of a plane tells something of chip n: that an input holds a flit, that the worm of an input has
// claimed an output, that a flit crosses. So the claims, the links, the buffers and the tails of 64 chips are a few
// word operations each, whatever happens, and a link leads to the same plane moved by some places. Only heads
// cost individual work. Where most chips have something to do, that is less than the events of the
// streaming engine; where few of them have, it is more.

// Limits of the engine.
const (
	planeSides = 16 // inputs or outputs of a chip
	planeDepth = 8  // flits of a buffer

	// In smaller networks, and in larger ones with little traffic, the streaming engine is faster.
	fewestPlaneChips = 32
	mostPlaneChips   = 256 // times virtual channels
)

// planes is the engine.
//
// A chip has a number for each input, its side: link ports as port*vcs+vc, then the injection register; and for each output:
// link ports likewise, then the virtual channels of the ejection channel.
type planes struct {
	*shared
	vcs           int
	links         int             // link ports of a chip, times vcs
	far           [planeSides]int `snapshot:"start"` // by side of a link: chips from a chip to the one behind the link
	rims          [planeSides]rim `snapshot:"start"` // but for links that close rings
	rings         bool            `snapshot:"start"` // there are links that close rings
	ways          []uint8         `snapshot:"-"`     // output of virtual channel 0 at [chip<<wide|destination]
	wide          uint8           `snapshot:"start"` // bits of a destination
	words         []planeWord
	feeds         [planeSides][]uint8  `snapshot:"-"`     // by output: the inputs from which worms go to it
	pad           int                  `snapshot:"start"` // words before and behind the planes of full and sent
	full          [planeSides][]uint64 // by side of a link: buffers without room
	sent          [planeSides][]uint64 // by side of a link: flits cross
	span          int32                `snapshot:"start"` // chips, in whole words
	lanes         []planeLane          // at [input*span+chip]
	passed        []uint64             // at [output*span+chip]: flits of the worms whose heads have crossed
	queue         []planeWorm          // worms that stand behind others in their lanes
	free          int32                // first entry of queue that is not in use, -1: none
	waits         counters             // by port: cycles in which a flit was blocked
	taken, linked int                  // flits that PEs take in this cycle, and those that cross links
}

// rim is the links of a port that close rings.
type rim struct {
	far   int      // chips from a chip to the one behind the link
	chips []uint64 // the chips that have one
}

// has reports whether a chip is at the rim.
func (r *rim) has(chip int32) bool { return r.chips[chip>>6]>>(chip&63)&1 != 0 }

// planeWord is what is known of 64 chips.
type planeWord struct {
	worms  bool // there are some in the lanes; otherwise nothing happens
	moving bool // the decisions of the last cycle with worms are still there
	ins    [planeSides]planeIn
	outs   [planeSides]planeOut
	turns  [planeSides]uint64 // by side of virtual channel 0: of two, virtual channel 1 has the higher priority
}

// planeIn is an input.
type planeIn struct {
	busy    uint64 // a worm is here
	queued  uint64 // and another one behind it
	fresh   uint64 // its head is here
	long    uint64 // the next report of the countdown is not that of the tail
	left    countdown.Word
	level   [planeDepth + 1]uint64 // more than so many flits are held: of link ports
	some    uint64                 // holds a flit
	due     uint64                 // the next flit is a tail
	leaving uint64                 // loses a flit in this cycle
	heads   uint64                 // a head, by a link
	more    uint64                 // a report of the countdown that is not of a tail
	tails   uint64                 // a tail
	freed   uint64                 // and no worm is left
}

// planeOut is an output.
type planeOut struct {
	asked     uint64             // a head asks for it
	contested uint64             // several do
	owned     uint64             // claimed by a worm
	crossing  uint64             // a flit crosses in this cycle
	blocked   uint64             // a flit is offered in this cycle and does not cross
	ends      uint64             // a tail crosses in this cycle
	wants     [planeSides]uint64 // by input: a head at its front asks for the output
	last      [planeSides]uint64 // by input: of all inputs it has claimed the output last
	waited    tally              // cycles of blocked that are not in the counters yet
}

// planeLane is the state of one input. Its flits are not kept one by one: worms pass through it in order.
type planeLane struct {
	planeWorm
	out uint8 // that the first worm wants or owns
}

// planeWorm is a worm in a lane.
type planeWorm struct {
	worm        uint32
	left        uint32 // flits that have still to leave; see countdown
	next        int32  // the worm behind it, in the queue; in the free list, too; -1: none
	destination uint16
	vc          uint8 // of the lane
}

// newPlanes returns the engine, or nil if the network is not one of its own.
func newPlanes(s *shared) *planes {
	if _, differ := s.cfg.Routing.(perMessage); differ || !s.grid() {
		return nil
	}
	e := &planes{shared: s, vcs: s.cfg.VCs, links: s.ports / s.chips * s.cfg.VCs, free: -1, waits: newCounters(s.ports)}
	if !e.measure() {
		return nil
	}
	words := (s.chips + 63) / 64
	e.words, e.pad = make([]planeWord, words), words+1
	e.span = int32(64 * words)
	e.lanes, e.passed = make([]planeLane, (e.links+1)*64*words), make([]uint64, e.links*64*words)
	for i := range e.lanes {
		e.lanes[i].next = -1
	}
	for p := range e.links {
		e.full[p], e.sent[p] = make([]uint64, words+2*e.pad), make([]uint64, words+2*e.pad)
	}
	e.tabulateRoutes()
	e.findFeeds()
	s.carried.low, s.blocked.low = nil, nil // outputs count for themselves
	return e
}

// grid reports whether the limits of the engine of small grids allow a network.
func (w *wiring) grid() bool {
	ports, vcs := w.ports/w.chips, w.cfg.VCs
	return w.chips >= fewestPlaneChips && w.chips*vcs <= mostPlaneChips && vcs <= 2 &&
		!w.cfg.PerLink && w.cfg.Buffer <= planeDepth &&
		w.alike() && ports%2 == 0 && (ports+1)*vcs <= planeSides
}

// measure notes where links lead. It returns false if that is not the same for all chips.
func (e *planes) measure() bool {
	ports := e.links / e.vcs
	for side := range e.rims {
		e.rims[side].chips = make([]uint64, (e.chips+63)/64)
	}
	for g, peer := range e.cfg.Peer {
		if peer < 0 {
			continue
		}
		chip, p, way := g/ports, g%ports, int(peer)/ports-g/ports
		if int(peer)%ports != p^1 {
			return false
		}
		for side := p * e.vcs; side < (p+1)*e.vcs; side++ {
			known := &e.far[side]
			if e.cfg.CrossesRim != nil {
				e.rings = true
				if r := &e.rims[side]; e.cfg.CrossesRim[g] {
					known = &r.far
					r.chips[chip>>6] |= 1 << (chip & 63)
				}
			}
			if *known != 0 && *known != way {
				return false
			}
			*known = way
		}
	}
	return true
}

// beyond returns the chip behind a link.
func (e *planes) beyond(chip int32, side int32) int32 {
	if e.rings && e.rims[side].has(chip) {
		return chip + int32(e.rims[side].far)
	}
	return chip + int32(e.far[side])
}

// way returns the output of a worm on a virtual channel of an input of a chip.
func (e *planes) way(chip, side int32, vc uint8, to uint16) uint8 {
	o := e.ways[chip<<e.wide|int32(to)]
	if e.rings {
		return e.wayInRings(chip, side, o, vc)
	}
	return o + vc
}

// wayInRings applies the rule of datelines, see wiring.vcFor, to a worm that goes to the port of output o.
func (e *planes) wayInRings(chip, side int32, o, vc uint8) uint8 {
	switch {
	case int(o) == e.links:
		return o + vc
	case e.rims[o&(planeSides-1)].has(chip):
		return o | 1
	case int(side) < e.links && side>>2 == int32(o)>>2: // straight on
		return o + vc
	}
	return o
}

// tabulateRoutes notes the outputs of all routes.
func (e *planes) tabulateRoutes() {
	e.wide = uint8(bits.Len(uint(e.chips - 1)))
	e.ways = make([]uint8, e.chips<<e.wide)
	for at := range e.chips {
		for to := range e.chips {
			o := e.links
			if p := e.cfg.Routing.Next(NodeID(at), &Worm{Destination: NodeID(to)}, 0); p != Here {
				o = int(p) * e.vcs
			}
			e.ways[at<<e.wide|to] = uint8(o)
		}
	}
}

// findFeeds notes which inputs can ask for which output: worms begin at every chip, and those that cross a link go on from
// the input behind it.
func (e *planes) findFeeds() {
	var asks [planeSides][planeSides]bool
	for at := range int32(e.chips) {
		for to := range uint16(e.chips) {
			for vc := range uint8(e.vcs) {
				o := int32(e.way(at, int32(e.links), vc, to))
				asks[o][e.links] = true
				if int(o) >= e.links {
					continue
				}
				for vc := range int32(e.vcs) {
					in := o&^int32(e.vcs-1) ^ int32(e.vcs) | vc
					asks[e.way(e.beyond(at, o), in, uint8(vc), to)][in] = true
				}
			}
		}
	}
	for o := range asks {
		for i, does := range asks[o] {
			if does {
				e.feeds[o] = append(e.feeds[o], uint8(i))
			}
		}
	}
}

// lane returns the number of the lane of an input of the wiring.
func (e *planes) lane(i int32) int32 {
	chip, side := i-e.linkInputs, int32(e.links)
	if i < e.linkInputs {
		chip, side = i/side, i%side
	}
	return e.laneOf(chip, side)
}

// laneOf returns the number of the lane of an input of a chip.
func (e *planes) laneOf(chip, side int32) int32 { return side*e.span + chip }

// placeOf returns the chip of a lane, and the number of the input.
func (e *planes) placeOf(lane int32) (chip, side int32) { return lane % e.span, lane / e.span }

// input returns the wiring's number of a lane.
func (e *planes) input(lane int32) int32 {
	chip, side := e.placeOf(lane)
	if int(side) == e.links {
		return e.linkInputs + chip
	}
	return chip*int32(e.links) + side
}

// shifted returns word w of a padded plane, moved so that bit n is what bit n+by was.
func (e *planes) shifted(plane []uint64, w, by int) uint64 {
	at := uint((w+e.pad)<<6 + by)
	two := plane[at>>6:][:2]
	return two[0]>>(at&63) | two[1]<<1<<(^at&63)
}

// around is shifted for the chips at the rim of a side, where the others have the word already.
func (e *planes) around(word uint64, plane []uint64, w, side int) uint64 {
	r := &e.rims[side]
	return word&^r.chips[w] | e.shifted(plane, w, r.far)&r.chips[w]
}

func (e *planes) bytes() uintptr {
	return uintptr(len(e.words))*unsafe.Sizeof(planeWord{}) + uintptr(len(e.lanes))*unsafe.Sizeof(planeLane{}) +
		uintptr(cap(e.queue))*unsafe.Sizeof(planeWorm{}) + uintptr(len(e.ways)) + 8*uintptr(len(e.passed)) +
		16*uintptr(e.links*len(e.full[0])) + e.waits.bytes()
}
