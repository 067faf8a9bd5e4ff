// SPDX-License-Identifier: Apache-2.0

package fabric

import "meshwright/router"

// KeepLog makes the network remember every message sent; see Log.
func (n *Network) KeepLog() { n.nic.keepLog = true }

// Log returns the messages in the order of sending. It is empty unless KeepLog
// was called before the first cycle.
func (n *Network) Log() []Sent { return n.nic.log }

// Now returns the cycle that the next Step runs.
func (n *Network) Now() router.Cycle { return n.bank.Now() }

// Delivered returns the number of flits that PEs have taken.
func (n *Network) Delivered() uint64 { return n.nic.done }

// Collisions returns the first collisions in detail and the number of all.
func (n *Network) Collisions() ([]router.Collision, int) { return n.bank.Collisions() }

// LinkUse is what a link did during a run, in cycles.
type LinkUse struct {
	Link                int // index in Topology.Links
	Flits               uint64
	Busy, Blocked, Idle uint64
}

// LinkUse returns the counts of every link, in the order of Topology.Links.
func (n *Network) LinkUse() []LinkUse {
	links := n.Topology.Links()
	use := make([]LinkUse, len(links))
	cycles := uint64(n.bank.Now())
	for i, link := range links {
		g := n.linkBase[link.From] + int32(link.FromPort)
		flits := n.bank.Carried(link.From, link.FromPort)
		u := LinkUse{Link: i, Flits: flits, Busy: flits * uint64(n.Machine.Flit), Blocked: n.bank.Blocked[g]}
		u.Idle = cycles - min(cycles, u.Busy+u.Blocked)
		use[i] = u
	}
	return use
}
