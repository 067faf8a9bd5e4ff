// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"meshwright/capture/svg"
	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
	"meshwright/internal/atomicfile"
	"meshwright/internal/input"
	"meshwright/router"
)

// maxPictured bounds the nodes of all trees of a picture: more have no room on a screen.
const maxPictured = 600

// picture writes the picture of a network's edge-disjoint spanning trees.
func (f *coverFlags) picture(ctx context.Context) error {
	if len(f.topologies) != 1 {
		return input.At(outFlag, 0, "expected one --topology", "%d topologies", len(f.topologies))
	}
	job, err := f.job(ctx, f.topologies[0])
	if err != nil {
		return err
	}
	t := job.Topology
	if trees := t.Nodes() * t.Degree(job.Root); trees > maxPictured {
		return input.At(outFlag, 0, fmt.Sprintf("expected at most %d", maxPictured), "trees of %d nodes in all", trees)
	}
	c, err := spanningCover(ctx, t, job.Root)
	if err != nil {
		return err
	}
	name := func(n router.NodeID) string { return itoa(int(n)) }
	if t.Star() != nil {
		name = t.Star().Name
	}
	p := svg.Trees{
		Title:    fmt.Sprintf("%s of %s", input.Count(len(c.Trees), "edge-disjoint spanning tree"), t),
		Subtitle: fmt.Sprintf("construction %s, root %s, depth %d", c.Name, name(job.Root), c.Depth()),
		Topology: t, Trees: c.Trees, Names: name,
	}
	return atomicfile.Write(f.out, p.Write)
}

// spanningCover returns the spanning trees that are known in closed form, else arborescences.
func spanningCover(ctx context.Context, t *topology.Topology, root router.NodeID) (*cover.Cover, error) {
	switch {
	case t.Star() != nil:
		return cover.Named(ctx, "star-trees", t, root, 0)
	case t.Kind == topology.Hypercube:
		return cover.Named(ctx, "rotated-binomials", t, root, 0)
	}
	return cover.Named(ctx, "arborescences", t, root, 0)
}
