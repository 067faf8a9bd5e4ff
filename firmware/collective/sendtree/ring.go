// SPDX-License-Identifier: Apache-2.0

package sendtree

import (
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// RingAllReduce adds up W words of each of n nodes of a ring, and leaves the sum
// with all nodes. The words are cut into n segments. In n-1 steps every segment
// goes around the ring to be summed up, and in n-1 more steps its sum goes around
// (reduce-scatter and all-gather). With a channel for every link there are 2n
// segments, and half of the words go in either direction.
func RingAllReduce(t *topology.Topology, m machine.Machine, words int) *transfer.List {
	n := t.Nodes()
	l := &transfer.List{Nodes: n}
	ways := ringWays(m)
	for step := range 2 * (n - 1) {
		for at := range n {
			for way := range ways {
				sign, segment := 1, at-step
				if way == 1 {
					sign, segment = -1, at+step
				}
				op := transfer.Add
				if step >= n-1 {
					op = transfer.Put
				}
				part := all(words).Part(way*n+(segment%n+n)%n, ways*n)
				l.Transfers = append(l.Transfers, transfer.Transfer{
					Step: step, From: router.NodeID(at), To: router.NodeID((at + sign + n) % n), Out: part, Op: op,
				})
			}
		}
	}
	return l
}

// ringWays returns in how many directions the words go.
func ringWays(m machine.Machine) int {
	if timing.IndependentLinks(&m) {
		return 2
	}
	return 1
}
