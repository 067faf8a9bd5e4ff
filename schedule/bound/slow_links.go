// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/maxflow"
	"meshwright/router"
)

// slowNet is the network of a machine with slower links, to bound the time of words by cuts:
//
//	sources: W words --- links, each with its own times ---> sinks
//
// A link with hop h' passes a flit in f' cycles. A flit that begins to cross it in cycle c has come from its source, a hops before the link or more,
// and has b hops or more to go to its sink behind the link, where the channel takes it for f cycles:
//
//	c >= s + a,   c + h' + b + f <= T
//
// So a link begins to pass at most 1 + floor((T - s - a - b - h' - f) / f') of the flits that bring these words, and fewer where its buffer is too small for the full rate (see wires). The
// same holds for the channels of PEs, and with a single port for the port, which take f cycles for a flit. In a time T all words arrive only if a flow of all words from the sources to the sinks exists, in which no
// link has more flits. If there is none, the least cut is a set of links that needs a larger T, and the search goes on with it. So the
// result is the least time at which the flow exists, and no schedule takes less.
type slowNet struct {
	t              *topology.Topology
	first, flit    router.Cycle // s and f
	ways           []slowWay
	into, from     [][]int32 // by node: links, as numbers of ways
	net            *maxflow.Network
	supply, demand []int32 // arcs, by node
}

// slowWay is a link, or the channels of a PE, as an arc that passes flits.
type slowWay struct {
	arc, begin, end int32
	tail, head      router.NodeID // of a channel both are its node
	width           int64         // how many flits pass at once
	hop, pace       router.Cycle
	burst, stall    router.Cycle // see wires
	before, after   router.Cycle // a, and the time from the begin of a flit until its sink has it
}

// Bounds of the work for a machine with slower links.
const (
	maxSlowPorts = 1 << 14 // of networks that are looked at
	maxSlowFlows = 64      // sinks, sources, or distances that are looked at
)

// slowTimes returns the times of the links, and how many flits have room in the buffers behind a link; nil if all links are alike or the network is too large.
func slowTimes(t *topology.Topology, m machine.Machine) (*machine.LinkTimes, router.Cycle) {
	if m.Links == nil || m.PacketSwitched() || t.AllPorts() > maxSlowPorts {
		return nil, 0
	}
	resolved, err := m.Resolve(t)
	if err != nil {
		return nil, 0
	}
	times, err := m.LinkTimes(t)
	if err != nil {
		return nil, 0
	}
	return times, router.Cycle(resolved.Buffer) * router.Cycle(resolved.VCs)
}

// stallOf returns after how many flits a link stalls, and for how long, as in type wires; 0 if it does not.
func stallOf(room, hop, pace router.Cycle) (burst, stall router.Cycle) {
	if stall := hop + 1 - room*pace; stall > 0 && room > 0 {
		return room, stall
	}
	return 0, 0
}

// newSlowNet returns the network; nil if all links are alike or the network is too large.
func newSlowNet(t *topology.Topology, m machine.Machine) *slowNet {
	times, room := slowTimes(t, m)
	if times == nil {
		return nil
	}
	nodes := t.Nodes()
	s := &slowNet{
		t: t, first: lead(&m), flit: router.Cycle(m.Flit), into: make([][]int32, nodes), from: make([][]int32, nodes),
		net: maxflow.New(3*nodes+2, t.AllPorts()+5*nodes), supply: make([]int32, nodes), demand: make([]int32, nodes),
	}
	for _, l := range t.Links() {
		of := times.Of(l.From, l.FromPort)
		w := slowWay{begin: s.out(l.From), end: s.in(l.To), tail: l.From, head: l.To, width: 1, hop: router.Cycle(of.Hop), pace: router.Cycle(of.Flit)}
		w.burst, w.stall = stallOf(room, w.hop, w.pace)
		s.from[l.From], s.into[l.To] = append(s.from[l.From], int32(len(s.ways))), append(s.into[l.To], int32(len(s.ways)))
		s.add(w)
	}
	for n := range router.NodeID(nodes) {
		width := int64(gates(t, m, n))
		s.add(slowWay{begin: s.in(n), end: s.pe(n), tail: n, head: n, width: width, pace: s.flit})
		s.add(slowWay{begin: s.pe(n), end: s.out(n), tail: n, head: n, width: width, pace: s.flit})
		if m.Ports != machine.SinglePort {
			s.net.Arc(s.in(n), s.out(n), maxflow.Unlimited)
		}
		s.supply[n], s.demand[n] = s.net.Arc(s.source(), s.pe(n), 0), s.net.Arc(s.pe(n), s.sink(), 0)
	}
	return s
}

