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

// ArrivalTime returns the time at which a message has arrived whose last flit a
// PE takes in cycle t: 1 + t, and t itself on a machine that switches packets,
// where a flit crosses its link in the last cycle of its time on it.
func (n *Network) ArrivalTime(t router.Cycle) router.Cycle {
	if n.Machine.PacketSwitched() {
		return t
	}
	return t + 1
}

// LinkUse is what a link did during a run, in cycles.
type LinkUse struct {
	Link                int // index in Topology.Links
	Flits               uint64
	Busy, Blocked, Idle uint64 // busy: flits and, of packets, set-ups
}

// LinkUse returns the counts of every link, in the order of Topology.Links.
func (n *Network) LinkUse() []LinkUse {
	links := n.Topology.Links()
	use := make([]LinkUse, len(links))
	cycles := uint64(n.bank.Now())
	for i, link := range links {
		flits := n.bank.Carried(link.From, link.FromPort)
		busy := flits*uint64(n.Machine.FlitTicks()) + n.bank.Setups(link.From, link.FromPort)*uint64(n.Machine.SetupTicks())
		u := LinkUse{Link: i, Flits: flits, Busy: busy, Blocked: n.bank.BlockedCycles(link.From, link.FromPort)}
		u.Idle = cycles - min(cycles, u.Busy+u.Blocked)
		use[i] = u
	}
	return use
}
