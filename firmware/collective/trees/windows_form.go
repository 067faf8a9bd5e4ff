// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"cmp"
	"fmt"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// windowForm says in how many pieces the words of windows are cut.
type windowForm struct {
	group    []int        // by turn: nodes in a row with different pieces, or the next smaller divisor of the axis
	parts    int          // of the words: they begin with different axes, and every second of the same axis is mirrored
	estimate router.Cycle // about the time
}

// pieces is the number of pieces of the first part of the words.
func (f *windowForm) pieces(t *plan.Task) int {
	pieces := 1
	for turn, size := range t.Topology.Dims {
		pieces *= fitting(f.group[turn], size)
	}
	return pieces
}

// messages is about how many messages a node sends in half of the collective.
func (f *windowForm) messages(t *plan.Task) int {
	each := 0
	for turn, size := range t.Topology.Dims {
		g := fitting(f.group[turn], size)
		each += g + 4*len(windowRadii(size/g))
	}
	return f.parts * each
}

// What bounds the search of a form: the forms whose windows are booked on one line, the forms of which all messages are booked, and
// the messages of such a form. A form that is booked takes by the estimate no more than a formMargin-th longer than the first.
const (
	maxLineForms      = 16
	maxWindowForms    = 3
	maxWindowMessages = 5 << 20
	formMargin        = 8
)

// windowForms lists the forms to be booked, the one that is probably the fastest first. On large networks it is one.
func windowForms(t *plan.Task) []windowForm {
	forms := estimatedForms(t)
	if t.IndependentLinks() {
		lines := lineBook{task: t, known: map[lineKey]router.Cycle{}}
		forms = forms[:min(len(forms), maxLineForms)]
		for i := range forms {
			forms[i].estimate = forms[i].time(t, lines.time)
		}
		sortForms(forms)
	}
	limit := forms[0].estimate + forms[0].estimate/formMargin
	end, messages := 1, forms[0].allMessages(t)
	for end < min(len(forms), maxWindowForms) && forms[end].estimate <= limit {
		if messages += forms[end].allMessages(t); messages > maxWindowMessages/8 {
			break
		}
		end++
	}
	for _, f := range forms[end:] { // the estimates are rough where links share a channel
		if f.pieces(t) == 1 && messages+f.allMessages(t) <= maxWindowMessages/8 {
			return append(forms[:end:end], f)
		}
	}
	return forms[:end]
}

// estimatedForms lists the forms by their estimates: each group with its best number of parts, and of groups in another
// order, which take the same time, only one.
func estimatedForms(t *plan.Task) []windowForm {
	var forms []windowForm
	for _, group := range windowGroups(t.Topology.Dims) {
		var best windowForm
		for i, parts := range windowParts(t) {
			f := windowForm{group: group, parts: parts}
			if i > 0 && f.allMessages(t) > maxWindowMessages {
				break
			}
			if f.estimate = f.time(t, lineTime); best.group == nil || f.estimate < best.estimate {
				best = f
			}
		}
		forms = append(forms, best)
	}
	sortForms(forms)
	return slices.CompactFunc(forms, func(a, b windowForm) bool { return a.estimate == b.estimate && sameGroups(a.group, b.group) })
}

// sortForms puts those first that take the least time by their estimates.
func sortForms(forms []windowForm) {
	slices.SortStableFunc(forms, func(a, b windowForm) int { return cmp.Compare(a.estimate, b.estimate) })
}

// allMessages is about how many messages all nodes send.
func (f *windowForm) allMessages(t *plan.Task) int { return 2 * len(t.Lengths) * f.messages(t) }

// sameGroups reports whether groups differ in their order alone.
func sameGroups(a, b []int) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// windowParts lists the numbers of parts to try. Where all links work at once a part begins with each axis, in both
// directions; and long vectors go in more parts, so that hops of one take place while another is sent.
func windowParts(t *plan.Task) []int {
	dims := len(t.Topology.Dims)
	if !t.IndependentLinks() || dims == 0 {
		return []int{1, 2}
	}
	list := []int{1, dims, 2 * dims, 4 * dims}
	slices.Sort(list)
	return slices.Compact(list)
}

// mostTurns is the number of axes up to which all combinations of groups are tried.
const mostTurns = 3

// windowGroups lists groups by turn: all combinations; or, with many axes, whole axes first and then equal groups. Parts of the words
// take axes of other lengths at the same turn.
func windowGroups(dims []int) (list [][]int) {
	if len(dims) == 0 {
		return [][]int{{}}
	}
	sizes := divisors(slices.Max(dims))
	if len(dims) > mostTurns {
		for whole := range dims {
			for _, g := range sizes {
				list = append(list, slices.Concat(slices.Repeat(sizes[len(sizes)-1:], whole), slices.Repeat([]int{g}, len(dims)-whole)))
			}
		}
		return list
	}
	list = [][]int{{}}
	for range dims {
		var longer [][]int
		for _, g := range sizes {
			for _, group := range list {
				longer = append(longer, append(slices.Clone(group), g))
			}
		}
		list = longer
	}
	return list
}

