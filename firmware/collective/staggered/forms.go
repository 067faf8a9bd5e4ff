// SPDX-License-Identifier: Apache-2.0

package staggered

import (
	"fmt"
	"slices"

	"meshwright/firmware/collective/stages"
	"meshwright/firmware/plan"
)

// form is an all-gather that is tried: along the axes of a grid, or along shortest trees.
type form struct {
	stages.Form     // nil: along shortest trees
	each        int // units of a node: the form cuts none of them
}

// manyNodes are networks for which only the forms are tried that are the fastest most often.
const manyNodes = 512

// forms lists those for blocks of so many words: as many units as they have words, at most.
func (s *search) forms(words int) (list []form) {
	few := s.nodes > manyNodes
	for _, f := range append([]form{{each: 1}, {each: 2}}, s.alongAxes(words)...) {
		if f.each == 1 || f.each <= words && (f.Form != nil || !few) {
			list = append(list, f)
		}
	}
	return list
}

// alongAxes lists the forms on a grid.
func (s *search) alongAxes(words int) (list []form) {
	if len(s.grid) == 0 {
		return nil
	}
	dims, halves := len(s.Topology.Dims), 1
	for _, axis := range s.grid {
		if axis.Ring { // half of a block goes to either side
			halves = 2
		}
	}
	for _, colours := range slices.Compact([]int{len(s.grid), 1}) {
		circular := stages.Circular(stages.BestAxes(s.grid, words, colours, 0, &s.Machine))
		list = append(list, form{stages.AxisByAxis{Method: circular, Colours: colours, Dims: dims}, halves * colours})
		if s.nodes > manyNodes {
			continue
		}
		list = append(list, form{stages.AxisByAxis{Method: stages.PlaceByPlace{}, Colours: colours, Dims: dims}, halves * colours})
		if len(s.grid) > 1 {
			diagonal := stages.Diagonal(stages.BestDiagonal(s.grid, words, colours, 0, &s.Machine))
			list = append(list, form{stages.Diagonals{Diagonal: diagonal, Colours: colours, Dims: dims}, halves * colours})
		}
	}
	return list
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
