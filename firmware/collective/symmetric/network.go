// SPDX-License-Identifier: Apache-2.0

package symmetric

import (
	"slices"

	"meshwright/fabric/booking"
	"meshwright/fabric/timing"
	"meshwright/firmware/collective/orbits"
	"meshwright/firmware/collective/symmetries"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// network is a job, seen with a group of symmetries.
type network struct {
	*plan.Task
	*plan.Pairs
	group     symmetries.Group
	nodes     int
	backwards bool // in time
	model     timing.Model
	words     int       // of a piece, at most
	firsts    []int32   // the first nodes of all orbits
	orbit     []int32   // by node: the number of its orbit
	back      [][]int32 // by node: the symmetries that bring it to the first one of its orbit
	ways      []way     // by orbit of the sender, and receiver
	near      [][]int32 // by orbit: nodes to which its first node can send when all others do the same, the nearest first
	closest   [][]int32 // by node: those that can send to it, the nearest first
	calendars int       // by orbit of what messages use
}

// way is what a message uses, and all messages to which symmetries bring it.
type way struct {
	orbits.Uses
	stays  []int32 // symmetries that leave the message where it is, but for the first one of the group
	images []int32 // symmetries that bring it to different messages
}

// newNetwork prepares a search with pieces of up to so many words. It returns nil if no node can send.
func newNetwork(t *plan.Task, pairs *plan.Pairs, g symmetries.Group, words int, backwards bool) *network {
	n := &network{Task: t, Pairs: pairs, group: g, nodes: len(t.Lengths), backwards: backwards, words: words, model: timing.Stalling(&t.Machine)}
	first := g.Orbits()
	n.orbit = make([]int32, n.nodes)
	for v := range n.nodes {
		if n.orbit[v] = int32(len(n.firsts)); first[v] == int32(v) {
			n.firsts = append(n.firsts, int32(v))
		} else {
			n.orbit[v] = n.orbit[first[v]]
		}
		var back []int32
		for h, s := range g {
			if s[v] == first[v] {
				back = append(back, int32(h))
			}
		}
		n.back = append(n.back, back)
	}
	if n.findWays(); !slices.ContainsFunc(n.near, func(near []int32) bool { return len(near) > 0 }) {
		return nil
	}
	return n
}

// findWays lists the routes from the first nodes to all others. What symmetries bring to one another is used at the same times, and has one calendar.
func (n *network) findWays() {
	book := n.newBook()
	c := n.classes(book)
	n.calendars = c.Count()
	n.ways, n.near = make([]way, len(n.firsts)*n.nodes), make([][]int32, len(n.firsts))
	for k, u := range n.firsts {
		for v := range int32(n.nodes) {
			if u == v {
				continue
			}
			w := &n.ways[k*n.nodes+int(v)]
			if *w = n.wayOf(book, u, v, c); w.Most > 0 {
				n.near[k] = append(n.near[k], v)
			}
		}
		slices.SortStableFunc(n.near[k], func(a, b int32) int { return n.Links(u, a) - n.Links(u, b) })
	}
	n.closest = make([][]int32, n.nodes)
	for _, v := range n.firsts {
		for u := range int32(n.nodes) {
			if u != v && n.way(n.orbit[u], n.group[n.back[u][0]][v]).Most > 0 {
				n.closest[v] = append(n.closest[v], u)
			}
		}
		slices.SortStableFunc(n.closest[v], func(a, b int32) int { return n.Links(a, v) - n.Links(b, v) })
	}
}

// classes finds out which calendars symmetries bring to one another. Nearly all are those of messages over one link.
func (n *network) classes(book *booking.Book) *orbits.Classes {
	c := orbits.NewClasses()
	for links := 1; links <= n.Furthest; links++ {
		for _, u := range n.firsts {
			for v := range int32(n.nodes) {
				if u == v || n.Links(u, v) != links {
					continue
				}
				of := n.uses(book, u, v)
				if c.Knows(of) {
					continue
				}
				for _, s := range n.group {
					c.Join(of, n.uses(book, s[u], s[v]))
				}
			}
		}
	}
	return c
}

func (n *network) newBook() *booking.Book {
	return booking.NewStalling(n.Topology, n.Machine, n.backwards)
}

// uses lists what a message without words uses. Backwards in time it goes from v to u.
func (n *network) uses(book *booking.Book, u, v int32) []booking.Use {
	if n.backwards {
		u, v = v, u
	}
	return book.Uses(router.NodeID(u), n.Route(u, v), 0)
}

// wayOf returns the route between two nodes. The messages to which symmetries bring one use each calendar of a class as often.
func (n *network) wayOf(book *booking.Book, u, v int32, c *orbits.Classes) (w way) {
	w.Links = n.Links(u, v)
	seen := map[[2]int32]bool{}
	for h, s := range n.group {
		to := [2]int32{s[u], s[v]}
		if h > 0 && to == [2]int32{u, v} {
			w.stays = append(w.stays, int32(h))
		}
		if !seen[to] {
			seen[to], w.images = true, append(w.images, int32(h))
		}
	}
	w.Add(n.uses(book, u, v), c, len(w.images))
	w.Limit(n.model, n.words, n.nodes)
	return w
}
