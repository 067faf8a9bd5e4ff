// SPDX-License-Identifier: Apache-2.0

package gossip

import (
	"fmt"

	"meshwright/fabric/machine"
	"meshwright/firmware/transfer"
)

// List lists the transfers of a candidate. Errors are *input.Error.
func (c Candidate) List(g Grid, lengths []int, m *machine.Machine) (*transfer.List, error) {
	colours := max(1, c.Colours)
	switch {
	case c.Algorithm == stridesName:
		return c.Strides.List(g, lengths, PaceOf(m))
	case c.Algorithm == crossesName:
		return c.Crosses.List(g, lengths, PaceOf(m))
	case c.Algorithm == twoDimDiagonal || c.Algorithm == diagonalName:
		return Diagonal(c.Factors).List(g, lengths, colours)
	case c.Algorithm == approach1Name || c.Algorithm == highDimName && c.A == 1:
		return Axes(g, lengths, colours, ThroughCentre{})
	case c.Algorithm == approach2Name || c.Algorithm == highDimName && c.A == 0:
		return Axes(g, lengths, colours, PlaceByPlace{})
	case c.Algorithm == circularName || c.Algorithm == highDimName:
		return Axes(g, lengths, colours, Circular(c.Factors))
	}
	return nil, fmt.Errorf("gossip: no list of %q", c.Algorithm)
}
