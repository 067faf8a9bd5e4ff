// SPDX-License-Identifier: Apache-2.0

package refine

import (
	"math/bits"
	"slices"

	"meshwright/fabric/booking"
	"meshwright/internal/bitset"
	"meshwright/router"
)

// bundles books lists of bundles, one after the other.
type bundles struct {
	*network
	book     *booking.Book
	sizes    []int32      // by piece: its words
	equal    int          // words of every piece, if all have as many
	own      []bitset.Set // by node: the pieces of which it is the root
	lacks    []bitset.Set // by node: pieces that it does not have, and that are not in flight to it
	arrivals [][]arrival  // by node, in the order of time
	set      bitset.Set   // of the bundle that is booked
	free     []bitset.Set // sets of earlier lists
	used     []bitset.Set
	scratch  []bundle // of the list that is booked next

	list   []bundle // that are good for something, in the order in which they were booked
	booked []booked
	taken  []bitset.Set // by bundle of the list: its pieces
	last   []router.Cycle
	cycles router.Cycle
	work   int
}

// arrival is pieces that come to a node.
type arrival struct {
	at     router.Cycle
	pieces bitset.Set
	bundle int32 // of the list
}

// bundleUse is what a bundle is good for.
type bundleUse struct {
	pieces bitset.Set // valid until the next call
	from   router.Cycle
	giver  int32 // the bundle that brings the last of the pieces
}

// listed is a list of bundles that was booked.
type listed struct {
	list   []bundle
	chain  []int32 // the bundles on the way of the last one
	cycles router.Cycle
	cost   float64
}

func newBundles(n *network) *bundles {
	b := &bundles{network: n, book: n.newBook(), arrivals: make([][]arrival, n.nodes), last: make([]router.Cycle, n.nodes), set: bitset.New(len(n.pieces))}
	for range n.nodes {
		b.own, b.lacks = append(b.own, bitset.New(len(n.pieces))), append(b.lacks, bitset.New(len(n.pieces)))
	}
	for p, r := range n.pieces {
		b.own[n.root(p)].Set(int32(p))
		b.sizes = append(b.sizes, int32(r.To-r.From))
	}
	if len(b.sizes) > 0 && slices.Min(b.sizes) == slices.Max(b.sizes) {
		b.equal = int(b.sizes[0])
	}
	return b
}

func (b *bundles) reset() {
	b.book.Clear()
	b.list, b.booked, b.taken, b.cycles = b.list[:0], b.booked[:0], b.taken[:0], 0
	b.free, b.used = append(b.free, b.used...), b.used[:0]
	for v := range b.nodes {
		b.arrivals[v], b.last[v] = b.arrivals[v][:0], 0
		for k := range b.lacks[v] {
			b.lacks[v][k] = ^b.own[v][k]
		}
		if extra := len(b.pieces) & 63; extra > 0 {
			b.lacks[v][len(b.lacks[v])-1] &= 1<<extra - 1
		}
	}
}

// run books a list, and sends what lacks in the end. It reports false if a message is whole at the limit or later.
func (b *bundles) run(list []bundle, limit router.Cycle) bool {
	b.reset()
	for i := range list {
		if !b.take(list[i], limit) {
			return false
		}
	}
	for v := range int32(b.nodes) {
		for !b.lacks[v].Empty() {
			if !b.take(bundle{from: b.nearestWith(v, b.first(v)), to: v}, limit) {
				return false
			}
		}
	}
	return true
}

// first is a piece that a node lacks.
func (b *bundles) first(v int32) int32 {
	for p := range b.lacks[v].All() {
		return p
	}
	return none
}

// nearestWith is the node from which a piece could be at another first.
func (b *bundles) nearestWith(v, p int32) int32 {
	best, least := none, never
	for u := range int32(b.nodes) {
		if u == v || b.lacks[u].Has(p) {
			continue
		}
		at := b.model.UntilWhole(b.Links(u, v), int(b.sizes[p]))
		for _, a := range b.arrivals[u] {
			if a.pieces.Has(p) {
				at += a.at
				break
			}
		}
		if at < least {
			best, least = u, at
		}
	}
	return best
}

