// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"fmt"
	"slices"

	"meshwright/fabric/booking"
	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/firmware/collective/relayed"
	"meshwright/firmware/collective/sampled"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// network is what all tries of a job share.
type network struct {
	*plan.Task
	*plan.Pairs
	booked  machine.Machine // for which messages are booked: the machine, or one with larger buffers, see brisk
	nodes   int
	model   timing.Model
	apart   []int32      // by source and destination: the links of the route, once distances has been called
	resumes bool         // a draft can begin with the messages of another schedule
	leaps   bool         // drafts have messages over several links, too, see fasterInLeaps
	next    [][]int32    // by node and destination: the nodes on its shortest routes, as far as they have been asked for
	within  [][][]int32  // by reach and node: the others whose routes have no more links
	equal   int          // words of each piece, if all have as many
	longest int          // words of a block
	total   int          // words of all blocks
	ownWork int          // of a search; 0: see usualWork
	halved  bool         // an allreduce of which one half grows at a time, see halves
	room    int          // flits that a link may carry in all; 0: any number
	beat    router.Cycle // messages are handed over in its multiples, see fasterOnBeat; 0: in any cycle
}

// Name is the name of the algorithms.
const Name = sampled.Name

// These bound the networks: maxPairs those on which all pairs of nodes are looked at; MaxRelayed those with all-to-alls, MaxOwn with all-gathers and reduce-scatters; MaxNodes all.
const (
	maxPairs   = 512
	MaxRelayed = relayed.MaxNodes
	MaxOwn     = sampled.MaxOwn
	MaxNodes   = sampled.MaxNodes
)

// closeNodes bounds those on which every part of the search is worth its time.
const closeNodes = 64

func newNetwork(t *plan.Task) (*network, error) {
	n := &network{Task: t, booked: t.Machine, nodes: len(t.Lengths)}
	switch {
	case t.Machine.PacketSwitched():
		return nil, input.Errorf("expected bufferless or wormhole", "%s greedy on a %s machine", t.Kind.Name, t.Machine.Switching)
	case n.nodes > maxPairs:
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", maxPairs), "%s greedy for %d nodes", t.Kind.Name, n.nodes)
	}
	n.model = timing.Stalling(&n.booked)
	pairs, err := plan.NewPairs(t)
	if err != nil {
		return nil, err
	}
	n.Pairs = pairs
	n.within = make([][][]int32, n.Furthest+1)
	n.leaps = n.model.Startup > 0 || n.Machine.Duplex == machine.Half && !n.ownPieces()
	return n, nil
}

// brisk returns the network with flits at the full rate, on a machine whose buffers are too small for it; nil if there is nothing to gain. If no link carries
// more flits in all than the buffer behind it holds, there is always room, and no worm ever waits for it.
func (n *network) brisk() *network {
	words, links := n.VectorWords(), 0 // each node but one gets or sends as many
	for v := range router.NodeID(n.nodes) {
		links = max(links, n.Topology.Degree(v))
	}
	if n.Kind.Name == plan.Gossip {
		words = n.TotalWords() - slices.Max(n.Lengths)
	}
	if n.Kind.Name == plan.ReduceScatter {
		words -= words / n.nodes
	}
	if n.Kind.Name == plan.Exchange || n.Machine.FullRate() || n.Machine.Claim != 0 || words > links*n.Machine.Buffer {
		return nil
	}
	fast := *n
	fast.booked.Buffer = n.Machine.Hop/max(1, n.Machine.Flit) + 1
	fast.model, fast.room = timing.Of(&fast.booked), n.Machine.Buffer
	return &fast
}

// fits reports whether no link carries more flits than there is room for.
func (n *network) fits(s *schedule) bool {
	if n.room == 0 {
		return true
	}
	carried := map[[2]int32]int{}
	for i := range s.messages {
		m := &s.messages[i]
		flits := n.Machine.HeaderFlits()
		for _, p := range m.pieces {
			flits += s.pieces[p].To - s.pieces[p].From
		}
		at := router.NodeID(m.from)
		for _, port := range n.Route(m.from, m.to) {
			link := [2]int32{int32(at), int32(port)}
			if carried[link] += flits; carried[link] > n.room {
				return false
			}
			at = n.Topology.Neighbor(at, port)
		}
	}
	return true
}

// reach lists for every node the others within so many links.
func (n *network) reach(links int) {
	if n.within[links] != nil {
		return
	}
	lists := make([][]int32, n.nodes)
	for u := range int32(n.nodes) {
		for v := range int32(n.nodes) {
			if u != v && n.Links(u, v) <= links {
				lists[u] = append(lists[u], v)
			}
		}
	}
	n.within[links] = lists
}

// book returns an empty book, which runs backwards in time or forwards.
func (n *network) book(backwards bool) *booking.Book {
	return booking.NewStalling(n.Topology, n.booked, backwards).OnBeat(n.beat)
}

// ended reports whether a schedule that is to be faster than a limit is not wanted any more.
func (n *network) ended(limit router.Cycle) bool {
	return n.Ctx.Err() != nil || limit < never && n.Search.Err() != nil
}
