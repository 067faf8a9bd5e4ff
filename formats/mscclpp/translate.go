// SPDX-License-Identifier: Apache-2.0

package mscclpp

import (
	"cmp"
	"slices"

	"meshwright/formats/msccl"
)

// A clock says how many steps of each block come before something, by block.
type clock []int32

// join puts what another clock has before it, too.
func (c *clock) join(d clock) {
	for len(*c) < len(d) {
		*c = append(*c, 0)
	}
	for k, n := range d {
		(*c)[k] = max((*c)[k], n)
	}
}

func (c clock) at(k int) int32 {
	if k < len(c) {
		return c[k]
	}
	return 0
}

func (c *clock) set(k int, n int32) {
	for len(*c) <= k {
		*c = append(*c, 0)
	}
	(*c)[k] = n
}

// block is a threadblock of the algorithm: one of the plan, or one that acts for one of the plan.
type block struct {
	msccl.Block
	rank   int
	id     int     // among those of the rank
	before clock   // what comes before its next step, of the blocks of its rank
	behind []clock // by step: the same, behind it
	serial []int   // by step: rising in the order in which the steps are made
}

// worker is a threadblock of the plan as it runs.
type worker struct {
	*thread
	rank, id   int
	next       int // operation
	done       int // channels of it that are dealt with
	clock      clock
	made       clock          // the steps of the operation under way, and what comes before the packets that it reads
	main       int            // block
	connection map[access]int // the first of two blocks
}

// access is from whom to whom a threadblock moves chunks or packets.
type access struct {
	from, to int
	packets  bool
}

// end is a channel of a rank.
type end struct{ rank, channel int }

// line is what has been signalled over a channel, and what has been awaited.
type line struct {
	peer             end
	signaller, taker *worker
	signals          []clock // behind each signal, of all that are not relaxed
	waits            int
}

// meeting is a barrier.
type meeting struct {
	size    int
	here    []*worker
	clock   clock
	members map[*worker]bool
}

// translator runs a plan and writes down what it does.
type translator struct {
	*plan
	workers  []*worker
	blocks   []*block
	ofRank   [][]int
	lines    map[end]*line
	barriers map[end]*meeting
	packets  map[place]clock // by part: what has happened when it can be read
	puts     []written
	serial   int
	channels int
	work     int
}

// maxWork bounds the entries of clocks that are made.
const maxWork = 1 << 27

func (p *plan) translate() (*msccl.Algorithm, error) {
	t := &translator{plan: p, ofRank: make([][]int, len(p.ranks)), lines: map[end]*line{}, barriers: map[end]*meeting{}, packets: map[place]clock{}}
	t.connect()
	for rank := range p.ranks {
		for id := range p.ranks[rank].threads {
			b := t.block(rank, -1, -1, -1, p.ranks[rank].threads[id].line)
			t.workers = append(t.workers, &worker{thread: &p.ranks[rank].threads[id], rank: rank, id: id, main: b, connection: map[access]int{}})
		}
	}
	if err := t.run(); err != nil {
		return nil, err
	}
	a := &msccl.Algorithm{
		File: p.file, Name: p.name, Protocol: p.protocol, Collective: collectives[p.collective], Channels: t.channels, ChunksPerLoop: p.all() * p.parts,
		Ranks: len(p.ranks), InPlace: p.inPlace, OutOfPlace: !p.inPlace, GPUs: make([]msccl.GPU, len(p.ranks)),
	}
	for rank := range p.ranks {
		r := &p.ranks[rank]
		a.GPUs[rank] = msccl.GPU{Input: r.input * p.parts, Output: r.output * p.parts, Scratch: r.scratch * p.parts, Line: r.line}
		for _, k := range t.ofRank[rank] {
			a.GPUs[rank].Blocks = append(a.GPUs[rank].Blocks, t.blocks[k].Block)
		}
	}
	if err := a.Bind(); err != nil {
		return nil, err
	}
	return a, nil
}

// connect finds the other end of each channel: the k-th from one rank to another is the k-th back.
func (t *translator) connect() {
	type pair struct{ rank, peer, which int }
	at := map[pair]int{}
	for rank := range t.ranks {
		for k, c := range t.ranks[rank].channels {
			at[pair{rank, c.peer, c.which}] = k
		}
	}
	for rank := range t.ranks {
		for k, c := range t.ranks[rank].channels {
			other, ok := at[pair{c.peer, rank, c.which}]
			if !ok {
				other = -1
			}
			t.lines[end{rank, k}] = &line{peer: end{c.peer, other}}
		}
	}
}

