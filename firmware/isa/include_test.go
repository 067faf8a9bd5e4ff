// SPDX-License-Identifier: Apache-2.0

package isa

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// filesOf makes files of a text: a line "-- name --" begins each.
func filesOf(text string) fstest.MapFS {
	files := fstest.MapFS{}
	parts := regexp.MustCompile(`(?m)^-- (.*) --\n`).FindAllStringSubmatchIndex(text, -1)
	for k, at := range parts {
		end := len(text)
		if k+1 < len(parts) {
			end = parts[k+1][0]
		}
		files[text[at[2]:at[3]]] = &fstest.MapFile{Data: []byte(text[at[1]:end])}
	}
	return files
}

func TestIncludedLinesStandInTheirPlace(t *testing.T) {
	for _, row := range []struct{ name, files, words string }{
		{"one file", "-- t.s --\nnow r1\n.include \"a.s\"\nhalt\n-- a.s --\nwait r1\n", "now r1\nwait r1\nhalt"},
		{"no end of line", "-- t.s --\n.include \"a.s\"\nhalt\n-- a.s --\nwait r1", "wait r1\nhalt"},
		{"empty file", "-- t.s --\n.include \"a.s\"\nhalt\n-- a.s --\n", "halt"},
		{"twice", "-- t.s --\n.include \"a.s\"\n.include \"a.s\"\n-- a.s --\nnow r1\n", "now r1\nnow r1"},
		{"names of either are known in both", "-- t.s --\n.equ a, 3\nx: .include \"a.s\"\nli r1, b\njmp y\n-- a.s --\n.equ b, a+1\ny: li r2, a\njmp x\n",
			"li r2, 3\njmp .-1\nli r1, 4\njmp .-3"},
		{"label before", "-- t.s --\njmp x\nx: y: .include \"a.s\"\njmp y\n-- a.s --\nhalt\n", "jmp .+1\nhalt\njmp .-1"},
		{"comment behind", "-- t.s --\n\t.include\t\"a.s\" ; \"b.s\"\n-- a.s --\nhalt # x\n", "halt"},
		{"no blank", "-- t.s --\n.include\"a.s\"\n-- a.s --\nhalt\n", "halt"},
		{"no comment in quotes", "-- t.s --\n.include \"a;b#c:d, e.s\"\n-- a;b#c:d, e.s --\nhalt\n", "halt"},
		{"in folders", "-- t.s --\n.include \"d/a.s\"\n-- d/a.s --\n.include \"e/b.s\"\n.include \"../c.s\"\n-- d/e/b.s --\nnow r1\n-- c.s --\nnow r2\n", "now r1\nnow r2"},
		{"a program in a folder", "-- d/t.s --\n.include \"./a.s\"\n-- d/a.s --\nnow r1\n", "now r1"},
	} {
		t.Run(row.name, func(t *testing.T) {
			files := filesOf(row.files)
			name := "t.s"
			if files[name] == nil {
				name = "d/t.s"
			}
			p, err := AssembleFS(files, name)
			require.NoError(t, err)
			require.Equal(t, row.words, wordsOf(t, p))
			require.Equal(t, p.Code, spelledOut(t, files, name).Code)
		})
	}
}

// wordsOf returns a program's instructions, one a line.
func wordsOf(t *testing.T, p *Program) string {
	t.Helper()
	program, err := DecodeAll(p.Code)
	require.NoError(t, err)
	var lines []string
	for _, i := range program {
		lines = append(lines, i.String())
	}
	return strings.Join(lines, "\n")
}

// spelledOut is the plain twin: the program with the text of every include in its
// place, as a text without includes.
func spelledOut(t *testing.T, files fs.FS, name string) *Program {
	t.Helper()
	p, err := Assemble(name, strings.NewReader(spell(t, files, name)))
	require.NoError(t, err)
	return p
}

var includeLine = regexp.MustCompile(`^([^";#]*)\.include[ \t]*"([^"]*)"[ \t\r]*([;#].*)?$`)

func spell(t *testing.T, files fs.FS, name string) string {
	t.Helper()
	text, err := fs.ReadFile(files, name)
	require.NoError(t, err)
	var b strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(string(text), "\xef\xbb\xbf")) {
		if found := includeLine.FindStringSubmatch(strings.TrimRight(line, " \t\r\n")); found != nil {
			line = found[1] + "\n" + spell(t, files, resolve(name, found[2]))
		}
		b.WriteString(strings.TrimSuffix(line, "\n") + "\n")
	}
	return b.String()
}

