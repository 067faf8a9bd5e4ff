// SPDX-License-Identifier: Apache-2.0

// Package question reads study files: which points a study has, and what is measured at them.
//
//	Read --> Study --Points--> Point --point.Runner--> figures
package question

import (
	"cmp"
	"errors"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/internal/input"
	"meshwright/study/formula"
	"meshwright/study/point"
)

// Study is a study file whose parameters have their values.
type Study struct {
	Name, About string
	File        string
	Text        string            // of the file
	Parameters  map[string]string // with their values
	Fixed       []Setting         // what all points share
	Axes        []Axis
	Where       []Constraint
	Measures    []Measure
	Labels      map[string]string // texts that tables and plots show instead of the names of axes and measures
	Repeats     int
	Views       []View
}

// Setting is a key and its value; the value may have ${AXIS} in it.
type Setting struct {
	Key, Value string
	line       int               // of the file
	at         func(error) error // gives an error the value's place in the file
}

// expands reports whether the value differs from point to point.
func (s *Setting) expands() bool { return strings.Contains(s.Value, "${") }

// Axis is what differs between points.
type Axis struct {
	Name   string
	Values []Choice

	key string // whose values they are; "": they only name choices, or are a part of other values
}

// Place returns the place of a value among those of the axis; -1 if there is no such value.
func (a *Axis) Place(label string) int {
	return slices.IndexFunc(a.Values, func(c Choice) bool { return c.Label == label })
}

// Choice is a value of an axis: its name, and what it sets.
type Choice struct {
	Label    string
	Settings []Setting
}

// Constraint is a formula that holds at all points.
type Constraint struct {
	*formula.Formula
	at func(error) error // gives an error the formula's place in the file
}

// Measure is a column of the results: a measure of the points, or a formula over measures and settings.
type Measure struct {
	Name    string
	Formula *formula.Formula // nil: the measure of this name
	Text    bool             // its values are texts
	Truth   bool             // its values are 1 and 0, for yes and no

	at func(error) error // gives an error the formula's place in the file
}

// Point is a point of a study.
type Point struct {
	Labels   []string // of the axes, in their order
	Repeat   int      // from 0
	Settings point.Settings

	written []Setting // as the file has them; the last one of a key holds
}

// FileName is the name of the study's file without its folder. A study from standard input has a name, too.
func (s *Study) FileName() string {
	if s.File == input.Stdin {
		return "study.yaml"
	}
	return filepath.Base(s.File)
}

// Label returns the text that tables and plots show for an axis or a measure: the one that the file gives, or else its name.
func (s *Study) Label(column string) string { return cmp.Or(s.Labels[column], column) }

// Shared returns what all points share, by key; values may have ${AXIS} in them. What some values of an axis set otherwise is left out.
func (s *Study) Shared() map[string]string {
	shared := map[string]string{}
	for _, set := range s.Fixed {
		shared[set.Key] = set.Value
	}
	for _, a := range s.Axes {
		for _, c := range a.Values {
			for _, set := range c.Settings {
				delete(shared, set.Key)
			}
		}
	}
	return shared
}

// Count returns the number of points before constraints, with repeats; it stops at a billion.
func (s *Study) Count() int {
	const most = 1_000_000_000
	count := s.Repeats
	for _, a := range s.Axes {
		if count > most/len(a.Values) {
			return most
		}
		count *= len(a.Values)
	}
	return count
}

// Need says what has to be done at every point.
func (s *Study) Need() point.Need {
	var need point.Need
	for _, name := range s.base() {
		m, err := point.MeasureOf(name)
		if err == nil {
			need |= m.Of
		}
	}
	return need
}

// base lists the measures of points on which the study's measures depend.
func (s *Study) base() []string {
	var names []string
	for _, m := range s.Measures {
		if m.Formula == nil {
			names = append(names, m.Name)
			continue
		}
		names = append(names, m.Formula.Uses()...)
	}
	return names
}

// Points yields the points that all constraints allow, the last axis fastest, and the repeats of a point together. An error
// ends them.
func (s *Study) Points() iter.Seq2[Point, error] {
	return func(yield func(Point, error) bool) {
		place := make([]int, len(s.Axes))
		for {
			for repeat := range s.Repeats {
				p, ok, err := s.point(place, repeat)
				if err != nil {
					yield(p, err)
					return
				}
				if ok && !yield(p, nil) {
					return
				}
			}
			if !s.next(place) {
				return
			}
		}
	}
}

