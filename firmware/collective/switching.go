// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/internal/input"
)

// Switchings lists the kinds of machines that an algorithm is for. Most are
// for those that know no packets.
func (a *Algorithm) Switchings() []machine.Switching {
	flits := []machine.Switching{machine.Bufferless, machine.Wormhole}
	switch a.Name {
	case "furthest-first", "nearest-first", "approach2", "highdimgos":
		return append(flits, machine.StoreForward, machine.CutThrough)
	case "certification-ii", "search":
		return []machine.Switching{machine.StoreForward}
	}
	return flits
}

// Switches reports whether an algorithm runs on machines of that switching; ""
// is wormhole.
func (a *Algorithm) Switches(s machine.Switching) bool {
	return s == "" || slices.Contains(a.Switchings(), s)
}

func (a *Algorithm) wrongSwitching(s machine.Switching) error {
	list := a.Switchings()
	want := string(list[0])
	for i, other := range list[1:] {
		separator := ", "
		if i == len(list)-2 {
			separator = " or "
		}
		want += separator + string(other)
	}
	return input.Errorf("expected switching "+want, "%s %s does not run on a %s machine", a.Collective, a.Name, s)
}

// ordersReception reports whether a job's order is that in which a root is to
// receive packets.
func (a *Algorithm) ordersReception(m *machine.Machine) bool {
	return a.Collective == gather && a.Name == "nearest-first" && m.PacketSwitched()
}
