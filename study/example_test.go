// SPDX-License-Identifier: Apache-2.0

package study_test

import (
	"context"
	"fmt"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/study"
)

// The highest rate that a mesh takes, without a limit of the latency (0) and with a mean of at most 12 cycles.
func ExampleLoadStudy_Saturation() {
	t, err := topology.Parse("mesh:4x4")
	if err != nil {
		panic(err)
	}
	m, err := machine.Preset("wormhole")
	if err != nil {
		panic(err)
	}
	s := study.LoadStudy{Topology: t, Machine: m, Seeds: 1, Phases: traffic.Phases{WarmUp: 500, Measure: 2000, Drain: 1000}}
	if s.Load.Pattern, err = traffic.ParsePattern("transpose", t); err != nil {
		panic(err)
	}
	if s.Load.Requests, err = traffic.ParseSizes("4"); err != nil {
		panic(err)
	}
	for _, s.MostLatency = range []float64{0, 12} {
		curve, err := s.Saturation(context.Background(), 0.02)
		if err != nil {
			panic(err)
		}
		fmt.Printf("limit %g: stable up to %g, not at %g flits per source and cycle\n", s.MostLatency, curve.Stable, curve.Unstable)
	}
	// Output:
	// limit 0: stable up to 0.34, not at 0.36 flits per source and cycle
	// limit 12: stable up to 0.26, not at 0.28 flits per source and cycle
}
