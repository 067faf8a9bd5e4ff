// SPDX-License-Identifier: Apache-2.0

package plan_test

import (
	"context"
	"fmt"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// Node 2 sends its word to node 0 by way of node 1, which adds its own.
func ExampleFromTransfers() {
	path, _ := topology.Parse("path:3")
	wormhole, _ := machine.Preset("wormhole")
	word := transfer.Set{{From: 0, To: 1}}
	list := &transfer.List{Nodes: 3, Transfers: []transfer.Transfer{
		{Step: 0, From: 2, To: 1, Out: word, Op: transfer.Add},
		{Step: 1, From: 1, To: 0, Out: word, Op: transfer.Add},
	}}
	end := []uint32{111, 110, 100}
	p, err := plan.FromTransfers(context.Background(), "reduce", "chain", path, wormhole, list, func(n router.NodeID) plan.Block {
		return plan.Block{Start: []uint32{[]uint32{1, 10, 100}[n]}, Words: end[n : n+1]}
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := collective.Execute(context.Background(), p)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("delivered", r.Delivered, "in", r.Cycles, "cycles")
	// Output:
	// delivered true in 3 cycles
}
