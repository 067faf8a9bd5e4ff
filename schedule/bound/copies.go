// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// copies bounds a broadcast of W words to N nodes by startups and words together. Small messages pay many startups, large ones
// reach the nodes that pass them on late. Of distances the bound counts one hop for each message.
//
// Count copies: a word that a message brings to a node is a copy of it. A broadcast needs (N-1)*W copies. Let S(x, R) be the most copies that come from a
// batch of x words that a node of g channels has got R cycles before the end, at that node or further on, and G(x, R) those by one channel. A message of y words
// keeps its channel for f*y + rest cycles and is whole late(y) = s + f*y + h - 1 cycles after its hand-over. Then
//
//	S(x, R) = min(x*(N-1), g*G(x, R)),
//	G(x, R) = max over y <= x of y + S(y, R - late(y)) + G(x, R - f*y - rest), where the argument of S is 1 or more.
//
// A node that gets several batches is counted anew for each of them, and a message of words of several batches as a message for each, which only makes the
// numbers larger. The bound is the least R in which the root's channels together make all copies. A reduction is a broadcast
// reversed in time in which a channel needs no rest. With a single port the flits of all messages of a node follow one another, whatever their channels, so that the
// same holds of one channel without rest.
//
// In S and G a node has no limit of messages, but all channels together have one, see capacity. So each message is charged q words: if no more than M messages
// fit, the copies less q words for each message have to be (N-1)*W - q*M or more, for every q. The largest numbers of copies less charges follow the same formulas
// with y - q in the place of y. The bound is the least R for which they suffice for all q that are tried.
//
// Sizes are counted in classes: a message of a class has the words of its smallest message for its time, and of its largest for its copies. Time is counted in
// spans as in relays; a known bound says how long they are. So the bound may be too low, or 0, but never too high.
func copies(t *topology.Topology, m machine.Machine, root router.NodeID, words int, room *capacity, known router.Cycle) (best router.Cycle) {
	if m.Startup == 0 || words < 2 || m.PacketSwitched() {
		return 0
	}
	reduction := room.reduction
	c := &copying{
		Model: timing.Of(&m), nodes: router.Cycle(t.Nodes()), words: router.Cycle(words), rest: period(&m) - router.Cycle(m.Flit),
		channels: mostChannels(t, m), root: router.Cycle(channels(t, m, root)), room: room,
	}
	c.classes()
	if !reduction {
		best = c.least(known)
	}
	c.rest = 0
	if m.Ports == machine.SinglePort {
		c.channels, c.root = 1, 1
	}
	if reduction || m.Ports == machine.SinglePort {
		best = max(best, c.least(max(known, best)))
	}
	for c.charge = c.words / 2; c.charge > c.words/maxCharge && c.charge > 0; c.charge /= 2 {
		best = max(best, c.least(max(known, best)))
	}
	return best
}

// maxCharge is the number of words of which a message is charged at least one.
const maxCharge = 32

// copying holds the numbers of the machine that copies needs.
type copying struct {
	timing.Model
	rest           router.Cycle // of a channel between two messages
	nodes, words   router.Cycle
	channels, root router.Cycle   // of any node at most, of the root
	most, fewest   []router.Cycle // by class of sizes: words of its messages
	room           *capacity
	charge         router.Cycle // of a message, in words
}

// classes divides the sizes 1 to words: the largest size of a class is at most a quarter more than its smallest.
func (c *copying) classes() {
	for from := router.Cycle(1); from <= c.words; {
		to := min(c.words, max(from, from*5/4))
		c.fewest, c.most = append(c.fewest, from), append(c.most, to)
		from = to + 1
	}
}

// maxCopySpans bounds the spans into which time is divided.
const maxCopySpans = 1 << 12

// least returns the least time in which the root's words reach all nodes. It is counted in spans, at first in spans as long as a known time needs. It is 0 where spans would be longer than messages.
func (c *copying) least(known router.Cycle) (best router.Cycle) {
	for span := max(1, 2*known/maxCopySpans); span <= c.Flit+c.rest; span *= 2 {
		end, ok := c.spans(span)
		best = max(best, (end-1)*span+1)
		if ok {
			break
		}
	}
	return best
}

// spans returns the first number of spans in which the root can make all copies. If ok is false, it returns the first number of
// spans that was not tried.
func (c *copying) spans(span router.Cycle) (end router.Cycle, ok bool) {
	sizes := len(c.most)
	made := make([]router.Cycle, sizes*maxCopySpans) // G, by class and spans left
	for i := router.Cycle(1); i < maxCopySpans; i++ {
		for x := range sizes {
			best := made[x*maxCopySpans+int(i)-1]
			for y := range x + 1 {
				late := c.UntilWhole(1, int(c.fewest[y]))
				if i*span <= late {
					break
				}
				further := min(c.most[y]*(c.nodes-1), c.channels*made[y*maxCopySpans+int(i-late/span)])
				again := i - (c.Flit*c.fewest[y]+c.rest)/span
				count := c.most[y] - c.charge + further
				if again > 0 {
					count += made[x*maxCopySpans+int(again)]
				}
				best = max(best, count)
			}
			made[x*maxCopySpans+int(i)] = min(best, c.most[x]*(c.nodes-1))
		}
		needed := c.room.others * c.words
		if c.charge > 0 {
			needed -= c.charge * c.room.messages(i*span)
		}
		if c.root*made[(sizes-1)*maxCopySpans+int(i)] >= needed {
			return i, true
		}
	}
	return maxCopySpans, false
}
