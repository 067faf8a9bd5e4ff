// SPDX-License-Identifier: Apache-2.0

package fault

import (
	"math/rand/v2"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// Draw returns the list with its random faults drawn on a topology: dead nodes,
// never the node spare (router.None: any), and links dead in both directions.
// The error, when there are fewer nodes and links than faults to draw, is an
// *input.Error. Nodes of star graphs that the list names by permutations get their numbers. A list without
// either, nil too, is returned as it is.
func (l *List) Draw(t *topology.Topology, spare router.NodeID) (*List, error) {
	if l == nil {
		return l, nil
	}
	l = l.numbered(t)
	if len(l.Random) == 0 {
		return l, nil
	}
	if err := t.Valid(); err != nil {
		return nil, err
	}
	drawn := *l
	drawn.Faults, drawn.Random = append([]Fault(nil), l.Faults...), nil
	rng := rand.New(rand.NewPCG(l.Seed, 0xfa17))
	for _, r := range l.Random {
		all := Candidates(t, r, spare)
		if r.Count > len(all) {
			want := "expected at most " + decimal(len(all))
			switch {
			case r.Nodes && spare != router.None:
				want += ", never node " + decimal(int(spare))
			case r.Nodes: // a job may draw again, and spare its root
				want += "; one less where a root stays alive"
			}
			return nil, input.Errorf(want, "random:%d faults on %s", r.Count, t)
		}
		for i := range r.Count {
			k := i + rng.IntN(len(all)-i)
			all[i], all[k] = all[k], all[i]
		}
		drawn.Faults = append(drawn.Faults, BothWays(all[:r.Count])...)
	}
	return &drawn, nil
}

// BothWays returns faults with each dead link dead in the other direction, too.
func BothWays(faults []Fault) []Fault {
	var all []Fault
	for _, f := range faults {
		all = append(all, f)
		if f.Kind == Link {
			f.From, f.To = f.To, f.From
			all = append(all, f)
		}
	}
	return all
}

// Candidates lists what may be drawn, dead from cycle 0 on: nodes but the node spare, then links
// from the lower node.
func Candidates(t *topology.Topology, r Random, spare router.NodeID) []Fault {
	var all []Fault
	if r.Nodes {
		for n := range router.NodeID(t.Nodes()) {
			if n != spare {
				all = append(all, Fault{Kind: Node, From: n, To: n, End: Never})
			}
		}
	}
	if r.Links {
		for _, l := range t.Links() {
			if l.From < l.To {
				all = append(all, Fault{Kind: Link, From: l.From, To: l.To, End: Never})
			}
		}
	}
	return all
}
