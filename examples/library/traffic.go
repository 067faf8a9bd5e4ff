// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/study"
)

// loadMesh measures uniform random traffic on a mesh, at two rates and with two seeds.
func loadMesh(ctx context.Context) error {
	mesh, err := topology.Parse("mesh:4x4")
	if err != nil {
		return err
	}
	wormhole, err := machine.Preset("wormhole")
	if err != nil {
		return err
	}
	pattern, err := traffic.ParsePattern("uniform", mesh)
	if err != nil {
		return err
	}
	sizes, err := traffic.ParseSizes("8")
	if err != nil {
		return err
	}
	load := study.LoadStudy{
		Topology: mesh, Machine: wormhole, Load: traffic.Load{Pattern: pattern, Requests: sizes, Seed: 1},
		Phases: traffic.Phases{WarmUp: 1000, Measure: 5000, Drain: 5000}, Seeds: 2,
	}
	curve, err := load.Curve(ctx, []float64{0.1, 0.9})
	if err != nil {
		return err
	}
	for _, point := range curve.Points {
		latency := point.Figure(func(r *study.LoadRun) float64 { return r.Packet.Mean })
		fmt.Printf("rate %g: stable %t", point.Rate, point.Stable())
		if point.Latent() {
			fmt.Printf(", mean latency %.1f cycles", latency.Mean)
		}
		fmt.Println()
	}
	return nil
}
