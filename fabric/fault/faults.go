// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"meshwright/fabric/code"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Cause says why a link loses a message.
type Cause uint8

// The causes.
const (
	Sound   Cause = iota // it does not
	Dead                 // the link, or a node at one of its ends, is dead
	Dropped              // a drop
)

// Span is the ticks Start to End-1.
type Span struct{ Start, End router.Cycle }

// Stop is a node that is dead from a tick on: its PE runs no more.
type Stop struct {
	Node router.NodeID
	At   router.Cycle
}

// Faults is a list on a network. Its times are ticks, of which some machines
// have several to a cycle.
type Faults struct {
	ticks   router.Cycle // of a cycle
	width   uint64       // payload bits of a flit
	stored  uint64       // bits of a payload in a buffer, 0: no buffers
	dead    map[link][]Span
	drops   map[moment]bool
	flips   map[moment]code.Bits
	upsets  map[moment]code.Bits
	stops   []Stop
	broken  []Fault // the dead nodes and links of the list
	drop    uint64  // a draw below it is a drop
	corrupt []struck
	upset   []struck
	seed    uint64
}

// struck says which flits are struck, and how many of their bits flip.
type struck struct {
	limit uint64 // a draw below it is
	bits  uint64
	seed  uint64
}

// link is a directed link by its two ends.
type link struct{ from, to router.NodeID }

// moment is a link in a cycle of the machine.
type moment struct {
	link
	cycle router.Cycle
}

// On checks a list against a topology, draws its random faults, and returns its
// effects on a network whose machine has so many ticks to a cycle, so many payload bits
// to a flit, and stores payloads as so many bits in a buffer (0: it has no buffers). Its
// errors are *input.Error.
func (l *List) On(t *topology.Topology, ticks, width, stored int) (*Faults, error) {
	if err := t.Valid(); err != nil {
		return nil, err
	}
	l, err := l.Draw(t, router.None)
	if err != nil {
		return nil, err
	}
	f := &Faults{
		ticks: router.Cycle(max(1, ticks)), width: uint64(max(1, width)), stored: uint64(max(0, stored)),
		dead: map[link][]Span{}, drops: map[moment]bool{}, flips: map[moment]code.Bits{}, upsets: map[moment]code.Bits{},
	}
	if l == nil {
		return f, nil
	}
	f.drop, f.seed = threshold(l.Drop), l.Seed
	if f.corrupt, err = strikes("corrupt:", l.Corrupt, l.Seed, f.width, "a flit"); err != nil {
		return nil, err
	}
	if f.upset, err = strikes("upset:", l.Upset, l.Seed, f.stored, "a flit in a buffer"); err != nil {
		return nil, err
	}
	for i := range l.Faults {
		if err := f.add(t, &l.Faults[i]); err != nil {
			return nil, input.Locate(err, l.Faults[i].file, l.Faults[i].line)
		}
	}
	slices.SortFunc(f.stops, func(a, b Stop) int { return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Node, b.Node)) })
	return f, nil
}

// strikes are those of rates on flits of so many bits; 0: there are no buffers. Each rate has draws of its own.
func strikes(spec string, rates []Rate, seed, width uint64, what string) (list []struck, err error) {
	for i, r := range rates {
		switch {
		case r.Part == 0:
			continue
		case width == 0:
			return nil, noBuffers(spec + r.String())
		case uint64(r.Bits) > width:
			return nil, input.Errorf("expected at most "+decimal(int(width)), "%s%s: %d different bits of %s of %d bits", spec, r, r.Bits, what, width)
		}
		own := seed
		if i > 0 {
			own = mix(seed ^ uint64(i))
		}
		list = append(list, struck{threshold(r.Part), uint64(r.Bits), own})
	}
	return list, nil
}

// add enters a fault of the list.
func (f *Faults) add(t *topology.Topology, x *Fault) error {
	if x.Kind == Node {
		if !t.Has(x.From) {
			return input.Errorf("expected "+expectedNodes(t), "node %d is not a node of %s", x.From, t)
		}
		f.broken = append(f.broken, *x)
		f.addNode(t, x.From, f.span(x))
		return nil
	}
	if err := checkLink(t, x); err != nil {
		return err
	}
	at := link{x.From, x.To}
	switch x.Kind {
	case Link:
		f.broken = append(f.broken, *x)
		f.dead[at] = append(f.dead[at], f.span(x))
	case Drop:
		f.drops[moment{at, x.Start}] = true
	case Flip:
		if uint64(x.Bit) >= f.width {
			return input.Errorf("expected 0 to "+decimal(int(f.width)-1), "bit %d of a flit of %d bits", x.Bit, f.width)
		}
		flip(f.flips, moment{at, x.Start}, x.Bit)
	case Upset:
		if f.stored == 0 {
			return noBuffers(fmt.Sprintf("%s %d>%d", x.Kind, x.From, x.To))
		}
		if uint64(x.Bit) >= f.stored {
			return input.Errorf("expected 0 to "+decimal(int(f.stored)-1), "bit %d of a flit of %d bits in a buffer", x.Bit, f.stored)
		}
		flip(f.upsets, moment{at, x.Start}, x.Bit)
	default:
		return input.Errorf("expected node, link, drop, flip or upset", "unknown fault %q", x.Kind)
	}
	return nil
}

// flip inverts a bit of those of a moment.
func flip(list map[moment]code.Bits, at moment, bit int) {
	bits := list[at]
	bits.Flip(bit)
	list[at] = bits
}

