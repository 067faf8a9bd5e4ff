// SPDX-License-Identifier: Apache-2.0

// Package tool finds and runs the external programs that read Verilog. A
// program that runs ends with its context and with the process, and takes all
// its descendants with it.
package tool

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Missing is the error of a program that is not installed, or too old.
type Missing struct {
	Tool     string
	Packages []string // Debian's names
	Found    string   // the version that is there; "": none
	Needed   string   // the oldest version that will do; "": any
}

// Error names the program and the command that installs it.
func (m *Missing) Error() string {
	install := "on Debian or Ubuntu: apt-get install " + strings.Join(m.Packages, " ")
	if m.Found != "" {
		return fmt.Sprintf("%s %s is too old (expected version %s or newer; %s)", m.Tool, m.Found, m.Needed, install)
	}
	if m.Needed != "" {
		install = "expected version " + m.Needed + " or newer; " + install
	}
	return fmt.Sprintf("%s is not installed (%s)", m.Tool, install)
}

// Find returns a *Missing when one of the commands that packages bring is not there.
func Find(commands, packages []string) error {
	for _, command := range commands {
		if _, err := exec.LookPath(command); err != nil {
			return &Missing{Tool: command, Packages: packages}
		}
	}
	return nil
}

// Program is a command that tells its version.
type Program struct {
	Command  string
	Ask      string // the argument by which it tells
	Oldest   string // version that will do
	Packages []string
}

// version matches a version such as 0.23 or 0.4-1+b1.
var version = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)+[-+.~0-9a-zA-Z]*`)

// Version asks a program for its version. It returns a *Missing when the
// program is not there or too old.
func (p *Program) Version(ctx context.Context, dir string) (string, error) {
	missing := &Missing{Tool: p.Command, Packages: p.Packages, Needed: p.Oldest}
	if _, err := exec.LookPath(p.Command); err != nil {
		return "", missing
	}
	text, err := Output(ctx, filepath.Join(dir, "none"), p.Command, p.Ask)
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", p.Command, p.Ask, err, LastLines(string(text), 1))
	}
	found := version.FindString(string(text))
	if found == "" {
		return "", fmt.Errorf("%s %s: no version in %q", p.Command, p.Ask, LastLines(string(text), 1))
	}
	if slices.Compare(numbers(found), numbers(p.Oldest)) < 0 {
		missing.Found = found
		return "", missing
	}
	return found, nil
}

// numbers are the leading numbers of a version, joined by dots.
func numbers(version string) []int {
	var list []int
	for part := range strings.SplitSeq(version, ".") {
		digits := strings.IndexFunc(part, func(r rune) bool { return r < '0' || r > '9' })
		if digits < 0 {
			digits = len(part)
		}
		n, err := strconv.Atoi(part[:digits])
		if err != nil {
			break
		}
		list = append(list, n)
		if digits < len(part) {
			break
		}
	}
	return list
}

// LastLines joins the last lines of what a program printed.
func LastLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "; ")
}
