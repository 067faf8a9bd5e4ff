// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"meshwright/fabric/topology"
	"meshwright/router"
)

// Layout says where pictures draw the nodes and links of a whole network. The distance between neighbours on a
// grid is 1; x grows right and y down, from 0.
type Layout struct {
	Width, Height float64
	Nodes         []Place
	Layers        []Layer         // the planes of a grid of more than two dimensions
	Stubs         map[int]Place   // by index of a link that does not end beside its node: the direction in which it leaves
	Bows          map[int]float64 // by index of a link that would pass behind a node: how far its middle is off the straight line, to its right
}

// Place is a point, or a direction.
type Place struct{ X, Y float64 }

// Layer names a plane. It stands above the plane's first node.
type Layer struct {
	At   Place
	Name string
}

// LayOut lays out a network.
func LayOut(t *topology.Topology) *Layout {
	all := make([]router.NodeID, t.Nodes())
	for n := range all {
		all[n] = router.NodeID(n)
	}
	p := planFor(t, all, nil)
	p.settle()
	l := &Layout{Width: p.right, Height: p.bottom, Nodes: make([]Place, len(p.at)), Stubs: map[int]Place{}, Bows: map[int]float64{}}
	for n, at := range p.at {
		l.Nodes[n] = at.exported()
	}
	for _, c := range p.layers {
		l.Layers = append(l.Layers, Layer{c.at.exported(), c.name})
	}
	for i, link := range t.Links() {
		if way, stub := p.stub(link); stub {
			l.Stubs[i] = way.exported()
		} else if bow := p.bowOf(link); bow != 0 {
			l.Bows[i] = bow
		}
	}
	return l
}

func (s spot) exported() Place { return Place{s.x, s.y} }
