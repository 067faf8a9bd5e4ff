// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/router"
)

// queued goes through all that half-duplex PEs with a channel for each link, and chips with one virtual channel, can do with messages of one word, cycle by cycle: without startup, with a flit and a hop of a cycle. Flits may wait in buffers.
type queued struct {
	topo   *topology.Topology
	links  []topology.Link
	out    [][]int // by node: its links
	into   [][]int
	buffer int
	single bool
	sum    bool // words are parts of one sum, and a message carries all that its sender knows
}

// queue is a state at the start of a cycle: the words of each node, and the flits in the buffer behind each link.
type queue struct {
	has  []uint16
	wait [][]queuedFlit
}

type queuedFlit struct {
	words uint16
	to    uint8
}

func newQueued(topo *topology.Topology, buffer int) *queued {
	q := &queued{topo: topo, links: topo.Links(), buffer: buffer, out: make([][]int, topo.Nodes()), into: make([][]int, topo.Nodes())}
	for i, l := range q.links {
		q.out[l.From], q.into[l.To] = append(q.out[l.From], i), append(q.into[l.To], i)
	}
	return q
}

func (s *queue) key() string {
	var b []byte
	for _, x := range s.has {
		b = binary.LittleEndian.AppendUint16(b, x)
	}
	for _, w := range s.wait {
		b = append(b, byte(len(w)))
		for _, f := range w {
			b = append(binary.LittleEndian.AppendUint16(b, f.words), f.to)
		}
	}
	return string(b)
}

func (s *queue) clone() *queue {
	c := &queue{has: slices.Clone(s.has), wait: make([][]queuedFlit, len(s.wait))}
	for i, w := range s.wait {
		c.wait[i] = slices.Clone(w)
	}
	return c
}

// within reports whether all nodes can have the words that they need in so many cycles.
func (q *queued) within(has, needs []uint16, cycles int) bool {
	start := &queue{has: has, wait: make([][]queuedFlit, len(q.links))}
	states, nodes := map[string]*queue{start.key(): start}, q.topo.Nodes()
	for left := cycles - 1; left >= 0; left-- {
		next := map[string]*queue{}
		for _, s := range states {
			c := &queuedCycle{queued: q, old: s, next: next, needs: needs, left: left, used: make([]bool, len(q.links)), came: make([][]queuedFlit, len(q.links)), sent: make([]bool, nodes), took: make([]bool, nodes)}
			c.node(0, s.clone())
		}
		states = next
	}
	return len(states) > 0
}

// hopeless reports whether some node cannot get all that it needs in the cycles that are left: a flit takes one from link to link, and one more comes over each link in each.
func (c *queuedCycle) hopeless(s *queue) bool {
	for n, need := range c.needs {
		lacks := need &^ s.has[n]
		comes := uint16(0)
		for i, waits := range s.wait {
			for k, f := range waits {
				if int(f.to) == n && (c.left > 1 || k == 0 && int(c.links[i].To) == n) {
					comes |= f.words
				}
			}
		}
		sent := bits.OnesCount16(lacks &^ comes) // in a later cycle, before the last one
		if c.sum {
			sent = min(sent, 1)
		}
		if sent > len(c.into[n])*max(0, c.left-1) || !c.sum && bits.OnesCount16(lacks) > len(c.into[n])*c.left {
			return true
		}
	}
	return false
}

// queuedCycle goes through what can be done in a cycle.
type queuedCycle struct {
	*queued
	old   *queue
	next  map[string]*queue
	needs []uint16
	left  int // cycles after this one
	used  []bool
	came  [][]queuedFlit // by link: what it carries
	sent  []bool         // single port: by node
	took  []bool
}

// node lets a node, and those after it, do all they can.
func (c *queuedCycle) node(n int, s *queue) {
	if n == c.topo.Nodes() {
		end := s.clone()
		for i, f := range c.came {
			end.wait[i] = append(end.wait[i], f...)
		}
		if !c.hopeless(end) {
			c.next[end.key()] = end
		}
		return
	}
	c.pass(n, 0, s, false)
	c.pass(n, 0, s, true)
}

// pass lets the flits at the heads of a node's buffers stay, pass the chip, or come to a PE that receives.
func (c *queuedCycle) pass(n, i int, s *queue, receives bool) {
	if i == len(c.into[n]) {
		if receives {
			c.node(n+1, s)
		} else {
			c.send(n, 0, s)
		}
		return
	}
	c.pass(n, i+1, s, receives)
	at := c.into[n][i]
	if len(s.wait[at]) == 0 {
		return
	}
	head := s.wait[at][0]
	after := s.clone()
	after.wait[at] = after.wait[at][1:]
	if int(head.to) == n {
		if receives {
			after.has[n] |= head.words
			c.pass(n, i+1, after, receives)
		}
		return
	}
	for _, o := range c.out[n] {
		if c.links[o].To != c.links[at].From {
			c.over(o, head, func() { c.pass(n, i+1, after, receives) })
		}
	}
}

