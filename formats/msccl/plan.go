// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"fmt"
	"slices"

	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// FromPlan returns a plan as an algorithm. An *input.Error says why there is none.
func FromPlan(p *plan.Plan) (*Algorithm, error) {
	switch {
	case p.List == nil:
		return nil, input.Errorf("expected an algorithm that is a list of transfers; run … --algorithm list shows others", "%s %s: its programs decide what they send", p.Collective, p.Algorithm)
	case p.Machine.Faults != nil:
		return nil, input.Errorf("expected a network without faults", "%s around faults", p.Collective)
	}
	from, err := promiseOf(p)
	if err != nil {
		return nil, err
	}
	from.Name = fmt.Sprintf("%s %s, chunks of %s", p.Collective, p.Algorithm, input.Count(from.Words, "flit"))
	return fromTransfers(p.List, *from)
}

// promiseOf says where the words of a collective are. A chunk is as many words as divide all messages.
func promiseOf(p *plan.Plan) (*promise, error) {
	nodes := len(p.PEs)
	s := &promise{Root: int(p.Root), InPlace: true}
	words := len(p.PEs[0].Block.Words) / p.Machine.Elements() // of a block
	part := words                                             // words that divide the block evenly
	block := func(buffer byte) func(router.NodeID, int) Place {
		return func(_ router.NodeID, chunk int) Place { return Place{Buffer: buffer, Offset: chunk} }
	}
	switch p.Collective {
	case plan.Gossip:
		s.Collective, s.Place, part = "allgather", block('o'), words/nodes
		for n := range p.PEs {
			if r := p.PEs[n].Block.Given; r.To-r.From != part {
				return nil, input.Errorf("expected blocks of one length", "node %d has %s, and others %d", n, input.Count(r.To-r.From, "word"), part)
			}
		}
	case plan.Allreduce, plan.Broadcast, plan.Reduce:
		s.Collective, s.Place = p.Collective, block('i')
	case plan.ReduceScatter:
		if words%nodes != 0 {
			return nil, input.Errorf("expected a length that the nodes divide", "a vector of %s on %s", input.Count(words, "word"), input.Count(nodes, "node"))
		}
		s.Collective, s.Place, part = "reduce_scatter", block('i'), words/nodes
	case plan.Exchange:
		return promiseOfExchange(p, s)
	default:
		return nil, Has(p.Collective)
	}
	if s.Words = divisor(p.List, part); s.Words == 0 {
		return nil, input.Errorf("expected at least a flit", "no words")
	}
	s.Chunks = words / s.Words
	s.Scratch = func(int) int { return 0 }
	return s, nil
}

// Has refuses a collective that the format does not have. The error is an *input.Error.
func Has(collective string) error {
	known := []string{plan.Gossip, plan.Allreduce, plan.ReduceScatter, plan.Broadcast, plan.Reduce, plan.Exchange}
	if slices.Contains(known, collective) {
		return nil
	}
	return input.Errorf("expected "+input.Or(known), "MSCCL's format has no %s", collective)
}

// promiseOfExchange says where the words of an exchange are: first the words for the other nodes, behind them the words
// from the other nodes. An algorithm of MSCCL has a chunk for the rank itself, too, which is copied.
func promiseOfExchange(p *plan.Plan, s *promise) (*promise, error) {
	others := len(p.PEs) - 1
	length := p.PEs[0].Block.Given.To / max(1, others)
	for n := range p.PEs {
		if b := &p.PEs[n].Block; b.Given.To != length*others || len(b.Words) != 2*length*others*p.Machine.Elements() {
			return nil, input.Errorf("expected blocks of one length, and an algorithm that sends each by itself, such as timetable", "node %d has other words than its own and those for it", n)
		}
	}
	if s.Words = divisor(p.List, length); s.Words == 0 {
		return nil, input.Errorf("expected at least a flit", "no words")
	}
	each := length / s.Words
	s.Collective, s.InPlace, s.Chunks = "alltoall", false, each*len(p.PEs)
	s.Scratch = func(int) int { return 0 }
	s.Place = func(n router.NodeID, chunk int) Place {
		buffer := byte('i')
		if chunk >= each*others {
			buffer, chunk = 'o', chunk-each*others
		}
		if chunk/each >= int(n) {
			chunk += each
		}
		return Place{Buffer: buffer, Offset: chunk}
	}
	s.Kept = func(rank int) (from, to Place, count int) {
		return Place{Buffer: 'i', Offset: rank * each}, Place{Buffer: 'o', Offset: rank * each}, each
	}
	return s, nil
}

// divisor is the greatest number of words that divides a number and all ends of the ranges of a list.
func divisor(l *transfer.List, words int) int {
	gcd := func(a, b int) int {
		for b > 0 {
			a, b = b, a%b
		}
		return a
	}
	for i := range l.Transfers {
		t := &l.Transfers[i]
		for _, set := range []transfer.Set{t.Out, t.Places()} {
			for _, r := range set {
				words = gcd(gcd(words, r.From), r.To)
			}
		}
	}
	return words
}
