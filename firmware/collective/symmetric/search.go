// SPDX-License-Identifier: Apache-2.0

package symmetric

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"meshwright/internal/bitset"
	"meshwright/router"
)

const (
	// workOf times the second power of the nodes is how many steps a search tries, at most: a second or two for all searches of 64 nodes, some tenths for 9.
	workOf   = 1 << 10
	mostWork = 1 << 19
	// largeNodes bounds the networks on which it is as much; on larger ones a step takes longer.
	largeNodes = 256
	// mostSteps bounds the messages of an orbit, for each node.
	mostSteps = 2
	// hopeless is the part of the work after which a search ends that has no complete schedule.
	hopeless = 4
	// lacks is the cost of a piece that does not come, in times of a message.
	lacks = 4
)

// heats are by which parts of the time of a message schedules may become worse at the start of a search.
var heats = [...]float64{1. / 4, 1. / 2, 1, 2}

// found is a complete schedule.
type found struct {
	messages []sent
	cycles   router.Cycle
}

// fastest returns the fastest schedule that is found; nil if there is none. Some of the searches begin with a known schedule, if there is one, or with those that grow, if the group is a fresh one.
func (s *spread) fastest(known []message, least router.Cycle, round uint64, fresh bool) (best *found) {
	all := make([]*found, len(heats))
	starts := s.starts(known, round, fresh)
	var searches sync.WaitGroup
	for i, heat := range heats {
		searches.Go(func() {
			random := rand.New(rand.NewPCG(s.Seed+round<<32, 0x73796d6d6574+uint64(i)))
			own := s.fork()
			own.limits = i == 1 || s.model.Startup <= s.model.Work(s.words) // where startups are long, one of the searches
			all[i] = own.anneal(starts[i], heat, least, s.effort(), random)
		})
	}
	searches.Wait()
	for _, f := range all {
		if f != nil && (best == nil || f.cycles < best.cycles) {
			best = f
		}
	}
	return best
}

// effort bounds the steps that a search tries.
func (s *spread) effort() int {
	work := min(workOf*s.nodes*s.nodes, mostWork)
	if s.nodes > largeNodes {
		work = work * largeNodes / s.nodes
	}
	if len(s.group) == 1 {
		work /= 16 // other algorithms are better
	}
	return s.Spend(work)
}

// starts returns the steps with which the searches begin: those of the known schedule for every second one, others for the coolest ones. The rest begins with nothing.
func (s *spread) starts(known []message, round uint64, fresh bool) (starts [len(heats)][]step) {
	starts[0], starts[2] = s.stepsOf(known), s.stepsOf(known)
	if !fresh {
		return starts
	}
	list := s.fork().grown(usualTries, never, rand.New(rand.NewPCG(s.Seed+round<<32, 0x67726f77)))
	for i, g := range list {
		starts[i] = g.steps
		if s.nodes <= MaxNodes {
			break
		}
	}
	return starts
}

// anneal changes a list of steps at random, and returns the fastest schedule that is complete; nil if there is none.
func (s *spread) anneal(at []step, heat float64, least router.Cycle, work int, random *rand.Rand) (best *found) {
	var next []step
	cost, unit := math.Inf(1), float64(s.model.UntilWhole(1, s.words))
	for s.tried = 0; s.tried < work && (s.tried == 0 || s.Search.Err() == nil && s.Ctx.Err() == nil); {
		if best == nil && s.tried > work/hopeless {
			return nil
		}
		next = append(next[:0], at...)
		if s.tried > 0 {
			next = s.changed(next, random)
		}
		s.run(next)
		s.tried++
		left := 1 - float64(s.tried)/float64(work)
		c := s.cost(unit)
		if c > cost-unit*heat*left*left*math.Log(1-random.Float64()) {
			continue
		}
		at, cost = at[:0], c
		for i := range s.messages {
			at = append(at, s.messages[i].step)
		}
		if s.missing == 0 && (best == nil || s.cycles < best.cycles) {
			if best = s.found(); best.cycles <= least {
				return best
			}
		}
	}
	return best
}

