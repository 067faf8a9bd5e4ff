// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective"
)

// The table of docs/firmware.md lists every algorithm under its collective, and no others.
func TestFirmwarePageListsEveryAlgorithm(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "firmware.md"))
	require.NoError(t, err)
	want := map[string]bool{"all auto": true}
	for _, a := range collective.Table() {
		if a.Name != "auto" {
			want[a.Collective+" "+a.Name] = true
		}
	}
	require.Equal(t, want, listed(string(page)))
}

// listed has "collective algorithm" for every name in the second column of the table.
func listed(page string) map[string]bool {
	names := map[string]bool{}
	_, section, _ := strings.Cut(page, "## Algorithms")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, row := range regexp.MustCompile(`(?m)^\| ([a-z, -]+) \| (.*?) \|`).FindAllStringSubmatch(section, -1) {
		for _, name := range regexp.MustCompile("`([a-z][a-z0-9-]+)`").FindAllStringSubmatch(row[2], -1) {
			for _, kind := range strings.Split(row[1], ", ") {
				names[kind+" "+name[1]] = true
			}
		}
	}
	return names
}
