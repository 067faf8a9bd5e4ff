// SPDX-License-Identifier: Apache-2.0

package packet

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"

	"meshwright/internal/input"
	"meshwright/internal/rational"
)

// Group is the nodes From..To of a path whose root is node 0.
type Group struct{ From, To int64 }

// GroupsChoice is one number of packets for every group.
type GroupsChoice struct {
	Packets []int64  // by group, as given: r
	Time    *big.Rat // cycles
}

// maxGroupWork bounds groups times packet counts to try.
const maxGroupWork = 4_000_000

// Groups splits messages of m flits each for several groups of nodes of a path, with one r for
// each group, for the earliest end of a furthest-first scatter (or of the gather that is this
// scatter reversed in time). The time is exact, and the least among all choices of an r for
// every single message: different r within a group do not help (Tsai, theorem 18).
//
// Nearer groups need no more packets a message than further ones (lemma 15). Then no packet
// waits for another message. Let group i have n_i nodes from s_i on, and let the groups be
// sent from k down to 1. Group j ends at
//
//	sum over i = j..k of n_i*(r_i*beta + m)  +  (s_j - 1)*(beta + ceil(m/r_j)).
//
// The search halves the interval of times. For a given time it goes through the groups, the
// furthest first, and finds the least start of the next group for every r. Only those r matter
// that are the least for their ceil(m/r), some 2*sqrt(m). Errors: m below 1, no group, groups
// that overlap or do not begin at 1 or later, groups times sqrt(m) above some 2 million, times
// beyond 2^61 ticks.
func Groups(m int64, groups []Group, beta rational.Rational) (GroupsChoice, error) {
	if err := formulaRange("flits", m); err != nil {
		return GroupsChoice{}, err
	}
	order, err := furthestGroups(groups)
	if err != nil {
		return GroupsChoice{}, err
	}
	total := 0.0
	for _, g := range groups {
		total += float64(g.To-g.From+1) * float64(m) * float64(beta.Num()+beta.Den())
	}
	total += float64(groups[order[0]].From) * float64(m) * float64(beta.Num()+beta.Den())
	if most := float64(maxGroupWork / 2 / len(groups)); float64(m) > most*most || total > 1<<61 {
		return GroupsChoice{}, input.Errorf("expected smaller messages, groups or distances", "%s, %d flits a message: more than can be searched", input.Count(len(groups), "group"), m)
	}
	s := groupSearch{clock: clockOf(beta), m: m, groups: groups, order: order, counts: counts(m)}
	low, high := int64(0), int64(total)+1
	for high-low > 1 {
		if mid := low + (high-low)/2; s.fits(mid) {
			high = mid
		} else {
			low = mid
		}
	}
	s.fits(high)
	return GroupsChoice{Packets: s.choice(), Time: big.NewRat(high, beta.Den())}, nil
}

// counts lists, in rising order, the r that are the least for their ceil(m/r).
func counts(m int64) []int64 {
	list := []int64{1}
	for size := m; size > 1; {
		r := ceil(m, size-1)
		list = append(list, r)
		size = ceil(m, r)
	}
	return list
}

// groupSearch is the state of Groups.
type groupSearch struct {
	clock
	m      int64
	groups []Group
	order  []int     // the furthest group first
	counts []int64   // the r to choose from
	pick   [][]int32 // by place in order and count: the best choice of at least this count
	least  []int64   // by count: the earliest start of the next group after such a choice
}

const never = int64(1) << 62

// fits tells whether all groups can end by a time, and notes how.
func (s *groupSearch) fits(time int64) bool {
	if s.pick == nil {
		s.least = make([]int64, len(s.counts))
		for range s.order {
			s.pick = append(s.pick, make([]int32, len(s.counts)))
		}
	}
	clear(s.least)
	for place, g := range s.order {
		n, hops := s.groups[g].To-s.groups[g].From+1, s.groups[g].From-1
		best, at := never, int32(-1)
		for i := len(s.counts) - 1; i >= 0; i-- {
			r := s.counts[i]
			end := s.least[i] + n*(r*s.setup+s.m*s.flit)
			if end+hops*s.cost(ceil(s.m, r)) <= time && end <= best {
				best, at = end, int32(i)
			}
			s.least[i], s.pick[place][i] = best, at
		}
	}
	return s.least[0] < never
}

// choice follows the picks from the nearest group, which has the fewest packets.
func (s *groupSearch) choice() []int64 {
	packets := make([]int64, len(s.groups))
	from := int32(0)
	for place := len(s.order) - 1; place >= 0; place-- {
		from = s.pick[place][from]
		packets[s.order[place]] = s.counts[from]
	}
	return packets
}

// furthestGroups returns the groups' numbers, the furthest first.
func furthestGroups(groups []Group) ([]int, error) {
	if len(groups) == 0 {
		return nil, input.Errorf("expected at least one", "no group")
	}
	order := make([]int, len(groups))
	for i, g := range groups {
		if err := checkRange(g.From, g.To); err != nil {
			return nil, err
		}
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(groups[b].From, groups[a].From) })
	for i := range order[1:] {
		if far, near := groups[order[i]], groups[order[i+1]]; near.To >= far.From {
			return nil, input.Errorf("expected groups without common nodes", "groups %d..%d and %d..%d overlap", near.From, near.To, far.From, far.To)
		}
	}
	return order, nil
}

// String writes the group as 3-7, or as 3 when it is one node.
func (g Group) String() string {
	if g.From == g.To {
		return strconv.FormatInt(g.From, 10)
	}
	return strconv.FormatInt(g.From, 10) + "-" + strconv.FormatInt(g.To, 10)
}
