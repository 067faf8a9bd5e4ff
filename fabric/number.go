// SPDX-License-Identifier: Apache-2.0

package fabric

import (
	"slices"

	"meshwright/router"
)

// Number returns the number of a message in all that is told of a run: traces,
// pictures, schedules, collisions and deadlocks. It is unique in the run, of data
// and of control words: 1 for the first message sent, 2 for the next, unless
// NumberMessages has said otherwise. Tables show the program's own name instead,
// fabric.Message.Tag, which many messages may have.
func (n *Network) Number(serial int32) int64 {
	if n.number != nil {
		return n.number(serial)
	}
	return int64(serial) + 1
}

// NumberMessages gives a run's messages numbers of their own, by serial number. No
// two messages may get the same one. Call it before the first cycle.
func (n *Network) NumberMessages(number func(serial int32) int64) { n.number = number }

// NumberedCollisions is Collisions with the numbers of the messages in place of
// their serial numbers; none stays -1.
func (n *Network) NumberedCollisions() ([]router.Collision, int) {
	list, count := n.Collisions()
	list = slices.Clone(list)
	for i := range list {
		list[i].Lost = int32(n.Number(list[i].Lost))
		if list[i].Holder >= 0 {
			list[i].Holder = int32(n.Number(list[i].Holder))
		}
	}
	return list, count
}
