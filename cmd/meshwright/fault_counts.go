// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/internal/input"
	"meshwright/router"
)

// deadParts are the dead nodes and links of a network. Its JSON names are a contract.
type deadParts struct {
	Nodes []deadNode `json:"dead_nodes"`
	Links []deadLink `json:"dead_links"`

	text string // of the table; "" if nothing is dead
}

// deadNode is a node that is dead in some cycles.
type deadNode struct {
	Node int `json:"node"`
	deadCycles
}

// deadLink is a link that is dead in some cycles, in one direction.
type deadLink struct {
	Link string `json:"link"`
	deadCycles
}

// deadCycles are the cycles in which something is dead.
type deadCycles struct {
	From  router.Cycle  `json:"from_cycle"`
	Until *router.Cycle `json:"until_cycle,omitempty"` // nil: for good
}

// newDeadParts returns what is dead in a network; nil without faults.
func newDeadParts(f *fault.Faults, t *topology.Topology) *deadParts {
	if f == nil {
		return nil
	}
	d, broken := &deadParts{Nodes: []deadNode{}, Links: []deadLink{}}, f.Broken()
	if len(broken) > 0 {
		d.text = fault.BrokenText(t, broken)
	}
	for _, b := range broken {
		cycles := deadCycles{From: b.Start}
		if b.End < fault.Never {
			cycles.Until = &b.End
		}
		if b.Kind == fault.Node {
			d.Nodes = append(d.Nodes, deadNode{int(b.From), cycles})
			continue
		}
		if d.Links = append(d.Links, deadLink{fmt.Sprintf("%d>%d", b.From, b.To), cycles}); b.BothWays {
			d.Links = append(d.Links, deadLink{fmt.Sprintf("%d>%d", b.To, b.From), cycles})
		}
	}
	return d
}

// rows is the row of a table that names what is dead; none if nothing is.
func (d *deadParts) rows() [][]string {
	if d == nil || d.text == "" {
		return nil
	}
	return [][]string{{"dead", d.text}}
}

// faultCounts counts the effects of faults on a run, and says what is dead. Its JSON names are a contract.
type faultCounts struct {
	Lost    int `json:"messages_lost"`
	Dead    int `json:"at_dead_links"`
	Dropped int `json:"dropped"`
	Flits   int `json:"flits_lost"`
	Flipped int `json:"flits_corrupted"`
	*deadParts
}

// newFaultCounts returns the counts of a run; nil without faults.
func newFaultCounts(n *fabric.Network) *faultCounts {
	if n.Faults() == nil {
		return nil
	}
	l := n.Losses()
	return &faultCounts{Lost: l.Messages(), Dead: l.Dead, Dropped: l.Dropped, Flits: l.Flits, Flipped: l.Flipped, deadParts: newDeadParts(n.Faults(), n.Topology)}
}

// String says what was lost and corrupted.
func (c *faultCounts) String() string {
	return fmt.Sprintf("%s lost (%d at dead links, %d dropped), %s corrupted", input.Count(c.Lost, "message"), c.Dead, c.Dropped, input.Count(c.Flipped, "flit"))
}

// bufferErrors counts the errors of flits in buffers. Its JSON names are a contract.
type bufferErrors struct {
	Injected  int `json:"injected"`
	Corrected int `json:"corrected"`
	Detected  int `json:"detected"`
	Silent    int `json:"silent"`
}

// newBufferErrors returns the counts of a run; nil without upsets.
func newBufferErrors(n *fabric.Network) *bufferErrors {
	if n.Faults() == nil || !n.Faults().HasUpsets() {
		return nil
	}
	e := bufferErrors(n.BufferErrors())
	return &e
}

// String says what happened to the flits.
func (e *bufferErrors) String() string {
	return fmt.Sprintf("%s hit: %d corrected, %d detected, %d silent", input.Count(e.Injected, "flit"), e.Corrected, e.Detected, e.Silent)
}

// arrivals says what live PEs got in a run with faults. Its JSON names are a contract.
type arrivals struct {
	Live       int          `json:"live_pes"`
	Complete   int          `json:"complete_pes"`
	Fewest     int          `json:"fewest_copies"`
	Incomplete []incomplete `json:"incomplete"`
	lacking    int          // PEs without words of any node
	rooted     bool         // the root has the words from the start, and is not counted
}

// incomplete is a live PE without some words.
type incomplete struct {
	Node    int `json:"node"`
	Missing int `json:"messages_missing"`
	Wrong   int `json:"words_wrong"`
}

func newArrivals(a *collective.Arrivals, rooted bool) *arrivals {
	if a == nil {
		return nil
	}
	list := &arrivals{Live: a.Live, Complete: a.Live - len(a.Short()), Fewest: a.Fewest, Incomplete: []incomplete{}, lacking: len(a.Incomplete), rooted: rooted}
	for _, at := range a.Short() {
		list.Incomplete = append(list.Incomplete, incomplete{int(at.Node), at.Missing, at.Wrong})
	}
	return list
}

// unsent reports whether some PEs lack no more than words that dead nodes never sent.
func (a *arrivals) unsent() bool { return a.lacking > len(a.Incomplete) }

// compared says which words were compared and are right.
func (a *arrivals) compared() string {
	if a.unsent() {
		return "every word of live nodes compared at the live PEs"
	}
	return "every word of the live PEs compared"
}

// String says how many PEs have every word.
func (a *arrivals) String() string {
	every := "every word"
	if a.unsent() {
		every = "every word of live nodes"
	}
	besides := ""
	if a.rooted {
		besides = " besides the root"
	}
	return fmt.Sprintf("%d of %d%s have %s; worst case: %s of a message arrived", a.Complete, a.Live, besides, every, copies(a.Fewest))
}

// copies counts copies.
func copies(n int) string {
	if n == 1 {
		return "1 copy"
	}
	return fmt.Sprintf("%d copies", n)
}
