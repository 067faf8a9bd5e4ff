// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/internal/soak"
	"meshwright/router"
)

// everyWay finds the least time in which all of three nodes that are neighbours get all words, by going through all states cycle by cycle: in
// each cycle each node whose channel is free hands over any words that it has, to any node, or waits. Messages take a startup, a flit a cycle and a hop of
// one cycle; each node has one injection and one ejection channel.
type everyWay struct {
	startup int
	half    bool
	goal    [3]uint8 // the words of each node at the end
	sums    bool     // words are sums: who has sent one has it no more, and in the end only the nodes of the goal have them
	port    bool     // each node has a channel for each neighbour, and a single port for both
}

// triangle is a state at the start of a cycle. All times count from it.
type triangle struct {
	has   [3]uint8
	free  [3][2]int8   // until a channel takes a message
	comes [3][2]coming // messages in flight to a node, by time
	sends [3][2]int8   // half duplex or a single port: from when until when the node's flits leave, of its last message
	takes [3]bool      // a last flit comes in this very cycle
}

// coming is a message that is whole after some cycles; 0: none.
type coming struct {
	first, whole int8
	words        uint8
}

func (e *everyWay) least(start [3]uint8) router.Cycle {
	states := map[triangle]bool{{has: start}: true}
	for now := 0; ; now++ {
		next := map[triangle]bool{}
		for s := range states {
			if e.met(s) {
				return router.Cycle(now) + 1
			}
			e.choose(s, 0, next)
		}
		states = next
	}
}

// met reports whether all nodes have their words.
func (e *everyWay) met(s triangle) bool {
	if e.sums {
		return s.has == e.goal && s.comes == [3][2]coming{}
	}
	for n, words := range s.has {
		if words&e.goal[n] != e.goal[n] {
			return false
		}
	}
	return true
}

// choose lets a node and those after it hand over messages.
func (e *everyWay) choose(s triangle, node int, next map[triangle]bool) {
	if node == 3 {
		next[s.later()] = true
		return
	}
	e.choose(s, node+1, next)
	for to := range 3 {
		if to == node || s.free[node][e.channel(node, to)] > 0 {
			continue
		}
		useful := s.has[node] &^ s.has[to]
		if e.sums {
			useful = s.has[node] &^ e.goal[node]
		}
		for words := useful; words > 0; words = (words - 1) & useful {
			if after, ok := e.hand(s, node, to, words); ok {
				e.choose(after, node+1, next)
			}
		}
	}
}

// channel is the channel of a node to another.
func (e *everyWay) channel(from, to int) int {
	if e.port && to == (from+2)%3 {
		return 1
	}
	return 0
}

// hand hands a message over, if the ejection channel is free when it comes.
func (e *everyWay) hand(s triangle, from, to int, words uint8) (triangle, bool) {
	count := int8(0)
	for w := words; w > 0; w &= w - 1 {
		count++
	}
	leaves := int8(e.startup)
	c := coming{leaves + 1, leaves + count, words}
	if e.sums {
		s.has[from] &^= words
	}
	slot := -1
	for i, o := range s.comes[to] {
		switch {
		case o.whole == 0:
			slot = i
		case c.first <= o.whole && o.first <= c.whole:
			return s, false
		}
	}
	if slot < 0 {
		return s, false // three messages in flight to a node: not tried
	}
	if e.half {
		if leaves == 0 && s.takes[from] {
			return s, false
		}
		for _, o := range s.comes[from] {
			if o.whole > 0 && leaves <= o.whole && o.first <= leaves+count-1 {
				return s, false
			}
		}
		if x := s.sends[to]; x[1] > 0 && c.first < x[1] && x[0] <= c.whole {
			return s, false
		}
	}
	if e.port && leaves < s.sends[from][1] { // it can as well be handed over later
		return s, false
	}
	if e.half || e.port {
		s.sends[from] = [2]int8{leaves, leaves + count}
	}
	s.comes[to][slot] = c
	s.free[from][e.channel(from, to)] = leaves + count
	return s, true
}