func TestFaultsOfIncludes(t *testing.T) {
	for _, row := range []struct{ name, files, want string }{
		{"missing", "-- t.s --\nhalt\n.include \"a.s\"\njmp inA\n", "t.s:2: .include: a.s: file does not exist (expected a file that can be read)"},
		{"missing further down", "-- t.s --\n.include \"d/a.s\"\n-- d/a.s --\n\n.include \"b.s\"\n", "d/a.s:2: .include: d/b.s: file does not exist (expected a file that can be read)"},
		{"two are missing", "-- t.s --\n.include \"a.s\"\nad r1\n.include \"b.s\"\n", "t.s:1: .include: a.s: file does not exist (expected a file that can be read)\n" +
			"t.s:3: .include: b.s: file does not exist (expected a file that can be read)"},
		{"a folder", "-- t.s --\n.include \"d\"\n-- d/a.s --\n", "t.s:1: .include: d: invalid argument (expected a file that can be read)"},
		{"outside", "-- t.s --\n.include \"../a.s\"\n", "t.s:1: .include: ../a.s: file does not exist (expected a file that can be read)"},
		{"no text", "-- t.s --\n.include \"a.s\"\n-- a.s --\nhalt\n\x00\n", "t.s:1: .include: a.s:2: not a text (expected a text file)"},
		{"itself", "-- t.s --\n.include \"t.s\"\n", "t.s:1: .include: t.s is in itself (expected a file that does not include itself)"},
		{"a circle", "-- t.s --\n.include \"d/a.s\"\n-- d/a.s --\n.include \"b.s\"\n-- d/b.s --\nhalt\n.include \"./../d/a.s\"\n",
			"d/b.s:2: .include: d/a.s is in itself (expected a file that does not include itself)"},
		{"nothing", "-- t.s --\n.include\n", `t.s:1: .include: "" is not a name in quotes (expected "FILE.s")`},
		{"no quotes", "-- t.s --\n.include a.s\n", `t.s:1: .include: "a.s" is not a name in quotes (expected "FILE.s")`},
		{"one quote", "-- t.s --\n.include \"a.s\n", `t.s:1: .include: "\"a.s" is not a name in quotes (expected "FILE.s")`},
		{"only a quote", "-- t.s --\n.include \"\n", `t.s:1: .include: "\"" is not a name in quotes (expected "FILE.s")`},
		{"empty", "-- t.s --\n.include \"\"\n", `t.s:1: .include: "\"\"" is not a name in quotes (expected "FILE.s")`},
		{"two", "-- t.s --\n.include \"a.s\", \"b.s\"\n", `t.s:1: .include: "\"a.s\", \"b.s\"" is not a name in quotes (expected "FILE.s")`},
		{"control", "-- t.s --\n.include \"a\x1b.s\"\n", `t.s:1: .include: "a\x1b.s" is not the name of a file (expected "FILE.s")`},
		{"no UTF-8", "-- t.s --\n.include \"a\xff.s\"\n", `t.s:1: .include: "a\xff.s" is not the name of a file (expected "FILE.s")`},
		{"wrong lines, in their order", "-- t.s --\nad r1, r2, r3\n.include \"a.s\"\njmp x\n-- a.s --\n\njmp y\nx: x: halt\n",
			"t.s:1: unknown instruction \"ad\" (did you mean \"add\"?)\na.s:2: jmp: \"y\" is not defined (expected a label)\n" +
				"a.s:3: \"x\" is defined twice (expected a new name; the first is on line 3)"},
		{"twice in two files", "-- t.s --\n.equ a, 1\n.include \"a.s\"\nb:\n-- a.s --\na: halt\nb:\n",
			"a.s:1: \"a\" is defined twice (expected a new name; the first is on line 1 of t.s)\nt.s:3: \"b\" is defined twice (expected a new name; the first is on line 2 of a.s)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			p, err := AssembleFS(filesOf(row.files), "t.s")
			require.EqualError(t, err, row.want)
			require.Nil(t, p)
		})
	}
	_, err := AssembleFS(fstest.MapFS{}, "t.s")
	require.EqualError(t, err, "t.s: file does not exist (expected a file that can be read)")
	_, err = AssembleFS(filesOf("-- t.s --\n.include \"a.s\"\n"), "t.s")
	require.ErrorIs(t, err, fs.ErrNotExist)
	_, err = AssembleFS(filesOf("-- t.s --\n.include \"t.s\"\n"), "t.s")
	require.ErrorIs(t, err, ErrInclude)
}

func opened(text string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }

// A file that reaches itself by ever longer names ends at maxDepth, and not before.
func TestDepthOfIncludes(t *testing.T) {
	endless := func(string) (io.ReadCloser, error) { return opened(`.include "d/a.s"`) }
	_, err := AssembleFiles("t.s", strings.NewReader(`.include "d/a.s"`), endless)
	where := strings.Repeat("d/", maxDepth) + "a.s"
	require.EqualError(t, err, where+":1: .include: more files in one another with "+where[:60]+"… (expected at most 64)")

	last := strings.Repeat("d/", maxDepth) + "a.s"
	p, err := AssembleFiles("t.s", strings.NewReader(`.include "d/a.s"`), func(path string) (io.ReadCloser, error) {
		if path == last {
			return opened("halt")
		}
		return endless(path)
	})
	require.NoError(t, err)
	require.Equal(t, []uint32{0}, p.Code)
	require.Len(t, p.Files, maxDepth)
}

