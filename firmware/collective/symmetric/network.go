// SPDX-License-Identifier: Apache-2.0

package symmetric

import (
	"slices"

	"meshwright/fabric/booking"
	"meshwright/fabric/timing"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// network is a job, seen with a group of symmetries.
type network struct {
	*plan.Task
	*plan.Pairs
	group     group
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
	uses   []use   // of a message without words
	stays  []int32 // symmetries that leave the message where it is, but for the first one of the group
	images []int32 // symmetries that bring it to different messages
	most   int     // pieces of a message; with more, two of the messages meet
	links  int
}

// use is that of calendars by their numbers, see booking.Use.
type use struct {
	calendar, enters int32
	at, long         router.Cycle
}

// newNetwork prepares a search with pieces of up to so many words. It returns nil if no node can send.
func newNetwork(t *plan.Task, pairs *plan.Pairs, g group, words int, backwards bool) *network {
	n := &network{Task: t, Pairs: pairs, group: g, nodes: len(t.Lengths), backwards: backwards, words: words, model: timing.Stalling(&t.Machine)}
	first := g.orbits()
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

// keepsRoutes reports whether a symmetry brings routes to routes.
func keepsRoutes(t *plan.Task, pairs *plan.Pairs, s symmetry) bool {
	for u := range s {
		for v := range s {
			if u != v && !keepsRoute(t, pairs, s, int32(u), int32(v)) {
				return false
			}
		}
	}
	return true
}

func keepsRoute(t *plan.Task, pairs *plan.Pairs, s symmetry, u, v int32) bool {
	at, moved := router.NodeID(u), router.NodeID(s[u])
	here, there := pairs.Route(u, v), pairs.Route(s[u], s[v])
	if len(here) != len(there) {
		return false
	}
	for i := range here {
		at, moved = t.Topology.Neighbor(at, here[i]), t.Topology.Neighbor(moved, there[i])
		if router.NodeID(s[at]) != moved {
			return false
		}
	}
	return true
}

// findWays lists the ways from the first nodes to all others. What symmetries bring to one another is used at the same times, and has one calendar.
func (n *network) findWays() {
	book := n.newBook()
	c := newClasses()
	for _, u := range n.firsts {
		for v := range int32(n.nodes) {
			if u == v {
				continue
			}
			of := n.uses(book, u, v)
			for _, s := range n.group {
				for i, x := range n.uses(book, s[u], s[v]) {
					c.join(of[i].Calendar, x.Calendar)
					c.join(entered(&of[i]), entered(&x))
				}
			}
		}
	}
	n.calendars = len(c.numbers)
	n.ways, n.near = make([]way, len(n.firsts)*n.nodes), make([][]int32, len(n.firsts))
	for k, u := range n.firsts {
		for v := range int32(n.nodes) {
			if u == v {
				continue
			}
			w := &n.ways[k*n.nodes+int(v)]
			if *w = n.wayOf(book, u, v, c); w.most > 0 {
				n.near[k] = append(n.near[k], v)
			}
		}
		slices.SortStableFunc(n.near[k], func(a, b int32) int { return n.Links(u, a) - n.Links(u, b) })
	}
	n.closest = make([][]int32, n.nodes)
	for _, v := range n.firsts {
		for u := range int32(n.nodes) {
			if u != v && n.way(n.orbit[u], n.group[n.back[u][0]][v]).most > 0 {
				n.closest[v] = append(n.closest[v], u)
			}
		}
		slices.SortStableFunc(n.closest[v], func(a, b int32) int { return n.Links(a, v) - n.Links(b, v) })
	}
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

func (n *network) wayOf(book *booking.Book, u, v int32, c *classes) (w way) {
	w.links = n.Links(u, v)
	var seen [][2]int32
	for h, s := range n.group {
		to := [2]int32{s[u], s[v]}
		if h > 0 && to == [2]int32{u, v} {
			w.stays = append(w.stays, int32(h))
		}
		if slices.Contains(seen, to) {
			continue
		}
		seen, w.images = append(seen, to), append(w.images, int32(h))
		for _, x := range n.uses(book, to[0], to[1]) {
			if c.first(x.Calendar) == x.Calendar {
				w.uses = append(w.uses, use{c.number(x.Calendar), c.number(entered(&x)), x.At, x.Long})
			}
		}
	}
	for room := w.room(); w.most < n.nodes && n.model.Work((w.most+1)*n.words)-n.model.Work(0) <= room; {
		w.most++
	}
	return w
}

// room returns by how many cycles longer the messages of a way may be without meeting one another; negative if they meet in any case.
func (w *way) room() router.Cycle {
	room := router.Cycle(1) << 40
	for i := range w.uses {
		for j := range w.uses {
			a, b := &w.uses[i], &w.uses[j]
			if i == j || a.calendar != b.enters {
				continue
			}
			if a.at <= b.at { // a ends first, or they meet
				room = min(room, b.at-a.at-a.long)
			} else {
				room = min(room, a.at-b.at-b.long)
			}
		}
	}
	return room
}

// entered is the calendar in which a use is entered.
func entered(u *booking.Use) *booking.Calendar {
	if u.Enters != nil {
		return u.Enters
	}
	return u.Calendar
}

// classes are calendars that symmetries bring to one another. One of each class stands for all.
type classes struct {
	up      map[*booking.Calendar]*booking.Calendar
	numbers map[*booking.Calendar]int32
}

func newClasses() *classes {
	return &classes{up: map[*booking.Calendar]*booking.Calendar{}, numbers: map[*booking.Calendar]int32{}}
}

func (c *classes) first(x *booking.Calendar) *booking.Calendar {
	for c.up[x] != nil {
		x = c.up[x]
	}
	return x
}

func (c *classes) join(x, y *booking.Calendar) {
	if x, y = c.first(x), c.first(y); x != y {
		c.up[y] = x
	}
	if _, ok := c.numbers[x]; !ok {
		c.numbers[x] = int32(len(c.numbers))
	}
}

func (c *classes) number(x *booking.Calendar) int32 { return c.numbers[c.first(x)] }
