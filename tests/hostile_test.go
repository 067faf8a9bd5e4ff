// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
	"meshwright/internal/soak"
)

// nastyNames are parts of names that something would obey if it met them bare.
var nastyNames = []string{
	"a\nb", "\r\n`include \"x\"\nmodule top; initial $finish; endmodule //", "\x1b[31mred\x1b[0m", "*)", "`include", `"`, "'", "$(touch x)", "${PATH}", "\u202egnp",
	"\xff\xfe", "-rf", "a b\tc", "a;touch x;", "%s%n", "</text><script>", "&lt;", "\\", "a\\", "=1+1", "\u2028", "\U000e0041", "#c", "]]>", "\u009b31m",
}

// turn deals the nasty names out among rows of a table and returns the names of one row.
// In a soak each row gets all names.
func turn(row, rows int, names []string) []string {
	if soak.On() {
		return names
	}
	var list []string
	for i, name := range names {
		if i%rows == row%rows {
			list = append(list, name)
		}
	}
	return list
}

// long is too long for a name of a file, and for a message.
var long = strings.Repeat("x", 100_000)

const (
	treeText     = "0,\n1,0\n2,1\n"
	scheduleText = "1,0,2,3,0\n"
	firmwareText = "start:\n\thalt ; "
)

// mastered demands that a command's words are visible characters in lines of
// moderate length.
func mastered(t *testing.T, got spoken, args ...string) {
	t.Helper()
	for _, text := range []string{got.stdout, got.stderr} {
		require.True(t, utf8.ValidString(text), "%q", text)
		require.False(t, strings.ContainsFunc(text, func(r rune) bool {
			return r != '\n' && r != '\t' && !unicode.IsPrint(r) && !unicode.Is(unicode.Zs, r)
		}), "%q", text)
	}
	require.LessOrEqual(t, len(got.stderr), 12*4200)
	lines := slices.Collect(strings.Lines(got.stderr))
	for _, line := range lines {
		require.LessOrEqual(t, len(line), 4200)
	}
	if len(lines) == 3 && args[0] == "sweep" { // a line of the study, and below it a caret
		require.Equal(t, "^", strings.TrimSpace(lines[2]), "%q", got.stderr)
		lines = lines[:1]
	}
	for _, line := range lines {
		require.True(t, strings.HasPrefix(line, "meshwright: "), "%q", got.stderr)
	}
	require.Contains(t, []int{0, 1, 2}, got.code)
	require.Equal(t, got.code == 2, got.stderr != "", "%d %q", got.code, got.stderr)
	if got.code == 2 && args[0] != "asm" && args[0] != "disasm" { // these list their errors
		require.Len(t, lines, 1, "%q", got.stderr)
	}
}

// Names of files, wherever a file is named, and what is written under them.
func TestNastyFileNames(t *testing.T) {
	need(t, "iverilog", "iverilog")
	need(t, "verilator", "verilator")
	need(t, "tshark", "tshark")
	read := turn(0, 25, nastyNames) // by the tools, which take long
	for _, name := range soak.Some(8, nastyNames) {
		isRead := slices.Contains(read, name)
		if strings.Contains(name, "/") {
			name = strings.ReplaceAll(name, "/", "|") // no file name has it
		}
		t.Run(fmt.Sprintf("%q", name), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for extension, text := range map[string]string{
				".csv": treeText, ".sched.csv": scheduleText, ".yaml": "buffer: 2\n", ".lengths": "1,2\n2,1\n", ".s": firmwareText + strings.NewReplacer("\n", "", "\r", "").Replace(name) + "\n",
				".bad": "what " + name + "\n", ".bad.csv": name + "," + name + "\n", ".bad.yaml": "bufer: 1\n", ".bad.xml": "<algo name='" + name + "'>",
			} {
				require.NoError(t, os.WriteFile(filepath.Join(dir, name+extension), []byte(text), 0o644))
			}
			at := "./" + name // as shells complete it, so that a dash is no flag
			tree := "tree:" + at + ".csv"
			for _, row := range []struct {
				code int
				args []string
			}{
				{0, []string{"run", "scatter", "-t", tree, "-m", at + ".yaml", "--lengths", "@" + at + ".lengths", "--trace", at + ".out.csv", "--trace", at + ".svg", "--trace", at + ".pcapng", "--table", at + ".table.csv", "--schedule", at + ".s.csv", "--listing", at + ".lst"}},
				{0, []string{"run", "scatter", "-t", tree, "-m", at + ".yaml", "--json"}},
				{0, []string{"run", at + ".sched.csv", "-t", tree, "--routing", "source"}},
				{0, []string{"check", at + ".sched.csv", "-t", "path:3"}},
				{0, []string{"check", at + ".sched.csv", "-t", "path:3", "--json"}},
				{0, []string{"asm", at + ".s", "--listing"}},
				{0, []string{"asm", at + ".s", "-o", at + ".hex"}},
				{0, []string{"disasm", at + ".hex"}},
				{0, []string{"run", at + ".s", "-t", tree}},
				{0, []string{"export", at + ".chip", "scatter", "-t", tree, "-m", at + ".yaml"}},
				{2, []string{"run", "scatter", "-t", "tree:" + at + ".bad.csv"}},
				{2, []string{"run", "scatter", "-t", "path:3", "-m", at + ".bad.yaml"}},
				{2, []string{"run", "scatter", "-t", "path:3", "--lengths", "@" + at + ".bad"}},
				{2, []string{"run", "scatter", "-t", "path:3", "--payload", at + ".bad"}},
				{2, []string{"run", at + ".bad.xml", "-t", "path:3"}},
				{2, []string{"import", at + ".bad.xml", "-t", "path:3"}},
				{2, []string{"check", at + ".bad.csv", "-t", "path:3"}},
				{2, []string{"asm", at + ".bad"}},
				{2, []string{"disasm", at + ".bad"}},
				{2, []string{"run", "scatter", "-t", "path:3", "--trace", at + ".none/x.csv"}},
				{2, []string{"run", "scatter", "-t", "path:3", "--trace", at}},
				{2, []string{"export", at + ".csv/chip", "scatter", "-t", "path:3"}},
			} {
				got := meshwright(t, dir, row.args...)
				require.Equal(t, row.code, got.code, "%q: %s", row.args, got.stderr)
				mastered(t, got, row.args...)
			}
			wellFormed(t, filepath.Join(dir, name+".svg"))
			if isRead {
				captureIsRead(t, filepath.Join(dir, name+".pcapng"))
			}
			sameVerilog(t, filepath.Join(dir, name+".chip"), isRead)
			require.NoFileExists(t, filepath.Join(dir, "x"))
		})
	}
}

