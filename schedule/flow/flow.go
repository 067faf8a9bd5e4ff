// SPDX-License-Identifier: Apache-2.0

package flow

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"meshwright/internal/bitset"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/router"
	"meshwright/schedule"
)

// listed bounds the violations that a report names.
const listed = 1000

// Times says when the messages of a schedule are sent, and when they are delivered, by row: the cycle (of packets: the tick) in
// which the startup begins, and the first in which the receiver can send the message on; Never: it does not.
type Times struct{ Sent, Has []router.Cycle }

// Never is the time of what does not happen.
const Never = router.Cycle(math.MaxInt64)

// Report is what became of the blocks.
type Report struct {
	OK         bool // the schedule is the collective
	Violations int
	First      []Violation // listed at most, by time
}

// Fault is a kind of violation.
type Fault uint8

// The faults. A message has other flits than its blocks; it carries a block that its source gets too late; or that its source
// never gets; a node does not have a block at the end. Of sums: the source has a block only in one sum with blocks that the message does
// not carry; a message brings a block that its destination has in its sum already, so that it would count twice.
const (
	Flits Fault = iota
	Early
	Missing
	Lacking
	Mixed
	Twice
)

// Violation is one fault.
type Violation struct {
	Fault Fault
	Row   int           // of the schedule; -1: Lacking
	Node  router.NodeID // the source, or the node that lacks a block; of Twice the destination
	Block string        // as files name it; of Flits all of the message; of sums it may be several
	Sent  router.Cycle  // when the message is sent
	Has   router.Cycle  // Early: when the source has the block; Twice: when the message brings it
	Want  int           // Flits: those that its blocks have
	Other int           // Mixed, Twice: the row of the message that has brought the blocks before; -1: they came from the start, or with several

	id, words int        // the first word, and how many
	who       bitset.Set // of sums: the nodes of the blocks
}

// perNumber and perRow are the bytes of a check.
const perNumber, perRow = 12, 16

// Check follows the blocks of a schedule, of length flits each. The schedule is valid on a network with the nodes of the
// goal. Its errors are *input.Error about a row, *memory.TooLarge, and that of the context.
func Check(ctx context.Context, s *schedule.Schedule, g Goal, length int, at Times) (*Report, error) {
	words, err := readable(s, &g, length)
	if err != nil {
		return nil, err
	}
	if g.Sums() {
		return checkSums(ctx, s, &g, length, at)
	}
	numbers := float64(g.ids()) * float64(words)
	if err := memory.Need(ctx, "the blocks of "+input.Count(len(s.Rows), "message"), memory.Of(perNumber*numbers+perRow*float64(len(s.Rows)))); err != nil {
		return nil, err
	}
	c := &checker{s: s, goal: &g, at: at, words: words, has: slices.Repeat([]router.Cycle{Never}, int(numbers)), by: make([]int32, int(numbers)), into: lists(s, g.Nodes, false), out: lists(s, g.Nodes, true)}
	for row := range s.Rows {
		r := &s.Rows[row]
		if want := r.Blocks.Flits(length); want > 0 && want != r.Flits {
			c.add(Violation{Fault: Flits, Row: row, Node: r.Source, Block: r.Blocks.String(), Sent: at.Sent[row], Want: want})
		}
	}
	for n := range router.NodeID(g.Nodes) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := c.follow(n); err != nil {
			return nil, err
		}
	}
	return c.done(), nil
}

// readable refuses a schedule whose blocks do not have the form of the collective's. It returns in how many words blocks are
// followed: 1 where no message carries a part of a block.
func readable(s *schedule.Schedule, g *Goal, length int) (words int, err error) {
	words = 1
	if !s.HasBlocks() {
		want := "the nodes whose blocks a message carries, such as 0-3+7"
		if g.Kind == Exchange {
			want = "the pairs of nodes whose blocks a message carries, such as 0>4+1>5"
		}
		return 0, input.At(s.File, 0, "expected a column blocks: "+want, "nothing says what the messages carry")
	}
	for row := range s.Rows {
		for _, span := range s.Rows[row].Blocks {
			switch {
			case g.Kind == Exchange && !span.Pairs:
				return 0, wrong(s, row, "expected the block of a node for another, such as 0>4, in an all-to-all", "block %s", schedule.Blocks{span})
			case span.Sum && !g.Sums():
				return 0, wrong(s, row, "expected the node of the block, such as 4; * is for a reduce, allreduce or reduce-scatter", "block %s", schedule.Blocks{span})
			case g.Kind != Exchange && span.Pairs:
				return 0, wrong(s, row, "expected the node of the block, such as 4; pairs are for an all-to-all", "block %s", schedule.Blocks{span})
			case span.Part && int(span.End) >= length:
				return 0, wrong(s, row, fmt.Sprintf("expected words from 0 to %d, in blocks of %s", length-1, input.Count(length, "flit")), "block %s", schedule.Blocks{span})
			case span.Part:
				words = length
			}
		}
	}
	return words, nil
}

// wrong is an error about a row.
func wrong(s *schedule.Schedule, row int, want, format string, args ...any) error {
	r := &s.Rows[row]
	fault := input.Errorf(want, format, args...)
	return input.At(s.File, r.Line, want, "message %d: %s", r.Message, fault.What)
}

