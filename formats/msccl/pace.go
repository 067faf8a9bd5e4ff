// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"cmp"
	"slices"
)

// Pace. The least steps of level alone can make a PE wait for a message of one threadblock
// before it sends for another, though the other has all it needs:
//
//	threadblock 0   take a . . . . . . (a comes late)       step 0
//	threadblock 1   take b, send b on                       steps 0 and 1
//
// In step 1 the PE has taken all of step 0, a included. So the steps also follow the time: a
// PE takes a no earlier than in the step in which it sends b on, since b leaves before a
// comes.

// pace is when the acts happen if threadblocks run at once: a connection passes on one chunk in
// each unit of time, whatever else goes on, and moves within a rank take none.
type pace struct {
	leaves []int // by act: of a message when it leaves its sender, of a move when it happens
	taken  []int // by act: of a message when its receiver has taken it
}

// pace follows the steps in an order in which they may happen.
func (b *lister) pace() pace {
	p := pace{make([]int, len(b.acts)), make([]int, len(b.acts))}
	done := make([]int, len(b.a.ops))   // by op: when the threadblock may go on
	free := make([]int, len(b.private)) // by threadblock: when its connection may take the next message
	for _, i := range b.flow.order {
		o := &b.a.ops[i]
		now := 0
		if o.index > 0 {
			now = done[i-1]
		}
		if o.after >= 0 {
			now = max(now, done[o.after])
		}
		if o.sender >= 0 {
			m := b.message[o.sender]
			now = max(now, p.leaves[m]+b.acts[m].out.count)
			p.taken[m] = now
		}
		if o.receiver >= 0 {
			now = max(now, free[o.column])
			free[o.column] = now + o.Count
			p.leaves[b.message[i]] = now
		}
		done[i] = now
	}
	return p
}

// wishes are edges that keep what a PE sends from waiting for what it takes later. Each message
// has one from the last that the PE sends before it takes the message.
func (b *lister) wishes(p pace) []edge {
	sent, taken := make([][]int32, b.a.Ranks), make([][]int32, b.a.Ranks)
	for i := range b.acts {
		if x := &b.acts[i]; x.kind == message {
			sent[x.from], taken[x.to] = append(sent[x.from], int32(i)), append(taken[x.to], int32(i))
		}
	}
	var wishes []edge
	for rank := range sent {
		mine := sent[rank]
		slices.SortStableFunc(mine, func(x, y int32) int { return cmp.Compare(p.leaves[x], p.leaves[y]) })
		for k := 1; k < len(mine); k++ {
			wishes = append(wishes, edge{from: mine[k-1], to: mine[k]})
		}
		for _, x := range taken[rank] {
			before, _ := slices.BinarySearchFunc(mine, p.taken[x], func(m int32, at int) int { return cmp.Compare(p.leaves[m], at) })
			if before > 0 {
				wishes = append(wishes, edge{from: mine[before-1], to: x})
			}
		}
	}
	return wishes
}

// levelInTime levels the acts again, with wishes. Wishes on circles in which a step would have
// to come behind itself are dropped, first those that go back in time. The edges without
// wishes have no such circle.
func (b *lister) levelInTime() {
	p := b.pace()
	hard := len(b.edges)
	wishes := b.wishes(p)
	for {
		b.edges = append(b.edges[:hard], wishes...)
		circles := b.level()
		if circles == nil {
			return
		}
		on := func(e edge) bool { return circles[e.from] && circles[e.to] }
		kept := slices.DeleteFunc(slices.Clone(wishes), func(e edge) bool { return on(e) && p.leaves[e.from] > p.leaves[e.to] })
		if len(kept) == len(wishes) {
			kept = slices.DeleteFunc(kept, on)
		}
		wishes = kept
	}
}
