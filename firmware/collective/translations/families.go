// SPDX-License-Identifier: Apache-2.0

package translations

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

const (
	// mostFamilies is how many families of translations are searched: the first firstFamilies that the network names, and those in which short searches find the fastest schedules.
	mostFamilies, firstFamilies = 4, 3
	// thorough is how many of them are searched in all rounds.
	thorough = 2
	// shortWork is how many messages each short search looks at, shortTries how many there are.
	shortWork, shortTries = 1 << 13, 2
)

// familiesOf lists the families of translations of a task's network.
func familiesOf(t *plan.Task) ([]topology.Translations, error) {
	families := t.Topology.Families()
	switch {
	case len(t.Lengths) > MaxNodes:
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", MaxNodes), "%s %s for %d nodes", t.Kind.Name, Name, len(t.Lengths))
	case len(families) == 0:
		return nil, input.Errorf("expected rings, tori, hypercubes, star graphs or complete graphs", "%s %s on %s", t.Kind.Name, Name, t.Topology)
	}
	return families, nil
}

// promising chooses the families that are searched. Those in which short searches find nothing come last.
func promising(t *plan.Task, families []topology.Translations) ([]topology.Translations, error) {
	if len(families) <= mostFamilies {
		return families, nil
	}
	type candidate struct {
		family topology.Translations
		cycles router.Cycle
	}
	others := make([]candidate, len(families)-firstFamilies)
	for i, family := range families[firstFamilies:] {
		n, err := newNetwork(t, family, true, 1)
		if err != nil {
			return nil, err
		}
		if others[i] = (candidate{family, n.short()}); t.Search.Err() != nil {
			return families[:firstFamilies], nil
		}
	}
	slices.SortStableFunc(others, func(a, b candidate) int { return cmp.Compare(a.cycles, b.cycles) })
	chosen := families[:firstFamilies:firstFamilies]
	for _, c := range others[:mostFamilies-firstFamilies] {
		chosen = append(chosen, c.family)
	}
	return chosen, nil
}

// short returns the time of the fastest schedule that short searches find; no time is more, if they find none.
func (n *network) short() router.Cycle {
	best := router.Cycle(math.MaxInt64)
	if len(n.near) == 0 {
		return best
	}
	for i := range shortTries {
		random := rand.New(rand.NewPCG(n.Seed+uint64(i), 0x73686f7274))
		if s := n.annealFor(tries[i], []step{{}}, random, shortWork); s != nil {
			best = min(best, s.cycles)
		}
	}
	return best
}
