// SPDX-License-Identifier: Apache-2.0

package main

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write docs/json.md, docs/options.md and the goldens of the help")

const jsonPath = "../../docs/json.md"

// jsonField is a field of a struct that becomes JSON.
type jsonField struct {
	name      string // in JSON; "" of an embedded struct
	goType    string
	omitEmpty bool
}

// sources parses the files of a folder that are no tests.
func sources(t *testing.T, dir string) []*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		files = append(files, file)
	}
	require.NotEmpty(t, files, dir)
	return files
}

// jsonStructs finds the structs with JSON names in a folder's sources, by name. Those without a
// name have that of the function that they are in.
func jsonStructs(t *testing.T, dir string) map[string][]jsonField {
	t.Helper()
	found := map[string][]jsonField{}
	for _, file := range sources(t, dir) {
		name := ""
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				name = n.Name.Name
			case *ast.TypeSpec:
				name = n.Name.Name
			case *ast.StructType:
				if fields := jsonFields(n); len(fields) > 0 {
					found[name] = append(found[name], fields...)
				}
			}
			return true
		})
	}
	return found
}

func jsonFields(s *ast.StructType) []jsonField {
	var fields []jsonField
	named := false
	for _, f := range s.Fields.List {
		field := jsonField{goType: typeText(f.Type)}
		if f.Tag != nil {
			tag, _ := strconv.Unquote(f.Tag.Value)
			name, options, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
			field.name, field.omitEmpty = name, strings.Contains(options, "omitempty")
			named = true
		}
		if field.name != "" || len(f.Names) == 0 {
			fields = append(fields, field)
		}
	}
	if !named {
		return nil
	}
	return fields
}

// typeText is a type as it is written.
func typeText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + typeText(e.X)
	case *ast.ArrayType:
		return "[]" + typeText(e.Elt)
	case *ast.SelectorExpr:
		return typeText(e.X) + "." + e.Sel.Name
	case *ast.MapType:
		return "map[" + typeText(e.Key) + "]" + typeText(e.Value)
	}
	return fmt.Sprintf("%T", e)
}

// A verb's JSON: a struct, or a list of them.
type jsonResult struct {
	verb, root string
	list       bool
}

var jsonResults = []jsonResult{
	{"run, import", "summary", false},
	{"import and run of an algorithm that does not do what it promises", "unsoundAnswer", false},
	{"import and run of a schedule of TE-CCL that cannot be carried out", "flowAnswer", false},
	{"run COLLECTIVE --algorithm list", "algorithmRow", true},
	{"check", "verdict", false},
	{"cosim", "cosimReport", false},
	{"list", "listing", false},
	{"version", "build", false},
	{"bench", "measurement", false},
	{"bench schedules", "schedulesReport", false},
	{"bench scoreboard", "scoreboardReport", false},
	{"deadlock", "deadlockAnswer", false},
	{"synth", "synthReport", false},
	{"mutate", "mutateReport", false},
	{"traffic", "trafficReport", false},
	{"sweep STUDY.yaml", "sweptReport", false},
	{"sweep STUDY.yaml --on slurm", "submittedReport", false},
	{"sweep STUDY.yaml --on slurm --status", "tasksReport", false},
	{"report", "document", false},
	{"report --compare", "comparedReport", false},
	{"sweep faults", "campaignReport", false},
	{"sweep around", "aroundReport", false},
	{"plan COLLECTIVE", "planReport", false},
	{"plan COLLECTIVE --sizes", "planReport", true},
	{"plan bound", "boundReport", false},
	{"plan packets --distance", "packetAnswer", false},
	{"plan packets --nodes", "groupAnswer", false},
	{"plan order", "orderAnswer", false},
	{"plan distance", "distances", false},
	{"plan trees", "treeRow", true},
	{"plan covers", "coverRow", true},
	{"plan certification", "gainRow", true},
	{"plan timetables", "timetableRow", true},
	{"plan formulas", "formulaAnswer", true},
	{"plan star", "starRow", true},
	{"plan tolerance", "toleranceRow", true},
}

