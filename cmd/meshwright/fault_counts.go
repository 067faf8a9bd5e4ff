// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"meshwright/fabric"
	"meshwright/firmware/collective"
	"meshwright/internal/input"
)

// faultCounts counts the effects of faults on a run. Its JSON names are a contract.
type faultCounts struct {
	Lost    int `json:"messages_lost"`
	Dead    int `json:"at_dead_links"`
	Dropped int `json:"dropped"`
	Flits   int `json:"flits_lost"`
	Flipped int `json:"flits_corrupted"`
}

// newFaultCounts returns the counts of a run; nil without faults.
func newFaultCounts(n *fabric.Network) *faultCounts {
	if n.Faults() == nil {
		return nil
	}
	l := n.Losses()
	return &faultCounts{Lost: l.Messages(), Dead: l.Dead, Dropped: l.Dropped, Flits: l.Flits, Flipped: l.Flipped}
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
}

// incomplete is a live PE without some words.
type incomplete struct {
	Node    int `json:"node"`
	Missing int `json:"messages_missing"`
	Wrong   int `json:"words_wrong"`
}

func newArrivals(a *collective.Arrivals) *arrivals {
	if a == nil {
		return nil
	}
	list := &arrivals{Live: a.Live, Complete: a.Live - len(a.Short()), Fewest: a.Fewest, Incomplete: []incomplete{}, lacking: len(a.Incomplete)}
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
	return fmt.Sprintf("%d of %d have %s; fewest copies of a message %d", a.Complete, a.Live, every, a.Fewest)
}
