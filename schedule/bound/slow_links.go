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
	maxSlowWork  = 1 << 16 // flows times ways, from 4 flows on
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
		cut := s.leastCut()
		if len(cut) == 0 {
			return known // no way at all: the job is not possible
		}
		words := total
		for n := range router.NodeID(len(sources)) { // some need not cross the cut
			if s.net.Reaches(s.pe(n)) {
				words -= int64(sources[n])
			} else {
				words -= int64(sinks[n])
			}
		}
		time = s.passed(cut, words, time)
	}
}

// leastCut returns the ways of the cut that a flow which came to too little has found.
func (s *slowNet) leastCut() (cut []*slowWay) {
	for i := range s.ways {
		if w := &s.ways[i]; !s.net.Reaches(w.begin) && s.net.Reaches(w.end) {
			cut = append(cut, w)
		}
	}
	return cut
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
