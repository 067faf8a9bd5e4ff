// SPDX-License-Identifier: Apache-2.0

package study

import (
	"context"
	"math/rand/v2"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective/certification"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// CertificationGain compares the tight certification with the printed one on a tree, both
// run as firmware.
type CertificationGain struct {
	Shape               string // of the tree
	Nodes               int
	Printed, Tight      router.Cycle // times
	bound.Certification              // B, C, M
}

// Gain returns the printed time by the tight one, 1 when there is nothing to do.
func (g CertificationGain) Gain() float64 {
	if g.Tight == 0 {
		return 1
	}
	return float64(g.Printed) / float64(g.Tight)
}

// PrintedExceeds reports whether the printed certification takes longer than
// the time that Theorem 3 allows it.
func (g CertificationGain) PrintedExceeds() bool { return g.Printed > g.Time() }

// CertificationGains gathers to the root of each tree (node 0 where the topology
// has none) on the preset bufferless, one port a node, with the printed and the
// tight certification. Every node has a message of 0 to most flits, drawn with
// seed. An error is an *input.Error (an error about a tree names the tree), the
// context's, or the failure of a run.
func CertificationGains(ctx context.Context, trees []*topology.Topology, most int, seed uint64) ([]CertificationGain, error) {
	for _, tree := range trees {
		if err := tree.Valid(); err != nil {
			return nil, err
		}
	}
	if most < 0 || most > plan.MaxWords {
		return nil, input.Errorf("expected at least 0, all together at most 2^28", "messages of up to %d flits", most)
	}
	m, err := machine.Preset("bufferless")
	if err != nil {
		return nil, err
	}
	var rows []CertificationGain
	for _, tree := range trees {
		row, err := gainOn(ctx, tree, m, most, seed)
		if err != nil {
			return nil, input.Locate(err, tree.String(), 0)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func gainOn(ctx context.Context, tree *topology.Topology, m machine.Machine, most int, seed uint64) (row CertificationGain, err error) {
	if err := tree.Valid(); err != nil {
		return row, err
	}
	random := rand.New(rand.NewPCG(seed, uint64(tree.Nodes())))
	j := plan.Job{Topology: tree, Machine: m, Root: tree.Root, Lengths: make([]int, tree.Nodes()), Seed: seed}
	for n := range j.Lengths {
		j.Lengths[n] = random.IntN(most + 1)
	}
	row = CertificationGain{Shape: tree.String(), Nodes: tree.Nodes()}
	if row.Printed, err = timeOf(ctx, plan.Gather, "certification", j); err != nil {
		return row, err
	}
	if row.Tight, err = timeOf(ctx, plan.Gather, "certification-tight", j); err != nil {
		return row, err
	}
	t, err := plan.NewTask(ctx, j, plan.Kind{Name: plan.Gather, Rooted: true, Holders: plan.AllButRoot})
	if err != nil {
		return row, err
	}
	spanning, err := certification.AskingTree(t, machine.SinglePort)
	if err != nil {
		return row, err
	}
	row.Certification = bound.CertificationOf(spanning.SpanningTree, machine.SinglePort, t.Lengths)
	return row, nil
}
