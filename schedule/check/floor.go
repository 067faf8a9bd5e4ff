// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
	"meshwright/schedule"
)

// FloorOf returns a number of cycles that no schedule of the messages of s can
// undercut, by any routes. With c channels of a node (1, or its links), flits
// of f cycles, h cycles a hop and M(k) flits over distances of at least k:
//
//   - startups: a channel rests r = max(0, s+1-f) cycles between the last flit of a
//     message and the first of the next (s is the startup). A node's messages over
//     distances of at least k, with M(k) flits and J(k) in number, keep its channels busy for
//     f·M(k) + r·J(k) cycles, of which one has at least the c-th part: that, less the
//     last r, and k·h;
//   - nearest to the node: some channel passes ceil(M(k)/c) of them, and one of
//     these still has (source) or already had (destination) k hops to go:
//     f·ceil(M(k)/c) + k·h, for every node as source and as destination, every k;
//   - on average: the flits of a channel enter in different cycles and are
//     delivered in different cycles, and a flit takes h cycles a hop between:
//     with F flits in all, F·(T-f) >= sum of h·distance + sums of the earliest
//     cycles of entry and, mirrored, of the latest deliveries;
//   - links: T - h >= f·(sum of flits x distance) / links.
//
// A startup comes before all of these. Machines that switch packets have a
// floor of their own, in ticks: see packetFloor. For total exchange with single flits the
// second gives K + ceil(D/K) with K = N-1 and D the sum of a node's distances.
func FloorOf(s *schedule.Schedule, t *topology.Topology, m machine.Machine) router.Cycle {
	if s == nil || s.Validate(t) != nil {
		return 0
	}
	if _, err := m.Resolve(t); err != nil {
		return 0
	}
	var tree *chains
	if t.Kind == topology.Tree {
		tree = newLines(t).tree
	}
	return floorOf(s, t, m, tree)
}

// floorOf is FloorOf with the chains of a tree at hand.
func floorOf(s *schedule.Schedule, t *topology.Topology, m machine.Machine, tree *chains) router.Cycle {
	if s = s.Data(); len(s.Rows) == 0 {
		return 0
	}
	g := floor{s: s, t: t, f: router.Cycle(m.Flit), h: router.Cycle(m.Hop), oneChannel: !timing.IndependentLinks(&m)}
	g.measure(tree)
	if m.PacketSwitched() {
		return g.packetFloor(&m)
	}
	source := func(r *schedule.Row) router.NodeID { return r.Source }
	destination := func(r *schedule.Row) router.NodeID { return r.Destination }
	best, entries := g.nearest(source)
	other, deliveries := g.nearest(destination)
	best = max(best, g.startups(&m))
	best = max(best, other)
	best = max(best, g.f+ceilDivide(g.flitHops*float64(g.h)+entries+deliveries, g.flits))
	if links := countLinks(t); links > 0 {
		best = max(best, g.h+ceilDivide(g.flitHops*float64(g.f), float64(links)))
	}
	return best + router.Cycle(m.Startup)
}

// floor holds the numbers from which the bounds are computed. Sums of products are floating
// point, as they may pass 2^63; ceilDivide rounds them down, never up.
type floor struct {
	s          *schedule.Schedule
	t          *topology.Topology
	f, h       router.Cycle
	oneChannel bool
	distance   []int32 // by row
	flits      float64
	flitHops   float64
	sort       sorter
}

func countLinks(t *topology.Topology) (links int) {
	for n := range router.NodeID(t.Nodes()) {
		links += t.Degree(n)
	}
	return links
}

// measure computes distances.
func (g *floor) measure(tree *chains) {
	d := &distances{t: g.t, axes: g.t.Axes(), tree: tree, known: map[router.NodeID][]int32{}}
	g.distance = make([]int32, len(g.s.Rows))
	for i := range g.s.Rows {
		r := &g.s.Rows[i]
		g.distance[i] = d.between(r.Source, r.Destination)
		g.flits += float64(r.Flits)
		g.flitHops += float64(r.Flits) * float64(g.distance[i])
	}
}

