// SPDX-License-Identifier: Apache-2.0

package symmetric

import (
	"cmp"
	"fmt"
	"slices"

	"meshwright/fabric/booking"
	"meshwright/firmware/collective/symmetries"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/bitset"
	"meshwright/internal/input"
	"meshwright/router"
)

// Name is the name of the algorithms.
const Name = "symmetric"

// MaxNodes bounds the networks. On larger ones, of up to mostTranslated nodes, the groups are those of translations.
const (
	MaxNodes       = 64
	mostTranslated = 1024
)

// Translated reports whether schedules are planned with the translations of a large network.
func Translated(t *plan.Task) bool {
	return len(t.Lengths) <= mostTranslated && t.Topology.Translates()
}

// Plan plans an all-gather, a reduce-scatter or an allreduce. Its errors are *input.Error, or the context's.
func Plan(t *plan.Task) (*plan.Plan, error) {
	if len(t.Lengths) > MaxNodes && !Translated(t) {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d; on a ring, torus, hypercube, star graph or complete graph %d", MaxNodes, mostTranslated), "%s %s for %d nodes", t.Kind.Name, Name, len(t.Lengths))
	}
	if err := t.NeedTranslations(); err != nil {
		return nil, err
	}
	best, err := fastest(t)
	if err != nil {
		return nil, err
	}
	if err := t.Ctx.Err(); err != nil {
		return nil, err
	}
	if best == nil {
		return nil, input.Errorf("expected a topology of: those with symmetries that keep its routes, such as rings, tori, meshes and hypercubes", "%s %s does not run on %s", t.Kind.Name, Name, t.Topology)
	}
	p, err := t.ListPlan(best.list())
	if err != nil {
		return nil, err
	}
	t.PredictBooked(p, best.cycles)
	p.Stopped = t.Search.Err() != nil && best.cycles > t.LowerBound()
	return p, nil
}

// result is a schedule: messages of sums, backwards in time, and messages of pieces. Each is nil if the collective has none.
type result struct {
	*job
	sums, out *found
	cycles    router.Cycle
}

// job is a task with a group of symmetries, and the pieces of nodes: all have one, or some nodes of an allreduce.
type job struct {
	*plan.Task
	group               symmetries.Group
	forwards, backwards *network         // nil if they are not of use
	pieces              []transfer.Range // by node
	longest             int
	own                 bitset.Set // nodes that have a piece
}

// newJob returns nil if the group is of no use.
func newJob(t *plan.Task, pairs *plan.Pairs, g symmetries.Group) *job {
	j := &job{Task: t, group: g, pieces: make([]transfer.Range, len(t.Lengths)), own: bitset.New(len(t.Lengths))}
	if !j.divide() {
		return nil
	}
	if t.Kind.Name != plan.ReduceScatter {
		if j.forwards = newNetwork(t, pairs, g, j.longest, false); j.forwards == nil {
			return nil
		}
	}
	if t.Kind.Name != plan.Gossip {
		if j.backwards = newNetwork(t, pairs, g, j.longest, true); j.backwards == nil {
			return nil
		}
	}
	return j
}

// fewWords reports whether an allreduce has fewer words than nodes.
func fewWords(t *plan.Task) bool {
	return t.Kind.Name == plan.Allreduce && t.VectorWords() < len(t.Lengths)
}

// inOrderOfOwners sorts groups for an allreduce of few words: those that divide the words among the most nodes first.
func inOrderOfOwners(t *plan.Task, list []symmetries.Group) []symmetries.Group {
	if fewWords(t) {
		slices.SortStableFunc(list, func(a, b symmetries.Group) int {
			return cmp.Compare(len(b.LargestOrbit(t.VectorWords())), len(a.LargestOrbit(t.VectorWords())))
		})
	}
	return list
}

// divide gives each node its piece. If there are fewer words than nodes, those of an allreduce are divided among the nodes of the largest orbit that has no more nodes than there are words. It reports false if there is none.
func (j *job) divide() bool {
	owners := make([]int, len(j.pieces))
	for v := range owners {
		owners[v] = v
	}
	if fewWords(j.Task) {
		owners = j.group.LargestOrbit(j.VectorWords())
	}
	for i, v := range owners {
		j.pieces[v] = j.Piece(router.NodeID(v))
		if words := j.VectorWords(); j.Kind.Name == plan.Allreduce {
			j.pieces[v] = transfer.Range{From: words * i / len(owners), To: words * (i + 1) / len(owners)}
		}
		j.longest = max(j.longest, j.pieces[v].To-j.pieces[v].From)
		j.own.Set(int32(v))
	}
	return len(owners) > 0
}

