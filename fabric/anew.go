// SPDX-License-Identifier: Apache-2.0

package fabric

import "meshwright/router"

// Anew returns another network of the same chips, links and routes, at cycle 0 and without
// components. Its messages have no startup, nothing goes wrong in it, and components may call Signals.Hold.
func (n *Network) Anew() *Network {
	m := n.Machine
	m.Startup, m.Faults = 0, nil
	other := &Network{Routes: Routes{Topology: n.Topology, Machine: m, base: n.base}}
	other.route()
	cfg := other.config()
	cfg.Gaps = true
	other.bank = router.NewBank(cfg)
	other.nic.init(other)
	other.nic.held = make([]uint64, len(other.nic.active))
	return other
}
