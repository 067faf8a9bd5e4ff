// SPDX-License-Identifier: Apache-2.0

package question

import (
	"bytes"
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"meshwright/internal/input"
	"meshwright/internal/yamltext"
	"meshwright/study/formula"
	"meshwright/study/point"
)

// maxFile bounds a study file, in bytes.
const maxFile = 1 << 20

// maxRepeats bounds the repeats of a point.
const maxRepeats = 1000

// Read reads a study file; parameters replace those of the file. Its errors are *input.Error.
func Read(path string, parameters map[string]string) (*Study, error) {
	text, err := input.ReadFileWithin(path, input.Bounds{Bytes: maxFile, Line: maxFile})
	if err != nil {
		return nil, err
	}
	return Parse(path, text, parameters)
}

// Parse reads a study; path is for errors.
func Parse(path string, text []byte, parameters map[string]string) (*Study, error) {
	text = slashesOfJSON(text)
	root, err := yamltext.Parse(path, text, "study", "keys", "expected axes and measure")
	if err != nil {
		return nil, err
	}
	r := &reader{
		lines: strings.Split(string(text), "\n"), parameters: map[string]string{}, used: map[string]bool{},
		study: &Study{File: path, Text: string(bytes.ToValidUTF8(text, nil)), Repeats: 1},
	}
	base := r.study.FileName()
	r.study.Name = strings.TrimSuffix(base, filepath.Ext(base))
	if err := r.refuseAliases(root); err != nil {
		return nil, err
	}
	if err := r.readParameters(root, parameters); err != nil {
		return nil, err
	}
	if err := r.read(root); err != nil {
		return nil, err
	}
	r.findKeys()
	return r.study, r.check(root)
}

// slashesOfJSON writes the escape \/ of a study in JSON as the slash that it stands for: it is none of YAML's.
func slashesOfJSON(text []byte) []byte {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return text
	}
	plain := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			if i++; text[i] != '/' {
				plain = append(plain, '\\')
			}
		}
		plain = append(plain, text[i])
	}
	return plain
}

// reader reads a study.
type reader struct {
	study      *Study
	lines      []string
	parameters map[string]string
	used       map[string]bool // axes that ${} names
}

const reportSection = "report"

// section is a key of a study file.
type section struct {
	name, help string
	read       func(*reader, *yaml.Node) error
	schema     func() any
}

// sections lists the keys of a study file in the order in which they are read.
func sections() []section {
	return []section{
		{"name", "the study's name (default: that of its file)", (*reader).readName, nameSchema},
		{"about", "the question, in a sentence", func(r *reader, n *yaml.Node) error { return r.text(n, &r.study.About) }, textSchema},
		{"parameters", "names and values for ${NAME}; -P NAME=VALUE replaces a value", func(*reader, *yaml.Node) error { return nil }, parametersSchema},
		{"axes", "what differs between points", (*reader).readAxes, axesSchema},
		{"set", "what all points share", (*reader).readFixed, settingsSchema},
		{"where", "constraints: points for which one does not hold are left out", (*reader).readWhere, whereSchema},
		{"measure", "what is measured: measures, or name: formula", (*reader).readMeasures, measureSchema},
		{"labels", "texts that tables and plots show instead of the names of axes and measures", (*reader).readLabels, labelsSchema},
		{"repeats", "runs of each point, with seeds from seed on", (*reader).readRepeats, repeatsSchema},
		{reportSection, "tables and plots of the report", (*reader).readViews, viewsSchema},
	}
}