// jsonTypes are the JSON types of Go types that are not structs with JSON names.
var jsonTypes = map[string]string{
	"string": "string", "bool": "boolean", "int": "integer", "int32": "integer", "int64": "integer", "uint64": "integer", "float64": "number",
	"router.Cycle": "integer", "duration": "number", "quotient": "number or null", "json.RawMessage": "number",
	"machine.Switching": "string", "collective.OptionType": "string", "study.Source": "string", "question.Best": "string", "traffic.Cause": "string", "contest.How": "string", "bound.Proof": "string", "map[string]string": "object of strings", "map[string]any": "object",
	"point.Figure": "number or string",
}

// reference writes the table of every verb.
type reference struct {
	t       *testing.T
	structs map[string][]jsonField
	used    map[string]bool // meanings
	seen    map[string]bool // structs
	b       strings.Builder
}

// meaning returns unit and meaning of a field: of the struct, or of all structs.
func (r *reference) meaning(in, name string) (unit, text string) {
	for _, key := range []string{in + "." + name, "*." + name} {
		if m, ok := jsonMeanings[key]; ok {
			r.used[key] = true
			unit, text, _ = strings.Cut(m, "|")
			return unit, text
		}
	}
	assert.Fail(r.t, "a field without a description", "%s.%s: add it to jsonMeanings", in, name)
	return "", ""
}

// rows writes the fields of a struct, and the fields of the structs in it.
func (r *reference) rows(in, prefix string) { r.rowsWhen(in, prefix, "") }

// rowsWhen adds to the meaning of each field that is always in the struct when the struct is there.
func (r *reference) rowsWhen(in, prefix, when string) {
	r.seen[in] = true
	for _, f := range r.structs[in] {
		if f.name == "" {
			r.rowsWhen(strings.TrimPrefix(f.goType, "*"), prefix, jsonParts[f.goType])
			continue
		}
		inner, path := f.goType, prefix+f.name
		kind, isList := "", false
		if rest, ok := strings.CutPrefix(inner, "[]"); ok {
			inner, isList = rest, true
		}
		bare := strings.TrimPrefix(inner, "*")
		_, isStruct := r.structs[bare]
		switch {
		case isStruct:
			kind = "object"
		default:
			kind = jsonTypes[bare]
			require.NotEmpty(r.t, kind, "%s.%s: no JSON type for %s", in, f.name, bare)
		}
		switch {
		case isList:
			kind, path = "list of "+kind+"s", path+"[]"
		case strings.HasPrefix(inner, "*") && !f.omitEmpty:
			kind += " or null"
		}
		unit, text := r.meaning(in, f.name)
		if f.omitEmpty {
			text += leftOut(kind, strings.HasPrefix(inner, "*"))
		} else {
			text += when
		}
		fmt.Fprintf(&r.b, "| `%s` | %s | %s | %s |\n", path, kind, unit, text)
		if isStruct {
			r.rows(bare, path+".")
		}
	}
}

// jsonParts says of embedded structs that may be missing when their fields are there.
var jsonParts = map[string]string{"*packetFacts": " Only on store-forward and cut-through machines."}

// leftOut says when a field is not there.
func leftOut(kind string, pointer bool) string {
	switch {
	case pointer:
	case kind == "boolean":
		return " Left out when false."
	case kind == "integer":
		return " Left out when 0."
	}
	return " Left out when there is none."
}

const jsonColumns = "| field | type | unit | meaning |\n|---|---|---|---|\n"

