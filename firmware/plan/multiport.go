// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"fmt"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
	"meshwright/internal/input"
)

// RequireMultiport wants a machine on which every link of a PE works by itself.
func (t *Task) RequireMultiport(algorithm string) error {
	m := t.Machine
	switch {
	case !t.IndependentLinks():
		return Lacking(algorithm, "", t.OwnLinks())
	case m.Switching != machine.Bufferless && m.Switching != machine.Wormhole:
		return input.Errorf("expected switching bufferless or wormhole", "%s with switching %s", algorithm, m.Switching)
	}
	hops := 0
	depth := topology.BreadthFirst(t.Topology, t.Root).Depth
	for _, n := range t.Senders() {
		hops += int(depth[n])
	}
	if hops > maxHops {
		return input.Errorf(fmt.Sprintf("expected at most %d: every block carries its own route", maxHops), "%s on %s: routes of %d links or more", algorithm, t.Topology, hops)
	}
	return t.need(perHop * float64(hops))
}

// maxHops bounds the links of all routes, so that they fit into memory.
const maxHops = 1 << 26

// Names of algorithms that several families have, or name in an error.
const (
	EdgeDisjoint = "edge-disjoint"
	SharedEdges  = "shared-edges"
)

// MaxTried bounds the nodes of a network on which several covers are tried.
const MaxTried = 4096

// SpanningCovers makes the covers of spanning trees that a broadcast chooses from: on networks of up to MaxTried nodes by more constructions, too.
func (t *Task) SpanningCovers(more ...string) ([]*cover.Cover, error) {
	names := []string{t.Cover}
	if t.Cover == "" {
		names = []string{"breadth-first", "torus-pair", "rotated-binomials", "star-trees"}
		if t.Topology.Nodes() <= MaxTried {
			names = append(append(names, "arborescences"), more...)
		}
	}
	var covers []*cover.Cover
	var failed error
	for _, name := range names {
		c, err := cover.Limited(t.Ctx, t.Search, name, t.Topology, t.Root, t.Trees)
		switch {
		case err != nil:
			failed = err
		case c.Spanning():
			covers = append(covers, c)
		default:
			failed = input.Errorf("expected "+input.Or(cover.SpanningNames()), "the trees of cover %s reach every node only together: %s needs all of them to", c.Name, t.Kind.Name)
		}
	}
	if t.Ctx.Err() != nil || len(covers) == 0 {
		return nil, failed
	}
	return covers, nil
}
