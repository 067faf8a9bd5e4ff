// SPDX-License-Identifier: Apache-2.0

package pe

import (
	"fmt"

	"meshwright/firmware/isa"
	"meshwright/router"
)

// Program is a program decoded for execution. PEs share it.
type Program struct {
	Source *isa.Program // for positions in errors
	code   []isa.Instruction
}

// Decode prepares an assembled program. It fails when a word is no instruction.
func Decode(p *isa.Program) (*Program, error) {
	code, err := isa.DecodeAll(p.Code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	return &Program{Source: p, code: code}, nil
}

// Load is what the PEs of a network start with.
type Load struct {
	Programs []*Program        // the programs in use
	Runs     []int32           // by node: index in Programs, Nothing: the PE is halted from the start
	Memory   [][]uint32        // by node: data memory; the Array works in it
	Routes   [][][]router.Port // by node: the route table that send's immediate k > 0 counts from 1; nil: none
}

// Nothing in Load.Runs is a PE without a program.
const Nothing = -1
