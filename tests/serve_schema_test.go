// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// jsonSchema judges values by a JSON schema (draft 2020-12), as far as the server's schema uses the language.
type jsonSchema struct{ whole map[string]any }

// faults lists what a value has against a schema.
func (s jsonSchema) faults(schema map[string]any, v any) (list []string) {
	for keyword, of := range schema {
		if !s.holds(keyword, of, schema, v) {
			list = append(list, fmt.Sprintf("%s %v: %v", keyword, of, v))
		}
	}
	return list
}

func (s jsonSchema) fits(schema any, v any) bool {
	return len(s.faults(schema.(map[string]any), v)) == 0
}

// count is how many of some schemas a value fits.
func (s jsonSchema) count(schemas any, v any) (fitting int) {
	for _, schema := range schemas.([]any) {
		if s.fits(schema, v) {
			fitting++
		}
	}
	return fitting
}

// holds judges one keyword. Keywords of objects, lists and strings say nothing of other values.
func (s jsonSchema) holds(keyword string, of any, schema map[string]any, v any) bool {
	object, _ := v.(map[string]any)
	switch keyword {
	case "$schema", "$defs", "title", "description":
		return true
	case "$ref":
		name := strings.TrimPrefix(of.(string), "#/$defs/")
		return s.fits(s.whole["$defs"].(map[string]any)[name], v)
	case "oneOf":
		return s.count(of, v) == 1
	case "anyOf":
		return s.count(of, v) > 0
	case "not":
		return !s.fits(of, v)
	case "enum":
		return slices.Contains(of.([]any), v)
	case "type":
		names, several := of.([]any)
		if !several {
			names = []any{of}
		}
		return slices.ContainsFunc(names, func(name any) bool { return isOfType(name.(string), v) })
	case "pattern":
		text, isText := v.(string)
		return !isText || regexp.MustCompile(of.(string)).MatchString(text)
	case "items":
		list, _ := v.([]any)
		return !slices.ContainsFunc(list, func(item any) bool { return !s.fits(of, item) })
	case "required":
		return object == nil || !slices.ContainsFunc(of.([]any), func(name any) bool { _, there := object[name.(string)]; return !there })
	case "properties", "additionalProperties", "propertyNames":
		return s.fields(keyword, of, schema, object)
	}
	return false // a keyword that is not known must not pass
}

// fields judges the keywords that go through the fields of an object.
func (s jsonSchema) fields(keyword string, of any, schema, object map[string]any) bool {
	declared, _ := schema["properties"].(map[string]any)
	for name, value := range object {
		property, isDeclared := declared[name]
		switch {
		case keyword == "propertyNames" && !s.fits(of, name),
			keyword == "properties" && isDeclared && !s.fits(property, value),
			keyword == "additionalProperties" && !isDeclared && (of == false || !s.fits(of, value)):
			return false
		}
	}
	return true
}

