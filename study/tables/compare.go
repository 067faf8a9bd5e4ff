// SPDX-License-Identifier: Apache-2.0

package tables

import (
	"math"
	"slices"
	"strings"

	"meshwright/internal/input"
)

// Change is a measure of a point that two stores tell differently.
type Change struct {
	Point   string // axes and their values
	Measure string
	Was, Is Value
	Error   string // why one of them has none
}

// Relative returns by which part of the former value the measure has changed; infinite of texts, and if one store has
// none.
func (c *Change) Relative() float64 {
	was, is := c.Was.Mean, c.Is.Mean
	if math.IsNaN(was) || math.IsNaN(is) || was == 0 {
		return math.Inf(1)
	}
	return (is - was) / math.Abs(was)
}

// Compared is the comparison of two tables: how many points both have, the points and measures of only one, and the changes,
// the greatest first.
type Compared struct {
	Points              int
	OnlyBefore, OnlyNow []string // the points' axes and their values

	MeasuresBefore, MeasuresNow []string // of only one table
	Changes                     []Change
}

// Incomplete reports whether a point or a measure is in only one of the tables.
func (c *Compared) Incomplete() bool {
	return len(c.OnlyBefore)+len(c.OnlyNow)+len(c.MeasuresBefore)+len(c.MeasuresNow) > 0
}

// Compare compares the points and measures of two tables of a study, which have the same axes and a measure in common. The error is
// an *input.Error.
func Compare(before, now *Table) (*Compared, error) {
	if !slices.Equal(before.Axes, now.Axes) {
		return nil, input.Errorf("expected the same axes", "axes %s and %s", strings.Join(before.Axes, ", "), strings.Join(now.Axes, ", "))
	}
	c := &Compared{MeasuresBefore: without(before.Measures, now.Measures), MeasuresNow: without(now.Measures, before.Measures)}
	if len(c.MeasuresBefore) == len(before.Measures) {
		return nil, input.Errorf("expected a measure that both stores have", "measures %s and %s", strings.Join(before.Measures, ", "), strings.Join(now.Measures, ", "))
	}
	former := map[string]*Row{}
	for i := range before.Rows {
		former[key(&before.Rows[i])] = &before.Rows[i]
	}
	for i := range now.Rows {
		r := &now.Rows[i]
		was, ok := former[key(r)]
		if !ok {
			c.OnlyNow = append(c.OnlyNow, now.place(r))
			continue
		}
		delete(former, key(r))
		c.Points++
		c.compare(before, now, was, r)
	}
	for i := range before.Rows {
		if r := &before.Rows[i]; former[key(r)] != nil {
			c.OnlyBefore = append(c.OnlyBefore, before.place(r))
		}
	}
	slices.SortStableFunc(c.Changes, func(a, b Change) int {
		x, y := math.Abs(a.Relative()), math.Abs(b.Relative())
		switch {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	return c, nil
}

// without returns the names that are not among others.
func without(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return slices.Contains(others, name) })
}

// compare notes the measures that differ, or that only one row has.
func (c *Compared) compare(before, now *Table, was, is *Row) {
	for m, name := range now.Measures {
		at := slices.Index(before.Measures, name)
		if at < 0 {
			continue
		}
		a, b := was.Values[at], is.Values[m]
		if a.Text == b.Text && (a.Mean == b.Mean || math.IsNaN(a.Mean) && math.IsNaN(b.Mean)) {
			continue
		}
		trouble := is.trouble()
		if trouble == "" {
			trouble = was.trouble()
		}
		c.Changes = append(c.Changes, Change{now.place(is), name, a, b, trouble})
	}
}

// key names a row by its values of the axes.
func key(r *Row) string { return strings.Join(r.Labels, "\x00") }

// place names a row for readers.
func (t *Table) place(r *Row) string {
	parts := make([]string, len(t.Axes))
	for i, a := range t.Axes {
		parts[i] = a + " " + r.Labels[i]
	}
	return strings.Join(parts, ", ")
}

// Beyond counts the changes by more than a part of the former value.
func (c *Compared) Beyond(threshold float64) int {
	count := 0
	for i := range c.Changes {
		if math.Abs(c.Changes[i].Relative()) > threshold {
			count++
		}
	}
	return count
}