// The nodes of the flow, as in cutFlow.
func (s *slowNet) in(n router.NodeID) int32  { return int32(3 * n) }
func (s *slowNet) pe(n router.NodeID) int32  { return int32(3*n + 1) }
func (s *slowNet) out(n router.NodeID) int32 { return int32(3*n + 2) }
func (s *slowNet) source() int32             { return int32(3 * s.t.Nodes()) }
func (s *slowNet) sink() int32               { return int32(3*s.t.Nodes() + 1) }

func (s *slowNet) add(w slowWay) {
	w.arc = s.net.Arc(w.begin, w.end, 0)
	s.ways = append(s.ways, w)
}

// room returns how many flits a way passes until a time.
func (s *slowNet) room(w *slowWay, time router.Cycle) int64 {
	last := time - s.first - w.before - w.after // when its last flit begins, from the first one on
	if last < 0 {
		return 0
	}
	if w.stall == 0 {
		return w.width * int64(last/w.pace+1)
	}
	round := w.burst*w.pace + w.stall
	return w.width * int64(last/round*w.burst+min(w.burst, last%round/w.pace+1))
}

// flow returns the least time, at least the known one, in which so many words of each node in sources can come to sinks, of each as many as it demands.
// There are as many words as are demanded.
func (s *slowNet) flow(sources, sinks []int, known router.Cycle) router.Cycle {
	total := int64(0)
	for _, words := range sources {
		total += int64(words)
	}
	if total == 0 {
		return known
	}
	s.measure(sources, sinks)
	for time := known; ; {
		s.net.Reset()
		for n := range sources {
			s.net.SetLeft(s.supply[n], int64(sources[n]))
			s.net.SetLeft(s.demand[n], int64(sinks[n]))
		}
		for i := range s.ways {
			s.net.SetLeft(s.ways[i].arc, s.room(&s.ways[i], time))
		}
		if s.net.Send(s.source(), s.sink(), total) == total {
			return time
		}
		words, cut := total, []*slowWay{}
		for n := range router.NodeID(len(sources)) { // words that need not cross the cut
			if s.net.Reaches(s.pe(n)) {
				words -= int64(sources[n])
			} else {
				words -= int64(sinks[n])
			}
		}
		for i := range s.ways {
			if w := &s.ways[i]; !s.net.Reaches(w.begin) && s.net.Reaches(w.end) {
				cut = append(cut, w)
			}
		}
		if len(cut) == 0 {
			return known // no way at all: the job is not possible
		}
		time = s.passed(cut, words, time)
	}
}

// passed returns the least time, at least the known one, in which so many words can pass some ways.
func (s *slowNet) passed(cut []*slowWay, words int64, known router.Cycle) router.Cycle {
	enough := func(time router.Cycle) bool {
		sum := int64(0)
		for _, w := range cut {
			sum += s.room(w, time)
		}
		return sum >= words
	}
	if enough(known) {
		return known
	}
	low, high := known, 2*max(1, known) // low is too little
	for !enough(high) {
		low, high = high, 2*high
	}
	for low+1 < high {
		if middle := (low + high) / 2; enough(middle) {
			high = middle
		} else {
			low = middle
		}
	}
	return high
}

