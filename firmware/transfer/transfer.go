// SPDX-License-Identifier: Apache-2.0

// Package transfer describes collectives as lists of transfers: which words go from
// which PE to which, and in which order. Generators of algorithms make a [List], and
// plan.FromTransfers turns it into firmware. [Predict] predicts its time. [Timetable]
// gives every transfer a dispatch cycle so that no two messages ever collide.
//
// # Order
//
// A PE carries out its transfers in rising steps. Within a step it first sends the
// tokens for the messages that it will receive (List.Sync). Then it works on its own
// memory, then it sends, and then it receives. Sends are sorted by their start, and
// otherwise everything stands in the order of the list. A send stalls while its
// channel is busy. A receive stalls until the message is whole. Nothing else
// synchronises the PEs, so one PE may be several steps ahead of another. Therefore a
// PE must have received, in steps before s, all words that it sends in step s.
//
// In a timed list (List.Timed) a PE goes by the clock instead: it sends at Start and
// receives at Due, whatever the steps are.
//
// # Time
//
// A message of W flits that is handed to a free channel in cycle T is whole at a PE d
// links away in cycle T + startup + W·flit + d·hop - 1, if no other message is in its
// way. That PE can send the words on in the same cycle.
package transfer

import (
	"fmt"
	"math"

	"meshwright/internal/input"
	"meshwright/router"
)

// Op is the operation with which a PE stores the words that it receives.
type Op uint8

// The operations.
const (
	Put Op = iota // stored
	Add           // added, word by word modulo 2^32, to what is there
)

// Transfer is one message, or, from a PE to itself, a move within its memory.
type Transfer struct {
	Step     int // at least 0
	From, To router.NodeID
	Out      Set           // words of From's block; without words nothing is sent
	In       Set           // where they go in To's block; nil: the same places
	Op       Op            // at To
	Route    []router.Port // nil: the machine's own
	Start    router.Cycle  // the message is not handed to its channel before
	Due      router.Cycle  // in a timed list: the earliest cycle in which the receiver handles it
}

// List is a collective: the transfers of all PEs.
type List struct {
	Nodes     int
	Transfers []Transfer
	Timed     bool // a PE acts in the order of Start and Due, not step by step; there are no moves and no Sync
	Apart     bool // no two messages ever need the same resource, also where buffers are too small for the full rate, see TimetableStalling
	Sync      bool // a sender waits for a token of the receiver: nothing has to be stored at its arrival
}

// Places returns where the words of a transfer go.
func (t *Transfer) Places() Set {
	if t.In == nil {
		return t.Out
	}
	return t.In
}

// Messages counts the transfers that are messages, and their flits.
func (l *List) Messages() (messages, flits int) {
	for i := range l.Transfers {
		if t := &l.Transfers[i]; t.From != t.To {
			if words := t.Out.Words(); words > 0 {
				messages, flits = messages+1, flits+words
			}
		}
	}
	return messages, flits
}

// Check returns an error if the list does not fit PEs whose blocks have words words each.
// The fault is the generator's, or that of the file from which the list was read.
func (l *List) Check(words func(router.NodeID) int) error {
	if len(l.Transfers) > math.MaxInt32 {
		return input.Errorf("expected at most 2^31-1", "%d transfers", len(l.Transfers))
	}
	if l.Timed && l.Sync {
		return input.Errorf("expected a list without tokens", "a timed list whose senders wait for tokens")
	}
	if words == nil && len(l.Transfers) > 0 {
		return input.Errorf("expected the words of every node's block", "no number of words")
	}
	for i := range l.Transfers {
		t := &l.Transfers[i]
		err := t.check(l.Nodes, words)
		if err == nil && l.Timed && (t.From == t.To || t.Due <= t.Start) && !t.Out.empty() {
			err = input.Errorf("expected a message that is due after its start", "from node %d to %d, start %d, due %d, in a timed list", t.From, t.To, t.Start, t.Due)
		}
		if err != nil {
			return fmt.Errorf("transfer %d: %w", i, err)
		}
	}
	return nil
}

func (t *Transfer) check(nodes int, words func(router.NodeID) int) error {
	for _, n := range []router.NodeID{t.From, t.To} {
		if n < 0 || int(n) >= nodes {
			return input.Errorf(fmt.Sprintf("expected 0 to %d", nodes-1), "node %d", n)
		}
	}
	if t.Step < 0 || t.Start < 0 {
		return input.Errorf("expected at least 0", "step %d, start %d", t.Step, t.Start)
	}
	if len(t.Out) > 0 {
		if err := t.Out.within(words(t.From), t.From); err != nil {
			return err
		}
	}
	if places := t.Places(); len(places) > 0 && (t.In != nil || words(t.To) < words(t.From)) {
		if err := places.within(words(t.To), t.To); err != nil {
			return err
		}
	}
	if t.In == nil {
		return nil
	}
	if out, in := t.Out.Words(), t.In.Words(); out != in {
		return input.Errorf("expected as many places", "%s and %s", input.Count(out, "word"), input.Count(in, "place"))
	}
	return nil
}

// within refuses ranges that are not among the first words of a node's block.
func (s Set) within(most int, n router.NodeID) error {
	for _, r := range s {
		if r.From < 0 || r.To < r.From || r.To > most {
			return input.Errorf(fmt.Sprintf("expected 0 to %d", most), "words %d to %d of node %d", r.From, r.To, n)
		}
	}
	return nil
}