// wellFormed demands a picture that an XML parser reads to its end.
func wellFormed(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	for d := xml.NewDecoder(f); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		if start, ok := token.(xml.StartElement); ok {
			require.NotEqual(t, "script", start.Name.Local)
		}
	}
}

func captureIsRead(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	cmd := proctest.Command(t, "tshark", "-r", "-")
	cmd.Stdin = f
	got := speak(t, cmd)
	require.Zero(t, got.code, got.stderr)
	require.NotEmpty(t, got.stdout)
}

// sameVerilog demands that the name of a network changes one comment only, and
// that the tools, if they are asked, read the result.
func sameVerilog(t *testing.T, dir string, isRead bool) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "plain.csv"), []byte(treeText), 0o644))
	plain := filepath.Join(dir, "plain")
	require.Zero(t, meshwright(t, dir, "export", plain, "scatter", "-t", "tree:plain.csv", "--buffer", "2").code)
	want, err := os.ReadFile(filepath.Join(plain, "top.v"))
	require.NoError(t, err)
	got, err := os.ReadFile(filepath.Join(dir, "top.v"))
	require.NoError(t, err)
	require.True(t, utf8.Valid(got))
	require.Equal(t, bytes.Count(want, []byte("\n")), bytes.Count(got, []byte("\n")), "lines of top.v")
	comments := 0
	for line := range strings.Lines(string(got)) {
		if strings.Contains(line, "tree:") {
			require.True(t, strings.HasPrefix(line, "// "), line)
			comments++
		}
	}
	require.Equal(t, 1, comments)
	read, err := os.ReadFile(filepath.Join(dir, "README"))
	require.NoError(t, err)
	require.True(t, utf8.Valid(read))
	if !isRead {
		return
	}
	for _, args := range [][]string{
		{"iverilog", "-g2005", "-t", "null", "-s", "bench", "-c", "files"},
		{"verilator", "--lint-only", "--timing", "-Wno-fatal", "-Wno-lint", "-Wno-style", "--top-module", "bench", "-f", "files"},
	} {
		list := "bench.v\ntop.v\n"
		for _, folder := range []string{"bench", "lib"} {
			modules, err := fs.Glob(os.DirFS(plain), folder+"/*.v")
			require.NoError(t, err)
			require.NotEmpty(t, modules)
			list += strings.Join(modules, "\n") + "\n"
		}
		require.NoError(t, os.WriteFile(filepath.Join(dir, "files"), []byte(list), 0o644))
		cmd := proctest.Command(t, args[0], args[1:]...)
		cmd.Dir = dir
		require.Zero(t, speak(t, cmd).code, args)
	}
}

