// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/capture"
	"meshwright/fabric"
	"meshwright/internal/input"
)

// traceFlags ask for captures of a run: files, and packets for Wireshark.
type traceFlags struct {
	paths  []string
	window windowFlags
	stream *flitStream       // of extcap
	opened []capture.Capture // to be completed together
}

func (f *traceFlags) add(cmd *cobra.Command) {
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringArrayVar(&f.paths, "trace", nil, "write what every flit did, as rows, a page that plays the run, for Wireshark, for Perfetto, or as a picture: `FILE`.csv, .html, .pcapng, .pftrace or .svg (may be repeated)")
	})
	f.window.add(cmd)
}

// any reports whether there is a capture.
func (f *traceFlags) any() bool { return len(f.paths) > 0 || f.stream != nil }

// draws reports whether a file is a picture.
func (f *traceFlags) draws() bool {
	return slices.ContainsFunc(f.paths, func(path string) bool { return strings.EqualFold(filepath.Ext(path), ".svg") })
}

// check judges the files before any work is done.
func (f *traceFlags) check(paths *input.Paths) error {
	for _, path := range f.paths {
		if path == toStdout {
			return input.At("--trace", 0, "expected a file: its extension says the form", "%q", path)
		}
		if err := paths.WriteAs("--trace", path, capture.Extensions()...); err != nil {
			return err
		}
	}
	return nil
}

// without refuses captures of a run that goes on from a checkpoint, where what was sent to Wireshark is gone.
func (f *traceFlags) without(saves *checkpointFlags) error {
	if flag := saves.given(); flag != "" && f.stream != nil {
		return input.At(flag, 0, "expected none: what was sent is gone", "given with a capture")
	}
	return nil
}

// open puts the network under the captures.
func (f *traceFlags) open(n *fabric.Network, opts capture.Options) error {
	for _, path := range f.paths {
		c, err := capture.Open(path, n, opts)
		if err != nil {
			return err
		}
		f.attach(n, c)
	}
	if f.stream != nil {
		return f.stream.open(n, opts)
	}
	return nil
}

// attach puts the network under a capture.
func (f *traceFlags) attach(n *fabric.Network, c capture.Capture) {
	f.opened = append(f.opened, c)
	n.Attach(c)
}

// abort removes the files that are not at their paths.
func (f *traceFlags) abort() {
	for _, c := range f.opened {
		c.Abort()
	}
}

// finish completes all files beside their paths.
func (f *traceFlags) finish() error {
	for _, c := range f.opened {
		if err := c.Finish(); err != nil {
			return err
		}
	}
	return nil
}

// commit puts all files at their paths.
func (f *traceFlags) commit() error {
	for _, c := range f.opened {
		if err := c.Commit(); err != nil {
			return err
		}
	}
	return nil
}
