// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
)

// algorithmRow matches a row of the table of docs/firmware.md: collectives, algorithms, topologies, switchings and the rest.
var algorithmRow = regexp.MustCompile(`(?m)^\| ([a-z, -]+) \| (.*?) \| (.*?) \| (.*?) \| (.*) \|$`)

// The table of docs/firmware.md lists every algorithm under its collective, and no others,
// with the topologies and switchings of the registry. The row of auto stands for all collectives.
func TestFirmwarePageListsEveryAlgorithm(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "firmware.md"))
	require.NoError(t, err)
	want := map[string]string{"all auto": "as below; as below"}
	for _, a := range collective.Table() {
		if a.Name != "auto" {
			want[a.Collective+" "+a.Name] = a.On + "; " + switchings(a.Switchings)
		}
	}
	got := listed(string(page))
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch row, ok := got[name]; {
		case !ok:
			t.Errorf("docs/firmware.md lacks a row for %s, with %q in the table below \"Algorithms\"", name, want[name])
		case row != want[name]:
			t.Errorf("docs/firmware.md says %q of %s, expected %q", row, name, want[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[name]; !ok {
			t.Errorf("docs/firmware.md has a row for %s, which the table of algorithms does not have", name)
		}
	}
}

// switchings names switchings as `meshwright list` does.
func switchings(list []machine.Switching) string {
	if len(list) == len(machine.Switchings()) {
		return "all"
	}
	var names []string
	for _, s := range list {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// listed has "topologies; switchings" for every "collective algorithm" of the table.
func listed(page string) map[string]string {
	rows := map[string]string{}
	_, section, _ := strings.Cut(page, "## Algorithms")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, row := range algorithmRow.FindAllStringSubmatch(section, -1) {
		for _, name := range regexp.MustCompile("`([a-z][a-z0-9-]+)`").FindAllStringSubmatch(row[2], -1) {
			for _, kind := range strings.Split(row[1], ", ") {
				rows[kind+" "+name[1]] = row[3] + "; " + row[4]
			}
		}
	}
	return rows
}
