// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	"fmt"
	"hash/fnv"
	"reflect"

	"meshwright/internal/input"
)

// layout is how the values of a type are kept.
type layout struct {
	of    reflect.Type
	plain bool   // its memory is its value: neither padding nor pointers nor bools
	parts []part // what is kept, in rising order
	print uint64 // two types have the same print only if their values are kept alike
}

// part is a piece of a value that is kept in one way.
type part struct {
	kind   kind
	offset uintptr
	size   uintptr      // of a copy: bytes
	of     reflect.Type // of the field
	name   string       // of the field, for errors
}

// kind is a way to keep a part.
type kind uint8

const (
	copied    kind = iota // numbers, as they are in memory
	truth                 // a bool
	text                  // a string
	array                 // an array whose elements are not plain
	list                  // a slice
	table                 // a map
	reference             // a pointer to a struct
	holder                // an interface
	own                   // a keeper
	fixed                 // in digests only
)

// unsupported is a part of a value that has no form in a file.
type unsupported struct{ Field, Why string }

// Error names the field.
func (u *unsupported) Error() string { return "the state of " + u.Field + " cannot be kept: " + u.Why }

// fault is the error as users get it.
func (u *unsupported) fault() *input.Error {
	return input.Errorf("expected a component of plain fields, or the tag snapshot", "%v", u)
}

// layouts are the layouts of the types that a walk has met.
type layouts map[reflect.Type]*layout

var keeperType = reflect.TypeFor[keeper]()

// layoutOf returns the layout of a type.
func (l layouts) layoutOf(t reflect.Type) (*layout, error) {
	if known := l[t]; known != nil {
		return known, nil
	}
	made := &layout{of: t}
	if err := made.add(t, 0, t.String()); err != nil {
		return nil, err
	}
	made.plain = len(made.parts) == 1 && made.parts[0].kind == copied && made.parts[0].size == t.Size()
	hash := fnv.New64a()
	describe(hash, t, map[reflect.Type]bool{})
	made.print = hash.Sum64()
	l[t] = made
	return made, nil
}

// add adds the parts of a value of type t at an offset.
func (l *layout) add(t reflect.Type, offset uintptr, name string) error {
	one := func(k kind) error {
		l.parts = append(l.parts, part{kind: k, offset: offset, size: t.Size(), of: t, name: name})
		return nil
	}
	if reflect.PointerTo(t).Implements(keeperType) && t.Kind() == reflect.Struct {
		return one(own)
	}
	switch t.Kind() {
	case reflect.Bool:
		return one(truth)
	case reflect.String:
		return one(text)
	case reflect.Slice:
		return one(list)
	case reflect.Interface:
		return one(holder)
	case reflect.Map:
		return one(table)
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Struct {
			return one(reference)
		}
	case reflect.Array:
		return l.addArray(t, offset, name)
	case reflect.Struct:
		return l.addFields(t, offset, name)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Float32, reflect.Float64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		if n := len(l.parts); n > 0 && l.parts[n-1].kind == copied && l.parts[n-1].offset+l.parts[n-1].size == offset {
			l.parts[n-1].size += t.Size()
			return nil
		}
		return one(copied)
	}
	return &unsupported{name, fmt.Sprintf("it is a %s", t.Kind())}
}

func (l *layout) addArray(t reflect.Type, offset uintptr, name string) error {
	element := layout{of: t.Elem()}
	if err := element.add(t.Elem(), 0, name); err != nil {
		return err
	}
	if len(element.parts) == 1 && element.parts[0].kind == copied && element.parts[0].size == t.Elem().Size() {
		l.parts = append(l.parts, part{kind: copied, offset: offset, size: t.Size(), of: t, name: name})
		return nil
	}
	l.parts = append(l.parts, part{kind: array, offset: offset, size: t.Size(), of: t, name: name})
	return nil
}

func (l *layout) addFields(t reflect.Type, offset uintptr, name string) error {
	for i := range t.NumField() {
		f := t.Field(i)
		at, field := offset+f.Offset, name+"."+f.Name
		switch f.Tag.Get("snapshot") {
		case "-":
		case "start":
			l.parts = append(l.parts, part{kind: fixed, offset: at, size: f.Type.Size(), of: f.Type, name: field})
		default:
			if f.Name == "_" || f.Type.Size() == 0 {
				continue
			}
			if err := l.add(f.Type, at, field); err != nil {
				return err
			}
		}
	}
	return nil
}

// describe writes the form of a type: the names and places of what is kept, down to
// numbers. Types that are being described already are named only.
func describe(w interface{ Write([]byte) (int, error) }, t reflect.Type, above map[reflect.Type]bool) {
	fmt.Fprintf(w, "%s %s %d{", t.String(), t.Kind(), t.Size())
	defer fmt.Fprint(w, "}")
	if above[t] {
		return
	}
	above[t] = true
	defer delete(above, t)
	switch t.Kind() {
	case reflect.Map:
		describe(w, t.Key(), above)
		describe(w, t.Elem(), above)
	case reflect.Slice, reflect.Array, reflect.Pointer:
		describe(w, t.Elem(), above)
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			if f.Tag.Get("snapshot") == "" {
				fmt.Fprintf(w, "%s@%d ", f.Name, f.Offset)
				describe(w, f.Type, above)
			}
		}
	}
}
