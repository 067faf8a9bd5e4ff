// SPDX-License-Identifier: Apache-2.0

package greedy

// leapsFrom is the part of the bound, an eighth, by which a schedule has to be above it if leaps are to be worth their time.
const leapsFrom = 8

// fasterInLeaps returns a schedule of an all-gather or a reduce-scatter without startups that is faster than a known one, if a second search finds one, and otherwise the known one. In the first search pieces
// go from neighbour to neighbour. In this one messages go past nodes, too, and pieces from far away may be worth more. Where nodes send or receive by turns, or have one channel, a node is not busy with what goes past it:
//
//	0 > 2   past 1, which receives meanwhile
func (n *network) fasterInLeaps(known *schedule, longest, total int, grow growerOf) (*schedule, error) {
	if n.leaps || !n.ownPieces() || leapsFrom*known.cycles <= (leapsFrom+1)*n.LowerBound() {
		return known, nil
	}
	own := *n
	own.leaps = true
	best, err := own.best(own.drafts(longest, total, 1), known.cycles, 0, grow.on(&own))
	if best == nil {
		best = known
	}
	return best, err
}
