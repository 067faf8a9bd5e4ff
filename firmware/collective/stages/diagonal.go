// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"slices"

	"meshwright/firmware/transfer"
)

// Diagonal is an all-gather with bridgeheads on the diagonals of a grid: TORGOS(n, A, B)
// in two dimensions, CUBGOS(n, d, A, B) in d (Juurlink, Sibeyn and Rao).
//
// The places along every axis belong in turn to the classes 0 to g-1. The bridgeheads are
// the nodes whose classes add up to 0 modulo g, so every line has a bridgehead about every
// g places. In the beginning g is the greatest product q·A^i with q ≤ A that is at most
// the smallest side divided by A. First the blocks are concentrated along the first axis,
// and exchanged among the bridgeheads of every line, one axis after the other. Then a
// bridgehead knows all places along the first axis, and along the others the places of its
// class. In every round g is divided by A (at the end by q), so that A times as many nodes
// are bridgeheads. Along the first axis the new bridgeheads get the words of the old ones
// of their line, in B steps. Along the other axes the bridgeheads of classes that have
// become one exchange their words. With g = 1 every node is a bridgehead and knows all
// blocks.
//
// The sides may differ, and need not be multiples of g: then some neighbours have the same
// class. In several colours, colour c begins with axis c.
type Diagonal struct{ A, B int }

// spacings returns the spacing of the bridgeheads at first and after every round.
func (d Diagonal) spacings(g Grid) []int {
	side, _ := g.sides()
	spacing := 1
	for q := 1; q <= d.A; q++ {
		for p := q; p <= side/d.A; p *= d.A {
			spacing = max(spacing, p)
		}
	}
	list := []int{spacing}
	for spacing > 1 {
		spacing /= min(spacing, d.A)
		list = append(list, spacing)
	}
	return list
}

// diagonalWork is a Diagonal at work.
type diagonalWork struct {
	Diagonal
	grid    Grid
	rulers  []ruler
	classes [][]int
	moves   unordered
	colours []*share
	base    int
}

// List returns the transfers for blocks of the given lengths. Errors are *input.Error.
func (d Diagonal) List(g Grid, lengths []int, colours int) (*transfer.List, error) {
	if err := g.check(lengths, colours); err != nil {
		return nil, err
	}
	if err := Factors(d).CheckDiagonal(g); err != nil {
		return nil, err
	}
	w, spacings := d.on(g)
	var err error
	if w.colours, err = newColours(g, lengths, colours, w.classes); err != nil {
		return nil, err
	}
	w.begin(spacings[0])
	for i := 1; i < len(spacings); i++ {
		w.round(spacings[i-1], spacings[i])
	}
	return &transfer.List{Nodes: len(lengths), Transfers: w.moves.inSteps()}, nil
}

// on returns the classes of a grid, and the spacings of the bridgeheads.
func (d Diagonal) on(g Grid) (*diagonalWork, []int) {
	w, spacings := &diagonalWork{Diagonal: d, grid: g}, d.spacings(g)
	for _, a := range g {
		r := newRuler(a.Line, spacings[0])
		w.rulers = append(w.rulers, r)
		w.classes = append(w.classes, r.classes())
	}
	return w, spacings
}

// Bridgeheads returns by node the round that makes it a bridgehead, 0 for the beginning; and how many
// rounds there are. The error is an *input.Error.
func (d Diagonal) Bridgeheads(g Grid) (since []int, rounds int, err error) {
	if err := Factors(d).CheckDiagonal(g); err != nil {
		return nil, 0, err
	}
	w, spacings := d.on(g)
	since = make([]int, g.Nodes())
	for round, spacing := range slices.Backward(spacings) { // an earlier round has fewer
		for first := range since {
			if g[0].place(first) != 0 {
				continue
			}
			for _, place := range headsOf(w.classes[0], w.classOf(0, first, spacing), spacing) {
				since[first+place*g[0].Stride] = round
			}
		}
	}
	return since, len(spacings) - 1, nil
}

// classOf returns the class of the line along an axis that begins at a node: the sum of the classes
// along the other axes, modulo the spacing.
func (w *diagonalWork) classOf(axis, first, spacing int) int {
	class := 0
	for a, other := range w.grid {
		if a != axis {
			class += w.classes[a][other.place(first)]
		}
	}
	return class % spacing
}

// along carries out a stage along the first axis of every colour, or the one
// that is so many axes further. The stage depends on the line's class.
func (w *diagonalWork) along(further, spacing int, stage func(axis, class int) *Stage) {
	steps := 0
	for _, c := range w.colours {
		axis := (c.colour + further) % len(w.grid)
		known := make([]*Stage, spacing)
		steps = max(steps, c.run(&w.moves, w.base, axis, func(first int) *Stage {
			class := w.classOf(axis, first, spacing)
			if known[class] == nil {
				known[class] = stage(axis, class)
			}
			return known[class]
		}))
	}
	w.base += steps
}

// begin concentrates the blocks at the first bridgeheads and exchanges them
// along every axis.
func (w *diagonalWork) begin(spacing int) {
	w.along(0, spacing, func(axis, class int) *Stage {
		r := w.rulers[axis]
		return Concentrate(r.Line, r.segmentsOf(headsOf(w.classes[axis], class, spacing)))
	})
	for further := range w.grid {
		w.along(further, spacing, func(axis, class int) *Stage {
			l, heads := w.grid[axis].Line, headsOf(w.classes[axis], class, spacing)
			return Exchange(l, heads, distinct(len(heads)), func(i int) Places {
				if further == 0 {
					return l.all()
				}
				return Places{Class: w.classes[axis][heads[i]], Of: spacing}
			})
		})
	}
}

// round makes bridgeheads at a spacing of those at a wider one.
func (w *diagonalWork) round(wide, narrow int) {
	parts := w.parts(wide / narrow)
	w.along(0, wide, func(axis, class int) *Stage {
		classes := w.classes[axis]
		return Insert(w.grid[axis].Line, headsOf(classes, class, wide), headsOf(classes, class, narrow), parts)
	})
	for further := 1; further < len(w.grid); further++ {
		w.along(further, narrow, func(axis, class int) *Stage {
			l, heads := w.grid[axis].Line, headsOf(w.classes[axis], class, narrow)
			return Exchange(l, heads, modulo(w.classes[axis], heads, wide), func(i int) Places {
				return Places{Class: w.classes[axis][heads[i]] % narrow, Of: narrow}
			})
		})
	}
}

// parts returns the number of parts into which a round with a factor cuts the words of the
// bridgeheads.
func (d Diagonal) parts(factor int) int {
	return Round{factor, Circular(d).steps(factor - 1)}.parts(factor - 1)
}
