// SPDX-License-Identifier: Apache-2.0

package published

import (
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/router"
)

// lister writes the transfers of patterns that run side by side, each with words of its own.
type lister struct {
	*transfer.List
	base int // step before which everything is done
}

func newLister(nodes int) *lister { return &lister{List: &transfer.List{Nodes: nodes}} }

func (l *lister) send(step int, from, to router.NodeID, words transfer.Set, op transfer.Op) {
	if len(words) > 0 {
		l.Transfers = append(l.Transfers, transfer.Transfer{Step: l.base + step, From: from, To: to, Out: words, Op: op})
	}
}

// whole lets partners exchange all words that the sums have (recursive doubling): a startup a step,
// and all words in each of them.
func (l *lister) whole(p pattern, words transfer.Range) {
	all := cut(words, 0, 1, 1)
	for _, e := range p.extras {
		l.send(0, e[0], e[1], all, transfer.Add)
	}
	for k, peers := range p.peers {
		for n, q := range peers {
			if q != router.None {
				l.send(k+1, router.NodeID(n), q, all, transfer.Add)
			}
		}
	}
	for _, e := range p.extras {
		l.send(len(p.peers)+1, e[1], e[0], all, transfer.Put)
	}
}

// reduceScatter leaves each node with the sums of its pieces. part gives the words of pieces.
func (l *lister) reduceScatter(p pattern, s *pieces, part func(from, to int) transfer.Set) {
	for _, e := range p.extras {
		l.send(0, e[0], e[1], part(0, s.count), transfer.Add)
	}
	for k, peers := range p.peers {
		for n, q := range peers {
			if q != router.None {
				l.send(k+1, router.NodeID(n), q, part(s.kept(k+1, q)), transfer.Add)
			}
		}
	}
}

// allGather brings each node's pieces to all nodes: reduceScatter, backwards.
func (l *lister) allGather(p pattern, s *pieces, part func(from, to int) transfer.Set) {
	for i, peers := range slices.Backward(p.peers) {
		for n, q := range peers {
			if q != router.None {
				l.send(len(p.peers)-i, router.NodeID(n), q, part(s.kept(i+1, router.NodeID(n))), transfer.Put)
			}
		}
	}
	for _, e := range p.extras {
		l.send(len(p.peers)+1, e[1], e[0], part(0, s.count), transfer.Put)
	}
}

// shared writes each pattern with its share of the words.
func shared(words int, list []pattern, write func(p pattern, words transfer.Range)) {
	for i, p := range list {
		r := cut(transfer.Range{From: 0, To: words}, i, i+1, len(list))
		if len(r) > 0 {
			write(p, r[0])
		}
	}
}

// wholeList is an allreduce in which partners exchange whole sums.
func wholeList(nodes, words int, list []pattern) *transfer.List {
	l := newLister(nodes)
	shared(words, list, l.whole)
	return l.List
}

// halvingList is an allreduce in two halves: reduce-scatter, then all-gather. It is nil where the
// words cannot be halved so.
func halvingList(nodes, words int, list []pattern) *transfer.List {
	l := newLister(nodes)
	for i, p := range list {
		s := findPieces(p)
		if s == nil {
			return nil
		}
		r := transfer.Range{From: words * i / len(list), To: words * (i + 1) / len(list)}
		part := func(from, to int) transfer.Set { return cut(r, from, to, s.count) }
		l.base = 0
		l.reduceScatter(p, s, part)
		l.base = len(p.peers) + 1
		l.allGather(p, s, part)
	}
	return l.List
}

// blocks gives the words of every node's block: own shares them out among the patterns that run side
// by side.
type blocks func(n router.NodeID) transfer.Range

// ofShare cuts share i of k from every block.
func (b blocks) ofShare(i, k int) blocks {
	return func(n router.NodeID) transfer.Range {
		r := b(n)
		words := r.To - r.From
		return transfer.Range{From: r.From + words*i/k, To: r.From + words*(i+1)/k}
	}
}

// at returns the words of pieces: the blocks of the nodes whose pieces they are, and of their extras.
func (b blocks) at(p pattern, s *pieces) func(from, to int) transfer.Set {
	owner := make([][]router.NodeID, s.count)
	for n, place := range s.place {
		if place >= 0 {
			owner[place] = append(owner[place], router.NodeID(n))
		}
	}
	for _, e := range p.extras {
		owner[s.place[e[1]]] = append(owner[s.place[e[1]]], e[0])
	}
	var nodes []router.NodeID
	return func(from, to int) transfer.Set {
		nodes = nodes[:0]
		for _, list := range owner[from:to] {
			nodes = append(nodes, list...)
		}
		slices.Sort(nodes)
		sets := make([]transfer.Set, len(nodes))
		for i, n := range nodes {
			sets[i] = transfer.Set{b(n)}
		}
		return transfer.Join(sets...)
	}
}

// scatterList is a reduce-scatter of blocks.
func scatterList(nodes int, own blocks, list []pattern) *transfer.List {
	l := newLister(nodes)
	for i, p := range list {
		s := findPieces(p)
		if s == nil {
			return nil
		}
		b := own.ofShare(i, len(list))
		l.reduceScatter(p, s, b.at(p, s))
		for _, e := range p.extras {
			l.send(len(p.peers)+1, e[1], e[0], transfer.Join(transfer.Set{b(e[0])}), transfer.Put)
		}
	}
	return l.List
}

// gatherList is an all-gather of blocks.
func gatherList(nodes int, own blocks, list []pattern) *transfer.List {
	l := newLister(nodes)
	for i, p := range list {
		s := findPieces(p)
		if s == nil {
			return nil
		}
		b := own.ofShare(i, len(list))
		for _, e := range p.extras {
			l.send(0, e[0], e[1], transfer.Join(transfer.Set{b(e[0])}), transfer.Put)
		}
		l.allGather(p, s, b.at(p, s))
	}
	return l.List
}