// factKeys finds the keys of the facts in a folder's sources.
func factKeys(t *testing.T, dir, typeName string) map[string]bool {
	t.Helper()
	keys := map[string]bool{}
	note := func(e ast.Expr) {
		lit, ok := e.(*ast.CompositeLit)
		if !ok || len(lit.Elts) == 0 {
			return
		}
		first := lit.Elts[0]
		if named, ok := first.(*ast.KeyValueExpr); ok {
			first = named.Value
		}
		switch key := first.(type) {
		case *ast.BasicLit:
			if name, _ := strconv.Unquote(key.Value); name != "" { // of tables alone
				keys[name] = true
			}
		case *ast.BinaryExpr: // an order's name and _first
			require.Equal(t, `order + "_first"`, typeText(key.X)+" + "+key.Y.(*ast.BasicLit).Value)
			keys["furthest_first"], keys["nearest_first"] = true, true
		}
	}
	for _, file := range sources(t, dir) {
		ast.Inspect(file, func(n ast.Node) bool {
			lit, ok := n.(*ast.CompositeLit)
			if !ok || lit.Type == nil {
				return true
			}
			element, isList := strings.CutPrefix(typeText(lit.Type), "[]")
			if element[strings.LastIndex(element, ".")+1:] != typeName {
				return true
			}
			if !isList {
				note(lit)
				return true
			}
			for _, e := range lit.Elts {
				note(e)
			}
			return true
		})
	}
	return keys
}

// The reference of all JSON fields is generated from the structs, and no field is without a
// description.
func TestJSONReference(t *testing.T) {
	r := &reference{t: t, structs: jsonStructs(t, "."), used: map[string]bool{}, seen: map[string]bool{}}
	for name, fields := range jsonStructs(t, "../../study/tables") {
		require.NotContains(t, r.structs, name)
		r.structs[name] = fields
	}
	r.b.WriteString(jsonHeader)
	for _, result := range jsonResults {
		fmt.Fprintf(&r.b, "\n## %s\n\n", result.verb)
		if result.list {
			r.b.WriteString("A list of:\n\n")
		}
		r.b.WriteString(jsonColumns)
		require.Contains(t, r.structs, result.root)
		r.rows(result.root, "")
	}
	r.facts()
	for name := range r.structs {
		require.True(t, r.seen[name], "%s has JSON names, and no verb prints it: add it to jsonResults", name)
	}
	for key := range jsonMeanings {
		require.True(t, r.used[key], "%s is described, and does not exist", key)
	}
	if *update {
		require.NoError(t, os.WriteFile(jsonPath, []byte(r.b.String()), 0o644))
	}
	kept, err := os.ReadFile(jsonPath)
	require.NoError(t, err)
	require.True(t, r.b.String() == string(kept), "docs/json.md is not that of the structs: run go test ./cmd/meshwright -run TestJSONReference -update")
}

// packagesBelow lists the folders below dir that hold Go sources.
func packagesBelow(t *testing.T, dir string) []string {
	t.Helper()
	var found []string
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() {
			return err
		}
		names, err := filepath.Glob(filepath.Join(path, "*.go"))
		if len(names) > 0 {
			found = append(found, path)
		}
		return err
	}))
	return found
}

// facts writes the fields that only some algorithms have.
func (r *reference) facts() {
	keys := map[string]bool{}
	for _, dir := range packagesBelow(r.t, "../../firmware") {
		maps.Copy(keys, factKeys(r.t, dir, "Fact"))
	}
	require.Greater(r.t, len(keys), 20)
	own := factKeys(r.t, ".", "fact")
	require.Greater(r.t, len(own), 10)
	maps.Copy(keys, own)
	for _, key := range factParts {
		keys[key] = true
	}
	r.b.WriteString("\n## Fields that only some algorithms and files have\n\nIn the JSON of run and import, behind all others.\n\n" + jsonColumns)
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		unit, text := r.meaning("fact", key)
		kind, text, _ := strings.Cut(text, "|")
		of, isList := factLists[key]
		if isList {
			key += "[]"
		}
		fmt.Fprintf(&r.b, "| `%s` | %s | %s | %s |\n", key, kind, unit, text)
		if isList {
			r.rows(of, key+".")
		}
	}
}

// factLists are the structs in the facts that are lists of objects.
var factLists = map[string]string{"hottest_links": "hottest", "collective_times": "span", "programs": "programShare"}

// factParts are the fields of facts that are objects.
var factParts = []string{"meant_for_bytes.min", "meant_for_bytes.max"}
