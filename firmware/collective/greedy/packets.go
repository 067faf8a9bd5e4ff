// SPDX-License-Identifier: Apache-2.0

package greedy

import (
	"cmp"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"slices"

	"meshwright/firmware/collective/sendtree"
	"meshwright/firmware/plan"
	"meshwright/firmware/transfer"
	"meshwright/internal/bitset"
	"meshwright/internal/input"
	"meshwright/router"
)

// maxPacketNodes bounds the networks of collectives in packets, and mostPacketPieces the pieces of all blocks; where packets have no room for larger ones, mostForcedPieces does.
const (
	maxPacketNodes   = 128
	mostPacketPieces = 1024
	mostForcedPieces = 8192
)

// InPackets plans a gossip or a broadcast on machines that switch packets; backwards in time a reduce-scatter or a reduce; or an allreduce, which is both. In each round a node sends
// a packet to a neighbour that lacks its words and takes one from a neighbour; with all ports it does so over each link. As many nodes as possible take one (by a matching), and of
// several pieces the one goes that fewest nodes have. Blocks are cut into several numbers of pieces. A packet has one piece, or, where that is faster, all that the neighbour
// lacks. The errors are *input.Error, or the context's.
func InPackets(t *plan.Task) (*plan.Plan, error) {
	if len(t.Lengths) > maxPacketNodes {
		return nil, input.Errorf(fmt.Sprintf("expected at most %d", maxPacketNodes), "%s greedy in packets for %d nodes", t.Kind.Name, len(t.Lengths))
	}
	forms, err := packetForms(t)
	if err != nil {
		return nil, err
	}
	var best *passing
	for try := range t.Spend(packetTries(len(t.Lengths), forms)) {
		if err := t.Ctx.Err(); err != nil {
			return nil, err
		}
		if best != nil && (t.Search.Err() != nil || best.time <= t.LowerBound()) {
			break
		}
		p := newPassing(t, uint64(try), &forms[try%len(forms)])
		for p.round() {
		}
		if p.finish(); best == nil || p.time < best.time {
			best = p
		}
	}
	return best.plan()
}

// packetTries is how often a collective in packets is tried: some tenths of a second of work, each form at least once.
func packetTries(nodes int, forms []packetForm) int {
	const most, work = 1200, 1_000_000
	sum := 0 // packets of a try of each form, each of which takes longer where there are many pieces to choose from
	for i := range forms {
		pieces := len(forms[i].blocks) * forms[i].cuts
		sum += nodes * pieces * (1 + pieces/512)
	}
	return max(1, min(most/max(1, len(forms)), work/max(1, sum))) * len(forms)
}

// packetForm is a way to begin.
type packetForm struct {
	blocks   []ownBlock
	cuts     int  // pieces of a block
	combined bool // a packet has all pieces that its destination lacks, as far as packets may be so large
}

// ownBlock is what a node has at first.
type ownBlock struct {
	owner router.NodeID
	words transfer.Range
}

// packetForms lists the ways to begin that are tried: with each number of pieces, from the fewest that packets have room for.
func packetForms(t *plan.Task) (forms []packetForm, err error) {
	for _, blocks := range ownBlocks(t) {
		longest, fewest := 1, 1
		for _, b := range blocks {
			longest = max(longest, b.words.To-b.words.From)
		}
		if room := t.Machine.Packet; room > 0 {
			fewest = (longest + room - 1) / room
		}
		if fewest*len(blocks) > mostForcedPieces {
			err = input.Errorf(fmt.Sprintf("expected at most %d", mostForcedPieces), "%s greedy with packet %d: %d packets for the words of all nodes", t.Kind.Name, t.Machine.Packet, fewest*len(blocks))
			continue
		}
		most := max(fewest, mostPacketPieces/max(1, len(blocks)))
		for cuts := fewest; cuts <= min(longest, most); cuts = moreCuts(cuts) {
			forms = append(forms, packetForm{blocks, cuts, false}, packetForm{blocks, cuts, true})
		}
	}
	if len(forms) > 0 {
		err = nil
	}
	return forms, err
}

// moreCuts returns the next larger power of two, or three times one.
func moreCuts(cuts int) int {
	power := 1 << bits.Len(uint(cuts)) // the next larger
	if between := power / 4 * 3; between > cuts {
		return between
	}
	return power
}

