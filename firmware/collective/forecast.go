// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/firmware/collective/allgather"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// Forecast is what is known of a job's time without running it. No words are
// made for it, so that blocks may be of any length.
type Forecast struct {
	A, B     int          // as asked for, or the best by the formula; 0 where there are none
	Formula  router.Cycle // by the algorithm's formula
	Foretold router.Cycle // by following all PEs, see transfer.Foretell: exact with tokens, too little without
}

// Formula forecasts by the algorithm's formula alone, for equal blocks: so far
// gossips on machines whose PEs have one half-duplex port. Errors are
// *input.Error.
func Formula(collective, algorithm string, j plan.Job) (Forecast, error) {
	if err := j.Valid(); err != nil {
		return Forecast{}, err
	}
	a, err := find(collective, algorithm, &j)
	if err != nil {
		return Forecast{}, err
	}
	if err := a.refuses(&j); err != nil {
		return Forecast{}, err
	}
	if !a.hasOnePort(&j) {
		return Forecast{}, input.Errorf("expected a gossip on a wormhole machine with nic.channels 1 and nic.duplex half",
			"no forecast of %s %s", collective, a.Name)
	}
	if j.Machine, err = j.Machine.Resolve(j.Topology); err != nil {
		return Forecast{}, err
	}
	o, d, b, err := allgather.OnePortChoice(&j, a.Name)
	if err != nil {
		return Forecast{}, err
	}
	c, err := o.Chain(j.Machine, a.Name, d, b, j.Lengths[0])
	return Forecast{A: d, B: b, Formula: c.Cycles(j.Machine)}, err
}

// Foretell forecasts by the formula and by following all PEs. Where the job
// leaves out a, it is the formula's.
func Foretell(collective, algorithm string, j plan.Job) (Forecast, error) {
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
	timing, err := transfer.Foretell(j.Topology, j.Machine, l)
	if err != nil {
		return f, err
	}
	f.Foretold = timing.Cycles
	return f, nil
}
