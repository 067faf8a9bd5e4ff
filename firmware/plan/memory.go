// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"errors"
	"fmt"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/memory"
)

// Bytes of plans and runs, fitted to the peaks of whole processes (VmHWM) and
// rounded up. The collector lets garbage grow until the heap has doubled: what
// lives during a run counts slack times, but for the network. It is made at once, and no garbage
// comes of it, so a large network has the garbage of its PEs and messages only.
const (
	fixed       = 20e6 // what the runtime takes as soon as there is work
	slack       = 2.2
	perPE       = 600  // registers, inboxes, slices, the records of one message
	perMessage  = 360  // of a run: the log, messages in flight, the plan's record
	perWord     = 4    // of an element
	perWide     = 64   // registers: each element of a word but the first
	perTransfer = 1200 // of a plan: a transfer, its sets of words, what two PEs do for it; candidates that were weighed
	perPair     = 72   // of a gossip by transfers, for a node and a block: ranges of words
	PerBlock    = 950  // of an exchange, for a pair of nodes
	PerSearched = 3000 // the same, with a timetable that is searched for
	perDistance = 6    // of a search, for two nodes
	perPiece    = 140  // of a search, for a node and the words of another
	perMoved    = 500  // of a search with translations of the network, for a pair of nodes
	perSame     = 370  // of a plan with messages between neighbours, which are the same for all nodes, for each
	perRange    = 20   // and for a pair of nodes
	perRelayed  = 200  // of an all-to-all over neighbours, for a pair of nodes
	perRelay    = 60   // and for a link that a block goes over, with others
	perAlone    = 340  // or alone, where messages cost no startup
	perBooked   = 100  // of a search that books messages, for each
	perPattern  = 500  // for each message that is booked for several parts
	perHop      = 90   // of a route that a message carries
	perStep     = 450  // of an allreduce that is weighed, for a message to a neighbour or a sum within a node
	perForm     = 55e4 // of a search that changes forms of trees again and again, for each node: all tries keep some

	smallNetwork = 5e7 // bytes of a network that count slack times
)

// need asks for the bytes of a job's part.
func (t *Task) need(bytes float64) error {
	return memory.Need(t.Ctx, fmt.Sprintf("%s on %s", t.Kind.Name, t.Topology), memory.Of(fixed+bytes))
}

// needRun asks for the memory of the run of any plan of the task: the network, the PEs with
// their memories, and at least one message for each block.
func needRun(t *Task) error {
	nodes := float64(len(t.Lengths))
	bytes := networkBytes(t.Topology, t.Machine) + slack*((perPE+perWide*float64(t.Machine.Elements()-1))*nodes+perWord*heldWords(t)) + perMessage*float64(t.Count)
	err := t.need(bytes)
	var large *memory.TooLarge
	if errors.As(err, &large) && t.Kind.timesOn(len(t.Lengths)) {
		large.Instead = "a smaller job, meshwright plan for the time alone"
	}
	return err
}

// networkBytes is what a network takes of a run, its part in the garbage included.
func networkBytes(t *topology.Topology, m machine.Machine) float64 {
	bytes := float64(fabric.Memory(t, m))
	return bytes + (slack-1)*min(bytes, smallNetwork)
}

// heldWords counts the elements of words that a run holds: in the memories of all PEs, in their expected
// memories, and once more in flight.
func heldWords(t *Task) float64 {
	nodes, words, elements := float64(len(t.Lengths)), float64(t.TotalWords()), float64(t.Machine.Elements())
	switch t.Kind.Holders {
	case Everyone:
		return elements * words * (1.1*nodes + 2)
	case OnlyRoot, Equal:
		return elements * 2.5 * nodes * float64(t.Lengths[t.Root])
	case Each:
		return elements * 6 * words
	}
	return elements * 4 * words
}

// NeedParts asks for a broadcast or reduction whose messages go in so many parts.
func (t *Task) NeedParts(parts int) error {
	count := float64(parts) * float64(len(t.Lengths))
	if t.Kind.Name == Allreduce {
		count *= 2
	}
	return t.need(perTransfer * count)
}

// NeedForms asks for a search that changes forms of trees, or of clusters, again and again.
func (t *Task) NeedForms() error { return t.need(perForm * float64(len(t.Lengths))) }

// NeedSteps asks for an allreduce of so many messages to neighbours, and sums within nodes, that is weighed against others.
func (t *Task) NeedSteps(count int) error { return t.need(perStep * float64(count)) }

// NeedTransfers asks for a plan of so many transfers.
func (t *Task) NeedTransfers(count int) error { return t.need(perTransfer * float64(count)) }

// NeedBooked asks for a search that books so many messages, which are those of patterns for several parts.
func (t *Task) NeedBooked(booked, patterns int) error {
	return t.need(perBooked*float64(booked) + perPattern*float64(patterns))
}

// NeedBlocks asks for the memory of an all-to-all that is planned block by block.
func (t *Task) NeedBlocks(each float64) error {
	nodes := float64(len(t.Lengths))
	return t.need(each * nodes * nodes)
}

// NeedSampled asks for the memory of a search that knows the distances of all nodes, and which of them have what, if each has, or gets, words of its own.
func (t *Task) NeedSampled(own bool) error {
	nodes := float64(len(t.Lengths))
	if own {
		return t.need(perPiece * nodes * nodes)
	}
	return t.need(perDistance * nodes * nodes)
}

// NeedTranslations asks for the memory of a search with all translations of a network.
func (t *Task) NeedTranslations() error { return t.NeedBlocks(perMoved) }

// NeedTranslated asks for the memory of a plan with so many messages between neighbours, which are the same for all nodes.
func (t *Task) NeedTranslated(messages int) error {
	nodes := float64(len(t.Lengths))
	return t.need(perSame*float64(messages) + perRange*nodes*nodes)
}

// NeedRelays asks for the memory of an all-to-all whose blocks go over so many links.
func (t *Task) NeedRelays(links int) error {
	nodes, each := float64(len(t.Lengths)), float64(perRelay)
	if t.Machine.Startup == 0 {
		each = perAlone
	}
	return t.need(perRelayed*nodes*nodes + each*float64(links))
}

// NeedLines asks for the memory of an all-gather along the lines of a grid, from neighbour
// to neighbour: each node receives the words of every other node of its lines.
func (t *Task) NeedLines(colours int) error {
	nodes, others := float64(len(t.Lengths)), 0.0
	for _, side := range t.Topology.Dims {
		others += float64(side - 1)
	}
	return t.need(perTransfer*nodes*others*float64(max(1, colours)) + perPair*nodes*nodes)
}

// Memory estimates the bytes that the run of a plan takes.
func (p *Plan) Memory() memory.Bytes {
	words := p.words()
	nodes := float64(len(p.PEs))
	bytes := networkBytes(p.Topology, p.Machine) + slack*(perPE+perWide*float64(p.Machine.Elements()-1))*nodes + 1.7*perWord*float64(words) + perMessage*float64(p.Messages)
	return memory.Of(bytes)
}
