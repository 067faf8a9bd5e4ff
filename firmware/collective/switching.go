// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"slices"

	"meshwright/fabric/machine"
	"meshwright/firmware/plan"
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
	return input.Errorf("expected switching "+orSwitching(list), "%s on a %s machine", what, s)
}

// orSwitching lists ways of switching as a choice.
func orSwitching(list []machine.Switching) string {
	names := make([]string, len(list))
	for i, s := range list {
		names[i] = string(s)
	}
	return input.Or(names)
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
