// SPDX-License-Identifier: Apache-2.0

package scattergather

import (
	"cmp"
	"slices"

	"meshwright/fabric/topology/cover"
	"meshwright/firmware/plan"
	"meshwright/internal/maxflow"
	"meshwright/router"
)

// sharing shares messages out over the branches of a cover: the links of the
// root, each with the part of a tree behind it. A branch sends (or takes) its
// pieces one after the other, and two branches have no link in common, so that
// the time of a branch follows from its work alone: if W(d) is the work for
// depth d and deeper, it is the largest W(d) + d hops, whichever of the tree's
// nodes they are for; the furthest goes first (Bhatt, Pucci, Ranade, Rosenberg).
type sharing struct {
	task     *plan.Task
	hop      router.Cycle
	flit     router.Cycle // work of a word
	rest     router.Cycle // of a branch between two pieces
	header   router.Cycle // work of the header flit of a piece
	lead     router.Cycle // from the hand-over to the first flit
	ways     [][]way      // by node with a message: one for each tree that reaches it
	branches []branch
	parts    [][]int // by node: words on each of its routes
	stopped  bool    // covers were left out, since the time for searches had ended
}

// way is how a tree reaches a node.
type way struct{ tree, branch, depth int }

// branch is the work behind a link of the root.
type branch struct {
	work  []router.Cycle // by depth
	count []int          // pieces, by depth
}

// newSharing returns a sharing in which no tree has work yet. In a scatter the
// pieces of a branch leave through one channel, which rests between two pieces when
// the startup takes longer than a flit. In a gather the pieces come from different
// channels, so there is no rest.
func newSharing(t *plan.Task, c *cover.Cover, collective string) *sharing {
	m := t.Machine
	s := &sharing{
		task: t, hop: router.Cycle(m.Hop), flit: router.Cycle(m.Flit), lead: router.Cycle(m.Startup),
		ways: make([][]way, len(t.Lengths)), parts: make([][]int, len(t.Lengths)),
	}
	s.header = t.Timing().Overhead()
	if collective == plan.Scatter {
		s.rest = t.Timing().Rest()
	}
	for i, tree := range c.Trees {
		number := map[router.NodeID]int{}
		first := tree.Branch()
		for _, n := range tree.Order[1:] {
			if tree.Parent[n] == tree.Root {
				number[n] = len(s.branches)
				s.branches = append(s.branches, branch{})
			}
			b, depth := number[first[n]], int(tree.Depth[n])
			s.branches[b].reach(depth)
			if t.Lengths[n] > 0 {
				s.ways[n] = append(s.ways[n], way{i, b, depth})
			}
		}
	}
	for n := range s.parts {
		s.parts[n] = make([]int, len(s.ways[n]))
	}
	return s
}

func (b *branch) reach(depth int) {
	for len(b.work) <= depth {
		b.work, b.count = append(b.work, 0), append(b.count, 0)
	}
}

// put changes the words of a node that take one of its routes.
func (s *sharing) put(n router.NodeID, i, words int) {
	w := s.ways[n][i]
	b := &s.branches[w.branch]
	if s.parts[n][i] > 0 {
		b.work[w.depth] -= router.Cycle(s.parts[n][i])*s.flit + s.header + s.rest
		b.count[w.depth]--
	}
	if s.parts[n][i] = words; words > 0 {
		b.work[w.depth] += router.Cycle(words)*s.flit + s.header + s.rest
		b.count[w.depth]++
	}
}

// time returns when a branch is done.
func (s *sharing) time(b int) router.Cycle {
	worst, work := router.Cycle(0), s.lead-s.rest
	for depth, w := range slices.Backward(s.branches[b].work) {
		if work += w; w > 0 {
			worst = max(worst, work+router.Cycle(depth)*s.hop)
		}
	}
	return worst
}

// span returns when all branches are done.
func (s *sharing) span() router.Cycle {
	worst := router.Cycle(0)
	for b := range s.branches {
		worst = max(worst, s.time(b))
	}
	return worst
}

// shareWhole puts every message on one branch: the furthest first, of equally
// far ones the longest, each where it is done earliest.
func (s *sharing) shareWhole() {
	order := s.task.Senders()
	far := make([]int, len(s.ways))
	for _, n := range order {
		far[n] = slices.MinFunc(s.ways[n], func(a, b way) int { return cmp.Compare(a.depth, b.depth) }).depth
	}
	slices.SortStableFunc(order, func(a, b router.NodeID) int {
		return cmp.Or(cmp.Compare(far[b], far[a]), cmp.Compare(s.task.Lengths[b], s.task.Lengths[a]))
	})
	for _, n := range order {
		best, least := 0, router.Cycle(0)
		for i, w := range s.ways[n] {
			s.put(n, i, s.task.Lengths[n])
			if time := s.time(w.branch); i == 0 || time < least || time == least && w.depth < s.ways[n][best].depth {
				best, least = i, time
			}
			s.put(n, i, 0)
		}
		s.put(n, best, s.task.Lengths[n])
	}
}

// maxShared bounds the routes that are shared out exactly.
const maxShared = 1 << 17

