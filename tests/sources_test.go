// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// largestSource is far above the largest table of the tests, and far below a program.
const largestSource = 1 << 20

// The repository holds sources and small data: a program that was built in its folder is not committed with them.
func TestSourcesAreSmall(t *testing.T) {
	root, err := filepath.Abs("..")
	require.NoError(t, err)
	names := []string{"go.mod"}
	if _, err := os.Stat(filepath.Join(root, ".git")); err == nil {
		list, err := proctest.Command(t, "git", "-c", "safe.directory="+root, "-C", root, "ls-files", "-z").Output()
		require.NoError(t, err)
		names = strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00")
		require.Greater(t, len(names), 1000)
	}
	for _, name := range names {
		info, err := os.Lstat(filepath.Join(root, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, and not yet committed
		}
		require.NoError(t, err)
		require.LessOrEqual(t, info.Size(), int64(largestSource), name)
	}
}

// opens matches calls that open or look at files without package confine.
var opens = regexp.MustCompile(`\b(?:os\.(?:Open|OpenFile|OpenRoot|ReadFile|ReadDir|Stat|Lstat|Readlink|DirFS|Create|WriteFile|Symlink|Mkdir|MkdirAll)|filepath\.(?:Walk|WalkDir|Glob))\(`)

// ownFiles are the sources that do so, of the packages behind the verbs that requests may name, and why.
var ownFiles = map[string]string{
	"capture/wave/file.go":                      "a temporary file",
	"capture/wave/simulator.go":                 "cosim, which is not for requests",
	"firmware/collective/collectivetest/job.go": "tests",
	"firmware/loader/dump.go":                   "files in a new folder of atomicfile",
	"internal/input/paths.go":                   "behind a check of the folder",
	"schedule/workload/payload.go":              "behind a look at the folder",
}

// Files that users name are opened through package confine, so that a request of meshwright serve reads no other files than its own.
func TestFilesOfUsersAreConfined(t *testing.T) {
	found := 0
	for _, top := range []string{"capture", "fabric", "firmware", "formats", "router", "schedule", "study/point", "study/formula", "internal/input", "internal/snapshot", "internal/yamltext"} {
		require.NoError(t, filepath.WalkDir(filepath.Join("..", top), func(path string, entry fs.DirEntry, err error) error {
			name, _ := filepath.Rel("..", path)
			if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || ownFiles[filepath.ToSlash(name)] != "" {
				return err
			}
			text, err := os.ReadFile(path)
			found++
			require.Empty(t, opens.FindAllString(string(text), -1), "%s: expected confine.Open, confine.Stat or input.ReadFile", name)
			return err
		}))
	}
	require.Greater(t, found, 100)
}
