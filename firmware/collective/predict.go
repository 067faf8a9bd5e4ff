// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/firmware/collective/allgather"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// Prediction is what is known of a job's time without running it. No words are
// made for it, so that blocks may be of any length.
type Prediction struct {
	A, B      int          // as asked for, or the best by the formula; 0 where there are none
	Formula   router.Cycle // by the algorithm's formula
	Predicted router.Cycle // by following all PEs, see transfer.Predict: exact with tokens, too little without
}

// Formula predicts by the algorithm's formula alone, for equal blocks: so far
// gossips on machines whose PEs have one half-duplex port. Errors are
// *input.Error.
func Formula(collective, algorithm string, j plan.Job) (Prediction, error) {
	if err := j.Valid(); err != nil {
		return Prediction{}, err
	}
	a, err := find(collective, algorithm, &j)
	if err != nil {
		return Prediction{}, err
	}
	if err := a.refuses(&j); err != nil {
		return Prediction{}, err
	}
	if !a.hasOnePort(&j) {
		return Prediction{}, input.Errorf("expected a gossip on a wormhole machine with nic.channels 1 and nic.duplex half",
			"no prediction of %s %s", collective, a.Name)
	}
	if j.Machine, err = j.Machine.Resolve(j.Topology); err != nil {
		return Prediction{}, err
	}
	o, d, b, err := allgather.OnePortChoice(&j, a.Name)
	if err != nil {
		return Prediction{}, err
	}
	c, err := o.Chain(j.Machine, a.Name, d, b, j.Lengths[0])
	return Prediction{A: d, B: b, Formula: c.Cycles(j.Machine)}, err
}

// Predict does so by the formula and by following all PEs. Where the job
// leaves out a, it is the formula's.
func Predict(collective, algorithm string, j plan.Job) (Prediction, error) {
	f, err := Formula(collective, algorithm, j)
	if err != nil {
		return f, err
	}
	j.A, j.B = f.A, f.B
	o, a, b, err := allgather.OnePortChoice(&j, algorithm)
	if err != nil {
		return f, err
	}
	l, err := o.List(algorithm, a, b)
	if err != nil {
		return f, err
	}
	timing, err := transfer.Predict(j.Topology, j.Machine, l)
	if err != nil {
		return f, err
	}
	f.Predicted = timing.Cycles
	return f, nil
}
