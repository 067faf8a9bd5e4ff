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

// rivals are the candidates besides the winner, both kinds by time. Of the bounded ones nobody knows which is faster: their runs were given up, or never begun,
// when they could not win any more.
type rivals struct{ timed, bounded []weighed }

// shownRivals bounds the candidates that the table names besides the winner.
const shownRivals = 2

// text names the first rivals. They come next in speed if all of them were looked at, and none that is only bounded can be faster.
func (r *rivals) text(all bool) string {
	if len(r.timed) == 0 {
		return named("; compared with ", r.bounded, " at least")
	}
	before := "; next "
	if last := r.timed[min(len(r.timed), shownRivals)-1]; !all || len(r.bounded) > 0 && r.bounded[0].Cycles.ticks < last.Cycles.ticks {
		before = "; compared with "
	}
	text := named(before, r.timed, "")
	switch others := len(r.bounded); others {
	case 0:
	case 1:
		text += named("; ", r.bounded, " at least")
	default:
		text += fmt.Sprintf("; %d others at least %s", others, r.bounded[0].Cycles)
	}
	return text
}

// named names the first of some candidates, with their times; "" if there are none.
func named(before string, list []weighed, least string) string {
	var shown []string
	for _, w := range list[:min(len(list), shownRivals)] {
		shown = append(shown, fmt.Sprintf("%s%s %s", w.Algorithm, least, w.Cycles))
	}
	if len(shown) == 0 {
		return ""
	}
	text := before + strings.Join(shown, ", ")
	if more := len(list) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// choice says in a line what auto chose, and why.
func (o *outcome) choice() string {
	list := o.weighed()
	if len(list) == 0 {
		return ""
	}
	text := won(list[0], o.floor(), o.delivered)
	var rivals rivals
	var left, large []string
	for _, w := range list[1:] {
		switch {
		case w.How == contest.TooLarge:
			large = append(large, w.Algorithm)
		case w.How == contest.LeftOut && slices.ContainsFunc(list, w.compared): // with other options
		case w.How == contest.LeftOut:
			left = append(left, w.Algorithm)
		case w.How == contest.Bounded:
			rivals.bounded = append(rivals.bounded, w)
		default:
			rivals.timed = append(rivals.timed, w)
		}
	}
	text += rivals.text(!o.plan.Chosen.AtFloor) // a contest that ends at the bound has not looked at all of them
	if len(rivals.timed)+len(rivals.bounded)+len(left)+len(large) == 0 && !o.plan.Chosen.AtFloor {
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
