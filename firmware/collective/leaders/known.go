// SPDX-License-Identifier: Apache-2.0

package leaders

import (
	"cmp"
	"math/bits"
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/router"
)

// reader finds the form of a piece in a known schedule.
type reader struct {
	*network
	form *form
	sets []uint64    // by cluster: its nodes
	has  []uint64    // by node: of which nodes it has the sum
	got  [][]receipt // by node: the sums that it has got
	sent []uint64    // by message: of which nodes it is the sum
	sums []uint64    // those that are sent
}

// receipt is a sum over a set of nodes that came from a node.
type receipt struct {
	of   uint64
	from int32
}

// read returns the forms of a timed list whose sums are nested and whose messages have one piece; ok is false if it is not such a list, or the search ends before.
func (n *network) read(l *transfer.List) (d design, ok bool) {
	at := []int{0, n.total}
	for i := range l.Transfers {
		for _, r := range l.Transfers[i].Out {
			at = append(at, r.From, r.To)
		}
	}
	slices.Sort(at)
	at = slices.Compact(at)
	pieces := make([][]*transfer.Transfer, len(at)-1)
	for i := range l.Transfers {
		x := &l.Transfers[i]
		if len(x.Out) == 0 {
			continue
		}
		p, _ := slices.BinarySearch(at, x.Out[0].From)
		if x.Out[0].To != at[p+1] || len(x.Out) > 1 || x.From == x.To || x.In != nil || x.Route != nil {
			return d, false
		}
		pieces[p] = append(pieces[p], x)
	}
	for p, messages := range pieces {
		f, ok := n.readPiece(messages)
		if !ok || n.Search.Err() != nil {
			return d, false
		}
		d.forms, d.ends = append(d.forms, f), append(d.ends, int32(at[p+1]))
	}
	return d, true
}

func (n *network) readPiece(messages []*transfer.Transfer) (*form, bool) {
	r := &reader{network: n, form: newForm(n.nodes), got: make([][]receipt, n.nodes), sent: make([]uint64, len(messages))}
	for v := range n.nodes {
		r.has = append(r.has, 1<<v)
	}
	if !r.follow(messages) {
		return nil, false
	}
	full := uint64(1)<<n.nodes - 1
	var leaders []int32
	for v, s := range r.has {
		if s == full {
			leaders = append(leaders, int32(v))
		}
	}
	r.sums = append(r.sums, full)
	if len(leaders) == 0 || !r.nest() {
		return nil, false
	}
	root := int32(len(r.form.clusters) - 1)
	for _, v := range leaders {
		if !r.learn(v, root) {
			return nil, false
		}
	}
	for i := range r.form.clusters {
		if r.form.clusters[i].knowers == nil {
			return nil, false
		}
	}
	r.form.root = root
	return r.form, true
}

// follow carries out the messages of a piece, as far as sets of nodes go.
func (r *reader) follow(messages []*transfer.Transfer) bool {
	type event struct {
		at      router.Cycle
		message int
		sends   bool
	}
	var events []event
	for i, x := range messages {
		events = append(events, event{x.Due, i, false}, event{x.Start, i, true})
	}
	slices.SortStableFunc(events, func(a, b event) int {
		if a.at == b.at && a.sends != b.sends {
			if a.sends {
				return 1
			}
			return -1
		}
		return cmp.Compare(a.at, b.at)
	})
	full := uint64(1)<<r.nodes - 1
	whole := make([]bool, r.nodes) // it came as such
	for _, e := range events {
		x := messages[e.message]
		from, to := int32(x.From), int32(x.To)
		switch {
		case e.sends && x.Op == transfer.Put:
			r.sent[e.message] = full
			if !whole[from] && r.has[from] != full {
				return false
			}
		case e.sends:
			r.sent[e.message] = r.has[from]
			r.sums = append(r.sums, r.has[from])
		case x.Op == transfer.Put:
			if !whole[to] && r.has[to] != full {
				whole[to], r.form.down[to] = true, from
			}
		case whole[to] || r.has[to]&r.sent[e.message] != 0:
			return false
		default:
			r.has[to] |= r.sent[e.message]
			r.got[to] = append(r.got[to], receipt{r.sent[e.message], from})
		}
	}
	for v := range whole {
		if !whole[v] && r.has[v] != full {
			return false
		}
	}
	return true
}

// nest makes clusters of the sums that are sent. It reports false if two of them overlap.
func (r *reader) nest() bool {
	slices.SortStableFunc(r.sums, func(a, b uint64) int {
		return cmp.Or(cmp.Compare(bits.OnesCount64(a), bits.OnesCount64(b)), cmp.Compare(a, b))
	})
	for v := range r.nodes {
		r.sets = append(r.sets, 1<<v)
	}
	for _, s := range slices.Compact(r.sums) {
		if bits.OnesCount64(s) == 1 {
			continue
		}
		var children []int32
		for c, t := range r.sets {
			switch {
			case t&s == 0:
			case t&^s != 0:
				return false
			case r.form.clusters[c].parent == none:
				children = append(children, int32(c))
			}
		}
		c := int32(len(r.form.clusters))
		r.form.clusters = append(r.form.clusters, cluster{parent: none, children: children})
		r.sets = append(r.sets, s)
		for _, d := range children {
			r.form.clusters[d].parent = c
		}
	}
	return true
}

// learn notes that a node knows the sum of a cluster, from those that sent it the sums of the parts. It reports false if it did not get just these.
func (r *reader) learn(v, c int32) bool {
	x := &r.form.clusters[c]
	if len(x.children) == 0 || slices.Contains(x.knowers, v) {
		return true
	}
	givers := make([]int32, len(x.children))
	for i, d := range x.children {
		if givers[i] = none; r.sets[d]>>v&1 > 0 {
			if !r.learn(v, d) {
				return false
			}
			continue
		}
		k := slices.IndexFunc(r.got[v], func(g receipt) bool { return g.of == r.sets[d] })
		if k < 0 || !r.learn(r.got[v][k].from, d) {
			return false
		}
		givers[i] = r.got[v][k].from
	}
	x.knowers, x.givers = append(x.knowers, v), append(x.givers, givers)
	return true
}