// use looks up what a bundle is good for.
func (b *bundles) use(x *bundle) bundleUse {
	u := bundleUse{pieces: b.set, giver: none}
	lacks, come := b.lacks[x.to], b.arrivals[x.from]
	b.work += 1 + len(come)/4
	come = come[:max(0, len(come)-int(x.skip))]
	for k := range u.pieces {
		wanted := lacks[k]
		if x.but != nil {
			wanted &^= x.but[k]
		}
		u.pieces[k] = b.own[x.from][k] & wanted
		for i := range come {
			if more := come[i].pieces[k] & wanted; more != 0 {
				u.pieces[k] |= more
				if come[i].at > u.from {
					u.from, u.giver = come[i].at, come[i].bundle
				}
			}
		}
	}
	return u
}

// take books a bundle, if it is good for something. It reports false if it is whole too late.
func (b *bundles) take(x bundle, limit router.Cycle) bool {
	u := b.use(&x)
	words := b.wordsOf(u.pieces)
	if words == 0 {
		return true
	}
	source, target := x.from, x.to
	if b.back {
		source, target = target, source
	}
	way := b.Route(source, target)
	b.work += 4 + len(way)
	handed, whole := b.book.Reserve(router.NodeID(source), way, words, u.from)
	if whole >= limit {
		return false
	}
	pieces := b.newSet(u.pieces)
	b.arrive(x.to, arrival{whole, pieces, int32(len(b.list))})
	b.list, b.taken = append(b.list, x), append(b.taken, pieces)
	b.booked = append(b.booked, booked{message: message{from: x.from, to: x.to}, handed: handed, whole: whole, giver: u.giver})
	b.cycles, b.last[x.to] = max(b.cycles, whole+1), max(b.last[x.to], whole)
	return true
}

// newSet copies a set.
func (b *bundles) newSet(of bitset.Set) (s bitset.Set) {
	if last := len(b.free) - 1; last >= 0 {
		s, b.free = b.free[last], b.free[:last]
	} else {
		s = bitset.New(len(b.pieces))
	}
	copy(s, of)
	b.used = append(b.used, s)
	return s
}

func (b *bundles) wordsOf(pieces bitset.Set) (words int) {
	for k, set := range pieces {
		if b.equal > 0 {
			words += bits.OnesCount64(set) * b.equal
			continue
		}
		for ; set != 0; set &= set - 1 {
			words += int(b.sizes[k<<6+bits.TrailingZeros64(set)])
		}
	}
	return words
}

// arrive enters an arrival at a node.
func (b *bundles) arrive(v int32, a arrival) {
	for k := range a.pieces {
		b.lacks[v][k] &^= a.pieces[k]
	}
	list := append(b.arrivals[v], a)
	for i := len(list) - 1; i > 0 && list[i-1].at > a.at; i-- {
		list[i-1], list[i] = list[i], list[i-1]
	}
	b.arrivals[v] = list
}

// cost is what annealing makes small, see outcome.cost.
func (b *bundles) cost() float64 {
	all := router.Cycle(0)
	for _, at := range b.last {
		all += at
	}
	return float64(b.cycles) + float64(all)/float64(4*b.nodes)
}

// now keeps the list that was booked last.
func (b *bundles) now() *listed {
	l := &listed{list: slices.Clone(b.list), cycles: b.cycles, cost: b.cost()}
	last := 0
	for i := range b.booked {
		if b.booked[i].whole > b.booked[last].whole {
			last = i
		}
	}
	for i := int32(last); i != none && int(i) < len(b.booked); i = b.booked[i].giver {
		l.chain = append(l.chain, i)
	}
	return l
}

// made is the schedule that was booked last.
func (b *bundles) made() *outcome {
	o := &outcome{messages: slices.Clone(b.booked), cycles: b.cycles}
	for _, p := range b.pieces {
		o.ends = append(o.ends, int32(p.To))
	}
	for i := range o.messages {
		o.messages[i].pieces = slices.Collect(b.taken[i].All())
	}
	return o
}
