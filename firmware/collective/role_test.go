// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"flag"
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/firmware/isa"
	"meshwright/firmware/pe"
	"meshwright/router"
)

// TestPrograms: every file assembles, decodes, survives its own disassembly,
// and says how many parameters it has.
func TestPrograms(t *testing.T) {
	files, err := programs.ReadDir("programs")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(file.Name(), path.Ext(file.Name()))
		r := loadRole(name)
		require.Positive(t, r.at("PARAMETERS"), name)
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
		code := loadRole(strings.TrimSuffix(file.Name(), path.Ext(file.Name()))).program.Code
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
	require.Equal(t, string(want), got.String(), "another program (go test ./firmware/collective -run TestWordsOfPrograms -update)")
}

// TestTurnsOfALine: on a path every block passes both ways, on a ring one way.
func TestTurnsOfALine(t *testing.T) {
	for _, row := range []struct {
		spec  string
		node  int
		sends []int
		takes []int
	}{
		{"path:4", 0, []int{1, 0}, []int{0, 3}},
		{"path:4", 2, []int{3, 2}, []int{2, 1}},
		{"path:4", 3, []int{0, 1}, []int{3, 0}},
		{"ring:4", 1, []int{3}, []int{3}},
	} {
		topo, err := topology.Parse(row.spec)
		require.NoError(t, err)
		task := &task{Job: Job{Topology: topo}, offset: make([]int, topo.Nodes()+1)}
		var sends, takes []int
		for _, s := range task.lineOf(router.NodeID(row.node), 0).turns() {
			sends, takes = append(sends, s.sends), append(takes, s.takes)
		}
		require.Equal(t, row.sends, sends, row)
		require.Equal(t, row.takes, takes, row)
	}
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