// ownBlocks lists what nodes have at first: a root all words, or each node its own. An allreduce may do either.
func ownBlocks(t *plan.Task) (list [][]ownBlock) {
	if kind := t.Kind.Name; kind == plan.Gossip || kind == plan.ReduceScatter || kind == plan.Allreduce {
		var own []ownBlock
		for n := range router.NodeID(len(t.Lengths)) {
			if words := t.Piece(n); words.To > words.From {
				own = append(own, ownBlock{n, words})
			}
		}
		list = append(list, own)
	}
	all := transfer.Range{From: 0, To: t.VectorWords()}
	switch t.Kind.Name {
	case plan.Broadcast, plan.Reduce:
		list = append(list, []ownBlock{{t.Root, all}})
	case plan.Allreduce:
		list = append(list, []ownBlock{{t.Centre(), all}})
	}
	return list
}

// passing is a collective in packets that grows round by round.
type passing struct {
	t        *plan.Task
	rng      *rand.Rand
	combined bool
	each     bool // every link works by itself
	pieces   []transfer.Range
	has      []bitset.Set // by node: pieces
	holders  []int        // of each piece
	list     *transfer.List
	step     int
	given    []int32 // by sender: to whom in this round, -1: nobody
	taken    []int32 // by receiver: from whom
	largest  int
	time     router.Cycle
}

func newPassing(t *plan.Task, seed uint64, f *packetForm) *passing {
	nodes := len(t.Lengths)
	p := &passing{
		t: t, rng: rand.New(rand.NewPCG(seed, t.Seed)), combined: f.combined, each: t.IndependentLinks(),
		given: make([]int32, nodes), taken: make([]int32, nodes), list: &transfer.List{Nodes: nodes},
	}
	var owner []router.NodeID
	for _, b := range f.blocks {
		words := b.words.To - b.words.From
		parts := min(words, f.cuts)
		for k := range parts {
			p.pieces = append(p.pieces, transfer.Range{From: b.words.From + k*words/parts, To: b.words.From + (k+1)*words/parts})
			owner = append(owner, b.owner)
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

// plan turns the transfers into firmware, on a machine that has room for the packets.
func (p *passing) plan() (made *plan.Plan, err error) {
	t := p.t
	if err := t.FitPackets(p.largest); err != nil {
		return nil, err
	}
	if t.Kind.Name == plan.Gossip {
		made, err = t.TransferPlan(p.list, t.GossipBlock)
	} else {
		made, err = t.VectorPlan(p.list)
	}
	if err != nil {
		return nil, err
	}
	made.Facts = append([]plan.Fact{{Key: "pieces", Name: "pieces", Value: router.Cycle(len(p.pieces)), Unit: plan.Counted}}, made.Facts...)
	made.Stopped = t.Search.Err() != nil && p.time > t.LowerBound()
	return made, nil
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

// finish reverses the transfers in time where sums come to those that had the words at first, and gives them their times: a node goes on to its next round when it has taken what comes
// in this one, and each port or link has one packet at a time. Without these times packets of later rounds would get in the way of earlier ones.
func (p *passing) finish() {
	switch p.t.Kind.Name {
	case plan.Reduce, plan.ReduceScatter:
		p.list = sendtree.Reversed(p.list, transfer.Add)
	case plan.Allreduce:
		p.list = sendtree.Then(sendtree.Reversed(p.list, transfer.Add), p.list)
	}
	nodes, model, startup := len(p.has), p.t.Timing(), router.Cycle(p.t.Machine.StartupTicks())
	ready, next := make([]router.Cycle, nodes), make([]router.Cycle, nodes)
	out, in := make([]router.Cycle, nodes*nodes), make([]router.Cycle, nodes*nodes) // by sender and by receiver, with all ports by link: when it is free
	for i, step := 0, 0; i < len(p.list.Transfers); step++ {
		copy(next, ready)
		for ; i < len(p.list.Transfers) && p.list.Transfers[i].Step == step; i++ {
			x := &p.list.Transfers[i]
			from, to := int(x.From)*nodes, int(x.To)*nodes
			if p.each {
				from, to = from+int(x.To), to+int(x.From)
			}
			x.Start = max(ready[x.From], out[from], in[to]-startup)
			end := x.Start + startup + model.Transfer(1, x.Out.Words())
			out[from], in[to] = end, end
			next[x.To] = max(next[x.To], end)
			p.time = max(p.time, end)
		}
		copy(ready, next)
	}
}
