// SPDX-License-Identifier: Apache-2.0

package published

import (
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// bineTree is a broadcast in which the nodes that have the words double in every step: each sends
// them to its partner of the step, and the distances fall. The partners on a ring are those
// of swing, so that the messages of a step go to one side as often as to the other.
//
//	step   distance
//	0      3          0 > 3
//	1      -1         0 > 7, 3 > 4
//	2      1          0 > 1, 3 > 2, 7 > 6, 4 > 5
//
// A reduce is the same backwards, with sums.
func bineTree(p pattern, root router.NodeID, nodes, words int) *transfer.List {
	l := newLister(nodes)
	all := cut(transfer.Range{From: 0, To: words}, 0, 1, 1)
	first := root
	for _, e := range p.extras { // the partner stands for an extra that is the root
		if e[0] == root {
			first = e[1]
			l.send(0, root, first, all, transfer.Put)
		}
	}
	has := []router.NodeID{first}
	steps := len(p.peers)
	for k := steps - 1; k >= 0; k-- {
		for _, n := range has {
			q := p.peers[k][n]
			l.send(steps-k, n, q, all, transfer.Put)
			has = append(has, q)
		}
	}
	for _, e := range p.extras {
		if e[0] != root {
			l.send(steps+1, e[1], e[0], all, transfer.Put)
		}
	}
	return l.List
}
