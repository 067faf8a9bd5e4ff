// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/internal/input"
	"meshwright/router"
)

// Option is a choice that some algorithms leave to the user: a field of Job. A
// row of the table lists the options of its algorithm; flags, help, listings,
// --set, docs and refusals are made from them.
type Option struct {
	Name    string
	Aliases []string // other names that it answers to
	Type    OptionType
	Values  []string // of a Word: all that may be chosen
	Least   int      // of a Number; the largest depends on the job
	Help    string   // one line
	Default string   // what the algorithm does when the job leaves the choice open
	On      string   // the machines on which the algorithm has the option; "": all

	on    func(*machine.Machine) bool // nil: all
	value func(*Job) string           // in a job; "": left open
	set   func(*Job, string) error    // of a text that fits Type, Values and Least
}

// OptionType says how the value of an option is written.
type OptionType string

// The types of options.
const (
	Number OptionType = "number"
	Word   OptionType = "word"  // one of Values
	Truth  OptionType = "truth" // true or false
	Nodes  OptionType = "nodes" // 4,5,1: numbers of nodes
)

// Value returns the option in a job as text, "" when the job leaves it open; also of an Option that Options has not returned.
func (o *Option) Value(j *Job) string {
	if o.value == nil || j == nil {
		return ""
	}
	return o.value(j)
}

// Set sets the option in a job; the topology of the job is known. The error is
// an *input.Error.
func (o *Option) Set(j *Job, text string) error {
	want := o.wants(text)
	switch {
	case o.set == nil:
		return input.Errorf("expected one that OptionOf or Options has returned", "no option")
	case j == nil:
		return input.Errorf("expected a job with a topology", "no job")
	case o.Type == Nodes && j.Topology.Valid() != nil:
		return j.Topology.Valid()
	case want == "":
		return o.set(j, text)
	case o.Type == Word:
		return input.Errorf(want, "unknown %s %q", o.Name, input.Clip(text))
	case o.Type == Number && want != aNumber:
		return input.Errorf(want, "%s", text)
	}
	return input.Errorf(want, "%q", input.Clip(text))
}

// aNumber is the second half of an error about a text that is no number.
const aNumber = "expected a whole number"

// wants returns what an error should ask for instead of a text, or "" if the text is
// a value of the option. Numbers of nodes are checked when they are set.
func (o *Option) wants(text string) string {
	switch o.Type {
	case Number:
		number, err := strconv.Atoi(text)
		switch {
		case err != nil:
			return aNumber
		case number < o.Least:
			return fmt.Sprintf("expected at least %d", o.Least)
		}
	case Truth:
		if _, err := strconv.ParseBool(text); err != nil {
			return "expected true or false"
		}
	case Word:
		if !slices.Contains(o.Values, text) {
			return input.Suggest(text, o.Values)
		}
	}
	return ""
}

// defaulting is the option of an algorithm with a default of its own.
func (o Option) defaulting(text string) Option {
	o.Default = text
	return o
}

// is reports whether another option is the same, as some algorithm has it.
func (o *Option) is(other Option) bool { return o.Name == other.Name }

// answersTo reports whether the option has a name.
func (o *Option) answersTo(name string) bool {
	return o.Name == name || slices.Contains(o.Aliases, name)
}

// Form says how a value is written.
func (o *Option) Form() string {
	switch o.Type {
	case Number:
		return fmt.Sprintf("a number from %d", o.Least)
	case Word:
		return strings.Join(o.Values, ", ")
	case Truth:
		return "true or false"
	}
	return "node,node,…"
}

// numberOption completes an option that is a number, 0 when it is left open.
func numberOption(o Option, field func(*Job) *int) Option {
	o.Type = Number
	o.value = func(j *Job) string {
		if *field(j) == 0 {
			return ""
		}
		return strconv.Itoa(*field(j))
	}
	o.set = func(j *Job, text string) (err error) {
		*field(j), err = strconv.Atoi(text)
		return err
	}
	return o
}

// wordOption completes an option that is a word, "" when it is left open.
func wordOption(o Option, values []string, field func(*Job) *string) Option {
	o.Type, o.Values = Word, values
	o.value = func(j *Job) string { return *field(j) }
	o.set = func(j *Job, text string) error {
		*field(j) = text
		return nil
	}
	return o
}

// nodesText writes nodes as an option of the type Nodes.
// A list that is there and empty is not left open.
func nodesText(list []router.NodeID) string {
	if list != nil && len(list) == 0 {
		return "[]"
	}
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(int(n))
	}
	return strings.Join(words, ",")
}
