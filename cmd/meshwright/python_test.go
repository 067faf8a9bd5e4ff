// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// pythonConstant returns what a constant of the Python package stands for: one text, or those of a tuple.
func pythonConstant(t *testing.T, name string) []string {
	text, err := os.ReadFile("../../python/meshwright/__init__.py")
	require.NoError(t, err)
	found := regexp.MustCompile(`(?ms)^` + name + ` = (\(.*?\)|".*?")$`).FindSubmatch(text)
	require.NotNil(t, found, name)
	var texts []string
	for _, quoted := range regexp.MustCompile(`"([^"]*)"`).FindAllSubmatch(found[1], -1) {
		texts = append(texts, string(quoted[1]))
	}
	return texts
}

// The Python package has the release of the program.
func TestPythonVersion(t *testing.T) {
	require.Equal(t, []string{release}, pythonConstant(t, "__version__"))
}

// The Python package repeats the flags that may be repeated, and joins the values of the others.
func TestPythonRepeats(t *testing.T) {
	repeated := map[string]bool{}
	var walk func(*cobra.Command)
	walk = func(cmd *cobra.Command) {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Value.Type() == "stringArray" || strings.Contains(f.Usage, "may be repeated") {
				repeated[f.Name] = true
			}
		})
		for _, sub := range cmd.Commands() {
			walk(sub)
		}
	}
	walk(newRoot())
	var names []string
	for name := range repeated {
		names = append(names, name)
	}
	slices.Sort(names)
	require.Equal(t, names, pythonConstant(t, "_REPEATED"))
}
