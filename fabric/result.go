// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"fmt"

	"meshwright/internal/input"
	"meshwright/router"
)

// KeepLog makes the network remember every message sent; see Log.
func (n *Network) KeepLog() { n.nic.keepLog = true }

// KeepLogOf is KeepLog for a run whose number of messages is known: there is room for them from the start.
func (n *Network) KeepLogOf(messages int) {
	n.KeepLog()
	n.nic.reserve(messages)
}

// DropLog takes KeepLog back, before the first cycle: nobody will ask for the log, and its memory is saved.
func (n *Network) DropLog() { n.nic.keepLog, n.nic.log = false, nil }

// KeepTimes makes the network note the times of each message in flight, see Received. Call it
// before the first cycle. Unlike the log it takes memory for the messages in flight only.
func (n *Network) KeepTimes() { n.nic.timed = true }

// Log returns the messages in the order of sending. It is empty unless KeepLog
// or KeepLogOf
// was called before the first cycle.
func (n *Network) Log() []Sent { return n.nic.log }

// Now returns the cycle that the next Step runs.
func (n *Network) Now() router.Cycle { return n.bank.Now() }

// Deadlock returns the deadlock that ended the run, nil if none did.
func (n *Network) Deadlock() *router.Deadlock { return n.locked }

// Delivered returns the number of flits that PEs have taken.
func (n *Network) Delivered() uint64 { return n.nic.done }

// Collisions returns the first collisions in detail, with the messages' serial
// numbers, and the number of all. See NumberedCollisions.
func (n *Network) Collisions() ([]router.Collision, int) { return n.bank.Collisions() }

// Lost is the failure of a run in which flits were lost to collisions that
// nobody waited for.
type Lost struct {
	Count int
	First router.Collision
}

// Error counts the collisions and names the first.
func (l *Lost) Error() string {
	return fmt.Sprintf("%s lost to collisions, the first in cycle %d at node %d", input.Count(l.Count, "flit"), l.First.Cycle, l.First.Node)
}

// ArrivalTime returns the time at which a message has arrived whose last flit a
// PE takes in cycle t: 1 + t, and t itself on a machine that switches packets,
// where a flit crosses its link in the last cycle of its time on it.
func (n *Network) ArrivalTime(t router.Cycle) router.Cycle {
	if n.Machine.PacketSwitched() {
		return t
	}
	return t + 1
}
