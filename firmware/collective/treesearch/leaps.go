// SPDX-License-Identifier: Apache-2.0

package treesearch

import (
	"slices"

	"meshwright/fabric/topology"
	"meshwright/firmware/collective/sendtree"
	"meshwright/router"
)

// leap is a way to send messages past nodes of a spanning tree. The tree is divided into chains: a chain goes on to the child with the most nodes below it.
//
//	chain       0   1   2   3   4   5   6
//	relays      0 ----------> 3 ----------> 6       every third node sends on what it has
//	above       0 > 1   2     3 > 4   5     6       the nodes between get it from the relay before them,
//	            0 ----> 2     3 ----> 5
//	chained     0 > 1 > 2     3 > 4 > 5     6       from their neighbours,
//	below       0   1 < 2 <-- 3   4 < 5 <-- 6       or backwards, where links are free
//
// So fewer messages follow one another. In turns, each piece has other relays, so that all nodes send equally much.
type leap struct {
	length  int
	between between
	turns   bool
}

// between says from whom the nodes between two relays get the words.
type between int

const (
	above between = iota
	chained
	below
)

// leaps lists the leaps with which the search begins.
func leaps() (list []leap) {
	for _, length := range []int{2, 3, 4, 6, 8} {
		for _, b := range []between{above, chained, below} {
			list = append(list, leap{length, b, false}, leap{length, b, true})
		}
	}
	return list
}

// trees are the trees of messages of a leap.
func (l leap) trees(s *topology.SpanningTree) (list []*tree) {
	ways := waysOf(s)
	turns := 1
	if l.turns {
		turns = l.length
	}
	for turn := range turns {
		t := newTree(len(s.Parent))
		for _, way := range ways {
			l.along(t, way, turn)
		}
		list = append(list, t)
	}
	return list
}

// along lets the nodes of a chain have their words. The first of them has them from elsewhere. A relay serves the next one before the nodes between.
func (l leap) along(t *tree, way []router.NodeID, turn int) {
	last, later := 0, make(map[int]int) // the nodes between, and from whom they get the words
	for i := 1; i < len(way); i++ {
		if i >= turn && (i-turn)%l.length == 0 {
			t.add(int32(way[i]), int32(way[last]))
			for k := last + 1; k < i && l.between == below; k++ {
				later[k] = k + 1
			}
			last = i
			continue
		}
		later[i] = i - 1
		if l.between == above {
			later[i] = last
		}
	}
	for i := range way {
		if from, between := later[i]; between {
			t.add(int32(way[i]), int32(way[from]))
		}
	}
}

// waysOf divides a spanning tree into chains. Each begins with the parent of its first node, the first one with the root.
func waysOf(s *topology.SpanningTree) (ways [][]router.NodeID) {
	sizes, children := sizesBelow(s), s.Children()
	var follow func(way []router.NodeID)
	follow = func(way []router.NodeID) {
		at := way[len(way)-1]
		list := slices.Clone(children[at])
		slices.SortStableFunc(list, func(a, b router.NodeID) int { return sizes[b] - sizes[a] })
		if len(list) == 0 {
			ways = append(ways, way)
			return
		}
		follow(append(way, list[0]))
		for _, c := range list[1:] {
			follow([]router.NodeID{at, c})
		}
	}
	follow([]router.NodeID{s.Root})
	return ways
}

// several lists trees of messages with which the search begins besides the known ones: leaps on some spanning trees; and pairs of binary trees, and siblings that serve one another.
func (n *network) several() (leap, others [][]*tree) {
	for _, line := range n.lines() {
		others = append(others, twoTrees(line))
	}
	for _, s := range []*topology.SpanningTree{topology.BreadthFirst(n.Topology, n.Root), sendtree.DepthFirst(n.Topology, n.Root)} {
		for most := 1; most <= 3; most++ {
			others = append(others, []*tree{siblings(s, most)})
		}
		for _, l := range leaps() {
			leap = append(leap, l.trees(s))
		}
	}
	return leap, others
}

// fastestOf returns the fastest form of several; nil if all take much longer than a known form.
func (n *network) fastestOf(several [][]*tree, known *found) (*found, error) {
	var best *found
	limit := known.made.cycles + known.made.cycles/8
	timer, work := newTimer(n), 0
	for _, trees := range several {
		parts := known.form.parts
		tried := map[int]bool{}
		for _, k := range []int{parts, parts * 2, parts / 2, parts * 4, parts * 3 / 2, parts * 3 / 4} {
			if k = max(1, min(k, n.most)); tried[k] || k < len(trees) || work > n.work {
				continue
			}
			tried[k] = true
			work += k * n.nodes
			if x := timer.faster(form{trees: trees, parts: k}, limit); x != nil {
				best, limit = x, x.made.cycles
			}
		}
		if n.Search.Err() != nil {
			break
		}
	}
	return best, n.Ctx.Err()
}
