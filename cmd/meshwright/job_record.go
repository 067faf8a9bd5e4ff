// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"

	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
)

// jobRecord is what a report's JSON says of the job besides network and machine, so that figures of many jobs can be told apart. It is
// empty for files, which say everything themselves.
type jobRecord struct {
	Length  *int    `json:"length,omitempty"`
	Lengths []int   `json:"lengths,omitempty"`
	Seed    *uint64 `json:"seed,omitempty"`

	least, most int // of the lengths that count
}

// recordOf describes the job of a collective. The root's length does not count where the root gives or gets nothing of its own.
func recordOf(name string, j *collective.Job) jobRecord {
	lengths := j.Lengths
	if kind, err := plan.KindOf(name); err == nil && kind.Holders == plan.AllButRoot && len(lengths) > 1 {
		lengths = slices.Delete(slices.Clone(lengths), int(j.Root), int(j.Root)+1)
	}
	r := jobRecord{Seed: &j.Seed}
	if len(lengths) > 0 {
		r.least, r.most = slices.Min(lengths), slices.Max(lengths)
	}
	if len(lengths) > 0 && r.least == r.most {
		r.Length = &lengths[0]
	} else {
		r.Lengths = j.Lengths
	}
	return r
}

// on says for headings on which network a job runs, and how long its messages are.
func (r jobRecord) on(network string) string {
	switch {
	case r.Length != nil:
		return fmt.Sprintf("%s, %s a message", network, input.Count(*r.Length, "flit"))
	case len(r.Lengths) > 0:
		return fmt.Sprintf("%s, %d to %d flits a message", network, r.least, r.most)
	}
	return network
}
