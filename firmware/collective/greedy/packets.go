// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/bitset"
	"meshwright/internal/input"
	"meshwright/router"
)

// maxPacketNodes bounds the networks of gossips and broadcasts in packets, and mostPacketPieces the pieces of all blocks.
const (
	maxPacketNodes   = 128
	mostPacketPieces = 1024
)

// InPackets gives the words of each holder to all other nodes on machines that switch packets: a gossip, or a broadcast. In each round a node sends a packet to
// a neighbour that lacks its words and takes one from a neighbour; with all ports it does so over each link. As many nodes as possible take one (by a matching), and of
// several pieces the one goes that fewest nodes have. Blocks are cut into several numbers of pieces. A packet has one piece, or, where that is faster, all that the neighbour
// lacks. The errors are *input.Error, or the context's.
func InPackets(t *plan.Task) (*plan.Plan, error) {
	if len(t.Lengths) > maxPacketNodes {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", maxPacketNodes), "%s greedy in packets for %d nodes", t.Kind.Name, len(t.Lengths))
	}
	cuts, err := packetCuts(t)
	if err != nil {
		return nil, err
	}
	var best *passing
	for try := range t.Spend(packetTries(len(t.Lengths), cuts)) {
		if err := t.Ctx.Err(); err != nil {
			return nil, err
		}
		if best != nil && (t.Search.Err() != nil || best.time <= t.LowerBound()) {
			break
		}
		p := newPassing(t, uint64(try), cuts[try/2%len(cuts)], try%2 == 1)
		for p.round() {
		}
		if p.estimate(); best == nil || p.time < best.time {
			best = p
		}
	}
	if err := t.FitPackets(best.largest); err != nil {
		return nil, err
	}
	p, err := best.plan()
	if err != nil {
		return nil, err
	}
	p.Facts = append([]plan.Fact{{Key: "pieces", Name: "pieces", Value: router.Cycle(len(best.pieces)), Unit: plan.Counted}}, p.Facts...)
	p.Stopped = t.Search.Err() != nil && best.time > t.LowerBound()
	return p, nil
}

// packetTries is how often a collective in packets is tried: some tenths of a second of work.
func packetTries(nodes int, cuts []int) int {
	return max(4*len(cuts), min(1200, 800_000/nodes/nodes))
}

// packetCuts are the numbers of pieces in which blocks are tried: from the fewest that packets have room for.
func packetCuts(t *plan.Task) (cuts []int, err error) {
	longest, holders := slices.Max(t.Lengths), 1
	if t.Kind.Name == plan.Gossip {
		holders = len(t.Lengths)
	}
	fewest := 1
	if room := t.Machine.Packet; room > 0 {
		fewest = max(1, (longest+room-1)/room)
	}
	if most := mostPacketPieces / holders; fewest > most {
		return nil, input.Errorf("expected larger packets", "%s greedy with packets of %d flits: %d pieces", t.Kind.Name, t.Machine.Packet, fewest*holders)
	}
	for cut := fewest; cut <= min(max(1, longest), mostPacketPieces/holders); cut += max(1, cut/2) {
		cuts = append(cuts, cut)
	}
	return cuts, nil
}

// passing is a collective in packets that grows round by round.
type passing struct {
	t        *plan.Task
	rng      *rand.Rand
	combined bool // a packet has all pieces that its destination lacks, as far as packets may be so large
	each     bool // every link works by itself
	pieces   []transfer.Range
	has      []bitset.Set // by node: pieces
	holders  []int        // of each piece
	list     transfer.List
	step     int
	given    []int32 // by sender: to whom in this round, -1: nobody
	taken    []int32 // by receiver: from whom
	largest  int
	time     router.Cycle
}

func newPassing(t *plan.Task, seed uint64, cuts int, combined bool) *passing {
	nodes := len(t.Lengths)
	p := &passing{
		t: t, rng: rand.New(rand.NewPCG(seed, t.Seed)), combined: combined, each: t.IndependentLinks(),
		given: make([]int32, nodes), taken: make([]int32, nodes), list: transfer.List{Nodes: nodes},
	}
	var owner []router.NodeID
	add := func(n router.NodeID, block transfer.Range) {
		words := block.To - block.From
		parts := min(words, cuts)
		for k := range parts {
			p.pieces = append(p.pieces, transfer.Range{From: block.From + k*words/parts, To: block.From + (k+1)*words/parts})
			owner = append(owner, n)
		}
	}
	if t.Kind.Name == plan.Broadcast {
		add(t.Root, transfer.Range{From: 0, To: t.VectorWords()})
	} else {
		for n := range router.NodeID(nodes) {
			add(n, t.Piece(n))
		}
	}
	p.holders = make([]int, len(p.pieces))
	for range nodes {
		p.has = append(p.has, bitset.New(len(p.pieces)))
	}
	for i, n := range owner {
		p.has[n].Set(int32(i))
		p.holders[i] = 1
	}
	return p
}