// read reads the sections that are there.
func (r *reader) read(root *yaml.Node) error {
	content, err := r.mapping(root, "expected axes and measure")
	if err != nil {
		return err
	}
	var names []string
	for _, s := range sections() {
		names = append(names, s.name)
	}
	for _, c := range content {
		if !slices.Contains(names, c.key.Value) {
			return r.at(c.key, cmp.Or(input.Meant(input.SectionWord, c.key.Value, "", names), input.Suggest(c.key.Value, names)), "unknown key %q", input.Clip(c.key.Value))
		}
	}
	for _, s := range sections() {
		for _, c := range content {
			if c.key.Value != s.name {
				continue
			}
			err := s.read(r, c.value)
			if err != nil && s.name == reportSection { // a misspelt axis is the cause of an unknown column
				err = cmp.Or(r.checkAxes(root), err)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// entry is a key of a mapping, and its value.
type entry struct{ key, value *yaml.Node }

// mapping returns the entries of a mapping, each key once.
func (r *reader) mapping(n *yaml.Node, want string) ([]entry, error) {
	if n.Kind != yaml.MappingNode {
		return nil, r.at(n, want, "not key: value")
	}
	var list []entry
	for i := 0; i < len(n.Content); i += 2 {
		e := entry{n.Content[i], n.Content[i+1]}
		for _, other := range list {
			if other.key.Value == e.key.Value {
				return nil, r.at(e.key, "expected each key once", "key %q stands in line %d already", input.Clip(e.key.Value), other.key.Line)
			}
		}
		list = append(list, e)
	}
	return list, nil
}

// at is an error at a place of the file.
func (r *reader) at(n *yaml.Node, want, format string, args ...any) error {
	fault := input.At(r.study.File, n.Line, want, format, args...)
	fault.Column = n.Column
	if n.Line >= 1 && n.Line <= len(r.lines) {
		fault.Source = strings.TrimRight(r.lines[n.Line-1], "\r")
	}
	return fault
}

// locate gives an *input.Error a place in the file. If it has a place in another file, which the study names, that stays in
// its text.
func (r *reader) locate(n *yaml.Node, err error) error {
	fault, ok := err.(*input.Error)
	switch {
	case !ok:
		return err
	case fault.File != "" && fault.Line > 0:
		return r.at(n, fault.Want, "%s:%d: %s", input.Clip(fault.File), fault.Line, fault.What)
	case fault.File != "":
		return r.at(n, fault.Want, "%s: %s", input.Clip(fault.File), fault.What)
	}
	return r.at(n, fault.Want, "%s", fault.What)
}

// scalar returns a value with its parameters replaced. Names of axes stay.
func (r *reader) scalar(n *yaml.Node) (string, error) {
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" {
		return "", r.at(n, "expected a text or a number", "%s", kindOf(n))
	}
	var unknown string
	known := r.variables()
	value, closed := substitute(n.Value, func(name string) (string, bool) {
		value, ok := r.parameters[name]
		if !ok {
			r.used[name] = true
		}
		if unknown == "" && !slices.Contains(known, name) {
			unknown = name
		}
		return value, ok
	})
	if !closed {
		return "", r.at(n, "expected ${NAME}", "%q", input.Clip(n.Value))
	}
	if unknown != "" {
		want := "expected a parameter or an axis"
		if len(known) > 0 {
			want = input.Suggest(unknown, known)
		}
		return "", r.at(n, want, "unknown parameter %q", input.Clip(unknown))
	}
	return value, nil
}

// kindOf says what stands where a value is expected.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.SequenceNode:
		return "a list"
	case yaml.MappingNode:
		return "keys and values"
	}
	return "no value"
}

// refuseAliases refuses the first alias of a document.
func (r *reader) refuseAliases(n *yaml.Node) error {
	if n.Kind == yaml.AliasNode {
		return r.at(n, "expected the value itself: study files have no aliases", "alias *%s", input.Clip(n.Value))
	}
	for _, part := range n.Content {
		if err := r.refuseAliases(part); err != nil {
			return err
		}
	}
	return nil
}

// variables are the names that ${} may have.
func (r *reader) variables() []string {
	names := slices.Sorted(maps.Keys(r.parameters))
	for _, a := range r.study.Axes {
		names = append(names, a.Name)
	}
	return names
}

// substitute replaces each ${NAME} that has a value; closed is false if a brace is not.
func substitute(text string, value func(name string) (string, bool)) (out string, closed bool) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "${")
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", false
		}
		if v, ok := value(name); ok {
			b.WriteString(v)
		} else {
			b.WriteString("${" + name + "}")
		}
		text = after
	}
}

func (r *reader) text(n *yaml.Node, to *string) (err error) {
	*to, err = r.scalar(n)
	return err
}

