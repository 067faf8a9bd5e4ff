// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"strings"

	"meshwright/firmware/contest"
	"meshwright/internal/input"
)

// weighed is a candidate of auto in JSON; its names are a contract.
type weighed struct {
	Algorithm string      `json:"algorithm"`
	Cycles    *duration   `json:"cycles,omitempty"` // at least, when bounded; none when left out, or the only one
	How       contest.How `json:"how"`
}

// weighed lists the algorithms that auto compared, the winner first.
func (o *outcome) weighed() []weighed {
	if o.plan == nil || o.plan.Chosen == nil {
		return nil
	}
	var list []weighed
	for _, w := range o.plan.Chosen.Weighed {
		row := weighed{Algorithm: w.Name, How: w.How}
		if w.Cycles > 0 || w.How == contest.Predicted || w.How == contest.Simulated {
			time := o.time(w.Cycles)
			row.Cycles = &time
		}
		list = append(list, row)
	}
	return list
}

// compared reports whether another candidate is the same algorithm, with options of its own, and was compared.
func (w weighed) compared(other weighed) bool {
	name, _, _ := strings.Cut(other.Algorithm, "(")
	return other.How != contest.LeftOut && name == w.Algorithm
}

// shownRivals bounds the candidates that the table names besides the winner.
const shownRivals = 2

// choice says in a line what auto chose, and why.
func (o *outcome) choice() string {
	list := o.weighed()
	if len(list) == 0 {
		return ""
	}
	text := won(list[0], o.floor(), o.delivered)
	var rivals, left, large []string
	for _, w := range list[1:] {
		switch {
		case w.How == contest.TooLarge:
			large = append(large, w.Algorithm)
		case w.How == contest.LeftOut && slices.ContainsFunc(list, w.compared): // with other options
		case w.How == contest.LeftOut:
			left = append(left, w.Algorithm)
		case w.How == contest.Bounded:
			rivals = append(rivals, fmt.Sprintf("%s at least %s", w.Algorithm, w.Cycles))
		default:
			rivals = append(rivals, fmt.Sprintf("%s %s", w.Algorithm, w.Cycles))
		}
	}
	before := "; next " // a contest that ends at the bound has not looked at all of them
	if o.plan.Chosen.AtFloor {
		before = "; compared with "
	}
	switch {
	case len(rivals) > shownRivals:
		text += before + strings.Join(rivals[:shownRivals], ", ") + fmt.Sprintf(" and %d more", len(rivals)-shownRivals)
	case len(rivals) > 0:
		text += before + strings.Join(rivals, ", ")
	case len(left)+len(large) == 0 && !o.plan.Chosen.AtFloor:
		text += ", the only one that fits"
	}
	switch {
	case len(left) == 0:
	case o.plan.Chosen.Stopped:
		text += "; not planned within the limit: " + strings.Join(left, ", ")
	default:
		text += fmt.Sprintf("; left out on %s: %s", input.Count(o.topology.Nodes(), "node"), strings.Join(left, ", "))
	}
	if len(large) > 0 {
		text += "; too large for the memory: " + strings.Join(large, ", ")
	}
	return text
}

// floor names the bound at which a contest ended, if it did.
func (o *outcome) floor() string {
	switch {
	case !o.plan.Chosen.AtFloor:
		return ""
	case o.plan.Chosen.Weighed[0].Cycles <= o.plan.LowerBound():
		return "the lower bound"
	}
	return "which no listed algorithm can beat"
}

// won describes the winner's time, and how it is known: of a run that did not deliver, that it is a prediction.
func won(w weighed, bound string, delivered bool) string {
	if w.How == contest.Only {
		return w.Algorithm
	}
	text := fmt.Sprintf("%s: %s cycles", w.Algorithm, w.Cycles)
	switch {
	case w.How == contest.Simulated:
		text += ", simulated"
	case !delivered:
		text += " predicted"
	}
	if bound != "" {
		text += ", " + bound
	}
	return text
}
