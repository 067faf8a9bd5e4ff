// SPDX-License-Identifier: Apache-2.0

package sampled

import (
	"cmp"
	"math"
	"math/rand/v2"

	"meshwright/firmware/plan"
	"meshwright/router"
)

// Name is the name of the algorithms, of which this package is a part.
const Name = "greedy"

// MaxNodes bounds the networks, and MaxOwn those with words of all nodes.
const (
	MaxNodes = 4096
	MaxOwn   = 2048
)

// Plan plans a broadcast, a reduction, an allreduce, an all-gather or a reduce-scatter. Its errors are *input.Error, or the context's.
func Plan(t *plan.Task) (*plan.Plan, error) {
	if t.Kind.Name == plan.Allreduce {
		t.Root = t.Centre()
	}
	n, err := newNetwork(t)
	if err != nil {
		return nil, err
	}
	best := &schedule{}
	if n.total > 0 {
		if best, err = n.fastest(); err != nil {
			return nil, err
		}
	}
	p, err := t.ListPlan(n.list(best))
	if err != nil {
		return nil, err
	}
	p.Facts = append(p.Facts, plan.Fact{Key: "pieces", Name: "pieces", Value: router.Cycle(len(best.pieces)), Unit: plan.Counted})
	t.PredictBooked(p, best.cycles)
	p.Stopped = t.Search.Err() != nil && best.cycles > t.LowerBound()
	return p, nil
}

const (
	// mostWork bounds the work of a search, see spread.work, and workOf times the second power of the nodes: some seconds, or tenths of a second for 65 nodes. The first try may take as much as it needs, and more time than the job's limit for as much as patience.
	mostWork = 1 << 29
	workOf   = 1 << 13
	patience = 1 << 26
	// betterPart is the part of it in which the fastest schedule is made faster.
	betterPart = 3
	// mostSlower is how many numbers of pieces, or of roots, are tried in a row that are no faster.
	mostSlower = 3
)

// search is what was found so far.
type search struct {
	*network
	best       *schedule
	work, most int
}

// fastest is the fastest schedule that is found.
func (n *network) fastest() (*schedule, error) {
	s := &search{network: n, most: n.Spend(min(mostWork, workOf*n.nodes*n.nodes))}
	families := n.families()
	for i, f := range families {
		if err := s.family(f, (s.most-s.most/betterPart)*(i+1)/len(families)); err != nil {
			return nil, err
		}
	}
	return s.best, s.better()
}

// ended reports whether the search has found what it can, with so much work in all.
func (s *search) ended(most int) bool {
	return s.best != nil && (s.work >= most || s.best.cycles <= s.LowerBound() || s.Search.Err() != nil)
}

// try looks whether a draft takes less than a limit, with so much work in all. The result is nil if not.
func (s *search) try(d draft, limit router.Cycle, most int) (*schedule, error) {
	if s.best == nil {
		most = math.MaxInt
	}
	made, work := s.grow(d, limit, most-s.work)
	if s.work += work + 1; made != nil && (s.best == nil || made.cycles < s.best.cycles) {
		s.best = made
	}
	if s.best == nil {
		return nil, cmp.Or(s.Ctx.Err(), s.Search.Err())
	}
	return made, s.Ctx.Err()
}

// family tries the drafts of a family, until more pieces or other roots are no faster.
func (s *search) family(f family, most int) error {
	for slower := 0; len(f) > 0 && slower < mostSlower; f = f[1:] {
		slower++
		for _, d := range f[0] {
			if s.ended(most) {
				return nil
			}
			limit := never
			if s.best != nil {
				limit = s.best.cycles
			}
			made, err := s.try(d, limit, most)
			if err != nil {
				return err
			}
			if made != nil {
				slower = 0
			}
		}
	}
	return nil
}

// better makes the fastest schedule faster. It keeps the messages of its first cycles, and lets the rest grow anew, or lets all grow as before, with a little difference. The search goes on with a schedule that
// takes a cycle longer at most.
func (s *search) better() error {
	random := rand.New(rand.NewPCG(s.Seed, 0x626574746572))
	most := s.work + s.most/betterPart
	for at := s.best; !s.ended(most); {
		d := s.varied(s.best.by, random)
		if random.IntN(2) == 0 {
			d.size, d.roots = at.by.size, at.by.roots
			d.base, d.until, d.sums = at, 1+router.Cycle(random.Int64N(int64(at.cycles))), random.IntN(2) == 0
		}
		made, err := s.try(d, at.cycles+1, most)
		if err != nil {
			return err
		}
		if made != nil {
			at = made
		}
	}
	return nil
}
