// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// The Python package's own tests pass with this build's program.
func TestPythonPackage(t *testing.T) {
	t.Parallel()
	need(t, "python3", "python3")
	folder, err := filepath.Abs("../python")
	require.NoError(t, err)
	cmd := proctest.Command(t, "python3", "-W", "error", "-m", "unittest", "discover", "-s", "tests")
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "MESHWRIGHT="+binary, "PYTHONPATH="+folder, "PYTHONDONTWRITEBYTECODE=1")
	text, err := cmd.CombinedOutput()
	require.NoError(t, err, string(text))
	require.Contains(t, string(text), "Ran 35 tests")
}
