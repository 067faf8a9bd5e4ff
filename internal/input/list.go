// SPDX-License-Identifier: Apache-2.0

package input

import "strings"

// mostErrors is how many errors of a list its text shows.
const mostErrors = 10

// List is all that is wrong with something, in the order of its lines.
type List []error

// Error returns the first ten errors, one a line, and how many more there are.
func (l List) Error() string { return strings.Join(l.Lines(), "\n") }

// Lines returns the first ten errors and how many more there are. What an
// error expected is left out where an earlier one said the same at length.
func (l List) Lines() []string {
	var lines []string
	said := map[string]bool{}
	for _, err := range l[:min(len(l), mostErrors)] {
		lines = append(lines, once(said, err.Error()))
	}
	if more := len(l) - mostErrors; more > 0 {
		lines = append(lines, Count(more, "more error"))
	}
	return lines
}

// longExpectation is the length from which an expectation is said only once.
const longExpectation = 60

// once leaves out an expectation that is long and has been said.
func once(said map[string]bool, text string) string {
	i := strings.LastIndex(text, " (expected ")
	if i < 0 || len(text)-i < longExpectation {
		return text
	}
	if said[text[i:]] {
		return text[:i]
	}
	said[text[i:]] = true
	return text
}

// Unwrap returns the errors for errors.Is and errors.As.
func (l List) Unwrap() []error { return l }

// Err returns the list, or nil when it is empty.
func (l List) Err() error {
	if len(l) == 0 {
		return nil
	}
	return l
}

// Unlist returns the errors that make up err: the errors of a List, the errors that
// errors.Join joined, or the errors of another error whose text gives each of them a line;
// otherwise err alone.
func Unlist(err error) List {
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return List{err}
	}
	errs := several.Unwrap()
	if len(errs) == 0 || !strings.HasPrefix(err.Error()+"\n", errs[0].Error()+"\n") {
		return List{err}
	}
	var all List
	for _, e := range errs {
		all = append(all, Unlist(e)...)
	}
	return all
}
