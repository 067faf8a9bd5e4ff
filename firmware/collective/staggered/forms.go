// SPDX-License-Identifier: Apache-2.0

package staggered

import (
	"fmt"

	"meshwright/firmware/collective/stages"
	"meshwright/firmware/plan"
)

// form is an all-gather that is tried: along the axes of a grid, or along shortest trees.
type form struct {
	stages.Form     // nil: along shortest trees
	each        int // units of a node: the form cuts none of them
	words       int // of a block, if the messages go in the order of times that depend on them
}

// forms lists those for blocks of so many words, which have as many units, at most.
func (s *search) forms(words int) (list []form) {
	all := []form{{each: 1}, {each: 2}}
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
	key := fmt.Sprintf("%#v in %d for %d", f.Form, f.each, f.words)
	if p, known := s.known[key]; known {
		return p, nil
	}
	scatters, gathers := s.Kind.Name != plan.Gossip, s.Kind.Name != plan.ReduceScatter
	var out []message
	if f.Form == nil {
		out = newShortest(s.Topology, f.each, scatters && gathers).messages()
	} else {
		var err error
		if out, err = f.along(s.grid, stages.PaceOf(&s.Machine), len(s.Lengths)); err != nil {
			return nil, err
		}
	}
	if len(out) > maxMessages {
		s.known[key] = nil
		return nil, nil
	}
	p := newPattern(len(s.Lengths), f.each, out, scatters, gathers)
	if len(p.messages) <= maxKept {
		s.known[key] = p
		s.kept += len(p.messages)
	}
	return p, nil
}
