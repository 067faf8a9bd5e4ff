// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"meshwright/fabric"
	"meshwright/internal/input"
	"meshwright/rtl/sim"
	"meshwright/rtl/tool"
)

// foundSimulators as --simulator are those that are installed.
const foundSimulators = "found"

// simulatorNames are the values of --simulator.
func simulatorNames() []string {
	return []string{string(sim.Icarus), string(sim.Verilator), "both", foundSimulators}
}

// absentSimulator is a simulator that is not installed.
type absentSimulator struct {
	Name string `json:"name"`
	Says string `json:"says"`
}

// chosen turns --simulator into simulators that are installed, and those
// that would be of use. A simulator that is named must be there, of those that are
// found at least one: else the error is, or wraps, a *tool.Missing.
func chosen(ctx context.Context, name string) (there []sim.Simulator, absent []absentSimulator, err error) {
	switch name {
	case foundSimulators:
		return found(ctx)
	case "both":
		there = []sim.Simulator{sim.Icarus, sim.Verilator}
	case string(sim.Icarus), string(sim.Verilator):
		there = []sim.Simulator{sim.Simulator(name)}
	default:
		return nil, nil, input.At("--simulator", 0, wantSimulator(name), "unknown simulator %q", input.Clip(name))
	}
	for _, s := range there {
		if err := sim.Find(ctx, s); err != nil {
			return nil, nil, err
		}
	}
	return there, nil, nil
}

// wantSimulator is what is expected instead of a name that is none; the programs of Icarus Verilog have other names.
func wantSimulator(name string) string {
	programs := []string{"iverilog", "vvp"}
	near := input.Nearest(name, append(simulatorNames(), programs...))
	switch {
	case slices.Contains(programs, near):
		near = string(sim.Icarus)
	case near == "":
		return "expected found, icarus, verilator or both"
	}
	return "did you mean " + near + "?"
}

// found looks for all simulators.
func found(ctx context.Context) (there []sim.Simulator, absent []absentSimulator, err error) {
	var missing []error
	for _, s := range []sim.Simulator{sim.Icarus, sim.Verilator} {
		err := sim.Find(ctx, s)
		var lacks *tool.Missing
		switch {
		case err == nil:
			there = append(there, s)
		case errors.As(err, &lacks):
			missing = append(missing, err)
			says := "not installed: apt-get install " + strings.Join(lacks.Packages, " ")
			if lacks.Found != "" {
				says = "version " + lacks.Found + " is too old: " + lacks.Needed + " or newer"
			}
			absent = append(absent, absentSimulator{string(s), says})
		default:
			return nil, nil, err
		}
	}
	if len(there) == 0 {
		err := fmt.Errorf("no simulator: %w", missing[0])
		for _, lacks := range missing[1:] {
			err = fmt.Errorf("%w; %w", err, lacks)
		}
		return nil, nil, err
	}
	return there, absent, nil
}

// fitSimulators refuses networks that are too large for one of the simulators, before the run.
func fitSimulators(ctx context.Context, n *fabric.Network, emulator bool, list ...sim.Simulator) error {
	size := sizeOf(n)
	if emulator {
		size.PEs = n.Topology.Nodes()
	}
	for _, s := range list {
		if err := sim.Fits(ctx, s, n.Topology.String(), size); err != nil {
			return err
		}
	}
	return nil
}

// sizeOf is the size of a network without programs.
func sizeOf(n *fabric.Network) sim.Size {
	return sim.Size{Ports: n.Topology.AllPorts() + n.Topology.Nodes()}
}