// Words on the command line, and in files, that are not names of files.
func TestNastyWords(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) string {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
		return name
	}
	longOnes := []string{long, strings.Repeat("a ", 50_000), strings.Repeat("\x1b", 100_000), strings.Repeat("\"", 50_000)}
	for _, word := range slices.Concat(longOnes, nastyNames) {
		for row, args := range [][]string{
			{word}, {"run", word}, {"run", "scatter", "-t", word}, {"run", "scatter", "-t", "mesh:" + word}, {"run", "scatter", "-t", "tree:" + word},
			{"run", "scatter", "-t", "path:3", "-m", word}, {"run", "scatter", "-t", "path:3", "-m", "./" + word}, {"run", "scatter", "-t", "path:3", "-a", word},
			{"run", "scatter", "-t", "path:3", "--root", word}, {"run", "scatter", "-t", "path:3", "--lengths", word}, {"run", "scatter", "-t", "path:3", "--order", word},
			{"run", "scatter", "-t", "path:3", "--switching", word}, {"run", "scatter", "-t", "path:3", "--setup", word}, {"run", "scatter", "-t", "path:3", "--" + word},
			{"run", "scatter", "-t", "path:3", "--tree", word}, {"run", "scatter", "-t", "path:3", "--json=" + word}, {"run", "scatter", "-t", "path:3", "--trace", word},
			{"run", "scatter", "-t", "path:3", "-m", "store-forward", "--packets", word}, {"cosim", "scatter", "-t", "path:3", "--simulator", word},
			{"check", word, "-t", "path:3"}, {"help", word}, {"completion", word}, {"bench", word}, {"plan", word}, {"list", word}, {"asm", word}, {"disasm", word},
			{"sweep", word}, {"sweep", put("y.yaml", "axes: {"+word+": [1]}\n")}, {"import", word, "-t", "path:3"},
			{"import", "--format", word, put("x.xml", "<a/>"), "-t", "path:3"}, {"plan", "packets", "--flits", word}, {"plan", "gossip", "-t", "ring:4", "--startup", word},
			{"run", put("s.csv", word+","+word+","+word+",1,0\n"), "-t", "path:3"}, {"check", put("r.csv", "1,0,1,1,0,0>"+word+"\n"), "-t", "path:3"},
			{"run", "scatter", "-t", "graph:" + put("g.csv", "0,"+word+"\n")}, {"run", "scatter", "-t", "path:3", "-m", "./" + put("m.yaml", word+": 1\n")},
			{"run", "scatter", "-t", "path:3", "-m", "./" + put("v.yaml", fmt.Sprintf("buffer: %q\n", word))}, {"asm", put("p.s", word+"\n")}, {"asm", put("q.s", "\tli r1, "+word+"\n")},
			{"disasm", put("p.hex", word+"\n")}, {"import", put("t.tdm", word+"\n"), "-t", "torus:3x3"}, {"import", put("n.xml", "<algo name=\""+word+"\" "+word+"=\"1\">"), "-t", "path:3"},
		} {
			if !slices.Contains(slices.Concat(turn(row, 4, longOnes), turn(row, 12, nastyNames)), word) {
				continue
			}
			if len(args) > 1 && len(args[len(args)-1]) > 100_000 {
				args[len(args)-1] = args[len(args)-1][:100_000] // an argument of Linux has at most 128 kB
			}
			got := meshwright(t, dir, args...)
			require.Equal(t, 2, got.code, "%.200q: %s", args, got.stdout)
			mastered(t, got, args...)
		}
	}
}

// A folder of any name works in both simulators, with its own Makefile and from
// here, whatever the folder for temporary files is called.
func TestFoldersOfAnyName(t *testing.T) {
	need(t, "iverilog", "iverilog")
	need(t, "verilator", "verilator")
	name := "a b$(touch x)'\"\\#%:;&`*\n=\u202e~ "
	dir := filepath.Join(t.TempDir(), name)
	tmp := filepath.Join(dir, "tmp"+name)
	require.NoError(t, os.MkdirAll(tmp, 0o755))
	chip := "chip" + name
	got := meshwright(t, dir, "export", chip, "scatter", "-t", "path:3", "-l", "2")
	require.Zero(t, got.code, got.stderr)
	mastered(t, got)
	for _, simulator := range []string{"icarus", "verilator"} {
		cmd := proctest.Command(t, "make", "-s", simulator)
		cmd.Dir, cmd.Env = filepath.Join(dir, chip), append(os.Environ(), "TMPDIR="+tmp, "MAKEFLAGS=")
		got := speak(t, cmd)
		require.Zero(t, got.code, got.stdout+got.stderr)
		require.Contains(t, got.stdout, "PASS cycles=5 flits=4")
	}
	scratch := []string{"--simulator", "icarus"} // Verilator has built with such names above
	if soak.On() {
		scratch = []string{"--simulator", "both"}
	}
	for _, row := range []struct {
		args   []string
		passes int
	}{{scratch, soak.Number(1, 2)}, {[]string{"--keep", "kept" + name, "--simulator", "icarus"}, 1}} {
		cmd := proctest.Command(t, binary, append([]string{"cosim", "scatter", "-t", "path:3", "-l", "2", "--table", "table" + name + ".csv"}, row.args...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+tmp)
		got := speak(t, cmd)
		require.Zero(t, got.code, got.stderr)
		require.Equal(t, row.passes, strings.Count(got.stdout, "PASS cycles=5 flits=4"), got.stdout)
	}
	left, err := os.ReadDir(tmp)
	require.NoError(t, err)
	require.Empty(t, left)
	require.NoFileExists(t, filepath.Join(dir, "x"))
	require.NoFileExists(t, filepath.Join(dir, chip, "x"))
}
