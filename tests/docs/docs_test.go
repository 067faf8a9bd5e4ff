// SPDX-License-Identifier: Apache-2.0

// Package docs holds README and docs to what they show: every command in them
// is run, and what it prints is compared.
package docs

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

var update = flag.Bool("update", false, "write what the commands print into the documents, and the pictures")

// root is the project's folder.
const root = "../.."

// binDir holds the freshly built meshwright.
var binDir string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(run(m))
}

func run(m *testing.M) int {
	var err error
	if binDir, err = os.MkdirTemp("", "meshwright-docs-*"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(binDir)
	build := exec.Command("go", "build", "-buildvcs=false", "-o", filepath.Join(binDir, "meshwright"), "./cmd/meshwright")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
		return 1
	}
	if err := os.Unsetenv("GOGC"); err != nil { // it is for this process and the build, and users have none
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func documents(t *testing.T) []string {
	var found []string
	for _, pattern := range []string{"docs/*.md", "docs/algorithms/*.md"} {
		some, err := filepath.Glob(filepath.Join(root, pattern))
		require.NoError(t, err)
		require.NotEmpty(t, some)
		found = append(found, some...)
	}
	return append(found, filepath.Join(root, "README.md"), filepath.Join(root, "CONTRIBUTING.md"))
}

// workplace is an empty folder in which the project's folders can be named.
func workplace(t *testing.T) string {
	dir := t.TempDir()
	top, err := filepath.Abs(root)
	require.NoError(t, err)
	for _, name := range []string{"examples", "rtl", "firmware", "capture", "docs"} {
		require.NoError(t, os.Symlink(filepath.Join(top, name), filepath.Join(dir, name)))
	}
	return dir
}

// shell runs a line and returns what it prints, with the exit code when it is not 0.
func shell(t *testing.T, dir, line string) string {
	cmd := proctest.Command(t, "sh", "-c", line)
	cmd.Dir = dir
	top, err := filepath.Abs(root)
	require.NoError(t, err)
	cmd.Env = append(os.Environ(), "PATH="+binDir+string(os.PathListSeparator)+os.Getenv("PATH"), "MAKEFLAGS=", "LC_ALL=C",
		"MESHWRIGHT="+top, "GOWORK=", "GOFLAGS=-trimpath") // as the tests are built: packages that have been built for them are taken
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		fmt.Fprintf(&out, "[exit %d]\n", exit.ExitCode())
	} else {
		require.NoError(t, err)
	}
	return out.String()
}

// The test runs each "$ command" of a console block, in the order of the document.
// The lines below a command are its expected output; without such lines the command
// only has to succeed. The pictures of the document must equal the pictures that its
// commands write.
func TestCommandsPrintWhatTheDocumentsShow(t *testing.T) {
	for _, path := range documents(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			dir := workplace(t)
			var fresh strings.Builder
			inside := false
			lines := strings.SplitAfter(string(text), "\n")
			for i := 0; i < len(lines); {
				line := lines[i]
				i++
				fresh.WriteString(line)
				if strings.HasPrefix(line, "```") {
					inside = strings.TrimSpace(line) == "```console"
				}
				command, ok := strings.CutPrefix(line, "$ ")
				if !inside || !ok {
					continue
				}
				var shown strings.Builder
				for ; !strings.HasPrefix(lines[i], "$ ") && !strings.HasPrefix(lines[i], "```"); i++ {
					shown.WriteString(lines[i])
				}
				printed := shell(t, dir, strings.TrimSpace(command))
				if shown.Len() == 0 {
					require.NotRegexp(t, `(?m)^\[exit \d+\]$`, printed, command)
					continue
				}
				if !*update {
					require.Equal(t, shown.String(), printed, command)
				}
				fresh.WriteString(printed)
			}
			if *update {
				require.NoError(t, os.WriteFile(path, []byte(fresh.String()), 0o644))
			}
			requirePictures(t, string(text), dir)
		})
	}
}

// The make targets that sh blocks name are the project's.
func TestMakeTargetsExist(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	targets := 0
	for _, path := range documents(t) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(string(text), -1) {
			for line := range strings.Lines(block[1]) {
				if target, ok := strings.CutPrefix(strings.TrimSpace(line), "make "); ok {
					require.Regexp(t, `(?m)^`+target+`:`, string(makefile), path)
					targets++
				}
			}
		}
	}
	require.GreaterOrEqual(t, targets, 2)
}

// Links between documents lead somewhere.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, path := range documents(t) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, link := range regexp.MustCompile(`\]\(([^)#]+)\)`).FindAllStringSubmatch(string(text), -1) {
			_, err := os.Stat(filepath.Join(filepath.Dir(path), link[1]))
			require.NoError(t, err, path)
		}
	}
}
