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

// limits returns the limits in docs/machines.md, by the form of a topology.
func limits(t *testing.T) map[string]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(root, "docs", "machines.md"))
	require.NoError(t, err)
	found := map[string]string{}
	for _, row := range topologyRow.FindAllStringSubmatch(string(page), -1) {
		for _, form := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(row[1], -1) {
			require.NotContains(t, found, form[1], "docs/machines.md has two rows for it")
			found[form[1]] = row[2]
		}
	}
	return found
}

// docs/machines.md has a row for every form of a topology, and for no others.
func TestMachinesPageListsEveryTopology(t *testing.T) {
	rows := limits(t)
	for _, f := range topology.Listed() {
		if _, ok := rows[f.String()]; !ok {
			t.Errorf("docs/machines.md lacks a row for `%s` in the table below \"Topologies\"", f)
		}
		delete(rows, f.String())
	}
	require.Empty(t, rows, "rows of docs/machines.md that are no form of a topology")
}

// The limits of docs/machines.md are those of the errors of networks that are too large. The sizes of files have none.
func TestMachinesPageHasTheLimitsOfNetworks(t *testing.T) {
	tooLarge := map[string]string{
		"path": "4194305", "ring": "4194305", "mesh": "4096x1025", "torus": "2048x2049", "hypercube": "23", "twisted-torus": "2048x2049,1", "star": "10",
		"hub": "4194305", "binary": "22", "comb": "2048x2048", "random-tree": "4194305", "recursive-tree": "4194305", "complete": "4097", "debruijn": "23",
		"random": "4194305,3",
	}
	rows := limits(t)
	for _, f := range topology.Listed() {
		if f.Arguments == "FILE" {
			require.Empty(t, rows[f.String()], f.Kind)
			continue
		}
		size, ok := tooLarge[f.Kind]
		require.True(t, ok, "%s: no size of a network that is too large in tests/docs/topologies_test.go", f.Kind)
		delete(tooLarge, f.Kind)
		require.NotEmpty(t, rows[f.String()], "docs/machines.md has no limits of `%s`", f)
		_, err := topology.Parse(f.Kind + ":" + size)
		require.ErrorContains(t, err, "(expected "+strings.TrimPrefix(rows[f.String()], "N: "))
	}
	require.Empty(t, tooLarge)
}
