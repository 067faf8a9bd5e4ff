// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
)

// The bound of a job that cannot be run is 0. Such a job has a topology that
// topology.Parse did not make, a machine with invalid values, a root that is no node, or
// lengths that are negative or too many or too few.

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
