// SPDX-License-Identifier: Apache-2.0

package question

import (
	"strings"

	"meshwright/internal/input"
	"meshwright/study/point"
)

// mostTried bounds the points with which formulas are tried.
const mostTried = 1000

// checkFormulas tries the formulas of the measures with figures that mean nothing, so that one which does not take the
// values it gets is known before anything runs.
func (s *Study) checkFormulas() error {
	if err := s.checkUnset(); err != nil {
		return err
	}
	figures := point.Figures{}
	for _, m := range point.Measures() {
		if figures[m.Name] = point.Number(1); m.Text {
			figures[m.Name] = point.Text("text")
		}
	}
	tried := 0
	for p, err := range s.Points() {
		if err != nil || tried == mostTried {
			return nil // what is wrong with a point is shown elsewhere
		}
		tried++
		if _, _, err := s.Values(&p, figures); err != nil {
			return err
		}
	}
	return nil
}

// checkUnset refuses a formula with a key that no point sets: it would have no value anywhere.
func (s *Study) checkUnset() error {
	set := map[string]bool{}
	for _, w := range s.written() {
		set[w.Key] = true
	}
	for _, a := range s.Axes {
		set[a.Name] = true
	}
	for _, m := range s.Measures {
		if set[m.Name] = true; m.Formula == nil {
			continue
		}
		for _, name := range m.Formula.Uses() {
			if !set[name] && !set[strings.ReplaceAll(name, "_", "-")] && !isMeasure(name) {
				return m.at(input.Errorf("expected it in axes or in set", "%s: %s has no value", m.Name, input.Clip(name)))
			}
		}
	}
	return nil
}
