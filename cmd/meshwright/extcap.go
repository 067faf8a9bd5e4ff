// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/capture"
	"meshwright/capture/flitlayer"
	"meshwright/fabric"
	"meshwright/internal/input"
)

// extcapName is the interface that Wireshark lists.
const extcapName = "meshwright"

// extcapDefault is the run if Wireshark's user names none.
const extcapDefault = "gossip --topology mesh:4x4"

// extcapFlags are the questions of Wireshark's extcap interface. Source of their names and
// of the answers: the manual page extcap(4) of Wireshark 4.0.
type extcapFlags struct {
	interfaces, dlts, config, capture bool
	name, fifo, command               string
	version, filter                   string // of Wireshark, and its capture filter
}

func newExtcap() *cobra.Command {
	var f extcapFlags
	cmd := &cobra.Command{
		Use:   "extcap --extcap-interfaces",
		Short: "Show a run in Wireshark and tshark while it goes on",
		Long: `Speaks Wireshark's extcap interface. Wireshark and tshark start this verb through a program in
their extcap folder, and list the interface meshwright. A capture on that interface is a run: its
arguments are the interface's field Run, and each flit that crosses a link is a packet, which is
sent in the cycle of the crossing. The end of the capture ends the run.`,
		Example: `  meshwright extcap --extcap-interfaces
  meshwright extcap --extcap-interface meshwright --extcap-config`,
		Args: arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.BoolVar(&f.interfaces, "extcap-interfaces", false, "list the interface")
		flags.BoolVar(&f.dlts, "extcap-dlts", false, "list the link type of the interface")
		flags.BoolVar(&f.config, "extcap-config", false, "list the fields of the interface")
		flags.BoolVar(&f.capture, "capture", false, "run, and write the flits to --fifo")
		flags.StringVar(&f.name, "extcap-interface", "", "the `interface`: "+extcapName)
		flags.StringVar(&f.fifo, "fifo", "", "the named pipe that takes the flits: `FILE`")
		flags.StringVar(&f.command, "command", extcapDefault, "the `arguments` of meshwright run, or traffic and its flags; double quotes hold an argument with spaces together")
		flags.StringVar(&f.version, "extcap-version", "", "the `version` of Wireshark; not used")
		flags.StringVar(&f.filter, "extcap-capture-filter", "", "none: flits have display filters only")
	})
	return cmd
}

func (f *extcapFlags) run(cmd *cobra.Command) error {
	asked := 0
	for _, b := range []bool{f.interfaces, f.dlts, f.config, f.capture} {
		if b {
			asked++
		}
	}
	switch {
	case asked != 1:
		return input.At("extcap", 0, "expected one of --extcap-interfaces, --extcap-dlts, --extcap-config and --capture", "%s", input.Count(asked, "question"))
	case f.interfaces:
		return f.say(cmd, fmt.Sprintf("extcap {version=%s}{help=https://www.wireshark.org/docs/man-pages/extcap.html}", version()), "interface {value="+extcapName+"}{display=flits of a run}")
	case f.name != extcapName:
		return input.At("--extcap-interface", 0, "expected "+extcapName, "%q", input.Clip(f.name))
	case f.dlts:
		return f.say(cmd, fmt.Sprintf("dlt {number=%d}{name=%s}{display=Meshwright flit}", int(flitlayer.LinkType), "USER0"))
	case f.config:
		return f.say(cmd, "arg {number=0}{call=--command}{display=Run}{type=string}{default="+extcapDefault+"}{tooltip=Arguments of meshwright run}")
	}
	return f.stream(cmd)
}

func (f *extcapFlags) say(cmd *cobra.Command, lines ...string) error {
	_, err := io.WriteString(cmd.OutOrStdout(), strings.Join(lines, "\n")+"\n")
	return err
}

