// SPDX-License-Identifier: Apache-2.0

package traffic_test

import (
	"context"
	"fmt"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
)

// One measurement of random packets on a network.
func ExampleMeasure() {
	t, err := topology.Parse("torus:4x4")
	if err != nil {
		panic(err)
	}
	m, err := machine.Preset("wormhole")
	if err != nil {
		panic(err)
	}
	n, err := fabric.New(t, m)
	if err != nil {
		panic(err)
	}
	load := traffic.Load{Rate: 0.2, Seed: 1}
	if load.Pattern, err = traffic.ParsePattern("tornado", t); err != nil {
		panic(err)
	}
	if load.Requests, err = traffic.ParseSizes("1@0.5,5@0.5"); err != nil {
		panic(err)
	}
	source, err := load.Source(t, n.Machine.Ticks())
	if err != nil {
		panic(err)
	}
	r, err := traffic.Measure(context.Background(), n, source, traffic.Phases{WarmUp: 500, Measure: 5000, Drain: 1000}, traffic.Keep{})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%d packets, %.3f flits per source and cycle accepted\n", r.Packets, r.Accepted)
	fmt.Printf("latency: median %d, p99 %d cycles\n", r.Packet.Quantile(0.5), r.Packet.Quantile(0.99))
	fmt.Println("steady:", r.Cause == "")
	// Output:
	// 5329 packets, 0.200 flits per source and cycle accepted
	// latency: median 7, p99 11 cycles
	// steady: true
}