// fastest returns the fastest schedule that is found; nil if there is none. Some searches begin with a known one, if it is not nil, and with schedules that grow, if the group is a fresh one.
func (j *job) fastest(known *result, round uint64, fresh bool) *result {
	r := &result{job: j}
	if j.backwards != nil {
		least := router.Cycle(0)
		if j.forwards == nil {
			least = j.LowerBound()
		}
		if r.sums = newSpread(j.backwards, j.own).fastest(known.ofSums(), least, round, fresh); r.sums == nil {
			return nil
		}
	}
	if j.forwards != nil {
		s := newSpread(j.forwards, j.own)
		if r.sums != nil {
			s.after(r.sums)
		}
		if r.out = s.fastest(known.ofPieces(), j.LowerBound(), round, fresh); r.out == nil {
			return nil
		}
	}
	r.cycles = r.end()
	return r
}

// ofSums lists the messages of sums of all nodes, backwards in time.
func (r *result) ofSums() []message {
	if r == nil || r.sums == nil {
		return nil
	}
	return r.backwards.images(r.sums)
}

// ofPieces lists the messages of pieces of all nodes.
func (r *result) ofPieces() []message {
	if r == nil || r.out == nil {
		return nil
	}
	return r.forwards.images(r.out)
}

// after books the messages of a schedule backwards, and lets a piece spread as soon as its sum is complete.
func (s *spread) after(sums *found) {
	for i := range sums.messages {
		m := &sums.messages[i]
		owner := m.from
		from, to := m.to, s.firsts[owner] // forwards
		if m.nodes.Has(to) {
			s.ready[owner] = max(s.ready[owner], sums.cycles-1-m.handed)
		}
		w := s.way(s.orbit[from], s.group[s.back[from][0]][to])
		booking.Reserve(s.list(w, m.nodes.Size()*s.words), sums.cycles-1-m.whole+s.model.Startup)
	}
	for i := range s.kept {
		s.kept[i] = slices.Clone(s.calendars[i])
	}
}

// list lists the messages of all nodes.
func (r *result) list() *transfer.List {
	l := &transfer.List{Nodes: len(r.pieces), Timed: true}
	r.each(func(x transfer.Transfer, nodes bitset.Set) {
		for v := range nodes.All() {
			x.Out = append(x.Out, r.pieces[v])
		}
		x.Out = slices.Clip(transfer.Join(x.Out))
		l.Transfers = append(l.Transfers, x)
	})
	l.InSteps()
	return l
}

// end is when the last message has come.
func (r *result) end() (cycles router.Cycle) {
	r.each(func(x transfer.Transfer, _ bitset.Set) { cycles = max(cycles, x.Due+1) })
	return cycles
}

// each calls a function with every message that has words, but without them, and with the nodes whose pieces it brings.
func (r *result) each(do func(transfer.Transfer, bitset.Set)) {
	if r.sums != nil {
		r.eachOf(r.backwards, r.sums, do)
	}
	if r.out != nil {
		r.eachOf(r.forwards, r.out, do)
	}
}

func (j *job) eachOf(n *network, f *found, do func(transfer.Transfer, bitset.Set)) {
	for i := range f.messages {
		m := &f.messages[i]
		w := n.way(m.from, m.to)
		for _, h := range w.images {
			s := n.group[h]
			x := transfer.Transfer{From: router.NodeID(s[n.firsts[m.from]]), To: router.NodeID(s[m.to]), Start: m.handed}
			if n.backwards {
				x.From, x.To, x.Op, x.Start = x.To, x.From, transfer.Add, f.cycles-1-m.whole
			}
			nodes := moved(s, m.nodes)
			if words := j.wordsOf(nodes); words > 0 {
				x.Due = x.Start + n.model.UntilWhole(w.Links, words)
				do(x, nodes)
			}
		}
	}
}

// wordsOf counts the words of the pieces of some nodes.
func (j *job) wordsOf(nodes bitset.Set) (words int) {
	for v := range nodes.All() {
		words += j.pieces[v].To - j.pieces[v].From
	}
	return words
}
