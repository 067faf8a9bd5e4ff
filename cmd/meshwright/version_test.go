// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVersionNamesTheCommitWhereGoKnowsIt(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	on := ", " + runtime.Version() + " " + runtime.GOOS + "/" + runtime.GOARCH
	vcs := func(revision, modified string) *debug.BuildInfo {
		return &debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: revision}, {Key: "vcs.modified", Value: modified}}}
	}
	for _, row := range []struct {
		name           string
		info           *debug.BuildInfo
		inResults, all string
	}{
		{"clean", vcs(commit, "false"), "0.1.0 (0123456789ab)", "meshwright 0.1.0, commit " + commit + on},
		{"modified", vcs(commit, "true"), "0.1.0 (0123456789ab, modified)", "meshwright 0.1.0, commit " + commit + ", modified" + on},
		{"without version control", &debug.BuildInfo{}, "0.1.0", "meshwright 0.1.0, commit not known" + on},
		{"without build information", nil, "0.1.0", "meshwright 0.1.0, commit not known" + on},
		{"a short revision", vcs("12", "false"), "0.1.0 (12)", "meshwright 0.1.0, commit 12" + on},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := buildOf(row.info)
			require.Equal(t, row.inResults, b.String())
			require.Equal(t, row.all, b.versionLine())
		})
	}
}

// The list of changes begins with this version.
func TestChangesOfThisVersionAreListed(t *testing.T) {
	text, err := os.ReadFile("../../CHANGELOG.md")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(string(text), "# Changes\n\n## "+release+"\n"))
}
