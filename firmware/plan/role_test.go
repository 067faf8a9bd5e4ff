// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"flag"
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/isa"
	"meshwright/firmware/pe"
)

// TestPrograms: every file assembles, decodes, survives its own disassembly,
// and says how many parameters it has.
func TestPrograms(t *testing.T) {
	files, err := programs.ReadDir("programs")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(file.Name(), path.Ext(file.Name()))
		r := LoadRole(name)
		require.Positive(t, r.At("PARAMETERS"), name)
		require.Equal(t, file.Name(), r.program.Name)
		_, err := pe.Decode(r.program)
		require.NoError(t, err)
		text, err := isa.Disassemble(r.program.Code)
		require.NoError(t, err)
		again, err := isa.Assemble(file.Name(), strings.NewReader(text))
		require.NoError(t, err)
		require.Equal(t, r.program.Code, again.Code, name)
		source, err := programs.ReadFile("programs/" + file.Name())
		require.NoError(t, err)
		require.True(t, strings.HasPrefix(string(source), "; SPDX-License-Identifier: Apache-2.0\n"), name)
	}
}

var update = flag.Bool("update", false, "rewrite the words of the programs")

// TestWordsOfPrograms: every program assembles to the words, with their meaning, that
// testdata/programs.txt has, so that a change of text alone changes no word.
func TestWordsOfPrograms(t *testing.T) {
	files, err := programs.ReadDir("programs")
	require.NoError(t, err)
	var got strings.Builder
	for _, file := range files {
		if file.IsDir() {
			continue
		}
		code := LoadRole(strings.TrimSuffix(file.Name(), path.Ext(file.Name()))).program.Code
		text, err := isa.Disassemble(code)
		require.NoError(t, err)
		fmt.Fprintf(&got, "; %s\n", file.Name())
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

// TestSharedPassages: programs stand alone, so that each can be read and
// assembled by itself; what several of them do is the same to the letter.
func TestSharedPassages(t *testing.T) {
	for _, row := range []struct {
		from, to string // the first and the last line begin so
		programs []string
	}{
		{"collect: ld   r2, [r0+CHILDREN]", "\tbne   r4, r15, level", []string{"cert-tight-inner", "cert-tight-root", "cert-parallel-inner"}}, // merge sort
		{"\tmov   r11, r4", "\taddi  r5, r5, ENTRY", []string{"cert-inner", "cert-root", "cert-ii-node", "cert-ii-root"}},                     // insertion into a sorted list
	} {
		var want string
		for _, name := range row.programs {
			text, err := programs.ReadFile("programs/" + name + ".s")
			require.NoError(t, err)
			_, rest, found := strings.Cut(string(text), "\n"+row.from)
			require.True(t, found, name)
			passage, _, found := strings.Cut(rest, "\n"+row.to)
			require.True(t, found, name)
			if want == "" {
				want = passage
			}
			require.Equal(t, want, passage, name)
			require.Greater(t, strings.Count(passage, "\n"), 8, name)
		}
	}
}
