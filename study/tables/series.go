// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"meshwright/study"
	"meshwright/study/question"
)

// Series is a line of a plot, or its bars of one colour: By is its value of the axis by, and Group the values of other axes.
type Series struct {
	Group, By string
	At        []Spot    // by rising X
	Without   []float64 // X of the points that have run but have no Y, such as the latency of a load that is not stable, by rising X
}

// Spot is a point of a series. X of a bar is the place of its value on the axis, from 0.
type Spot struct {
	X, Y float64
	Half float64 // of the interval of Y; 0: none
	Row  *Row
}

// estimate is Y with its interval.
func (s *Spot) estimate() study.Estimate { return study.Estimate{Mean: s.Y, Half: s.Half} }

// Name is the series in a legend.
func (s *Series) Name() string {
	if s.By == "" || s.Group == "" {
		return s.By + s.Group
	}
	return s.By + ", " + s.Group
}

// Series sorts the rows into the lines or the bars of a plot; nil has none.
func (t *Table) Series(v *question.View) []*Series {
	if v == nil {
		return nil
	}
	x, y, by := t.Column(v.X), t.Estimates(v.Y), slices.Index(t.Axes, v.By)
	if v.Plot == question.Bars {
		x = t.placesOf(v.X)
	}
	var list []*Series
	index := map[[2]string]*Series{}
	for i := range t.Rows {
		r := &t.Rows[i]
		at, ok := x(r)
		value, has := y(r)
		if !ok || r.trouble() != "" && !has {
			continue
		}
		key := [2]string{t.Others(r, v.X, v.By)}
		if by >= 0 {
			key[1] = r.Labels[by]
		}
		s := index[key]
		if s == nil {
			s = &Series{Group: key[0], By: key[1]}
			index[key], list = s, append(list, s)
		}
		if has {
			s.At = append(s.At, Spot{at, value.Mean, value.Interval(), r})
		} else {
			s.Without = append(s.Without, at)
		}
	}
	for _, s := range list {
		slices.SortStableFunc(s.At, func(a, b Spot) int { return cmp.Compare(a.X, b.X) })
		slices.Sort(s.Without)
	}
	return slices.DeleteFunc(list, func(s *Series) bool { return len(s.At) == 0 })
}

// End returns the place behind the last point of a line from which on there is no Y; ok is false if the line goes to its end.
func (s *Series) End() (x float64, ok bool) {
	for _, x := range s.Without {
		if len(s.At) > 0 && x > s.At[len(s.At)-1].X {
			return x, true
		}
	}
	return 0, false
}

// Column returns how to find the number of a row in an axis or a measure; ok is false where there is none, as in a column that does not exist.
func (t *Table) Column(name string) func(*Row) (x float64, ok bool) {
	estimate := t.Estimates(name)
	return func(r *Row) (float64, bool) {
		e, ok := estimate(r)
		return e.Mean, ok
	}
}

// Estimates does what Column does, with the intervals of a measure.
func (t *Table) Estimates(name string) func(*Row) (e study.Estimate, ok bool) {
	if axis := slices.Index(t.Axes, name); axis >= 0 && t.Study != nil {
		return func(r *Row) (study.Estimate, bool) {
			if r == nil || axis >= len(r.Labels) {
				return study.Estimate{}, false
			}
			x, ok := t.Study.Number(name, r.Labels[axis])
			return study.Estimate{Mean: x}, ok
		}
	}
	measure := slices.Index(t.Measures, name)
	return func(r *Row) (study.Estimate, bool) {
		if r == nil || measure < 0 || measure >= len(r.Values) {
			return study.Estimate{}, false
		}
		e := r.Values[measure].Estimate
		if math.IsNaN(e.Mean) || math.IsInf(e.Mean, 0) {
			return study.Estimate{}, false
		}
		return e, true
	}
}

// placesOf returns how to find the place of a row among the values of an axis, names or numbers, as Column does.
func (t *Table) placesOf(name string) func(*Row) (x float64, ok bool) {
	axis := slices.Index(t.Axes, name)
	return func(r *Row) (float64, bool) {
		if axis < 0 || axis >= len(r.Labels) || t.Study == nil {
			return 0, false
		}
		place := t.Study.Axes[axis].Place(r.Labels[axis])
		return float64(place), place >= 0
	}
}

// Text returns the text of a row in a measure; "" where there is none.
func (t *Table) Text(r *Row, measure string) string {
	i := slices.Index(t.Measures, measure)
	if r == nil || i < 0 || i >= len(r.Values) {
		return ""
	}
	return r.Values[i].Text
}

// Others names a row by the axes that differ between rows, some left out.
func (t *Table) Others(r *Row, without ...string) string {
	var parts []string
	for i, a := range t.Axes {
		if slices.Contains(without, a) || len(t.Study.Axes[i].Values) < 2 {
			continue
		}
		parts = append(parts, a+" "+r.Labels[i])
	}
	return strings.Join(parts, ", ")
}

// Crossover is where another series has the best value, between two points.
type Crossover struct {
	Group, From, To string // Group as of series
	X               float64
}

// String says between which series.
func (c *Crossover) String() string {
	text := "from " + c.From + " to " + c.To
	if c.Group != "" {
		text += ", " + c.Group
	}
	return text
}

