// SPDX-License-Identifier: Apache-2.0

package router

import (
	"math/bits"
	"unsafe"

	"meshwright/internal/countdown"
)

// This file has the state of the engine of small grids: wormhole switching with one virtual channel and one
// NIC channel, without port, duplex or timing rules, where the links of a port lead equally far in the order of the chips. It
// makes the same decisions as the reference engine.
//
// Bit n%64 of word n/64 of a plane tells something of chip n: that an input holds a flit, that the worm of an input has
// claimed an output, that a flit crosses. So the claims, the links, the buffers and the tails of 64 chips are a few
// word operations each, whatever happens, and a link leads to the same plane moved by some places. Only heads
// cost individual work. Where most chips have something to do, that is less than the events of the
// streaming engine; where few of them have, it is more.

// Limits of the engine.
const (
	planeSides = 8 // inputs or outputs of a chip: link ports, then the injection register or the ejection channel
	planeDepth = 8 // flits of a buffer

	// In smaller networks, and in larger ones with little traffic, the streaming engine is faster.
	fewestPlaneChips, mostPlaneChips = 32, 256
)

// planes is the engine.
type planes struct {
	*shared
	ports         int             // link ports of a chip; the number of its register and of its ejection channel, too
	far           [planeSides]int `snapshot:"start"` // by link port: chips from a chip to the one behind the link
	ways          []uint8         `snapshot:"-"`     // output at [chip<<wide|destination]
	wide          uint8           `snapshot:"start"` // bits of a destination
	words         []planeWord
	feeds         [planeSides][]uint8  `snapshot:"-"`     // by output: the inputs from which worms go to it
	pad           int                  `snapshot:"start"` // words before and behind the planes of full and sent
	full          [planeSides][]uint64 // by link port: buffers without room
	sent          [planeSides][]uint64 // by link port: flits cross
	lanes         []planeLane          // at [(word*planeSides+input)*64+bit]
	passed        []uint64             // at [(word*planeSides+output)*64+bit]: flits of the worms whose heads have crossed
	queue         []planeWorm          // worms that stand behind others in their lanes
	free          int32                // first entry of queue that is not in use, -1: none
	waits         counters             // by port: cycles in which a flit was blocked
	taken, linked int                  // flits that PEs take in this cycle, and those that cross links
}

// planeWord is what is known of 64 chips.
type planeWord struct {
	worms  bool // there are some in the lanes; otherwise nothing happens
	moving bool // the decisions of the last cycle with worms are still there
	ins    [planeSides]planeIn
	outs   [planeSides]planeOut
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
}

// newPlanes returns the engine, or nil if the network is not one of its own.
func newPlanes(s *shared) *planes {
	if _, differ := s.cfg.Routing.(perMessage); differ || !s.grid() {
		return nil
	}
	e := &planes{shared: s, ports: s.ports / s.chips, free: -1, waits: newCounters(s.ports)}
	far, even := s.distances()
	if !even {
		return nil
	}
	e.far = far
	words := (s.chips + 63) / 64
	e.words, e.pad = make([]planeWord, words), words+1
	e.lanes, e.passed = make([]planeLane, words*planeSides*64), make([]uint64, words*planeSides*64)
	for i := range e.lanes {
		e.lanes[i].next = -1
	}
	for p := range e.ports {
		e.full[p], e.sent[p] = make([]uint64, words+2*e.pad), make([]uint64, words+2*e.pad)
	}
	e.tabulateRoutes()
	s.carried.low, s.blocked.low = nil, nil // outputs count for themselves
	return e
}

// grid reports whether the limits of the engine of small grids allow a network.
func (w *wiring) grid() bool {
	ports := w.ports / w.chips
	return w.chips >= fewestPlaneChips && w.chips <= mostPlaneChips && w.cfg.VCs == 1 && !w.cfg.PerLink && w.cfg.Buffer <= planeDepth && w.alike() && ports%2 == 0 && ports < planeSides
}

// distances returns, by link port, how many chips the one behind its link is away, if that is the same for all chips and
// the ports come in pairs.
func (w *wiring) distances() (far [planeSides]int, ok bool) {
	ports := w.ports / w.chips
	for g, peer := range w.cfg.Peer {
		if peer < 0 {
			continue
		}
		p, way := g%ports, int(peer)/ports-g/ports
		if int(peer)%ports != p^1 || far[p] != 0 && far[p] != way {
			return far, false
		}
		far[p] = way
	}
	return far, true
}

// tabulateRoutes notes the outputs of all ways, and which inputs can ask for which output.
func (e *planes) tabulateRoutes() {
	e.wide = uint8(bits.Len(uint(e.chips - 1)))
	e.ways = make([]uint8, e.chips<<e.wide)
	for at := range e.chips {
		for to := range e.chips {
			p := e.cfg.Routing.Next(NodeID(at), &Worm{Destination: NodeID(to)}, 0)
			if p == Here {
				p = Port(e.ports)
			}
			e.ways[at<<e.wide|to] = uint8(p)
		}
	}
	var asks [planeSides][planeSides]bool
	for at := range e.chips {
		for to := range e.chips {
			o := e.ways[at<<e.wide|to]
			asks[o][e.ports] = true
			if int(o) != e.ports {
				asks[e.ways[(at+e.far[o])<<e.wide|to]][o^1] = true
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
	chip, side := i-e.linkInputs, int32(e.ports)
	if i < e.linkInputs {
		chip, side = i/side, i%side
	}
	return laneOf(chip, side)
}

// laneOf returns the number of the lane of an input of a chip.
func laneOf(chip, side int32) int32 { return (chip>>6*planeSides+side)<<6 | chip&63 }

// placeOf returns the chip of a lane, and the number of the input.
func placeOf(lane int32) (chip, side int32) {
	return lane>>6/planeSides<<6 | lane&63, lane >> 6 % planeSides
}

// input returns the wiring's number of a lane.
func (e *planes) input(lane int32) int32 {
	chip, side := placeOf(lane)
	if int(side) == e.ports {
		return e.linkInputs + chip
	}
	return chip*int32(e.ports) + side
}

// shifted returns word w of a padded plane, moved so that bit n is what bit n+by was.
func (e *planes) shifted(plane []uint64, w, by int) uint64 {
	at := uint((w+e.pad)<<6 + by)
	two := plane[at>>6:][:2]
	return two[0]>>(at&63) | two[1]<<1<<(^at&63)
}

func (e *planes) bytes() uintptr {
	return uintptr(len(e.words))*unsafe.Sizeof(planeWord{}) + uintptr(len(e.lanes))*unsafe.Sizeof(planeLane{}) +
		uintptr(cap(e.queue))*unsafe.Sizeof(planeWorm{}) + uintptr(len(e.ways)) + 8*uintptr(len(e.passed)) +
		16*uintptr(e.ports*len(e.full[0])) + e.waits.bytes()
}
