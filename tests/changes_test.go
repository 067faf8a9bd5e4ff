// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// Debian's changelog of a version has the entries of this version alone.
func TestChangesOfAVersion(t *testing.T) {
	const changes = `# Changes

## 0.2.0

### Model

* New.

## 0.1.10

* Nearly the same number.

## 0.1.0

The first version.

* Old, with a line that is longer than the seventy-eight letters that Debian's changelog has.
`
	for version, want := range map[string]string{
		"0.2.0":  "  * New.\n",
		"0.1.10": "  * Nearly the same number.\n",
		"0.1.0":  "  * Old, with a line that is longer than the seventy-eight letters that\n    Debian's changelog has.\n",
		"0.1":    "",
	} {
		cmd := proctest.Command(t, "../scripts/changes.sh", version)
		cmd.Stdin = strings.NewReader(changes)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Equal(t, want, string(out), version)
	}
}
