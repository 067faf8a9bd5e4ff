// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/firmware/collective/allgather"
	"meshwright/firmware/collective/stages"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// Prediction is the time of a job that was computed without running it. No words are made
// for it, so that blocks may be of any length.
type Prediction struct {
	A, B      int          // as asked for, or the best by the formula; 0 where there are none
	Formula   router.Cycle // by the algorithm's formula
	Predicted router.Cycle // by following all PEs, see transfer.Predict: exact with tokens, too little without
}

// Formula predicts by the algorithm's formula alone, for equal blocks: so far
// all-gathers on machines whose PEs have one half-duplex channel. Errors are
// *input.Error.
func Formula(collective, algorithm string, j plan.Job) (Prediction, error) {
	p, _, err := byFormula(collective, algorithm, &j)
	return p, err
}

// Predict predicts by the algorithm's formula, as Formula does, and by following all PEs. Where the job
// leaves out a, it is the formula's. Errors are *input.Error.
func Predict(collective, algorithm string, j plan.Job) (Prediction, error) {
	p, form, err := byFormula(collective, algorithm, &j)
	if err != nil {
		return p, err
	}
	l, err := form.List()
	if err != nil {
		return p, err
	}
	timing, err := transfer.Predict(j.Topology, j.Machine, l)
	if err != nil {
		return p, err
	}
	p.Predicted = timing.Cycles
	return p, nil
}

// byFormula predicts by the formula, and returns the form that it is about. It
// resolves the job's machine.
func byFormula(collective, algorithm string, j *plan.Job) (p Prediction, form stages.OneChannel, err error) {
	if err := valid(j); err != nil {
		return p, form, err
	}
	a, err := find(collective, algorithm, j, nil)
	if err != nil {
		return p, form, err
	}
	if err := a.refuses(j); err != nil {
		return p, form, err
	}
	if !a.hasOneChannelForm(j) {
		return p, form, input.Errorf("expected a gossip on a wormhole machine with nic.channels 1 and nic.duplex half",
			"no prediction of %s %s", collective, a.Name)
	}
	if j.Machine, err = j.Machine.Resolve(j.Topology); err != nil {
		return p, form, err
	}
	if form, err = allgather.OneChannelForm(j, a.oneChannel.algorithm); err != nil {
		return p, form, err
	}
	c, err := form.Chain(j.Machine, j.Lengths[0])
	return Prediction{A: form.A, B: form.B, Formula: c.Cycles(j.Machine)}, form, err
}
