// SPDX-License-Identifier: Apache-2.0

package check

import (
	"cmp"
	"math"
	"slices"
	"sort"
	"sync"

	"meshwright/fabric/machine"
	"meshwright/router"
	"meshwright/schedule"
)

// place is where a conflict is: a node, and the slot of a link or -1.
type place struct {
	node router.NodeID
	slot int32
}

// found is the first cycle of a pair's conflict, with its kind and place.
type found struct {
	cycle router.Cycle
	kind  router.Conflict
	place place
}

// precedence of the rules when a pair breaks several in one cycle.
var precedence = map[router.Conflict]int{
	schedule.InjectionConflict: 0, router.EjectConflict: 1, router.LinkConflict: 2,
	router.SendConflict: 3, router.ReceiveConflict: 4, router.DuplexConflict: 5, BufferConflict: 6,
}

func (f found) before(g found) bool {
	if f.cycle != g.cycle {
		return f.cycle < g.cycle
	}
	if f.kind != g.kind {
		return precedence[f.kind] < precedence[g.kind]
	}
	return f.place.node < g.place.node
}

// pair is two rows of a plan, the one dispatched first first.
type pair struct{ first, second int32 }

// collector keeps the first collisions: of each pair the first cycle, and of
// the pairs the Listed first ones. It holds up to twice as many before it looks.
type collector struct {
	rows  []row
	limit router.Cycle // pairs from this cycle on are not among the first
	pairs map[pair]found
	more  bool
	tally map[pair]struct{} // not nil: pairs are only counted, up to Counted
	seen  []pair            // some of those in the tally: two worms on one way meet at every link
	whole *sharedTally      // of a part: where its pairs go
	block []pair            // of a part: pairs that are not there yet
}

// sharedTally is a collector that counts for several workers.
type sharedTally struct {
	lock sync.Mutex
	to   *collector
}

// part returns a collector for one of the workers that count together. The worker flushes it in the end.
func (t *sharedTally) part() *collector {
	c := newCounter(t.to.rows)
	c.whole, c.block = t, make([]pair, 0, seenPairs)
	return c
}

// flush hands the pairs of a part on, and takes over what the whole wants.
func (c *collector) flush() {
	c.whole.lock.Lock()
	defer c.whole.lock.Unlock()
	to := c.whole.to
	for _, key := range c.block {
		to.count(key)
	}
	c.block, c.limit, c.more = c.block[:0], to.limit, to.more
}

// newCounter returns a collector that only counts.
func newCounter(rows []row) *collector {
	c := newCollector(rows)
	c.tally, c.seen = map[pair]struct{}{}, slices.Repeat([]pair{{-2, -2}}, seenPairs)
	return c
}

const seenPairs = 1 << 12

func newCollector(rows []row) *collector {
	return &collector{rows: rows, limit: math.MaxInt64, pairs: map[pair]found{}}
}

// add records a conflict of rows a and b; a is -1 for none.
func (c *collector) add(f found, a, b int32) {
	if f.cycle >= c.limit {
		return
	}
	key := pair{min(a, b), max(a, b)}
	if c.tally != nil {
		c.count(key)
		return
	}
	if old, ok := c.pairs[key]; ok && !f.before(old) {
		return
	}
	c.pairs[key] = f
	if len(c.pairs) > 2*Listed {
		c.prune()
	}
}

// count counts a pair once; after Counted pairs it wants no more.
func (c *collector) count(key pair) {
	seen := &c.seen[(uint32(key.first)*31+uint32(key.second))%seenPairs]
	if *seen == key {
		return
	}
	*seen = key
	if c.whole != nil {
		if c.block = append(c.block, key); len(c.block) == cap(c.block) {
			c.flush()
		}
		return
	}
	if _, ok := c.tally[key]; !ok && len(c.tally) == Counted {
		c.limit, c.more = math.MinInt64, true
		return
	}
	c.tally[key] = struct{}{}
}

// prune leaves the first pairs.
func (c *collector) prune() {
	keys := c.sorted()
	for _, key := range keys[Listed:] {
		delete(c.pairs, key)
	}
	c.limit, c.more = c.pairs[keys[Listed-1]].cycle, true
}

