// SPDX-License-Identifier: Apache-2.0

// Command meshwright runs firmware schedules on emulated mesh routing chips,
// checks schedules, and exports the chips as Verilog with test vectors.
package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"meshwright/fabric"
	"meshwright/internal/progress"
	"meshwright/rtl/tool"
)

// Exit codes.
const (
	exitFailed  = 1 // a check failed: collision, mismatch, wrong delivery
	exitUsage   = 2 // bad usage or input
	exitMissing = 3 // an external tool is not installed
	// 4 is exitTooLarge, see memory.go
	exitSignal = 130
	exitPipe   = 141 // nobody reads standard output any more
)

// errFailed is a check that failed and has said so on standard output.
var errFailed = errors.New("the check failed")

func main() {
	if err := scarce(); err != nil {
		complain(os.Stderr, err)
		os.Exit(exitTooLarge)
	}
	if code, ok := supervised(os.Args[1:]); ok {
		os.Exit(code)
	}
	surviveClosedPipes()
	stdout, stderr, listener := streams(os.Stdout, standardError())
	ctx, signals := interruptible(stderr)
	if listener != nil {
		ctx = progress.With(ctx, listener)
	}
	signals.end(execute(ctx, os.Args[1:], stdout, stderr))
}

// execute runs one command line and returns its exit code.
func execute(ctx context.Context, args []string, out, stderr io.Writer) int {
	root := rootFor(args)
	if len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd) {
		letAgain(root)
	}
	root.SetArgs(args)
	stdout := newStdout(out)
	root.SetOut(stdout)
	mendCompletion(root)
	root.SetErr(stderr)
	phase := progress.Begin(ctx, strings.Join(args, " "), 0) // whatever is not a phase of its own
	cmd, err := root, helpOfNothing(root, args)
	if err == nil {
		cmd, err = root.ExecuteContextC(ctx)
	}
	phase.End()
	err = stdout.finish(err)
	var missing *tool.Missing
	large := tooLarge(cmd, err)
	switch {
	case err == nil:
		return 0
	case large != nil:
		sayTooLarge(cmd, stderr, large)
		return exitTooLarge
	case errors.Is(err, errFailed):
		return exitFailed
	case errors.Is(err, errPipe):
		return exitPipe
	case ctx.Err() != nil:
		if unsaved := new(fabric.Unsaved); errors.As(err, &unsaved) {
			complain(stderr, err)
		}
		return exitSignal // whoever ends the process says so
	}
	if errors.As(err, &missing) {
		complain(stderr, err)
		return exitMissing
	}
	complain(stderr, oneDash(cmd, args, err))
	return exitUsage
}

// newRoot returns the whole program.
func newRoot() *cobra.Command { return programOf(allVerbs()) }

// rootFor returns the program for a command line: with the verb that it begins with alone, as the flags of all
// verbs take longer to declare than many a verb takes to run. Manual pages and completions tell of all verbs.
func rootFor(args []string) *cobra.Command {
	all := allVerbs()
	if len(args) > 0 && args[0] != "man" {
		if i := slices.IndexFunc(all, func(v verbOf) bool { return v.name == args[0] }); i >= 0 {
			return programOf(all[i : i+1])
		}
	}
	return newRoot()
}

// verbOf is a verb that may be declared.
type verbOf struct {
	name    string
	declare func() *cobra.Command
}

func allVerbs() []verbOf {
	return []verbOf{
		{"run", newRun},
		{"check", newCheck},
		{"cosim", newCosim},
		{"export", newExport},
		{"extcap", newExtcap},
		{"import", newImport},
		{"bench", newBench},
		{"traffic", newTraffic},
		{"deadlock", newDeadlock},
		{"synth", newSynth},
		{"mutate", newMutate},
		{"plan", newPlan},
		{"sweep", newSweep},
		{"serve", newServe},
		{"work", newWork},
		{"report", newReport},
		{"asm", newAsm},
		{"disasm", newDisasm},
		{"dissector", newDissector},
		{"draw", newDraw},
		{"list", newList},
		{"man", newMan},
		{"version", newVersion},
		{"watch", newWatch},
	}
}

func programOf(shown []verbOf) *cobra.Command {
	root := &cobra.Command{
		Use:   "meshwright",
		Short: "Emulate mesh routing chips, check their schedules, export them as Verilog",
		Long: `meshwright runs collective operations as firmware on a cycle-level model of mesh
routing chips, checks schedules for collisions, and exports the same chips as
Verilog with vectors that Icarus Verilog and Verilator compare cycle by cycle.

The environment variable GOMAXPROCS says how many cores a verb uses; by default it uses all.

Exit codes: 0 fine; 1 a check failed; 2 bad usage or input; 3 an external tool
is missing; 4 too large for the memory limit or for ulimit; 130 interrupted;
141 the reader of the output closed the pipe.`,
		Example: `  meshwright run gossip --topology mesh:4x4
  meshwright list topologies
  meshwright help run`,
		Args:              verb,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: prepare,
		SilenceUsage:      true,
		SilenceErrors:     true,
		Version:           thisBuild().versionLine(),
	}
	addMemory(root)
	addProgress(root)
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(showUsage)
	root.SetHelpCommand(newHelp(root))
	root.SetVersionTemplate("{{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = true
	for _, v := range shown {
		root.AddCommand(v.declare())
	}
	addCompletions(root)
	holdOnce(root)
	return root
}
