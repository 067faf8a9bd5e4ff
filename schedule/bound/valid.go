// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
)

// A bound of what cannot be run is 0: of a topology that topology.Parse has not
// made, a machine with values that it does not take, a root that is no node,
// lengths that are negative or not one for each node.

// possible reports whether there are such a topology and machine.
func possible(t *topology.Topology, m machine.Machine) bool {
	return t.Valid() == nil && m.Valid() == nil
}

// fitting reports whether there is a length of at least 0 for each node.
func fitting(t *topology.Topology, lengths []int) bool {
	for _, length := range lengths {
		if length < 0 {
			return false
		}
	}
	return len(lengths) == t.Nodes()
}
