// SPDX-License-Identifier: Apache-2.0

package fabric

import "meshwright/router"

// Anew returns another network of the same chips, links and routes, at cycle 0 and without
// components. Its messages have no startup, and components may call Signals.Hold. Of all faults it has the upsets at a rate, drawn by a seed of its own.
func (n *Network) Anew(seed uint64) *Network {
	m := n.Machine
	m.Startup, m.Faults = 0, nil
	other := &Network{Routes: Routes{Topology: n.Topology, Machine: m, base: n.base}, times: n.times}
	other.route()
	if n.faults != nil {
		if on := n.faults.list.RandomUpsets(seed); on != nil {
			other.faults = &faults{list: on, upsets: newUpsets(on)}
		}
	}
	cfg := other.config()
	cfg.Gaps = true
	other.bank = router.NewBank(cfg)
	other.nic.init(other)
	other.nic.held = make([]uint64, len(other.nic.active))
	return other
}