// sorted returns the pairs by cycle, then by the numbers of their rows in the schedule.
func (c *collector) sorted() []pair {
	keys := make([]pair, 0, len(c.pairs))
	for key := range c.pairs {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b pair) int {
		return cmp.Or(cmp.Compare(c.pairs[a].cycle, c.pairs[b].cycle), cmp.Compare(c.number(a.first), c.number(b.first)), cmp.Compare(c.number(a.second), c.number(b.second)))
	})
	return keys
}

// number returns the number of a row in the schedule, -1 for none.
func (c *collector) number(row int32) int32 {
	if row < 0 {
		return -1
	}
	return c.rows[row].of
}

// list names the first collisions in the report and counts all. To compare straight sections takes long where much
// collides, but there the rows that are dispatched first tell enough: so it looks at these, then at more, until there
// are enough. Most often enough of the pairs collide on links, which stripes count in no time. To follow heads takes no
// longer than until enough has collided.
func (p *plan) list(e effort, r *Report, rules []rule) {
	counted := false
	for rows := p.early; p.walk == nil && rows < len(p.rows)/2; {
		b := p.beginning(rows)
		found, enough := 0, Listed
		if len(r.First) == 0 {
			found = b.name(e, r)
			counted = len(r.First) > 0 && p.countLinks(e, r, rules)
		}
		if len(r.First) > 0 && !counted {
			b.count(e, r)
			found, enough = r.Collisions, Counted
		}
		if counted || r.More || e.ctx.Err() != nil {
			return
		}
		rows = max(2*rows, min(len(p.rows), rows*enough/max(1, found)*5/4))
	}
	all := &beginning{plan: p, until: math.MaxInt64, rules: rules}
	if len(r.First) == 0 {
		all.name(e, r)
		counted = len(r.First) == Listed && p.countLinks(e, r, rules)
	}
	if len(r.First) == Listed && !counted {
		all.count(e, r)
	}
}

// countLinks counts the pairs that collide on links, and then those that do so at the ends of their routes. It reports whether these
// are all pairs: not where nodes have one port, unless there are more than Counted.
func (p *plan) countLinks(e effort, r *Report, rules []rule) bool {
	single := p.m.Ports == machine.SinglePort
	if single && p.stripes().estimate(e) < Counted {
		return false
	}
	c := newCounter(p.rows)
	p.tellStartups(c)
	if !p.stripes().count(e, c) || single && !c.more {
		return false
	}
	for i := 1; i < len(rules) && !c.more; i++ {
		if rules[i].implied {
			continue
		}
		for _, set := range rules[i].sets() {
			set.find(e, c)
		}
		rules[i].release()
	}
	r.Collisions, r.More = len(c.tally), c.more
	return true
}

// tellStartups tells a collector of the rows whose startup would begin before cycle 0.
func (p *plan) tellStartups(c *collector) {
	for row := range p.earlyStartups() {
		at := &p.rows[row]
		c.add(found{at.dispatch, schedule.InjectionConflict, place{at.source, -1}}, -1, int32(row))
	}
}

// earlyStartups counts the rows whose startup would begin before cycle 0. They are the first ones.
func (p *plan) earlyStartups() int {
	return sort.Search(len(p.rows), func(row int) bool { return p.rows[row].dispatch >= router.Cycle(p.m.Startup) })
}

// search hands what collides by any rule to a collector.
func (p *plan) search(e effort, c *collector, rules []rule) {
	p.tellStartups(c)
	if p.walk != nil {
		p.walk.find(e, c)
		return
	}
	for i := range rules {
		for _, set := range rules[i].sets() {
			set.find(e, c)
		}
	}
}

// describe says what a pair of rows collides about; delay returns by how much the second one has to leave later.
func (p *plan) describe(key pair, f found, delay func(first, second int) router.Cycle) Collision {
	second := &p.rows[key.second]
	c := Collision{
		Cycle: f.cycle, Conflict: f.kind, Node: f.place.node, Link: -1, First: -1, Second: p.s.Rows[second.of].Message,
		Rows: [2]int{-1, int(second.of)},
	}
	if f.place.slot >= 0 {
		c.Link = int(p.lines.link[f.place.slot])
	}
	if key.first < 0 {
		c.Delay = router.Cycle(p.m.Startup) - second.dispatch
		return c
	}
	c.Rows[0] = int(p.rows[key.first].of)
	c.First = p.s.Rows[c.Rows[0]].Message
	if key.first != key.second {
		c.Delay = delay(int(key.first), int(key.second))
	}
	return c
}
