// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"slices"

	"github.com/spf13/cobra"

	"meshwright/fabric"
	"meshwright/formats/msccl"
	"meshwright/formats/mscclpp"
	"meshwright/formats/npe"
	"meshwright/internal/input"
	"meshwright/schedule"
)

// executeJSON runs a file in JSON; its content says which tool wrote it.
func (f *jobFlags) executeJSON(cmd *cobra.Command, file string, attach ...func(*fabric.Network) error) (*outcome, error) {
	text, err := input.ReadFileWithin(file, input.LongLines())
	if err != nil {
		return nil, err
	}
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte{'['}) {
		return f.executeChipTrace(cmd, file, text, attach...)
	}
	if mscclpp.Is(text) {
		return f.executeAlgorithm(cmd, file, func() (*msccl.Algorithm, error) { return mscclpp.Parse(file, text) }, attach...)
	}
	return f.executeFlows(cmd, file, text, attach...)
}

// executeChipTrace runs the messages of a trace of a chip at the times of the trace.
func (f *jobFlags) executeChipTrace(cmd *cobra.Command, file string, text []byte, attach ...func(*fabric.Network) error) (*outcome, error) {
	refused := slices.Concat(ofCollectives(), ofBoth, ofTraces, ofAlgorithms)
	if err := refuse(cmd, "the trace says everything else", "given with a trace", refused); err != nil {
		return nil, err
	}
	trace, err := npe.Parse(file, text, f.noc)
	if err != nil {
		return nil, err
	}
	f.implied = trace.Topology()
	t, m, err := f.machineFlags.load(cmd)
	if err != nil {
		return nil, err
	}
	s, err := trace.Schedule(t, bytesPerFlit(&m), 0)
	if err != nil {
		return nil, err
	}
	o, err := play(cmd, "trace", s, t, m, attach...)
	if err != nil {
		return nil, err
	}
	o.imported = append(chipFacts(trace, s), hottestFact(o.network))
	return o, nil
}

// chipFacts are what is known of a trace of a chip.
func chipFacts(t *npe.Trace, s *schedule.Schedule) []fact {
	list := []fact{
		fact{"events", "events", itoa(t.Facts.Events), itoa(t.Facts.Events)}, fact{"reads", "reads", itoa(t.Facts.Reads), itoa(t.Facts.Reads)}, fact{"writes", "writes", itoa(t.Facts.Writes), itoa(t.Facts.Writes)},
		fact{"multicasts", "multicasts", itoa(t.Facts.Multicasts), itoa(t.Facts.Multicasts)}, fact{"semaphores", "semaphores", itoa(t.Facts.Semaphores), itoa(t.Facts.Semaphores)},
		fact{"local_events", "within a node", itoa(t.Facts.Local), itoa(t.Facts.Local)}, fact{"still_events", "events that move nothing", itoa(t.Facts.Still), itoa(t.Facts.Still)},
	}
	if t.Facts.OtherNetwork > 0 {
		list = append(list, fact{"other_network_events", "events of the other network", itoa(t.Facts.OtherNetwork), itoa(t.Facts.OtherNetwork)})
	}
	last := s.Rows[len(s.Rows)-1].Dispatch
	return append(list, fact{"last_dispatch_cycle", "last event", itoa(int(last)), itoa(int(last))})
}
