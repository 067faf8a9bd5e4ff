// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
)

// allGather runs an all-gather of 8 words from every node, and prints its figures.
func allGather(ctx context.Context) error {
	torus, err := topology.Parse("torus:4x4")
	if err != nil {
		return err
	}
	wormhole, err := machine.Preset("wormhole")
	if err != nil {
		return err
	}
	wormhole.Startup = 10
	plan, err := collective.Generate(ctx, "gossip", "auto", collective.Job{
		Topology: torus, Machine: wormhole, Lengths: slices.Repeat([]int{8}, torus.Nodes()),
	})
	if err != nil {
		return err
	}
	result, err := collective.Execute(ctx, plan)
	if err != nil {
		return err
	}
	if !result.Delivered {
		return result.Failure
	}
	fmt.Printf("%s: %d messages, %d cycles, lower bound %d\n", plan.Algorithm, plan.Messages, result.Cycles, plan.LowerBound())
	return nil
}
