// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric"
	"meshwright/internal/atomicfile"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/router"
)

// checkpointFlags say where a run saves its state, and from which state it goes on.
type checkpointFlags struct {
	path, restore string
	every         int64
}

func (f *checkpointFlags) add(cmd *cobra.Command) {
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.path, "checkpoint", "", "write the state of the run with --every, and when it is interrupted, so that --restore can go on: `FILE`")
		flags.Int64Var(&f.every, "every", 0, "cycles from one checkpoint to the next")
		flags.StringVar(&f.restore, "restore", "", "go on from the state in a checkpoint of the same job: `FILE`")
	})
}

// check judges the flags before any work is done.
func (f *checkpointFlags) check(cmd *cobra.Command, paths *input.Paths) error {
	for _, file := range []struct{ flag, path string }{{"--checkpoint", f.path}, {"--restore", f.restore}} {
		if file.path == toStdout {
			return input.At(file.flag, 0, "expected a file", "%q", file.path)
		}
	}
	every := cmd.Flags().Changed("every")
	switch {
	case every && f.path == "":
		return input.At("--every", 0, "expected --checkpoint", "no file for checkpoints")
	case every && f.every < 1:
		return input.At("--every", 0, "expected at least 1", "%d", f.every)
	}
	if f.restore != "" && f.restore != f.path {
		paths.Read("--restore", f.restore)
	}
	if f.path == "" {
		return nil
	}
	if err := paths.Write("--checkpoint", f.path); err != nil {
		return err
	}
	return f.try()
}

// try begins a checkpoint and takes it away again: a run of hours should not find out in the end that it cannot write one.
func (f *checkpointFlags) try() error {
	file, err := atomicfile.Create(f.path)
	if err != nil {
		return input.Unusable(f.path, err, "expected a place where a checkpoint can be written")
	}
	return file.Abort()
}

// given is the flag that was given; "" for none.
func (f *checkpointFlags) given() string {
	switch {
	case f.restore != "":
		return "--restore"
	case f.path != "":
		return "--checkpoint"
	}
	return ""
}

// open restores a network, and lets it save its state. All components must be attached.
func (f *checkpointFlags) open(cmd *cobra.Command, n *fabric.Network, facts []fabric.Fact) error {
	if f.given() == "" {
		return nil
	}
	c, err := fabric.NewCheckpoints(n, version(), facts...)
	if err != nil {
		return err
	}
	if f.restore != "" {
		if err := c.Restore(f.restore); err != nil {
			return err
		}
	}
	if f.path != "" {
		c.Keep(f.path, router.Cycle(f.every))
		c.Interrupted = func() {
			fmt.Fprintf(cmd.ErrOrStderr(), "meshwright: state in %s; add --restore %s to go on\n", escape.Line(f.path), escape.Line(f.path))
		}
	}
	return nil
}

// jobFacts are what an error names when a checkpoint is of another job: what runs, and the
// flags of the job. Network and machine are named by the network itself.
func jobFacts(cmd *cobra.Command, what string) []fabric.Fact {
	facts := []fabric.Fact{{Name: "run", Value: what}}
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if g := groupOf(flag); g == groupJob || g == groupAlgorithm || g == groupFirmware {
			facts = append(facts, fabric.Fact{Name: "--" + flag.Name, Value: flag.Value.String()})
		}
	})
	return facts
}

// viewFacts are the flags of views that watch a run from its first cycle on. Their files may
// have other names in a restored run.
func (f *runFlags) viewFacts() []fabric.Fact {
	given := func(path string) string { return strings.TrimPrefix(strconv.FormatBool(path != ""), "false") }
	return append(f.trace.facts(), fabric.Fact{Name: "--table", Value: given(f.table)}, fabric.Fact{Name: "--messages", Value: given(f.messages)})
}

// facts are those of captures.
func (f *traceFlags) facts() []fabric.Fact {
	var forms []string
	for _, path := range f.paths {
		forms = append(forms, strings.ToLower(filepath.Ext(path)))
	}
	return []fabric.Fact{
		{Name: "--trace", Value: strings.Join(forms, ", ")},
		{Name: "--from", Value: strconv.FormatInt(f.window.from, 10)},
		{Name: "--until", Value: strconv.FormatInt(f.window.until, 10)},
		{Name: "--nodes", Value: f.window.nodes},
	}
}
