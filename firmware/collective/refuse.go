// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"slices"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
)

// valid refuses jobs that no algorithm can use: also jobs with a value of an option
// that is none.
func valid(j *Job) error {
	if err := j.Valid(); err != nil {
		return err
	}
	for _, o := range Options() {
		text := o.Value(j)
		if text == "" {
			continue
		}
		switch want := o.wants(text); {
		case want == "":
		case o.Type == Word:
			return input.Errorf(want, "unknown %s %q", o.Name, input.Clip(text))
		default:
			return input.Errorf(want, "%s %s", o.Name, input.Clip(text))
		}
	}
	return nil
}

// refuses says which option of a job an algorithm does not have, or not with
// that value, or that its ports are too many.
func (a *Algorithm) refuses(j *Job) error {
	if a.onePort && j.Machine.PacketSwitched() && j.Machine.Ports != machine.SinglePort {
		return input.Errorf("expected ports single", "%s %s does not run on a %s machine with all ports", a.Collective, a.Name, j.Machine.Switching)
	}
	for _, o := range Options() {
		text := o.Value(j)
		if text == "" {
			continue
		}
		given := o.Name + " " + input.Clip(text)
		if o.Type == Truth {
			given = o.Name
		}
		own, ok := a.has(&o, j)
		if !ok {
			return input.Errorf("expected none"+a.instead(&o, j), "%s for %s %s", given, a.Collective, a.Name)
		}
		if want := own.wants(text); want != "" {
			return input.Errorf(want, "%s for %s %s", given, a.Collective, a.Name)
		}
	}
	return nil
}

// has returns an option as the algorithm has it for a job. Auto has the options of all
// algorithms that it can choose.
func (a *Algorithm) has(o *Option, j *Job) (*Option, bool) {
	if a.Name == auto {
		return o, len(takers(a.Collective, o, j)) > 0
	}
	form := a.through(j)
	for i := range form.options {
		if own := &form.options[i]; own.Name == o.Name && (own.on == nil || own.on(&j.Machine)) {
			return own, true
		}
	}
	return nil, false
}

// takers names the algorithms of a collective that fit a job's topology and
// machine and have an option there.
func takers(collective string, o *Option, j *Job) (names []string) {
	for _, a := range table() {
		if a.Collective != collective || a.Name == auto {
			continue
		}
		form := a.through(j)
		if !form.runsOn(j.Topology) || !form.Switches(j.Machine.Switching) {
			continue
		}
		if _, ok := form.has(o, j); ok {
			names = append(names, a.Name)
		}
	}
	return names
}

// instead says where an option can be had that an algorithm does not have.
func (a *Algorithm) instead(o *Option, j *Job) string {
	if names := takers(a.Collective, o, j); len(names) > 0 {
		return ", or algorithm " + input.Or(names)
	}
	for _, other := range table() {
		if other.Collective != a.Collective || other.Name == auto {
			continue
		}
		options := other.Options()
		if i := slices.IndexFunc(options, o.is); i >= 0 {
			return ": " + other.Name + " has it, " + other.where(&options[i], j)
		}
	}
	return ": no " + a.Collective + " has it"
}

// where names the machines on which an algorithm has an option that it does not have for a
// job.
func (a *Algorithm) where(o *Option, j *Job) string {
	switch {
	case o.On != "":
		return "on " + o.On
	case !a.runsOn(j.Topology):
		return "on " + a.On
	}
	return "with switching " + orSwitching(a.Switchings)
}

// Options returns the options of an algorithm, in all its forms. Auto has the options of all
// algorithms that it can choose.
func (a Algorithm) Options() []Option {
	if a.Name != auto {
		return slices.Concat(a.options, a.onlyInOneChannel())
	}
	var all []Option
	for _, other := range table() {
		if other.Collective == a.Collective && other.Name != auto {
			all = append(all, other.Options()...)
		}
	}
	var list []Option
	for _, o := range Options() {
		if i := slices.IndexFunc(all, o.is); i >= 0 {
			list = append(list, all[i])
		}
	}
	return list
}

// OptionOf returns the option with a name, as an algorithm has it, or as it is
// declared if the algorithm does not have it; an algorithm "" is auto. The error is
// an *input.Error.
func OptionOf(collective, algorithm, name string) (Option, error) {
	if strings.Contains(algorithm, ",") {
		algorithm = auto
	}
	a, err := named(collective, algorithm)
	if err != nil {
		return Option{}, err
	}
	var known []string
	for _, o := range a.Options() {
		if o.answersTo(name) {
			return o, nil
		}
		known = append(known, o.Name)
	}
	for _, o := range Options() {
		if o.answersTo(name) {
			return o, nil
		}
	}
	want := "expected none: it has no options"
	if len(known) > 0 {
		want = input.Suggest(name, known)
	}
	return Option{}, input.Errorf(want, "unknown option %q of %s %s", input.Clip(name), a.Collective, a.Name)
}

// named returns the row of an algorithm, "" for auto.
func named(collective, name string) (Algorithm, error) {
	kind, err := plan.KindOf(collective)
	if err != nil {
		return Algorithm{}, err
	}
	var known []string
	for _, a := range table() {
		if a.Collective != kind.Name {
			continue
		}
		if name == "" || a.Name == name || slices.Contains(a.Aliases, name) {
			return a, nil
		}
		known = append(known, a.Name)
	}
	return Algorithm{}, unknownAlgorithm(kind.Name, name, known)
}

// Named returns the algorithms of a list of names between commas, each once and by its first name; nil for "". The error is an *input.Error.
func Named(collective, list string) (names []string, err error) {
	if list == "" {
		return nil, nil
	}
	given := strings.Split(list, ",")
	for _, name := range given {
		if name == "" {
			return nil, input.Errorf("expected names between commas, such as greedy,rounds", "algorithms %q", input.Clip(list))
		}
		a, err := named(collective, name)
		if err != nil {
			return nil, err
		}
		if a.Name == auto && len(given) > 1 {
			return nil, input.Errorf("expected auto alone, or names of other algorithms", "algorithms %q", input.Clip(list))
		}
		if !slices.Contains(names, a.Name) {
			names = append(names, a.Name)
		}
	}
	return names, nil
}

// unknownAlgorithm says which algorithms a collective has; the nearest name may be an alias.
func unknownAlgorithm(collective, name string, known []string) error {
	all := slices.Clone(known)
	for _, a := range table() {
		if a.Collective == collective {
			all = append(all, a.Aliases...)
		}
	}
	want := input.Suggest(name, known)
	if near := input.Nearest(name, all); near != "" {
		want = "did you mean " + near + "?"
	}
	return input.Errorf(want, "unknown %s algorithm %q", collective, name)
}

// Auto is the name of the algorithm that runs the fastest of all others.
const Auto = auto