// measure fills in when flits can come to each way, and for how long they then have to go.
func (s *slowNet) measure(sources, sinks []int) {
	from, to := s.distances(sources, false), s.distances(sinks, true)
	for i := range s.ways {
		w := &s.ways[i]
		switch {
		case w.tail != w.head:
			w.before, w.after = from[w.tail], w.hop+to[w.head]+s.flit
		case w.begin == s.in(w.tail): // comes from another node
			w.before, w.after = far, to[w.tail]+s.flit
			for _, link := range s.into[w.tail] {
				w.before = min(w.before, from[s.ways[link].tail]+s.ways[link].hop)
			}
		default: // goes to another node
			w.before, w.after = from[w.tail], far
			for _, link := range s.from[w.tail] {
				w.after = min(w.after, s.ways[link].hop+to[s.ways[link].head]+s.flit)
			}
		}
	}
}

// far is the distance of nodes that no route reaches.
const far = router.Cycle(1) << 40

// distances returns the hops, in cycles, from the nearest node that has words to each node, or from each node to the nearest one.
func (s *slowNet) distances(words []int, to bool) []router.Cycle {
	distance := slices.Repeat([]router.Cycle{far}, len(words))
	var queue []router.NodeID
	for n, count := range words {
		if count > 0 {
			distance[n] = 0
			queue = append(queue, router.NodeID(n))
		}
	}
	links := s.from
	if to {
		links = s.into
	}
	for ; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, i := range links[at] {
			next := s.ways[i].head
			if to {
				next = s.ways[i].tail
			}
			if d := distance[at] + s.ways[i].hop; d < distance[next] {
				distance[next] = d
				queue = append(queue, next)
			}
		}
	}
	return distance
}

// slowGossip bounds an all-gather by the flows of all words to each node, or to some of a large network.
func slowGossip(t *topology.Topology, m machine.Machine, lengths []int, known router.Cycle) router.Cycle {
	s := newSlowNet(t, m)
	if s == nil {
		return known
	}
	return s.gathers(lengths, known)
}

// gathers looks at the words that come to each node.
func (s *slowNet) gathers(lengths []int, known router.Cycle) router.Cycle {
	sources, sinks := slices.Clone(lengths), make([]int, len(lengths))
	for n := 0; n < len(lengths); n += s.stride() {
		sources[n], sinks[n] = 0, sumOf(lengths)-lengths[n]
		known = s.flow(sources, sinks, known)
		sources[n], sinks[n] = lengths[n], 0
	}
	return known
}

// stride is 1 if all nodes are looked at, and more in large networks.
func (s *slowNet) stride() int { return 1 + (s.t.Nodes()-1)/maxSlowFlows }

// slowPieces bounds a reduce-scatter: what one node adds to the pieces of all others goes to them as in a scatter.
func slowPieces(t *topology.Topology, m machine.Machine, pieces []int, known router.Cycle) router.Cycle {
	s := newSlowNet(t, m)
	if s == nil {
		return known
	}
	sources, sinks := make([]int, len(pieces)), slices.Clone(pieces)
	for n := 0; n < len(pieces); n += s.stride() {
		sources[n], sinks[n] = sumOf(pieces)-pieces[n], 0
		known = s.flow(sources, sinks, known)
		sources[n], sinks[n] = 0, pieces[n]
	}
	return known
}

// slowBlocks bounds a gather or a scatter by the words of the nodes that are at least so many hops away, for each distance or for some of many.
func slowBlocks(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int, scatter bool, known router.Cycle) router.Cycle {
	s := newSlowNet(t, m)
	if s == nil {
		return known
	}
	at, blocks := make([]int, len(lengths)), slices.Clone(lengths)
	at[root], blocks[root] = 1, 0
	distance := s.distances(at, !scatter)
	levels := slices.Clone(distance)
	slices.Sort(levels)
	levels = slices.Compact(levels)
	for i := 0; i < len(levels); i += 1 + (len(levels)-1)/maxSlowFlows {
		for n := range blocks {
			if distance[n] < levels[i] {
				blocks[n] = 0
			}
		}
		at[root] = sumOf(blocks)
		if scatter {
			known = s.flow(at, blocks, known)
		} else {
			known = s.flow(blocks, at, known)
		}
	}
	return known
}

