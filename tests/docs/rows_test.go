// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	runTable = regexp.MustCompile(`(?m)^\$ meshwright run [^\n]*\n(?:[^$┌\n][^\n]*\n)*┌─*┬─*┐\n((?:│[^\n]*\n)+)`)
	rowName  = regexp.MustCompile(`(?m)^│ (\S[^│]*?) *│`)
	factName = regexp.MustCompile(`Fact\{(?:\{)?Key: "[^"]*", Name: "([^"]+)"|^\s*\{Key: "[^"]*", Name: "([^"]+)", Value`)
	boldText = regexp.MustCompile(`\*\*([^*]+?)\.?\*\*`)
)

// docs/definitions.md explains every row of a run's report: those that the documents show, and those that algorithms have of their own.
func TestDefinitionsExplainEveryRowOfARun(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "docs", "definitions.md"))
	require.NoError(t, err)
	_, section, _ := strings.Cut(string(page), "## Rows of a report")
	section, _, _ = strings.Cut(section, "\n## ")
	explained := map[string]bool{}
	for _, bold := range boldText.FindAllStringSubmatch(section, -1) {
		explained[bold[1]] = true
		for _, name := range strings.Split(bold[1], ", ") {
			explained[name] = true
		}
	}
	shown := rowsShown(t)
	require.Greater(t, len(shown), 30)
	facts := factNames(t)
	require.Greater(t, len(facts), 25)
	for _, name := range append(shown, facts...) {
		require.True(t, explained[name], "docs/definitions.md does not explain the row %q", name)
	}
}

// rowsShown lists the rows of the reports of runs in the documents.
func rowsShown(t *testing.T) []string {
	seen := map[string]bool{}
	for _, path := range documents(t) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, table := range runTable.FindAllStringSubmatch(string(text), -1) {
			for _, row := range rowName.FindAllStringSubmatch(table[1], -1) {
				seen[row[1]] = true
			}
		}
	}
	return namesOf(seen)
}

// factNames lists the names of the rows that algorithms add to a report.
func factNames(t *testing.T) []string {
	seen := map[string]bool{}
	err := filepath.WalkDir(filepath.Join(root, "firmware"), func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for line := range strings.Lines(string(text)) {
			for _, m := range factName.FindAllStringSubmatch(line, -1) {
				seen[m[1]+m[2]] = true
			}
		}
		return err
	})
	require.NoError(t, err)
	return namesOf(seen)
}

func namesOf(set map[string]bool) []string {
	return slices.Sorted(maps.Keys(set))
}