// plan turns the transfers into firmware.
func (p *passing) plan() (*plan.Plan, error) {
	if p.t.Kind.Name == plan.Broadcast {
		return p.t.VectorPlan(&p.list)
	}
	return p.t.TransferPlan(&p.list, p.t.GossipBlock)
}

// round adds the transfers of a round. It reports whether there are any: all nodes have all pieces when there are none.
func (p *passing) round() bool {
	first := len(p.list.Transfers)
	before := make([]bitset.Set, len(p.has)) // what nodes may send
	for n := range p.has {
		before[n] = slices.Clone(p.has[n])
	}
	if p.each {
		for n := range p.has {
			for _, from := range p.neighbours(int32(n)) {
				p.send(before, from, int32(n))
			}
		}
	} else {
		p.match(before)
		for to, from := range p.taken {
			if from >= 0 {
				p.send(before, from, int32(to))
			}
		}
	}
	p.step++
	return len(p.list.Transfers) > first
}

// neighbours lists them in a random order.
func (p *passing) neighbours(n int32) (list []int32) {
	topo := p.t.Topology
	for port := range router.Port(topo.Ports(router.NodeID(n))) {
		if v := topo.Neighbor(router.NodeID(n), port); v != router.None {
			list = append(list, int32(v))
		}
	}
	p.rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// match pairs as many receivers as possible with a sender each that has something for them; those that lack most come first.
func (p *passing) match(before []bitset.Set) {
	order := p.rng.Perm(len(p.has))
	held := make([]int, len(p.has))
	for n := range p.has {
		p.given[n], p.taken[n] = -1, -1
		held[n] = p.has[n].Size()
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(held[a], held[b]) })
	for _, to := range order {
		p.reach(before, int32(to), bitset.New(len(p.has)))
	}
}

// reach finds a sender for a node along an augmenting path.
func (p *passing) reach(before []bitset.Set, to int32, tried bitset.Set) bool {
	for _, from := range p.neighbours(to) {
		if tried.Has(from) || p.rarest(before, from, to) < 0 {
			continue
		}
		tried.Set(from)
		if other := p.given[from]; other < 0 || p.reach(before, other, tried) {
			p.given[from], p.taken[to] = to, from
			return true
		}
	}
	return false
}

// rarest returns the piece of a node that another one lacks and fewest nodes have; -1 if there is none.
func (p *passing) rarest(before []bitset.Set, from, to int32) int32 {
	best, least := int32(-1), 0
	for w, word := range before[from] {
		if word&^p.has[to][w] == 0 {
			continue
		}
		only := bitset.Set{word &^ p.has[to][w]}
		for i := range only.All() {
			if piece := int32(w)<<6 + i; best < 0 || p.holders[piece] < least {
				best, least = piece, p.holders[piece]
			}
		}
	}
	return best
}

// send adds a packet from one node to another with a piece that it lacks, or with all of them.
func (p *passing) send(before []bitset.Set, from, to int32) {
	var words transfer.Set
	count, room := 0, p.t.Machine.Packet
	for {
		i := p.rarest(before, from, to)
		if i < 0 || count > 0 && (!p.combined || room > 0 && count+p.pieces[i].To-p.pieces[i].From > room) {
			break
		}
		p.has[to].Set(i)
		p.holders[i]++
		words = transfer.Join(words, transfer.Set{p.pieces[i]})
		count += p.pieces[i].To - p.pieces[i].From
	}
	if count > 0 {
		p.largest = max(p.largest, count)
		p.list.Transfers = append(p.list.Transfers, transfer.Transfer{Step: p.step, From: router.NodeID(from), To: router.NodeID(to), Out: words, Op: transfer.Put})
	}
}

// estimate is about the time: a node goes on to its next round when it has taken what comes in this one, and each port or link has one packet at a time.
func (p *passing) estimate() {
	nodes := len(p.has)
	ready, next := make([]router.Cycle, nodes), make([]router.Cycle, nodes)
	free := map[[2]router.NodeID]router.Cycle{}
	for i, step := 0, 0; i < len(p.list.Transfers); step++ {
		copy(next, ready)
		for ; i < len(p.list.Transfers) && p.list.Transfers[i].Step == step; i++ {
			x := &p.list.Transfers[i]
			port := [2]router.NodeID{x.From, router.None}
			if p.each {
				port[1] = x.To
			}
			end := max(ready[x.From], free[port]) + p.t.Timing().Transfer(1, x.Out.Words())
			free[port] = end
			next[x.To] = max(next[x.To], end)
			p.time = max(p.time, end)
		}
		copy(ready, next)
	}
}
