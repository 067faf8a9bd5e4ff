// SPDX-License-Identifier: Apache-2.0

package check

import (
	"context"
	"errors"
	"math"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/internal/parallel"
	"meshwright/internal/progress"
	"meshwright/router"
)

// cells know when the last use of each of some things ends: links, halves of nodes, channels.
// Uses come in the order in which they begin; one that begins before the end of those before
// collides.
type cells struct {
	until   []router.Cycle // 0: no use yet
	first   []router.Cycle // when the first use begins; nil: nobody wants to know
	holders *holders       // nil: nobody wants to know which uses collide
}

func newCells(n int, first bool, h *holders) cells {
	c := cells{until: make([]router.Cycle, n), holders: h}
	h.reserve(n)
	if first {
		c.first = make([]router.Cycle, n)
	}
	return c
}

// use adds a use of thing i by a piece and reports whether it collides.
func (c *cells) use(i int32, from, to router.Cycle, part int32) bool {
	until := c.until[i]
	if c.holders != nil {
		c.holders.hold(i, part, from, to, until)
	}
	if to > until {
		c.until[i] = to
		if until == 0 && c.first != nil {
			c.first[i] = from
		}
	}
	return from < until
}

// follow adds all uses of a later window, and reports whether one collides.
func (c *cells) follow(later *cells) (collision bool) {
	for i, until := range later.until {
		if until == 0 {
			continue
		}
		collision = collision || later.first[i] < c.until[i]
		c.until[i] = max(c.until[i], until)
	}
	return collision
}

// walk follows the heads of all worms from link to link, cycle by cycle. It needs a few
// nanoseconds for a link that a head crosses, and no memory for uses: only the end of the last
// use of everything. Types lineUses, crossings and crowds look at straight sections instead of
// links, which is better for long ones.
type walk struct {
	p      *plan
	busy   int // rows that are not alone
	single bool
	inject bool // the rule injection is needed
	eject  bool
	half   bool // half duplex
}

// worm is a head in flight. In the cycle at hand it crosses the link of a slot; at its
// destination the slot is -1.
type worm struct {
	span       router.Cycle
	slot, last int32 // last: the one after its piece's last slot
	part       int32 // its piece; at its destination the one after its last
	node       int32 // where it is
}

// window is the uses that begin from cycle from to cycle to-1, by worms that are dispatched in
// the window or are in flight when it begins.
type window struct {
	*walk
	from, to router.Cycle
	begin    int          // the first row of the window
	quiet    router.Cycle // from then on no row before the one at hand uses anything
	flying   [][]worm
	count    int // worms in flight

	links    cells // by slot, where every link works by itself
	nodes    cells // 2v: received by node v, 2v+1: sent
	injected cells // by node, or by slot
	ejected  cells // by node
	faces    cells // 2v: interface of node v that receives, 2v+1: that sends

	pairs  *collector   // that is told which worms collide; nil: nobody wants to know
	since  router.Cycle // it is told of collisions from this cycle on
	broken bool         // a use begins too early
}

func (p *plan) newWalk() *walk {
	single := p.m.Ports == machine.SinglePort
	one := p.m.Channels != machine.Links && !single
	w := &walk{p: p, single: single, inject: one || p.model.Rest() > 0, eject: one, half: p.m.Duplex == machine.Half}
	w.eachTogether(func(int) { w.busy++ })
	return w
}

// end returns the cycle from which on a row uses nothing.
func (w *walk) end(row int) router.Cycle {
	of := int32(row)
	return max(w.p.arrival(row)+w.p.span(of), w.p.rows[row].dispatch+w.p.hold(of))
}

// start returns the dispatch of a row.
func (w *walk) start(row int) router.Cycle { return w.p.rows[row].dispatch }

// eachTogether calls see for all rows that are not alone.
func (w *walk) eachTogether(see func(i int)) {
	quiet := router.Cycle(0)
	for i := range w.p.rows {
		if !w.alone(i, quiet) {
			see(i)
		}
		quiet = max(quiet, w.end(i))
	}
}

// alone reports whether the i-th row meets no other: it begins when all before
// it have ended, from cycle quiet on, and ends before the next one begins. Prescribed routes may meet themselves.
func (w *walk) alone(i int, quiet router.Cycle) bool {
	if w.start(i) < quiet || i+1 < len(w.p.rows) && w.start(i+1) < w.end(i) {
		return false
	}
	return w.p.prescribed(i) == nil
}

// hops returns the links that heads cross, about: without rows that are alone.
func (w *walk) hops() int64 {
	return int64(float64(w.p.hops) * float64(w.busy) / float64(max(1, len(w.p.rows))))
}

// Nanoseconds of a straight section, to see that nothing collides with it and to list what does.
const (
	proveSection = 150
	listSection  = 2000
)