// later is the state a cycle later. What is whole at the end of this cycle can be sent in the next.
func (s triangle) later() triangle {
	for n := range 3 {
		s.takes[n] = false
		for i := range s.sends[n] {
			s.free[n][i] = max(0, s.free[n][i]-1)
			s.sends[n][i] = max(0, s.sends[n][i]-1)
		}
		for i := range s.comes[n] {
			c := &s.comes[n][i]
			if c.whole == 0 {
				continue
			}
			c.first, c.whole = max(0, c.first-1), c.whole-1
			if c.whole == 0 {
				s.has[n] |= c.words
				s.takes[n] = true
				*c = coming{}
			}
		}
		if s.comes[n][0].whole < s.comes[n][1].whole { // in one order
			s.comes[n][0], s.comes[n][1] = s.comes[n][1], s.comes[n][0]
		}
	}
	return s
}

// Bounds of startups and words together are held against all schedules among three neighbours with one channel each.
func TestStartupBoundsAgainstAllSchedules(t *testing.T) {
	topo, err := topology.Parse("complete:3")
	require.NoError(t, err)
	for _, duplex := range []machine.Duplex{machine.Full, machine.Half} {
		for startup := range 5 {
			m, _ := machine.Preset("wormhole")
			m.Channels, m.Startup, m.Duplex = 1, startup, duplex
			name := fmt.Sprintf("startup %d, %s", startup, duplex)
			least := func(full uint8, start ...uint8) router.Cycle {
				return (&everyWay{startup: startup, half: duplex == machine.Half, goal: [3]uint8{full, full, full}}).least([3]uint8(start))
			}
			gossip := least(7, 1, 2, 4)
			require.LessOrEqual(t, Gossip(topo, m, []int{1, 1, 1}).Cycles, gossip, name)
			require.LessOrEqual(t, gossip-Gossip(topo, m, []int{1, 1, 1}).Cycles, router.Cycle(1), name)
			if startup < 2 || soak.On() {
				exchange := (&everyWay{startup: startup, half: duplex == machine.Half, goal: [3]uint8{0b010100, 0b100001, 0b001010}}).least([3]uint8{0b000011, 0b001100, 0b110000})
				require.LessOrEqual(t, Exchange(topo, m, []int{1, 1, 1}).Cycles, exchange, name)
				require.LessOrEqual(t, exchange-Exchange(topo, m, []int{1, 1, 1}).Cycles, router.Cycle(2), name)
				uneven := (&everyWay{startup: startup, half: duplex == machine.Half, goal: [3]uint8{0b010000, 0b100011, 0b001100}}).least([3]uint8{0b001111, 0b110000, 0})
				require.LessOrEqual(t, Exchange(topo, m, []int{2, 1, 0}).Cycles, uneven, name)
			}
			for words := 1; words <= 3; words++ {
				broadcast := least(1<<words-1, 1<<words-1, 0, 0)
				require.LessOrEqual(t, Broadcast(topo, m, 0, words).Cycles, broadcast, "%s, %d words", name, words)
				require.LessOrEqual(t, broadcast-Broadcast(topo, m, 0, words).Cycles, router.Cycle(2), "%s, %d words", name, words)
			}
		}
	}
}

// The same for sums: a reduction to one of the neighbours, and a reduce-scatter of three words.
func TestStartupBoundsOfSumsAgainstAllSchedules(t *testing.T) {
	topo, err := topology.Parse("complete:3")
	require.NoError(t, err)
	met := 0
	for _, duplex := range []machine.Duplex{machine.Full, machine.Half} {
		for _, startup := range soak.Some(4, []int{0, 1, 2, 3, 4}) {
			m, _ := machine.Preset("wormhole")
			m.Channels, m.Startup, m.Duplex = 1, startup, duplex
			name := fmt.Sprintf("startup %d, %s", startup, duplex)
			least := func(words int, goal ...uint8) router.Cycle {
				full := uint8(1<<words - 1)
				return (&everyWay{startup: startup, half: duplex == machine.Half, goal: [3]uint8(goal), sums: true}).least([3]uint8{full, full, full})
			}
			compare := func(bound, time router.Cycle, name string) {
				require.LessOrEqual(t, bound, time, name)
				require.LessOrEqual(t, time-bound, router.Cycle(2), name)
				if bound == time {
					met++
				}
			}
			compare(ReduceScatter(topo, m, 3).Cycles, least(3, 1, 2, 4), name+", reduce-scatter")
			for words := 1; words <= 3; words++ {
				compare(Reduce(topo, m, 0, words).Cycles, least(words, uint8(1<<words-1), 0, 0), fmt.Sprintf("%s, reduce of %d words", name, words))
			}
		}
	}
	require.Greater(t, met, 5)
}

