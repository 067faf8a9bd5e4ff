// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"cmp"
	"slices"

	"meshwright/firmware/transfer"
	"meshwright/internal/input"
	"meshwright/router"
)

// promise is what a list of transfers does not say of the algorithm that it is.
type promise struct {
	Name, Collective string
	Root             int
	InPlace          bool
	Words            int                                        // of a chunk: all ranges of the list begin and end at multiples of it
	Chunks           int                                        // nchunksperloop
	Scratch          func(rank int) int                         // chunks of the scratch buffer
	Place            func(rank router.NodeID, chunk int) Place  // where a chunk of a PE's block is
	Kept             func(rank int) (from, to Place, count int) // chunks that a rank copies within itself at the start; nil: none
}

// fromTransfers returns the algorithm that carries out a list of transfers, the inverse of Flow.List. Each rank has a
// threadblock for every rank that it sends to and receives from, and one for its moves. A step depends on the steps of
// other threadblocks that it must come behind: those that write what it reads or writes, and those that read what it
// writes. A transfer whose chunks do not stand together is several steps. The routes and times of a list have
// no place in an algorithm. The error is an *input.Error when the algorithm would not do what its
// collective promises.
func fromTransfers(l *transfer.List, from promise) (*Algorithm, error) {
	a := &Algorithm{
		Name: from.Name, Protocol: "Simple", Collective: from.Collective, ChunksPerLoop: from.Chunks, Ranks: l.Nodes,
		InPlace: from.InPlace, OutOfPlace: !from.InPlace, GPUs: make([]GPU, l.Nodes), Channels: 1,
	}
	if from.Chunks > maxChunks || l.Nodes > maxRanks {
		return nil, input.Errorf("expected at most "+itoa(maxChunks)+" chunks and "+itoa(maxRanks)+" ranks", "%d chunks on %d ranks", from.Chunks, l.Nodes)
	}
	if _, _, err := a.buffers(0); err != nil { // of a file, which this is not
		return nil, input.Errorf("expected a length that the nodes divide", "%d chunks among %d ranks", from.Chunks, l.Nodes)
	}
	parts := l.Parts()
	channels := channelsOf(l, parts)
	for rank := range a.GPUs {
		w := &drafter{list: l, from: from, rank: router.NodeID(rank), blocks: map[threadblock]int{}, steps: map[Place]*uses{}}
		w.gpu.Input, w.gpu.Output, _ = a.buffers(rank)
		w.gpu.Scratch = from.Scratch(rank)
		if from.Kept != nil {
			i, o, count := from.Kept(rank)
			w.step(threadblock{peer: -1}, Step{Kind: Copy, Source: i, Target: o, Count: count})
		}
		for _, action := range parts[rank] {
			w.act(action, channels)
		}
		a.GPUs[rank] = w.gpu
		for _, b := range w.gpu.Blocks {
			a.Channels = max(a.Channels, b.Channel+1)
		}
	}
	if err := a.Bind(); err != nil {
		return nil, err
	}
	flow, err := a.Flow(from.Root)
	if err != nil {
		return nil, err
	}
	if flow.Failure != nil {
		return nil, input.Errorf("expected an algorithm that does what "+a.Collective+" promises", "%s", flow.Failure)
	}
	return a, nil
}

// channelsOf gives every message of a list a channel on which the messages between the same two PEs are sent and
// taken in the same order.
func channelsOf(l *transfer.List, parts [][]transfer.Action) []int {
	taken := make([]int, len(l.Transfers)) // place among what the receiver does
	for _, part := range parts {
		for k, action := range part {
			if action.Kind == transfer.Take {
				taken[action.Transfer] = k + 1
			}
		}
	}
	type pair struct{ from, to router.NodeID }
	last := map[pair][]int{} // of each channel: the place of its last message
	channels := make([]int, len(l.Transfers))
	for _, part := range parts {
		for _, action := range part {
			if action.Kind != transfer.Send {
				continue
			}
			t := &l.Transfers[action.Transfer]
			p := pair{t.From, t.To}
			c := slices.IndexFunc(last[p], func(place int) bool { return place < taken[action.Transfer] })
			if c < 0 {
				c = len(last[p])
				last[p] = append(last[p], 0)
			}
			last[p][c], channels[action.Transfer] = taken[action.Transfer], c
		}
	}
	return channels
}

// threadblock names a threadblock of a rank: the rank that it sends to or receives from, -1: none.
type threadblock struct {
	sends   bool
	peer    router.NodeID
	channel int
}

// stepAt is a step of a rank.
type stepAt struct{ block, step int }

// uses are the steps that used a chunk: the last that wrote it, and those that have read it since.
type uses struct {
	written bool
	writer  stepAt
	readers []stepAt
}