// pays reports whether it is better to follow heads than to compare straight sections. The
// numbers are nanoseconds, of a link that a head crosses and of a section.
func (w *walk) pays(section int64) bool {
	p := w.p
	const mostHop = 64 // cycles that pass without a move
	switch {
	case p.how != byCost:
		return p.how == byHeads
	case p.hop > mostHop:
		return false
	}
	link := int64(6)
	switch things := p.t.Nodes() + len(p.lines.line); {
	case things > 1<<20: // beyond the caches
		link = 40
	case things > 1<<16:
		link = 12
	}
	sections, cost := int64(len(p.pieces)), int64(p.t.Nodes())+w.hops()*link
	if cost < section*sections || !w.single {
		return cost < section*sections
	}
	u := &portUses{p: p, half: receiving, nodes: p.lines.head}
	if u.findShared() {
		u.findOwners()
	}
	listed := int64(0)
	for _, worms := range u.passing {
		listed += int64(worms)
	}
	switch {
	case u.crossed:
		section = max(section, 1500)
	case slices.Contains(u.owner, contested):
		section += 60 * listed / sections
	}
	return cost < section*sections
}

// run reports whether nothing collides.
func (w *walk) run(ctx context.Context, phase *progress.Phase) (bool, error) {
	windows := w.windows()
	err := parallel.Each(ctx, phase, len(windows), len(windows), func() func(int) error {
		return func(i int) error { return windows[i].run(ctx) }
	})
	switch {
	case errors.Is(err, errNotFree):
		return false, nil
	case err != nil:
		return false, err
	}
	all := windows[0]
	for _, later := range windows[1:] {
		all.append(later)
	}
	return !all.broken, nil
}

// windows cuts time into parts with about equal numbers of rows that are not alone, one for every
// worker.
func (w *walk) windows() []*window {
	const fewest = 1 << 18 // links worth a worker
	count := max(1, min(parallel.Workers(), 8, int(w.hops()/fewest)))
	if w.p.windows > 0 {
		count = w.p.windows
	}
	list, seen := []*window{{walk: w, to: math.MaxInt64}}, 0
	if count == 1 {
		return list
	}
	w.eachTogether(func(i int) {
		seen++
		last, from := list[len(list)-1], w.start(i)
		if seen*count < w.busy*len(list) || len(list) == count || from == last.from {
			return
		}
		for i > 0 && w.start(i-1) == from {
			i--
		}
		last.to = from
		list = append(list, &window{walk: w, from: from, to: math.MaxInt64, begin: i})
	})
	return list
}

// allocate makes the window's cells.
func (w *window) allocate() {
	p := w.p
	w.flying = make([][]worm, p.hop)
	nodes, slots, first := p.t.Nodes(), len(p.lines.line), w.from > 0
	if w.single {
		w.nodes = newCells(2*nodes, first, w.holders(p.atHalf))
	}
	if !w.single || w.pairs != nil {
		w.links = newCells(slots, first, w.holders(p.linkAt))
	}
	if w.inject && p.m.Channels == machine.Links {
		w.injected = newCells(slots, first, w.holders(p.channelAt))
	} else if w.inject {
		w.injected = newCells(nodes, first, w.holders(p.channelOf))
	}
	if w.eject {
		w.ejected = newCells(nodes, first, w.holders(p.ejectionAt))
	}
	if w.half {
		w.faces = newCells(2*nodes, first, w.holders(p.faceAt))
		if w.pairs != nil {
			w.faces.holders.twoSided = true
		}
	}
}

func (w *window) run(ctx context.Context) error {
	w.allocate()
	for i := range w.begin {
		w.join(i)
	}
	rows, next, work := len(w.p.rows), w.begin, 0
	for now := w.from; now < w.to; now++ {
		if w.count == 0 {
			if next = w.skip(next); next == rows {
				return nil
			}
			now = max(now, w.start(next))
			if now >= w.to {
				return nil
			}
		}
		for ; next < rows && w.start(next) == now; next++ {
			w.dispatch(next, now)
		}
		if work += 1 + w.step(now); work > 1<<20 {
			if err := ctx.Err(); err != nil {
				return err
			}
			work = 0
		}
		switch {
		case w.pairs == nil && w.broken:
			return errNotFree
		case w.pairs != nil && now >= w.pairs.limit:
			return nil
		}
	}
	return nil
}

// skip passes over rows that are alone.
func (w *window) skip(next int) int {
	for ; next < len(w.p.rows) && w.alone(next, w.quiet); next++ {
		w.quiet = w.end(next)
	}
	return next
}