// block makes a block.
func (t *translator) block(rank, send, receive, channel, line int) int {
	t.blocks = append(t.blocks, &block{rank: rank, id: len(t.ofRank[rank]), Block: msccl.Block{Send: send, Receive: receive, Channel: channel, Line: line}})
	t.ofRank[rank] = append(t.ofRank[rank], len(t.blocks)-1)
	return len(t.blocks) - 1
}

// connection returns the blocks that send and receive for a worker.
func (t *translator) connection(w *worker, a access) (sends, receives int) {
	k, ok := w.connection[a]
	if !ok {
		k = t.block(a.from, a.to, -1, t.channels, w.line)
		t.block(a.to, -1, a.from, t.channels, w.line)
		t.channels++
		w.connection[a] = k
	}
	return k, k + 1
}

// run lets every worker go on as far as it can, until all are done.
func (t *translator) run() error {
	for {
		moved, left := false, (*worker)(nil)
		for _, w := range t.workers {
			for w.next < len(w.ops) {
				ok, err := t.do(w, &w.ops[w.next])
				if err != nil {
					return err
				}
				if t.work > maxWork {
					return w.ops[w.next].at.Fault("expected a smaller plan", "more accesses times threadblocks than can be kept in order")
				}
				if !ok {
					break
				}
				moved, w.done = true, 0
				w.next++
			}
			if left == nil && w.next < len(w.ops) {
				left = w
			}
		}
		switch {
		case left == nil:
			return t.awaited()
		case !moved:
			return left.ops[left.next].at.Fault("expected what it waits for to happen", "gpu %d tb %d op %d, %q, waits for ever", left.rank, left.id, left.next, left.ops[left.next].name)
		}
	}
}

// step adds a step of a worker to a block, behind all that a clock has at the block's rank.
func (t *translator) step(w *worker, behind clock, k int, s msccl.Step) {
	b := t.blocks[k]
	var needs []int
	for _, other := range t.ofRank[b.rank] {
		if other != k && behind.at(other) > b.before.at(t.blocks[other].id) {
			needs = append(needs, other)
		}
	}
	last := func(other int) int { return t.blocks[other].serial[behind.at(other)-1] }
	slices.SortFunc(needs, func(x, y int) int { return cmp.Compare(last(y), last(x)) })
	s.DependsBlock, s.DependsOn = -1, -1
	for _, other := range needs {
		o, index := t.blocks[other], int(behind.at(other))-1
		if b.before.at(o.id) > int32(index) {
			continue // by another dependence
		}
		if s.DependsBlock >= 0 {
			t.put(b, msccl.Await(s.DependsBlock, s.DependsOn, s.Line))
		}
		s.DependsBlock, s.DependsOn = o.id, index
		o.Steps[index].HasDependents = true
		b.before.join(o.behind[index])
	}
	t.put(b, s)
	w.clock.set(k, int32(len(b.Steps)))
	w.made.set(k, int32(len(b.Steps)))
	t.work += len(w.clock)
}

// put adds a step to a block.
func (t *translator) put(b *block, s msccl.Step) {
	b.Steps = append(b.Steps, s)
	b.before.set(b.id, int32(len(b.Steps)))
	b.behind = append(b.behind, slices.Clone(b.before))
	b.serial = append(b.serial, t.serial)
	t.serial++
	t.work += len(b.before)
}

// local is a step within the worker's rank.
func (t *translator) local(w *worker, o *operation, kind msccl.Kind, from, to place) {
	t.step(w, w.clock, w.main, msccl.Step{Kind: kind, Source: from.in(), Target: to.in(), Count: to.count, Line: o.at.Line})
}

// move is a message from a rank to another; kind and with are for the receive. A place that takes packets is written once,
// so they come there behind nothing but what they were made of.
func (t *translator) move(w *worker, o *operation, kind msccl.Kind, packets bool, from, with, to place) {
	sends, receives := t.connection(w, access{from.rank, to.rank, packets})
	t.step(w, w.clock, sends, msccl.Step{Kind: msccl.Send, Source: from.in(), Target: from.in(), Count: from.count, Line: o.at.Line})
	behind := w.clock
	if packets {
		behind = w.made
	}
	t.step(w, behind, receives, msccl.Step{Kind: kind, Source: with.in(), Target: to.in(), Count: to.count, Line: o.at.Line})
}

func (p place) in() msccl.Place { return msccl.Place{Buffer: p.buffer, Offset: p.offset} }
