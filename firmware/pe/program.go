// SPDX-License-Identifier: Apache-2.0

package pe

import (
	"fmt"

	"meshwright/firmware/isa"
	"meshwright/internal/input"
	"meshwright/router"
)

// Program is a program decoded for execution. PEs share it.
type Program struct {
	Source *isa.Program `snapshot:"-"` // for positions in errors
	code   []isa.Instruction
}

// Decode prepares an assembled program. It fails when a word is no instruction, or when a branch leads out of the program.
func Decode(p *isa.Program) (*Program, error) {
	if p == nil {
		return nil, input.Errorf("expected assembled text", "no program")
	}
	code, err := isa.DecodeAll(p.Code)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.Name, err)
	}
	if err := p.Stray(); err != nil {
		return nil, err
	}
	return &Program{Source: p, code: code}, nil
}

// at returns the instruction at an address; nil: there is none.
func (p *Program) at(address int32) *isa.Instruction {
	if address < 0 || int(address) >= len(p.code) {
		return nil
	}
	return &p.code[address]
}

// Load has the programs and memories with which the PEs of a network start.
type Load struct {
	Programs []*Program        `snapshot:"start"` // the programs in use
	Runs     []int32           `snapshot:"start"` // by node: index in Programs, Nothing: the PE is halted from the start
	Memory   [][]uint32        // by node: data memory, Machine.Elements numbers a word; the Array works in it
	Shared   [][]uint32        `snapshot:"start"` // by node: words of its memory before Memory, a number each, which the Array only reads; nil: none
	Routes   [][][]router.Port `snapshot:"start"` // by node: the route table that send's immediate k > 0 counts from 1; nil: none
}

// Nothing in Load.Runs is a PE without a program.
const Nothing = -1

// valid refuses a load whose slices disagree.
func (l *Load) valid() error {
	nodes := len(l.Runs)
	if len(l.Memory) != nodes {
		return input.Errorf("expected one for each node", "%d memories for %d nodes", len(l.Memory), nodes)
	}
	if len(l.Shared) != 0 && len(l.Shared) != nodes {
		return input.Errorf("expected one for each node", "%d shared parts of memories for %d nodes", len(l.Shared), nodes)
	}
	if len(l.Routes) != 0 && len(l.Routes) != nodes {
		return input.Errorf("expected one for each node", "%d route tables for %d nodes", len(l.Routes), nodes)
	}
	for n, program := range l.Runs {
		if program != Nothing && (program < 0 || int(program) >= len(l.Programs) || l.Programs[program] == nil) {
			return input.Errorf("expected one of the programs", "PE %d runs program %d of %d", n, program, len(l.Programs))
		}
	}
	return nil
}
