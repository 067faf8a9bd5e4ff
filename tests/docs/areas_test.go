// SPDX-License-Identifier: Apache-2.0

package docs

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var areas = flag.String("areas", "", "measure the rows of docs/synthesis.md, or the modules of docs/modules, that match a regular expression, which takes minutes; with -update write them")

// areaRow matches a row of a table of areas: what it is, the flags of synth, and the figures. A row without a clock has a dash.
var areaRow = regexp.MustCompile("^(\\| [^|]* \\| `([^`|]+)` )\\| ([0-9?]+) \\| ([0-9?]+) \\| ([0-9?]+) \\| ([0-9.?]+|–) \\|$")

// The tables of docs/synthesis.md are those of the verb synth: by default the smallest chip is synthesized again.
func TestAreasAreThoseOfSynth(t *testing.T) {
	path := filepath.Join(root, "docs", "synthesis.md")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	lines := strings.Split(string(text), "\n")
	smallest, least := -1, 0
	for i, line := range lines {
		if m := areaRow.FindStringSubmatch(line); m != nil {
			if luts, err := strconv.Atoi(m[3]); err == nil && (smallest < 0 || luts < least) {
				smallest, least = i, luts
			}
		}
	}
	require.True(t, smallest >= 0 || *areas != "", "the page has a table of areas")
	chosen := regexp.MustCompile(*areas)
	for i, line := range lines {
		m := areaRow.FindStringSubmatch(line)
		if m == nil || (*areas == "" && i != smallest) || !chosen.MatchString(line) {
			continue
		}
		areaOnly := m[6] == "–"
		fresh := m[1] + measured(t, m[2], areaOnly || *areas == "")
		if *areas == "" {
			fresh = fresh[:strings.LastIndex(fresh, " | ")] + " | " + m[6] + " |"
		}
		if *update {
			lines[i] = fresh
			require.NoError(t, os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644))
		}
		require.Equal(t, lines[i], fresh, "go test ./tests/docs -run Areas -areas . -update measures again")
	}
}

// measured returns the figures of a row.
func measured(t *testing.T, flags string, areaOnly bool) string {
	if areaOnly {
		flags += " --area"
	}
	return "| " + strings.Join(synthesized(t, flags), " | ") + " |"
}

// synthesized returns LUT4, flip-flops, block RAMs and MHz that synth prints, a dash where nothing has been placed.
func synthesized(t *testing.T, flags string) []string {
	line := "meshwright synth --json " + flags
	var r struct {
		LUT4 int      `json:"lut4"`
		FF   int      `json:"ff"`
		BRAM int      `json:"bram"`
		MHz  *float64 `json:"mhz"`
	}
	printed := shell(t, t.TempDir(), line)
	require.NoError(t, json.Unmarshal([]byte(printed), &r), "%s: %s", line, printed)
	clock := "–"
	if r.MHz != nil {
		clock = strconv.FormatFloat(*r.MHz, 'f', 1, 64)
	}
	return []string{strconv.Itoa(r.LUT4), strconv.Itoa(r.FF), strconv.Itoa(r.BRAM), clock}
}