// With a single port for two channels: an all-gather and a reduce-scatter among three neighbours.
func TestPortStartupsAgainstAllSchedules(t *testing.T) {
	topo, err := topology.Parse("complete:3")
	require.NoError(t, err)
	for _, startup := range soak.Some(4, []int{0, 1, 2, 3, 4}) {
		m, _ := machine.Preset("wormhole")
		m.Channels, m.Ports, m.Startup = machine.Links, machine.SinglePort, startup
		name := fmt.Sprintf("startup %d", startup)
		gossip := (&everyWay{startup: startup, port: true, goal: [3]uint8{7, 7, 7}}).least([3]uint8{1, 2, 4})
		require.LessOrEqual(t, Gossip(topo, m, []int{1, 1, 1}).Cycles, gossip, name)
		require.LessOrEqual(t, gossip-Gossip(topo, m, []int{1, 1, 1}).Cycles, router.Cycle(1), name)
		sums := (&everyWay{startup: startup, port: true, goal: [3]uint8{1, 2, 4}, sums: true}).least([3]uint8{7, 7, 7})
		require.LessOrEqual(t, ReduceScatter(topo, m, 3).Cycles, sums, name)
		require.LessOrEqual(t, sums-ReduceScatter(topo, m, 3).Cycles, router.Cycle(1), name)
	}
}

// TestNodesSendNoMoreThanPortsAllow holds portStartups against all ways in which a node can send words over two channels and one port, when it knows so many in each cycle.
func TestNodesSendNoMoreThanPortsAllow(t *testing.T) {
	for startup := 1; startup < 6; startup++ {
		for hop := 1; hop < 4; hop++ {
			for words := 1; words < 9; words++ {
				m, _ := machine.Preset("wormhole")
				m.Startup, m.Hop = startup, hop
				g := &sending{Model: timingOf(m), own: 1, taking: 1}
				require.LessOrEqual(t, g.portStartups(router.Cycle(words), 2), leastThroughPort(g, words), "startup %d, hop %d, %d words", startup, hop, words)
			}
		}
	}
}

// leastThroughPort is the least time in which a node sends words over two channels and one port. A message of x words waits until the node knows x.
func leastThroughPort(g *sending, words int) router.Cycle {
	best := router.Cycle(math.MaxInt64)
	var try func(free [2]router.Cycle, port, last router.Cycle, left int)
	try = func(free [2]router.Cycle, port, last router.Cycle, left int) {
		if left == 0 {
			best = min(best, last+1)
			return
		}
		if last >= best {
			return
		}
		for c := range free {
			for x := 1; x <= left; x++ {
				knows := router.Cycle(0)
				if x > 1 {
					knows = g.Lead() + g.Hop - 1 + g.Flit*router.Cycle(x-1)
				}
				handed := max(free[c], knows, port-g.Startup)
				next := free
				next[c] = handed + g.Hold(x)
				try(next, handed+g.Startup+g.Flits(1, x), max(last, handed+g.UntilWhole(1, x)), left-x)
			}
		}
	}
	try([2]router.Cycle{}, 0, 0, words)
	return best
}

// Coarse units and spans only lower a bound.
func TestCoarseStartupBoundsAreLower(t *testing.T) {
	for _, spec := range []string{"complete:7", "ring:12", "hub:9"} {
		topo, err := topology.Parse(spec)
		require.NoError(t, err)
		for _, startup := range []int{3, 40} {
			m, _ := machine.Preset("wormhole")
			m.Channels, m.Startup, m.Flit = 1, startup, 2
			c := &copying{Model: timingOf(m), rest: period(&m) - 2, nodes: router.Cycle(topo.Nodes()), words: 37, channels: 1, root: 1, room: &capacity{others: router.Cycle(topo.Nodes() - 1)}}
			c.classes()
			end, ok := c.spans(1)
			require.True(t, ok)
			for span := router.Cycle(2); span <= c.Flit+c.rest; span++ {
				coarse, ok := c.spans(span)
				require.True(t, ok)
				require.LessOrEqual(t, (coarse-1)*span+1, end, "%s, startup %d, spans of %d", spec, startup, span)
			}
		}
	}
}

func timingOf(m machine.Machine) timing.Model { return timing.Of(&m) }
