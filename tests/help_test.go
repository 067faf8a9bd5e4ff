// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
	"meshwright/internal/soak"
)

// helpOf is a command's help, taken apart.
type helpOf struct {
	path     string   // meshwright run, …
	synopses []string // the lines of Usage
	examples []string
	children []string
	flags    []string
}

// flag reports whether the command has a flag.
func (h *helpOf) flag(name string) bool {
	return slices.ContainsFunc(h.flags, func(line string) bool { return slices.Contains(strings.Fields(line), name) })
}

// section is the lines below a headline of a help text.
func section(text, headline string) []string {
	_, rest, found := strings.Cut("\n"+text, "\n"+headline+":\n")
	if !found {
		return nil
	}
	body, _, _ := strings.Cut(rest, "\n\n")
	var lines []string
	for line := range strings.Lines(body) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}

// flagLines are the first lines of all flags of a help text, whatever their group.
func flagLines(text string) []string {
	var lines []string
	for _, part := range strings.Split(text, "\n\n") {
		headline, _, _ := strings.Cut(part, "\n")
		if !strings.HasSuffix(headline, ":") || !strings.Contains(headline, " flags") {
			continue
		}
		for line := range strings.Lines(part) {
			if line = strings.TrimSpace(line); strings.HasPrefix(line, "-") {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// helps is the help of a command and of all below it.
func helps(t *testing.T, dir string, path ...string) []helpOf {
	t.Helper()
	got := meshwright(t, dir, append(path, "--help")...)
	require.Equal(t, 0, got.code, got.stderr)
	h := helpOf{path: strings.Join(append([]string{"meshwright"}, path...), " "),
		synopses: section(got.stdout, "Usage"), examples: section(got.stdout, "Examples"), flags: flagLines(got.stdout)}
	for _, line := range section(got.stdout, "Available Commands") {
		h.children = append(h.children, strings.Fields(line)[0])
	}
	list := []helpOf{h}
	for _, child := range h.children {
		list = append(list, helps(t, dir, slices.Concat(path, []string{child})...)...)
	}
	return list
}

// ingredients are command lines that make the files which a command's examples and
// synopsis name. Every folder has the project's examples.
var ingredients = map[string][]string{
	"meshwright check": {
		"meshwright plan timetables -t torus:8x8 --schedule exchange.csv",
		"meshwright run scatter -t mesh:4x4 -m store-forward --setup 3/2 --schedule packets.csv",
		"meshwright run gather -t mesh:4x4 -m bufferless --schedule SCHEDULE.csv",
	},
	"meshwright deadlock": {
		"meshwright run gather -t torus:8x8 -m bufferless --schedule gather.csv",
		"meshwright run gather -t mesh:4x4 -m bufferless --schedule SCHEDULE.csv",
	},
	"meshwright run": {
		"meshwright plan timetables -t torus:3x3 --schedule exchange.csv",
		"cp examples/firmware/pingpong.s pingpong.s",
		"printf '\tli r1, 15\n\tli r2, 2\n\tsend r1, r0, r2, r0\n' >root.s",
		"printf '\tli r1, 15\n\tbne r15, r1, end\n\tli r1, 0\n\trecv r2, r1, r0\nend:\thalt\n' >leaf.s",
		"printf '5 6\n' >in.mem",
		"cp in.mem out.mem",
	},
	"meshwright report": {
		"meshwright sweep examples/studies/startup.yaml -P side=3",
		"cp startup.db new.db", "cp startup.db old.db",
	},
	"meshwright asm":    {"cp examples/firmware/pingpong.s program.s"},
	"meshwright disasm": {"meshwright asm examples/firmware/pingpong.s --out program.mem"},
}

// exampleServer is the address in the examples of meshwright work. A server on this computer stands for it.
const exampleServer = "cluster.example:4222"

// exampleSweeps starts servers, one after the other, and returns their address.
func exampleSweeps(t *testing.T, dir string) string {
	address := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "token"), []byte("a"), 0o600))
	beginCommand(t, dir, "sh", "-c", "n=0; while n=$((n + 1)); do '"+binary+"' sweep examples/studies/startup.yaml -P side=2 --store $n.db --token-file token --serve "+address+"; done")
	return address
}

// words has a value for each word in capitals of a synopsis. A key that begins with a
// command holds for that command only.
var words = map[string]string{
	"T": "mesh:4x4", "COLLECTIVE": "gossip", "SCHEDULE.csv": "SCHEDULE.csv", "DIR": "out", "FILE.s": "program.s", "IMAGE": "program.mem",
	"STUDY.yaml": "examples/studies/startup.yaml", "STORE.db": "startup.db",
	"ADDRESS": exampleServer + " --token-file token", "BETA": "3/2", "M": "100", "L": "10", "S": "20", "R": "0.1",
	"meshwright import FILE": "examples/imports/exchange-4x4.tdm", "meshwright plan order T": "path:4", "meshwright plan order L": "3,2,1",
	"meshwright cosim T": "path:4", "meshwright synth T": "path:2 --machine bufferless --width 8 --target generic", "meshwright run FILE": "examples/schedules/collide.csv", "meshwright cosim FILE": "examples/schedules/collide.csv",
	"meshwright export FILE": "examples/schedules/collide.csv", "meshwright watch FILE": "examples/schedules/collide.csv",
	"meshwright plan COLLECTIVE": "scatter", "meshwright sweep around T": "mesh:2x2", "meshwright mutate T": "path:2", "meshwright mutate COLLECTIVE": "scatter --width 8 --mutants 2",
	"meshwright mutate FILE": "examples/schedules/collide.csv --width 8 --mutants 2",
}

// shorter has flags with which a synopsis alone does not take minutes.
var shorter = map[string]string{"meshwright cosim": " --simulator icarus", "meshwright bench schedules": " --jobs 1 --nodes 8 scatter", "meshwright bench scoreboard": " te-ccl"}

var optional = regexp.MustCompile(` \[[^]]*\]`)

// lines are the command lines that a synopsis stands for: without what is optional,
// one for each alternative.
func (h *helpOf) lines(t *testing.T, synopsis string) []string {
	lines := []string{""}
	for _, word := range strings.Fields(optional.ReplaceAllString(synopsis, "")) {
		var longer []string
		for _, choice := range strings.Split(word, "|") {
			for _, line := range lines {
				longer = append(longer, line+" "+h.fill(t, choice))
			}
		}
		lines = longer
	}
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i]) + shorter[h.path]
	}
	return lines
}

