// SPDX-License-Identifier: Apache-2.0

package collective

import (
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
	list := a.Switchings
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
