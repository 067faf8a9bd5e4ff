// SPDX-License-Identifier: Apache-2.0

package traffic

import "math"

// gaps draws the gaps between the packets of a Bernoulli process, which are geometric. Most of
// them are looked up: the draws at which the gap grows are known beforehand.
type gaps struct {
	logMiss float64   // log of the probability that no packet is generated in a cycle
	grows   []float64 // grows[k]: the gap is k or more from this draw on
	guide   []uint16  // by part of the draws: the gap at its start
}

// Bounds of the table.
const (
	guides  = 1 << 10
	maxGaps = 1 << 12
	unclear = 1e-12 // draws so close to the next gap are computed
)

func newGaps(rate float64) gaps {
	g := gaps{logMiss: math.Log1p(-rate)}
	for k := 0; k < maxGaps && (k < 2 || g.grows[k-1] < 1-1./guides); k++ {
		g.grows = append(g.grows, -math.Expm1(float64(k)*g.logMiss))
	}
	if len(g.grows) == maxGaps {
		return gaps{logMiss: g.logMiss} // the gaps are too long for a table
	}
	g.guide = make([]uint16, guides)
	k := 0
	for part := range g.guide {
		for k+1 < len(g.grows) && g.grows[k+1] <= float64(part)/guides {
			k++
		}
		g.guide[part] = uint16(k)
	}
	return g
}

// of returns the gap of a draw from 0 up to, but not including, 1.
func (g *gaps) of(draw float64) float64 {
	if part := int(draw * guides); part < len(g.guide)-1 {
		k := int(g.guide[part])
		for k+1 < len(g.grows) && draw >= g.grows[k+1] {
			k++
		}
		if k+1 < len(g.grows) && draw-g.grows[k] > unclear && g.grows[k+1]-draw > unclear {
			return float64(k)
		}
	}
	return g.computed(draw)
}

// computed returns the gap by its formula.
func (g *gaps) computed(draw float64) float64 {
	return math.Floor(math.Log(1-draw) / g.logMiss)
}
