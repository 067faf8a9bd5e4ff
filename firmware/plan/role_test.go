// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/isa"
	"meshwright/firmware/pe"
)

// TestPrograms: every file assembles, decodes, survives its own disassembly,
// and says how many parameters it has.
func TestPrograms(t *testing.T) {
	for _, name := range programNames(t) {
		r := LoadRole(name)
		require.Positive(t, r.At("PARAMETERS"), name)
		require.Equal(t, name+".s", r.program.Name)
		_, err := pe.Decode(r.program)
		require.NoError(t, err)
		text, err := isa.Disassemble(r.program.Code)
		require.NoError(t, err)
		again, err := isa.Assemble(name+".s", strings.NewReader(text))
		require.NoError(t, err)
		require.Equal(t, r.program.Code, again.Code, name)
		readProgram(t, name+".s")
	}
}

var update = flag.Bool("update", false, "rewrite the words of the programs")

// TestWordsOfPrograms: every program assembles to the words, with their meaning, that
// testdata/programs.txt has, so that a change of text alone changes no word.
func TestWordsOfPrograms(t *testing.T) {
	var got strings.Builder
	for _, name := range programNames(t) {
		code := LoadRole(name).program.Code
		text, err := isa.Disassemble(code)
		require.NoError(t, err)
		fmt.Fprintf(&got, "; %s.s\n", name)
		for line := range strings.Lines(text) {
			if label := !strings.HasPrefix(line, "\t"); label {
				got.WriteString(line)
				continue
			}
			fmt.Fprintf(&got, "%08x%s", code[0], line)
			code = code[1:]
		}
	}
	const golden = "testdata/programs.txt"
	if *update {
		require.NoError(t, os.WriteFile(golden, []byte(got.String()), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String(), "another program (go test ./firmware/plan -run TestWordsOfPrograms -update)")
}

// TestPassagesStandOnce: what several programs do stands in a file that each of them
// includes, and in no program besides.
func TestPassagesStandOnce(t *testing.T) {
	passages, err := fs.ReadDir(programs, "passages")
	require.NoError(t, err)
	require.NotEmpty(t, passages)
	for _, file := range passages {
		passage := readProgram(t, "passages/"+file.Name())
		code := instructions(passage)
		var includers []string
		for _, name := range programNames(t) {
			if slices.Contains(LoadRole(name).program.Files, "passages/"+file.Name()) {
				includers = append(includers, name)
			}
			require.NotContains(t, instructions(readProgram(t, name+".s")), code[:len(code)/2], name)
			require.NotContains(t, instructions(readProgram(t, name+".s")), code[len(code)/2:], name)
		}
		require.Greater(t, len(includers), 1, file.Name())
	}
}

// instructions returns a text without comments, blank lines and directives.
func instructions(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, ";")
		if line = strings.TrimSpace(line); line != "" && line[0] != '.' {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func readProgram(t *testing.T, path string) string {
	t.Helper()
	text, err := fs.ReadFile(programs, path)
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(text), "; SPDX-License-Identifier: Apache-2.0\n"), path)
	return string(text)
}

// programNames are the names of all programs.
func programNames(t *testing.T) []string {
	t.Helper()
	files, err := fs.Glob(programs, "*.s")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for k := range files {
		files[k] = strings.TrimSuffix(files[k], ".s")
	}
	return files
}
