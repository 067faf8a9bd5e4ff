// SPDX-License-Identifier: Apache-2.0

package deadlock

import (
	"math"

	"meshwright/fabric"
	"meshwright/router"
)

// This file follows the two phases of Valiant's routing by themselves: to follow every message by way
// of every node would take a round for each three nodes.

// secondPhase follows the second phase of messages: the whole route of those that start where they turn.
func (w *walk) secondPhase(m *fabric.Message) {
	h := w.net.Header(m, int(m.Source))
	w.follow(&h)
}

// firstPhase follows the first phase of messages by way of a node, and lets each of them go on to all
// other nodes.
func (w *walk) firstPhase(via router.NodeID) {
	nodes := router.NodeID(w.net.Topology.Nodes())
	w.round++
	for from := range nodes {
		if from == via {
			continue
		}
		for to := range min(nodes, router.NodeID(w.net.Machine.VCs)+1) { // the lanes repeat
			if to == from {
				continue
			}
			h := w.net.Header(&fabric.Message{Source: from, Destination: to}, int(via))
			h.Turn = math.MaxUint32
			w.follow(&h)
		}
	}
	for c := range w.used.All() {
		if w.seen[c] == w.round {
			w.turn(router.Channel(c), via)
		}
	}
}

// turn adds what messages wait for that come to the end of their first phase in a channel.
func (w *walk) turn(c router.Channel, via router.NodeID) {
	if at, port, _ := w.bank.ChannelAt(c); w.net.Topology.Neighbor(at, port) != via {
		return
	}
	for to := range router.NodeID(w.net.Topology.Nodes()) {
		if to == via {
			continue
		}
		w.list = w.bank.Onward(w.list[:0], c, &router.Worm{Destination: to, Via: via, Turn: 1}, 1)
		for _, next := range w.list {
			w.add(c, next)
		}
	}
}
