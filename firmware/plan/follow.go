// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"slices"

	"meshwright/fabric"
	"meshwright/firmware/transfer"
	"meshwright/router"
	"meshwright/schedule"
)

// NameBlocks enters into the schedule of a run, as schedule.FromLog has made it of the log, the blocks that its messages carry. The
// run has delivered every word. Where the plan does not say what they carry, no row has blocks.
func (p *Plan) NameBlocks(s *schedule.Schedule, log []fabric.Sent) {
	imported := p.Root == router.None // its blocks stand anywhere
	if p.Machine.Faults != nil || imported {
		return
	}
	all := p.blocksOfList(log)
	if all == nil {
		all = p.blocksByTag(log)
	}
	if all == nil {
		all = p.blocksOfWhole(s)
	}
	for i, blocks := range all {
		s.Rows[i].Blocks = blocks
	}
}

// blocksOfList looks the messages up in the list of transfers, whose places are their tags.
func (p *Plan) blocksOfList(log []fabric.Sent) (all []schedule.Blocks) {
	l := p.List
	if l == nil || slices.ContainsFunc(l.Transfers, func(t transfer.Transfer) bool { return t.From == t.To }) {
		return nil
	}
	carries := p.carries()
	for _, m := range log {
		switch {
		case m.Dispatch < 0:
			continue
		case m.Kind != router.Data:
			all = append(all, nil)
			continue
		case carries == nil || int(m.Tag) >= len(l.Transfers):
			return nil
		}
		blocks := carries(int(m.Tag))
		if blocks == nil {
			return nil
		}
		all = append(all, blocks)
	}
	return all
}

// blocksByTag looks the messages up by their tags where the algorithm has named their blocks.
func (p *Plan) blocksByTag(log []fabric.Sent) (all []schedule.Blocks) {
	if p.Carried == nil {
		return nil
	}
	for _, m := range log {
		switch {
		case m.Dispatch < 0:
		case m.Kind != router.Data:
			all = append(all, nil)
		default:
			all = append(all, p.Carried[m.Tag])
		}
	}
	return all
}

// NameRange names some words of a node's own, or the root's, which all belong to the block for one node; to is router.None where the block is for all. It knows gossip, broadcast, scatter and exchange.
func (t *Task) NameRange(source, to router.NodeID, words Range) schedule.Blocks {
	span, whole := schedule.BlockOf(source), Range{From: t.Offset[source], To: t.Offset[source+1]}
	switch t.Kind.Name {
	case Broadcast:
		whole = Range{From: 0, To: t.VectorWords()}
	case Scatter:
		span, whole = schedule.BlockOf(to), Range{From: t.Offset[to], To: t.Offset[to+1]}
	case Exchange:
		span, whole = schedule.PairOf(source, to), t.ExchangeOut(source, to)
	}
	if words != whole {
		span = span.Words(words.From-whole.From, words.To-words.From)
	}
	return schedule.Blocks{span}
}

// carries returns a function that names the blocks in a transfer of the list, nil where they are not known; it is nil if they are known of none.
func (p *Plan) carries() func(i int) schedule.Blocks {
	if p.sums() {
		named := p.blocksOfSums()
		if named == nil {
			return nil
		}
		return func(i int) schedule.Blocks { return named[i] }
	}
	places := p.blockPlaces()
	if places == nil {
		return nil
	}
	return func(i int) (blocks schedule.Blocks) {
		t := &p.List.Transfers[i]
		if p.moves(t) {
			return nil
		}
		for _, r := range t.Out {
			for r.From < r.To {
				at := places(t.From, r.From)
				if at.end <= r.From {
					return nil
				}
				span, end := at.block, min(r.To, at.end)
				if r.From > at.from || end < at.end {
					span = span.Words(r.From-at.from, end-r.From)
				}
				blocks, r.From = blocks.Join(span), end
			}
		}
		return blocks
	}
}

// sums reports whether messages carry sums.
func (p *Plan) sums() bool {
	return p.Collective == Reduce || p.Collective == Allreduce || p.Collective == ReduceScatter
}

// moves reports whether a transfer stores words where their place does not tell what they are.
func (p *Plan) moves(t *transfer.Transfer) bool {
	if p.Collective != Exchange {
		return t.In != nil && !slices.Equal(t.In, t.Out)
	}
	own := p.givenTo(t.To) // these places are for the blocks that the node has at the start
	return slices.ContainsFunc(t.Places(), func(r Range) bool { return r.From < own && r.From < r.To })
}

