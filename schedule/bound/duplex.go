// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"cmp"
	"slices"
	"sort"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// halfDuplex bounds a collective whose messages bring so many words to their receivers, counted once for each message that
// carries them. It is 0 with full duplex.
//
// Every word is sent by a PE and received by another. A half-duplex PE with c channels sends at most c flits in f cycles, or receives
// at most c flits in them, but never both. No PE works before cycle s. So 2*words flits share the channels of all PEs:
//
//	T >= s + f * ceil(2*words / sum of c)
func halfDuplex(t *topology.Topology, m machine.Machine, words router.Cycle) router.Cycle {
	if m.Duplex != machine.Half || words == 0 {
		return 0
	}
	all := 0
	for n := range router.NodeID(t.Nodes()) {
		all += gates(t, m, n)
	}
	return lead(&m) + router.Cycle(m.Flit)*share(2*words, all)
}

// halfDuplexGrowth bounds a broadcast of W words, or a reduction, on half-duplex machines: the flits share the PEs as in halfDuplex, and a PE has nothing
// to do before growth lets it have a word.
//
//	broadcast	root   | startup | sends .......................... | hop |
//	         	others           | a_i-f+1 | receive, send on .............|
//
// Let the first flit of the i-th node that gets any come to it in cycle q. If all messages had been of one word each so far, the node could have a word in cycle q+f-1.
// So this is no less than the cycle a_i of growth, and the PE of the node has T - (a_i-f+1) cycles at most. A reduction is this, reversed in time: let the last flit of a PE have left it in cycle q.
// If its message had been this flit alone, it would be handed over in cycle q-f+1-s, and growth, backwards, says that a_i cycles more pass at least. In these cycles a PE of c channels sends or receives
// floor(cycles/f) flits over each of them, and all PEs together send and receive (N-1)*W flits each. The nodes with the most channels are taken to be the first.
func halfDuplexGrowth(t *topology.Topology, m machine.Machine, root router.NodeID, words int, reduction bool) router.Cycle {
	others := t.Nodes() - 1
	if m.Duplex != machine.Half || words == 0 || others == 0 || m.PacketSwitched() {
		return 0
	}
	model, every := timing.Of(&m), period(&m)
	early := model.Flit - 1 // cycles in which a PE is busy before growth counts it
	if reduction {
		every, early = model.Flit, model.UntilWhole(1, 1)-model.Hop
	}
	times := newGrowth(t, m, others, every).inOrder(reach(t, root))
	if len(times) < others {
		return 0
	}
	var counts []router.Cycle
	for n := range router.NodeID(t.Nodes()) {
		if n != root {
			counts = append(counts, router.Cycle(gates(t, m, n)))
		}
	}
	slices.SortFunc(counts, func(a, b router.Cycle) int { return cmp.Compare(b, a) })
	work := 2 * router.Cycle(others) * router.Cycle(words)
	fits := func(cycles int) bool {
		flits := func(waits router.Cycle) router.Cycle { return max(0, router.Cycle(cycles)-waits) / model.Flit }
		sum := router.Cycle(gates(t, m, root)) * flits(model.Lead()+model.Hop)
		for i, at := range times {
			waits := max(model.Lead(), at-early)
			if reduction {
				waits = model.Lead() + max(0, at-early)
			}
			sum += counts[i] * flits(waits)
		}
		return sum >= work
	}
	most := 1
	for !fits(most) {
		most *= 2
	}
	return router.Cycle(sort.Search(most, fits))
}
