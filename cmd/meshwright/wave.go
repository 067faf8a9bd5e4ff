// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/capture/wave"
	"meshwright/fabric"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/rtl"
)

// waveFlags ask for a waveform of a run.
type waveFlags struct {
	path, cycles, nodes string
	window              rtl.Window // in cycles of the machine
	ranges              []nodeRange
	recorder            *rtl.Recorder // of a run that is not recorded for its vectors
}

func (f *waveFlags) add(cmd *cobra.Command) {
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.path, "wave", "", "write what links and buffers show in every cycle, for GTKWave or Surfer: `FILE`.vcd or .fst; or a picture of a small part: .svg")
		flags.StringVar(&f.cycles, "wave-cycles", "", "cycles of --wave, such as 100-200 (default: all)")
		flags.StringVar(&f.nodes, "wave-nodes", "", "nodes of --wave, such as 0-3,8 (default: all)")
	})
}

// check judges the flags before any work is done.
func (f *waveFlags) check(cmd *cobra.Command, paths *input.Paths) error {
	for _, name := range []string{"wave-cycles", "wave-nodes"} {
		if cmd.Flags().Changed(name) && f.path == "" {
			return input.At("--"+name, 0, "expected --wave", "no waveform to show a part of")
		}
	}
	f.window = rtl.Window{First: 0, Last: math.MaxInt64}
	if f.path == "" {
		return nil
	}
	if f.path == toStdout {
		return input.At("--wave", 0, "expected a file: its extension says the form", "%q", f.path)
	}
	if err := paths.WriteAs("--wave", f.path, wave.Extensions()...); err != nil {
		return err
	}
	if cmd.Flags().Changed("wave-cycles") {
		if err := f.parseCycles(); err != nil {
			return err
		}
	}
	if cmd.Flags().Changed("wave-nodes") {
		var err error
		if f.ranges, err = parseNodeRanges(f.nodes); err != nil {
			return input.Locate(err, "--wave-nodes", 0)
		}
	}
	return wave.Find(f.path)
}

// without refuses a waveform of a run that may be interrupted and go on.
func (f *waveFlags) without(saves *checkpointFlags) error {
	if flag := saves.given(); flag != "" && f.path != "" {
		return input.At("--wave", 0, "expected none with "+flag, "a waveform is not part of a checkpoint")
	}
	return nil
}

// parseCycles reads 100-200, or 100 for a single cycle.
func (f *waveFlags) parseCycles() error {
	from, to, found := strings.Cut(f.cycles, "-")
	if !found {
		to = from
	}
	first, err1 := strconv.ParseUint(from, 10, 40)
	last, err2 := strconv.ParseUint(to, 10, 40)
	if err1 != nil || err2 != nil || last < first {
		return input.At("--wave-cycles", 0, "expected cycles such as 100-200", "%q", input.Clip(f.cycles))
	}
	f.window = rtl.Window{First: router.Cycle(first), Last: router.Cycle(last)}
	return nil
}

// checkNodes judges the nodes on a network.
func (f *waveFlags) checkNodes(n *fabric.Network) error {
	for _, r := range f.ranges {
		if nodes := n.Topology.Nodes(); r.last >= nodes {
			return input.At("--wave-nodes", 0, "expected nodes from 0 to "+strconv.Itoa(nodes-1), "node %d is not in %s", r.last, n.Topology)
		}
	}
	return nil
}

// shows reports whether the waveform has the signals of a node.
func (f *waveFlags) shows(n router.NodeID) bool {
	for _, r := range f.ranges {
		if int(n) >= r.first && int(n) <= r.last {
			return true
		}
	}
	return len(f.ranges) == 0
}

// sayBeyond says that a run, with a stress phase behind it, ended before the first cycle of the waveform.
func (f *waveFlags) sayBeyond(w io.Writer, n *fabric.Network, stress router.Cycle) {
	sayBeyond(w, "--wave-cycles", f.cycles, f.window.First, n, stress)
}

// ticks is the window in cycles of a network's clock.
func (f *waveFlags) ticks(n *fabric.Network) rtl.Window {
	per := router.Cycle(n.Machine.Ticks())
	if f.window.Last > math.MaxInt64/per-1 {
		return rtl.Window{First: f.window.First * per, Last: math.MaxInt64}
	}
	return rtl.Window{First: f.window.First * per, Last: (f.window.Last+1)*per - 1}
}

// open attaches a recorder to a network.
func (f *waveFlags) open(n *fabric.Network) error {
	if f.path == "" {
		return nil
	}
	if err := f.checkNodes(n); err != nil {
		return err
	}
	f.recorder = rtl.NewRecorder(n)
	f.recorder.Keep(f.ticks(n))
	return nil
}

// write begins the files of the waveform of a run, and writes them; none without --wave.
func (f *waveFlags) write(ctx context.Context, title string) (*wave.Files, error) {
	if f.path == "" {
		return nil, nil
	}
	d, err := f.recorder.Design()
	if err != nil {
		return nil, err
	}
	waves := d.Waves(f.shows)
	dump := wave.Dump{Title: title, Probes: waves.Probes, Sides: []wave.Side{wave.Modelled(waves, f.recorder, f.recorder.Kept())}}
	return dump.Create(ctx, f.path)
}
