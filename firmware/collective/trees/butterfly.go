// SPDX-License-Identifier: Apache-2.0

package trees

import (
	"cmp"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// Butterfly is an allreduce in which all nodes exchange sums in pairs (recursive doubling), or in larger groups. The nodes of a group
// exchange whole sums, or share the words out among them and put their sums together in the end:
//
//	step   0        1        2        3        groups of 2, whole sums; 5 nodes
//	node 0 + of 4   <-> 1    <-> 2    > 4
//	node 1          <-> 0    <-> 3
//	node 4 > 0                        total of 0
//
//	step   0              1                  2           groups of 3 share the words out, groups of 2 do not; 6 nodes
//	node 0 thirds to 1, 2 third 0 <-> 3      third 0 > 1, 2
//	node 1 thirds to 0, 2 third 1 <-> 4      third 1 > 0, 2
const Butterfly = "butterfly"

// flight is a form of the butterfly.
type flight struct {
	groups []int // by level: nodes that exchange sums; each has another digit of its number there
	split  int   // levels, the first ones, in which a group shares the words out
	nodes  int   // that take part; the others add their words to those of a node before, and get the sums in the end
}

const (
	// largestGroup bounds the groups.
	largestGroup = 16
	// mostGroups bounds the networks on which groups are larger than pairs.
	mostGroups = 256
	// mostFlights bounds the forms for which messages are listed.
	mostFlights = 8
)

// flights lists all forms for so many nodes.
func flights(nodes int) (list []flight) {
	whole := flight{nodes: 1}
	for 2*whole.nodes <= nodes {
		whole.groups, whole.nodes = append(whole.groups, 2), 2*whole.nodes
	}
	list = append(list, whole)
	if nodes > mostGroups {
		return list
	}
	for part := nodes; 2*part > nodes; part-- {
		eachProduct(part, nil, func(groups []int) {
			for split := range len(groups) + 1 {
				list = append(list, flight{groups, split, part})
			}
		})
	}
	return list
}

// eachProduct visits all ways to write a number as a product of groups, in any order.
func eachProduct(number int, before []int, visit func(groups []int)) {
	if number == 1 {
		visit(slices.Clone(before))
	}
	for g := 2; g <= min(number, largestGroup); g++ {
		if number%g == 0 {
			eachProduct(number/g, append(before, g), visit)
		}
	}
}

// butterflyDrafts lists the forms that could be the fastest, each in several orders of the nodes: by their numbers, and in a walk
// through the network.
func butterflyDrafts(t *plan.Task) ([]*plan.Draft, error) {
	nodes := len(t.Lengths)
	own, walk := make([]router.NodeID, nodes), walkOf(t)
	for n := range own {
		own[n] = router.NodeID(n)
	}
	forms, words := flights(nodes), t.VectorWords()
	pairs := forms[0]
	crowd := 1
	if t.Machine.Duplex == machine.Half {
		crowd = 2 // a node receives as much as it sends
	}
	slices.SortStableFunc(forms, func(a, b flight) int { return cmp.Compare(a.time(t, words, crowd), b.time(t, words, crowd)) })
	forms = append([]flight{pairs}, forms[:min(len(forms), mostFlights)]...)
	var list []*plan.Draft
	for i, f := range forms {
		if i > 0 && f.equal(pairs) {
			continue
		}
		if err := t.NeedParts(f.messages()); err != nil {
			return nil, err
		}
		for _, order := range [][]router.NodeID{own, walk} {
			list = append(list, &plan.Draft{List: f.list(order, words), NeedsTimetable: true})
		}
	}
	return list, nil
}

func (f flight) equal(g flight) bool {
	return f.nodes == g.nodes && f.split == g.split && slices.Equal(f.groups, g.groups)
}

// messages is how many messages a node sends.
func (f flight) messages() int {
	count := 2
	for level, g := range f.groups {
		count += g - 1
		if level < f.split {
			count += g - 1
		}
	}
	return count
}

// ButterflyLeast returns a time that no butterfly beats.
func ButterflyLeast(t *plan.Task) router.Cycle {
	if len(t.Lengths) == 1 || t.VectorWords() == 0 {
		return 0
	}
	least := router.Cycle(-1)
	for _, f := range flights(len(t.Lengths)) {
		if time := f.time(t, t.VectorWords(), 1); least < 0 || time < least {
			least = time
		}
	}
	return max(t.LowerBound(), least+1)
}

// time is how long the levels take one after the other, if all nodes are neighbours and words are cut into parts of equal length, rounded down. Each
// flit counts crowd times at its node.
func (f flight) time(t *plan.Task, words, crowd int) (time router.Cycle) {
	model, channels := t.Timing(), 1
	for n := range router.NodeID(len(t.Lengths)) {
		channels = max(channels, timing.Channels(&t.Machine, t.Topology.Degree(n)))
	}
	level := func(others, words int) router.Cycle {
		if words == 0 {
			return 0
		}
		rounds, flits := (others+channels-1)/channels, words*crowd
		took := router.Cycle(rounds-1)*model.Hold(flits) + model.UntilWhole(1, flits)
		if t.Machine.Ports == machine.SinglePort {
			took = max(took, model.UntilWhole(1, others*flits))
		}
		return took
	}
	for i, g := range f.groups {
		if i < f.split {
			words /= g
			time += 2 * level(g-1, words)
		} else {
			time += level(g-1, words)
		}
	}
	if f.nodes < len(t.Lengths) {
		time += 2 * level(1, t.VectorWords())
	}
	return time
}

// list lists the transfers for an order of the nodes.
func (f flight) list(order []router.NodeID, words int) *transfer.List {
	l, steps := &transfer.List{Nodes: len(order)}, 0
	send := func(from, to int, words transfer.Range, op transfer.Op) {
		if words.From < words.To {
			l.Transfers = append(l.Transfers, transfer.Transfer{Step: steps, From: order[from], To: order[to], Out: transfer.Set{words}, Op: op})
		}
	}
	// The nodes that are left over stand behind their partners, so that they are near.
	rest, vector := len(order)-f.nodes, transfer.Range{From: 0, To: words}
	place := func(i int) int { return i + min(i, rest) }
	step := func(write func()) {
		write()
		steps++
	}
	fold := func(write func(i int)) {
		if rest > 0 {
			step(func() {
				for i := range rest {
					write(i)
				}
			})
		}
	}
	fold(func(i int) { send(place(i)+1, place(i), vector, transfer.Add) })
	owns, before := slices.Repeat([]transfer.Range{vector}, f.nodes), [][]transfer.Range(nil)
	apart := 1
	for i, g := range f.groups {
		part := func(r transfer.Range, digit int) transfer.Range {
			if i >= f.split {
				return r
			}
			return transfer.Range{From: r.From + (r.To-r.From)*digit/g, To: r.From + (r.To-r.From)*(digit+1)/g}
		}
		step(func() {
			f.others(g, apart, func(n, to, digit int) { send(place(n), place(to), part(owns[n], digit), transfer.Add) })
		})
		before = append(before, slices.Clone(owns))
		for n := range owns {
			owns[n] = part(owns[n], n/apart%g)
		}
		apart *= g
	}
	for i, g := range slices.Backward(f.groups) {
		if apart /= g; i < f.split {
			step(func() { f.others(g, apart, func(n, to, _ int) { send(place(n), place(to), owns[n], transfer.Put) }) })
			owns = before[i]
		}
	}
	fold(func(i int) { send(place(i), place(i)+1, vector, transfer.Put) })
	return l
}

// others visits every node with the others of its group, and their digits: first each with the next one.
func (f flight) others(g, apart int, visit func(n, to, digit int)) {
	for further := 1; further < g; further++ {
		for n := range f.nodes {
			own := n / apart % g
			digit := (own + further) % g
			visit(n, n+(digit-own)*apart, digit)
		}
	}
}

// walkOf lists the nodes in the order of a walk along the breadth-first tree of the root, so that nodes that are near in the list
// are near in the network.
func walkOf(t *plan.Task) []router.NodeID {
	near := make([]bool, len(t.Lengths))
	var walk []router.NodeID
	var visit func(n router.NodeID)
	visit = func(n router.NodeID) {
		near[n] = true
		walk = append(walk, n)
		for p := range router.Port(t.Topology.Ports(n)) {
			if m := t.Topology.Neighbor(n, p); m != router.None && !near[m] {
				visit(m)
			}
		}
	}
	visit(t.Root)
	return walk
}