// found keeps the schedule that was booked last.
func (s *spread) found() *found {
	f := &found{slices.Clone(s.messages), s.cycles}
	for i := range f.messages {
		f.messages[i].nodes = slices.Clone(f.messages[i].nodes)
	}
	return f
}

// message is one from a node to another, of any group.
type message struct {
	from, to int32
	handed   router.Cycle
	nodes    bitset.Set
}

// images lists the messages of all nodes.
func (n *network) images(f *found) (list []message) {
	for i := range f.messages {
		m := &f.messages[i]
		for _, h := range n.way(m.from, m.to).images {
			s := n.group[h]
			list = append(list, message{s[n.firsts[m.from]], s[m.to], m.handed, moved(s, m.nodes)})
		}
	}
	return list
}

// stepsOf returns the steps of the messages from first nodes, in the order in which they are handed over. They bring what the messages do.
func (s *spread) stepsOf(known []message) (list []step) {
	known = slices.Clone(known)
	slices.SortStableFunc(known, func(a, b message) int { return cmp.Compare(a.handed, b.handed) })
	for _, m := range known {
		if from := s.orbit[m.from]; s.firsts[from] == m.from && s.way(from, m.to).Most > 0 {
			list = append(list, step{from: from, to: m.to, but: s.others(m.nodes)})
		}
	}
	return list
}

// others returns the nodes with a piece that are not in a set.
func (s *spread) others(nodes bitset.Set) bitset.Set {
	others := slices.Clone(s.own)
	for k := range others {
		others[k] &^= nodes[k]
	}
	return others
}

// cost is what annealing makes small.
func (s *spread) cost(unit float64) float64 {
	return float64(s.cycles) + s.sum/float64(4*len(s.firsts)*s.nodes) + float64(s.missing)*lacks*unit
}

// changed makes one or two random changes to a list.
func (s *spread) changed(list []step, random *rand.Rand) []step {
	for range 1 + random.IntN(2) {
		list = s.change(list, random)
	}
	return list
}

func (s *spread) change(list []step, random *rand.Rand) []step {
	if len(list) == 0 {
		return append(list, s.fresh(random))
	}
	k := random.IntN(len(list))
	kinds := 9
	if s.limits {
		kinds = 11
	}
	switch random.IntN(kinds) {
	case 0, 1:
		if len(list) < mostSteps*s.nodes*len(s.firsts) {
			list = slices.Insert(list, random.IntN(len(list)+1), s.fresh(random))
		}
	case 2:
		list = slices.Delete(list, k, k+1)
	case 3:
		list[k].skip = max(0, list[k].skip+int32(random.IntN(3)-1))
	case 4:
		x := list[k]
		list = slices.Insert(slices.Delete(list, k, k+1), random.IntN(len(list)), x)
	case 5:
		list[k].to, list[k].but = s.reached(list[k].from, random), nil
	case 6:
		but := bitset.New(s.nodes)
		copy(but, list[k].but)
		but.Flip(int32(random.IntN(s.nodes)))
		list[k].but = but
	case 7:
		list[k].but = nil
	case 9:
		list[k].first = int32(random.IntN(s.nodes))
	case 10:
		list[k].most = few(random)
	default:
		list[k] = s.fresh(random)
	}
	return list
}

// fresh is a random step.
func (s *spread) fresh(random *rand.Rand) step {
	from := int32(random.IntN(len(s.firsts)))
	for len(s.near[from]) == 0 {
		from = (from + 1) % int32(len(s.firsts))
	}
	x := step{from: from, to: s.reached(from, random), skip: int32(max(0, random.IntN(6)-3))}
	if s.limits {
		x.most, x.first = few(random), int32(random.IntN(s.nodes))
	}
	return x
}

// few is the most pieces of a message: as often as not there is no such number.
func few(random *rand.Rand) int32 { return int32(max(0, random.IntN(6)-2)) }

// reached is a node to which an orbit can send, often one of the nearest.
func (s *spread) reached(from int32, random *rand.Rand) int32 {
	near := s.near[from]
	if random.IntN(2) == 0 {
		near = near[:min(len(near), 4)]
	}
	return near[random.IntN(len(near))]
}
