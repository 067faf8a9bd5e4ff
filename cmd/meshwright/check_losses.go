// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/schedule/check"
)

// loss is a message that a fault loses; its JSON names are a contract.
type loss struct {
	Message int32    `json:"message"`
	Link    string   `json:"link"`
	Cycle   duration `json:"cycle"`

	at string // the link, for people
}

// String says where a message is lost.
func (l loss) String() string {
	return fmt.Sprintf("message %d is lost at link %s in cycle %s", l.Message, l.at, l.Cycle)
}

// lose enters the messages that the faults of a machine lose. The verdict of a machine
// without faults says nothing of them.
func (v *verdict) lose(m machine.Machine, t *topology.Topology, first []check.Loss, count int) {
	if m.Faults == nil {
		return
	}
	links := t.Links()
	for _, l := range first {
		link := links[l.Link]
		v.Losses = append(v.Losses, loss{l.Message, linkName(link), duration{l.Cycle, m.Ticks()}, t.LinkText(link.From, link.To, ">")})
	}
	v.Lost, v.OK = &count, v.OK && count == 0
	if on, err := m.Faults.On(t, m.Ticks(), m.Width, m.StoredBits()); err == nil { // the check has refused a list with errors
		v.deadParts = newDeadParts(on, t)
	}
}

// lostRows are the rows of the table about what is dead, and about losses.
func (v *verdict) lostRows() [][]string {
	if v.Lost == nil {
		return nil
	}
	return append(v.deadParts.rows(), []string{"lost", fmt.Sprintf("%s; the others arrive", input.Count(*v.Lost, "message"))})
}

// printLosses prints the first losses, and how many are left out.
func (v *verdict) printLosses(w io.Writer) error {
	if v.Lost == nil {
		return nil
	}
	first := v.Losses[:min(shown, len(v.Losses))]
	for _, l := range first {
		if _, err := fmt.Fprintln(w, l.String()); err != nil {
			return err
		}
	}
	if left := *v.Lost - len(first); left > 0 {
		_, err := fmt.Fprintf(w, "and %s\n", input.Count(left, "more lost message"))
		return err
	}
	return nil
}
