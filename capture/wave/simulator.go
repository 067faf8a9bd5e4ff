// SPDX-License-Identifier: Apache-2.0

package wave

import (
	"os"

	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/rtl"
)

// Simulated is what a simulator wrote into a value change dump: the tree of an export with what its chips show.
func Simulated(name, path string, probes []rtl.Probe) Side {
	var err error
	changes := func(yield func(rtl.Change) bool) {
		f, fault := os.Open(path)
		if err = fault; err != nil {
			return
		}
		defer f.Close()
		in, fault := newReader(f, rtl.WaveRTL, probes)
		if err = input.Locate(fault, path, 0); err != nil {
			return
		}
		in.changes()(yield)
		err = input.Locate(in.failure(), path, 0)
	}
	return Side{Name: name, Changes: changes, err: func() error { return err }}
}

// Modelled is what the model saw.
func Modelled(w *rtl.Waves, r *rtl.Recorder, window rtl.Window) Side {
	return Side{Name: rtl.WaveModel, Changes: w.Model(r, window)}
}

// Cycles around a mismatch: those before show how it came about, and the bench goes on for those behind.
const (
	before = 24
	behind = 8
)

// Around is the window of a mismatch.
func Around(cycle router.Cycle) rtl.Window {
	return rtl.Window{First: max(0, cycle-before), Last: cycle + behind}
}
