// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// release is the version of the sources.
const release = "0.1.0"

// build describes the sources of a binary. Its JSON names are a contract.
type build struct {
	// Release of the sources.
	Release string `json:"release"`
	// Commit that the binary was built from, in hexadecimal; "" where Go was not told.
	Commit string `json:"commit"`
	// Time of the commit, RFC 3339; "" where Go was not told.
	Time string `json:"commit_time"`
	// Whether sources were changed since the commit.
	Modified bool `json:"modified"`
	// Version of Go that compiled the binary.
	Go string `json:"go"`
	// Operating system and processor that the binary is for.
	Platform string `json:"platform"`
}

// thisBuild asks Go for the build information of this binary.
func thisBuild() build {
	info, _ := debug.ReadBuildInfo() // nil without modules
	return buildOf(info)
}

// buildOf reads what Go knows of a binary; info may be nil.
func buildOf(info *debug.BuildInfo) build {
	b := build{Release: release, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info == nil {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Commit = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}

// shortCommit is how much of a commit names it.
const shortCommit = 12

// String is the version in results: the release, and the commit where it is known.
func (b build) String() string {
	switch commit := b.Commit[:min(len(b.Commit), shortCommit)]; {
	case commit == "":
		return b.Release
	case b.Modified:
		return b.Release + " (" + commit + ", modified)"
	default:
		return b.Release + " (" + commit + ")"
	}
}

// version is the version in results.
func version() string { return thisBuild().String() }

// versionLine returns the line that --version prints.
func (b build) versionLine() string {
	commit := "commit not known"
	if b.Commit != "" {
		commit = "commit " + b.Commit
		if b.Modified {
			commit += ", modified"
		}
	}
	return fmt.Sprintf("meshwright %s, %s, %s %s", b.Release, commit, b.Go, b.Platform)
}

func newVersion() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "version",
		Short:   "Print version, commit and Go version of this binary",
		Example: "  meshwright version --json",
		Args:    arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if asJSON {
				return printJSON(cmd.OutOrStdout(), thisBuild())
			}
			_, err := io.WriteString(cmd.OutOrStdout(), thisBuild().versionLine()+"\n")
			return err
		},
	}
	addJSON(cmd, &asJSON)
	return cmd
}
