// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"

	"meshwright/fabric/topology"
	"meshwright/firmware/pe"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// Valid refuses jobs that no collective can use: an empty job, an invalid topology, wrong
// lengths of slices. Package collective, which declares the options of algorithms, judges
// their values. Collectives and algorithms refuse further jobs themselves.
func (j *Job) Valid() error {
	if err := j.Topology.Valid(); err != nil {
		return err
	}
	if nodes := j.Topology.Nodes(); len(j.Lengths) != nodes {
		return input.Errorf("expected one for each node", "%d lengths for %d nodes", len(j.Lengths), nodes)
	}
	return j.Machine.Valid()
}

// Valid refuses a plan that Generate and FromTransfers have not made.
func (p *Plan) Valid() error {
	if p == nil {
		return input.Errorf("expected one that Generate or FromTransfers has made", "no plan")
	}
	if p.TimeOnly {
		return input.Errorf("expected a plan of a job without TimeOnly", "a plan without words")
	}
	if err := p.Topology.Valid(); err != nil {
		return err
	}
	if nodes := p.Topology.Nodes(); len(p.PEs) != nodes {
		return input.Errorf("expected one for each node", "%d PEs for %d nodes", len(p.PEs), nodes)
	}
	for n := range p.PEs {
		e := &p.PEs[n]
		if e.Role != pe.Nothing && (e.Role < 0 || int(e.Role) >= len(p.Programs)) {
			return input.Errorf("expected one of the plan's programs", "PE %d has program %d of %d", n, e.Role, len(p.Programs))
		}
		if e.Scratch < 0 {
			return input.Errorf("expected at least 0", "PE %d has %d scratch words", n, e.Scratch)
		}
		if words := len(e.Block.Words); e.Block.Start != nil && len(e.Block.Start) != words {
			return input.Errorf("expected as many", "PE %d starts with %d of the %d words of its block", n, len(e.Block.Start), words)
		}
	}
	return nil
}

// validList refuses a list of transfers that does not fit the nodes.
func validList(t *topology.Topology, l *transfer.List, blocks func(router.NodeID) Block) error {
	if blocks == nil {
		return input.Errorf("expected a block for each node", "no blocks")
	}
	return l.Fits(t)
}

func NodeRange(nodes int) string { return fmt.Sprintf("expected 0 to %d", nodes-1) }