// share shares all messages out so that the branches are done together, as far
// as that goes: whole messages first, then some words of some messages move
// to other branches. Without startup the result is the best that the cover
// allows, which a flow decides for every time: words flow from their messages
// to the branches, through the depths of each from the deepest up, and of a
// time T a branch leaves T - d hops to what is for depth d and deeper. No time
// below floor is tried.
func (s *sharing) share(floor router.Cycle) {
	s.shareWhole()
	ways, words := 0, router.Cycle(0)
	for n, w := range s.ways {
		ways += len(w)
		words += s.task.Length(router.NodeID(n))
	}
	if ways > maxShared || ways == s.task.Count {
		return
	}
	best, parts := s.span(), s.clone()
	low, high := max(floor, s.lead+words*s.flit/router.Cycle(len(s.branches))), best
	for middle := low; low < high; middle = (low + high) / 2 { // the floor is often met
		f := s.newFlow(middle)
		if f.fill(parts) < int64(words) {
			low = middle + 1
			continue
		}
		high = middle
		s.set(f.parts())
		s.unsplit(max(middle, s.span()))
		if time := s.span(); time < best {
			best, parts = time, s.clone()
		}
	}
	s.set(parts)
}

func (s *sharing) clone() [][]int {
	parts := make([][]int, len(s.parts))
	for n, p := range s.parts {
		parts[n] = slices.Clone(p)
	}
	return parts
}

func (s *sharing) set(parts [][]int) {
	for n, p := range parts {
		for i, words := range p {
			s.put(router.NodeID(n), i, words)
		}
	}
}

// unsplit puts messages together again where a time allows it.
func (s *sharing) unsplit(time router.Cycle) {
	for n, parts := range s.parts {
		node := router.NodeID(n)
		if before := slices.Clone(parts); slices.Max(append(before, 0)) < s.task.Lengths[n] {
			s.reunite(node, before, time)
		}
	}
}

// reunite tries to put a message on one of its routes, the largest part's first.
func (s *sharing) reunite(n router.NodeID, before []int, time router.Cycle) {
	order := make([]int, len(s.ways[n]))
	for i := range order {
		order[i] = i
		s.put(n, i, 0)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(before[j], before[i]) })
	for _, i := range order {
		s.put(n, i, s.task.Lengths[n])
		if s.time(s.ways[n][i].branch) <= time {
			return
		}
		s.put(n, i, 0)
	}
	for i, words := range before[:len(order)] {
		s.put(n, i, words)
	}
}

// wordFlow is the network that decides whether a time is enough.
type wordFlow struct {
	s            *sharing
	net          *maxflow.Network
	source, sink int32
	supply       []int32   // by node: arc from the source
	onto         [][]int32 // by node and route: arc to the branch
	up           [][]int32 // by branch and depth: arc towards the root
}

func (s *sharing) newFlow(time router.Cycle) *wordFlow {
	nodes := int32(len(s.ways))
	size := nodes
	for _, b := range s.branches {
		size += int32(len(b.work))
	}
	f := &wordFlow{s: s, net: maxflow.New(int(size)+2, 2*int(size)), source: size, sink: size + 1, supply: make([]int32, nodes), onto: make([][]int32, nodes)}
	at := nodes
	base := make([]int32, len(s.branches))
	for b, br := range s.branches {
		base[b] = at
		up := make([]int32, len(br.work))
		pieces := 0
		for depth := len(br.work) - 1; depth > 0; depth-- {
			to := at + int32(depth) - 1
			if depth == 1 {
				to = f.sink
			}
			pieces += br.count[depth]
			left := time - s.lead + s.rest - router.Cycle(depth)*s.hop - router.Cycle(pieces)*(s.header+s.rest)
			up[depth] = f.net.Arc(at+int32(depth), to, int64(max(0, left)/s.flit))
		}
		f.up = append(f.up, up)
		at += int32(len(br.work))
	}
	for n, ways := range s.ways {
		f.supply[n] = f.net.Arc(f.source, int32(n), int64(s.task.Lengths[n]))
		for _, w := range ways {
			f.onto[n] = append(f.onto[n], f.net.Arc(int32(n), base[w.branch]+int32(w.depth), maxflow.Unlimited))
		}
	}
	return f
}

// fill returns the words that arrive in time. It begins with given parts, as
// far as they do, so that few messages are split.
func (f *wordFlow) fill(parts [][]int) int64 {
	sent := int64(0)
	var path []int32
	for n, p := range parts {
		for i, words := range p {
			if words == 0 {
				continue
			}
			w := f.s.ways[n][i]
			path = append(path[:0], f.supply[n], f.onto[n][i])
			for depth := w.depth; depth > 0; depth-- {
				path = append(path, f.up[w.branch][depth])
			}
			sent += f.net.SendAlong(path, int64(words))
		}
	}
	return sent + f.net.Send(f.source, f.sink, maxflow.Unlimited)
}

// parts returns the words on every route.
func (f *wordFlow) parts() [][]int {
	parts := make([][]int, len(f.onto))
	for n, arcs := range f.onto {
		parts[n] = make([]int, len(arcs))
		for i, e := range arcs {
			parts[n][i] = int(f.net.Flow(e))
		}
	}
	return parts
}
