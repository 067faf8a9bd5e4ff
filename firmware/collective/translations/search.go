// SPDX-License-Identifier: Apache-2.0

package translations

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"sync"

	"meshwright/fabric/booking"
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// Name is the name of the algorithm.
const Name = "translations"

const (
	// workOf times the nodes is how many messages a search looks at, within bounds.
	workOf              = 1 << 13
	leastWork, mostWork = 1 << 15, 1 << 18
	// rounds is how often all searches are made: every second one begins with the fastest schedule of the round before.
	rounds = 4
	// mostMessages bounds the messages of a node.
	mostMessages = 24
)

// tries are the searches, one after the other.
var tries = [...]try{{1. / 8, 1. / 4}, {1. / 2, 1. / 4}, {1. / 8, 1. / 2}, {1. / 4, 1. / 4}, {1. / 2, 1. / 2}, {1. / 8, 1. / 8}}

// try says what a search accepts: parts of the time of a message.
type try struct {
	lacking float64 // cost of a node that is not in the sum
	heat    float64 // by which a schedule may become worse at the start
}

// Plan plans an allreduce.
func Plan(t *plan.Task) (*plan.Plan, error) {
	t.Root = 0
	n, err := newNetwork(t, true)
	if err != nil {
		return nil, err
	}
	best := n.fastest()
	if !t.Machine.FullRate() && t.Machine.Claim == 0 {
		short, err := newNetwork(t, false)
		if err != nil {
			return nil, err
		}
		if s := short.fastest(); s != nil && (best == nil || s.cycles < best.cycles) {
			best = s
		}
	}
	if err := n.Ctx.Err(); err != nil {
		return nil, err
	}
	if best == nil {
		return nil, n.refuse()
	}
	p, err := n.VectorPlan(n.list(best))
	if err != nil {
		return nil, err
	}
	n.PredictBooked(p, best.cycles)
	p.Stopped = n.Search.Err() != nil && best.cycles > n.LowerBound()
	return p, nil
}

// step is a message that a node may send: to a node, or the next one to which it may, and how many more messages than before are in its sum. Nodes are counted from the nearest on; -1-v is
// node v, or the next one before it.
type step struct{ to, more int32 }

// sent is a message of node 0. A message that comes before others with a smaller sum are sent waits until they are.
type sent struct {
	to                 int32
	handed, whole, due router.Cycle
	brings             uint64 // the nodes in the sum that node 0 gets
}

// schedule is the messages of node 0, in the order in which those that come are added.
type schedule struct {
	messages []sent
	covered  uint64
	cycles   router.Cycle
	steps    []step // of which it was made
}

// run books the steps, one after the other, each as early as it can be handed over.
func (n *network) run(steps []step, s *schedule) {
	for i := range n.calendars {
		n.calendars[i] = n.calendars[i][:0]
	}
	clear(n.carried)
	*s = schedule{messages: s.messages[:0], covered: 1}
	has, added := uint64(1), 0
	from, last := router.Cycle(0), router.Cycle(-1) // no message is handed over before; the last one so far was
	for _, x := range steps {
		if more := min(int(x.more), len(s.messages)-added); more > 0 {
			from = max(from, last+1)
			for range more {
				m := &s.messages[added]
				m.due = max(m.whole, last+1)
				has, from, added = has|m.brings, max(from, m.due), added+1
			}
		}
		to, brings := n.useful(x.to, has, s.covered)
		if to < 0 {
			continue
		}
		w := &n.ways[to]
		handed := booking.Earliest(w.uses, from+n.model.Startup) - n.model.Startup
		booking.Reserve(w.uses, handed+n.model.Startup)
		last = max(last, handed)
		s.messages = append(s.messages, sent{to, handed, handed + n.model.UntilWhole(len(w.course), n.words), 0, brings})
		if s.covered |= brings; bits.OnesCount64(s.covered) == n.nodes {
			break
		}
	}
	for i := range s.messages {
		m := &s.messages[i]
		if i >= added {
			m.due = max(m.whole, last+1)
		}
		s.cycles = max(s.cycles, m.due+1)
	}
}

// useful returns the first node, from one on, to which a sum can be sent so that nodes get no words that they have; -1 if there is none.
func (n *network) useful(to int32, has, covered uint64) (found int32, brings uint64) {
	at, by := int(to), 1
	if to < 0 {
		at, by = -1-int(to), len(n.near)-1
	}
	for range n.near {
		v := n.near[at]
		at = (at + by) % len(n.near)
		if brings, ok := n.sum(has, v, covered); ok && n.carries(&n.ways[v]) {
			return v, brings
		}
	}
	return -1, 0
}

// sum returns the nodes of whose words node 0 gets the sum when all nodes send such a sum to a node. It reports false if node 0 has some of them.
func (n *network) sum(has uint64, to int32, covered uint64) (set uint64, ok bool) {
	moved := n.moved[n.back[to]]
	for ; has != 0; has &= has - 1 {
		v := uint64(1) << moved[bits.TrailingZeros64(has)]
		if covered&v != 0 {
			return 0, false
		}
		set |= v
	}
	return set, true
}

// carries reports whether links have room for a message, and notes its flits.
func (n *network) carries(w *way) bool {
	if n.room == 0 {
		return true
	}
	flits := n.words + n.Machine.HeaderFlits()
	for _, g := range w.course {
		if n.carried[g]+flits > n.room {
			return false
		}
	}
	for _, g := range w.course {
		n.carried[g] += flits
	}
	return true
}

