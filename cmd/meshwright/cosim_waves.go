// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"meshwright/capture/wave"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/internal/teardown"
	"meshwright/router"
	"meshwright/rtl"
	"meshwright/rtl/sim"
)

// mismatchFile is the waveform that cosim writes by itself.
const mismatchFile = "mismatch.vcd"

// options are those of a simulator's run.
func (f *cosimFlags) options() sim.Options {
	options := sim.Options{Log: f.table != ""}
	if f.wave.path != "" {
		options.Wave = &sim.Window{First: uint64(f.window.First), Last: uint64(f.window.Last)}
	}
	return options
}

// writeWaves writes the waveform of the model and the simulators. Without --wave it writes one by itself if a simulator shows
// anything else than the model: the cycles around the first mismatch, at the node and its neighbours, with a tree for each simulator
// that differs. It returns a note about such a file: an error of this file alone does not take the verdict away.
func (f *cosimFlags) writeWaves(ctx context.Context, o *outcome, r *rtl.Recorder, d *rtl.Design, dir string, results []*sim.Result) (string, error) {
	if f.wave.path != "" {
		return "", f.writeDump(ctx, o, r, d, f.wave.path, f.wave.shows, f.window, firstMismatch(results), results)
	}
	first := firstMismatch(results)
	if first == nil {
		return "", nil
	}
	err := (&input.Paths{}).Write("--wave", mismatchFile)
	if err == nil {
		err = f.writeMismatch(ctx, o, r, d, dir, first, results)
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		return escape.Message(fmt.Sprintf("no waveform of the mismatch: %v", located(err))), nil
	}
	return mismatchFile + " shows the cycles around the first mismatch", nil
}

// writeMismatch writes the cycles around the first mismatch.
func (f *cosimFlags) writeMismatch(ctx context.Context, o *outcome, r *rtl.Recorder, d *rtl.Design, dir string, first *sim.Result, results []*sim.Result) error {
	window := wave.Around(router.Cycle(first.Cycle))
	var again []*sim.Result
	for _, result := range results {
		if result.Pass {
			continue // it shows what the model does
		}
		options := sim.Options{Wave: &sim.Window{First: uint64(window.First), Last: uint64(window.Last)}}
		result, err := sim.Run(ctx, result.Simulator, dir, options)
		if err != nil {
			return err
		}
		again = append(again, result)
	}
	near := nearby(o, first.Node)
	return f.writeDump(ctx, o, r, d, mismatchFile, near, window, first, again)
}

// firstMismatch is the result of the simulator whose mismatch comes first; nil: no cycle is known of any.
func firstMismatch(results []*sim.Result) *sim.Result {
	var first *sim.Result
	for _, r := range results {
		if !r.Pass && r.Cycle >= 0 && (first == nil || r.Cycle < first.Cycle) {
			first = r
		}
	}
	return first
}

// nearby accepts a node and its neighbours; all nodes if it is not known.
func nearby(o *outcome, node int64) func(router.NodeID) bool {
	at := router.NodeID(node)
	return func(n router.NodeID) bool {
		if node < 0 || n == at {
			return true
		}
		_, adjacent := o.topology.PortTo(at, n)
		return adjacent
	}
}

// writeDump writes one waveform with a tree for the model and for each simulator.
func (f *cosimFlags) writeDump(ctx context.Context, o *outcome, r *rtl.Recorder, d *rtl.Design, path string, shown func(router.NodeID) bool, window rtl.Window, first *sim.Result, results []*sim.Result) error {
	waves := d.Waves(shown)
	dump := wave.Dump{Title: o.title(), Probes: waves.Probes, Sides: []wave.Side{wave.Modelled(waves, r, window)}}
	if first != nil {
		dump.Mark = router.Cycle(first.Cycle)
		if first.Node >= 0 {
			node := router.NodeID(first.Node)
			dump.Focus = &node
		}
	}
	for _, result := range results {
		dump.Sides = append(dump.Sides, wave.Simulated(string(result.Simulator), result.Wave, waves.Probes))
	}
	files, err := dump.Create(ctx, path)
	defer files.Abort()
	if err != nil {
		return err
	}
	if err := files.Finish(); err != nil {
		return err
	}
	defer teardown.Process.Hold()()
	return files.Commit()
}