// Files that double one another end at the bound of all text together, each read once.
func TestSizeOfIncludes(t *testing.T) {
	opens := map[string]int{}
	_, err := AssembleFiles("0", strings.NewReader(".include \"1\"\n.include \"1\"\n"), func(path string) (io.ReadCloser, error) {
		opens[path]++
		var level int
		if _, err := fmt.Sscan(path, &level); err != nil || level > 40 {
			return opened("; the last\n")
		}
		return opened(fmt.Sprintf(".include \"%d\"\n.include \"%[1]d\" ;%s\n", level+1, strings.Repeat("x", 4000)))
	})
	var list ErrorList
	require.ErrorAs(t, err, &list)
	require.Len(t, list, 1)
	require.Regexp(t, `^\.include: more bytes with \d+ \(expected at most 16777216 in all files\)$`, list[0].Err.Error())
	require.Len(t, opens, 41)
	for path, times := range opens {
		require.Equal(t, 1, times, path)
	}

	half := ";" + strings.Repeat("x", 8<<20-33)
	both := ".include \"half\"\n.include \"half\"\n"
	open := func(string) (io.ReadCloser, error) { return opened(half) }
	both += strings.Repeat("\n", 64-len(both))
	_, err = AssembleFiles("t.s", strings.NewReader(both), open)
	require.NoError(t, err)
	_, err = AssembleFiles("t.s", strings.NewReader(both+"\n"), open)
	require.EqualError(t, err, "t.s:2: .include: more bytes with half (expected at most 16777216 in all files)")
}

func TestPlacesInIncludedFiles(t *testing.T) {
	files := filesOf("-- t.s --\n.include \"a.s\"\nhalt\nstop:\n-- a.s --\n.equ one, 1\nstart:\n\tli r1, 0x12345678\nlast: now r2\n")
	p, err := AssembleFS(files, "t.s")
	require.NoError(t, err)
	require.Equal(t, []string{"a.s"}, p.Files)
	require.Equal(t, map[string]int64{"one": 1}, p.Values)
	require.Equal(t, []Label{{"start", 0, 2, "a.s"}, {"last", 2, 4, "a.s"}, {"stop", 4, 3, ""}}, p.Labels)
	require.Equal(t, "a.s:3", p.Position(1))
	require.Equal(t, "t.s:2", p.Position(3))
	var b strings.Builder
	require.NoError(t, Listing(&b, p))
	require.Equal(t, `address  word      line   source
0                  a.s:2  start:
0        04405678  a.s:3      li r1, 0x12345678
1        08401234  a.s:3      li r1, 0x12345678
2        40800000  a.s:4  last: now r2
3        00000000  2      halt
4                  3      stop:
`, b.String())
	require.Equal(t, []string{"a.s"}, Includes("t.s", strings.NewReader(".include \"none\"\n.include \"a.s\"\nbad\n.include \"a.s\"\n"), func(path string) (io.ReadCloser, error) { return files.Open(path) }))
	require.Empty(t, Includes("t.s", strings.NewReader("\x00"), nil))
}

func TestReadersOfIncludesMayFail(t *testing.T) {
	broken := errors.New("disk on fire")
	_, err := AssembleFiles("t.s", strings.NewReader(`.include "a.s"`), func(string) (io.ReadCloser, error) { return nil, broken })
	require.EqualError(t, err, "t.s:1: .include: a.s: disk on fire (expected a file that can be read)")
	require.ErrorIs(t, err, broken)
}

// Programs cut at random lines into files that include one another have the words of
// the whole.
func TestProgramsInPieces(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	for range 200 {
		var lines []string
		for k := range 1 + random.IntN(30) {
			lines = append(lines, fmt.Sprintf("l%d: li r1, e%d", k, random.IntN(30)), fmt.Sprintf("jmp l%d", random.IntN(k+1)))
		}
		var whole strings.Builder
		for k := range 30 {
			fmt.Fprintf(&whole, ".equ e%d, %d\n", k, random.Uint32())
		}
		whole.WriteString(strings.Join(lines, "\n"))
		want, err := Assemble("t.s", strings.NewReader(whole.String()))
		require.NoError(t, err)
		files := fstest.MapFS{}
		pieces(random, files, "t.s", strings.Split(whole.String(), "\n"))
		p, err := AssembleFS(files, "t.s")
		require.NoError(t, err)
		require.Equal(t, want.Code, p.Code)
		require.Equal(t, want.Values, p.Values)
		require.Len(t, p.Files, len(files)-1)
	}
}

// pieces writes lines to a file, some of them to files that it includes.
func pieces(random *rand.Rand, files fstest.MapFS, name string, lines []string) {
	var b strings.Builder
	for len(lines) > 0 {
		n := 1 + random.IntN(len(lines))
		if random.IntN(3) > 0 {
			b.WriteString(strings.Join(lines[:n], "\n") + "\n")
		} else {
			part := fmt.Sprintf("f%d.s", len(files))
			files[part] = nil // taken
			pieces(random, files, part, lines[:n])
			fmt.Fprintf(&b, "\t.include \"%s\"\n", part)
		}
		lines = lines[n:]
	}
	files[name] = &fstest.MapFile{Data: []byte(b.String())}
}
