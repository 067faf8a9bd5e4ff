// SPDX-License-Identifier: Apache-2.0

package question

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"meshwright/internal/input"
	"meshwright/study/point"
)

// maxValues bounds the values of an axis.
const maxValues = 100_000

// readAxes reads the axes. Their names are known before their values, which may name them.
func (r *reader) readAxes(n *yaml.Node) error {
	list, err := r.mapping(n, "expected axes such as buffer: [1, 2, 4]")
	if err != nil {
		return err
	}
	for _, e := range list {
		r.study.Axes = append(r.study.Axes, Axis{Name: e.key.Value})
	}
	for i, e := range list {
		a := &r.study.Axes[i]
		if a.Values, err = r.choices(a.Name, e.value); err != nil {
			return err
		}
		if len(a.Values) == 0 {
			return r.at(e.key, "expected one value or more", "axis %q is empty", input.Clip(a.Name))
		}
	}
	return nil
}

// choices reads the values of an axis: a list, a range, or one value.
func (r *reader) choices(axis string, n *yaml.Node) ([]Choice, error) {
	known := keyNames()
	plain := func(label string, n *yaml.Node) Choice { // sets its axis's key, or is only for ${axis}
		if !slices.Contains(known, axis) {
			return Choice{Label: label}
		}
		return Choice{label, []Setting{r.setting(axis, label, n)}}
	}
	switch n.Kind {
	case yaml.MappingNode:
		labels, err := r.rangeOf(axis, n)
		var list []Choice
		for _, label := range labels {
			list = append(list, plain(label, n))
		}
		return list, err
	case yaml.SequenceNode:
		var list []Choice
		for _, c := range n.Content {
			choice, err := r.choice(c, plain, known)
			if err != nil {
				return nil, err
			}
			if slices.ContainsFunc(list, func(o Choice) bool { return o.Label == choice.Label }) {
				return nil, r.at(c, "expected each value once", "%q twice", input.Clip(choice.Label))
			}
			list = append(list, choice)
		}
		return list, nil
	}
	label, err := r.scalar(n)
	if parts := strings.Split(label, ":"); err == nil && len(parts) == 3 && !slices.ContainsFunc(parts, notNumber) {
		return nil, r.at(n, fmt.Sprintf("expected {from: %s, to: %s, step: %s}", parts[0], parts[1], parts[2]), "%s: %q", input.Clip(axis), input.Clip(label))
	}
	return []Choice{plain(label, n)}, err
}

func notNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err != nil
}

// choice reads an entry of an axis's list: a value, or several keys that are tied together, with a name.
func (r *reader) choice(n *yaml.Node, plain func(string, *yaml.Node) Choice, known []string) (Choice, error) {
	if n.Kind != yaml.MappingNode {
		label, err := r.scalar(n)
		return plain(label, n), err
	}
	settings, err := r.settings(n, append([]string{tiedName}, known...))
	if err != nil {
		return Choice{}, err
	}
	c := Choice{}
	for _, s := range settings {
		if s.Key == tiedName {
			c.Label = s.Value
			continue
		}
		c.Settings = append(c.Settings, s)
	}
	if c.Label == "" {
		for i, s := range c.Settings {
			if i > 0 {
				c.Label += " "
			}
			c.Label += s.Value
		}
	}
	return c, nil
}

// tiedName is the key that names an entry whose keys are tied together.
const tiedName = "name"

// rangeOf reads {from: 1, to: 9, step: 2} or {from: 1, to: 1024, times: 2}. Its numbers may have the units of the axis.
func (r *reader) rangeOf(axis string, n *yaml.Node) ([]string, error) {
	const want = "expected {from: 1, to: 9, step: 2} or {from: 1, to: 1024, times: 2}"
	list, err := r.mapping(n, want)
	if err != nil {
		return nil, err
	}
	numbers := map[string]float64{}
	for _, e := range list {
		if !slices.Contains([]string{"from", "to", "step", "times"}, e.key.Value) {
			return nil, r.at(e.key, input.Suggest(e.key.Value, []string{"from", "to", "step", "times"}), "unknown key %q", input.Clip(e.key.Value))
		}
		text, err := r.scalar(e.value)
		if err != nil {
			return nil, err
		}
		x, ok := point.NumberOf(axis, text)
		if !ok {
			return nil, r.at(e.value, "expected a number", "%s: %q", e.key.Value, input.Clip(text))
		}
		numbers[e.key.Value] = x
	}
	from, first := numbers["from"]
	to, last := numbers["to"]
	step, linear := numbers["step"]
	times, logarithmic := numbers["times"]
	switch {
	case !first || !last || linear == logarithmic:
		return nil, r.at(n, want, "not a range")
	case to < from:
		return nil, r.at(n, "expected to at or above from", "the range from %g to %g is empty", from, to)
	case linear && step <= 0:
		return nil, r.at(n, "expected a step above 0", "step %g", step)
	case logarithmic && (times <= 1 || from <= 0):
		return nil, r.at(n, "expected from above 0 and times above 1", "from %g times %g", from, times)
	}
	value := func(i int) float64 {
		if linear {
			return from + float64(i)*step
		}
		return from * math.Pow(times, float64(i))
	}
	steps := (to - from) / step
	if logarithmic {
		steps = math.Log(to/from) / math.Log(times)
	}
	if steps+1 > maxValues {
		return nil, r.at(n, "expected at most "+strconv.Itoa(maxValues), "a range of %.0f values", math.Floor(steps+1))
	}
	var labels []string
	const noise = 1e-9 // of binary fractions, in steps
	for i := range 1 + int(steps*(1+noise)+noise) {
		label := strconv.FormatFloat(value(i), 'g', 10, 64) // without the noise of binary fractions
		if whole := math.Round(value(i)); math.Abs(whole-value(i)) < 1e-9*whole && whole < 1e15 {
			label = strconv.FormatInt(int64(whole), 10)
		}
		labels = append(labels, label)
	}
	return labels, nil
}
