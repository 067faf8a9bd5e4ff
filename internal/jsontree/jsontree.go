// SPDX-License-Identifier: Apache-2.0

// Package jsontree reads JSON as a tree whose values know their lines, so that errors can name
// them. Depth and size are bounded.
package jsontree

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"meshwright/internal/input"
)

// Kind is the kind of a value.
type Kind uint8

// The kinds of values.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Object
)

// String names a kind with its article.
func (k Kind) String() string {
	return [...]string{"null", "a truth value", "a number", "a string", "a list", "an object"}[k]
}

// Value is a value of a file.
type Value struct {
	Kind   Kind
	Text   string // of a string, a number, or a truth value
	Items  []Value
	Fields []Field
	Line   int
	file   string
}

// Field is a field of an object.
type Field struct {
	Name  string
	Value Value
}

// The bounds of a tree.
const (
	maxDepth  = 64
	maxValues = 1 << 24
)

// Parse reads a text; file is for errors, which are *input.Error.
func Parse(file string, text []byte) (*Value, error) {
	p := &parser{file: file, text: text, tokens: json.NewDecoder(bytes.NewReader(text)), line: 1}
	p.tokens.UseNumber()
	v, err := p.value(0)
	if err != nil {
		return nil, err
	}
	if _, err := p.tokens.Token(); err != io.EOF {
		p.here()
		return nil, p.fault("expected the end of the file", "more behind the value")
	}
	return &v, nil
}

// Has reports whether a text is an object with a field of some name, as far as that field: what comes behind it is not
// read.
func Has(text []byte, name string) bool {
	tokens := json.NewDecoder(bytes.NewReader(text))
	if begin, err := tokens.Token(); err != nil || begin != json.Delim('{') {
		return false
	}
	for tokens.More() {
		key, err := tokens.Token()
		if err != nil || key == name {
			return err == nil
		}
		var skipped json.RawMessage
		if tokens.Decode(&skipped) != nil {
			return false
		}
	}
	return false
}

// parser is the state of reading.
type parser struct {
	file   string
	text   []byte
	tokens *json.Decoder
	line   int // at offset
	offset int64
	values int
}

// here counts lines up to the last token.
func (p *parser) here() int {
	at := min(p.tokens.InputOffset(), int64(len(p.text)))
	p.line += bytes.Count(p.text[p.offset:at], []byte{'\n'})
	p.offset = at
	return p.line
}

func (p *parser) fault(want, format string, args ...any) error {
	return input.At(p.file, p.line, want, format, args...)
}

// token returns the next token.
func (p *parser) token() (json.Token, error) {
	token, err := p.tokens.Token()
	p.here()
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return token, nil
	case errors.As(err, &syntax):
		behind := p.text[p.offset:]
		p.line += bytes.Count(behind[:len(behind)-len(bytes.TrimLeft(behind, " \t\r\n,:"))], []byte{'\n'})
		return nil, p.fault("expected JSON", "%s", syntax.Error())
	case err == io.EOF || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, p.fault("expected JSON", "the file ends early")
	}
	return nil, p.fault("expected JSON", "%s", err)
}

// value reads the next value.
func (p *parser) value(depth int) (Value, error) {
	token, err := p.token()
	if err != nil {
		return Value{}, err
	}
	return p.from(token, depth)
}

// from reads the value that begins with a token.
func (p *parser) from(token json.Token, depth int) (Value, error) {
	v := Value{Line: p.line, file: p.file}
	if p.values++; p.values > maxValues {
		return v, p.fault(fmt.Sprintf("expected at most %d", maxValues), "more values")
	}
	switch t := token.(type) {
	case nil:
	case bool:
		v.Kind, v.Text = Bool, strconv.FormatBool(t)
	case json.Number:
		v.Kind, v.Text = Number, t.String()
	case string:
		v.Kind, v.Text = String, t
	case json.Delim:
		if depth == maxDepth {
			return v, p.fault(fmt.Sprintf("expected at most %d", maxDepth), "deeper nesting")
		}
		if t == '[' {
			v.Kind = List
			return v, p.list(&v, depth)
		}
		v.Kind = Object
		return v, p.object(&v, depth)
	}
	return v, nil
}

func (p *parser) list(v *Value, depth int) error {
	for p.tokens.More() {
		item, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		v.Items = append(v.Items, item)
	}
	_, err := p.token()
	return err
}

func (p *parser) object(v *Value, depth int) error {
	known := map[string]bool{}
	for p.tokens.More() {
		token, err := p.token()
		if err != nil {
			return err
		}
		name, ok := token.(string)
		if !ok {
			return p.fault("expected JSON", "a field without a name")
		}
		if known[name] {
			return p.fault("expected each field once", "field %q again", input.Clip(name))
		}
		known[name] = true
		value, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		v.Fields = append(v.Fields, Field{name, value})
	}
	_, err := p.token()
	return err
}

// Fault is an error at a value.
func (v *Value) Fault(want, format string, args ...any) error {
	return input.At(v.file, v.Line, want, format, args...)
}

// Field returns a field of an object, nil if there is none.
func (v *Value) Field(name string) *Value {
	for i := range v.Fields {
		if v.Fields[i].Name == name {
			return &v.Fields[i].Value
		}
	}
	return nil
}

// Need returns a field of some kind.
func (v *Value) Need(name string, kind Kind) (*Value, error) {
	if v.Kind != Object {
		return nil, v.Fault("expected an object", "%s", v.Kind)
	}
	field := v.Field(name)
	if field == nil {
		return nil, v.Fault(fmt.Sprintf("expected %s", kind), "no field %q", name)
	}
	if field.Kind != kind {
		return nil, field.Fault(fmt.Sprintf("expected %s", kind), "field %q: %s", name, field.Kind)
	}
	return field, nil
}

// Int returns a field that is a whole number within bounds.
func (v *Value) Int(name string, least, most int) (int, error) {
	field, err := v.Need(name, Number)
	if err != nil {
		return 0, err
	}
	n, err := field.Whole(least, most)
	if err != nil {
		return 0, field.Fault(fmt.Sprintf("expected %d to %d", least, most), "field %q: %s", name, input.Clip(field.Text))
	}
	return n, nil
}

// Whole returns a whole number within bounds.
func (v *Value) Whole(least, most int) (int, error) {
	n, err := strconv.Atoi(v.Text)
	if v.Kind != Number || err != nil || n < least || n > most {
		return 0, v.Fault(fmt.Sprintf("expected %d to %d", least, most), "%s", input.Clip(v.Text))
	}
	return n, nil
}
