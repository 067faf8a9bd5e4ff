// SPDX-License-Identifier: Apache-2.0

package symmetric

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"meshwright/firmware/collective/symmetries"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

const (
	// mostGroups bounds the groups with which searches are made.
	mostGroups = 3
	// mostRanked bounds the groups among which those of a large network are chosen, rankedOf times the nodes too.
	mostRanked, rankedOf = 16, 1 << 12
)

// hunt is searches with one group of symmetries after another.
type hunt struct {
	*plan.Task
	pairs  *plan.Pairs
	random *rand.Rand
	best   *result // nil: nothing is found
	rounds uint64
}

// fastest returns the fastest schedule that is found with any group of symmetries, then with the best one again, and with a part of it, which leaves more choices; nil if there is none.
func fastest(t *plan.Task) (*result, error) {
	if len(t.Lengths) == 1 || t.TotalWords() == 0 {
		return &result{job: &job{pieces: make([]transfer.Range, len(t.Lengths))}}, nil
	}
	pairs, err := plan.NewPairs(t)
	if err != nil {
		return nil, err
	}
	h := &hunt{Task: t, pairs: pairs, random: rand.New(rand.NewPCG(t.Seed, 0x73796d6d))}
	list := symmetries.Groups(t.Topology, func(s symmetries.Symmetry) bool { return symmetries.KeepsRoutes(t, pairs, s) }, h.random)
	if len(t.Lengths) > MaxNodes {
		h.promising(list)
	} else {
		h.search(list, mostGroups, true)
		if h.best == nil && len(list) > 0 { // the messages of all groups meet: each node is alone
			h.search([]symmetries.Group{symmetries.Alone(len(t.Lengths))}, 1, true)
		}
	}
	if h.best == nil {
		return nil, t.Ctx.Err()
	}
	h.search([]symmetries.Group{h.best.group}, 1, false)
	h.search(h.best.group.Parts(h.random), 1, false)
	return h.best, nil
}

// ended reports whether no search is wanted any more.
func (h *hunt) ended() bool {
	return h.Ctx.Err() != nil || h.best != nil && (h.Search.Err() != nil || h.best.cycles <= h.LowerBound())
}

// search searches with the first groups of a list that are of use.
func (h *hunt) search(list []symmetries.Group, most int, fresh bool) {
	for _, g := range inOrderOfOwners(h.Task, list) {
		if most == 0 || h.ended() {
			return
		}
		if j := newJob(h.Task, h.pairs, g); j != nil {
			most--
			h.try(j, fresh)
		}
	}
}

// try searches with a group.
func (h *hunt) try(j *job, fresh bool) {
	h.rounds++
	if r := j.fastest(h.best, h.rounds, fresh); r != nil && (h.best == nil || r.cycles < h.best.cycles) {
		h.best = r
	}
}

// promising searches with the group with the fewest orbits, and with those in which a schedule that grows in a few ways is fastest: which symmetries leave messages the right choices is not known before.
func (h *hunt) promising(list []symmetries.Group) {
	type ranked struct {
		*job
		cycles router.Cycle
	}
	var jobs []ranked
	limit := never
	for _, g := range inOrderOfOwners(h.Task, list) {
		if len(jobs) >= min(mostRanked, max(mostGroups, rankedOf/len(h.Lengths))) || len(jobs) > 0 && h.Search.Err() != nil || h.Ctx.Err() != nil {
			break
		}
		j := newJob(h.Task, h.pairs, g)
		if j == nil {
			continue
		}
		r := ranked{j, never}
		if grown := newSpread(j.first(), j.own).grown(quickTries, limit, h.random); len(grown) > 0 {
			r.cycles = grown[0].cycles
			limit = min(limit, soon(r.cycles))
		}
		jobs = append(jobs, r)
	}
	if len(jobs) > 0 {
		slices.SortStableFunc(jobs[1:], func(a, b ranked) int { return cmp.Compare(a.cycles, b.cycles) })
	}
	for _, j := range jobs[:min(len(jobs), mostGroups)] {
		if !h.ended() {
			h.try(j.job, true)
		}
	}
}

// first returns the network of the messages that are found first.
func (j *job) first() *network {
	if j.backwards != nil {
		return j.backwards
	}
	return j.forwards
}
