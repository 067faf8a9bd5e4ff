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
}

// forms lists those for blocks of so many words, which have as many units, at most.
func (s *search) forms(words int) (list []form) {
	all := []form{{each: 1}, {each: 2}}
	if len(s.grid) > 0 {
		all = append(all, s.alongAxes(words, 1), s.alongAxes(words, len(s.grid)))
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
	f := form{stages.AxisByAxis{Method: circular, Colours: colours, Dims: len(s.Topology.Dims)}, colours}
	for _, axis := range s.grid {
		if axis.Ring { // half of a block goes to either side
			f.each = 2 * colours
		}
	}
	return f
}

// patternOf returns the pattern of a form, nil if it has too many messages.
func (s *search) patternOf(f form) (*pattern, error) {
	key := fmt.Sprintf("%#v in %d", f.Form, f.each)
	if p, known := s.known[key]; known {
		return p, nil
	}
	scatters, gathers := s.Kind.Name != plan.Gossip, s.Kind.Name != plan.ReduceScatter
	var out []message
	if f.Form == nil {
		out = newShortest(s.Topology, f.each, scatters && gathers).messages()
	} else {
		var err error
		if out, err = along(s.grid, f.Form, stages.PaceOf(&s.Machine), len(s.Lengths), f.each); err != nil {
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
