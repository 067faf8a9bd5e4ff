// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"meshwright/fabric/machine"
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
