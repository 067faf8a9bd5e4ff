// SPDX-License-Identifier: Apache-2.0

package tolerant

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// Name is the name of the algorithms.
const Name = "edst"

// programName is the program of the PEs.
const programName = "tolerant"

// The checksums of messages.
const (
	NoChecksum  = "none"
	sumChecksum = "sum"
)

// Checksums returns the values of Job.Checksum.
func Checksums() []string { return []string{NoChecksum, sumChecksum} }

// message is a run of words that travels as one message.
type message struct {
	source router.NodeID
	words  plan.Range // of the block of the source
}

// hop is one copy of a message on the link between two neighbours in one step.
type hop struct {
	step, message, copy int32
	from, to            router.NodeID
	passes              bool // the receiver only sends the copy on: it has enough others
}

// schedule is a collective in steps.
type schedule struct {
	*plan.Task
	messages []message
	to       []router.NodeID // by message: its destination, None: every node; nil: all go to every node
	copies   int
	hops     []hop
	// place returns where a message goes in the block of a node: its words, and the word that counts
	// its copies. It is false if the node does not keep the message.
	place func(message int32, n router.NodeID) (words, mark int, keeps bool)
	block func(router.NodeID) plan.Block
}

// withCounts returns words with so many counts of copies behind them, a word each.
func (s *schedule) withCounts(words []uint32, counts int) []uint32 {
	count := make([]uint32, s.Machine.Elements())
	count[0] = uint32(s.copies)
	return slices.Concat(words, slices.Repeat(count, counts))
}

// sums returns the words of a message's checksum.
func sums(t *plan.Task) int {
	if t.Checksum == sumChecksum {
		return 1
	}
	return 0
}

// flits returns the flits of a message, with its checksum.
func (s *schedule) flits(m int32) int {
	w := s.messages[m].words
	return w.To - w.From + sums(s.Task)
}

// largest returns the flits of the largest message.
func (s *schedule) largest() int {
	most := 0
	for m := range s.messages {
		most = max(most, s.flits(int32(m)))
	}
	return most
}

// steps returns the number of steps.
func (s *schedule) steps() int {
	most := 0
	for i := range s.hops {
		most = max(most, int(s.hops[i].step)+1)
	}
	return most
}

// period returns the time of a step in which messages have so many flits.
func period(t *plan.Task, flits int) router.Cycle { return t.Timing().UntilWhole(1, flits) }

// plan turns a schedule into firmware.
func (s *schedule) plan() (*plan.Plan, error) {
	if s.Packets != nil || s.Split != "" {
		return nil, input.Errorf("expected none: it cuts messages into parts", "packets for %s", Name)
	}
	sortBySteps(s.hops)
	if err := s.FitPackets(s.largest()); err != nil {
		return nil, err
	}
	length := period(s.Task, s.largest())
	if last := length * router.Cycle(s.steps()); last > math.MaxInt32 {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", math.MaxInt32), "%s %s of %d cycles", s.Kind.Name, Name, last)
	}
	r := plan.LoadRole(programName)
	p := s.NewPlan(r)
	ends := s.ends()
	w := writer{schedule: s, role: r, period: length, fields: newActionFields(r), slots: map[copyOf]int{}, at: map[int32]int{}}
	for n := range p.PEs {
		if err := s.Ctx.Err(); err != nil {
			return nil, err
		}
		p.PEs[n] = w.write(router.NodeID(n), ends[n])
	}
	last := router.Cycle(0)
	for i := range s.hops {
		h := &s.hops[i]
		p.Messages++
		p.Flits += s.flits(h.message)
		p.NeedHeader(uint32(h.message), 1)
		last = max(last, router.Cycle(h.step)*length+s.arrival(s.flits(h.message)))
	}
	s.PredictExactly(p, last)
	s.nameBlocks(p)
	return p, nil
}

// nameBlocks notes what the messages carry, if the job asks for it. A message with a checksum is longer than the words of its block, so nothing can name its flits.
func (s *schedule) nameBlocks(p *plan.Plan) {
	if !s.KeepList || sums(s.Task) > 0 {
		return
	}
	for i, m := range s.messages {
		to := router.None
		if s.to != nil {
			to = s.to[i]
		}
		p.Carried = append(p.Carried, s.NameRange(m.source, to, m.words))
	}
}

// arrival returns the time of a message's arrival at a neighbour, from its hand-over.
func (s *schedule) arrival(flits int) router.Cycle {
	m := s.Timing()
	return m.Startup + m.Transfer(1, flits)
}

// sortBySteps sorts hops by their steps, and keeps the order in a step.
func sortBySteps(hops []hop) {
	if len(hops) == 0 {
		return
	}
	last := slices.MaxFunc(hops, func(a, b hop) int { return cmp.Compare(a.step, b.step) }).step
	place := make([]int, last+2) // by step: where its next hop goes
	for i := range hops {
		place[hops[i].step+1]++
	}
	for step := range place[1:] {
		place[step+1] += place[step]
	}
	for _, h := range slices.Clone(hops) {
		hops[place[h.step]] = h
		place[h.step]++
	}
}

// ends lists the hops that begin or end at each node, in the order of the hops.
func (s *schedule) ends() [][]int32 {
	list := make([][]int32, s.Topology.Nodes())
	counts := make([]int, len(list))
	for i := range s.hops {
		counts[s.hops[i].from]++
		counts[s.hops[i].to]++
	}
	for n, count := range counts {
		list[n] = make([]int32, 0, count)
	}
	for i := range s.hops {
		h := &s.hops[i]
		list[h.from] = append(list[h.from], int32(i))
		list[h.to] = append(list[h.to], int32(i))
	}
	return list
}
