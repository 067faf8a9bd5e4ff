// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"errors"
	"slices"

	"meshwright/firmware/bound"
	"meshwright/internal/input"
	"meshwright/router"
)

// maxSearched bounds the nodes for which a timetable is searched unasked.
const maxSearched = 128

// bestExchange is the exchange that is done first: by combined messages, by
// itself, or, where that can still be faster, by timetable. One whose time
// nobody can foretell is taken only if there is no other.
func bestExchange(t *task) (*Plan, error) {
	var best *Plan
	var time router.Cycle
	var refused error
	try := func(name string, plan func(*task) (*Plan, error)) error {
		p, err := plan(t)
		var bad *input.Error
		switch {
		case errors.As(err, &bad):
			refused = err
			return nil
		case err != nil:
			return err
		}
		at, known := p.foretold()
		if best == nil || known && (time == 0 || at < time) {
			p.Algorithm, best, time = name, p, at
		}
		return nil
	}
	if onGrid(t.Topology) {
		if err := try("dimensions", dimensionsExchange); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(try("logarithmic", logarithmicExchange), try("direct", directExchange)); err != nil {
		return nil, err
	}
	worth := best == nil || time == 0 || bound.Exchange(t.Topology, t.Machine, t.Lengths) < time
	if worth && len(t.Lengths) <= maxSearched {
		if err := try("timetable", timetableExchange); err != nil {
			return nil, err
		}
	}
	if best == nil {
		return nil, refused
	}
	return best, nil
}

// foretold is the time of a plan that knows it.
func (p *Plan) foretold() (router.Cycle, bool) {
	k := slices.IndexFunc(p.Facts, func(f Fact) bool { return f.Key == "predicted_cycles" || f.Key == "timetable_cycles" })
	if k < 0 {
		return 0, false
	}
	return p.Facts[k].Value, true
}
