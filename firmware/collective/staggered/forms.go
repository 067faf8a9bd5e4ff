// SPDX-License-Identifier: Apache-2.0

package staggered

import (
	"fmt"

	"meshwright/firmware/collective/stages"
	"meshwright/firmware/plan"
)

// form is an all-gather that is tried: along the axes of a grid, in strides or not, or along shortest trees.
type form struct {
	stages.Form      // nil: along shortest trees
	each        int  // units of a node: the form cuts none of them
	alone       bool // along shortest trees: each unit in messages of its own
	words       int  // of a block, if the messages go in the order of times that depend on them
}

// forms lists those for blocks of so many words, which have as many units, at most.
func (s *search) forms(words int) (list []form) {
	all := []form{{each: 1}, {each: 2}}
	all = append(all, s.aloneForms()...)
	if len(s.grid) > 0 {
		all = append(all, s.alongAxes(words, 1), s.alongAxes(words, len(s.grid)))
		all = append(all, s.strides(words)...)
	}
	for i, f := range all {
		if f.each <= words || i == 0 {
			list = append(list, f)
		}
	}
	return list
}

// aloneForms lists those whose units go alone, where a message costs little more than its words: the more units, the sooner the first of them go on.
func (s *search) aloneForms() (list []form) {
	if s.book.Startup > s.book.Hop {
		return nil
	}
	messages := s.nodes * (s.nodes - 1)
	if s.scatters() && s.gathers() {
		messages *= 2
	}
	for each := 1; each <= 4 && each*messages <= maxMessages; each *= 2 {
		list = append(list, form{each: each, alone: true})
	}
	return list
}

// alongAxes is the form on a grid in so many colours, with the bridgeheads that are best for an all-gather alone.
func (s *search) alongAxes(words, colours int) form {
	circular := stages.Circular(stages.BestAxes(s.grid, words, colours, 0, &s.Machine))
	return form{Form: stages.AxisByAxis{Method: circular, Colours: colours, Dims: len(s.Topology.Dims)}, each: s.halves() * colours}
}

// halves is 2 where there are rings: half of a block goes to either side.
func (s *search) halves() int {
	for _, axis := range s.grid {
		if axis.Ring {
			return 2
		}
	}
	return 1
}

// strides lists the fastest ones, all of whose messages have times of their own, for blocks of so many words. There are none on paths.
func (s *search) strides(words int) []form {
	each := s.halves() * len(s.grid)
	words = max(each, words)
	turns, _, found := stages.BestTurns(s.grid, words, stages.PaceOf(&s.Machine))
	if !found {
		return nil
	}
	return []form{{Form: turns, each: each, words: words}}
}

// patternOf returns the pattern of a form, nil if it has too many messages.
func (s *search) patternOf(f form) (*pattern, error) {
	key := fmt.Sprintf("%#v in %d for %d, %t", f.Form, f.each, f.words, f.alone)
	if p, known := s.known[key]; known {
		return p, nil
	}
	out, err := s.messagesOf(f)
	if err != nil {
		return nil, err
	}
	if len(out) > maxMessages {
		s.known[key] = nil
		return nil, nil
	}
	p := newPattern(len(s.Lengths), f.each, out, s.scatters(), s.gathers())
	if len(p.messages) <= maxKept {
		s.known[key] = p
		s.kept += len(p.messages)
	}
	return p, nil
}

// messagesOf lists the messages of the all-gather of a form.
func (s *search) messagesOf(f form) ([]message, error) {
	if f.Form != nil {
		return f.along(s.grid, stages.PaceOf(&s.Machine), len(s.Lengths))
	}
	trees := newShortest(s.Topology, f.each, s.scatters() && s.gathers())
	if f.alone {
		return trees.alone(), nil
	}
	return trees.messages(), nil
}

// scatters and gathers say of which halves the collective is.
func (s *search) scatters() bool { return s.Kind.Name != plan.Gossip }

func (s *search) gathers() bool { return s.Kind.Name != plan.ReduceScatter }
