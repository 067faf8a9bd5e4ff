// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"fmt"

	"meshwright/fabric/machine"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

// Form is an all-gather whose parameters are chosen: [AxisByAxis], [Diagonals],
// [Strides], [Legs] or [Crosses]. It lists its own transfers and predicts its
// own time. Its text is the parameters in parentheses, or nothing.
type Form interface {
	fmt.Stringer
	// Name is the name of the form's row in the table of package collective.
	Name() string
	// List returns the transfers for blocks of the given lengths. Errors are
	// *input.Error.
	List(g Grid, lengths []int, p Pace) (*transfer.List, error)
	// Time predicts the time for blocks of so many words each, on links that
	// work independently: exactly, or as an upper bound. Errors are *input.Error.
	Time(g Grid, words int, p Pace) (router.Cycle, error)
}

// Candidate is a form with the time that it was chosen for.
type Candidate struct {
	Form                   // nil: there is none
	Predicted router.Cycle // exact, or an upper bound, see Form.Time
}

// String names the candidate with its parameters.
func (c Candidate) String() string {
	if c.Form == nil {
		return ""
	}
	return c.Name() + c.Form.String()
}

// improve takes over another candidate that takes less time.
func (c *Candidate) improve(other Candidate) {
	if c.Form == nil || other.Predicted < c.Predicted {
		*c = other
	}
}

// Staged is a Form that is put together from stages: [AxisByAxis] or [Diagonals].
type Staged interface {
	Form
	// Options returns the options by which a job asks for the form.
	Options() Options
	// Cost returns the cost of the longest chain of messages, for blocks of so many words.
	Cost(g Grid, words int) Cost
}

// Options are the options by which a job asks for a staged form.
type Options struct {
	Factors     // 0: none
	Colours int // parts of each block that take the axes in orders of their own
}

// AxisByAxis gossips along one axis after the other, see [Axes].
type AxisByAxis struct {
	Method  Method
	Colours int // see Options
	Dims    int // dimensions of the network, also dimensions of size 1; with one dimension each method has a row of its own in the table
}

// Name implements Form.
func (f AxisByAxis) Name() string {
	if f.Dims == 1 {
		return f.Method.name()
	}
	return highDimName
}

// String shows the bridgeheads; on several dimensions approach 1 counts as one.
func (f AxisByAxis) String() string { return f.Options().Factors.String() }

// Options implements Staged.
func (f AxisByAxis) Options() Options {
	o := Options{Colours: f.Colours}
	switch m := f.Method.(type) {
	case Circular:
		o.Factors = Factors(m)
	case ThroughCentre:
		if f.Dims != 1 {
			o.A = 1
		}
	}
	return o
}

// List implements Form.
func (f AxisByAxis) List(g Grid, lengths []int, _ Pace) (*transfer.List, error) {
	return Axes(g, lengths, f.Colours, f.Method)
}

// Cost implements Staged.
func (f AxisByAxis) Cost(g Grid, words int) Cost { return AxesCost(g, words, f.Colours, f.Method) }

// Time implements Form.
func (f AxisByAxis) Time(g Grid, words int, p Pace) (router.Cycle, error) {
	return f.Cost(g, words).time(p), nil
}

// candidate is the form with its time on a machine.
func (f AxisByAxis) candidate(g Grid, words int, m *machine.Machine) Candidate {
	return Candidate{Form: f, Predicted: f.Cost(g, words).Cycles(m)}
}

// Diagonals is a [Diagonal] in several colours.
type Diagonals struct {
	Diagonal
	Colours int // see Options
	Dims    int // dimensions of the network, also dimensions of size 1; two dimensions have a row of their own in the table
}

// Name implements Form.
func (f Diagonals) Name() string {
	if f.Dims == 2 {
		return twoDimDiagonal
	}
	return diagonalName
}

// String shows a and b.
func (f Diagonals) String() string { return Factors(f.Diagonal).String() }

// Options implements Staged.
func (f Diagonals) Options() Options { return Options{Factors(f.Diagonal), f.Colours} }

// List implements Form.
func (f Diagonals) List(g Grid, lengths []int, _ Pace) (*transfer.List, error) {
	return f.Diagonal.List(g, lengths, f.Colours)
}

// Cost implements Staged.
func (f Diagonals) Cost(g Grid, words int) Cost { return f.Diagonal.Cost(g, words, f.Colours) }

// Time implements Form.
func (f Diagonals) Time(g Grid, words int, p Pace) (router.Cycle, error) {
	return f.Cost(g, words).time(p), nil
}

// candidate is the form with its time on a machine.
func (f Diagonals) candidate(g Grid, words int, m *machine.Machine) Candidate {
	return Candidate{Form: f, Predicted: f.Cost(g, words).Cycles(m)}
}

// Name implements Form.
func (s Strides) Name() string { return stridesName }

// Name implements Form: legs are strides along whole axes.
func (s Legs) Name() string { return stridesName }

// Name implements Form.
func (x Crosses) Name() string { return crossesName }
