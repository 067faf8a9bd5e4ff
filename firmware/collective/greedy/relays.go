// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"math"
	"slices"

	"meshwright/fabric/machine"
	"meshwright/firmware/collective/listed"
	"meshwright/firmware/collective/relayed"
	"meshwright/router"
)

// relay tries messages over one link each, by which PEs pass blocks on from neighbour to neighbour:
//
//	u --- block ---> PE --- block ---> PE --- block ---> v
//
// A worm needs all links of its route at once, a block that is stored needs one after the other. So ports and links are idle for less time where they decide. The routes of the blocks are such that
// ports and links have equal loads. Where messages cost startups, the blocks that wait for the same link go in one.
func (s *settling) relay() {
	if s.booked.Ports != machine.SinglePort && s.booked.Channels != machine.Links {
		return
	}
	blocks, ends := s.blocks()
	free := s.booked
	free.Startup = 0
	list, busiest, work := listed.Routes(s.Topology, free, ends)
	s.work += work / wayWork
	ways := relayed.Along(s.Topology, blocks, list)
	for _, least := range s.batches() {
		if busiest >= s.best.cycles || s.over(s.budget*3/4) {
			return
		}
		how := relayed.Try{Least: least, Most: math.MaxInt, Limit: s.best.cycles * 9 / 8, Work: math.MaxInt, Ended: func() bool { return s.Ctx.Err() != nil }}
		if s.model.Rest() == 0 {
			how.Most = 1
		}
		made := ways.Run(s.Topology, s.booked, s.Lengths, how)
		s.work += made.Work
		if made.Cycles > 0 {
			s.tighten(s.passed(&made))
		}
	}
}

// passed turns a schedule over neighbours into one of the network, whose messages have no routes where they take those of the machine.
func (s *settling) passed(made *relayed.Schedule) *schedule {
	list := &schedule{cycles: made.Cycles}
	for _, m := range made.Messages {
		x := message{from: m.From, to: m.To, handed: m.Handed, whole: m.Whole, pieces: m.Blocks, route: m.Route}
		if slices.Equal(m.Route, s.Route(m.From, m.To)) {
			x.route = nil
		}
		list.messages = append(list.messages, x)
	}
	return list
}

// wayWork is how many links that are looked at for a route are as much work as a resource of a message.
const wayWork = 8

// batches lists for how many words a message waits, as long as others are to come.
func (s *settling) batches() []int {
	if s.model.Rest() == 0 {
		return []int{0}
	}
	list, startup := []int{0}, int(s.model.Startup/s.model.Flit)
	for _, words := range []int{startup / 4, startup / 2, startup, 2 * startup} {
		if words > s.longest {
			list = append(list, words)
		}
	}
	return list
}

// blocks lists all blocks, and messages with their ends and lengths.
func (s *settling) blocks() (blocks []int32, ends []listed.Message) {
	for u := range int32(s.nodes) {
		for v := range int32(s.nodes) {
			if u != v && s.Lengths[u] > 0 {
				blocks = append(blocks, u*int32(s.nodes)+v)
				ends = append(ends, listed.Message{From: router.NodeID(u), To: router.NodeID(v), Words: s.Lengths[u]})
			}
		}
	}
	return blocks, ends
}
