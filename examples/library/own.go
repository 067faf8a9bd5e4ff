// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
	"meshwright/schedule"
)

// ownSchedule makes a broadcast that each node of a path passes on, so many cycles after
// the node before it, and checks it.
func ownSchedule(ctx context.Context) error {
	path, err := topology.Parse("path:4")
	if err != nil {
		return err
	}
	wormhole, err := machine.Preset("wormhole")
	if err != nil {
		return err
	}
	for _, interval := range []int{3, 4} {
		s := &schedule.Schedule{}
		for n := range 3 {
			s.Rows = append(s.Rows, schedule.Row{
				Message: int32(n), Source: router.NodeID(n), Destination: router.NodeID(n + 1),
				Flits: 4, Dispatch: router.Cycle(interval * n), Blocks: schedule.Blocks{schedule.BlockOf(0)},
			})
		}
		checked, err := collective.CheckSchedule(ctx, s, path, wormhole, collective.Meant{Collective: "broadcast", Root: 0, Length: 4})
		if err != nil {
			return err
		}
		fmt.Printf("a message every %d cycles: ok %t, %d cycles, lower bound %d\n", interval, checked.OK, checked.Cycles, checked.LowerBound)
		for _, v := range checked.Flow.First {
			fmt.Println(checked.Flow.Text(v))
		}
	}
	return nil
}

// ownAlgorithm makes an allreduce of two words on a path: sums go down to node 0, and the
// sum of all comes back. It runs as firmware, with words.
func ownAlgorithm(ctx context.Context) error {
	const nodes, words = 4, 2
	path, err := topology.Parse("path:4")
	if err != nil {
		return err
	}
	wormhole, err := machine.Preset("wormhole")
	if err != nil {
		return err
	}
	all := transfer.Set{{From: 0, To: words}}
	list := &transfer.List{Nodes: nodes}
	for n := router.NodeID(nodes - 1); n > 0; n-- {
		list.Transfers = append(list.Transfers, transfer.Transfer{Step: nodes - 1 - int(n), From: n, To: n - 1, Out: all, Op: transfer.Add})
	}
	for n := range router.NodeID(nodes - 1) {
		list.Transfers = append(list.Transfers, transfer.Transfer{Step: nodes - 1 + int(n), From: n, To: n + 1, Out: all})
	}
	p, err := plan.FromTransfers(ctx, "allreduce", "chain", path, wormhole, list, func(n router.NodeID) plan.Block {
		return plan.Block{Start: []uint32{uint32(n), 10}, Words: []uint32{0 + 1 + 2 + 3, 40}}
	})
	if err != nil {
		return err
	}
	bound, err := collective.Bound(ctx, "allreduce", collective.Job{Topology: path, Machine: wormhole, Lengths: []int{words, words, words, words}})
	if err != nil {
		return err
	}
	p.SetBound(bound)
	result, err := collective.Execute(ctx, p)
	if err != nil {
		return err
	}
	if !result.Delivered {
		return result.Failure
	}
	fmt.Printf("%s: %d cycles, lower bound %d\n", p.Algorithm, result.Cycles, p.LowerBound())
	for _, m := range result.Log {
		fmt.Printf("message %d: %d>%d, dispatch %d, arrival %d\n", result.Network.Number(m.Serial), m.Source, m.Destination, m.Dispatch, m.Arrival)
	}
	return nil
}
