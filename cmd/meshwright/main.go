// SPDX-License-Identifier: Apache-2.0

// Command meshwright runs firmware schedules on emulated mesh routing chips,
// checks schedules, and exports the chips as Verilog with test vectors.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"meshwright/internal/input"
	"meshwright/rtl/sim"
)

// Exit codes.
const (
	exitFailed  = 1 // a check failed: collision, mismatch, wrong delivery
	exitUsage   = 2 // bad usage or input
	exitMissing = 3 // an external tool is not installed
	exitSignal  = 130
)

// errFailed is a check that failed and has said so on standard output.
var errFailed = errors.New("the check failed")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal kills
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// execute runs one command line and returns its exit code.
func execute(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	var missing *sim.Missing
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFailed):
		return exitFailed
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "meshwright: interrupted")
		return exitSignal
	}
	var file *fs.PathError
	if errors.As(err, &file) && err.Error() == file.Error() {
		err = input.At(file.Path, 0, "", "%v", file.Err) // mostly of files to write
	}
	fmt.Fprintln(stderr, "meshwright: "+strings.ReplaceAll(err.Error(), "\n", "; "))
	if errors.As(err, &missing) {
		return exitMissing
	}
	return exitUsage
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "meshwright",
		Short: "Emulate mesh routing chips, check their schedules, export them as Verilog",
		Long: `meshwright runs collective operations as firmware on a cycle-level model of mesh
routing chips, checks schedules for collisions, and exports the same chips as
Verilog with vectors that Icarus Verilog and Verilator compare cycle by cycle.

Exit codes: 0 fine; 1 a check failed; 2 bad usage or input; 3 an external tool
is missing; 130 interrupted.`,
		Args:              verb,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: notEmpty,
		SilenceUsage:      true,
		SilenceErrors:     true,
		Version:           version(),
	}
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp(root))
	root.SetVersionTemplate("meshwright {{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(newRun(), newCheck(), newCosim(), newExport(), newImport(), newBench(), newPlan(), newSweep(), newAsm(), newDisasm(), newList())
	return root
}
