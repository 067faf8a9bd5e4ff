// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"

	"meshwright/fabric"
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
