// SPDX-License-Identifier: Apache-2.0

package stages

import (
	"fmt"
	"math/bits"
	"slices"

	"meshwright/fabric/topology"
	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// OneChannel is an all-gather in its half-duplex, one-channel form: for machines whose PEs
// have one channel and use it one way at a time, as on the Intel Paragon (Juurlink, Sibeyn,
// Rao, last section). In every step a PE sends or receives one message, or does neither.
// The form runs on grids.
//
// A and B are the parameters of the algorithms with bridgeheads. These algorithms need
// A > 0; only highdimgos takes 0, and then goes along each line as approach 2 does, and with
// A = 1 as approach 1 does. See Best.
type OneChannel struct {
	Algorithm OneChannelAlgorithm
	Factors
	Topology *topology.Topology
	Lengths  []int  // words of every node's block
	Start    string // one of the algorithm's Starts; "": its own
	Sync     bool   // a sender waits for a token of the receiver
}

// OneChannelAlgorithm is an algorithm that has a half-duplex, one-channel form. Its
// text is the name of its row in the table of package collective.
type OneChannelAlgorithm string

// The algorithms with such a form.
const (
	Approach1  OneChannelAlgorithm = "approach1"
	Approach2  OneChannelAlgorithm = "approach2"
	Circgos    OneChannelAlgorithm = "circgos"
	Highdimgos OneChannelAlgorithm = "highdimgos"
	Torgos     OneChannelAlgorithm = "torgos"
	Vendor     OneChannelAlgorithm = "vendor"
)

// OneChannelAlgorithms lists them.
func OneChannelAlgorithms() []OneChannelAlgorithm {
	return []OneChannelAlgorithm{Approach1, Approach2, Circgos, Highdimgos, Torgos, Vendor}
}

// RunsOn reports whether the form runs on grids of so many dimensions.
func (a OneChannelAlgorithm) RunsOn(dims int) bool { return a != Torgos || dims == 2 }

// HasBridgeheads reports whether the algorithm takes a and b.
func (a OneChannelAlgorithm) HasBridgeheads() bool {
	return a == Circgos || a == Highdimgos || a == Torgos
}

// The ways in which a gossip can begin.
const (
	Rows       = "rows"        // lowest dimension first
	Columns    = "columns"     // highest dimension first
	BlackWhite = "black-white" // blocks of nodes with x+y even go along rows first, the others along columns
	Around     = "ring"        // along a ring through all nodes
)

// Starts lists the values of Start that an algorithm takes on several dimensions, the
// default first. It is nil for an algorithm that always begins in the same way.
func (a OneChannelAlgorithm) Starts() []string {
	switch a {
	case Approach1, Approach2:
		return []string{Rows, Columns, BlackWhite, Around}
	case Highdimgos, Torgos:
		return []string{Rows, Columns}
	case Circgos:
		return []string{Around}
	}
	return nil
}

// oneChannelPlan describes an algorithm with its a and b on a topology.
type oneChannelPlan struct {
	start  string
	scheme scheme // of lines
	torgos bool
	vendor bool
}

// scheme is an all-gather along a line. Groups of PEs concentrate their blocks in their
// bridgeheads, and the bridgeheads exchange these blocks. Then every bridgehead sends its
// words to new bridgeheads in its group, round after round, until all PEs are bridgeheads.
type scheme struct {
	heads  int // bridgeheads at the start; 0: all PEs (approach 2)
	factor int // a round multiplies the bridgeheads by this number; 0: one round for all PEs (approach 1)
	parts  int // the words go to new bridgeheads in so many parts: 1 along a tree, more along a chain
}

// plan checks the fields, and returns the plan that they describe.
func (o OneChannel) plan() (oneChannelPlan, error) {
	if err := o.Topology.Valid(); err != nil {
		return oneChannelPlan{}, err
	}
	t := o.Topology
	if !t.IsGrid() {
		return oneChannelPlan{}, input.Errorf("expected a path, ring, mesh, torus or hypercube", "gossip %s with one half-duplex channel per PE on %s", o.Algorithm, t)
	}
	p := oneChannelPlan{start: o.Start, vendor: o.Algorithm == Vendor, torgos: o.Algorithm == Torgos}
	possible := o.Algorithm.Starts()
	switch {
	case len(t.Dims) == 1 && o.Start != "" && !p.vendor:
		return p, input.Errorf("expected none: it has one dimension", "start %s on %s", o.Start, t)
	case p.start == "" && len(t.Dims) == 1:
		p.start = Rows
	case p.start == "" && possible != nil:
		p.start = possible[0]
	case p.start != "" && !slices.Contains(possible, p.start):
		return p, input.Errorf(expectStart(possible), "start %s of gossip %s", o.Start, o.Algorithm)
	}
	if p.start == BlackWhite && (len(t.Dims) != 2 || t.Dims[0]%2 != 0 || t.Dims[1]%2 != 0) {
		return p, input.Errorf("expected two dimensions of even length", "start %s on %s", p.start, t)
	}
	if p.torgos && len(t.Dims) != 2 {
		return p, input.Errorf("expected two dimensions", "gossip torgos with one half-duplex channel per PE on %s", t)
	}
	return p, p.settle(t, o.Algorithm, o.Factors)
}

func expectStart(possible []string) string {
	if possible == nil {
		return "expected none: it has one way to begin"
	}
	return "expected " + input.Or(possible)
}

// settle fills in the scheme.
func (p *oneChannelPlan) settle(t *topology.Topology, algorithm OneChannelAlgorithm, f Factors) error {
	switch algorithm {
	case Approach1:
		p.scheme = scheme{heads: 1, parts: 1}
	case Approach2:
		p.scheme = scheme{parts: 1}
	case Highdimgos:
		switch p.scheme = (scheme{parts: 1}); f.A {
		case 0:
		case 1:
			p.scheme.heads = 1
			return f.CheckRounds()
		default:
			return p.factors(p.longest(t), f)
		}
	case Circgos, Torgos:
		return p.factors(p.longest(t), f)
	case Vendor:
	default:
		return input.Errorf(input.Suggest(string(algorithm), names(OneChannelAlgorithms())),
			"no gossip %q with one half-duplex channel per PE", algorithm)
	}
	if f != (Factors{}) {
		return input.Errorf("expected none: it has no bridgeheads", "%s %d and %s %d for gossip %s", Bridgeheads, f.A, RoundSteps, f.B, algorithm)
	}
	return nil
}

// longest is the number of nodes that bridgeheads are chosen from: of a line,
// of the ring through all nodes, or, for torgos, of the shorter side.
func (p *oneChannelPlan) longest(t *topology.Topology) int {
	switch {
	case p.start == Around:
		return t.Nodes()
	case p.torgos:
		return slices.Min(t.Dims)
	}
	return slices.Max(t.Dims)
}

// factors takes over a and b. Up to b = a, a bridgehead makes a-1 new ones down a
// binary tree, in ceil(log2 a) steps; beyond, along a chain in b steps and
// 1 + floor((b-a+1)/2) parts: a PE takes a part and passes it on in turns, so
// that a part follows another after two steps.
func (p *oneChannelPlan) factors(nodes int, f Factors) error {
	if nodes < 2 {
		p.scheme = scheme{parts: 1}
		return nil
	}
	if f.A < 2 || f.A > nodes {
		return input.Errorf(fmt.Sprintf("expected 2 to %d", nodes), "%s %d", Bridgeheads, f.A)
	}
	if least, most := log2(f.A), f.A+2*mostParts-3; f.B != 0 && (f.B < least || f.B > most) {
		return f.wrongSteps(fmt.Sprintf("expected %d, the logarithm of the bridgeheads, to %d, with which words go in %d parts", least, most, mostParts))
	}
	p.scheme = scheme{heads: f.A, factor: f.A, parts: 1}
	if f.B > f.A {
		p.scheme.parts = 1 + (f.B-f.A+1)/2
	}
	return nil
}

// log2 is the logarithm of n, rounded up.
func log2(n int) int { return bits.Len(uint(n - 1)) }

// List returns the transfers. The errors are *input.Error.
func (o OneChannel) List() (*transfer.List, error) {
	p, err := o.plan()
	if err != nil {
		return nil, err
	}
	l := newOneChannelList(o)
	switch {
	case p.vendor:
		l.vendor(o.Topology.Nodes())
	case p.torgos:
		l.torgos(o.Topology, p)
	case p.start == BlackWhite:
		l.blackWhite(o, p.scheme)
	case p.start == Around:
		ring, closed := throughAll(o.Topology)
		l.along([][]router.NodeID{ring}, closed, p.scheme)
	default:
		for _, axis := range order(o.Topology, p.start) {
			l.along(lines(o.Topology, axis), o.Topology.Wrap[axis], p.scheme)
		}
	}
	return l.list, nil
}

// names are the texts of algorithms.
func names(algorithms []OneChannelAlgorithm) []string {
	list := make([]string, len(algorithms))
	for i, a := range algorithms {
		list[i] = string(a)
	}
	return list
}

// order returns the dimensions in the order in which they are used.
func order(t *topology.Topology, start string) []int {
	axes := make([]int, len(t.Dims))
	for i := range axes {
		axes[i] = i
	}
	if start == Columns {
		slices.Reverse(axes)
	}
	return axes
}
