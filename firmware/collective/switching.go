// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/firmware/plan"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/internal/input"
)

// Switches reports whether an algorithm runs on machines of that switching; ""
// is wormhole.
func (a *Algorithm) Switches(s machine.Switching) bool {
	return s == "" || slices.Contains(a.Switchings, s)
}

func (a *Algorithm) wrongSwitching(s machine.Switching) error {
	return noSwitching(a.Collective+" "+a.Name+" does not run", s, a.Switchings)
}

// noSwitching says that something does not run on a machine, and on which it does.
func noSwitching(what string, s machine.Switching, list []machine.Switching) error {
	want := string(list[0])
	for i, other := range list[1:] {
		separator := ", "
		if i == len(list)-2 {
			separator = " or "
		}
		want += separator + string(other)
	}
	return input.Errorf("expected switching "+want, "%s on a %s machine", what, s)
}

// bySwitching plans by one of two forms of an algorithm: for machines that switch
// worms, and for machines that switch packets.
func bySwitching(worms, packets func(*plan.Task) (*plan.Plan, error)) func(*plan.Task) (*plan.Plan, error) {
	return func(t *plan.Task) (*plan.Plan, error) {
		if t.Machine.PacketSwitched() {
			return packets(t)
		}
		return worms(t)
	}
}