// cost is what annealing makes small.
func (n *network) cost(s *schedule, lacking float64) float64 {
	mean := 0.0
	for i := range s.messages {
		mean += float64(s.messages[i].whole) * float64(bits.OnesCount64(s.messages[i].brings))
	}
	missing := float64(n.nodes - bits.OnesCount64(s.covered))
	return float64(s.cycles) + mean/float64(8*n.nodes) + missing*(1+lacking*float64(n.model.UntilWhole(1, n.words)))
}

// fastest returns the fastest schedule that is found; nil if there is none.
func (n *network) fastest() (best *schedule) {
	if n.nodes == 1 || n.words == 0 {
		return &schedule{}
	}
	if len(n.near) == 0 {
		return nil
	}
	best = n.alone()
	for round := range uint64(rounds) {
		found := make([]*schedule, len(tries))
		var others sync.WaitGroup
		for i, x := range tries {
			from := []step{{}}
			if round > 0 && best != nil && i%2 == 0 {
				from = best.steps
			}
			random := rand.New(rand.NewPCG(n.Seed+uint64(i), 0x7472616e73+round))
			others.Go(func() { found[i] = n.fork().anneal(x, from, random) })
		}
		others.Wait()
		for _, s := range found {
			if s != nil && (best == nil || s.cycles < best.cycles) {
				best = s
			}
		}
		if best != nil && best.cycles <= n.LowerBound() {
			break
		}
	}
	return best
}

// alone sends the words of each node to every other one by themselves. It returns nil if that is not possible.
func (n *network) alone() *schedule {
	s := &schedule{steps: make([]step, len(n.near))}
	n.run(s.steps, s)
	if bits.OnesCount64(s.covered) < n.nodes {
		return nil
	}
	s.steps = make([]step, len(s.messages))
	return s
}

// anneal changes a list of steps at random.
func (n *network) anneal(x try, at []step, random *rand.Rand) (best *schedule) {
	var s schedule
	n.run(at, &s)
	cost := n.cost(&s, x.lacking)
	most := min(max(leastWork, workOf*n.nodes), mostWork)
	heat := float64(n.model.UntilWhole(1, n.words)) * x.heat
	for work := 0; work < most && n.Search.Err() == nil && n.Ctx.Err() == nil; {
		next := n.changed(at, random)
		work += len(next) + 1
		n.run(next, &s)
		c := n.cost(&s, x.lacking)
		left := 1 - float64(work)/float64(most)
		if c > cost-heat*left*left*math.Log(1-random.Float64()) {
			continue
		}
		at, cost = next, c
		if bits.OnesCount64(s.covered) == n.nodes && (best == nil || s.cycles < best.cycles) {
			best = &schedule{slices.Clone(s.messages), s.covered, s.cycles, next}
			if best.cycles <= n.LowerBound() {
				return best
			}
		}
	}
	return best
}

// changed returns a list of steps with a random change.
func (n *network) changed(from []step, random *rand.Rand) []step {
	list := slices.Clone(from)
	fresh := func() step {
		return step{n.draw(random), int32(max(0, random.IntN(6)-3))}
	}
	switch k := random.IntN(len(list)); random.IntN(6) {
	case 0:
		if len(list) < mostMessages {
			list = slices.Insert(list, random.IntN(len(list)+1), fresh())
		}
	case 1:
		if len(list) > 1 {
			list = slices.Delete(list, k, k+1)
		}
	case 2:
		list[k].more = max(0, list[k].more+int32(random.IntN(3)-1))
	case 3:
		j := random.IntN(len(list))
		list[j], list[k] = list[k], list[j]
	case 4:
		list[k].to = fresh().to
	default:
		list[k] = fresh()
	}
	return list
}

// draw returns a node for a step, often the nearest or the furthest one: sums of neighbours leave no gaps.
func (n *network) draw(random *rand.Rand) int32 {
	switch random.IntN(4) {
	case 0:
		return 0
	case 1:
		return int32(-len(n.near))
	}
	return int32(random.IntN(2*len(n.near)) - len(n.near))
}

// list turns a schedule of node 0 into transfers of all nodes.
func (n *network) list(s *schedule) *transfer.List {
	l := &transfer.List{Nodes: n.nodes, Timed: true}
	for _, m := range s.messages {
		for v := range n.nodes {
			l.Transfers = append(l.Transfers, transfer.Transfer{
				From: router.NodeID(v), To: router.NodeID(n.moved[v][m.to]), Start: m.handed, Due: m.due,
				Op: transfer.Add, Out: transfer.Set{{From: 0, To: n.words}},
			})
		}
	}
	l.InSteps()
	return l
}

// refuse is the reason why there is no plan, with a machine on which all messages may be sent: no worm is longer than a link takes.
func (n *network) refuse() error {
	m := timing.Of(&n.Machine)
	want := fmt.Sprintf("expected shorter vectors, or nic.duplex full and hop %d", m.Work(n.words))
	if n.Machine.Switching == machine.Wormhole {
		want += fmt.Sprintf(" with buffer %d", m.Work(n.words)/m.Flit+1)
	}
	return input.Errorf(want, "%s: no messages of %d words that all nodes of %s send at the same time make a sum", Name, n.words, n.Topology)
}
