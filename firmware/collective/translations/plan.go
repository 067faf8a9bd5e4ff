// SPDX-License-Identifier: Apache-2.0

package translations

import (
	"cmp"
	"fmt"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// Name is the name of the algorithm.
const Name = "translations"

// mostPieces bounds the pieces into which the words are cut.
const mostPieces = 4

// Plan plans an allreduce.
func Plan(t *plan.Task) (*plan.Plan, error) {
	t.Root = 0
	families, err := familiesOf(t)
	if err != nil {
		return nil, err
	}
	n, err := newNetwork(t, families[0], true, 1)
	if err != nil {
		return nil, err
	}
	if families, err = promising(t, families); err != nil {
		return nil, err
	}
	best, err := fastest(t, families)
	if err != nil {
		return nil, err
	}
	if err := n.Ctx.Err(); err != nil {
		return nil, err
	}
	switch {
	case best != nil:
	case n.Search.Err() != nil:
		return nil, input.Errorf("expected a longer --limit", "%s: no sum of all nodes of %s is found in that time", Name, n.Topology)
	case n.Effort > 0 && n.Effort < 1:
		return nil, input.Errorf("expected more --effort, or another algorithm", "%s: no sum of all nodes of %s is found with so little search", Name, n.Topology)
	default:
		return nil, n.refuse()
	}
	p, err := n.VectorPlan(n.transfers(best))
	if err != nil {
		return nil, err
	}
	p.Facts = append(p.Facts, plan.Fact{Key: "pieces", Name: "pieces", Value: router.Cycle(len(best.pieces)), Unit: plan.Counted})
	n.PredictBooked(p, best.cycles)
	p.Stopped = n.Search.Err() != nil && best.cycles > n.LowerBound()
	return p, nil
}

// fastest returns the fastest schedule that is found with translations of any family and any number of pieces; nil if there is none. More than two pieces are tried with the family that is the
// fastest with fewer.
func fastest(t *plan.Task, families []topology.Translations) (best *schedule, err error) {
	waits := []bool{true}
	if !t.Machine.FullRate() && t.Machine.Claim == 0 {
		waits = append(waits, false)
	}
	for pieces := 1; pieces == 1 || pieces <= min(mostPieces, t.VectorWords()); pieces++ {
		if best != nil && pieces > 2 {
			families = []topology.Translations{best.family}
		}
		var searches []*search
		for _, family := range families {
			for _, stalling := range waits {
				n, err := newNetwork(t, family, stalling, pieces)
				if err != nil {
					return nil, err
				}
				s := &search{network: n}
				if best != nil {
					s.begin(best)
				}
				searches = append(searches, s)
			}
		}
		if best = fastestOf(searches, best); best != nil && (best.cycles <= t.LowerBound() || t.Search.Err() != nil) || t.Ctx.Err() != nil {
			return best, nil
		}
	}
	return best, nil
}

// fastestOf returns the fastest schedule of some searches and of those before. All have a round; those that found the fastest schedules have more.
func fastestOf(searches []*search, best *schedule) *schedule {
	best = inTurn(searches, 1, best)
	slices.SortStableFunc(searches, func(a, b *search) int { return cmp.Compare(a.best.time(), b.best.time()) })
	searches = slices.DeleteFunc(searches[:min(thorough, len(searches))], func(s *search) bool { return s.best == nil })
	return inTurn(searches, rounds/uint64(max(1, len(searches))), best)
}

// inTurn lets searches make rounds until each has made so many, and returns the fastest schedule of theirs and of those before.
func inTurn(searches []*search, most uint64, best *schedule) *schedule {
	for _, s := range searches {
		if best != nil && (best.cycles <= s.LowerBound() || s.Search.Err() != nil) || s.Ctx.Err() != nil {
			break
		}
		if s.rounds(most); s.best.time() < best.time() {
			best = s.best
		}
	}
	return best
}

// refuse is the reason why there is no plan, with shorter vectors and a machine for which there is one.
func (n *network) refuse() error {
	var list []string
	if words := n.shorter(); words > 0 {
		list = append(list, "vectors of at most "+input.Count(words, "word"))
	}
	if keys := n.nearest(); keys != "" {
		list = append(list, "a machine with "+keys)
	}
	if len(list) == 0 {
		list = append(list, "another algorithm")
	}
	words := n.VectorWords()
	return input.Errorf("expected "+input.Or(list), "%s: all nodes of %s send at the same time, and messages of %s would be in each other's way", Name, n.Topology, input.Count(words, "word"))
}

// shorter returns how many words may have messages that are no longer than a hop; 0: too few.
func (n *network) shorter() int {
	m := timing.Of(&n.Machine)
	for words := n.VectorWords() - 1; words > 0; words-- {
		if m.Work(words) > m.Hop {
			continue
		}
		t := *n.Task
		if t.Lengths = slices.Repeat([]int{words}, n.nodes); makesSum(&t) {
			return words
		}
		break
	}
	return 0
}

// nearest returns the fewest keys with which a machine has a plan: a worm is no longer than a hop, nodes send and receive at the same time, and worms have the full rate. It is "" if there are none.
func (n *network) nearest() string {
	type key struct{ name, value string }
	hop := key{"hop", fmt.Sprint(timing.Of(&n.Machine).Work(n.VectorWords()))}
	full := key{"nic.duplex", string(machine.Full)}
	changes := [][]key{{full}, {hop}, {full, hop}}
	if n.Machine.Duplex == machine.Full {
		changes = [][]key{nil, {hop}}
	}
	for _, keys := range changes {
		for _, fast := range []bool{false, true} {
			t := *n.Task
			var text []string
			set := func(k key) error {
				text = append(text, k.name+" "+k.value)
				return t.Machine.Set(k.name, k.value)
			}
			var err error
			for _, k := range keys {
				err = cmp.Or(err, set(k))
			}
			if fast && t.Machine.Claim != 0 {
				err = cmp.Or(err, set(key{"claim", "0"}))
			}
			if fast && !t.Machine.FullRate() {
				err = cmp.Or(err, set(key{"buffer", fmt.Sprint(t.Machine.Hop/t.Machine.Flit + 1)}))
			}
			if err == nil && len(text) > 0 && makesSum(&t) {
				return input.And(text)
			}
		}
	}
	return ""
}

// makesSum reports whether a plan is found at once: each node sends its own words to all others, or all that it has to one after the other.
func makesSum(t *plan.Task) bool {
	return slices.ContainsFunc(t.Topology.Families(), func(family topology.Translations) bool {
		n, err := newNetwork(t, family, true, 1)
		return err == nil && len(n.near) > 0 && (n.alone() != nil || n.doubled() != nil)
	})
}
