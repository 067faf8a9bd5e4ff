// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
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
