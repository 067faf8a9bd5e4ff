// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/internal/atomicfile"
	"meshwright/internal/input"
)

// microsecond is the cycles of a microsecond to which written durations are rounded: a cycle
// counts as a nanosecond.
const microsecond = 1000

// rankFile is the file of a rank of the workload that --et names.
func rankFile(et string, rank int) string {
	return fmt.Sprintf("%s.%d.et", strings.TrimSuffix(et, filepath.Ext(et)), rank)
}

// checkTraceFiles refuses a workload beside the files of one with more ranks: whoever reads it
// would read those files, too.
func (f *runFlags) checkTraceFiles(ranks int) error {
	behind := rankFile(f.et, ranks)
	if _, err := os.Lstat(behind); err == nil {
		return input.At("--et", 0, fmt.Sprintf("expected no file of rank %d", ranks), "%s exists", behind)
	}
	return nil
}

// writeTraces writes the run as Chakra traces.
func (v *views) writeTraces(o *outcome) (files []pending, err error) {
	w := v.record.Workload(o.algorithm, o.alongTree || o.machine.Routing == machine.Source, bytesPerFlit(&o.machine), microsecond)
	for rank := range w.Traces {
		f, err := atomicfile.Create(rankFile(v.run.et, rank))
		if err != nil {
			return files, err
		}
		files = append(files, f)
		if err := w.Traces[rank].Write(f); err != nil {
			return files, err
		}
	}
	return files, nil
}