// readName reads the study's name, which names its store, too.
func (r *reader) readName(n *yaml.Node) error {
	if err := r.text(n, &r.study.Name); err != nil {
		return err
	}
	if strings.Trim(filepath.Base(r.study.Name), "./ ") == "" {
		return r.at(n, "expected a name that a file may have", "name: %q", input.Clip(r.study.Name))
	}
	return nil
}

// readParameters reads the section parameters, and puts in what the caller gives.
func (r *reader) readParameters(root *yaml.Node, given map[string]string) error {
	sections, err := r.mapping(root, "expected axes and measure")
	if err != nil {
		return err
	}
	for _, s := range sections {
		if s.key.Value != "parameters" {
			continue
		}
		list, err := r.mapping(s.value, "expected name: value")
		if err != nil {
			return err
		}
		for _, p := range list {
			if p.value.Kind != yaml.ScalarNode {
				return r.at(p.value, "expected a text or a number", "parameter %q has several values", input.Clip(p.key.Value))
			}
			r.parameters[p.key.Value] = p.value.Value
		}
	}
	known := slices.Sorted(maps.Keys(r.parameters))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := r.parameters[name]; !ok {
			want := "expected none: the study has no parameters"
			if len(known) > 0 {
				want = input.Suggest(name, known)
			}
			return input.At("-P", 0, want, "unknown parameter %q", input.Clip(name))
		}
		r.parameters[name] = given[name]
	}
	r.study.Parameters = r.parameters
	return nil
}

// keyNames lists the keys that a point may set.
func keyNames() []string {
	var names []string
	for _, k := range point.Keys() {
		names = append(names, k.Name)
	}
	return names
}

// setting is a key and its value, which stands at a place of the file.
func (r *reader) setting(key, value string, n *yaml.Node) Setting {
	return Setting{key, value, n.Line, func(err error) error { return r.locate(n, err) }}
}

// settings reads a mapping of keys to values.
func (r *reader) settings(n *yaml.Node, known []string) ([]Setting, error) {
	list, err := r.mapping(n, "expected keys such as topology: mesh:8x8")
	if err != nil {
		return nil, err
	}
	var settings []Setting
	for _, e := range list {
		if !slices.Contains(known, e.key.Value) {
			return nil, r.at(e.key, meantKey(e, known), "unknown key %q", input.Clip(e.key.Value))
		}
		value, err := r.scalar(e.value)
		if err != nil {
			return nil, err
		}
		settings = append(settings, r.setting(e.key.Value, value, e.value))
	}
	return settings, nil
}

// meantKey says what should be there instead of a key that is not known. A key without a value is the rest of a value with a comma.
func meantKey(e entry, known []string) string {
	if e.value.Tag == "!!null" && input.Nearest(e.key.Value, known) == "" {
		return "expected quotes around a value with a comma, such as flits: \"1@0.5,5@0.5\""
	}
	return cmp.Or(input.Meant(input.KeyWord, e.key.Value, "", known), input.Suggest(e.key.Value, known))
}

func (r *reader) readFixed(n *yaml.Node) (err error) {
	for i := 1; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
		if value := n.Content[i]; value.Kind != yaml.ScalarNode {
			return r.at(value, "expected one value: several belong in axes", "%s", kindOf(value))
		}
	}
	r.study.Fixed, err = r.settings(n, keyNames())
	return err
}

func (r *reader) readWhere(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		return r.at(n, "expected ["+input.Clip(n.Value)+"]", "not a list")
	}
	if n.Kind != yaml.SequenceNode {
		return r.at(n, "expected a list of formulas such as [length > 1]", "not a list")
	}
	for _, c := range n.Content {
		f, err := r.formula(c, nil, "an axis or a key: a constraint does not know what is measured")
		if err != nil {
			return err
		}
		r.study.Where = append(r.study.Where, Constraint{f, func(err error) error { return r.locate(c, err) }})
	}
	return nil
}

