// SPDX-License-Identifier: Apache-2.0

// Package yamltext reads the YAML files that users write. Its errors name the line.
package yamltext

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"meshwright/internal/input"
)

// Parse returns the only document of a text; name is for errors, which are *input.Error. What is a word for the content,
// and want says what a file should have.
func Parse(name string, text []byte, what, content, want string) (*yaml.Node, error) {
	if line := binaryLine(text); line > 0 {
		return nil, input.At(name, line, want, "not a text")
	}
	var doc, more yaml.Node
	documents := yaml.NewDecoder(bytes.NewReader(text))
	if err := documents.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, input.At(name, 0, want, "no %s", content)
	} else if err != nil {
		return nil, yamlError(name, text, err)
	}
	if err := documents.Decode(&more); err == nil {
		return nil, input.At(name, more.Line, "expected one "+what+" a file", "a second document")
	} else if !errors.Is(err, io.EOF) {
		return nil, yamlError(name, text, err)
	}
	return doc.Content[0], nil
}

// binaryLine returns the first line with bytes that no text has, or 0.
func binaryLine(text []byte) int {
	for i, line := range bytes.Split(text, []byte{'\n'}) {
		control := bytes.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) && r != '\t' && r != '\r' })
		if control || !utf8.Valid(line) {
			return i + 1
		}
	}
	return 0
}

// grammarError matches the reader's errors whose lines count from 0.
var grammarError = regexp.MustCompile(`^did not find expected ('[-,]'|<|key|node content)|^found (duplicate|incompatible|undefined)`)

// yamlError moves the line that the YAML reader found to where all errors have
// it. The reader leaves out the first one's number.
func yamlError(name string, file []byte, err error) error {
	text := strings.ReplaceAll(strings.TrimPrefix(err.Error(), "yaml: "), "\n", " ")
	line := 1
	if n, _ := fmt.Sscanf(text, "line %d: ", &line); n == 1 {
		_, text, _ = strings.Cut(text, ": ")
		if grammarError.MatchString(text) {
			line = min(line+1, 1+bytes.Count(bytes.TrimRight(file, "\n"), []byte{'\n'}))
		}
	}
	if strings.Contains(text, "tab character") || strings.Contains(text, noToken) {
		if fault := tabError(name, file, line); fault != nil {
			return fault
		}
	}
	if strings.Contains(text, noToken) {
		return input.At(name, line, "expected quotes around a text that begins with @, % or `", "%s", text)
	}
	want := ""
	if !strings.Contains(text, " expected ") {
		want = "expected YAML, such as key: value"
	}
	return input.At(name, line, want, "%s", text)
}

// noToken is in the reader's error about a character that begins nothing.
const noToken = "cannot start any token"

// tabError is the error of the first tab in an indentation, from a line on; nil if there is none.
func tabError(name string, file []byte, line int) error {
	lines := strings.Split(string(file), "\n")
	for ; line >= 1 && line <= len(lines); line++ {
		text := strings.TrimRight(lines[line-1], "\r")
		indentation := text[:len(text)-len(strings.TrimLeft(text, " \t"))]
		if tab := strings.IndexByte(indentation, '\t'); tab >= 0 {
			fault := input.At(name, line, "expected blanks", "a tab character in the indentation")
			fault.Column = tab + 1
			return fault
		}
	}
	return nil
}