func isOfType(name string, v any) bool {
	switch v := v.(type) {
	case string:
		return name == "string"
	case float64:
		return name == "number" || name == "integer" && v == float64(int64(v))
	case bool:
		return name == "boolean"
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	return name == "null"
}

// served starts a server and returns its address; it ends with the test.
func served(t *testing.T, flags ...string) string {
	cmd := exec.Command(binary, append([]string{"serve"}, flags...)...)
	lines, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(lines).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimPrefix(strings.TrimSpace(line), "serving ")
}

// valueOf reads the body of an answer.
func valueOf(t *testing.T, reply *http.Response, err error) any {
	require.NoError(t, err)
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	require.NoError(t, err)
	var v any
	require.NoError(t, json.Unmarshal(text, &v), string(text))
	return v
}

// What a server answers is in the form of its schema, and it takes the requests that the schema allows.
func TestServedSchema(t *testing.T) {
	t.Parallel()
	address := served(t, "--listen", "127.0.0.1:0")
	ask := func(path string) any {
		reply, err := http.Get(address + path)
		return valueOf(t, reply, err)
	}
	schema := jsonSchema{ask("/schema").(map[string]any)}
	kinds := schema.whole["$defs"].(map[string]any)
	requireFits := func(kind string, v any, of string) {
		require.Empty(t, schema.faults(kinds[kind].(map[string]any), v), of)
		require.Empty(t, schema.faults(schema.whole, v), of)
	}
	requireFits("version", ask("/version"), "version")
	requireFits("failure", ask("/nothing"), "nothing")
	const collide = `"files": {"s.csv": "message,source,destination,flits,dispatch\n0,0,2,4,0\n1,1,2,4,0\n"}`
	for _, row := range []struct {
		verb, body, kind string
		form             bool   // the schema allows the body
		field            string // of the result; of a failure its kind
	}{
		{"run", `{"arguments": ["gossip"], "options": {"topology": "mesh:2x2", "length": 2, "trace": ["a.csv", "b.svg"]}, "return": ["a.csv"]}`, "answer", true, "cycles"},
		{"run", `{"arguments": ["gossip"], "options": {"topology": "mesh:2x2", "trace": ["c/a.csv", "b.pftrace"]}, "files": {"c/x": {"base64": "/w=="}}, "return": "all"}`, "answer", true, "cycles"},
		{"run", `{"arguments": ["x.s"], "options": {"topology": "mesh:2x2"}, "files": {"x.s": "one\ntwo\n"}}`, "failure", true, "input"},
		{"check", `{"arguments": ["s.csv"], "options": {"topology": "path:3", "machine": "bufferless"}, ` + collide + `}`, "answer", true, "collisions"},
		{"plan", `{"arguments": ["scatter"], "options": {"topology": "path:3", "keys": "none"}}`, "answer", true, "lower_bound"},
		{"plan", `{"arguments": ["bound", "gossip"], "options": {"topology": "torus:4x4"}}`, "answer", true, "lower_bound_by"},
		{"deadlock", `{"options": {"topology": "ring:4", "machine": "wormhole"}}`, "answer", true, "deadlock_free"},
		{"version", `{}`, "answer", true, "release"},
		{"list", `{"arguments": ["collectives"]}`, "answer", true, "collectives"},
		{"run", `{"arguments": ["gossip"], "options": {"topology": "mash:2x2"}}`, "failure", true, "input"},
		{"run", `{"arguments": ["gossip"], "options": {"nonsense": true}}`, "failure", true, "input"},
		{"check", `{"arguments": ["absent.csv"], "options": {"topology": "path:3"}}`, "failure", true, "input"},
		{"plan", `{"arguments": ["broadcasts"], "options": {"topology": "path:3"}}`, "failure", true, "input"},
		{"run", `{"arguments": ["gather"], "return": ["absent"]}`, "failure", true, "input"},
		{"run", `{"arguments": ["/etc/passwd"]}`, "failure", true, "request"},
		{"bench", `{}`, "failure", true, "request"},
		{"run", `{"arguments": "gather"}`, "failure", false, "request"},
		{"run", `{"Arguments": ["gather"]}`, "failure", false, "request"},
		{"run", `{"arguments": ["gather", null]}`, "failure", false, "request"},
		{"run", `{"arguments": ["gather", 1]}`, "failure", false, "request"},
		{"run", `{"options": {"topology": {"a": 1}}}`, "failure", false, "request"},
		{"run", `{"options": {"topology": null}}`, "failure", false, "request"},
		{"run", `{"options": {"topology": [["a"]]}}`, "failure", false, "request"},
		{"run", `{"options": {"Topology": "mesh:2x2"}}`, "failure", false, "request"},
		{"run", `{"options": {"memory": "1G"}}`, "failure", false, "request"},
		{"run", `{"files": {"../x": ""}}`, "failure", false, "request"},
		{"run", `{"files": {"x": 1}}`, "failure", false, "request"},
		{"run", `{"return": ["../b"]}`, "failure", false, "request"},
		{"run", `{"return": "some"}`, "failure", false, "request"},
		{"run", `{"files": {"x": {"base64": 1}}}`, "failure", false, "request"},
		{"run", `{"files": {"x": {"base64": "AA==", "more": 1}}}`, "failure", false, "request"},
		{"run", `{"files": {"a//b": ""}}`, "failure", false, "request"},
		{"run", `{"files": null}`, "failure", false, "request"},
		{"run", `{"more": 1}`, "failure", false, "request"},
		{"run", `null`, "failure", false, "request"},
		{"run", `[]`, "failure", false, "request"},
	} {
		var body any
		require.NoError(t, json.Unmarshal([]byte(row.body), &body))
		require.Equal(t, row.form, schema.fits(kinds["request"], body), row.body)
		reply, err := http.Post(address+"/"+row.verb, "application/json", strings.NewReader(row.body))
		v := valueOf(t, reply, err)
		requireFits(row.kind, v, row.body)
		if row.kind == "answer" {
			require.Contains(t, v.(map[string]any)["result"], row.field, row.body)
		} else {
			require.Equal(t, row.field, v.(map[string]any)["error"].(map[string]any)["kind"], "%s: %v", row.body, v)
		}
	}
}
