// SPDX-License-Identifier: Apache-2.0

package deadlock

import (
	"meshwright/fabric"
	"meshwright/internal/bitset"
	"meshwright/router"
)

// This file is Duato's condition for adaptive routing (1993): a network is free of deadlock if every head
// may wait for an escape channel, and the escape channels do not depend on one another in a circle. An
// escape channel depends on those for which a message may wait that has come through it and
// has gone on over adaptive channels: an indirect dependency.

// ahead are the escape channels for which messages to one node may wait, by the node where they are
// when they have left their last escape channel.
type ahead struct {
	known []int32 // the round in which a node's set was made
	sets  []bitset.Set
	seen  []int32 // the round in which a message was followed to a node
	round int32
	to    router.NodeID
}

// adapt follows a message over all of its routes.
func (w *walk) adapt(m *fabric.Message) {
	a := &w.ahead
	if a.sets == nil {
		nodes := w.net.Topology.Nodes()
		a.known, a.sets, a.seen, a.to = make([]int32, nodes), make([]bitset.Set, nodes), make([]int32, nodes), router.None
	}
	if a.to != m.Destination || a.round != w.round {
		a.to, a.round = m.Destination, w.round
	}
	stack := []router.NodeID{m.Source}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if at == a.to || a.seen[at] == a.round {
			continue
		}
		a.seen[at] = a.round
		for _, c := range w.choices(at) {
			w.used.Set(int32(c))
			next := w.behind(c)
			stack = append(stack, next)
			if w.bank.Escapes(c) && next != a.to {
				w.addAll(c, w.waitsAhead(next))
			}
		}
	}
}

// choices returns the channels of which a message may take one at a node.
func (w *walk) choices(at router.NodeID) []router.Channel {
	return w.bank.Enter(nil, &router.Worm{Source: at, Destination: w.ahead.to})
}

func (w *walk) behind(c router.Channel) router.NodeID {
	at, port, _ := w.bank.ChannelAt(c)
	return w.net.Topology.Neighbor(at, port)
}

// waitsAhead returns the escape channels for which a message may wait from a node on, until it is
// in one of them. Routes are shortest routes, so that the recursion ends.
func (w *walk) waitsAhead(at router.NodeID) bitset.Set {
	a := &w.ahead
	if a.known[at] == a.round {
		return a.sets[at]
	}
	if a.sets[at] == nil {
		a.sets[at] = bitset.New(w.bank.LinkChannels())
	}
	set := a.sets[at]
	clear(set)
	for _, c := range w.choices(at) {
		if w.bank.Escapes(c) {
			set.Set(int32(c))
		} else if next := w.behind(c); next != a.to {
			for i, word := range w.waitsAhead(next) {
				set[i] |= word
			}
		}
	}
	a.known[at] = a.round
	return set
}
