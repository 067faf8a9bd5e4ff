// SPDX-License-Identifier: Apache-2.0

package symmetric

import (
	"math/bits"
	"slices"

	"meshwright/fabric/booking"
	"meshwright/internal/bitset"
	"meshwright/router"
)

// step is a message that the first node of an orbit may send to a node, and all others of the orbit in the same way, with all that it has and the receiver lacks, but for some nodes' pieces. It does not wait for so many of the
// last messages to its node.
type step struct {
	from, to, skip int32
	most, first    int32      // how many pieces, if not 0: those of the first nodes from this one on, and then from node 0 on
	but            bitset.Set // nil: none. Shared, never changed
}

// sent is a message of the first node of an orbit.
type sent struct {
	step
	handed, whole router.Cycle
	nodes         bitset.Set // whose pieces it brings
}

// come is what has come to a node.
type come struct {
	at    router.Cycle
	nodes bitset.Set
}

// spread is a schedule in which pieces spread from the nodes that have them.
type spread struct {
	*network
	own   bitset.Set         // nodes that have a piece at first
	ready []router.Cycle     // by orbit: when its first node has its own piece
	kept  []booking.Calendar // what is booked before

	limits bool // whether some messages bring few pieces only

	calendars []booking.Calendar
	uses      []booking.Use
	messages  []sent
	has       []bitset.Set // by orbit: the nodes whose pieces are promised to its first node
	sets      store        // of the messages
	held, met bitset.Set   // scratch of the message that is booked: what its sender has, and nodes to which symmetries bring others
	come      [][]come     // in the order of time
	missing   int          // pieces that are not promised
	cycles    router.Cycle
	sum       float64 // of the times at which pieces come
	tried     int     // steps, so far
}

func newSpread(n *network, own bitset.Set) *spread {
	s := &spread{
		network: n, own: own, ready: make([]router.Cycle, len(n.firsts)), held: bitset.New(n.nodes), met: bitset.New(n.nodes), sets: store{nodes: n.nodes},
		kept: make([]booking.Calendar, n.calendars), calendars: make([]booking.Calendar, n.calendars), come: make([][]come, len(n.firsts)),
	}
	for range n.firsts {
		s.has = append(s.has, bitset.New(n.nodes))
	}
	return s
}

// store keeps the memory of sets of nodes for the next schedule.
type store struct {
	nodes int
	sets  []bitset.Set
	used  int
}

// empty returns a set that is valid until the store is.
func (s *store) empty() bitset.Set {
	if s.used++; s.used > len(s.sets) {
		s.sets = append(s.sets, bitset.New(s.nodes))
		return s.sets[s.used-1]
	}
	set := s.sets[s.used-1]
	clear(set)
	return set
}

// fork returns a spread of its own.
func (s *spread) fork() *spread {
	own := newSpread(s.network, s.own)
	own.ready, own.kept = s.ready, s.kept
	return own
}

// run books steps, one after the other, each as early as it can be handed over, and then what lacks, from where it is nearest.
func (s *spread) run(steps []step) {
	s.reset()
	for i := range steps {
		if s.missing == 0 {
			return
		}
		s.take(steps[i])
	}
	for k, v := range s.firsts {
		for !slices.Equal(s.has[k], s.own) && s.nearest(v) {
		}
	}
}

func (s *spread) reset() {
	for i := range s.calendars {
		s.calendars[i] = append(s.calendars[i][:0], s.kept[i]...)
	}
	s.messages, s.cycles, s.sum, s.missing, s.sets.used = s.messages[:0], 0, 0, 0, 0
	all := s.own.Size()
	for k, v := range s.firsts {
		clear(s.has[k])
		s.come[k] = s.come[k][:0]
		s.missing += all
		if s.own.Has(v) {
			s.has[k].Set(v)
			own := s.sets.empty()
			own.Set(v)
			s.come[k] = append(s.come[k], come{s.ready[k], own})
			s.missing--
		}
	}
}

func (n *network) way(from, to int32) *way { return &n.ways[int(from)*n.nodes+int(to)] }

// list lists what a message of so many words uses. It is valid until the next call.
func (s *spread) list(w *way, words int) []booking.Use {
	s.uses = w.AppendUses(s.uses[:0], s.calendars, s.model, words)
	return s.uses
}

