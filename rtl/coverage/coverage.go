// SPDX-License-Identifier: Apache-2.0

// Package coverage counts which lines, branches and toggles of the library the vectors of an export reach, with
// Verilator, and says which vectors reach most in the fewest cycles.
//
// An exported design is compiled once, with a bench that is large enough for all vectors.
package coverage

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"meshwright/internal/progress"
	"meshwright/rtl/sim"
	"meshwright/rtl/tool"
)

// Kind is a kind of points.
type Kind string

// The kinds: statements that run, arms of an if or case that are taken, bits that change.
const (
	Line   Kind = "line"
	Branch Kind = "branch"
	Toggle Kind = "toggle"
)

// Point is a place that vectors reach or do not, the same one in all chips and with all parameters.
type Point struct {
	Kind         Kind
	File         string // lib/NAME.v
	Line, Column int
	Name         string // the bit that changes, or the arm
}

// String is the place.
func (p Point) String() string { return fmt.Sprintf("%s:%d.%d", p.File, p.Line, p.Column) }

// Points are all points of a design, with those that vectors reach.
type Points map[Point]bool

// Vectors are the vectors in a folder.
type Vectors struct {
	Dir    string
	Cycles int // of them, those to compare: the first ones
}

// vectorFiles are the files of vectors, and the parameter of the bench that has the lines of each.
var vectorFiles = map[string]string{"stimuli.mem": "Stimuli", "events.mem": "Events", "levels.mem": "Levels"}

// folder is where the design is built, below the folder of New.
const folder = "coverage"

// Find returns a *tool.Missing if Verilator is missing or too old.
func Find(ctx context.Context) error { return sim.Find(ctx, sim.Verilator) }

// Measure runs each of the vectors and returns what it reaches. The exported design is in a folder, the files that it builds
// are in a folder below scratch. The design must pass.
func Measure(ctx context.Context, design, scratch string, list []Vectors) ([]Points, error) {
	dir := filepath.Join(scratch, folder)
	if err := copyDesign(design, dir); err != nil {
		return nil, err
	}
	lines, err := enlarge(filepath.Join(dir, "bench.v"), list)
	if err != nil {
		return nil, err
	}
	skipped, err := functions(dir)
	if err != nil {
		return nil, err
	}
	phase := progress.Begin(ctx, "count lines, branches and toggles", len(list))
	defer phase.End()
	points := make([]Points, len(list))
	for i, v := range list {
		if points[i], err = measure(ctx, dir, v, lines, skipped); err != nil {
			return nil, err
		}
		phase.Set(i+1, len(list))
	}
	return points, nil
}

// copyDesign copies an export without what was built in it.
func copyDesign(from, to string) error {
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o777); err != nil {
		return err
	}
	for _, e := range entries {
		there, here := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		switch {
		case e.Name() == "build":
		case e.IsDir():
			err = os.CopyFS(here, os.DirFS(there))
		default:
			err = copyFile(there, here)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func copyFile(from, to string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, text, 0o666)
}

// enlarge gives the bench room for all vectors, and returns how many lines each file must have then.
func enlarge(path string, list []Vectors) (map[string]int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	sizes := map[string]int{}
	for _, v := range list {
		sizes["Cycles"] = max(sizes["Cycles"], v.Cycles)
		for name, parameter := range vectorFiles {
			vectors, err := os.ReadFile(filepath.Join(v.Dir, name))
			if err != nil {
				return nil, err
			}
			sizes[parameter] = max(sizes[parameter], strings.Count(string(vectors), "\n"))
		}
	}
	for parameter, size := range sizes {
		setting := regexp.MustCompile(`(\.` + parameter + ` *)\(\d+\)`)
		text = setting.ReplaceAll(text, fmt.Appendf(nil, "${1}(%d)", size))
	}
	lines := map[string]int{}
	for name, parameter := range vectorFiles {
		lines[name] = sizes[parameter]
	}
	return lines, os.WriteFile(path, text, 0o666)
}

// fill copies a file of vectors, and repeats its last line, behind which the bench reads nothing, up to a number of lines.
func fill(from, to string, lines int) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	last := text[bytes.LastIndexByte(bytes.TrimSuffix(text, []byte("\n")), '\n')+1:]
	text = append(text, bytes.Repeat(last, lines-bytes.Count(text, []byte("\n")))...)
	return os.WriteFile(to, text, 0o666)
}

// measure runs the bench, whose files have so many lines, with some vectors.
func measure(ctx context.Context, dir string, v Vectors, lines map[string]int, skipped map[string]bool) (Points, error) {
	for name, count := range lines {
		if err := fill(filepath.Join(v.Dir, name), filepath.Join(dir, name), count); err != nil {
			return nil, err
		}
	}
	text, err := tool.Output(ctx, filepath.Join(dir, "build"), "make", "-s", "verilator", "COVERAGE=1", "LAST="+strconv.Itoa(v.Cycles))
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("verilator: the bench did not pass: %s", tool.LastLines(string(text), 3))
	}
	return read(filepath.Join(dir, "build", "coverage.dat"), skipped)
}

// read reads what Verilator wrote: a line for each point, C 'fields' count. A field is \x01 name \x02 value.
func read(path string, skipped map[string]bool) (Points, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	points := Points{}
	lines := bufio.NewScanner(f)
	for number := 1; lines.Scan(); number++ {
		text, found := strings.CutPrefix(lines.Text(), "C '")
		if !found {
			continue
		}
		at := strings.LastIndex(text, "' ")
		if at < 0 {
			return nil, fmt.Errorf("%s:%d: expected C 'POINT' COUNT", path, number)
		}
		count, err := strconv.ParseUint(text[at+2:], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, number, err)
		}
		if p, ok := pointOf(text[:at]); ok && !skipped[fmt.Sprintf("%s:%d", p.File, p.Line)] {
			points[p] = points[p] || count > 0
		}
	}
	return points, lines.Err()
}

// pointOf reads the fields of a point; false if it does not count.
func pointOf(text string) (Point, bool) {
	value := map[string]string{}
	for field := range strings.SplitSeq(text, "\x01") {
		name, is, _ := strings.Cut(field, "\x02")
		value[name] = is
	}
	kind, _, _ := strings.Cut(strings.TrimPrefix(value["page"], "v_"), "/")
	line, err := strconv.Atoi(value["l"])
	column, bad := strconv.Atoi(value["n"])
	p := Point{Kind: Kind(kind), File: value["f"], Line: line, Column: column, Name: value["o"]}
	return p, errors.Join(err, bad) == nil && strings.HasPrefix(p.File, "lib/") && p.File != "lib/rule.v"
}

// functions lists the lines of the library's functions, FILE:LINE: they are computed while a design is compiled.
func functions(dir string) (map[string]bool, error) {
	files, err := filepath.Glob(filepath.Join(dir, "lib", "*.v"))
	if err != nil {
		return nil, err
	}
	skipped := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		inside, number := false, 0
		for line := range strings.Lines(string(text)) {
			number++
			word := strings.TrimSpace(line)
			inside = inside || strings.HasPrefix(word, "function ")
			if inside {
				skipped[fmt.Sprintf("lib/%s:%d", filepath.Base(file), number)] = true
			}
			inside = inside && word != "endfunction"
		}
	}
	return skipped, nil
}
