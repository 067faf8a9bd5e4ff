// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"fmt"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// Choice holds the candidates, the best of each kind, and the bounds.
type Choice struct {
	Approach1, Approach2 Candidate    // axis by axis on grids
	Bridgeheads          Candidate    // the best of circgos, torgos, cubgos
	Best                 Candidate    // of all
	Bound                router.Cycle // for any gossip
	StepBound            router.Cycle // for gossips in steps, see bound.GossipSteps
}

// Ratio is the best time over the lower bound.
func (c *Choice) Ratio() float64 { return ratio(c.Best.Predicted, c.Bound) }

// StepRatio is the best time over the bound for gossips in steps; it may be below 1.
func (c *Choice) StepRatio() float64 { return ratio(c.Best.Predicted, c.StepBound) }

func ratio(cycles, bound router.Cycle) float64 {
	if bound == 0 {
		return 1
	}
	return float64(cycles) / float64(bound)
}

// Names of algorithms in package collective.
const (
	approach1Name  = "approach1"
	approach2Name  = "approach2"
	highDimName    = "highdimgos"
	circularName   = "circgos"
	twoDimDiagonal = "torgos"
	diagonalName   = "cubgos"
	stridesName    = "strides"
	crossesName    = "crosses"
)

// Chooser finds the fastest all-gather by the formulas, and remembers its results. The
// zero value is ready to use.
type Chooser struct {
	memo    map[string]*Choice
	crosses crossFinder
}

// Choose compares all algorithms for equal blocks of so many words. Its errors
// are *input.Error: the formulas are about grids, on machines of which every
// link has a channel of its own.
func Choose(t *topology.Topology, m machine.Machine, words int) (*Choice, error) {
	return new(Chooser).Choose(t, m, words)
}

// Choose is the function Choose.
func (ch *Chooser) Choose(t *topology.Topology, m machine.Machine, words int) (*Choice, error) {
	if err := Predictable(t, &m); err != nil {
		return nil, err
	}
	key := fmt.Sprint(t.Dims, t.Wrap, m.Startup, m.Hop, m.Flit, m.HeaderFlits(), words)
	if c := ch.memo[key]; c != nil {
		return c, nil
	}
	c := ch.choose(t, m, words)
	if ch.memo == nil {
		ch.memo = map[string]*Choice{}
	}
	ch.memo[key] = c
	return c, nil
}

// Predictable returns why the formulas say nothing about a machine, an
// *input.Error, or nil.
func Predictable(t *topology.Topology, m *machine.Machine) error {
	if err := t.Valid(); err != nil {
		return err
	}
	if m == nil {
		return input.Errorf("expected a machine", "no machine")
	}
	if err := m.Valid(); err != nil {
		return err
	}
	switch {
	case !t.IsGrid():
		return input.Errorf("expected a path, ring, mesh, torus or hypercube", "no formulas for a gossip on %s", t)
	case m.PacketSwitched():
		return input.Errorf("expected bufferless or wormhole", "no formulas for a gossip on a machine with switching %s", m.Switching)
	case !timing.IndependentLinks(m) || m.Duplex != machine.Full:
		return input.Errorf("expected ports all, nic.channels links, nic.duplex full", "no formulas for a gossip on a machine whose links do not work independently")
	case !m.FullRate():
		return input.Errorf(m.FullRateWants(), "no formulas for a gossip on a machine with %s and hop %d", m.SlowRate(), m.Hop)
	}
	return nil
}

func (ch *Chooser) choose(t *topology.Topology, m machine.Machine, words int) *Choice {
	g := GridOf(t)
	lengths := slices.Repeat([]int{words}, t.Nodes())
	c := &Choice{Bound: bound.Gossip(t, m, lengths).Cycles}
	c.StepBound = max(c.Bound, bound.GossipSteps(t, m, words*t.Nodes()))
	c.Approach1 = inColours(g, words, AxisByAxis{Method: ThroughCentre{}, Dims: len(t.Dims)}, &m)
	c.Approach2 = inColours(g, words, AxisByAxis{Method: PlaceByPlace{}, Dims: len(t.Dims)}, &m)
	c.Best = c.Approach2
	if len(g) > 0 && words > 0 {
		c.Bridgeheads = bridgeheads(g, len(t.Dims), words, &m)
		c.Best.improve(c.Approach1)
		c.Best.improve(c.Bridgeheads)
		if s, time, ok := BestStrides(g, words, PaceOf(&m)); ok {
			c.Best.improve(Candidate{s, time})
		}
		if x, time, ok := ch.crosses.best(g, words, PaceOf(&m), c.Best.Predicted); ok {
			c.Best.improve(Candidate{x, time})
		}
	}
	return c
}

// inColours is a method along the axes in as many colours as is best: one, or
// one for every axis.
func inColours(g Grid, words int, f AxisByAxis, m *machine.Machine) Candidate {
	var best Candidate
	for _, colours := range []int{max(1, len(g)), 1} {
		f.Colours = colours
		best.improve(f.candidate(g, words, m))
	}
	return best
}

// bridgeheads is the best of the paper's algorithms with bridgeheads, on a
// network of so many dimensions.
func bridgeheads(g Grid, dims, words int, m *machine.Machine) Candidate {
	var best Candidate
	for _, colours := range slices.Compact([]int{len(g), 1}) {
		along := AxisByAxis{Method: Circular(BestAxes(g, words, colours, 0, m)), Colours: colours, Dims: dims}
		best.improve(along.candidate(g, words, m))
		if len(g) > 1 {
			diagonals := Diagonals{Diagonal: Diagonal(BestDiagonal(g, words, colours, 0, m)), Colours: colours, Dims: dims}
			best.improve(diagonals.candidate(g, words, m))
		}
	}
	return best
}