// words splits the field Run into arguments.
func (f *extcapFlags) words() ([]string, error) {
	r := csv.NewReader(strings.NewReader(strings.TrimSpace(f.command)))
	r.Comma, r.FieldsPerRecord = ' ', -1
	rows, err := r.ReadAll()
	if err != nil || len(rows) != 1 {
		return nil, input.At("--command", 0, "expected arguments of meshwright run in one line, with double quotes around whole arguments", "%q", input.Clip(f.command))
	}
	return slices.DeleteFunc(rows[0], func(word string) bool { return word == "" }), nil
}

// stream runs, and sends the flits. The pipe is opened first, since its reader waits until it has been opened and closed,
// whatever becomes of the run. The end of the process closes it: a reader that sees the end earlier would interrupt the process
// before it has said what is wrong. Only a run that fails prints its result, on standard error: nobody reads the standard output
// of a program that Wireshark started.
func (f *extcapFlags) stream(cmd *cobra.Command) error {
	if f.fifo == "" {
		return input.At("--fifo", 0, "expected a named pipe", "missing with --capture")
	}
	info, err := os.Stat(f.fifo)
	if err != nil || info.Mode().IsRegular() || info.IsDir() {
		return input.At("--fifo", 0, "expected a named pipe", "%s", input.Clip(f.fifo))
	}
	s, err := openStream(cmd.Context(), f.fifo)
	if err != nil {
		return err
	}
	if f.filter != "" {
		return input.At("--extcap-capture-filter", 0, "expected none; display filters such as meshwright.message == 5 choose flits", "%q", input.Clip(f.filter))
	}
	words, err := f.words()
	if err != nil {
		return err
	}
	run, words := f.commandOf(words, s)
	root := &cobra.Command{
		Use: "meshwright", SilenceUsage: true, SilenceErrors: true,
		PersistentPreRunE: notEmpty,
	}
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(run)
	root.SetArgs(words)
	var result bytes.Buffer
	root.SetOut(&result)
	root.SetErr(cmd.ErrOrStderr())
	err = root.ExecuteContext(s.ctx)
	switch {
	case errors.Is(s.err, syscall.EPIPE):
		return nil // the capture has ended
	case s.err != nil:
		return s.err
	case errors.Is(err, errFailed):
		_, _ = cmd.ErrOrStderr().Write(result.Bytes()) // the exit code tells, too
	}
	return err
}

// commandOf returns the verb whose flits go to a stream, and its command line: traffic if that is the first word, else run, whether that is the first
// word or not.
func (f *extcapFlags) commandOf(words []string, s *flitStream) (*cobra.Command, []string) {
	if len(words) > 0 && words[0] == "traffic" {
		cmd, flags := trafficCommand()
		flags.trace.stream = s
		return cmd, words
	}
	cmd, flags := runCommand()
	flags.trace.stream = s
	if len(words) == 0 || words[0] != cmd.Name() {
		words = append([]string{cmd.Name()}, words...)
	}
	return cmd, words
}

// flitStream is the pipe to Wireshark.
type flitStream struct {
	pipe   *os.File
	ctx    context.Context    // of the run
	cancel context.CancelFunc // ends the run
	err    error              // the first failure
}

// openStream waits for the reader of a pipe.
func openStream(ctx context.Context, path string) (*flitStream, error) {
	type opened struct {
		pipe *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		pipe, err := os.OpenFile(path, os.O_WRONLY, 0)
		done <- opened{pipe, err}
	}()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case o := <-done:
		if o.err != nil {
			return nil, input.At("--fifo", 0, "expected a named pipe", "%v", o.err)
		}
		s := &flitStream{pipe: o.pipe}
		s.ctx, s.cancel = context.WithCancel(ctx)
		context.AfterFunc(s.ctx, func() { _ = s.pipe.Close() }) // a write that waits for its reader ends
		return s, nil
	}
}

// open puts the network under the capture.
func (s *flitStream) open(n *fabric.Network, opts capture.Options) error {
	c, err := capture.NewStream(s.pipe, n, opts, s.fail)
	if err != nil {
		s.fail(err)
		return err
	}
	n.Attach(c)
	return nil
}

// fail ends the run.
func (s *flitStream) fail(err error) {
	if s.ctx.Err() == nil {
		s.err = err
	}
	s.cancel()
}