func (h *helpOf) fill(t *testing.T, word string) string {
	if strings.ToUpper(word[:1]) != word[:1] || word[:1] == "-" {
		return word
	}
	for _, key := range []string{h.path + " " + word, word} {
		if value, ok := words[key]; ok {
			return value
		}
	}
	require.Fail(t, "nothing stands for a word of a synopsis", "%s: %s", h.path, word)
	return ""
}

// nameOfFile is in a command line that reads or writes a file, on which other lines may depend.
var nameOfFile = regexp.MustCompile(`\.[a-z]`)

// documented returns the command lines of README and docs that name no files. The tests
// of docs run these lines and compare their output.
func documented(t *testing.T, root string) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, paths, pattern)
		for _, path := range paths {
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			for line := range strings.Lines(string(text)) {
				if command, ok := strings.CutPrefix(line, "$ "); ok && !nameOfFile.MatchString(command) {
					found[strings.TrimSpace(command)] = true
				}
			}
		}
	}
	return found
}

// longExample is in examples that take a second or more: they build with Verilator, search, or measure speed. They run in a soak.
// Every command has others.
var longExample = regexp.MustCompile(`make -C|^meshwright bench (saturated-8x8$|network|schedules)|distance --nodes 30|tolerance -t mesh:8x8|--saturation --json`)

// Every command's help has examples, and all of them work as they stand; and so does
// its synopsis, with only what it says: of the alternatives, the first of every three.
// Those of docs are run there, and those that take long in a soak.
func TestHelpTextsWork(t *testing.T) {
	need(t, "tshark", "tshark")
	need(t, "iverilog", "iverilog make")
	need(t, "verilator", "verilator g++ make")
	need(t, "yosys", "yosys")
	need(t, "nextpnr-ice40", "nextpnr-ice40")
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	elsewhere := documented(t, root)
	all := helps(t, t.TempDir())
	require.Greater(t, len(all), 15)
	for _, h := range all {
		t.Run(strings.ReplaceAll(h.path, " ", "_"), func(t *testing.T) {
			t.Parallel()
			require.NotEmpty(t, h.examples, "%s has no example", h.path)
			require.NotEmpty(t, h.synopses, h.path)
			dir := t.TempDir()
			require.NoError(t, os.Symlink(filepath.Join(root, "examples"), filepath.Join(dir, "examples")))
			for _, line := range ingredients[h.path] {
				shell(t, dir, line)
			}
			server := ""
			if h.path == "meshwright work" {
				server = exampleSweeps(t, dir)
			}
			shell := shell
			if h.path == "meshwright serve" {
				shell = until // it runs until it is interrupted
			}
			for _, line := range h.examples {
				if !elsewhere[line] && (soak.On() || !longExample.MatchString(line)) {
					shell(t, dir, strings.ReplaceAll(line, exampleServer, server))
				}
			}
			for _, line := range h.synopses {
				if strings.HasSuffix(line, "[command]") {
					continue // the children have their own
				}
				for _, line := range soak.Some(7, h.lines(t, line)) {
					if !slices.Contains(h.examples, line) && !elsewhere[line] {
						shell(t, dir, strings.ReplaceAll(line, exampleServer, server))
					}
					require.NoError(t, os.RemoveAll(filepath.Join(dir, words["DIR"])))
				}
			}
		})
	}
}

// until runs a command line for a second; it must still run then.
func until(t *testing.T, dir, line string) {
	t.Helper()
	shell(t, dir, "timeout --signal=INT 1 "+line+"; test $? = 124")
}

// shell runs a command line in a folder; it must succeed.
func shell(t *testing.T, dir, line string) {
	t.Helper()
	cmd := proctest.Command(t, "sh", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
	got := speak(t, cmd)
	require.Equal(t, 0, got.code, "%s\n%s%s", line, got.stdout, got.stderr)
}
