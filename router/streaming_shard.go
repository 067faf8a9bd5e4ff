// SPDX-License-Identifier: Apache-2.0

package router

import (
	"slices"
	"unsafe"

	"meshwright/internal/bitset"
	"meshwright/internal/countdown"
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
	ahead          int      // flits that PEs take in cycle early of the engine
	ending         []uint32 // and the worms whose tails are among them
	outbox         outbox
	starts         []start    `snapshot:"-"` // of advance
	follows        []int32    `snapshot:"-"` // of report: lanes whose next worms come to the front
	advanced       advancedIn `snapshot:"-"`
	neighbours     []int32    `snapshot:"start"` // numbers of the shards with links to this one
}

// section is a range of words, those of links or those of registers and ejection channels.
type section struct {
	first   int        // word
	outputs bitset.Set // words, counted from the first, with outputs that are owned, or were in the last evaluation
	inputs  bitset.Set // words whose sets of inputs that gain and that lose flits differ, or have just changed
}

func newSection(first, lanes int32) section {
	words := int(lanes+63) >> 6
	return section{first: int(first >> 6), outputs: bitset.New(words), inputs: bitset.New(words)}
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
	s := &shard{
		e: e, free: -1, firstLane: lane, lanes: endLane - lane,
		links: newSection(lane, endLane-lane), ejects: newSection(e.base+channel, endChannel-channel),
	}
	s.advanced.Store(-1)
	return s
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
	return unsafe.Sizeof(*s) + 16*uintptr(len(s.links.outputs)+len(s.ejects.outputs)) + uintptr(cap(s.queue))*unsafe.Sizeof(queued{})
}

// has reports whether a link lane is the shard's.
func (s *shard) has(i int32) bool { return uint32(i-s.firstLane) < uint32(s.lanes) }

// A head claims a free output-VC as soon as it requests it. The claim is only bound at first: until the
// outputs are evaluated, other heads may request the same one, as arrivals of the same cycle. Then round robin
// decides among them. Few claims are contested, so most cost no more than this:

// bind lets the worm of lane i claim output-VC o, which is free. It has its head in front and its whole
// worm to send.
func (s *shard) bind(o int32, out *owned, t *word, i int32, l *lane) {
	l.next, out.owner = out.owner, i
	if t.owned == 0 {
		s.rouse(o >> 6)
	}
	k := o & 63
	bit := uint64(1) << k
	t.owned |= bit
	t.fresh |= bit
	t.offered |= bit
	t.bound |= bit
	t.straight |= isStraight(i, o, s.e.lined) << k
	t.long |= countdown.Reports(l.left) << k
	t.left.Load(bit, l.left)
}

// isStraight returns 1 if a worm goes straight on from lane i to output-VC o of a line, otherwise 0.
func isStraight(i, o, lined int32) uint64 {
	if i^o == lined {
		return 1
	}
	return 0
}

// contest lets the worm of lane i have an output-VC that another one claimed in this cycle, if its turn comes
// first. The other one waits.
func (s *shard) contest(o int32, out *owned, t *word, i int32, l *lane) {
	owner := out.owner
	first := &s.e.lanes[owner]
	before := first.next
	t.wanted |= 1 << (o & 63)
	if turn(i, before) > turn(owner, before) {
		l.next, out.waiting = out.waiting, i
		return
	}
	l.next, first.next = before, out.waiting
	out.owner, out.waiting = i, owner
	bit := uint64(1) << (o & 63)
	t.straight = t.straight&^bit | isStraight(i, o, s.e.lined)<<(o&63)
	t.long = t.long&^bit | countdown.Reports(l.left)<<(o&63)
	t.left.Load(bit, l.left)
}

// turn returns the place of lane i in the order of the arbiter, which goes round and begins after the last
// owner.
func turn(i, owner int32) uint32 { return uint32(i - (owner + 1)) }

// choose binds the claim of the lane whose turn comes first out of those that wait for output-VC o, which is free.
func (s *shard) choose(o int32, out *owned, t *word) {
	lanes := s.e.lanes
	winner, at := out.waiting, &out.waiting
	for link := &lanes[winner].next; *link >= 0; link = &lanes[*link].next {
		if turn(*link, out.owner) < turn(winner, out.owner) {
			winner, at = *link, link
		}
	}
	l := &lanes[winner]
	if *at = l.next; out.waiting < 0 {
		t.wanted &^= 1 << (o & 63)
	}
	s.bind(o, out, t, winner, l)
}

// enter lets a worm into lane i, which has none.
func (s *shard) enter(i int32, worm, way, left uint32) {
	l := &s.e.lanes[i]
	t := &s.e.words[i>>6]
	t.busy |= 1 << (i & 63)
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

// request routes the first worm of lane i, whose head stands at the front, and lets it claim its
// output-VC or wait for it.
func (s *shard) request(i int32, l *lane) {
	e := s.e
	var o int32
	if e.ways != nil {
		o = int32(e.ways[e.row[i]+int32(l.way&maxLine)])
	} else if l.way&maxLine > 0 && i < e.base {
		o = i ^ e.across
		if e.rim != nil && e.rim[o>>e.shift] {
			o |= 1
		}
	} else {
		o = e.change(i, l)
	}
	out := &e.out[o]
	l.out = o
	t := &e.words[o>>6]
	switch bit := uint64(1) << (o & 63); {
	case t.owned&bit == 0:
		s.bind(o, out, t, i, l)
	case t.bound&bit != 0:
		s.contest(o, out, t, i, l)
	default:
		l.next, out.waiting = out.waiting, i
		t.wanted |= bit
	}
}

// change returns the output-VC of a worm that begins its route, ends it, or goes on in another direction.
func (e *streaming) change(i int32, l *lane) int32 {
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

// arriveHeads lets heads into lanes of word t, which has lane i. The lanes begin to gain flits. It returns those in which the
// heads stand behind other worms. Inlined twice it would take registers from the loop of heads.
//
//go:noinline
func (s *shard) arriveHeads(t *word, lanes uint64, i int32) (waits uint64) {
	t.heads |= lanes
	t.arriving ^= lanes
	if t.live == 0 {
		s.enliven(t, i)
	}
	waits = t.busy & lanes
	t.busy |= lanes
	t.queued |= waits
	return waits
}
