// SPDX-License-Identifier: Apache-2.0

package loader_test

import (
	"context"
	"fmt"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/isa"
	"meshwright/firmware/loader"
)

// Every PE of a ring sends its number to the next one.
func ExampleExecute() {
	program, err := isa.Assemble("next.s", strings.NewReader(`
		st   [r0], r15      ; my number, at address 0
		addi r1, r15, 1     ; the next PE
		blt  r1, r14, send
		li   r1, 0
send:	li   r2, 1          ; one word
		send r1, r0, r2, r0
		li   r3, -1         ; from any PE
		recv r4, r3, r2     ; to address 1
	`))
	if err != nil {
		fmt.Println(err)
		return
	}
	ring, err := topology.Parse("ring:4")
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := machine.Preset("wormhole")
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := loader.Execute(context.Background(), &loader.Job{
		Topology: ring, Machine: m, Programs: []*isa.Program{program}, Runs: []int32{0, 0, 0, 0}, Words: 2, Limit: 1000,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Failure, r.Messages, r.Memory)
	// Output: <nil> 4 [[0 3] [1 0] [2 1] [3 2]]
}
