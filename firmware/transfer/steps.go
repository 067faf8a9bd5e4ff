// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"cmp"
	"slices"

	"meshwright/internal/heap"
	"meshwright/router"
)

// InSteps sorts the messages of a timed list by their starts, and gives them steps: that behind all messages that the sender has by then.
func (l *List) InSteps() {
	slices.SortStableFunc(l.Transfers, func(a, b Transfer) int { return cmp.Compare(a.Start, b.Start) })
	level := make([]int, l.Nodes)
	var arriving heap.Heap[arrival]
	for k := range l.Transfers {
		x := &l.Transfers[k]
		for len(arriving) > 0 && arriving[0].at <= x.Start {
			y := &l.Transfers[arriving.Pop().transfer]
			level[y.To] = max(level[y.To], y.Step+1)
		}
		x.Step = level[x.From]
		arriving.Push(arrival{x.Due, k})
	}
}

// arrival is a message that becomes whole.
type arrival struct {
	at       router.Cycle
	transfer int
}

// Before orders arrivals by time.
func (a arrival) Before(b arrival) bool {
	return a.at < b.at || a.at == b.at && a.transfer < b.transfer
}