// Valid refuses a study without points, or with a name that means nothing at some point. The error is an *input.Error.
func (s *Study) Valid() error {
	expand := false
	machines := s.machines()
	for _, set := range s.written() {
		if set.expands() {
			expand = expand || point.Checked(set.Key)
		} else if err := point.Check(set.Key, set.Value, machines); err != nil {
			return set.at(err)
		}
	}
	if err := s.fits(); err != nil {
		return err
	}
	if err := s.checkViews(); err != nil {
		return err
	}
	if err := s.checkFormulas(); err != nil {
		return err
	}
	some := false
	c := checker{s, machines, map[string]bool{}}
	for p, err := range s.Points() {
		if err != nil || !expand {
			return err
		}
		some = true
		if err := c.point(&p); err != nil {
			return err
		}
	}
	if !some {
		return input.At(s.File, 0, "expected constraints that some point keeps", "no points")
	}
	return nil
}

// written lists the settings in the order in which errors are shown: those of the axes, and what all points share.
func (s *Study) written() []Setting {
	var list []Setting
	for _, a := range s.Axes {
		for _, c := range a.Values {
			list = append(list, c.Settings...)
		}
	}
	return append(list, s.Fixed...)
}

// machines lists the machines that points of the study can have.
func (s *Study) machines() []machine.Machine {
	switchings, all := s.valuesOf(point.KeySwitching)
	if !all {
		for _, switching := range machine.Switchings() {
			switchings = append(switchings, string(switching))
		}
	}
	names, all := s.valuesOf(point.KeyMachine)
	if !all {
		names = machine.PresetNames()
	}
	return point.Machines(names, switchings)
}

// valuesOf lists the values that a key has in the file, and "" if points may be without the key; all is false if axes that a
// value names decide it.
func (s *Study) valuesOf(key string) (values []string, all bool) {
	everywhere := sets(s.Fixed, key) || slices.ContainsFunc(s.Axes, func(a Axis) bool { return a.always(key) })
	if !everywhere {
		values = []string{""}
	}
	for _, set := range s.written() {
		if set.Key == key && set.expands() {
			return nil, false
		}
		if set.Key == key {
			values = append(values, set.Value)
		}
	}
	return values, true
}

// checker checks the values of points; those that it has checked it does not check again.
type checker struct {
	*Study
	machines []machine.Machine
	checked  map[string]bool
}

