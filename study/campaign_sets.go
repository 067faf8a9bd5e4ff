// SPDX-License-Identifier: Apache-2.0

package study

import (
	"fmt"
	"math/rand/v2"

	"meshwright/fabric/fault"
	"meshwright/internal/input"
	"meshwright/router"
)

// sets are the sets of faults of a campaign, by number.
type sets struct {
	all   []fault.Fault // from which faults are taken
	size  int           // of a set
	count int
	seed  uint64
	every bool // all sets, in the order of their faults
}

// newSets refuses what cannot be tried.
func newSets(c *Campaign, spare router.NodeID) (*sets, error) {
	s := &sets{all: fault.Candidates(c.Plan.Topology, c.Among, spare), size: c.Among.Count, count: c.Sets, seed: c.Seed, every: c.Sets == 0}
	if len(s.all) == 0 && s.size > 0 {
		return nil, input.Errorf("expected a network with another node than the root, or with links", "nothing on %s can fail", c.Plan.Topology)
	}
	if s.size < 0 || s.size > len(s.all) {
		return nil, input.Errorf(fmt.Sprintf("expected 0 to %d", len(s.all)), "sets of %s on %s", input.Count(s.size, "fault"), c.Plan.Topology)
	}
	if s.every {
		s.count = choose(len(s.all), s.size, maxSets+1)
	}
	if s.count < 1 || s.count > maxSets {
		what := input.Count(s.count, "set")
		if s.every {
			what = fmt.Sprintf("all sets of %d of %s", s.size, input.Count(len(s.all), "fault"))
		}
		return nil, input.Errorf(fmt.Sprintf("expected 1 to %d", maxSets), "%s", what)
	}
	return s, nil
}

// from returns some sets, from number first on.
func (s *sets) from(first, count int) [][]fault.Fault {
	var list [][]fault.Fault
	for set := first; set < min(first+count, s.count); set++ {
		list = append(list, s.set(set))
	}
	return list
}

// set returns the set of a number, which does not depend on other sets.
func (s *sets) set(number int) []fault.Fault {
	if s.every {
		return s.combination(number)
	}
	random := rand.New(rand.NewPCG(s.seed, uint64(number)))
	chosen := map[int]bool{}
	var set []fault.Fault
	for k := len(s.all) - s.size; k < len(s.all); k++ { // Floyd: each set is as likely as any other
		i := random.IntN(k + 1)
		if chosen[i] {
			i = k
		}
		chosen[i] = true
		set = append(set, s.all[i])
	}
	return set
}

// combination returns a set by its place among all sets, in the order of their faults.
func (s *sets) combination(place int) []fault.Fault {
	var set []fault.Fault
	for i := 0; len(set) < s.size; i++ {
		with := choose(len(s.all)-i-1, s.size-len(set)-1, maxSets+1)
		if place < with {
			set = append(set, s.all[i])
		} else {
			place -= with
		}
	}
	return set
}

// choose returns the number of sets of k of n, or most if there are more.
func choose(n, k, most int) int {
	if k < 0 || k > n {
		return 0
	}
	ways := 1
	for i := 1; i <= min(k, n-k); i++ {
		if ways = ways * (n - i + 1) / i; ways >= most {
			return most
		}
	}
	return ways
}