// over takes a flit over a link, if it can, goes on, and takes it back.
func (c *queuedCycle) over(link int, f queuedFlit, on func()) {
	from, to := c.links[link].From, c.links[link].To
	if c.used[link] || len(c.old.wait[link]) >= c.buffer || c.single && (c.sent[from] || c.took[to]) {
		return
	}
	c.used[link], c.sent[from], c.took[to], c.came[link] = true, true, true, []queuedFlit{f}
	on()
	c.used[link], c.sent[from], c.took[to], c.came[link] = false, false, false, nil
}

// send lets a PE send words over its links.
func (c *queuedCycle) send(n, i int, s *queue) {
	if i == len(c.out[n]) {
		c.node(n+1, s)
		return
	}
	c.send(n, i+1, s)
	for to := range c.old.has {
		if to == n {
			continue
		}
		lacks := c.old.has[n] &^ c.old.has[to]
		for _, waits := range c.old.wait {
			for _, f := range waits {
				if int(f.to) == to && !c.sum {
					lacks &^= f.words
				}
			}
		}
		if c.sum && lacks != 0 {
			c.over(c.out[n][i], queuedFlit{c.old.has[n], uint8(to)}, func() { c.send(n, i+1, s) })
			continue
		}
		for w := uint16(1); w <= lacks; w <<= 1 {
			if lacks&w != 0 {
				c.over(c.out[n][i], queuedFlit{w, uint8(to)}, func() { c.send(n, i+1, s) })
			}
		}
	}
}

// No schedule is faster than the bounds by prices, though flits may wait in buffers: all of them are tried on small networks. Through one port an all-gather takes no longer than the bound.
func TestTreesOfHalfDuplexAgainstAllSchedules(t *testing.T) {
	path, star, ring := [][2]int{{0, 1}, {1, 2}, {2, 3}}, [][2]int{{0, 1}, {0, 2}, {0, 3}}, [][2]int{{0, 1}, {1, 2}, {2, 3}, {3, 0}}
	met := 0
	for _, row := range []struct {
		edges  [][2]int
		job    string
		words  []int // of a gossip
		single bool
	}{
		{path[:2], "gossip", []int{1, 1, 1}, false},
		{path[:2], "gossip", []int{1, 1, 1}, true},
		{path[:2], "gossip", []int{2, 0, 1}, false},
		{path[:2], "gossip", []int{1, 2, 1}, false},
		{path[:2], "exchange", nil, false},
		{path[:2], "exchange", nil, true},
		{path[:2], "allreduce", nil, false},
		{path[:2], "broadcast", nil, false},
		{path, "gossip", []int{1, 1, 0, 1}, false},
		{path, "gossip", []int{1, 0, 1, 1}, false},
		{path, "allreduce", nil, false},
		{path, "allreduce", nil, true},
		{path, "broadcast", nil, false},
		{star, "allreduce", nil, false},
		{star, "gossip", []int{1, 1, 1, 1}, false},
		{ring, "allreduce", nil, false},
		{ring[:3], "broadcast", nil, true},
	} {
		topo := graph(t, row.edges)
		settings := []string{"nic.channels", "links", "nic.duplex", "half", "vcs", "1"}
		if row.single {
			settings = append(settings, "ports", "single")
		}
		m, nodes := set(t, settings...), topo.Nodes()
		q := newQueued(topo, 2)
		q.single, q.sum = row.single, row.job == "allreduce"
		has, needs := make([]uint16, nodes), make([]uint16, nodes)
		var bound router.Cycle
		switch row.job {
		case "gossip":
			shareOut(has, needs, row.words)
			bound = dearestTrees(topo, m, row.words, newSpreadTrees(nodes), 0)
		case "allreduce":
			shareOut(has, needs, slices.Repeat([]int{1}, nodes))
			bound = rootTrees(topo, m, 0, 1, newSharedSums(nodes), 0)
		case "broadcast":
			shareOut(has, needs, append([]int{2}, make([]int, nodes-1)...))
			bound = rootTrees(topo, m, 0, 2, newSpreadTrees(nodes), 0)
		case "exchange":
			exchangeAll(has, needs)
			bound = dearestTrees(topo, m, slices.Repeat([]int{1}, nodes), &ownWays{nodes}, 0)
		}
		require.Positive(t, bound, "%v", row)
		require.False(t, q.within(slices.Clone(has), needs, int(bound)-1), "%v: %d", row, bound)
		if nodes == 3 && row.job != "exchange" && q.within(has, needs, int(bound)) {
			met++
		}
	}
	require.Positive(t, met)
}

// shareOut gives each node words that all need.
func shareOut(has, needs []uint16, words []int) {
	first := 0
	for n, count := range words {
		has[n] = (1<<count - 1) << first
		first += count
	}
	for n := range needs {
		needs[n] = 1<<first - 1
	}
}

// exchangeAll gives each node a word for each other one.
func exchangeAll(has, needs []uint16) {
	word := uint16(1)
	for u := range has {
		for v := range needs {
			if u != v {
				has[u], needs[v] = has[u]|word, needs[v]|word
				word <<= 1
			}
		}
	}
}
