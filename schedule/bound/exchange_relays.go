// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/router"
)

// relayed bounds an all-to-all by startups and words together: few messages carry most words several times, many pay many startups.
//
// Take one word of each block, of P blocks, and M messages in all. A word that comes to its destination by k messages goes along a chain:
//
//	u --- message 1 ---> PE --- message 2 ---> PE ... --- message k ---> v
//
// The first of them is one of M. Each further one leaves the PE to which the one before has come, no earlier than cycle a = (k-1)*(s+f+h-1), since each message before
// takes as long. Let O(k) be the most messages that a PE can hand over from then on: each keeps its channel for f + rest cycles, and
// the last is there in time (see capacity). So there are at most
//
//	M * O(2) * ... * O(k)
//
// chains of k messages, and no more blocks whose words need no more than k. The words are carried least often if as many blocks as possible take
// one message, then two, and so on. Let W(M) be the sum over all words of all blocks. All channels together have time for
//
//	f*W(M) + rest*M <= sum over all channels of T - s - h + rest,
//
// and with half duplex all PEs for 2*W(M) flits (see halfDuplex). The bound is the least T for which some M does. W is convex in M, and has
// its corners where M suffices for all blocks by chains of k messages. So only the numbers beside the corners have to be tried.
func (x *exchanged) relayed(known router.Cycle) router.Cycle {
	if x.m.Startup == 0 || x.m.PacketSwitched() {
		return known
	}
	c := newChains(x)
	least, step := known, router.Cycle(1)
	for ; !c.fit(least); step *= 2 {
		least += step
	}
	for low := max(known, least-step/2); low < least; {
		if middle := (low + least) / 2; c.fit(middle) {
			least = middle
		} else {
			low = middle + 1
		}
	}
	return least
}

// chains holds what relayed needs.
type chains struct {
	timing.Model
	channels, gates router.Cycle // of all nodes
	most, mostGates router.Cycle // of a node
	half            bool
	groups          []blocks
}

// blocks are words of as many blocks each.
type blocks struct{ words, count router.Cycle }

func newChains(x *exchanged) *chains {
	c := &chains{Model: timing.Of(&x.m), half: x.m.Duplex == machine.Half}
	for n := range router.NodeID(x.t.Nodes()) {
		own, ways := router.Cycle(channels(x.t, x.m, n)), router.Cycle(gates(x.t, x.m, n))
		c.channels, c.gates = c.channels+own, c.gates+ways
		c.most, c.mostGates = max(c.most, own), max(c.mostGates, ways)
	}
	sorted, before := slices.Clone(x.lengths), 0
	slices.Sort(sorted)
	for i, length := range sorted {
		if length > before {
			c.groups = append(c.groups, blocks{router.Cycle(length - before), router.Cycle((len(sorted) - i) * (len(sorted) - 1))})
			before = length
		}
	}
	return c
}

// fit reports whether all words can be there in so many cycles, by some number of messages.
func (c *chains) fit(cycles router.Cycle) bool {
	growth := c.growth(cycles)
	if len(growth) == 0 {
		return false
	}
	least := c.fewest(cycles, growth)
	if least < 0 {
		return false
	}
	per := c.Overhead() + c.Rest()
	room := c.channels * (cycles - c.Startup - c.Hop + c.Rest())
	fits := func(messages router.Cycle) bool {
		return messages >= least && messages*per+c.Flit*c.carried(messages, growth) <= room
	}
	if fits(least) {
		return true
	}
	for _, g := range c.groups {
		for _, chains := range growth {
			if at := g.count / chains; fits(at) || fits(at+1) {
				return true
			}
		}
	}
	return false
}

// growth returns the most chains of up to 1, 2, ... messages for each message. The list ends where that is more than there are blocks, or where no more messages are there in time.
func (c *chains) growth(cycles router.Cycle) (sums []router.Cycle) {
	of, sum := router.Cycle(1), router.Cycle(0)
	for from := router.Cycle(0); ; from += c.UntilWhole(1, 1) {
		left := cycles - from - c.Startup - c.Hop
		if left < c.Flit {
			return sums
		}
		if len(sums) > 0 {
			of *= min(c.most*((left+c.Rest())/(c.Flit+c.Overhead()+c.Rest())), c.mostGates*(left/c.Flit))
		}
		sum += of
		sums = append(sums, sum)
		if sum >= c.groups[0].count {
			return sums
		}
	}
}

// carried returns how often words are carried at least, by so many messages; or as if all words could go by one message more than growth has, which is
// less.
func (c *chains) carried(messages router.Cycle, growth []router.Cycle) (sum router.Cycle) {
	for _, g := range c.groups {
		left := g.count
		for _, chains := range growth {
			sum += g.words * left
			left = max(0, g.count-messages*chains)
		}
		sum += g.words * left
	}
	return sum
}

// fewest returns the fewest messages for which the PEs can send and receive all words in time, or -1. It is 1 with full duplex.
func (c *chains) fewest(cycles router.Cycle, growth []router.Cycle) router.Cycle {
	room := c.gates * (max(0, cycles-c.Lead()) / c.Flit)
	most := c.groups[0].count
	if !c.half {
		return 1
	}
	if 2*c.carried(most, growth) > room {
		return -1
	}
	least := router.Cycle(1)
	for least < most {
		if middle := (least + most) / 2; 2*c.carried(middle, growth) <= room {
			most = middle
		} else {
			least = middle + 1
		}
	}
	return least
}
