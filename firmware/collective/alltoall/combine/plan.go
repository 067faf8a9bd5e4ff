// SPDX-License-Identifier: Apache-2.0

package combine

import (
	"cmp"
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/router"
)

// Layout gives the places of a node's own blocks in its memory: the blocks that it sends
// (Out), the blocks that it receives (In), and the number of words of both together.
type Layout struct {
	Out, In func(at, other router.NodeID) transfer.Range
	Words   func(at router.NodeID) int
}

// Plan lists the messages of an all-to-all in which a node has lengths words for each
// other node. A node keeps other nodes' blocks behind its own words; extra is the most
// words that each node keeps. In a step the messages over the most links come first.
func Plan(lengths []int, layout Layout, o Onward, links func(from, to router.NodeID) int) (l *transfer.List, extra []int) {
	p := &planner{lengths: lengths, layout: layout, o: o, held: make([][]block, len(lengths)), stores: make([]store, len(lengths))}
	for n := range p.held {
		at := router.NodeID(n)
		for to := range router.NodeID(len(lengths)) {
			if to != at && lengths[at] > 0 {
				p.held[at] = append(p.held[at], block{at, to, layout.Out(at, to)})
			}
		}
		p.stores[n] = store{first: layout.Words(at), top: layout.Words(at)}
	}
	l = &transfer.List{Nodes: len(lengths)}
	for step := range o.Steps {
		l.Transfers = append(l.Transfers, p.step(step, links)...)
	}
	for n := range p.stores {
		extra = append(extra, p.stores[n].top-p.stores[n].first)
	}
	return l, extra
}

// block holds the words of one node for another, with their present place.
type block struct {
	from, to router.NodeID
	at       transfer.Range
}

type planner struct {
	lengths []int
	layout  Layout
	o       Onward
	held    [][]block // by node: the blocks that have not arrived
	stores  []store
}

// message holds the blocks that go from one node to another in a step.
type message struct {
	from, to router.NodeID
	links    int
	blocks   []block
}

// step moves all blocks by one step.
func (p *planner) step(step int, links func(from, to router.NodeID) int) []transfer.Transfer {
	var messages []message
	for n := range router.NodeID(len(p.held)) {
		messages = append(messages, p.collect(step, n)...)
	}
	for i := range messages {
		messages[i].links = links(messages[i].from, messages[i].to)
	}
	nodes := router.NodeID(len(p.held))
	slices.SortStableFunc(messages, func(a, b message) int {
		return cmp.Or(cmp.Compare(b.links, a.links), cmp.Compare((a.to-a.from+nodes)%nodes, (b.to-b.from+nodes)%nodes))
	})
	transfers := make([]transfer.Transfer, len(messages))
	for i, m := range messages {
		transfers[i] = p.deliver(step, m)
	}
	return transfers
}

// collect removes the blocks that a node sends in a step from the blocks that it holds.
func (p *planner) collect(step int, n router.NodeID) []message {
	var messages []message
	index := map[router.NodeID]int{}
	stay := p.held[n][:0]
	for _, c := range p.held[n] {
		to := p.o.next(step, c.from, n, c.to)
		if to == n {
			stay = append(stay, c)
			continue
		}
		i, ok := index[to]
		if !ok {
			i = len(messages)
			index[to] = i
			messages = append(messages, message{from: n, to: to})
		}
		messages[i].blocks = append(messages[i].blocks, c)
		p.stores[n].give(c.at)
	}
	p.held[n] = stay
	return messages
}

// deliver finds places for a message's blocks at the receiver.
func (p *planner) deliver(step int, m message) transfer.Transfer {
	slices.SortFunc(m.blocks, func(a, b block) int { return cmp.Or(cmp.Compare(a.to, b.to), cmp.Compare(a.from, b.from)) })
	out, in := make(transfer.Set, len(m.blocks)), make(transfer.Set, len(m.blocks))
	for i, c := range m.blocks {
		out[i] = c.at
		if c.to == m.to {
			in[i] = p.layout.In(m.to, c.from)
			continue
		}
		c.at = p.stores[m.to].take(p.lengths[c.from])
		in[i] = c.at
		p.held[m.to] = append(p.held[m.to], c)
	}
	return transfer.Transfer{Step: step, From: m.from, To: m.to, Out: transfer.Join(out), In: transfer.Join(in)}
}

// store is the part of a node's memory for other nodes' blocks.
type store struct {
	first, top int
	free       []transfer.Range // rising
}

// give frees a place, if it belongs to the store.
func (s *store) give(r transfer.Range) {
	if r.From < s.first {
		return
	}
	i, _ := slices.BinarySearchFunc(s.free, r, func(a, b transfer.Range) int { return cmp.Compare(a.From, b.From) })
	if i > 0 && s.free[i-1].To == r.From {
		i--
		s.free[i].To = r.To
	} else {
		s.free = slices.Insert(s.free, i, r)
	}
	if i+1 < len(s.free) && s.free[i].To == s.free[i+1].From {
		s.free[i].To = s.free[i+1].To
		s.free = slices.Delete(s.free, i+1, i+2)
	}
}

// take reserves the first free place that is large enough.
func (s *store) take(words int) transfer.Range {
	for i := range s.free {
		f := &s.free[i]
		if f.To-f.From < words {
			continue
		}
		r := transfer.Range{From: f.From, To: f.From + words}
		if f.From = r.To; f.From == f.To {
			s.free = slices.Delete(s.free, i, i+1)
		}
		return r
	}
	s.top += words
	return transfer.Range{From: s.top - words, To: s.top}
}
