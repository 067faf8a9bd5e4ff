// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"meshwright"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/schedule"
)

// refusals shows the errors that a caller tells apart.
func refusals(ctx context.Context) error {
	_, err := schedule.Parse("timetable.csv", strings.NewReader("1,0,3,four,0\n"))
	var wrong *meshwright.InputError
	if !errors.As(err, &wrong) {
		return fmt.Errorf("not an InputError: %w", err)
	}
	fmt.Printf("%s, line %d: %s; %s\n", wrong.File, wrong.Line, wrong.What, wrong.Want)

	mesh, err := topology.Parse("mesh:50x50")
	if err != nil {
		return err
	}
	wormhole, err := machine.Preset("wormhole")
	if err != nil {
		return err
	}
	job := collective.Job{Topology: mesh, Machine: wormhole, Lengths: slices.Repeat([]int{40}, mesh.Nodes())}
	_, err = collective.Generate(meshwright.LimitMemory(ctx, 100e6), "gossip", "auto", job)
	var large *meshwright.TooLarge
	if !errors.As(err, &large) {
		return fmt.Errorf("not a TooLarge: %w", err)
	}
	fmt.Printf("refused: %s, the limit is %s\n", large.What, large.Available)

	ended, end := context.WithCancel(ctx)
	end()
	_, err = collective.Generate(ended, "gossip", "auto", job)
	if !errors.Is(err, context.Canceled) {
		return fmt.Errorf("not ended by its context: %w", err)
	}
	fmt.Println("ended:", err)
	return nil
}