// noBuffers refuses upsets on a machine without buffers.
func noBuffers(what string) error {
	return input.Errorf("expected another switching than bufferless", "%s: a bufferless chip has no buffers", what)
}

// ChangesFlits reports whether links or buffers may flip bits.
func (f *Faults) ChangesFlits() bool { return len(f.corrupt) > 0 || len(f.flips) > 0 || f.HasUpsets() }

// HasUpsets reports whether buffers may flip bits.
func (f *Faults) HasUpsets() bool { return len(f.upset) > 0 || len(f.upsets) > 0 }

// OnlyUpsets reports whether nothing goes wrong but bits in buffers: all messages arrive, and links change none of them.
func (f *Faults) OnlyUpsets() bool {
	return f.drop == 0 && len(f.corrupt)+len(f.dead)+len(f.drops)+len(f.flips)+len(f.stops) == 0
}

// RandomUpsets returns the upsets at a rate on the same network in another run, by draws of their own; nil if there are none.
func (f *Faults) RandomUpsets(seed uint64) *Faults {
	if len(f.upset) == 0 {
		return nil
	}
	other := &Faults{ticks: f.ticks, width: f.width, stored: f.stored, upset: slices.Clone(f.upset)}
	for i := range other.upset {
		other.upset[i].seed ^= mix(seed)
	}
	return other
}

// addNode enters a dead node: its links, and its PE.
func (f *Faults) addNode(t *topology.Topology, n router.NodeID, s Span) {
	f.stops = append(f.stops, Stop{n, s.Start})
	for p := range router.Port(t.Ports(n)) {
		if m := t.Neighbor(n, p); m != router.None {
			out, into := link{n, m}, link{m, n}
			f.dead[out], f.dead[into] = append(f.dead[out], s), append(f.dead[into], s)
		}
	}
}

// span returns the ticks of a fault's cycles.
func (f *Faults) span(x *Fault) Span {
	s := Span{x.Start * f.ticks, Never}
	if x.End < Never {
		s.End = x.End * f.ticks
	}
	return s
}

// Stops lists the nodes that are dead from some tick on, in the order of the ticks.
func (f *Faults) Stops() []Stop { return f.stops }

// Dead lists the ticks in which the link between two nodes is dead, in no
// order; spans may overlap.
func (f *Faults) Dead(from, to router.NodeID) []Span { return f.dead[link{from, to}] }

// Loses says whether a link loses the message whose head crosses it in a tick.
func (f *Faults) Loses(from, to router.NodeID, tick router.Cycle) Cause {
	at := link{from, to}
	for _, s := range f.dead[at] {
		if s.Start <= tick && tick < s.End {
			return Dead
		}
	}
	if f.drops[moment{at, tick / f.ticks}] || below(f.drop, f.seed, at, tick, 1) {
		return Dropped
	}
	return Sound
}

// Flips returns the bits that a link inverts in the payload of the flit that
// crosses it in a tick.
func (f *Faults) Flips(from, to router.NodeID, tick router.Cycle) code.Bits {
	at := link{from, to}
	mask := f.flips[moment{at, tick / f.ticks}]
	return mask.Xor(struckBits(f.corrupt, at, tick, 2, f.width))
}

// Upsets returns the bits that the buffer behind a link inverts in the stored payload of
// the flit that crosses the link in a tick.
func (f *Faults) Upsets(from, to router.NodeID, tick router.Cycle) code.Bits {
	at := link{from, to}
	mask := f.upsets[moment{at, tick / f.ticks}]
	return mask.Xor(struckBits(f.upset, at, tick, 4, f.stored))
}

// struckBits draws the bits that flip in a flit of a width. Those of each rate are different ones, and each set of so many is as likely as
// any other (Floyd's algorithm: Bentley, Floyd: A sample of brilliance, 1987).
func struckBits(list []struck, at link, tick router.Cycle, what, width uint64) (mask code.Bits) {
	for _, s := range list {
		if !below(s.limit, s.seed, at, tick, what) {
			continue
		}
		var own code.Bits
		for i := range s.bits {
			last := width - s.bits + i
			bit := hash(s.seed, at, tick, what+1+8*i) % (last + 1)
			if own.Has(int(bit)) {
				bit = last
			}
			own.Flip(int(bit))
		}
		mask = mask.Xor(own)
	}
	return mask
}

// below reports whether a draw is below a limit; the limit of all is the largest number.
func below(limit, seed uint64, at link, tick router.Cycle, what uint64) bool {
	switch limit {
	case 0:
		return false
	case math.MaxUint64:
		return true
	}
	return hash(seed, at, tick, what) < limit
}

// hash mixes a seed, a link, a tick and what is drawn.
func hash(seed uint64, at link, tick router.Cycle, what uint64) uint64 {
	x := mix(seed + what<<56)
	x = mix(x ^ uint64(at.from)<<32 ^ uint64(at.to))
	return mix(x ^ uint64(tick))
}

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable
// Pseudorandom Number Generators, 2014), which maps numbers to numbers one to one.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// threshold returns the number below which a draw happens at a rate.
func threshold(rate float64) uint64 {
	switch {
	case !(rate > 0):
		return 0
	case rate >= 1:
		return math.MaxUint64
	}
	return uint64(math.Ldexp(rate, 64))
}

func decimal(n int) string { return strconv.Itoa(n) }
