// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/spf13/cobra"

	"meshwright/capture/readback"
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/progress"
	"meshwright/schedule"
)

// loadCapture reads the capture of a run, and the network and the machine for it: by default
// those of the run.
func (f *machineFlags) loadCapture(cmd *cobra.Command, file string, demands ...func(*machine.Machine)) (*schedule.Schedule, *topology.Topology, machine.Machine, error) {
	reading := progress.Begin(cmd.Context(), "read "+file, 0)
	run, err := readback.Read(cmd.Context(), file)
	reading.End()
	if err != nil {
		return nil, nil, machine.Machine{}, err
	}
	if run.About != nil {
		f.implied = run.About.Topology
		if !cmd.Flags().Changed("machine") {
			f.file = &machine.File{Machine: run.About.Machine}
		}
	}
	t, m, err := f.load(cmd, demands...)
	if err != nil {
		return nil, nil, m, err
	}
	s, err := run.Schedule(t, m)
	return s, t, m, err
}

// executeCapture runs the messages of the capture of a run.
func (f *jobFlags) executeCapture(cmd *cobra.Command, file string, attach ...func(*fabric.Network) error) (*outcome, error) {
	if err := refuse(cmd, "the capture says everything", "given with a capture", slices.Concat(ofCollectives(), ofImported, ofBoth)); err != nil {
		return nil, err
	}
	s, t, m, err := f.loadCapture(cmd, file)
	if err != nil {
		return nil, err
	}
	o, err := play(cmd, "capture", s, t, m, attach...)
	if err != nil {
		return nil, err
	}
	return o, o.checkStatic(cmd.Context(), s)
}
