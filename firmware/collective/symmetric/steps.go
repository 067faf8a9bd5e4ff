// SPDX-License-Identifier: Apache-2.0

package symmetric

import (
	"math/bits"

	"meshwright/fabric/booking"
	"meshwright/router"
)

// step is a message that the first node of an orbit may send to a node, and all others of the orbit in the same way, with all that it has and the receiver lacks, but for some nodes' pieces. It does not wait for so many of the
// last messages to its node.
type step struct {
	from, to, skip int32
	most, first    int32 // how many pieces, if not 0: those of the first nodes from this one on, and then from node 0 on
	but            uint64
}

// sent is a message of the first node of an orbit.
type sent struct {
	step
	handed, whole router.Cycle
	nodes         uint64 // whose pieces it brings
}

// come is what has come to a node.
type come struct {
	at    router.Cycle
	nodes uint64
}

// spread is a schedule in which pieces spread from the nodes that have them.
type spread struct {
	*network
	own   uint64             // nodes that have a piece at first
	ready []router.Cycle     // by orbit: when its first node has its own piece
	kept  []booking.Calendar // what is booked before

	limits bool // whether some messages bring few pieces only

	calendars []booking.Calendar
	uses      []booking.Use
	messages  []sent
	has       []uint64 // by orbit: the nodes whose pieces are promised to its first node
	come      [][]come // in the order of time
	missing   int      // pieces that are not promised
	cycles    router.Cycle
	sum       float64 // of the times at which pieces come
	tried     int     // steps, so far
}

func newSpread(n *network, own uint64) *spread {
	return &spread{
		network: n, own: own, ready: make([]router.Cycle, len(n.firsts)),
		kept: make([]booking.Calendar, n.calendars), calendars: make([]booking.Calendar, n.calendars), has: make([]uint64, len(n.firsts)), come: make([][]come, len(n.firsts)),
	}
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
		for s.has[k] != s.own && s.nearest(v) {
		}
	}
}

func (s *spread) reset() {
	for i := range s.calendars {
		s.calendars[i] = append(s.calendars[i][:0], s.kept[i]...)
	}
	s.messages, s.cycles, s.sum, s.missing = s.messages[:0], 0, 0, 0
	for k, v := range s.firsts {
		s.has[k], s.come[k] = s.own&(1<<v), s.come[k][:0]
		if s.has[k] != 0 {
			s.come[k] = append(s.come[k], come{s.ready[k], s.has[k]})
		}
		s.missing += bits.OnesCount64(s.own &^ s.has[k])
	}
}

func (n *network) way(from, to int32) *way { return &n.ways[int(from)*n.nodes+int(to)] }

// list lists what a message of so many words uses. It is valid until the next call.
func (s *spread) list(w *way, words int) []booking.Use {
	longer := s.model.Work(words) - s.model.Work(0)
	s.uses = s.uses[:0]
	for i := range w.uses {
		u := &w.uses[i]
		x := booking.Use{Calendar: &s.calendars[u.calendar], At: u.at, Long: u.long + longer}
		if u.enters != u.calendar {
			x.Enters = &s.calendars[u.enters]
		}
		s.uses = append(s.uses, x)
	}
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
	has := uint64(0)
	for i := range known {
		has |= known[i].nodes
	}
	brings := s.useful(w, x, has&^x.but, s.has[to])
	nodes, ok := s.received(x, brings)
	if brings == 0 || !ok {
		return false
	}
	from := router.Cycle(0)
	for i := len(known) - 1; i >= 0; i-- {
		if known[i].nodes&brings != 0 {
			from = known[i].at
			break
		}
	}
	words := bits.OnesCount64(brings) * s.words
	uses := s.list(w, words)
	dispatch := booking.Earliest(uses, from+s.model.Startup)
	booking.Reserve(uses, dispatch)
	handed := dispatch - s.model.Startup
	whole := handed + s.model.UntilWhole(w.links, words)
	s.messages = append(s.messages, sent{x, handed, whole, brings})
	s.arrive(to, nodes, whole)
	return true
}

// useful returns the nodes whose pieces a message brings: as many as can go and the receiver lacks. A symmetry that leaves the message where it is leaves what it brings together.
func (s *spread) useful(w *way, x step, has, there uint64) (brings uint64) {
	left, back := w.most, s.group[s.back[x.to][0]]
	if x.most > 0 {
		left = min(left, int(x.most))
	}
	for round := bits.RotateLeft64(has, -int(x.first)); round != 0 && left > 0; round &= round - 1 {
		if v := (bits.TrailingZeros64(round) + int(x.first)) % 64; there>>back[v]&1 == 0 {
			brings |= 1 << v
			left--
		}
	}
	together := brings
	for _, h := range w.stays {
		together &= s.group[h].of(brings)
	}
	return together
}

// received returns what comes to the first node of the receiver's orbit: from all messages that symmetries bring there. It reports false if something comes twice.
func (s *spread) received(x step, brings uint64) (nodes uint64, ok bool) {
	senders := uint64(0)
	for _, h := range s.back[x.to] {
		from := s.group[h][s.firsts[x.from]]
		if senders>>from&1 != 0 {
			continue
		}
		senders |= 1 << from
		more := s.group[h].of(brings)
		if nodes&more != 0 {
			return 0, false
		}
		nodes |= more
	}
	return nodes, true
}

// arrive enters what comes to the first node of an orbit.
func (s *spread) arrive(to int32, nodes uint64, at router.Cycle) {
	s.has[to] |= nodes
	list := append(s.come[to], come{at, nodes})
	for i := len(list) - 1; i > 0 && list[i-1].at > at; i-- {
		list[i-1], list[i] = list[i], list[i-1]
	}
	s.come[to] = list
	pieces := bits.OnesCount64(nodes)
	s.missing -= pieces
	s.sum += float64(at) * float64(pieces)
	s.cycles = max(s.cycles, at+1)
}
