// SPDX-License-Identifier: Apache-2.0

package rerouted

import (
	"math/bits"
	"math/rand/v2"

	"meshwright/firmware/plan"
	"meshwright/internal/bitset"
	"meshwright/router"
)

// Gossip spreads the words of all nodes.
func Gossip(t *plan.Task) (*plan.Plan, error) {
	if err := requireSteps(t); err != nil {
		return nil, err
	}
	if err := t.NeedWords(Name); err != nil {
		return nil, err
	}
	x := &search{least: leastSpread, find: spreadUnits, most: maxSpread}
	x.cut = func(words int) (units []unit) {
		for n := range t.Lengths {
			units = pieces(units, int32(n), every, plan.Range{From: t.Offset[n], To: t.Offset[n+1]}, t.Offset[n], words)
		}
		return units
	}
	s, err := x.best(t)
	if err != nil {
		return nil, err
	}
	return s.plan(t.GossipBlock)
}

// Broadcast spreads the root's words.
func Broadcast(t *plan.Task) (*plan.Plan, error) {
	if err := requireSteps(t); err != nil {
		return nil, err
	}
	if err := t.NeedWords(Name); err != nil {
		return nil, err
	}
	length := t.VectorWords()
	x := &search{least: leastSpread, find: spreadUnits, most: maxSpread}
	x.cut = func(words int) []unit {
		return pieces(nil, int32(t.Root), every, plan.Range{From: 0, To: length}, 0, words)
	}
	s, err := x.best(t)
	if err != nil {
		return nil, err
	}
	return s.plan(func(n router.NodeID) plan.Block {
		b := plan.Block{Words: t.Block(t.Root)}
		if n == t.Root {
			b.Given = plan.Range{From: 0, To: length}
		}
		return b
	})
}

// leastSpread is a number of steps that spreading takes at least: every node gets all units that are
// not its own over its links, and each unit goes as far as the furthest node.
func leastSpread(g *graph, units []unit) int { return leastSteps(g, sourcesOf(units)) }

// sourcesOf lists the nodes that have each unit.
func sourcesOf(units []unit) [][]int32 {
	list := make([][]int32, len(units))
	for i, u := range units {
		list[i] = []int32{u.source}
	}
	return list
}

// leastSteps is leastSpread for units that several nodes have from the start.
func leastSteps(g *graph, sources [][]int32) int {
	own, least := make([]int, g.nodes), 0
	for _, list := range sources {
		for _, n := range list {
			own[n]++
		}
		if len(list) == 1 {
			least = max(least, int(g.furthest(list[0])))
		}
	}
	for n := range g.nodes {
		if missing, into := len(sources)-own[n], len(g.into[n]); missing > 0 {
			least = max(least, (missing+into-1)/into)
		}
	}
	return least
}

func spreadUnits(g *graph, units []unit) []hop { return spread(g, sourcesOf(units)) }

// spread carries units from the nodes that have them to all others: it tries some seeds and both
// preferences, and returns the hops with the fewest steps.
func spread(g *graph, sources [][]int32) []hop {
	var best []hop
	least := leastSteps(g, sources)
	tries := max(1, min(spreadsTried, spreadWork/(1+len(sources)*len(sources)*g.nodes)))
	for seed := range uint64(tries) {
		hops := newSpreading(g, sources, seed).run()
		if best == nil || steps(hops) < steps(best) {
			best = hops
		}
		if steps(best) <= least {
			break
		}
	}
	return best
}

const (
	maxSpread    = 1 << 12 // units
	spreadsTried = 16
	spreadWork   = 1 << 26
	maxFar       = 128 // units, up to which the furthest node that misses a unit is looked for
)

// spreading carries units to all nodes, step by step.
type spreading struct {
	*graph
	has     []bitset.Set // by node
	coming  []bitset.Set // by node: in the step
	holders []int32      // by unit, those to which it is in flight included
	missing int          // units, at all nodes together
	farther bool         // prefer units that have far to go
	random  *rand.Rand
}

func newSpreading(g *graph, sources [][]int32, seed uint64) *spreading {
	s := &spreading{graph: g, holders: make([]int32, len(sources)), random: rand.New(rand.NewPCG(seed, 0x5bead))}
	s.farther = len(sources) <= maxFar && seed%2 == 0
	for range g.nodes {
		s.has, s.coming = append(s.has, bitset.New(len(sources))), append(s.coming, bitset.New(len(sources)))
	}
	for u, list := range sources {
		for _, n := range list {
			s.has[n].Set(int32(u))
		}
		s.holders[u] = int32(len(list))
		s.missing += g.nodes - len(list)
	}
	return s
}

// run returns the hops.
func (s *spreading) run() []hop {
	var hops []hop
	for step := int32(0); s.missing > 0 && !s.ended(); step++ {
		first := len(hops)
		for _, n := range s.random.Perm(s.nodes) {
			hops = s.into(hops, int32(n), step)
		}
		for _, h := range hops[first:] {
			s.has[s.to[h.arc]].Set(h.unit)
			s.coming[s.to[h.arc]].Clear(h.unit)
		}
		s.missing -= len(hops) - first
	}
	return hops
}

// into appends the hops to a node in a step. Links with the fewest units to choose from choose first.
func (s *spreading) into(hops []hop, n, step int32) []hop {
	arcs := append([]int32(nil), s.graph.into[n]...)
	s.random.Shuffle(len(arcs), func(i, j int) { arcs[i], arcs[j] = arcs[j], arcs[i] })
	for len(arcs) > 0 {
		least, fewest := 0, -1
		for i, a := range arcs {
			if c := s.choices(s.from[a], n); fewest < 0 || c < fewest {
				least, fewest = i, c
			}
		}
		a := arcs[least]
		arcs = append(arcs[:least], arcs[least+1:]...)
		if fewest == 0 {
			continue
		}
		u := s.choose(s.from[a], n)
		s.coming[n].Set(u)
		s.holders[u]++
		hops = append(hops, hop{step, u, a})
	}
	return hops
}

// choices counts the units that a node has and its neighbour misses.
func (s *spreading) choices(from, to int32) int {
	count := 0
	for i, word := range s.has[from] {
		count += bits.OnesCount64(word &^ (s.has[to][i] | s.coming[to][i]))
	}
	return count
}

// choose picks the unit that the fewest nodes have, or that has the furthest to go.
func (s *spreading) choose(from, to int32) int32 {
	best, ties := int32(-1), 0
	var least int32
	for i, word := range s.has[from] {
		for rest := word &^ (s.has[to][i] | s.coming[to][i]); rest != 0; rest &= rest - 1 {
			u := int32(64*i + bits.TrailingZeros64(rest))
			rank := s.holders[u]
			if s.farther {
				rank -= int32(s.nodes) * s.far(u, to)
			}
			if ties++; best < 0 || rank < least {
				best, least, ties = u, rank, 1
			} else if rank == least && s.random.IntN(ties) == 0 {
				best = u
			}
		}
	}
	return best
}

// far returns how far a unit has to go behind a node.
func (s *spreading) far(u, n int32) int32 {
	most := int32(0)
	for m, d := range s.away[n] {
		if d > most && !s.has[m].Has(u) {
			most = d
		}
	}
	return most
}