// formula reads a formula over axes, keys and other names; wanted describes all of them.
func (r *reader) formula(n *yaml.Node, more []string, wanted string) (*formula.Formula, error) {
	text, err := r.scalar(n)
	if err != nil {
		return nil, err
	}
	f, err := formula.Parse(text)
	if err != nil {
		return nil, r.locate(n, err)
	}
	known := slices.Clone(more)
	for _, a := range r.study.Axes {
		known = append(known, a.Name)
	}
	known = append(known, keyNames()...)
	for _, name := range f.Uses() {
		if !slices.Contains(known, name) && !slices.Contains(known, strings.ReplaceAll(name, "_", "-")) && name != "true" && name != "false" {
			want := "expected " + wanted
			if near := input.Nearest(name, known); near != "" && !(more == nil && isMeasure(name)) {
				want = "did you mean " + near + "?"
			}
			return nil, r.at(n, want, "unknown name %q", input.Clip(name))
		}
	}
	return f, nil
}

func (r *reader) readMeasures(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return r.at(n, "expected a list such as [cycles, ratio]", "not a list of measures")
	}
	var names []string
	for _, m := range point.Measures() {
		names = append(names, m.Name)
	}
	var formulas []string // those behind may use their names
	for _, c := range n.Content {
		m := Measure{}
		if c.Kind == yaml.MappingNode && len(c.Content) == 2 {
			f, err := r.formula(c.Content[1], slices.Concat(names, formulas), "an axis, a key or a measure")
			if err != nil {
				return err
			}
			if isMeasure(c.Content[0].Value) {
				return r.at(c, "expected another name", "%q is a measure", c.Content[0].Value)
			}
			m = Measure{Name: c.Content[0].Value, Formula: f, at: func(err error) error { return r.locate(c.Content[1], err) }}
			formulas = append(formulas, m.Name)
		} else {
			name, err := r.scalar(c)
			if err != nil {
				return err
			}
			if !slices.Contains(names, name) {
				return r.at(c, wantedMeasure(name, names), "unknown measure %q", input.Clip(name))
			}
			one, err := point.MeasureOf(name)
			if err != nil {
				return err
			}
			m.Name, m.Text, m.Truth = name, one.Text, one.Truth
		}
		if slices.ContainsFunc(r.study.Measures, func(o Measure) bool { return o.Name == m.Name }) {
			return r.at(c, "expected each measure once", "%q twice", input.Clip(m.Name))
		}
		if slices.ContainsFunc(r.study.Axes, func(a Axis) bool { return a.Name == m.Name }) {
			return r.at(c, "expected another name of the axis", "%q is a measure and an axis", input.Clip(m.Name))
		}
		r.study.Measures = append(r.study.Measures, m)
	}
	return nil
}

// readLabels reads the texts that tables and plots show instead of names.
func (r *reader) readLabels(n *yaml.Node) error {
	list, err := r.mapping(n, "expected name: text")
	if err != nil {
		return err
	}
	r.study.Labels = map[string]string{}
	for _, e := range list {
		if columns := r.columns(); !slices.Contains(columns, e.key.Value) {
			return r.at(e.key, input.Suggest(e.key.Value, columns), "unknown column %q", input.Clip(e.key.Value))
		}
		text, err := r.scalar(e.value)
		if err != nil {
			return err
		}
		if strings.TrimSpace(text) == "" {
			return r.at(e.value, "expected a text", "label %q of %s", input.Clip(text), input.Clip(e.key.Value))
		}
		r.study.Labels[e.key.Value] = text
	}
	return nil
}

// wantedMeasure says what should be there instead of a name that no measure has. A formula in quotes is a text, not a name
// with a formula.
func wantedMeasure(name string, names []string) string {
	if formula, of, ok := strings.Cut(name, ":"); ok {
		return "expected " + strings.TrimSpace(formula) + ": " + strings.TrimSpace(of) + " without quotes around both"
	}
	if strings.ContainsAny(name, "+*/()<>=&|!") || strings.Contains(name, " - ") {
		return "expected a formula with a name of its own, such as time: cycles / mhz"
	}
	if name == "algorithm" {
		return "expected chosen: the algorithm that ran"
	}
	var parts []string
	for _, n := range names {
		if strings.HasPrefix(n, name+".") {
			parts = append(parts, n)
		}
	}
	if parts != nil {
		return "expected " + input.Or(parts)
	}
	return input.Suggest(name, names)
}

func (r *reader) readRepeats(n *yaml.Node) error {
	text, err := r.scalar(n)
	if err != nil {
		return err
	}
	r.study.Repeats, err = strconv.Atoi(text)
	if err != nil || r.study.Repeats < 1 || r.study.Repeats > maxRepeats {
		return r.at(n, "expected a whole number from 1 to "+strconv.Itoa(maxRepeats), "repeats: %q", input.Clip(text))
	}
	return nil
}

