// SPDX-License-Identifier: Apache-2.0

package question

import (
	"meshwright/study/point"
)

// mostDrawn bounds the points whose patterns are tried.
const mostDrawn = 10_000

// fitsPatterns refuses a pattern of destinations, or a trace, that no network of the study can have: its points would all fail. One that
// fits some networks stays, as the points of the others are refused by themselves.
func (s *Study) fitsPatterns() error {
	if !sets(s.written(), point.KeyPattern) {
		return nil
	}
	type refused struct {
		pattern string
		setting Setting
		err     error
	}
	var first []refused // of each pattern that fits no network so far
	fits, tried := map[string]bool{}, map[point.Drawn]bool{}
	n := 0
	for p, err := range s.Points() {
		if n++; err != nil || n > mostDrawn {
			return nil // errors of points are shown elsewhere, and a pattern may fit a later network
		}
		drawn := p.Settings.Drawn()
		if drawn.Pattern == "" || fits[drawn.Pattern] || tried[drawn] {
			continue
		}
		tried[drawn] = true
		if err := drawn.Fits(); err != nil {
			first = append(first, refused{drawn.Pattern, p.last(point.KeyPattern), err})
			continue
		}
		fits[drawn.Pattern] = true
	}
	for _, r := range first {
		if !fits[r.pattern] {
			return r.setting.at(r.err)
		}
	}
	return nil
}
