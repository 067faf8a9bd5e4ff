// SPDX-License-Identifier: Apache-2.0

package fabric

import "meshwright/router"

// Anew returns another network of the same chips, links and routes, at cycle 0 and without
// components. Its messages have no startup, and nothing goes wrong in it.
func (n *Network) Anew() *Network {
	m := n.Machine
	m.Startup, m.Faults = 0, nil
	other := &Network{Routes: Routes{Topology: n.Topology, Machine: m, base: n.base}}
	other.route()
	other.bank = router.NewBank(other.config())
	other.nic.init(other)
	return other
}
