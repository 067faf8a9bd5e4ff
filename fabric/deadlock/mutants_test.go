// SPDX-License-Identifier: Apache-2.0

package deadlock

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/progress"
	"meshwright/router"
)

// Adaptive routing with a part taken out has a cycle, and the check finds it.
func TestBrokenTwinsOfAdaptiveRoutingHaveCycles(t *testing.T) {
	for _, row := range []struct {
		name, topology string
		keep           func(w *walk, c router.Channel) bool
		as             func(w *walk, c router.Channel) router.Channel
		cycle          int
	}{
		{"whole", "torus:4x4", everything, itself, 0},
		{"without escape channels", "mesh:3x3", adaptiveOnly, itself, 4},
		{"without the dateline of the escape channels", "torus:4x4", everything, oneClass, 4},
	} {
		t.Run(row.name, func(t *testing.T) {
			top, err := topology.Parse(row.topology)
			require.NoError(t, err)
			m, err := machine.Preset("wormhole")
			require.NoError(t, err)
			m.Routing = machine.Adaptive
			n, err := fabric.New(top, m)
			require.NoError(t, err)
			w, err := newWalk(context.Background(), n)
			require.NoError(t, err)
			for to := range router.NodeID(top.Nodes()) {
				w.toward(to)
			}
			g := newGraph(len(w.first), func(router.Channel) (first, end router.Channel) { return 0, router.Channel(len(w.first)) })
			for c := range router.Channel(len(w.first)) {
				if !row.keep(w, c) {
					continue
				}
				g.used.Set(int32(row.as(w, c)))
				if w.bank.Escapes(c) {
					w.visit(c, func(to router.Channel) { g.add(row.as(w, c), row.as(w, to)) })
				}
			}
			if row.name == "without escape channels" {
				w.withoutEscapes(g)
			}
			cycle, err := g.cycle(progress.Begin(context.Background(), "test", 0))
			require.NoError(t, err)
			require.Len(t, cycle, row.cycle)
		})
	}
}

func everything(*walk, router.Channel) bool { return true }

func adaptiveOnly(w *walk, c router.Channel) bool { return !w.bank.Escapes(c) }

func itself(_ *walk, c router.Channel) router.Channel { return c }

// oneClass takes the second escape channel of a link for the first.
func oneClass(w *walk, c router.Channel) router.Channel {
	if _, _, vc := w.bank.ChannelAt(c); vc == 1 {
		return c - 1
	}
	return c
}

func (w *walk) visit(c router.Channel, visit func(router.Channel)) {
	w.graph.follow(c, func(to router.Channel) bool { visit(to); return true })
}

// withoutEscapes lets heads in adaptive channels wait for each adaptive channel that they may take.
func (w *walk) withoutEscapes(g *graph) {
	nodes := router.NodeID(w.net.Topology.Nodes())
	for to := range nodes {
		w.ahead.to = to
		for at := range nodes {
			if at == to {
				continue
			}
			for _, c := range w.choices(at) {
				next := w.behind(c)
				if w.bank.Escapes(c) || next == to {
					continue
				}
				for _, d := range w.choices(next) {
					if !w.bank.Escapes(d) {
						g.add(c, d)
					}
				}
			}
		}
	}
}
