// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric/machine"
	"meshwright/fabric/traffic"
	"meshwright/firmware/loader"
	"meshwright/internal/input"
	"meshwright/internal/scratch"
)

// stdinOnce refuses a command line that reads standard input twice.
func stdinOnce(cmd *cobra.Command, args []string) error {
	var by []string
	for range slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return arg != input.Stdin }) {
		by = append(by, "an argument")
	}
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		values := []string{flag.Value.String()}
		if list, many := flag.Value.(pflag.SliceValue); many {
			values = list.GetSlice()
		}
		for _, value := range values {
			if readsStdin(flag.Name, value) {
				by = append(by, "--"+flag.Name)
			}
		}
	})
	if len(by) > 1 {
		return input.At(input.Stdin, 0, "expected - once", "named by %s", strings.Join(by, " and by "))
	}
	return nil
}

// readsStdin reports whether a flag's value names standard input to read. A
// plain - names standard output for all other flags.
func readsStdin(flag, value string) bool {
	switch flag {
	case "machine", "faults", machine.LinksKey:
		return value == input.Stdin
	case "topology":
		return value == "tree:"+input.Stdin || value == "graph:"+input.Stdin
	case "pattern":
		path, ok := traffic.PatternFile(value)
		return ok && path == input.Stdin
	case "lengths", "packets":
		return value == "@"+input.Stdin
	case "firmware", "memory-image", "expect":
		return loader.FileOf(value) == input.Stdin
	}
	return false
}

// toStdout is the name of standard output in flags that name a file to write.
const toStdout = "-"

// standardOutput takes the one file of a verb that is to go to standard output.
// It waits in a temporary file, so that it appears whole or not at all; what
// the verb prints goes to standard error then.
type standardOutput struct {
	by     string // the flag; "": none
	folder *scratch.Temporary
	path   string
}

// take gives the file of a flag a temporary name if it is standard output.
func (o *standardOutput) take(by string, path *string) error {
	switch {
	case *path != toStdout:
		return nil
	case o.by != "":
		return input.At(by, 0, "expected a file: "+o.by+" has standard output", "%q", toStdout)
	}
	folder, err := scratch.NewTemporary("output")
	if err != nil {
		return err
	}
	o.by, o.folder, o.path = by, folder, folder.Path+string(os.PathSeparator)+"output.csv" // of the form that flags for tables want
	*path = o.path
	return nil
}

// table returns the writer for the verb's report.
func (o *standardOutput) table(cmd *cobra.Command) io.Writer {
	if o.by != "" {
		return cmd.ErrOrStderr()
	}
	return cmd.OutOrStdout()
}

// send copies the file to standard output, if there is one.
func (o *standardOutput) send(w io.Writer) error {
	if o.by == "" {
		return nil
	}
	f, err := os.Open(o.path)
	if os.IsNotExist(err) {
		return nil // the verb had nothing to write
	}
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// end removes the temporary file.
func (o *standardOutput) end() {
	if o.folder != nil {
		_ = o.folder.Remove() // it is beside nothing of the user's
	}
}