// nearest sends a node pieces that it lacks from the nearest node that has some. It reports false if there is none.
func (s *spread) nearest(v int32) bool {
	for _, u := range s.closest[v] {
		h := s.back[u][0]
		if s.take(step{from: s.orbit[u], to: s.group[h][v]}) {
			return true
		}
	}
	return false
}

// take books the message of a step. It reports false if it is good for nothing.
func (s *spread) take(x step) bool {
	s.tried++
	w, to := s.way(x.from, x.to), s.orbit[x.to]
	known := s.come[x.from]
	known = known[:max(0, len(known)-int(x.skip))]
	before := s.sets.used
	brings := s.useful(w, x, s.heldBy(known, x.but), s.has[to])
	nodes, ok := s.received(x, brings)
	if !ok || brings.Empty() {
		s.sets.used = before
		return false
	}
	from := router.Cycle(0)
	for i := len(known) - 1; i >= 0; i-- {
		if meet(known[i].nodes, brings) {
			from = known[i].at
			break
		}
	}
	words := brings.Size() * s.words
	uses := s.list(w, words)
	dispatch := booking.Earliest(uses, from+s.model.Startup)
	booking.Reserve(uses, dispatch)
	handed := dispatch - s.model.Startup
	whole := handed + s.model.UntilWhole(w.Links, words)
	s.messages = append(s.messages, sent{x, handed, whole, brings})
	s.arrive(to, nodes, whole)
	return true
}

// heldBy returns the nodes whose pieces have come, but for some.
func (s *spread) heldBy(known []come, but bitset.Set) bitset.Set {
	clear(s.held)
	for i := range known {
		for k, more := range known[i].nodes {
			s.held[k] |= more
		}
	}
	for k := range but {
		s.held[k] &^= but[k]
	}
	return s.held
}

// meet reports whether two sets have a number in common.
func meet(a, b bitset.Set) bool {
	for k := range a {
		if a[k]&b[k] != 0 {
			return true
		}
	}
	return false
}

// useful returns the nodes whose pieces a message brings: as many as can go and the receiver lacks. A symmetry that leaves the message where it is leaves what it brings together.
func (s *spread) useful(w *way, x step, has, there bitset.Set) (brings bitset.Set) {
	left, back := w.Most, s.group[s.back[x.to][0]]
	if x.most > 0 {
		left = min(left, int(x.most))
	}
	brings = s.sets.empty()
	start, words := int(x.first>>6), len(has)
	for i := 0; i <= words && left > 0; i++ { // the first word twice: from its node on, and at last those before
		k := (start + i) % words
		word, behind := has[k], ^uint64(0)<<(x.first&63)
		switch i {
		case 0:
			word &= behind
		case words:
			word &^= behind
		}
		for ; word != 0 && left > 0; word &= word - 1 {
			if v := k<<6 + bits.TrailingZeros64(word); !there.Has(back[v]) {
				brings.Set(int32(v))
				left--
			}
		}
	}
	if len(w.stays) == 0 {
		return brings
	}
	together := s.sets.empty()
	copy(together, brings)
	for _, h := range w.stays {
		clear(s.met)
		move(s.group[h], brings, s.met)
		for k := range together {
			together[k] &= s.met[k]
		}
	}
	return together
}

// received returns what comes to the first node of the receiver's orbit: from all messages that symmetries bring there. It reports false if something comes twice.
func (s *spread) received(x step, brings bitset.Set) (nodes bitset.Set, ok bool) {
	nodes = s.sets.empty()
	clear(s.met)
	pieces, messages := brings.Size(), 0
	for _, h := range s.back[x.to] {
		from := s.group[h][s.firsts[x.from]]
		if s.met.Has(from) {
			continue
		}
		s.met.Set(from)
		move(s.group[h], brings, nodes)
		messages++
	}
	return nodes, nodes.Size() == pieces*messages
}

// arrive enters what comes to the first node of an orbit.
func (s *spread) arrive(to int32, nodes bitset.Set, at router.Cycle) {
	for k, more := range nodes {
		s.has[to][k] |= more
	}
	list := append(s.come[to], come{at, nodes})
	for i := len(list) - 1; i > 0 && list[i-1].at > at; i-- {
		list[i-1], list[i] = list[i], list[i-1]
	}
	s.come[to] = list
	pieces := nodes.Size()
	s.missing -= pieces
	s.sum += float64(at) * float64(pieces)
	s.cycles = max(s.cycles, at+1)
}