// check demands what only the whole file shows.
func (r *reader) check(root *yaml.Node) error {
	s := r.study
	if err := r.checkAxes(root); err != nil {
		return err
	}
	if err := r.checkNames(root); err != nil {
		return err
	}
	given := map[string]bool{}
	for _, set := range s.Fixed {
		given[set.Key] = true
	}
	for _, a := range s.Axes {
		for _, c := range a.Values {
			for _, set := range c.Settings {
				given[set.Key] = true
			}
		}
	}
	if len(s.Measures) == 0 {
		return r.at(root, "expected measure: [cycles]", "nothing to measure")
	}
	for _, name := range s.base() {
		m, err := point.MeasureOf(name)
		if err != nil {
			continue // a setting, in a formula
		}
		if m.Of == point.Collective && !given["collective"] {
			return r.at(measureNode(root), "expected collective: gossip, or another, in the study", "a study without a collective has no measure %q", name)
		}
		if m.Of == point.Load && !given["rate"] && !s.traced() {
			return r.at(measureNode(root), "expected rate: 0.1, or another, or pattern: trace:FILE, in the study", "a study without a rate of random traffic has no measure %q", name)
		}
	}
	return nil
}

// ErrorColumn is the column of the results that says why a point has no figures, and HalfColumn what is behind the name of a measure whose
// intervals a column has.
const (
	ErrorColumn = "error"
	HalfColumn  = "_half"
)

// checkNames refuses names that other columns of the results have.
func (r *reader) checkNames(root *yaml.Node) error {
	reserved := map[string]string{ErrorColumn: "the column of errors"}
	for _, m := range r.study.Measures {
		reserved[m.Name+HalfColumn] = "the column of the intervals of " + m.Name
	}
	for _, a := range r.study.Axes {
		if what := reserved[a.Name]; what != "" {
			return r.at(axisNode(root, a.Name), "expected another name", "%q is %s", input.Clip(a.Name), what)
		}
	}
	for _, m := range r.study.Measures {
		if what := reserved[m.Name]; what != "" {
			return m.at(input.Errorf("expected another name", "%q is %s", input.Clip(m.Name), what))
		}
	}
	return nil
}

// findKeys notes of each axis whose values it has: those of the key of its name, of a key that is set to ${axis}, or of the only key
// that an entry of its list sets.
func (r *reader) findKeys() {
	known, written := keyNames(), r.study.written()
	for i := range r.study.Axes {
		a := &r.study.Axes[i]
		if slices.Contains(known, a.Name) {
			a.key = a.Name
			continue
		}
		if at := slices.IndexFunc(written, func(set Setting) bool { return set.Value == "${"+a.Name+"}" }); at >= 0 {
			a.key = written[at].Key
			continue
		}
		for _, c := range a.Values {
			if len(c.Settings) == 1 && c.Settings[0].Value == c.Label {
				a.key = c.Settings[0].Key
			}
		}
	}
}

// checkAxes refuses an axis that sets nothing.
func (r *reader) checkAxes(root *yaml.Node) error {
	known := keyNames()
	for _, a := range r.study.Axes {
		if slices.Contains(known, a.Name) || len(a.Values[0].Settings) > 0 || r.used[a.Name] {
			continue
		}
		want := "expected a key, or ${" + a.Name + "} in the study"
		if meant := input.Meant(input.KeyWord, a.Name, "", known); meant != "" {
			want = meant
		} else if near := input.Nearest(a.Name, known); near != "" {
			want = "did you mean " + near + "?"
		}
		return r.at(axisNode(root, a.Name), want, "unknown key %q", input.Clip(a.Name))
	}
	return nil
}

// child returns the value of a key, or the mapping itself.
func child(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return n
}

func measureNode(root *yaml.Node) *yaml.Node { return child(root, "measure") }

// axisNode returns where the name of an axis stands.
func axisNode(root *yaml.Node, name string) *yaml.Node {
	for _, n := range child(root, "axes").Content {
		if n.Value == name {
			return n
		}
	}
	return root
}
