// SPDX-License-Identifier: Apache-2.0

package greedy

// assignment finds pairs of senders and receivers, each in one pair, whose values have the largest sum (Kuhn, Munkres). Values are
// by sender and receiver, 0 for pairs that are not wanted.
type assignment struct {
	nodes         int
	value         []int
	price, refund []int // by receiver, and by sender: value <= refund + price, and equal for pairs; both have a place more, for no node
	partner       []int // by receiver: its sender, counted from 1
	gap, behind   []int // by receiver: what its price lacks for a pair with one of the senders reached, and the receiver from which that one was reached
	reached       []bool
}

func newAssignment(nodes int) *assignment {
	a := &assignment{nodes: nodes, value: make([]int, nodes*nodes)}
	a.price, a.refund, a.partner = make([]int, nodes+1), make([]int, nodes+1), make([]int, nodes+1)
	a.gap, a.behind, a.reached = make([]int, nodes+1), make([]int, nodes+1), make([]bool, nodes+1)
	return a
}

// solve calls a function for each pair with a value.
func (a *assignment) solve(pair func(from, to int32)) {
	clear(a.price)
	clear(a.refund)
	clear(a.partner)
	for sender := 1; sender <= a.nodes; sender++ {
		a.add(sender)
	}
	for to := 1; to <= a.nodes; to++ {
		if from := a.partner[to] - 1; a.value[from*a.nodes+to-1] > 0 {
			pair(int32(from), int32(to-1))
		}
	}
}

// add gives a sender a receiver; others may change theirs.
func (a *assignment) add(sender int) {
	clear(a.reached)
	for to := range a.gap {
		a.gap[to] = int(never)
	}
	a.partner[0] = sender
	at := 0
	for a.partner[at] != 0 {
		at = a.widen(at)
	}
	for ; at != 0; at = a.behind[at] {
		a.partner[at] = a.partner[a.behind[at]]
	}
}

// widen reaches the partner of a receiver, and returns the receiver that is then the nearest.
func (a *assignment) widen(at int) (nearest int) {
	a.reached[at] = true
	from, least := a.partner[at], int(never)
	values := a.value[(from-1)*a.nodes:][:a.nodes]
	for to := 1; to <= a.nodes; to++ {
		if a.reached[to] {
			continue
		}
		if gap := a.refund[from] + a.price[to] - values[to-1]; gap < a.gap[to] {
			a.gap[to], a.behind[to] = gap, at
		}
		if a.gap[to] < least {
			least, nearest = a.gap[to], to
		}
	}
	for to := range a.gap {
		if a.reached[to] {
			a.refund[a.partner[to]] -= least
			a.price[to] += least
		} else {
			a.gap[to] -= least
		}
	}
	return nearest
}
