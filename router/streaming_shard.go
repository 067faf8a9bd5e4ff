// SPDX-License-Identifier: Apache-2.0

package router

import (
	"math/bits"
	"slices"
	"unsafe"

	"meshwright/internal/bitset"
)

// shard is a part of the chips of the streaming engine, with neighbouring numbers. Shards
// advance in parallel: each changes its own words and lanes only, and leaves what concerns
// another one in its outbox.
type shard struct {
	e              *streaming
	links, ejects  section
	firstLane      int32
	lanes          int32    // link lanes
	queue          []queued // worms that stand behind others in their lanes
	free           int32    // first entry of queue that is not in use, -1: none
	ejected, moved int      // flits that cross in this cycle
	outbox         outbox
	neighbours     []int32 `snapshot:"start"` // numbers of the shards with links to this one
}

// section is a range of words, those of links or those of registers and ejection channels.
//
// The outputs of a word fall asleep when the same flits go on crossing in every cycle. They wake
// before a countdown is reported, and when something else happens to them.
type section struct {
	first    int        // word
	outputs  bitset.Set // words, counted from the first, with outputs that are asked for or owned, and are awake
	inputs   bitset.Set // words whose sets of inputs that gain and that lose flits differ, or have just changed
	sleeping bitset.Set // words whose outputs are asleep
	steady   int        // flits that cross in every cycle by outputs that are asleep
	wakes    [8][]int32 // by cycle modulo 8: words to wake then, unless they have been awake since
}

func newSection(first, lanes int32) section {
	words := int(lanes+63) >> 6
	return section{first: int(first >> 6), outputs: bitset.New(words), inputs: bitset.New(words), sleeping: bitset.New(words)}
}

// rouse lets the outputs of a word be looked at in the next evaluation.
func (s *shard) rouse(w int32) {
	part := &s.links
	if w >= s.e.base>>6 {
		part = &s.ejects
	}
	part.outputs.Set(w - int32(part.first))
}

// newShard returns the shard of some chips. Their inputs and outputs begin with new words.
func newShard(e *streaming, first, end int) *shard {
	vcs := int32(e.cfg.VCs)
	lane, endLane := e.cfg.PortBase[first]*vcs, e.cfg.PortBase[end]*vcs
	channel, endChannel := e.channelBase[first]*vcs, e.channelBase[end]*vcs
	return &shard{
		e: e, free: -1, firstLane: lane, lanes: endLane - lane,
		links: newSection(lane, endLane-lane), ejects: newSection(e.base+channel, endChannel-channel),
	}
}

// Sizes of shards, in chips. Their number depends on the network alone, so that the state of
// a run does not depend on the number of cores.
const (
	leastShard = 512
	maxShards  = 16
)

// newShards divides the chips into shards of about the same size, if that can be done so that the
// shards have no word in common.
func newShards(e *streaming) []*shard {
	wanted := max(1, min(maxShards, e.chips/leastShard))
	var shards []*shard
	first := 0
	for k := range wanted {
		end := e.chips
		if k < wanted-1 {
			for end = e.chips * (k + 1) / wanted; end < e.chips && !e.separable(end); end++ {
			}
		}
		if end > first {
			shards = append(shards, newShard(e, first, end))
		}
		first = end
	}
	for _, s := range shards {
		s.neighbours = s.adjoining(shards)
	}
	return shards
}

// adjoining returns the numbers of the other shards with links to this one.
func (s *shard) adjoining(shards []*shard) []int32 {
	var list []int32
	for k, other := range shards {
		if other != s && slices.ContainsFunc(s.e.behind[other.firstLane:other.firstLane+other.lanes], s.has) {
			list = append(list, int32(k))
		}
	}
	return list
}

// separable reports whether the inputs and outputs of a chip begin with new words.
func (w *wiring) separable(chip int) bool {
	return w.cfg.PortBase[chip]*int32(w.cfg.VCs)%64 == 0 && w.channelBase[chip]%64 == 0
}

func (s *shard) bytes() uintptr {
	return unsafe.Sizeof(*s) + 24*uintptr(len(s.links.outputs)+len(s.ejects.outputs)) + uintptr(cap(s.queue))*unsafe.Sizeof(queued{})
}

// has reports whether a link lane is the shard's.
func (s *shard) has(i int32) bool { return uint32(i-s.firstLane) < uint32(s.lanes) }