// Crossovers finds those of a plot: group by group, where the series with the best value is no longer the best. Values between two
// neighbouring points are on straight lines. Times are straight lines over lengths, also where the axes of the plot are logarithmic.
func (t *Table) Crossovers(v *question.View) []Crossover {
	if v == nil || t.Study == nil || v.Plot != question.Lines || v.By == "" || !t.Study.Crosses(v) {
		return nil
	}
	list := t.Series(v)
	if t.Study.Best(v) == question.Most {
		negate(list)
	}
	var found []Crossover
	done := map[string]bool{}
	for _, first := range list {
		if done[first.Group] {
			continue
		}
		done[first.Group] = true
		var group []*Series
		for _, s := range list {
			if s.Group == first.Group {
				group = append(group, s)
			}
		}
		found = append(found, within(group)...)
	}
	return found
}

// negate turns series upside down, so that the least value is the best.
func negate(list []*Series) {
	for _, s := range list {
		for i := range s.At {
			s.At[i].Y = -s.At[i].Y
		}
	}
}

// within finds the crossovers of a group whose least value is the best. With intervals a series leads as long as none is below it by
// more than their intervals, so that there is no crossover within the noise.
func within(group []*Series) []Crossover {
	var places []float64
	for _, s := range group {
		for _, at := range s.At {
			places = append(places, at.X)
		}
	}
	slices.Sort(places)
	places = slices.Compact(places)
	var found []Crossover
	var from *Series
	since := 0 // the first of the places at which from leads
	for i, x := range places {
		if i > 0 && interrupted(group, places[i-1], x) {
			from = nil // nothing is known between them
		}
		if from != nil && leads(group, from, x) {
			continue
		}
		to := lasting(group, places[i:])
		if from != nil && to != nil {
			for _, step := range between(group, from, ahead(group, from, places[since:i]), x) {
				found, to = append(found, step.Crossover), step.to
			}
		}
		from, since = to, i
	}
	return found
}

// interrupted reports whether a series has no value at a place between two.
func interrupted(group []*Series, left, right float64) bool {
	return slices.ContainsFunc(group, func(s *Series) bool {
		return slices.ContainsFunc(s.Without, func(x float64) bool { return left < x && x < right })
	})
}

// Runs divides the points of a series where it has no value between two of them.
func (s *Series) Runs() (list [][]Spot) {
	from := 0
	for i := 1; i <= len(s.At); i++ {
		if i == len(s.At) || interrupted([]*Series{s}, s.At[i-1].X, s.At[i].X) {
			list, from = append(list, s.At[from:i]), i
		}
	}
	return list
}

// leads reports whether no other series has a smaller value at a place, intervals apart.
func leads(group []*Series, s *Series, x float64) bool {
	own, ok := s.spotAt(x)
	return ok && !slices.ContainsFunc(group, func(other *Series) bool {
		at, ok := other.spotAt(x)
		return ok && at.Y < own.Y && !at.estimate().Overlaps(own.estimate())
	})
}

// ahead returns the last of some places at which no series has a smaller mean than the one that leads at all of them; if there is none, the last place. Behind it
// the means may have crossed within their intervals.
func ahead(group []*Series, s *Series, places []float64) float64 {
	for _, x := range slices.Backward(places) {
		own, has := s.valueAt(x)
		if has && !slices.ContainsFunc(group, func(other *Series) bool { y, ok := other.valueAt(x); return ok && y < own }) {
			return x
		}
	}
	return places[len(places)-1]
}

// lasting returns the series that leads at the first of some places, and of several the one that leads longest: where two are alike there is no crossover.
func lasting(group []*Series, places []float64) (best *Series) {
	most := 0
	for _, s := range group {
		n := 0
		for n < len(places) && leads(group, s, places[n]) {
			n++
		}
		if n > most {
			best, most = s, n
		}
	}
	return best
}

// valueAt returns the value at a place at which the series has a point.
func (s *Series) valueAt(x float64) (float64, bool) {
	at, ok := s.spotAt(x)
	return at.Y, ok
}

func (s *Series) spotAt(x float64) (Spot, bool) {
	i, ok := slices.BinarySearchFunc(s.At, x, func(at Spot, x float64) int { return cmp.Compare(at.X, x) })
	if !ok {
		return Spot{}, false
	}
	return s.At[i], true
}

// step is a crossover with the series that leads behind it.
type step struct {
	Crossover
	to *Series
}

// between finds the crossovers between two neighbouring places, at the first of which a series leads: where its straight line meets the first one that goes below it, from there on that line, and so on. There are none if the series,
// or the one that leads at the second place, has no value at one of them.
func between(group []*Series, from *Series, left, right float64) (chain []step) {
	at := left
	for {
		next, meets := below(group, from, left, right, at)
		if next == nil {
			break
		}
		chain, from, at = append(chain, step{Crossover{from.Group, from.By, next.By, meets}, next}), next, meets
	}
	if !leads(group, from, right) {
		return nil
	}
	return chain
}

// below finds the series whose straight line is the first to go below that of another one behind a place; of several the one that ends lowest.
func below(group []*Series, than *Series, left, right, behind float64) (next *Series, meets float64) {
	a0, ok0 := than.valueAt(left)
	a1, ok1 := than.spotAt(right)
	lowest := 0.0
	for _, s := range group {
		b0, ok2 := s.valueAt(left)
		b1, ok3 := s.spotAt(right)
		if !ok0 || !ok1 || !ok2 || !ok3 || b1.Y >= a1.Y || b1.estimate().Overlaps(a1.estimate()) {
			continue
		}
		x := max(behind, meet(left, right, b0-a0, a1.Y-b1.Y))
		if next == nil || x < meets || x == meets && b1.Y < lowest {
			next, meets, lowest = s, x, b1.Y
		}
	}
	return next, meets
}

// meet returns where two lines meet that are so far apart on the left and, the other way round, on the right.
func meet(left, right, before, behind float64) float64 {
	before = max(0, before)
	return left + (right-left)*before/(before+behind)
}
