// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"fmt"
	"slices"

	"meshwright/fabric/fault"
	"meshwright/firmware/collective/tolerant"
	"meshwright/firmware/pe"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// Arrivals are the messages that reached live PEs, after a run with faults of a plan whose messages
// travel in copies. A PE whose node died before the end of its program is not live.
type Arrivals struct {
	Live       int       // PEs that should have messages in the end and are live
	Fewest     int       // copies that came intact, of the message and at the live PE with the fewest; messages of nodes that were dead from cycle 0 on do not count
	Incomplete []Arrived // the live PEs that do not have every word, in rising order
}

// Short lists the live PEs that lack more than what nodes that were dead from cycle 0 on never sent.
func (a *Arrivals) Short() []Arrived {
	var short []Arrived
	for _, at := range a.Incomplete {
		if at.Missing > at.Unsent || at.Wrong > at.UnsentWords {
			short = append(short, at)
		}
	}
	return short
}

// Arrived is a live PE that does not have every word.
type Arrived struct {
	Node    router.NodeID
	Missing int // messages of which no copy came intact
	Wrong   int // words that are not the expected ones, those of missing messages included

	Unsent, UnsentWords int // of them those of nodes that were dead from cycle 0 on
}

// Incomplete is a run with faults in which live PEs do not have every word that a live node could send.
type Incomplete struct{ Arrivals }

// Error tells how many PEs lack words, and what the first of them lacks.
func (i *Incomplete) Error() string {
	short := i.Short()
	if len(short) == 0 {
		return "every live PE has every word that a live node could send"
	}
	first := short[0]
	text := fmt.Sprintf("%d of %s do not have every word; the first is PE %d: %s missing, %s wrong", len(short),
		input.Count(i.Live, "live PE"), first.Node, input.Count(first.Missing, "message"), input.Count(first.Wrong, "word"))
	if first.Unsent > 0 {
		text += fmt.Sprintf(", of them %s of dead nodes", input.Count(first.Unsent, "message"))
	}
	return text
}

// unsent returns, by node, the messages that nodes never sent since they were dead from cycle 0 on. Only such
// plans have them whose messages travel in copies.
func unsent(p *plan.Plan, faults *fault.Faults) ([]tolerant.Unsent, error) {
	dead := map[router.NodeID]bool{}
	for _, stop := range faults.Stops() {
		if stop.At == 0 {
			dead[stop.Node] = true
		}
	}
	if len(dead) == 0 {
		return make([]tolerant.Unsent, len(p.PEs)), nil
	}
	replay, err := tolerant.NewReplay(p)
	if err != nil {
		return nil, err
	}
	return replay.Unsent(func(n router.NodeID) bool { return dead[n] }), nil
}

// inCopies reports whether a plan's messages travel in copies, which PEs count.
func inCopies(p *plan.Plan) bool {
	for n := range p.PEs {
		if p.PEs[n].Block.Counts > 0 {
			return true
		}
	}
	return false
}

// arrivals compares the words of all live PEs.
func arrivals(p *plan.Plan, faults *fault.Faults, array *pe.Array) (*Arrivals, error) {
	unsent, err := unsent(p, faults)
	if err != nil {
		return nil, err
	}
	a := &Arrivals{Fewest: -1}
	for n := range router.NodeID(len(p.PEs)) {
		e := &p.PEs[n]
		if e.Block.Counts == 0 || array.Dead(n) {
			continue
		}
		a.Live++
		elements := p.Machine.Elements()
		got := array.Memory(n)[len(e.Parameters)*elements:][:len(e.Block.Words)]
		data := len(got) - e.Block.Counts*elements
		at := Arrived{Node: n, Unsent: unsent[n].Messages, UnsentWords: unsent[n].Words}
		for i := 0; i < data; i += elements {
			if !slices.Equal(got[i:i+elements], e.Block.Words[i:i+elements]) {
				at.Wrong++
			}
		}
		for i := data; i < len(got); i += elements {
			count := got[i]
			if count == 0 {
				at.Missing++
			}
			if !unsent[n].Marks[i/elements] && (a.Fewest < 0 || int(count) < a.Fewest) {
				a.Fewest = int(count)
			}
		}
		if at.Wrong > 0 || at.Missing > 0 {
			a.Incomplete = append(a.Incomplete, at)
		}
	}
	a.Fewest = max(0, a.Fewest)
	return a, nil
}