// lists are the rows of each node: those that it sends, or those that it gets.
func lists(s *schedule.Schedule, nodes int, sends bool) [][]int32 {
	node := func(row int) router.NodeID {
		if sends {
			return s.Rows[row].Source
		}
		return s.Rows[row].Destination
	}
	counts := make([]int, nodes+1)
	for row := range s.Rows {
		counts[node(row)+1]++
	}
	for n := range nodes {
		counts[n+1] += counts[n]
	}
	all, next := make([]int32, len(s.Rows)), slices.Clone(counts)
	for row := range s.Rows {
		n := node(row)
		all[next[n]] = int32(row)
		next[n]++
	}
	rows := make([][]int32, nodes)
	for n := range rows {
		rows[n] = all[counts[n]:counts[n+1]]
	}
	return rows
}

// checker follows the blocks node by node.
type checker struct {
	s         *schedule.Schedule
	goal      *Goal
	at        Times
	words     int            // of a block, 1: blocks are followed as a whole
	has       []router.Cycle // by word: when the node of the moment has it
	by        []int32        // by word: 1 + the last row of the node of the moment with it
	touched   []int          // words with has or by
	into, out [][]int32
	pending   Violation // words that are not where they should be
	tally
}

// carried ranges over the words of a row.
func (c *checker) carried(row int32) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range c.s.Rows[row].Blocks {
			span := &c.s.Rows[row].Blocks[i]
			first, end := 0, c.words-1
			if span.Part {
				first, end = int(span.First), int(span.End)
			}
			for from, to := range span.All() {
				block := c.goal.id(from, to) * c.words
				for word := block + first; word <= block+end; word++ {
					if !yield(word) {
						return
					}
				}
			}
		}
	}
}

// all ranges over the words of blocks.
func (c *checker) all(blocks iter.Seq[int]) iter.Seq[int] {
	return func(yield func(int) bool) {
		for block := range blocks {
			for word := block * c.words; word < (block+1)*c.words; word++ {
				if !yield(word) {
					return
				}
			}
		}
	}
}

// follow looks at what a node gets, sends and has at the end.
func (c *checker) follow(n router.NodeID) error {
	for word := range c.all(c.goal.starts(n)) {
		c.has[word] = math.MinInt64
		c.touched = append(c.touched, word)
	}
	for _, row := range c.into[n] {
		for word := range c.carried(row) {
			if c.by[word] == row+1 {
				return wrong(c.s, int(row), "expected each block once", "block %s twice", c.name(word, 1))
			}
			c.by[word], c.has[word] = row+1, min(c.has[word], c.at.Has[row])
			c.touched = append(c.touched, word)
		}
	}
	for _, row := range c.out[n] {
		sent := c.at.Sent[row]
		for word := range c.carried(row) {
			switch has := c.has[word]; {
			case has <= sent:
			case has == Never:
				c.miss(Violation{Fault: Missing, Row: int(row), Node: n, Sent: sent, id: word})
			default:
				c.miss(Violation{Fault: Early, Row: int(row), Node: n, Sent: sent, Has: has, id: word})
			}
		}
		c.end()
	}
	for word := range c.all(c.goal.needs(n)) {
		if c.has[word] == Never {
			c.miss(Violation{Fault: Lacking, Row: -1, Node: n, Sent: Never, id: word})
		}
	}
	c.end()
	for _, word := range c.touched {
		c.has[word], c.by[word] = Never, 0
	}
	c.touched = c.touched[:0]
	return nil
}

// name is some words of a block, as files have them.
func (c *checker) name(first, count int) string {
	block := c.goal.name(first / c.words)
	switch first %= c.words; count {
	case c.words:
		return block
	case 1:
		return fmt.Sprintf("%s@%d", block, first)
	default:
		return fmt.Sprintf("%s@%d-%d", block, first, first+count-1)
	}
}

// miss notes a word that is not where it should be. Words of one block that follow one another are one violation.
func (c *checker) miss(v Violation) {
	same := c.pending.Fault == v.Fault && c.pending.Row == v.Row && c.pending.Node == v.Node && c.pending.Has == v.Has
	if c.pending.words > 0 && same && v.id == c.pending.id+c.pending.words && v.id%c.words != 0 {
		c.pending.words++
		return
	}
	c.end()
	v.words = 1
	c.pending = v
}

// end counts the words that are pending.
func (c *checker) end() {
	if v := c.pending; v.words > 0 {
		v.Block = c.name(v.id, v.words)
		c.add(v)
	}
	c.pending = Violation{}
}

// tally counts violations, and keeps the first.
type tally struct{ report Report }

func (t *tally) add(v Violation) {
	t.report.Violations++
	if t.report.First = append(t.report.First, v); len(t.report.First) >= 4*listed {
		t.shorten(listed)
	}
}

// shorten keeps the first violations.
func (t *tally) shorten(most int) {
	slices.SortStableFunc(t.report.First, func(a, b Violation) int {
		return cmp.Or(cmp.Compare(a.Sent, b.Sent), cmp.Compare(a.Row, b.Row), cmp.Compare(a.Node, b.Node), cmp.Compare(a.Fault, b.Fault), cmp.Compare(a.id, b.id))
	})
	t.report.First = t.report.First[:min(most, len(t.report.First))]
}

// done returns the report.
func (t *tally) done() *Report {
	t.shorten(listed)
	t.report.OK = t.report.Violations == 0
	return &t.report
}
