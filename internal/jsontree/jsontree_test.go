// SPDX-License-Identifier: Apache-2.0

package jsontree

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/input"
)

func TestParse(t *testing.T) {
	v, err := Parse("f", []byte("{\n \"a\": [1, \"x\",\n  {\"b\": true}],\n \"c\": null\n}\n"))
	require.NoError(t, err)
	require.Equal(t, 1, v.Line)
	a := v.Field("a")
	require.Equal(t, List, a.Kind)
	require.Equal(t, 2, a.Line)
	require.Equal(t, "1", a.Items[0].Text)
	require.Equal(t, 3, a.Items[2].Line)
	require.Equal(t, "true", a.Items[2].Field("b").Text)
	require.Equal(t, Null, v.Field("c").Kind)
	require.Nil(t, v.Field("d"))
}

func TestBadText(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"empty", "", "f:1: the file ends early (expected JSON)"},
		{"cut off", "{\n\"a\": [1,", "f:2: the file ends early (expected JSON)"},
		{"no JSON", "[1,\nx]", "f:2: invalid character 'x' looking for beginning of value (expected JSON)"},
		{"two values", "1\n2", "f:2: more behind the value (expected the end of the file)"},
		{"twice", `{"a":1,"a":2}`, `f:1: field "a" again (expected each field once)`},
		{"deep", strings.Repeat("[", 100), "f:1: deeper nesting (expected at most 64)"},
		{"very deep", strings.Repeat(`{"a":`, 1<<20), "f:1: deeper nesting (expected at most 64)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, err := Parse("f", []byte(row.text))
			require.EqualError(t, err, row.want)
		})
	}
}

func TestHas(t *testing.T) {
	for text, has := range map[string]bool{
		`{"a": 1}`: true, `{"b": [1, {"a": 2}], "a": 1}`: true, `{"a": broken`: true, `{"b": {"a": 1}}`: false, `["a"]`: false, `{"b": broken, "a": 1}`: false, ``: false, `{"b": "a"}`: false, `{"a"`: true,
	} {
		require.Equal(t, has, Has([]byte(text), "a"), text)
	}
}

func TestFields(t *testing.T) {
	v, err := Parse("f", []byte("{\"n\": 3,\n\"s\": \"x\"}"))
	require.NoError(t, err)
	n, err := v.Int("n", 0, 3)
	require.NoError(t, err)
	require.Equal(t, 3, n)
	_, err = v.Int("n", 0, 2)
	require.EqualError(t, err, `f:1: field "n": 3 (expected 0 to 2)`)
	_, err = v.Need("s", Number)
	require.EqualError(t, err, `f:2: field "s": a string (expected a number)`)
	_, err = v.Need("t", List)
	require.EqualError(t, err, `f:1: no field "t" (expected a list)`)
	_, err = v.Field("n").Need("t", List)
	require.EqualError(t, err, `f:1: a number (expected an object)`)
}

// The tree has what encoding/json reads, and refuses what it refuses.
func FuzzParse(f *testing.F) {
	f.Add(`{"a":[1,"x",{"b":true}],"c":null}`)
	f.Add(`[1e9,-0.5,"\u0041"]`)
	f.Add(`{"a":1,"a":2}`)
	f.Add("[\n[[[")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Parse("f", []byte(text))
		if err != nil {
			var fault *input.Error
			require.True(t, errors.As(err, &fault))
			require.NotContains(t, err.Error(), "\n")
			return
		}
		require.True(t, json.Valid([]byte(text)))
		require.LessOrEqual(t, v.Line, 1+strings.Count(text, "\n"))
	})
}
