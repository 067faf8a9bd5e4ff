// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// informed returns t(N): the cycle in which the last of the given others can have a word of the root at the earliest. Every channel of a holder
// hands the word over at most once a period. It is the larger of two bounds:
//
//   - Growth, as if any two nodes were neighbours: each message goes over one link. But for the root, the nodes with the most channels have the word first, which
//     is when there are the most messages.
//   - Growth and distance. The word comes to a node v by k messages. Let g(v) be the cycle in which it would be there if links took no time. With the time of
//     the links it is there in cycle g(v) + h*d(root, v) at the earliest, since the links of the k messages are a route from the root to v. The i-th smallest of all
//     g(v) is at least what growth without links allows. Whichever nodes these are, max g(v) + h*d(v) is at least what it is when the furthest nodes
//     come first: exchanging two nodes that are in the other order never makes the larger of their sums larger.
func (r *reached) informed(t *topology.Topology, m machine.Machine, lengths []int, period router.Cycle) router.Cycle {
	others := t.Nodes() - 1
	if lengths != nil {
		others = r.receivers(lengths)
	}
	return newGrowth(t, m, others, period).from(r, lengths)
}

// growth is how many nodes can have a word, by time.
type growth struct {
	others         int   // that are to have it
	channels       []int // by node: how many others it can inform at once
	most           []int // the same, the most first
	hop            router.Cycle
	period, whole  router.Cycle   // of messages of a channel; of a message over one link
	chained, apart map[int][]wave // by channels of the root: with one link a message; without the time of links
}

func newGrowth(t *topology.Topology, m machine.Machine, others int, period router.Cycle) *growth {
	model := timing.Of(&m)
	g := &growth{others: others, period: period, whole: model.UntilWhole(1, 1), chained: map[int][]wave{}, apart: map[int][]wave{}}
	g.hop = model.UntilWhole(2, 1) - g.whole
	for n := range router.NodeID(t.Nodes()) {
		c := channels(t, m, n)
		if m.Ports == machine.SinglePort { // one flit after the other
			c = min(c, int(share(period, m.Flit)))
		}
		g.channels = append(g.channels, c)
	}
	g.most = slices.Clone(g.channels)
	slices.SortFunc(g.most, func(a, b int) int { return b - a })
	return g
}

// waves returns when nodes can have a word of a root.
func (g *growth) waves(root router.NodeID) (chained, apart []wave) {
	own := g.channels[root]
	if _, known := g.chained[own]; !known {
		at := slices.Index(g.most, own)
		counts := append([]int{own}, slices.Delete(slices.Clone(g.most), at, at+1)...)
		g.chained[own], g.apart[own] = spreadTimes(counts[:g.others+1], g.period, g.whole), spreadTimes(counts[:g.others+1], g.period, g.whole-g.hop)
	}
	return g.chained[own], g.apart[own]
}

// from returns the cycle in which the last receiver has the word of a node, at the earliest.
func (g *growth) from(r *reached, lengths []int) router.Cycle {
	chained, apart := g.waves(r.root)
	if len(chained) == 0 {
		return 0
	}
	var at []int // receivers, by distance
	for n, d := range r.distance {
		if d <= 0 || lengths != nil && lengths[n] == 0 {
			continue
		}
		for len(at) <= int(d) {
			at = append(at, 0)
		}
		at[d]++
	}
	best, furthest := chained[len(chained)-1].at, len(at)-1
	for _, w := range apart {
		for left := w.nodes; left > 0; {
			for furthest > 0 && at[furthest] == 0 {
				furthest--
			}
			if furthest <= 0 { // the others cannot be reached
				return best
			}
			best = max(best, w.at+router.Cycle(furthest)*g.hop)
			took := min(left, at[furthest])
			at[furthest] -= took
			left -= took
		}
	}
	return best
}

// inOrder returns when the 1st, 2nd, ... other node can have a word of a root at the earliest. Whichever i nodes are the first, they are no nearer than
// the i nearest ones, of which the furthest have the word first (see informed). In networks of more than maxTransit nodes no distances are counted.
func (g *growth) inOrder(r *reached) []router.Cycle {
	waves, apart := g.waves(r.root)
	times, alone := oneByOne(waves), oneByOne(apart)
	if len(times) > maxTransit {
		return times
	}
	var distances []int32
	for _, d := range r.distance {
		if d > 0 {
			distances = append(distances, d)
		}
	}
	slices.Sort(distances)
	for i := range min(len(times), len(distances)) {
		for j := range i + 1 {
			times[i] = max(times[i], alone[j]+router.Cycle(distances[i-j])*g.hop)
		}
	}
	return times
}

// oneByOne lists the cycle of each node of waves.
func oneByOne(waves []wave) (times []router.Cycle) {
	for _, w := range waves {
		times = append(times, slices.Repeat([]router.Cycle{w.at}, w.nodes)...)
	}
	return times
}

// wave is how many nodes are informed in a cycle.
type wave struct {
	at    router.Cycle
	nodes int
}

// spreadTimes returns when nodes have a word, but for the first of them, when each that has it hands it to as many others as it has channels
// every period cycles, and so long after it has it whole. The nodes are informed in the order of their channels.
func spreadTimes(channels []int, period, whole router.Cycle) (waves []wave) {
	if channels[0] == 0 {
		return nil
	}
	// Both what senders and what new nodes send come in rising order of time.
	again, fresh := []wave{{whole, channels[0]}}, []wave(nil) // messages that arrive; the next ones of the same channels a period later
	for informed := 1; informed < len(channels); {
		next := &fresh
		if len(fresh) == 0 || again[0].at <= fresh[0].at {
			next = &again
		}
		a := (*next)[0]
		*next = (*next)[1:]
		more := min(a.nodes, len(channels)-informed)
		waves = append(waves, wave{a.at, more})
		again = append(again, wave{a.at + period, a.nodes})
		messages := 0
		for _, c := range channels[informed : informed+more] {
			messages += c
		}
		fresh = append(fresh, wave{a.at + whole, messages})
		informed += more
	}
	return waves
}