// claim gives the free output-VCs of a word that heads request to one of them each. Every
// new owner has its head in front and its whole worm to send.
func (s *shard) claim(t *word, first int32) {
	e := s.e
	asking := t.asking
	t.asking = 0
	t.owned |= asking
	t.fresh |= asking
	t.offered |= asking
	for ; asking != 0; asking &= asking - 1 {
		k := int32(bits.TrailingZeros64(asking))
		out := &e.out[first+k]
		i := out.waiting
		l := &e.lanes[i]
		if l.next < 0 {
			out.waiting = -1
		} else {
			i = e.choose(out)
			l = &e.lanes[i]
		}
		out.owner = i
		t.left.Load(1<<k, l.left)
		if o := first + k; o < e.base {
			e.carried.add(o>>e.shift, uint64(l.left))
		}
	}
}

// choose takes the first lane at or after the pointer (round robin) out of those that
// wait for an output-VC.
func (e *streaming) choose(out *owned) int32 {
	pointer := out.pointer()
	winner, before := out.waiting, int32(-1)
	best := uint32(winner - pointer) // lanes before the pointer wrap around to last place
	previous := winner
	for i := e.lanes[winner].next; i >= 0; i = e.lanes[i].next {
		if distance := uint32(i - pointer); distance < best {
			winner, before, best = i, previous, distance
		}
		previous = i
	}
	next := e.lanes[winner].next
	if before < 0 {
		out.waiting = next
	} else {
		e.lanes[before].next = next
	}
	e.lanes[winner].next = -1
	return winner
}

// enter lets a worm into lane i, as its head arrives there.
func (s *shard) enter(i int32, worm, way, left uint32) {
	l := &s.e.lanes[i]
	if l.out >= 0 {
		s.queueUp(l, worm, way, left)
		return
	}
	l.worm, l.way, l.left = worm, way, left
	s.request(i, l)
}

// queueUp lets a worm stand behind the worms of a lane.
func (s *shard) queueUp(l *lane, worm, way, left uint32) {
	k := s.free
	if k < 0 {
		k = int32(len(s.queue))
		s.queue = append(s.queue, queued{})
	} else {
		s.free = s.queue[k].next
	}
	s.queue[k] = queued{worm, way, left, -1}
	last := &l.more
	for *last >= 0 {
		last = &s.queue[*last].next
	}
	*last = k
}

// request routes the first worm of lane i, whose head stands at the front, and enters the
// lane into the list of those that wait for its output-VC.
func (s *shard) request(i int32, l *lane) {
	e := s.e
	var o int32
	if e.ways != nil {
		o = int32(e.ways[int(e.chipOf(e.input(i)))*e.chips+int(l.way&maxLine)])
	} else if l.way&maxLine > 0 && i < e.base {
		o = i ^ e.across
		if e.cfg.CrossesRim != nil && e.cfg.CrossesRim[o>>e.shift] {
			o |= 1
		}
	} else {
		o = e.turn(i, l)
	}
	out := &e.out[o]
	l.out, l.next = o, out.waiting
	out.waiting = i
	t, bit := &e.words[o>>6], uint64(1)<<(o&63)
	if t.owned&bit != 0 {
		return
	}
	t.asking |= bit
	if t.owned == 0 || t.asleep != 0 {
		s.rouse(o >> 6)
	}
}

// turn returns the output-VC of a worm that begins its way, ends it, or goes on in another direction.
func (e *streaming) turn(i int32, l *lane) int32 {
	w := e.Worm(l.worm)
	i = e.input(i)
	vc := e.vcAt(i, w)
	if e.lines == nil {
		return e.output(e.outputFor(i, w, l.way>>wayBits, vc))
	}
	chip := e.chipOf(i)
	p, line := e.lines.Line(NodeID(chip), w.Destination)
	l.way = l.way&^maxLine | uint32(min(line, maxLine))
	return e.output(e.outputBy(i, chip, p, vc))
}

// leave notes that lane i begins or ceases to lose a flit in every cycle.
func (s *shard) leave(i int32) {
	t := &s.e.words[i>>6]
	t.leaving ^= 1 << (i & 63)
	if t.live == 0 {
		s.enliven(t, i)
	}
}

// arrive notes that link lane i begins or ceases to gain a flit in every cycle.
func (s *shard) arrive(i int32) {
	t := &s.e.words[i>>6]
	t.arriving ^= 1 << (i & 63)
	if t.live == 0 {
		s.enliven(t, i)
	}
}

// enliven puts the word of lane i into the inputs of its section.
func (s *shard) enliven(t *word, i int32) {
	t.live = 1
	part := &s.links
	if i >= s.e.base {
		part = &s.ejects
	}
	part.inputs.Set(i>>6 - int32(part.first))
}

// arriveHead lets a worm into link lane i, which begins to gain flits.
func (s *shard) arriveHead(i int32, worm, way, left uint32) {
	s.arrive(i)
	s.e.words[i>>6].heads |= 1 << (i & 63)
	s.enter(i, worm, way, left)
}
