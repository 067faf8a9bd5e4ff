// SPDX-License-Identifier: Apache-2.0

package question

import (
	"maps"
	"slices"

	"meshwright/fabric/traffic"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/study/point"
)

// fits refuses keys of a study without effect, and those that do not go together at the first point, or with traces at any point.
func (s *Study) fits() error {
	if err := s.fitsAxes(); err != nil {
		return err
	}
	if err := s.fitsRoot(); err != nil {
		return err
	}
	if err := s.fitsPatterns(); err != nil {
		return err
	}
	traced := s.traced()
	for p, err := range s.Points() {
		if err != nil {
			return nil // which is shown elsewhere
		}
		key, err := p.Settings.Misfit(s.Need())
		if err == nil && traced {
			continue
		} else if err == nil {
			return nil
		}
		if set := p.last(key); set.at != nil {
			return set.at(err)
		}
		return input.Locate(err, s.File, 0)
	}
	return nil
}

// last returns the setting that decides a key of a point; the zero value if there is none.
func (p *Point) last(key string) (found Setting) {
	for _, set := range p.written {
		if set.Key == key {
			found = set
		}
	}
	return found
}

// traced reports whether some points may replay a trace.
func (s *Study) traced() bool {
	return slices.ContainsFunc(s.written(), func(set Setting) bool {
		_, traced := traffic.TraceFile(set.Value)
		return set.Key == point.KeyPattern && (traced || set.expands())
	})
}

// fitsAxes refuses a key that several axes set, of which one would win, and one that all points share although an axis sets it at
// every point.
func (s *Study) fitsAxes() error {
	type place struct {
		axis string
		line int
	}
	before := map[string]place{} // where keys are set, by the axes so far
	for _, a := range s.Axes {
		first := map[string]place{}
		for _, c := range a.Values {
			for _, set := range c.Settings {
				if at, ok := before[set.Key]; ok {
					return set.at(input.Errorf("expected it in one axis", "%s: axis %s sets it, too (line %d)", set.Key, input.Clip(at.axis), at.line))
				}
				if _, ok := first[set.Key]; !ok {
					first[set.Key] = place{a.Name, set.line}
				}
			}
		}
		for _, set := range s.Fixed {
			switch {
			case !a.always(set.Key):
			case a.Name == set.Key:
				return set.at(input.Errorf("expected it in axes or in set", "%s: it is an axis, too", set.Key))
			default:
				return set.at(input.Errorf("expected it in axes or in set", "%s: each value of axis %s sets it, too (line %d)", set.Key, input.Clip(a.Name), first[set.Key].line))
			}
		}
		maps.Copy(before, first)
	}
	return nil
}

// always reports whether each value of an axis sets a key.
func (a *Axis) always(key string) bool {
	return !slices.ContainsFunc(a.Values, func(c Choice) bool { return !sets(c.Settings, key) })
}

func sets(list []Setting, key string) bool {
	return slices.ContainsFunc(list, func(set Setting) bool { return set.Key == key })
}

// fitsRoot refuses a root where no collective of the study has one.
func (s *Study) fitsRoot() error {
	names, all := s.valuesOf(point.KeyCollective)
	rooted := func(name string) bool {
		kind, err := plan.KindOf(name)
		return err != nil || kind.Rooted
	}
	if !all || slices.ContainsFunc(names, rooted) {
		return nil
	}
	for _, set := range s.written() {
		if set.Key == point.KeyRoot {
			return set.at(input.Errorf("expected none", "root: no collective of the study has one"))
		}
	}
	return nil
}
