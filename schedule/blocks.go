// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"bytes"
	"iter"
	"strconv"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Blocks names what a message carries. Each span stands for the blocks of some nodes, or, in an
// all-to-all, for those of some nodes for others. In a reduce, an allreduce or a reduce-scatter a message carries
// the sum of the blocks that it names, word by word.
type Blocks []Span

// Span is the blocks of the nodes From to Last, written 0-3. With Pairs it is the block of each of these nodes
// for each of the nodes To to LastTo, written 0-3>5. No node has a block for itself. With Sum it is all that the source has summed
// up by the time at which it sends, written *. A Part is the words First to End of each of these blocks, written 0-3@4-7.
type Span struct {
	From, Last router.NodeID
	Pairs, Sum bool
	To, LastTo router.NodeID
	Part       bool
	First, End int32
}

// BlockOf names the block of a node.
func BlockOf(n router.NodeID) Span { return Span{From: n, Last: n} }

// PairOf names the block of a node for another.
func PairOf(from, to router.NodeID) Span {
	return Span{From: from, Last: from, Pairs: true, To: to, LastTo: to}
}

// SumOf names all that the source of a message has summed up by then.
func SumOf() Span { return Span{Sum: true} }

// Words is the part of a span's blocks that begins at a word, of so many words.
func (s Span) Words(first, count int) Span {
	s.Part, s.First, s.End = true, int32(first), int32(first+count-1)
	return s
}

// Join adds a span: the last one is widened if it says the same of the node before.
func (b Blocks) Join(s Span) Blocks {
	if last := len(b) - 1; last >= 0 && !s.Pairs && b[last].Last == s.From-1 {
		same := s
		same.From, same.Last = b[last].From, b[last].Last
		if b[last] == same {
			b[last].Last = s.Last
			return b
		}
	}
	return append(b, s)
}

// HasBlocks reports whether a row says what it carries.
func (s *Schedule) HasBlocks() bool {
	for i := range s.Rows {
		if s.Rows[i].Blocks != nil {
			return true
		}
	}
	return false
}

// Flits is the number of words, in blocks of length words each, which stand one behind the other.
func (b Blocks) Flits(length int) int {
	sum := 0
	for _, s := range b {
		if s.Part {
			sum += s.count() * int(s.End-s.First+1)
		} else {
			sum += s.count() * length
		}
	}
	return sum
}

// count is the number of the blocks.
func (s *Span) count() int {
	count := int(s.Last-s.From) + 1
	if s.Pairs {
		same := min(s.Last, s.LastTo) - max(s.From, s.To) + 1
		count = count*(int(s.LastTo-s.To)+1) - int(max(0, same))
	}
	return count
}

// All ranges over the blocks: nodes, the second of which is router.None where a node has one block. Those in a Sum are not known.
func (s *Span) All() iter.Seq2[router.NodeID, router.NodeID] {
	return func(yield func(from, to router.NodeID) bool) {
		for from := s.From; from <= s.Last && !s.Sum; from++ {
			if !s.Pairs {
				if !yield(from, router.None) {
					return
				}
				continue
			}
			for to := s.To; to <= s.LastTo; to++ {
				if from != to && !yield(from, to) {
					return
				}
			}
		}
	}
}

// String is the form in files: 0-3+7, 0>4+1>5, 3@0-1.
func (b Blocks) String() string { return string(b.append(nil)) }

func (b Blocks) append(line []byte) []byte {
	for i, s := range b {
		if i > 0 {
			line = append(line, '+')
		}
		if s.Sum {
			line = append(line, '*')
		} else {
			line = appendRange(line, int32(s.From), int32(s.Last))
		}
		if s.Pairs {
			line = appendRange(append(line, '>'), int32(s.To), int32(s.LastTo))
		}
		if s.Part {
			line = appendRange(append(line, '@'), s.First, s.End)
		}
	}
	return line
}

func appendRange(line []byte, from, last int32) []byte {
	line = strconv.AppendInt(line, int64(from), 10)
	if last > from {
		line = strconv.AppendInt(append(line, '-'), int64(last), 10)
	}
	return line
}

// wantBlocks is what is expected in the column.
const wantBlocks = "expected nodes joined by +, such as 0-3+7, or pairs, such as 0>4, or * for the sum at the source, and behind @ the words of a part, such as 3@0-7"

// parseBlocks reads spans joined by +; without any there are no blocks. All blocks share a few large arrays.
func (p *parser) parseBlocks(field []byte) (Blocks, error) {
	if len(field) == 0 {
		return nil, nil
	}
	count := bytes.Count(field, []byte{'+'}) + 1
	if cap(p.blocks)-len(p.blocks) < count {
		p.blocks = make(Blocks, 0, max(count, 1<<12))
	}
	start := len(p.blocks)
	for rest, more := field, true; more; {
		var text []byte
		text, rest, more = bytes.Cut(rest, []byte{'+'})
		s, ok := parseSpan(text)
		if !ok {
			return nil, p.fault(wantBlocks, "blocks: %q", bytes.TrimSpace(text))
		}
		p.blocks = append(p.blocks, s)
	}
	return p.blocks[start:len(p.blocks):len(p.blocks)], nil
}

func parseSpan(text []byte) (s Span, ok bool) {
	text, words, part := bytes.Cut(text, []byte{'@'})
	if s.Sum = string(bytes.TrimSpace(text)) == "*"; s.Sum {
		ok = true
	} else {
		nodes, others, pairs := bytes.Cut(text, []byte{'>'})
		var from, last int32
		from, last, ok = parseRange(nodes)
		s.From, s.Last = router.NodeID(from), router.NodeID(last)
		if s.Pairs = pairs; pairs && ok {
			from, last, ok = parseRange(others)
			s.To, s.LastTo = router.NodeID(from), router.NodeID(last)
		}
	}
	if s.Part = part; part && ok {
		s.First, s.End, ok = parseRange(words)
	}
	return s, ok
}

// parseRange reads a number, or two with - between them.
func parseRange(text []byte) (from, last int32, ok bool) {
	first, end, isRange := bytes.Cut(text, []byte{'-'})
	a, ok := number(bytes.TrimSpace(first))
	b := a
	if ok && isRange {
		b, ok = number(bytes.TrimSpace(end))
	}
	return int32(a), int32(b), ok && a >= 0 && a <= b && b < 1<<31-1
}

// validateBlocks refuses blocks of nodes that are not there.
func (r *Row) validateBlocks(t *topology.Topology) *input.Error {
	nodes := router.NodeID(t.Nodes())
	for _, s := range r.Blocks {
		switch {
		case s.Sum && s.Pairs || s.From < 0 || s.Last < s.From || s.Pairs && (s.To < 0 || s.LastTo < s.To) || s.Part && (s.First < 0 || s.End < s.First):
			return input.Errorf(wantBlocks, "blocks %q", Blocks{s})
		case s.Last >= nodes:
			return notANode("blocks: node", s.Last, nodes)
		case s.Pairs && s.LastTo >= nodes:
			return notANode("blocks: node", s.LastTo, nodes)
		case s.count() == 0:
			return input.Errorf("expected two different nodes", "blocks %q", Blocks{s})
		}
	}
	return nil
}