// point refuses a value of a point that means nothing with the labels of the axes that it names, which the error lists.
func (s *checker) point(p *Point) error {
	for i, set := range p.written {
		if !set.expands() || slices.ContainsFunc(p.written[i+1:], func(o Setting) bool { return o.Key == set.Key }) {
			continue
		}
		value := p.Settings[set.Key]
		id := set.Key + " " + value
		if s.checked[id] {
			continue
		}
		s.checked[id] = true
		err := point.Check(set.Key, value, s.machines)
		var fault *input.Error
		if errors.As(err, &fault) {
			return set.at(input.At(fault.File, fault.Line, fault.Want, "%s: %s", s.named(set.Value, p), fault.What))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// named lists the axes that a value names, with their labels at a point.
func (s *Study) named(value string, p *Point) string {
	var list []string
	for i, a := range s.Axes {
		if strings.Contains(value, "${"+a.Name+"}") {
			list = append(list, a.Name+" "+input.Clip(p.Labels[i]))
		}
	}
	return strings.Join(list, ", ")
}

// naming puts the axes that a formula uses in front of an error, with their labels at a point.
func (s *Study) naming(uses []string, p *Point, err error) error {
	var fault *input.Error
	var list []string
	for i, a := range s.Axes {
		if slices.ContainsFunc(uses, func(name string) bool { return name == a.Name || strings.ReplaceAll(name, "_", "-") == a.Name }) {
			list = append(list, a.Name+" "+input.Clip(p.Labels[i]))
		}
	}
	if list == nil || !errors.As(err, &fault) {
		return err
	}
	return input.Errorf(fault.Want, "%s: %s", strings.Join(list, ", "), fault.What)
}

// next moves to the next place, the last axis first; false behind the last one.
func (s *Study) next(place []int) bool {
	for i := len(place) - 1; i >= 0; i-- {
		if place[i]++; place[i] < len(s.Axes[i].Values) {
			return true
		}
		place[i] = 0
	}
	return false
}

// point makes a point, and reports whether the constraints allow it.
func (s *Study) point(place []int, repeat int) (Point, bool, error) {
	p := Point{Repeat: repeat, Settings: point.Settings{}}
	variables := map[string]string{}
	settings := s.Fixed
	for i, a := range s.Axes {
		c := a.Values[place[i]]
		p.Labels = append(p.Labels, c.Label)
		variables[a.Name] = c.Label
		settings = append(settings[:len(settings):len(settings)], c.Settings...)
	}
	for _, set := range settings {
		value, _ := substitute(set.Value, func(name string) (string, bool) { v, ok := variables[name]; return v, ok })
		p.Settings[set.Key] = value
	}
	p.written = settings
	if s.Repeats > 1 {
		first, err := strconv.ParseUint(orOne(p.Settings[point.Seed]), 10, 63)
		if err != nil {
			return p, false, input.At(s.File, 0, "expected a whole number with repeats", "%s: %q", point.Seed, p.Settings[point.Seed])
		}
		p.Settings[point.Seed] = strconv.FormatUint(first+uint64(repeat), 10)
	}
	for _, where := range s.Where {
		holds, err := where.Holds(s.names(variables, p.Settings))
		if err != nil {
			return p, false, where.at(s.naming(where.Uses(), &p, err))
		}
		if !holds {
			return p, false, nil
		}
	}
	return p, true, nil
}

func orOne(text string) string {
	if text == "" {
		return "1"
	}
	return text
}

// names gives the axes and settings of a point to formulas; a dash is written as an underscore there.
func (s *Study) names(variables map[string]string, settings point.Settings) formula.Names {
	return func(name string) (formula.Value, bool) {
		for _, name := range []string{name, strings.ReplaceAll(name, "_", "-")} {
			if v, ok := variables[name]; ok {
				return valueOf(s.keyOf(name), v), true
			}
			if v, ok := settings[name]; ok {
				return valueOf(name, v), true
			}
		}
		return nil, false
	}
}

// valueOf is a number if the value of a key stands for one.
func valueOf(key, text string) formula.Value {
	if x, ok := point.NumberOf(key, text); ok {
		return x
	}
	return text
}

// Number returns the number that a value of an axis stands for, such as 65536 for bytes 64KiB; ok is false if it stands for none.
func (s *Study) Number(axis, label string) (x float64, ok bool) {
	return point.NumberOf(s.keyOf(axis), label)
}

// keyOf returns the key whose values an axis has; "" if there is none.
func (s *Study) keyOf(axis string) string {
	i := slices.IndexFunc(s.Axes, func(a Axis) bool { return a.Name == axis })
	if i < 0 {
		return ""
	}
	return s.Axes[i].key
}

// Values returns the study's measures of a point whose figures are known; ok is false where it has none.
func (s *Study) Values(p *Point, figures point.Figures) (values []point.Figure, ok []bool, err error) {
	variables := map[string]string{}
	for i, a := range s.Axes {
		variables[a.Name] = p.Labels[i]
	}
	settings := s.names(variables, p.Settings)
	names := func(name string) (formula.Value, bool) {
		if label, ok := variables[name]; ok {
			return valueOf(s.keyOf(name), label), true
		}
		if x, ok := figures[name]; ok {
			return valueOfFigure(x), true
		}
		if i := slices.IndexFunc(s.Measures[:len(values)], func(m Measure) bool { return m.Name == name }); i >= 0 && s.Measures[i].Formula != nil {
			return values[i].Number, ok[i]
		}
		if isMeasure(name) {
			return nil, false
		}
		return settings(name)
	}
	for _, m := range s.Measures {
		x, has := figures[m.Name]
		if m.Formula != nil {
			number, found, err := m.Formula.Number(names)
			if err != nil {
				return nil, nil, m.at(err)
			}
			x, has = point.Number(number), found
		}
		values, ok = append(values, x), append(ok, has)
	}
	return values, ok, nil
}

func valueOfFigure(f point.Figure) formula.Value {
	if f.Text != "" {
		return f.Text
	}
	return f.Number
}

func isMeasure(name string) bool {
	_, err := point.MeasureOf(name)
	return err == nil
}
