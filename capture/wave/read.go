// SPDX-License-Identifier: Apache-2.0

package wave

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/rtl"
)

// reader reads the probes of a tree in a value change dump, as a simulator of an export writes it.
type reader struct {
	words  *bufio.Scanner
	probes []rtl.Probe
	codes  map[string][]int // probes, by their short names
	values []string
	fresh  map[int]string // values since the last time stamp
	err    error
}

// newReader reads the declarations. tree is the name of a scope, below which the probes are; all of them must be there.
func newReader(r io.Reader, tree string, probes []rtl.Probe) (*reader, error) {
	d := &reader{words: bufio.NewScanner(r), probes: probes, codes: map[string][]int{}, fresh: map[int]string{}}
	d.words.Buffer(nil, 1<<20)
	d.words.Split(bufio.ScanWords)
	places := map[string]int{}
	for i := range probes {
		places[strings.Join(probes[i].Path(), ".")] = i
		d.values = append(d.values, strings.Repeat("0", probes[i].Width))
	}
	if err := d.declarations(tree, places); err != nil {
		return nil, err
	}
	if len(places) > 0 {
		return nil, input.Errorf("expected the signals of the bench", "no signal %s.%s", tree, slices.Min(slices.Collect(maps.Keys(places))))
	}
	return d, nil
}

// declarations reads up to the first value, and takes the probes that it finds from places.
func (d *reader) declarations(tree string, places map[string]int) error {
	var scopes []string
	for d.words.Scan() {
		word := d.words.Text()
		if word == "$enddefinitions" {
			d.arguments()
			return nil
		}
		if !strings.HasPrefix(word, "$") {
			return input.Errorf("expected a declaration such as $var", "%q", input.Clip(word))
		}
		arguments := d.arguments()
		switch word {
		case "$scope":
			if len(arguments) != 2 {
				return input.Errorf("expected a kind and a name", "$scope %s", strings.Join(arguments, " "))
			}
			scopes = append(scopes, arguments[1])
		case "$upscope":
			if len(scopes) == 0 {
				return input.Errorf("expected a scope before", "$upscope")
			}
			scopes = scopes[:len(scopes)-1]
		case "$var":
			if err := d.variable(arguments, scopes, tree, places); err != nil {
				return err
			}
		}
	}
	if err := d.words.Err(); err != nil {
		return err
	}
	return input.Errorf("expected $enddefinitions", "the file ends in its declarations")
}

// arguments are the words up to $end.
func (d *reader) arguments() []string {
	var list []string
	for d.words.Scan() && d.words.Text() != "$end" {
		list = append(list, d.words.Text())
	}
	return list
}

// variable reads "wire 43 ! flit [42:0]".
func (d *reader) variable(arguments, scopes []string, tree string, places map[string]int) error {
	if len(arguments) < 4 {
		return input.Errorf("expected a kind, a width, a code and a name", "$var %s", strings.Join(arguments, " "))
	}
	inTree := slices.Index(scopes, tree)
	if inTree < 0 {
		return nil
	}
	name, _, _ := strings.Cut(arguments[3], "[")
	path := strings.Join(append(slices.Clone(scopes[inTree+1:]), name), ".")
	place, known := places[path]
	if !known {
		return nil
	}
	if width, err := strconv.Atoi(arguments[1]); err != nil || width != d.probes[place].Width {
		return input.Errorf(fmt.Sprintf("expected %d", d.probes[place].Width), "%s bits of %s", input.Clip(arguments[1]), path)
	}
	delete(places, path)
	d.codes[arguments[2]] = append(d.codes[arguments[2]], place)
	return nil
}

// changes ranges over the changes of the probes. All begin with 0. Times are those of the first probe, which is the bench's
// count of cycles.
func (d *reader) changes() iter.Seq[rtl.Change] {
	return func(yield func(rtl.Change) bool) {
		for d.err == nil && d.words.Scan() {
			word := d.words.Text()
			switch word[0] {
			case '#':
				if !d.flush(yield) {
					return
				}
			case 'b', 'B':
				if !d.words.Scan() {
					d.err = input.Errorf("expected a code", "the file ends behind %q", input.Clip(word))
					return
				}
				d.set(d.words.Text(), word[1:])
			case '0', '1', 'x', 'X', 'z', 'Z':
				d.set(word[1:], word[:1])
			case '$':
				if word == "$comment" {
					d.arguments()
				}
			case 'r', 's':
				d.words.Scan() // a number or a text: no probe
			default:
				d.err = input.Errorf("expected a value or a time", "%q", input.Clip(word))
			}
		}
		if d.err == nil {
			d.err = d.words.Err()
		}
		d.flush(yield)
	}
}

// failure returns what went wrong in changes.
func (d *reader) failure() error { return d.err }

func (d *reader) set(code, value string) {
	for _, place := range d.codes[code] {
		width := d.probes[place].Width
		value = strings.ToLower(value)
		if len(value) > width || value == "" {
			d.err = input.Errorf(fmt.Sprintf("expected %d bits", width), "%q", input.Clip(value))
			return
		}
		fill := "0"
		if value[0] != '1' {
			fill = value[:1]
		}
		d.fresh[place] = strings.Repeat(fill, width-len(value)) + value
	}
}

// flush tells what changed at one time.
func (d *reader) flush(yield func(rtl.Change) bool) bool {
	for place, value := range d.fresh {
		if value == d.values[place] {
			delete(d.fresh, place)
		}
		d.values[place] = value
	}
	cycle, err := strconv.ParseInt(d.values[0], 2, 64)
	if err != nil {
		d.err = input.Errorf("expected a number", "cycle %s", d.values[0])
		return false
	}
	for _, place := range slices.Sorted(maps.Keys(d.fresh)) {
		if !yield(rtl.Change{Cycle: router.Cycle(cycle), Probe: place, Value: d.fresh[place]}) {
			return false
		}
	}
	clear(d.fresh)
	return true
}