// blockPlace is a block in the memory of a PE; end 0: there is none.
type blockPlace struct {
	block     schedule.Span
	from, end int
}

// blockPlaces returns a function that finds the block to which a word of a PE's block belongs; nil for collectives of which the
// places do not tell it.
func (p *Plan) blockPlaces() func(n router.NodeID, word int) blockPlace {
	switch p.Collective {
	case Broadcast:
		whole := blockPlace{schedule.BlockOf(p.Root), 0, p.givenTo(p.Root)}
		return func(router.NodeID, int) blockPlace { return whole }
	case Exchange: // its own blocks stand first
		return func(n router.NodeID, word int) blockPlace {
			length := p.givenTo(n) / max(1, len(p.PEs)-1)
			if word >= p.givenTo(n) {
				return blockPlace{}
			}
			k := word / length
			to := router.NodeID(k)
			if to >= n { // it has none for itself
				to++
			}
			return blockPlace{schedule.PairOf(n, to), k * length, (k + 1) * length}
		}
	case Gossip:
		ends := make([]int, len(p.PEs))
		for n := range ends {
			ends[n] = p.PEs[n].Block.Given.To
		}
		return func(_ router.NodeID, word int) blockPlace {
			n, _ := slices.BinarySearch(ends, word+1)
			if n == len(ends) || p.PEs[n].Block.Given.From > word {
				return blockPlace{}
			}
			return blockPlace{schedule.BlockOf(router.NodeID(n)), p.PEs[n].Block.Given.From, ends[n]}
		}
	}
	return nil
}

// NameWord names the block to which a word of a PE's memory behind the parameters belongs, as schedules do, and says which of the block's words
// it is. The name is "" where the plan does not tell.
func (p *Plan) NameWord(n router.NodeID, word int) (block string, of int) {
	if p.Collective != Gossip && (p.Root < 0 || int(p.Root) >= len(p.PEs)) { // of transfers whose blocks stand anywhere
		return "", 0
	}
	places := p.blockPlaces()
	if places == nil {
		return "", 0
	}
	at := places(n, word)
	if at.end <= word || !p.sameWord(n, at.block.From, word) {
		return "", 0
	}
	return schedule.Blocks{at.block}.String(), word - at.from
}

// sameWord reports whether two PEs must have the same word at a place: then it is that place of the same block.
func (p *Plan) sameWord(n, other router.NodeID, word int) bool {
	from, to := word*p.Machine.Elements(), (word+1)*p.Machine.Elements()
	a, b := p.PEs[n].Block.Words, p.PEs[other].Block.Words
	return to <= len(a) && to <= len(b) && slices.Equal(a[from:to], b[from:to])
}

// blocksOfWhole names the blocks where each node gets each of its blocks in one message straight from the node that
// has it at the start, or in a broadcast the only block in one message from any node: since every word
// was delivered, there is nothing else that such a message can carry.
func (p *Plan) blocksOfWhole(s *schedule.Schedule) []schedule.Blocks {
	all := make([]schedule.Blocks, len(s.Rows))
	type pair struct{ from, to router.NodeID }
	seen := make(map[pair]bool)
	for i := range s.Rows {
		r := &s.Rows[i]
		if r.Control {
			continue
		}
		at, words := pair{r.Source, r.Destination}, 0
		switch p.Collective {
		case Broadcast:
			at, words, all[i] = pair{to: r.Destination}, p.givenTo(p.Root), schedule.Blocks{schedule.BlockOf(p.Root)}
		case Scatter:
			if r.Source == p.Root {
				words, all[i] = p.wordsAt(r.Destination), schedule.Blocks{schedule.BlockOf(r.Destination)}
			}
		case Gather:
			if r.Destination == p.Root {
				words, all[i] = p.givenTo(r.Source), schedule.Blocks{schedule.BlockOf(r.Source)}
			}
		case Exchange:
			words, all[i] = p.givenTo(r.Source)/max(1, len(p.PEs)-1), schedule.Blocks{schedule.PairOf(r.Source, r.Destination)}
		}
		if words != r.Flits || seen[at] {
			return nil
		}
		seen[at] = true
	}
	return all
}

// givenTo counts the words that a PE has at the start, wordsAt those of its block.
func (p *Plan) givenTo(n router.NodeID) int {
	return p.PEs[n].Block.Given.To - p.PEs[n].Block.Given.From
}

func (p *Plan) wordsAt(n router.NodeID) int {
	return len(p.PEs[n].Block.Words) / p.Machine.Elements()
}
