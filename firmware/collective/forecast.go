// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// Forecast is what is known of a job's time without running it. No words are
// made for it, so that blocks may be of any length.
type Forecast struct {
	A, B     int          // as asked for, or the best by the formula; 0 where there are none
	Formula  router.Cycle // by the algorithm's formula
	Foretold router.Cycle // by following all PEs, see transfer.Foretell
}

// Foretell forecasts an algorithm with equal blocks: so far gossips on machines
// whose PEs have one half-duplex port. Errors are *input.Error.
func Foretell(collective, algorithm string, j Job) (Forecast, error) {
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
	return foretellOnePort(&j, a.Name)
}

// foretellOnePort is Foretell for one of gossip's algorithms for one port.
func foretellOnePort(j *Job, name string) (Forecast, error) {
	o, a, b, err := j.onePortChoice(name)
	if err != nil {
		return Forecast{}, err
	}
	c, err := o.Chain(j.Machine, name, a, b, j.Lengths[0])
	if err != nil {
		return Forecast{}, err
	}
	l, err := o.List(name, a, b)
	if err != nil {
		return Forecast{}, err
	}
	timing, err := transfer.Foretell(j.Topology, j.Machine, l)
	if err != nil {
		return Forecast{}, err
	}
	return Forecast{A: a, B: b, Formula: c.Cycles(j.Machine), Foretold: timing.Cycles}, nil
}