// divisors lists the divisors of a number in rising order.
func divisors(n int) (list []int) {
	for d := 1; d <= n; d++ {
		if n%d == 0 {
			list = append(list, d)
		}
	}
	return list
}

// time is about the time of a form: that of the slowest part of the words.
func (f *windowForm) time(t *plan.Task, line lineTimer) (slowest router.Cycle) {
	dims := t.Topology.Dims
	for first := range max(1, min(f.parts, len(dims))) {
		slowest = max(slowest, f.timeFrom(t, slices.Concat(dims[min(first, len(dims)):], dims[:min(first, len(dims))]), line))
	}
	return slowest
}

// timeFrom is about the time of a part that takes axes of these sizes: hops and startups in a row, or the words that a link
// carries meanwhile, if those take longer.
func (f *windowForm) timeFrom(t *plan.Task, sizes []int, line lineTimer) router.Cycle {
	model, words := t.Timing(), (t.VectorWords()+f.parts-1)/f.parts
	sharing := max(1, f.parts/max(1, len(sizes))) // parts that take the same axis at the same turn
	if !t.IndependentLinks() {
		sharing = 2 * f.parts // both directions share a channel
	}
	sum := router.Cycle(1)
	for turn, size := range sizes {
		g := fitting(f.group[turn], size)
		words = (words + g - 1) / g
		sum += 2 * chainTime(model, g, words, sharing)
	}
	for turn, size := range sizes {
		g := fitting(f.group[turn], size)
		sum += line(model, lineKey{size / g, g, words, sharing})
	}
	return sum
}

// chainTime is about the time in which pieces come to the middle of g nodes.
func chainTime(m timing.Model, g, words, sharing int) router.Cycle {
	if g == 1 || words == 0 {
		return 0
	}
	hops := router.Cycle(g / 2)
	follow := router.Cycle(sharing-1) * (m.Flits(1, words) + m.Rest())
	inARow := hops*m.UntilWhole(1, words) + follow
	load := router.Cycle(sharing) * router.Cycle(g-1) * (m.Flits(1, words) + m.Rest()) / 2
	return max(inARow, load+m.Startup+m.Hop)
}

// lineKey is windows among so many holders of the same piece of so many words, who are so many nodes apart. Several parts of
// the words share the line.
type lineKey struct{ holders, apart, words, sharing int }

// lineTimer is about the time of windows on a line.
type lineTimer func(timing.Model, lineKey) router.Cycle

// lineTime is a lineTimer that counts hops and words.
func lineTime(m timing.Model, k lineKey) router.Cycle {
	if k.holders == 1 || k.words == 0 {
		return 0
	}
	radii := windowRadii(k.holders)
	places := 0 // that a message of every holder passes in one direction
	for _, r := range radii[:len(radii)-1] {
		places += 2*r + 1
	}
	for _, reach := range narrower(radii, radii[len(radii)-1], k.holders/2) {
		places += reach.distance
	}
	steps, message := router.Cycle(len(radii)), router.Cycle(k.sharing)*(m.Flits(1, k.words)+m.Rest())
	hops, load := router.Cycle(k.holders/2*k.apart)*m.Hop, router.Cycle(places*k.apart)*message
	return steps*(m.Startup+message) + max(hops, load) + min(hops, load)/4 // windows of several widths meet
}

// lineBook books windows on one line of the network.
type lineBook struct {
	task  *plan.Task
	known map[lineKey]router.Cycle
}

// time is a lineTimer.
func (b *lineBook) time(m timing.Model, k lineKey) router.Cycle {
	if k.holders == 1 || k.words == 0 {
		return 0
	}
	time, ok := b.known[k]
	if !ok {
		if time, ok = b.book(k); !ok {
			time = lineTime(m, k)
		}
		b.known[k] = time
	}
	return time
}

// book books the windows of all parts that share a line. It is not ok where a ring with the machine of the task has no routes.
func (b *lineBook) book(k lineKey) (router.Cycle, bool) {
	size := k.holders * k.apart
	ring, err := topology.Parse(fmt.Sprint("ring:", size))
	if err != nil {
		return 0, false
	}
	t := *b.task
	t.Topology, t.Root, t.Lengths = ring, 0, slices.Repeat([]int{k.words * k.sharing}, size)
	net, err := fabric.NewRoutes(ring, t.Machine)
	if err != nil {
		return 0, false
	}
	w := newWindower(&t, net, windowForm{group: []int{k.apart}, parts: k.sharing}, false)
	for _, s := range w.shares {
		w.line(s, 0)
	}
	return w.end, true
}
