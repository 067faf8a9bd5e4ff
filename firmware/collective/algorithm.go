// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
)

// Algorithm is a generator.
type Algorithm struct {
	Collective string // the name of a Kind
	Name       string
	Aliases    []string
	About      string // one line
	On         string // the topologies it is for
	Switchings []machine.Switching
	options    []Option // without the options of its half-duplex, one-channel form
	runsOn     func(*topology.Topology) bool
	plan       func(*plan.Task) (*plan.Plan, error)
	effort     effort
	lastResort bool           // auto compares it only where weighsLast says so; elsewhere it chooses it where no other algorithm takes the job
	around     around         // whether it plans around known faults
	onePort    bool           // on machines that switch packets it needs ports single
	oneChannel oneChannelForm // for wormhole machines whose PEs have one half-duplex channel; the zero value: none
}

// Table returns all algorithms. The first algorithm of a collective, auto, is the default. Of
// algorithms with the same time auto chooses the first in the table.
func Table() []Algorithm { return table() }

// Algorithms lists the names of a collective's algorithms; none if there is no
// such collective.
func Algorithms(collective string) []string {
	kind, err := plan.KindOf(collective)
	if err != nil {
		return nil
	}
	var names []string
	for _, a := range table() {
		if a.Collective == kind.Name {
			names = append(names, a.Name)
		}
	}
	return names
}
