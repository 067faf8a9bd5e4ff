// SPDX-License-Identifier: Apache-2.0

package translations

import (
	"math/bits"
	"slices"

	"meshwright/fabric/booking"
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// MaxNodes bounds the networks: a set of nodes is a word of 64 bits.
const MaxNodes = 64

// network is what all schedules of a job share.
type network struct {
	*plan.Task
	*plan.Pairs
	nodes     int
	pieces    []transfer.Range // of the words, the longest first
	model     timing.Model
	family    topology.Translations
	moved     [][]int32 // by node: where the translation of node 0 to it brings each node
	back      []int32   // by node: the one that its translation brings to node 0
	ways      [][]way   // by piece and node: how node 0 sends to it; shared by pieces of one length
	near      []int32   // nodes to which all nodes can send any piece at the same time, the nearest first
	calendars []booking.Calendar
	room      int   // flits that a link may carry in all; 0: any number
	carried   []int // by generator
}

// way is what the messages to a node use, those of all nodes together.
type way struct {
	uses   []booking.Use
	course []int // generators of its links
}

// newNetwork prepares a search. Where buffers are too small for the full rate, messages stall, or no link carries more flits in all than a buffer holds: there is always room for them.
func newNetwork(t *plan.Task, family topology.Translations, stalling bool, pieces int) (*network, error) {
	n := &network{Task: t, family: family, nodes: len(t.Lengths), pieces: inPieces(t.VectorWords(), pieces), model: timing.Stalling(&t.Machine)}
	if !stalling {
		n.model, n.room = timing.Of(&t.Machine), t.Machine.Buffer
	}
	pairs, err := plan.NewPairs(t)
	if err != nil {
		return nil, err
	}
	n.Pairs = pairs
	n.move()
	generators := 0
	for v := range router.NodeID(n.nodes) {
		generators = max(generators, t.Topology.Ports(v))
	}
	n.calendars = make([]booking.Calendar, 3*generators+4)
	n.carried = make([]int, generators)
	n.findWays(generators)
	return n, nil
}

// findWays lists how node 0 sends pieces to others. To where it can send the longest, it can send all.
func (n *network) findWays(generators int) {
	for i, p := range n.pieces {
		if i > 0 && length(p) == length(n.pieces[i-1]) {
			n.ways = append(n.ways, n.ways[i-1])
			continue
		}
		ways := make([]way, n.nodes)
		for v := int32(1); v < int32(n.nodes); v++ {
			w, ok := n.wayTo(v, length(p), generators)
			if ways[v] = w; ok && i == 0 {
				n.near = append(n.near, v)
			}
		}
		n.ways = append(n.ways, ways)
	}
	slices.SortStableFunc(n.near, func(a, b int32) int { return len(n.ways[0][a].course) - len(n.ways[0][b].course) })
}

// inPieces cuts words into pieces that differ by a word at most, the longest first.
func inPieces(words, pieces int) (list []transfer.Range) {
	at := 0
	for left := pieces; left > 0; left-- {
		to := at + (words-at+left-1)/left
		list = append(list, transfer.Range{From: at, To: to})
		at = to
	}
	return list
}

// length is how many words a piece has.
func length(piece transfer.Range) int { return piece.To - piece.From }

// move lists the translations.
func (n *network) move() {
	n.moved, n.back = make([][]int32, n.nodes), make([]int32, n.nodes)
	for u := range n.nodes {
		n.moved[u] = make([]int32, n.nodes)
		for v := range n.nodes {
			to := n.family.Translate(router.NodeID(u), router.NodeID(v))
			n.moved[u][v] = int32(to)
			if to == 0 {
				n.back[v] = int32(u)
			}
		}
	}
}

// wayTo lists what the messages from all nodes use when node 0 sends to a node. It reports false if routes are not translated with their ends, or the messages of different nodes meet.
func (n *network) wayTo(v int32, words, generators int) (w way, ok bool) {
	course := n.course(0, v)
	for u := int32(1); u < int32(n.nodes); u++ {
		if !slices.Equal(course, n.course(u, n.moved[u][v])) {
			return w, false
		}
	}
	m, long := n.model, n.model.Work(words)
	channel := func(generator int) int {
		if n.Machine.Channels != machine.Links {
			return 0
		}
		return generator
	}
	add := func(calendar int, at, long router.Cycle, enters int) {
		u := booking.Use{Calendar: &n.calendars[calendar], At: at, Long: long}
		if enters != calendar {
			u.Enters = &n.calendars[enters]
		}
		w.uses = append(w.uses, u)
	}
	inject, eject, rest := generators, 2*generators, 3*generators
	early := router.Cycle(0)
	if m.Stall() == 0 {
		early = min(m.Startup, m.Flit-1)
	}
	w.course = course
	end, last := router.Cycle(len(course))*m.Hop, course[len(course)-1]
	add(eject+channel(last), end, long, eject+channel(last))
	add(inject+channel(course[0]), -m.Startup, m.Startup+long-early, inject+channel(course[0]))
	for i, g := range course {
		at := router.Cycle(i) * m.Hop
		add(g, at, long+m.Stall(), g)
		if n.Machine.Ports == machine.SinglePort {
			add(rest, at, long, rest)
			add(rest+1, at, long, rest+1)
		}
	}
	if n.Machine.Duplex == machine.Half {
		add(rest+3, 0, long, rest+2)
		add(rest+2, end, long, rest+3)
	}
	return w, !w.meets()
}

// course lists the generators of a route.
func (n *network) course(from, to int32) (list []int) {
	at := router.NodeID(from)
	for _, p := range n.Route(from, to) {
		list = append(list, n.family.Generator(at, p))
		at = n.Topology.Neighbor(at, p)
	}
	return list
}

// meets reports whether messages that all nodes send at the same time meet.
func (w *way) meets() bool {
	enters := func(u *booking.Use) *booking.Calendar {
		if u.Enters != nil {
			return u.Enters
		}
		return u.Calendar
	}
	for i := range w.uses {
		for j := range w.uses {
			a, b := &w.uses[i], &w.uses[j]
			if i != j && a.Calendar == enters(b) && a.At < b.At+b.Long && b.At < a.At+a.Long {
				return true
			}
		}
	}
	return false
}

// fork returns the network with calendars of its own.
func (n *network) fork() *network {
	own := *n
	own.calendars, own.carried = make([]booking.Calendar, len(n.calendars)), make([]int, len(n.carried))
	index := map[*booking.Calendar]*booking.Calendar{nil: nil}
	for i := range n.calendars {
		index[&n.calendars[i]] = &own.calendars[i]
	}
	own.ways = slices.Clone(n.ways)
	for i := range own.ways {
		if i > 0 && length(n.pieces[i]) == length(n.pieces[i-1]) {
			own.ways[i] = own.ways[i-1]
			continue
		}
		own.ways[i] = slices.Clone(n.ways[i])
		for k := range own.ways[i] {
			w := &own.ways[i][k]
			w.uses = slices.Clone(w.uses)
			for j := range w.uses {
				w.uses[j].Calendar, w.uses[j].Enters = index[w.uses[j].Calendar], index[w.uses[j].Enters]
			}
		}
	}
	return &own
}

// Least returns a time that no plan beats. A message brings no more nodes than the sum has already, so that each word leaves each node in log₂ N messages at least, over its channels or its one port.
func Least(t *plan.Task) router.Cycle {
	least := t.LowerBound()
	if !t.Topology.Translates() || t.VectorWords() == 0 || len(t.Lengths) == 1 {
		return least
	}
	gates := 1
	if t.Machine.Ports != machine.SinglePort {
		gates = timing.Channels(&t.Machine, t.Topology.Ports(0))
	}
	m, messages := timing.Of(&t.Machine), bits.Len(uint(len(t.Lengths)-1))
	return max(least, m.Startup+m.Hop+m.Flits(1, (t.VectorWords()*messages+gates-1)/gates))
}