// drafter makes the threadblocks of a rank.
type drafter struct {
	list   *transfer.List
	from   promise
	rank   router.NodeID
	gpu    GPU
	blocks map[threadblock]int
	steps  map[Place]*uses
}

// act adds the steps of an action of the PE.
func (w *drafter) act(action transfer.Action, channels []int) {
	t := &w.list.Transfers[action.Transfer]
	adds := t.Op == transfer.Add
	var where threadblock
	kind := Copy
	switch action.Kind {
	case transfer.Send:
		where, kind = threadblock{true, t.To, channels[action.Transfer]}, Send
	case transfer.Take:
		where, kind = threadblock{false, t.From, channels[action.Transfer]}, Receive
		if adds {
			kind = ReceiveReduceCopy
		}
	case transfer.Local:
		where = threadblock{peer: -1}
		if adds {
			kind = Reduce
		}
	default:
		return // a token says that the receiver is ready; a send of MSCCL waits for its receive itself
	}
	w.pieces(t, func(out, in Place, count int) {
		s := Step{Kind: kind, Source: out, Target: in, Count: count}
		if kind == ReceiveReduceCopy {
			s.Source = in
		}
		w.step(where, s)
	})
}

// pieces cuts a transfer into chunks that stand together at both of its ends.
func (w *drafter) pieces(t *transfer.Transfer, see func(out, in Place, count int)) {
	out, in := w.places(t.From, t.Out), w.places(t.To, t.Places())
	for k := 0; k < len(out); {
		end := k + 1
		for end < len(out) && follows(out[end-1], out[end]) && follows(in[end-1], in[end]) {
			end++
		}
		see(out[k], in[k], end-k)
		k = end
	}
}

// follows reports whether a chunk stands behind another in its buffer.
func follows(a, b Place) bool { return a.Buffer == b.Buffer && a.Offset+1 == b.Offset }

// places are the chunks of a set of words of a PE.
func (w *drafter) places(n router.NodeID, s transfer.Set) []Place {
	var list []Place
	for _, r := range s {
		for word := r.From; word < r.To; word += w.from.Words {
			list = append(list, w.from.Place(n, word/w.from.Words))
		}
	}
	return list
}

// step adds a step to a threadblock, behind the steps that it depends on.
func (w *drafter) step(where threadblock, s Step) {
	k, known := w.blocks[where]
	if !known {
		k = len(w.gpu.Blocks)
		w.blocks[where] = k
		b := Block{Send: -1, Receive: -1, Channel: where.channel}
		switch {
		case where.sends:
			b.Send = int(where.peer)
		case where.peer >= 0:
			b.Receive = int(where.peer)
		}
		w.gpu.Blocks = append(w.gpu.Blocks, b)
	}
	block := &w.gpu.Blocks[k]
	before := w.before(k, &s)
	for i, d := range before {
		w.gpu.Blocks[d.block].Steps[d.step].HasDependents = true
		if i == len(before)-1 {
			s.DependsBlock, s.DependsOn = d.block, d.step
			break
		}
		block.Steps = append(block.Steps, Await(d.block, d.step, 0))
	}
	if len(before) == 0 {
		s.DependsBlock, s.DependsOn = -1, -1
	}
	block.Steps = append(block.Steps, s)
	w.note(stepAt{k, len(block.Steps) - 1}, &s)
}

// before lists the last step of each other threadblock that a step must come behind.
func (w *drafter) before(block int, s *Step) []stepAt {
	last := map[int]int{}
	add := func(x stepAt) {
		if step, ok := last[x.block]; x.block != block && (!ok || x.step > step) {
			last[x.block] = x.step
		}
	}
	each(s, func(p Place, writes bool) {
		u := w.steps[p]
		if u == nil {
			return
		}
		if u.written {
			add(u.writer)
		}
		if writes {
			for _, r := range u.readers {
				add(r)
			}
		}
	})
	var list []stepAt
	for b, step := range last {
		list = append(list, stepAt{b, step})
	}
	slices.SortFunc(list, func(a, b stepAt) int { return cmp.Compare(a.block, b.block) })
	return list
}

// note enters what a step uses.
func (w *drafter) note(x stepAt, s *Step) {
	each(s, func(p Place, writes bool) {
		u := w.steps[p]
		if u == nil {
			u = &uses{}
			w.steps[p] = u
		}
		if writes {
			*u = uses{written: true, writer: x}
		} else {
			u.readers = append(u.readers, x)
		}
	})
}

// each calls see for the chunks that a step reads, and then for those that it writes.
func each(s *Step, see func(p Place, writes bool)) {
	for k := range s.Count {
		if s.Kind.reads() {
			see(Place{s.Source.Buffer, s.Source.Offset + k}, false)
		}
	}
	for k := range s.Count {
		if s.Kind.stores() {
			see(Place{s.Target.Buffer, s.Target.Offset + k}, true)
		}
	}
}
