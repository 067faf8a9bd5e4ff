// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
)

// topologyRow matches a row of the table of topologies in docs/machines.md: topologies, meaning and limits.
var topologyRow = regexp.MustCompile("(?m)^\\| (`[a-z-]+:[^|]*`) \\| [^|]* \\| ([^|]*?) ?\\|$")

// The limits of docs/machines.md are those of the errors of networks that are too large.
func TestMachinesPageHasTheLimitsOfNetworks(t *testing.T) {
	tooLarge := map[string]string{
		"path": "4194305", "ring": "4194305", "mesh": "4096x1025", "torus": "2048x2049", "hypercube": "23", "twisted-torus": "2048x2049,1", "star": "10",
		"hub": "4194305", "binary": "22", "comb": "2048x2048", "random-tree": "4194305", "recursive-tree": "4194305", "complete": "4097", "debruijn": "23",
		"random": "4194305,3",
	}
	page, err := os.ReadFile(filepath.Join(root, "docs", "machines.md"))
	require.NoError(t, err)
	for _, row := range topologyRow.FindAllStringSubmatch(string(page), -1) {
		if row[2] == "" {
			continue // of files
		}
		for _, name := range regexp.MustCompile("`([a-z-]+):").FindAllStringSubmatch(row[1], -1) {
			size, ok := tooLarge[name[1]]
			require.True(t, ok, name[1])
			delete(tooLarge, name[1])
			_, err := topology.Parse(name[1] + ":" + size)
			require.ErrorContains(t, err, "(expected "+strings.TrimPrefix(row[2], "N: "))
		}
	}
	require.Empty(t, tooLarge)
}
