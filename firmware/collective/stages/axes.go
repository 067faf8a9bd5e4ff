// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"fmt"

	"meshwright/firmware/transfer"
	"meshwright/internal/input"
)

// Axes performs an all-gather along one axis after the other (HIGHDIMGOS of Juurlink,
// Sibeyn and Rao): in phase f a node's message has the words of the nodes that differ from
// it in the earlier axes only. In d colours a block is cut into d parts, and colour c goes
// along axis (f+c) mod d in phase f, of d axes of more than one node. The method is the
// all-gather along a line. Lengths are the words of the nodes' blocks. Errors are
// *input.Error.
func Axes(g Grid, lengths []int, colours int, m Method) (*transfer.List, error) {
	if err := g.check(lengths, colours); err != nil {
		return nil, err
	}
	l := &transfer.List{Nodes: len(lengths)}
	if len(g) == 0 {
		return l, nil
	}
	list, err := newColours(g, lengths, colours, nil)
	if err != nil {
		return nil, err
	}
	stages := make([][]*Stage, len(g))
	for a, axis := range g {
		stages[a] = m.Stages(axis.Line)
	}
	var moves unordered
	base := 0
	for phase := range g {
		steps := 0
		for _, c := range list {
			axis, at := (phase+c.colour)%len(g), base
			for _, s := range stages[axis] {
				c.run(&moves, at, axis, func(int) *Stage { return s })
				at += s.Steps
			}
			steps = max(steps, at-base)
		}
		base += steps
	}
	l.Transfers = moves.inSteps()
	return l, nil
}

// AxesCost is the cost of Axes for blocks of so many words: the sum over the
// steps of the largest message and the largest distance. It is exact for grids
// of equal sides on which the method's Runs are, else an upper bound.
func AxesCost(g Grid, words, colours int, m Method) Cost {
	var runs Runs
	for phase := range g {
		var together Runs
		for c := range colours {
			combined := ceil(words, colours)
			for f := range phase {
				combined *= g[(f+c)%len(g)].Size
			}
			together = together.with(m.Runs(g[(phase+c)%len(g)].Line, combined))
		}
		runs = append(runs, together...)
	}
	return runs.cost()
}

func (g Grid) check(lengths []int, colours int) error {
	if most := max(1, len(g)); colours < 1 || colours > most {
		return input.Errorf(fmt.Sprintf("expected 1 to %d, one for each dimension", most), "a gossip in %s", input.Count(colours, "colour"))
	}
	if len(lengths) != g.Nodes() {
		return input.Errorf("expected one for each node", "%d lengths for %d nodes", len(lengths), g.Nodes())
	}
	return nil
}
