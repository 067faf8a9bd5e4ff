// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// gossipStartups bounds a gossip by startups and words together, on any network.
//
// The W words of all blocks reach N-1 nodes each, so (N-1)*W words are sent. Some channel of the C channels of all nodes sends X = ceil((N-1)W/C)
// words or more. Large messages save startups, but a node must first have their words:
//
//		cycle   0      t1                 t2
//		sends          x1 <= K(t1)        x2 <= K(t2)        x1 + x2 + … >= X
//
//	  - In cycle t a node knows at most K(t) = own words + c*floor((t-s-h+1)/f), since no flit is at a node before cycle s+h+f-1, and c ejection channels take a flit
//	    each in f cycles. A half-duplex node with one channel that has sent y words by then could not receive while it sent them, but for the first h cycles, in which nothing arrives.
//	  - A message of x words keeps its channel for f*x + rest cycles (see relays), and the last message is whole s + f*x + h - 1 cycles after its hand-over.
//
// The bound is the least time in which a channel can send X words. Large numbers of words are counted in units of u words: a message that counts as
// k units has at least (k-1)*u + 1 words. So the bound may be too low, but never too high. Like [GossipSlots] it holds for PEs that
// store words and pass them on.
func gossipStartups(t *topology.Topology, m machine.Machine, lengths []int, total int) router.Cycle {
	if m.Startup == 0 || total == 0 || m.PacketSwitched() {
		return 0
	}
	all := 0
	for n := range router.NodeID(t.Nodes()) {
		all += channels(t, m, n)
	}
	g := newSending(t, m, lengths)
	return g.least(share(router.Cycle(total)*router.Cycle(t.Nodes()-1), all))
}

// sending holds the numbers of the machine that gossipStartups needs.
type sending struct {
	timing.Model
	own, taking router.Cycle // words of a node, at most; flits that a node receives at once, at most
	half        bool         // a node has one channel, with half duplex
}

// maxUnits bounds the units into which the words of a channel are divided.
const maxUnits = 256

// least returns the least time in which a channel sends so many words.
func (g *sending) least(words router.Cycle) router.Cycle {
	unit := share(words, maxUnits)
	units := share(words, int(unit))
	rest := g.Overhead() + g.Rest()
	free := make([]router.Cycle, units+1) // by units sent: when the channel takes the next message
	best := router.Cycle(-1)
	for sent := range units {
		if sent > 0 {
			free[sent] = 0
			for x := router.Cycle(1); x <= sent; x++ {
				if at := g.hand(free[sent-x], sent-x, x, unit) + g.Flit*((x-1)*unit+1) + rest; free[sent] == 0 || at < free[sent] {
					free[sent] = at
				}
			}
		}
		x := units - sent
		if at := g.hand(free[sent], sent, x, unit) + g.UntilWhole(1, int((x-1)*unit+1)) + 1; best < 0 || at < best {
			best = at
		}
	}
	return best
}

// hand returns the earliest cycle, from a cycle on, in which a node that has sent some units can know the words of a message of x units.
func (g *sending) hand(from, sent, x, unit router.Cycle) router.Cycle {
	lacks := max(0, (x-1)*unit+1-g.own)
	if lacks == 0 {
		return from
	}
	at := g.Lead() + g.Hop - 1 + g.Flit*share(lacks, int(g.taking))
	if g.half { // a unit sent has a word at least
		at += max(0, g.Flit*sent-g.Hop-g.Flit+1)
	}
	return max(from, at)
}
