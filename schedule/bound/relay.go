// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"sort"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// relays bounds the time in which one node distributes words of its own, lengths by node, when
// messages may carry words for several nodes, other nodes may pass words on, and blocks may be
// cut. The bound counts startups and words together. Of the distances it counts one hop for
// each message.
//
// Let s be the startup, f the cycles of a flit, h the cycles of a hop, and rest = max(0,
// s+1-f). A channel takes a message of x flits in cycle t.
//
//	t                   the channel takes the message
//	t + f*x + rest      the channel takes the next message
//	t + s + f*x + h-1   the message is whole at its receiver
//
// Count the words that reach their destinations. Let F(R) be the most words that a node with g
// channels can deliver in R cycles, by itself or through others, and G(R) the most through one
// channel:
//
//	F(R) = g*G(R),
//	G(R) = max over x of x + G(R - f*x - rest), where
//	x <= a + F(R - s - f*x - h+1), and that argument is 1 or more.
//
// The limit of x says: of the x words of a message at most a are for the receiver, and it has
// to pass on the others in the time that is left. F counts a receiver anew for every message,
// which only makes F larger. With a single port F(R) is at most the number of flits that fit
// through the port. The bound is the least R with which the root can deliver all words.
//
// The same argument holds for one word of every node's block, with a = 1, whatever happens to
// the other words. For blocks of unequal lengths this can give a larger bound than all words
// with a = the longest block.
//
// A known bound says how long the spans are in which time is counted, see least. The result may be less than it, or 0.
func relays(t *topology.Topology, m machine.Machine, root router.NodeID, lengths []int, known router.Cycle) router.Cycle {
	words, longest, receivers := router.Cycle(0), 0, router.Cycle(0)
	for n, length := range lengths {
		if router.NodeID(n) != root && length > 0 {
			words, longest, receivers = words+router.Cycle(length), max(longest, length), receivers+1
		}
	}
	if receivers == 0 || m.Startup == 0 {
		return 0
	}
	h := &handOut{
		Model:    timing.Of(&m),
		channels: mostChannels(t, m), root: router.Cycle(channels(t, m, root)), single: m.Ports == machine.SinglePort,
	}
	best := h.least(words, router.Cycle(longest), known)
	if longest > 1 {
		best = max(best, h.least(receivers, 1, max(known, best)))
	}
	return best
}

// mostChannels is the most channels that a node has.
func mostChannels(t *topology.Topology, m machine.Machine) router.Cycle {
	most := 0
	for n := range router.NodeID(t.Nodes()) {
		most = max(most, channels(t, m, n))
	}
	return router.Cycle(most)
}

// handOut holds the numbers of the machine that relays needs.
type handOut struct {
	timing.Model
	channels, root router.Cycle // of any node at most, of the root
	single         bool         // one port for all channels
}

// maxSpans bounds the spans into which least divides time.
const maxSpans = 1 << 11

// least returns the least time in which the root can deliver so many
// words, when a receiver keeps at most a given number of them. Long times are counted in spans
// of several cycles, at first in spans as long as a known time needs. The time that is left is rounded up to spans, and the time of a message
// is rounded down. So the bound may be too low, but never too high. It is 0 where spans would be longer than messages.
func (h *handOut) least(words, keeps, known router.Cycle) (best router.Cycle) {
	shortest := h.Hold(1) // time of a channel for a message
	for span := max(1, known/maxSpans); ; span *= 2 {
		if span > shortest {
			return best
		}
		end, ok := h.spans(words, keeps, span)
		best = max(best, (end-1)*span+1)
		if ok {
			return best
		}
	}
}

// spans returns the first number of spans in which the root can deliver all words. If ok is
// false, it returns the first number of spans that was not tried.
func (h *handOut) spans(words, keeps, span router.Cycle) (end router.Cycle, ok bool) {
	through := make([]router.Cycle, maxSpans)             // G, by spans left
	served := make([]router.Cycle, maxSpans)              // F
	late, rest := h.Lead()+h.Hop-1, h.Overhead()+h.Rest() // a message of x flits is there f*x + late after it was taken
	most := router.Cycle(0)                               // flits of the largest message that can be handed out in time
	for i := router.Cycle(1); i < maxSpans; i++ {
		left := i * span
		more := max(0, min(words, (left-late-1)/h.Flit)-most)
		most += router.Cycle(sort.Search(int(more), func(k int) bool {
			x := most + 1 + router.Cycle(k)
			return x > keeps+served[i-(h.Flit*x+late)/span]
		}))
		// Of the messages that take a channel for equally many spans the largest is best.
		for x := router.Cycle(1); x <= most; {
			spans := (h.Flit*x + rest) / span
			x = min(most, ((spans+1)*span-1-rest)/h.Flit)
			through[i] = max(through[i], x+through[i-spans])
			x++
		}
		served[i] = min(words, h.channels*through[i])
		ready := min(words, h.root*through[i])
		if h.single {
			port := max(0, (left-late-1)/h.Flit)
			served[i], ready = min(served[i], port), min(ready, port)
		}
		if ready >= words {
			return i, true
		}
	}
	return maxSpans, false
}
