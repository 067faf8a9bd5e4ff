// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/isa"
	"meshwright/firmware/loader"
)

// next sends the PE's number to the next PE of a ring.
const next = `
		st   [r0], r15      ; my number, at address 0
		addi r1, r15, 1     ; the next PE
		blt  r1, r14, send  ; r14: the number of nodes
		li   r1, 0
send:	li   r2, 1          ; one word
		send r1, r0, r2, r0
		li   r3, -1         ; from any PE
		recv r4, r3, r2     ; to address 1
`

// runProgram runs a program of the user on all PEs of a ring, and prints their memories.
func runProgram(ctx context.Context) error {
	program, err := isa.Assemble("next.s", strings.NewReader(next))
	if err != nil {
		return err
	}
	ring, err := topology.Parse("ring:4")
	if err != nil {
		return err
	}
	wormhole, err := machine.Preset("wormhole")
	if err != nil {
		return err
	}
	result, err := loader.Execute(ctx, &loader.Job{
		Topology: ring, Machine: wormhole, Programs: []*isa.Program{program},
		Runs:  []int32{0, 0, 0, 0}, // each PE runs the first program
		Words: 2, Limit: 1000,
	})
	if err != nil {
		return err
	}
	if result.Failure != nil {
		return result.Failure
	}
	fmt.Println("memories:", result.Memory)
	return nil
}