// join takes over a row, dispatched before the window, if its head is in flight then.
func (w *window) join(row int) {
	p, end := w.p, w.end(row)
	w.quiet = max(w.quiet, end)
	if end < w.from || p.arrival(row) < w.from {
		return
	}
	for k := p.begin[row]; k < p.begin[row+1]; k++ {
		part := &p.pieces[k]
		on := max(0, ceilDiv(w.from-part.at, p.hop))
		if on < router.Cycle(part.last-part.first) {
			slot := part.first + int32(on)
			w.fly(part.at+on*p.hop, worm{p.spanOf(part), slot, part.last, k, int32(p.lines.tail[slot])})
			return
		}
	}
	if w.eject || w.half {
		w.fly(p.arrival(row), worm{p.span(int32(row)), -1, 0, p.begin[row+1], int32(p.rows[row].destination)})
	}
}

func ceilDiv(a, b router.Cycle) router.Cycle { return -floorDivide(-a, b) }

func (w *window) fly(at router.Cycle, head worm) {
	list := &w.flying[at%w.p.hop]
	*list = append(*list, head)
	w.count++
}

// dispatch begins the i-th row in cycle now.
func (w *window) dispatch(i int, now router.Cycle) {
	w.quiet = max(w.quiet, w.end(i))
	p, k := w.p, w.p.begin[i]
	part, source := &p.pieces[k], int32(p.rows[i].source)
	if w.inject {
		channel := source
		if p.m.Channels == machine.Links {
			channel = part.first
		}
		w.note(w.injected.use(channel, now, now+p.hold(int32(i)), k))
	}
	head := worm{p.spanOf(part), part.first, part.last, k, source}
	if w.half {
		w.face(source, 1, now, head.span, k)
	}
	w.fly(now, head)
}

func (w *window) note(collision bool) {
	w.broken = w.broken || collision
}

// face adds a use of an interface, which collides with those of the other side.
func (w *window) face(node, side int32, from, span router.Cycle, part int32) {
	other := 2*node + 1 - side
	if until := w.faces.until[other]; until > from {
		w.broken = true
		if w.pairs != nil {
			w.faces.holders.meet(other, part, from, until)
		}
	}
	w.faces.use(2*node+side, from, from+span, part)
}

// step moves all heads that move in a cycle, and returns how many these are.
func (w *window) step(now router.Cycle) int {
	list := w.flying[now%w.p.hop]
	if len(list) == 0 {
		return 0
	}
	moved := len(list)
	if w.single {
		list = w.stepNodes(now, list)
	} else {
		list = w.stepLinks(now, list)
	}
	w.count -= moved - len(list)
	w.flying[now%w.p.hop] = list
	return moved
}

// stepLinks is a step on a machine whose links all work by themselves.
func (w *window) stepLinks(now router.Cycle, list []worm) []worm {
	kept := 0
	for i := range list {
		head := list[i]
		if head.slot < 0 {
			w.arrive(now, &head)
			continue
		}
		w.note(w.links.use(head.slot, now, now+head.span, head.part))
		head.slot++
		if head.slot == head.last && !w.turn(&head) {
			continue
		}
		list[kept] = head
		kept++
	}
	return list[:kept]
}

// stepNodes is a step on a machine whose nodes have one port.
func (w *window) stepNodes(now router.Cycle, list []worm) []worm {
	ends, kept := w.p.lines.head, 0
	for i := range list {
		head := list[i]
		if head.slot < 0 {
			w.arrive(now, &head)
			continue
		}
		to := int32(ends[head.slot])
		w.note(w.nodes.use(2*head.node+1, now, now+head.span, head.part))
		w.note(w.nodes.use(2*to, now, now+head.span, head.part))
		if w.pairs != nil {
			w.links.use(head.slot, now, now+head.span, head.part)
		}
		head.node = to
		head.slot++
		if head.slot == head.last && !w.turn(&head) {
			continue
		}
		list[kept] = head
		kept++
	}
	return list[:kept]
}

// turn takes a head to its next piece; false at the end of its route.
func (w *window) turn(head *worm) bool {
	p := w.p
	row := p.pieces[head.part].row
	if head.part++; head.part < p.begin[row+1] {
		part := &p.pieces[head.part]
		head.slot, head.last = part.first, part.last
		return true
	}
	head.slot, head.node = -1, int32(p.rows[row].destination)
	return w.eject || w.half
}

// arrive ends a worm's route.
func (w *window) arrive(now router.Cycle, head *worm) {
	last := head.part - 1
	if w.eject {
		w.note(w.ejected.use(head.node, now, now+head.span, last))
	}
	if w.half {
		w.face(head.node, 0, now, head.span, last)
	}
}

// append adds what is used in the next window.
func (w *window) append(later *window) {
	w.note(later.broken)
	for _, both := range [][2]*cells{{&w.links, &later.links}, {&w.nodes, &later.nodes}, {&w.injected, &later.injected}, {&w.ejected, &later.ejected}} {
		w.note(both[0].follow(both[1]))
	}
	for i, until := range w.faces.until {
		other := i ^ 1
		w.note(later.faces.until[other] > 0 && later.faces.first[other] < until)
	}
	w.faces.follow(&later.faces) // uses of one side do not collide
}
