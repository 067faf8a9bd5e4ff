// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"cmp"
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/router"
)

// oneChannelList is a list that grows phase by phase.
type oneChannelList struct {
	list *transfer.List
	held []transfer.Set // by node: which words it has, rising
	step int            // first one of the next phase
}

func newOneChannelList(o OneChannel) *oneChannelList {
	nodes := o.Topology.Nodes()
	l := &oneChannelList{list: &transfer.List{Nodes: nodes, Sync: o.Sync}, held: make([]transfer.Set, nodes)}
	at := 0
	for n, length := range o.Lengths {
		l.held[n] = transfer.Set{{From: at, To: at + length}}
		at += length
	}
	return l
}

func (l *oneChannelList) send(step int, from, to router.NodeID, out transfer.Set) {
	if out.Words() > 0 {
		l.list.Transfers = append(l.list.Transfers, transfer.Transfer{Step: step, From: from, To: to, Out: out})
	}
}

// union returns the words of all sets, rising. No word is in two of them.
func union(sets ...transfer.Set) transfer.Set {
	all := slices.Concat(sets...)
	slices.SortFunc(all, func(a, b transfer.Range) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return transfer.Join(all)
}

// along gossips along lines of one length at once.
func (l *oneChannelList) along(lines [][]router.NodeID, closed bool, s scheme) {
	n := len(lines[0])
	groups := between(n, s.headsOf(n))
	l.collect(lines, groups)
	for _, line := range lines {
		heads := pick(line, groups[:len(groups)-1])
		l.exchange(ringOf(heads, closed))
	}
	l.step += l.turns(len(groups) - 1)
	for widest(groups) > 1 {
		finer := refine(groups, s.factorOf(widest(groups)))
		for _, line := range lines {
			l.spreadLine(line, groups, finer, s.parts)
		}
		l.step += s.spreadSteps(widest(groups))
		groups = finer
	}
}

// headsOf returns how many bridgeheads a line of n has at first.
func (s scheme) headsOf(n int) int {
	if s.heads == 0 {
		return n
	}
	return min(n, s.heads)
}

// factorOf returns by how much the bridgeheads of groups of n are multiplied.
func (s scheme) factorOf(n int) int {
	if s.factor == 0 {
		return n
	}
	return min(n, s.factor)
}

// spreadSteps returns the steps in which groups of n get their new bridgeheads.
func (s scheme) spreadSteps(n int) int { return spreadSteps(s.factorOf(n), s.parts) }

// spreadSteps returns the steps in which one bridgehead becomes so many.
func spreadSteps(factor, parts int) int {
	if parts == 1 {
		return log2(factor)
	}
	return 2*(parts-1) + factor - 1
}

// collect brings the words of every group to its first node.
func (l *oneChannelList) collect(lines [][]router.NodeID, groups []int) {
	end := l.step + log2(widest(groups))
	for _, line := range lines {
		for g := range len(groups) - 1 {
			l.concentrate(line[groups[g]:groups[g+1]], 0, end)
		}
	}
	l.step = end
}

// concentrate brings the words of a group to its member root, in halves: the
// last message, before step end, comes from the other half.
func (l *oneChannelList) concentrate(group []router.NodeID, root, end int) {
	if len(group) == 1 {
		return
	}
	near, far, root, other := halves(group, root)
	l.concentrate(near, root, end-1)
	l.concentrate(far, other, end-1)
	from, to := far[other], near[root]
	l.send(end-1, from, to, l.held[from])
	l.held[to] = union(l.held[to], l.held[from])
}

// halves splits a group in two, near with the root. Both have their roots at
// the same place, so that messages of a step go over the same distance.
func halves(group []router.NodeID, root int) (near, far []router.NodeID, nearRoot, farRoot int) {
	middle := (len(group) + 1) / 2
	if root < middle {
		return group[:middle], group[middle:], root, min(root, len(group)-middle-1)
	}
	return group[middle:], group[:middle], root - middle, root - middle
}

// tree brings words from the member root to all of a group, the other way
// round than concentrate.
func (l *oneChannelList) tree(group []router.NodeID, root, begin int, words transfer.Set) {
	l.held[group[root]] = words
	if len(group) == 1 {
		return
	}
	near, far, root, other := halves(group, root)
	l.send(begin, near[root], far[other], words)
	l.tree(near, root, begin+1, words)
	l.tree(far, other, begin+1, words)
}

// chain brings words from the member root to all of a group in k parts: to the
// right in even steps, to the left in odd ones, two steps from part to part.
func (l *oneChannelList) chain(group []router.NodeID, root, k int, words transfer.Set) {
	left := slices.Clone(group[:root+1])
	slices.Reverse(left)
	lag := 0
	for _, way := range [][]router.NodeID{group[root:], left} {
		for part := range k {
			words := words.Part(part, k)
			for i := range len(way) - 1 {
				l.send(l.step+lag+2*part+i, way[i], way[i+1], words)
			}
		}
		if len(way) > 1 {
			lag = 1
		}
	}
	for _, n := range group {
		l.held[n] = words
	}
}

// spread makes all of a group bridgeheads, from the member root.
func (l *oneChannelList) spread(group []router.NodeID, root, parts int) {
	words := l.held[group[root]]
	if parts == 1 || len(group) < 3 {
		l.tree(group, root, l.step, words)
	} else {
		l.chain(group, root, parts, words)
	}
}

// spreadLine makes the first member of each finer group of a line a bridgehead: it
// gets the blocks from the first member of its group, which is a bridgehead already.
func (l *oneChannelList) spreadLine(line []router.NodeID, groups, finer []int, parts int) {
	k := 0
	for g := range len(groups) - 1 {
		var heads []router.NodeID
		for ; finer[k] < groups[g+1]; k++ {
			heads = append(heads, line[finer[k]])
		}
		l.spread(heads, 0, parts)
	}
}

// refine splits every group into factor groups; a group with fewer nodes is split
// into its nodes.
func refine(groups []int, factor int) []int {
	finer := []int{0}
	for g := range len(groups) - 1 {
		size := groups[g+1] - groups[g]
		for _, bound := range between(size, min(size, factor))[1:] {
			finer = append(finer, groups[g]+bound)
		}
	}
	return finer
}

// widest returns the size of the largest group.
func widest(groups []int) int {
	size := 0
	for g := range len(groups) - 1 {
		size = max(size, groups[g+1]-groups[g])
	}
	return size
}

func pick(line []router.NodeID, places []int) []router.NodeID {
	nodes := make([]router.NodeID, len(places))
	for i, p := range places {
		nodes[i] = line[p]
	}
	return nodes
}

// exchange gives all words of the nodes of a ring to all of them: every place
// sends n-1 times, first its own words, then what it took last.
//
// Without tokens all send in every step before they take: a message's startup
// passes while another comes in. With tokens a PE does one thing after the
// other, as the algorithms on the Paragon do. With an even number the places
// take turns in sending and taking, 2(n-1) of them; with an odd one a place
// has to rest in each turn, and there are 2n.
func (l *oneChannelList) exchange(ring []router.NodeID) {
	n := len(ring)
	if n < 2 {
		return
	}
	own := make([]transfer.Set, n)
	for i, node := range ring {
		own[i] = l.held[node]
	}
	sent := make([]int, n)
	for turn := range l.turns(n) {
		for i := range n {
			if l.list.Sync && !sends(i, turn, n) {
				continue
			}
			l.send(l.step+turn, ring[i], ring[(i+1)%n], own[(i-sent[i]+n)%n])
			sent[i]++
		}
	}
	all := union(own...)
	for _, node := range ring {
		l.held[node] = all
	}
}

// turns is how many steps an exchange among n takes.
func (l *oneChannelList) turns(n int) int { return turns(n, l.list.Sync) }

func turns(n int, alternating bool) int {
	switch {
	case n < 2:
		return 0
	case !alternating:
		return n - 1
	case n%2 == 0:
		return 2 * (n - 1)
	}
	return 2 * n
}

// sends tells which nodes send in a turn among n: those an even number of places
// behind place turn, which moves on by one a turn, except the last one
// of an odd number.
func sends(place, turn, n int) bool {
	behind := ((place-turn)%n + n) % n
	return behind%2 == 0 && behind != n-1
}
