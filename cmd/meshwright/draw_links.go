// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/pflag"

	"meshwright/capture/svg"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
)

// open reads the machine of the picture. What the flags leave open is the machine's: the topology, the faults and the slower links.
func (f *drawFlags) open(flags *pflag.FlagSet) (machine.Machine, error) {
	file, err := machine.Open(f.machine)
	if err != nil {
		return machine.Machine{}, err
	}
	m := file.Machine
	if f.topology == "" {
		f.topology = file.Topology
	}
	if f.faults == nil && m.Faults != nil {
		f.faults = m.Faults.Specs
	}
	if flags.Changed(machine.LinksKey) {
		if err := m.SetGiven(machine.LinksKey, f.links); err != nil {
			return m, err
		}
	}
	return m, nil
}

// slowLinks lists the links to draw as slower than others, and what a picture says of them that does not draw them.
func (f *drawFlags) slowLinks(t *topology.Topology, m machine.Machine) ([]svg.Slow, error) {
	if m.Links == nil {
		return nil, nil
	}
	if m.Switching != machine.Wormhole {
		return nil, input.Errorf("expected a wormhole machine", "%s %s: not on a machine of switching %s", machine.LinksKey, m.Links, m.Switching)
	}
	return svg.SlowLinks(t, &m)
}