// slowWords bounds a broadcast, a reduction or an allreduce by the flows of all words from the root to each node, or to some of a large network; of a
// reduction from there to the root. In an allreduce any node is a root of both.
func slowWords(t *topology.Topology, m machine.Machine, root router.NodeID, words int, out, back bool, known router.Cycle) router.Cycle {
	s := newSlowNet(t, m)
	if s == nil {
		return known
	}
	at, other := make([]int, t.Nodes()), make([]int, t.Nodes())
	at[root] = words
	for n := 0; n < len(other); n += s.stride() {
		if router.NodeID(n) == root {
			continue
		}
		other[n] = words
		if out {
			known = s.flow(at, other, known)
		}
		if back {
			known = s.flow(other, at, known)
		}
		other[n] = 0
	}
	return known
}

func sumOf(lengths []int) (sum int) {
	for _, length := range lengths {
		sum += length
	}
	return sum
}

// slowExchange bounds an all-to-all by what comes to each node, or leaves it, and by the links between two parts of the nodes: the words of each part for the nodes of the
// other one pass these links, each in its own time, and the last one of a link has its hop to go. The parts are the runs of neighbouring slices of a grid, and what is left
// together without the slower links, against the rest.
func slowExchange(t *topology.Topology, m machine.Machine, lengths []int, known router.Cycle) router.Cycle {
	s := newSlowNet(t, m)
	if s == nil || sumOf(lengths) == 0 {
		return known
	}
	known = s.gathers(lengths, known)
	nodes := len(lengths)
	sources, sinks := make([]int, nodes), make([]int, nodes)
	for n := 0; n < nodes; n += s.stride() {
		for to := range sinks {
			sinks[to] = lengths[n]
		}
		sources[n], sinks[n] = (nodes-1)*lengths[n], 0
		known = s.flow(sources, sinks, known)
		sources[n] = 0
	}
	return s.cuts(lengths, known)
}

// cuts looks at the parts of an all-to-all.
func (s *slowNet) cuts(lengths []int, known router.Cycle) router.Cycle {
	for i := range s.ways {
		s.ways[i].before, s.ways[i].after = 0, s.ways[i].hop+s.flit
	}
	inside := make([]bool, s.t.Nodes())
	for _, axis := range s.t.Axes() {
		for from := range axis.Size {
			for to := from + 1; to <= axis.Size; to++ {
				for n := range inside {
					c := axis.Coordinate(router.NodeID(n))
					inside[n] = from <= c && c < to
				}
				known = s.between(inside, lengths, known)
			}
		}
	}
	for _, part := range s.islands() {
		clear(inside)
		for _, n := range part {
			inside[n] = true
		}
		known = s.between(inside, lengths, known)
	}
	return known
}

// between returns the least time, at least the known one, of the words that go from one part to the other, both ways.
func (s *slowNet) between(inside []bool, lengths []int, known router.Cycle) router.Cycle {
	var nodes, words [2]int64 // of the part, and of the rest
	var cut [2][]*slowWay     // from the part, and from the rest
	side := func(n router.NodeID) int {
		if inside[n] {
			return 0
		}
		return 1
	}
	for n, length := range lengths {
		nodes[side(router.NodeID(n))]++
		words[side(router.NodeID(n))] += int64(length)
	}
	for i := range s.ways {
		if w := &s.ways[i]; inside[w.tail] != inside[w.head] {
			cut[side(w.tail)] = append(cut[side(w.tail)], w)
		}
	}
	for from := range cut {
		if len(cut[from]) > 0 {
			known = s.passed(cut[from], words[from]*nodes[1-from], known)
		}
	}
	return known
}

// islands lists the parts that are left together without the links that take longer for a flit than others.
func (s *slowNet) islands() [][]router.NodeID {
	p := newParts(s.t.Nodes())
	for i := range s.ways {
		if w := &s.ways[i]; w.tail != w.head && w.pace == s.flit {
			p.join(w.tail, w.head)
		}
	}
	islands := map[router.NodeID][]router.NodeID{}
	for n := range router.NodeID(s.t.Nodes()) {
		islands[p.find(n)] = append(islands[p.find(n)], n)
	}
	var list [][]router.NodeID
	for n := range router.NodeID(s.t.Nodes()) { // in a fixed order
		if part := islands[n]; part != nil && len(list) < maxSlowFlows {
			list = append(list, part)
		}
	}
	return list
}
