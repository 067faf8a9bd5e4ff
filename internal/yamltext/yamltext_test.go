// SPDX-License-Identifier: Apache-2.0

package yamltext_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/yamltext"
)

// Errors of the reader name the line in which they are, or in which the list or mapping begins.
func TestLinesOfErrors(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"a: [1\n", "f.yaml:1: did not find expected ',' or ']'"},
		{"a: 1\nb: [1\n", "f.yaml:2: did not find expected ',' or ']'"},
		{"a: 1\nb: 2\nc: {d: 1\n", "f.yaml:3: did not find expected ',' or '}'"},
		{"a: 1\nb:\n  c: 1\n d: 2\n", "f.yaml:4: did not find expected key"},
		{"a: 1\nb: [}\n", "f.yaml:2: did not find expected node content"},
		{"a: 1\nb: c: d\n", "f.yaml:2: mapping values are not allowed in this context (expected YAML, such as key: value)"},
		{"a: 1\n\tb: 2\n", "f.yaml:2:1: a tab character in the indentation (expected blanks)"},
		{"a:\n\tb: [1]\n", "f.yaml:2:1: a tab character in the indentation (expected blanks)"},
		{"a:\n  - 1\n \t- 2\n", "f.yaml:3:2: a tab character in the indentation (expected blanks)"},
		{"a: 1\nb:\t@c\n", "f.yaml:2: found character that cannot start any token (expected quotes around a text that begins with @, % or `)"},
		{"a: 1\nb: \"c\n", "f.yaml:2: found unexpected end of stream (expected YAML, such as key: value)"},
	} {
		_, err := yamltext.Parse("f.yaml", []byte(row.text), "study", "keys", "keys")
		require.EqualError(t, err, row.want, row.text)
	}
}
