// SPDX-License-Identifier: Apache-2.0

package staggered

import (
	"fmt"

	"meshwright/fabric/booking"
	"meshwright/fabric/machine"
	"meshwright/firmware/collective/stages"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/router"
)

// Name is the name of the algorithm.
const Name = "staggered"

const (
	// MaxNodes bounds the networks.
	MaxNodes = 1024
	// maxMessages bounds the messages of a schedule: some seconds.
	maxMessages = 1 << 19
	// maxKept bounds those of a pattern that is kept for other numbers of parts.
	maxKept = maxMessages / 8
)

// search looks for the number of parts, and for the all-gather, with which a collective is fastest.
type search struct {
	*plan.Task
	*plan.Pairs
	nodes  int
	words  int              // that are cut into parts: of the vector, or of the longest block
	blocks []transfer.Range // the words of each node, but for an allreduce
	grid   stages.Grid
	book   *booking.Book
	known  map[string]*pattern // by form: those that are kept, nil if they have too many messages
	kept   int                 // their messages
	best   *schedule           // nil: none yet
}

// closeNodes bounds the networks for which searches look at every message.
const closeNodes = 64

// Weak reports whether other algorithms are faster, as far as is known: searches are on few nodes whose links do not work independently.
func Weak(t *plan.Task) bool {
	return len(t.Lengths) <= closeNodes && (!t.IndependentLinks() || t.Machine.Duplex == machine.Half)
}

// Plan plans an all-gather, a reduce-scatter or an allreduce. Its errors are *input.Error, or the context's.
func Plan(t *plan.Task) (*plan.Plan, error) {
	s, err := newSearch(t)
	if err != nil {
		return nil, err
	}
	phase := progress.Begin(t.Ctx, "book the parts", 0)
	defer phase.End()
	if err := s.run(); err != nil {
		return nil, err
	}
	if s.best == nil {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", maxMessages), "%s %s on %s in %s: too many messages", t.Kind.Name, Name, t.Topology, input.Count(max(1, t.Parts), "part"))
	}
	return s.finish()
}

func newSearch(t *plan.Task) (*search, error) {
	s := &search{Task: t, nodes: len(t.Lengths), grid: stages.GridOf(t.Topology), known: map[string]*pattern{}}
	switch {
	case t.Machine.PacketSwitched():
		return nil, input.Errorf("expected bufferless or wormhole", "%s %s on a %s machine", t.Kind.Name, Name, t.Machine.Switching)
	case s.nodes > MaxNodes:
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", MaxNodes), "%s %s for %d nodes", t.Kind.Name, Name, s.nodes)
	}
	s.cut()
	if most := max(1, s.words); t.Parts > most {
		return nil, input.Errorf(fmt.Sprintf("expected 1 to %d", most), "%d parts of %s on %s", t.Parts, input.Count(s.words, "flit"), t.Topology)
	}
	pairs, err := plan.NewPairs(t)
	if err != nil {
		return nil, err
	}
	s.Pairs, s.book = pairs, booking.NewBook(t.Topology, t.Machine).Stalling()
	return s, nil
}

// cut says which words are cut into parts.
func (s *search) cut() {
	if s.Kind.Name == plan.Allreduce {
		s.words = s.VectorWords()
		return
	}
	for v := range router.NodeID(s.nodes) {
		block := transfer.Range{From: s.Offset[v], To: s.Offset[v+1]}
		if s.Kind.Name == plan.ReduceScatter {
			block = s.Piece(v)
		}
		s.blocks, s.words = append(s.blocks, block), max(s.words, block.To-block.From)
	}
}

// enough is the number of parts behind which the search ends when more parts have not helped twice. Fewer parts may be slower than one.
const enough = 8

// run tries the number of parts that the job asks for, or more and more of them.
func (s *search) run() error {
	if s.Parts > 0 || s.words == 0 || s.nodes == 1 {
		return s.try(max(1, s.Parts))
	}
	for parts, failed := 1, 0; parts <= s.words && (parts <= enough || failed < 2); parts = next(parts) {
		before := s.limit()
		if err := s.try(parts); err != nil || s.over() {
			return err
		}
		if failed++; s.limit() < before-before/gain {
			failed = 0
		}
	}
	return nil
}

// gain is the part of the time that more parts have to save.
const gain = 256

// next is the number of parts that is tried behind one: 1, 2, 3, 4, 6, 8, 12, 16 …
func next(parts int) int {
	switch {
	case parts == 1:
		return 2
	case parts&(parts-1) == 0:
		return parts / 2 * 3
	}
	return parts / 3 * 4
}

// limit is the time that a schedule must not take.
func (s *search) limit() router.Cycle {
	if s.best == nil {
		return never
	}
	return s.best.cycles
}

// never is later than anything.
const never = router.Cycle(1) << 60

// over reports whether the search ends: with the best schedule that it has, if there is one.
func (s *search) over() bool {
	return s.Ctx.Err() != nil || s.best != nil && (s.Search.Err() != nil || s.best.cycles <= s.LowerBound())
}

// try books the collective in so many parts, with each form of the all-gather.
func (s *search) try(parts int) error {
	block := s.words / parts
	if s.blocks == nil {
		block /= s.nodes
	}
	for _, f := range s.forms(max(1, block)) {
		p, err := s.patternOf(f)
		if err != nil {
			return err
		}
		if p == nil || len(p.messages)*parts > maxMessages {
			continue
		}
		if err := s.NeedBooked(len(p.messages)*parts, s.kept+len(p.messages)); err != nil {
			if s.best != nil {
				continue
			}
			return err
		}
		for lead := range 2 {
			if lead > 0 && (parts == 1 || s.blocks != nil) {
				break
			}
			book := s.ordered
			if f.Form == nil {
				book = s.dispatched
			}
			if made := book(p, parts, lead); made != nil {
				s.best = made
			}
			if s.over() {
				return s.Ctx.Err()
			}
		}
	}
	return s.Ctx.Err()
}

// finish turns the best schedule into a plan.
func (s *search) finish() (*plan.Plan, error) {
	if err := s.NeedTransfers(len(s.best.times)); err != nil {
		return nil, err
	}
	p, err := s.ListPlan(s.best.list())
	if err != nil {
		return nil, err
	}
	p.Facts = append(p.Facts, plan.Fact{Key: "parts", Name: "parts", Value: router.Cycle(len(s.best.units)), Unit: plan.Counted})
	s.PredictBooked(p, s.best.cycles)
	p.Stopped = s.Search.Err() != nil && s.best.cycles > s.LowerBound()
	return p, nil
}
