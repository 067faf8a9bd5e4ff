// SPDX-License-Identifier: Apache-2.0

package staggered

import (
	"cmp"
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/router"
)

// schedule is the messages of all parts with their times.
type schedule struct {
	*pattern
	units  [][]transfer.Range // by part: the words of each unit
	words  []int32            // by part and message
	times  []booked           // by part and message
	cycles router.Cycle
}

// booked is when a message is handed over, and when it is whole.
type booked struct{ handed, whole router.Cycle }

// newSchedule has no times yet.
func (s *search) newSchedule(p *pattern, parts int) *schedule {
	count := len(p.messages)
	made := &schedule{pattern: p, words: make([]int32, parts*count), times: make([]booked, parts*count)}
	for part := range parts {
		units := s.wordsOf(p, part, parts)
		made.units = append(made.units, units)
		for k := range p.messages {
			for _, u := range p.messages[k].units {
				made.words[part*count+k] += int32(units[u].To - units[u].From)
			}
		}
	}
	return made
}

// wordsOf returns the words of each unit of a part. A part of an allreduce is words that follow one another, so that messages have few ranges of them; otherwise a node has its own words in each part.
func (s *search) wordsOf(p *pattern, part, parts int) []transfer.Range {
	list := make([]transfer.Range, p.units())
	cut := func(r transfer.Range, i, of int) transfer.Range {
		words := r.To - r.From
		return transfer.Range{From: r.From + words*i/of, To: r.From + words*(i+1)/of}
	}
	for u := range list {
		if s.blocks == nil {
			list[u] = cut(cut(transfer.Range{To: s.VectorWords()}, part, parts), u, len(list))
		} else {
			list[u] = cut(cut(s.blocks[u%p.nodes], part, parts), u/p.nodes, p.each)
		}
	}
	return list
}

// list turns the schedule into transfers.
func (s *schedule) list() *transfer.List {
	l := &transfer.List{Nodes: s.nodes, Timed: true}
	for part, units := range s.units {
		for k := range s.messages {
			m, i := &s.messages[k], part*len(s.messages)+k
			if s.words[i] == 0 {
				continue
			}
			x := transfer.Transfer{From: router.NodeID(m.from), To: router.NodeID(m.to), Out: joined(m.units, units), Start: s.times[i].handed, Due: s.times[i].whole}
			if k < s.sums {
				x.Op = transfer.Add
			}
			l.Transfers = append(l.Transfers, x)
		}
	}
	l.InSteps()
	return l
}

// joined is the words of some units.
func joined(units []int32, words []transfer.Range) transfer.Set {
	list := make(transfer.Set, len(units))
	for i, u := range units {
		list[i] = words[u]
	}
	slices.SortFunc(list, func(a, b transfer.Range) int { return cmp.Compare(a.From, b.From) })
	return slices.Clip(transfer.Join(list))
}
