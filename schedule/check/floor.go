// SPDX-License-Identifier: Apache-2.0

package check

import (
	"math"
	"slices"
	"sync"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/internal/parallel"
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
//   - links: T - h >= f·(sum of flits x distance) / links;
//   - alone: each message goes as a whole, and takes no less than without the others: see alone.
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
	g := floor{s: s, t: t, headers: m.HeaderFlits(), f: router.Cycle(m.Flit), h: router.Cycle(m.Hop), oneChannel: !timing.IndependentLinks(&m)}
	g.measure(tree)
	if m.PacketSwitched() {
		return g.packetFloor(&m)
	}
	source := func(r *schedule.Row) router.NodeID { return r.Source }
	destination := func(r *schedule.Row) router.NodeID { return r.Destination }
	var best, other router.Cycle
	var entries, deliveries float64
	var both sync.WaitGroup
	both.Go(func() { best, entries = g.nearest(source) })
	both.Go(func() { other, deliveries = g.nearest(destination) })
	both.Wait()
	best = max(best, g.startups(&m))
	best = max(best, other)
	best = max(best, g.f+ceilDivide(g.flitHops*float64(g.h)+entries+deliveries, g.flits))
	if links := countLinks(t); links > 0 {
		best = max(best, g.h+ceilDivide(g.flitHops*float64(g.f), float64(links)))
	}
	best = max(best, g.alone(&m))
	return best + router.Cycle(m.Startup)
}

// floor holds the numbers from which the bounds are computed. Sums of products are floating
// point, as they may pass 2^63; ceilDivide rounds them down, never up.
type floor struct {
	s          *schedule.Schedule
	t          *topology.Topology
	f, h       router.Cycle
	headers    int // flits of a message before its data
	oneChannel bool
	distance   []int32 // by row
	flits      float64
	flitHops   float64
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
	rows, parts := len(g.s.Rows), 1
	g.distance = make([]int32, rows)
	if tree != nil || g.t.IsGrid() { // other networks keep the distances that they looked up
		const fewest = 1 << 16 // rows worth a core
		parts = max(1, min(parallel.Workers(), rows/fewest))
	}
	var done sync.WaitGroup
	for part := range parts {
		done.Go(func() {
			for i := rows * part / parts; i < rows*(part+1)/parts; i++ {
				g.distance[i] = d.between(g.s.Rows[i].Source, g.s.Rows[i].Destination)
			}
		})
	}
	done.Wait()
	for i := range g.s.Rows {
		r := &g.s.Rows[i]
		flits := float64(g.flitsOf(r))
		g.flits += flits
		g.flitHops += flits * float64(g.distance[i])
	}
}

// flitsOf returns the flits of a message on the links.
func (g *floor) flitsOf(r *schedule.Row) router.Cycle { return router.Cycle(r.Flits + g.headers) }

// ceilDivide returns ceil(a/b), or less where a double cannot tell.
func ceilDivide(a, b float64) router.Cycle {
	return router.Cycle(math.Ceil(a/b*(1-1e-15) - 1e-9))
}

// share is what messages over one distance bring to a node.
type share struct {
	distance int32
	amount   router.Cycle
}

// eachNode calls see for every node that is the end of messages, in rising order, with the amounts
// of its messages, the longest distance first. Messages over one distance may be in one share.
func (g *floor) eachNode(end func(*schedule.Row) router.NodeID, amount func(*schedule.Row) router.Cycle, see func(node router.NodeID, list []share)) {
	rows := g.s.Rows
	begin := make([]int32, g.t.Nodes()+2)
	longest := int32(0)
	for i := range rows {
		begin[end(&rows[i])+2]++
		longest = max(longest, g.distance[i])
	}
	for v := 2; v < len(begin); v++ {
		begin[v] += begin[v-1]
	}
	shares := make([]share, len(rows))
	for i := range rows {
		at := &begin[end(&rows[i])+1]
		shares[*at] = share{g.distance[i], amount(&rows[i])}
		*at++
	}
	sums := make([]router.Cycle, longest+1) // by distance
	for v := range router.NodeID(g.t.Nodes()) {
		if list := shares[begin[v]:begin[v+1]]; len(list) > 0 {
			see(v, furthestFirst(list, sums))
		}
	}
}

// furthestFirst sorts shares by falling distance, and joins those of one distance if they are
// many. All sums are 0, before and after.
func furthestFirst(list []share, sums []router.Cycle) []share {
	if len(list) < len(sums)/4 {
		slices.SortFunc(list, func(a, b share) int { return int(b.distance - a.distance) })
		return list
	}
	for _, s := range list {
		sums[s.distance] += s.amount
	}
	joined := list[:0]
	for d := len(sums) - 1; d >= 0; d-- {
		if sums[d] > 0 {
			joined = append(joined, share{int32(d), sums[d]})
			sums[d] = 0
		}
	}
	return joined
}

// nearest returns the best bound of the first kind over all nodes, and the sum
// of the offsets, from the first possible cycle, in which flits pass channels.
func (g *floor) nearest(end func(*schedule.Row) router.NodeID) (best router.Cycle, offsets float64) {
	g.eachNode(end, g.flitsOf, func(node router.NodeID, list []share) {
		channels := router.Cycle(1)
		if !g.oneChannel {
			channels = router.Cycle(g.t.Degree(node))
		}
		flits := router.Cycle(0)
		for _, s := range list {
			flits += s.amount
			best = max(best, (flits+channels-1)/channels*g.f+router.Cycle(s.distance)*g.h)
		}
		offsets += float64(g.f) * turns(flits, channels)
	})
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
	source := func(r *schedule.Row) router.NodeID { return r.Source }
	hold := func(r *schedule.Row) router.Cycle { return model.Hold(r.Flits) }
	g.eachNode(source, hold, func(node router.NodeID, list []share) {
		channels := router.Cycle(1)
		if m.Channels == machine.Links {
			channels = router.Cycle(g.t.Degree(node))
		}
		work := router.Cycle(0)
		for _, s := range list {
			work += s.amount
			best = max(best, (work+channels-1)/channels-rest+router.Cycle(s.distance)*g.h)
		}
	})
	return best
}

// alone returns the time of the slowest message on an idle network, from its dispatch. The
// bounds of nodes divide flits among channels; a message has one channel for all its flits.
func (g *floor) alone(m *machine.Machine) (slowest router.Cycle) {
	model := timing.Alone(m)
	for i := range g.s.Rows {
		slowest = max(slowest, model.Transfer(int(g.distance[i]), g.s.Rows[i].Flits))
	}
	return slowest
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