// ceilDivide returns ceil(a/b), or less where a double cannot tell.
func ceilDivide(a, b float64) router.Cycle {
	return router.Cycle(math.Ceil(a/b*(1-1e-15) - 1e-9))
}

// nearest returns the best bound of the first kind over all nodes, and the sum
// of the offsets, from the first possible cycle, in which flits pass channels.
func (g *floor) nearest(end func(*schedule.Row) router.NodeID) (best router.Cycle, offsets float64) {
	rows := g.s.Rows
	order := g.sort.sort(len(rows), func(i int) uint64 {
		return uint64(end(&rows[i]))<<32 | uint64(math.MaxInt32-g.distance[i])
	})
	flits := router.Cycle(0)
	for i, it := range order {
		r := &rows[it.of]
		node := end(r)
		channels := router.Cycle(1)
		if !g.oneChannel {
			channels = router.Cycle(g.t.Degree(node))
		}
		flits += router.Cycle(r.Flits)
		best = max(best, (flits+channels-1)/channels*g.f+router.Cycle(g.distance[it.of])*g.h)
		if i+1 == len(order) || end(&rows[order[i+1].of]) != node {
			offsets += float64(g.f) * turns(flits, channels)
			flits = 0
		}
	}
	return best, offsets
}

// startups returns the best bound by startups between messages, over all
// sources, less the first startup.
func (g *floor) startups(m *machine.Machine) (best router.Cycle) {
	model := timing.Of(m)
	rest := model.Rest()
	if rest == 0 {
		return 0
	}
	rows := g.s.Rows
	order := g.sort.sort(len(rows), func(i int) uint64 {
		return uint64(rows[i].Source)<<32 | uint64(math.MaxInt32-g.distance[i])
	})
	work := router.Cycle(0)
	for i, it := range order {
		r := &rows[it.of]
		if i > 0 && rows[order[i-1].of].Source != r.Source {
			work = 0
		}
		channels := router.Cycle(1)
		if m.Channels == machine.Links {
			channels = router.Cycle(g.t.Degree(r.Source))
		}
		work += model.Hold(r.Flits)
		best = max(best, (work+channels-1)/channels-rest+router.Cycle(g.distance[it.of])*g.h)
	}
	return best
}

// turns is the sum of floor(i/channels) over i from 0 to flits-1.
func turns(flits, channels router.Cycle) float64 {
	full, rest := float64(flits/channels), float64(flits%channels)
	return float64(channels)*full*(full-1)/2 + rest*full
}

// distances are the lengths of shortest paths.
type distances struct {
	t     *topology.Topology
	axes  []topology.Axis // of t
	tree  *chains
	known map[router.NodeID][]int32 // of other networks: by source
}

// maxSearched bounds the nodes of networks that are searched for distances
// from every source; in larger ones all nodes count as neighbours.
const maxSearched = 4096

func (d *distances) between(a, b router.NodeID) int32 {
	switch {
	case d.t.IsGrid():
		return d.onGrid(a, b)
	case d.tree != nil:
		return d.tree.distance(a, b)
	case d.t.Star() != nil:
		return int32(d.t.Star().Distance(a, b))
	case d.t.Nodes() > maxSearched:
		return 1
	}
	from, ok := d.known[a]
	if !ok {
		from = topology.BreadthFirst(d.t, a).Depth
		d.known[a] = from
	}
	return from[b]
}

func (d *distances) onGrid(a, b router.NodeID) int32 {
	total := 0
	for _, axis := range d.axes {
		way := axis.Coordinate(a) - axis.Coordinate(b)
		if way < 0 {
			way = -way
		}
		if axis.Wrap {
			way = min(way, axis.Size-way)
		}
		total += way
	}
	return int32(total)
}
