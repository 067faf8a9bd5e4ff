// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// LowerBound returns cycles that no algorithm for the same collective can undercut on the
// machine, whatever it sends on whatever routes, for chunks of length words.
//
// A rank must receive at least the words of each output chunk in which inputs of other
// ranks are summed. Each of its own inputs that other ranks need must leave it at least
// once. W words through c channels (1, or its links), with flits of f cycles and h cycles
// a hop, take startup + f·ceil(W/c) + d·h. For words that arrive d is the distance from
// the nearest rank that can send them; for words that leave d is 1. A chunk whose source
// is d hops away takes startup + f·ceil(length/c) + d·h.
//
// A custom algorithm is bounded by what its outputs hold at the end. Of these outputs only
// those are counted that have an input which is in no earlier one, so that no output could
// be made of the others. On machines that switch packets the bound is in ticks, and counts
// one link and one set-up. nodes are the nodes of the ranks; nil stands for the same
// numbers.
func (f *Flow) LowerBound(t *topology.Topology, m machine.Machine, length int, nodes []router.NodeID) router.Cycle {
	a := f.Algorithm
	left := map[source]bool{} // inputs in outputs of other ranks so far
	leaving := make([]int, a.Ranks)
	best := router.Cycle(0)
	distances := newDistances(t)
	node := func(rank int) router.NodeID {
		if nodes == nil {
			return router.NodeID(rank)
		}
		return nodes[rank]
	}
	for rank := range a.GPUs {
		_, out, _ := a.buffers(rank)
		come := map[source]bool{}
		coming, nearest := 0, t.Nodes()
		for k := range out {
			foreign := others(f.outcome(rank, k), rank)
			farthest := 0
			for _, s := range foreign {
				hops := distances.between(node(s.rank), node(rank))
				nearest, farthest = min(nearest, hops), max(farthest, hops)
			}
			if len(foreign) > 0 {
				best = max(best, passing(t, m, node(rank), length, farthest))
			}
			if len(fresh(come, foreign)) > 0 {
				coming++
			}
			for _, from := range fresh(left, foreign) {
				leaving[from]++
			}
		}
		best = max(best, passing(t, m, node(rank), coming*length, nearest))
	}
	for rank, chunks := range leaving {
		best = max(best, passing(t, m, node(rank), chunks*length, 1))
	}
	return best
}

// others returns the sources that are not a rank's own.
func others(sum []source, rank int) []source {
	return slices.DeleteFunc(slices.Clone(sum), func(s source) bool { return s.rank == rank })
}

// fresh enters sources, which rise, into a set, and returns the ranks of those
// that are new, each once.
func fresh(seen map[source]bool, sum []source) []int {
	var ranks []int
	for _, s := range sum {
		if !seen[s] && (len(ranks) == 0 || ranks[len(ranks)-1] != s.rank) {
			ranks = append(ranks, s.rank)
		}
		seen[s] = true
	}
	return ranks
}

// passing is the time in which words enter or leave a node, over so many hops.
func passing(t *topology.Topology, m machine.Machine, n router.NodeID, words, hops int) router.Cycle {
	if words == 0 {
		return 0
	}
	channels := 1
	if timing.IndependentLinks(&m) {
		channels = max(1, t.Degree(n))
	}
	flits := (words + channels - 1) / channels
	model := timing.Of(&m)
	if m.PacketSwitched() {
		return model.Startup + model.Work(flits)
	}
	return model.Startup + model.Transfer(hops, flits)
}

// outcome returns the inputs whose sum is chunk k of a rank's output. Inputs that are in the
// sum an even number of times are left out, because words modulo 2^32 do not tell all of them.
func (f *Flow) outcome(rank, k int) []source {
	a := f.Algorithm
	if a.Collective != "custom" {
		return a.promise(rank, k, f.Root)
	}
	l := a.layout(rank)
	var sum []source
	for _, t := range f.memory[rank][l.output+k] {
		if t.times%2 == 1 {
			sum = append(sum, t.source)
		}
	}
	return sum
}

// distances are hops between nodes, found row by row.
type distances struct {
	t    *topology.Topology
	rows [][]int32
}

func newDistances(t *topology.Topology) *distances {
	return &distances{t, make([][]int32, t.Nodes())}
}

func (d *distances) between(from, to router.NodeID) int {
	if d.rows[to] == nil {
		d.rows[to] = d.row(to)
	}
	return int(d.rows[to][from])
}

// row is a breadth-first search; links lead both ways.
func (d *distances) row(root router.NodeID) []int32 {
	row := make([]int32, d.t.Nodes())
	for i := range row {
		row[i] = -1
	}
	row[root] = 0
	queue := []router.NodeID{root}
	for head := 0; head < len(queue); head++ {
		n := queue[head]
		for p := range d.t.Ports(n) {
			if next := d.t.Neighbor(n, router.Port(p)); next != router.None && row[next] < 0 {
				row[next] = row[n] + 1
				queue = append(queue, next)
			}
		}
	}
	return row
}
