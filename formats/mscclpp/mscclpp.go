// SPDX-License-Identifier: Apache-2.0

// Package mscclpp reads the execution plans of MSCCL++ (JSON) as algorithms.
//
// A plan has threadblocks that reach into the memory of other ranks: they put and get chunks,
// signal each other, and wait. An [msccl.Algorithm] has sends and receives instead. [Parse]
// makes every access one of the rank whose memory it touches: a put is a send, and a receive in
// a further threadblock of the other rank; a get, and each remote operand of a sum, is a send
// in a further threadblock of the other rank, and a receive. Each of them depends on what the plan
// puts before it at the same rank. A signal orders all that its threadblock did before, with all
// that comes behind the wait; one that is relaxed orders nothing. The operations of a threadblock come
// one after the other. A packet says of itself that it is there, and of nothing else: who reads it comes
// behind the operation that wrote it, behind the packets which that operation read, and behind the
// earlier accesses of its threadblock to the memory of its own rank, but not behind chunks that the
// threadblock put elsewhere before.
//
// So the chunks, and the order of any two accesses to one, are those of the plan. The time of
// signals, and of requests to read, is not in the algorithm.
//
// Where the threadblocks of a group share an operation, the chunks are divided into as many parts as
// all groups of the plan can share equally.
//
// Source of the form: microsoft/mscclpp, src/core/executor/execution_plan.cc and
// src/core/include/execution_kernel.hpp (August 2026).
package mscclpp

import (
	"fmt"
	"slices"
	"strings"

	"meshwright/formats/msccl"
	"meshwright/internal/input"
	"meshwright/internal/jsontree"
)

// The bounds of a plan.
const (
	maxNumber = 1 << 20
	maxParts  = 1 << 10 // of a chunk
)

// Is reports whether a JSON text has the form of an execution plan.
func Is(text []byte) bool { return jsontree.Has(text, "gpus") }

// plan is a file, each number of which is within bounds.
type plan struct {
	file, name, protocol, collective string
	inPlace, packets                 bool
	parts                            int // of each chunk
	ranks                            []rank
}

// rank is a GPU. Its chunks are whole.
type rank struct {
	input, output, scratch int
	channels               []channel
	remotes                []remote
	threads                []thread
	line                   int
}

// channel is a memory channel: its peer, and which of the channels between the two it is.
type channel struct{ peer, which int }

// remote is a buffer of another rank; reachable: over memory channels.
type remote struct {
	rank      int
	buffer    byte
	reachable bool
}

// thread is a threadblock.
type thread struct {
	channels []int // of the rank
	remotes  []remote
	ops      []operation
	line     int
}

// operation is one entry of a threadblock, with its chunks as parts.
type operation struct {
	name             string
	sources, targets []place
	channels         []int // of the rank
	barrier, threads int
	at               *jsontree.Value
}

// place is parts of a buffer.
type place struct {
	rank, offset, count int
	buffer              byte
	remote              bool
}

func (p place) String() string { return fmt.Sprintf("%c[%d] of rank %d", p.buffer, p.offset, p.rank) }

// collectives are those of plans, with their names in algorithms.
var collectives = map[string]string{"allreduce": "allreduce", "allgather": "allgather", "reducescatter": "reduce_scatter", "alltoall": "alltoall"}

// Parse reads a plan; file is for errors, which are *input.Error.
func Parse(file string, text []byte) (*msccl.Algorithm, error) {
	v, err := jsontree.Parse(file, text)
	if err != nil {
		return nil, err
	}
	p := &plan{file: file, parts: 1}
	if err := p.read(v); err != nil {
		return nil, err
	}
	return p.translate()
}

// read reads everything but the operations' numbers, and then those.
func (p *plan) read(v *jsontree.Value) error {
	for _, text := range []struct {
		name string
		to   *string
	}{{"name", &p.name}, {"protocol", &p.protocol}, {"collective", &p.collective}} {
		field, err := v.Need(text.name, jsontree.String)
		if err != nil {
			return err
		}
		*text.to = field.Text
	}
	if p.protocol != "Simple" && p.protocol != "LL" {
		return v.Field("protocol").Fault("expected Simple or LL", "protocol %q", input.Clip(p.protocol))
	}
	if collectives[p.collective] == "" {
		return v.Field("collective").Fault("expected allreduce, allgather, reducescatter or alltoall", "collective %q", input.Clip(p.collective))
	}
	inPlace, err := v.Need("inplace", jsontree.Bool)
	if err != nil {
		return err
	}
	p.inPlace = inPlace.Text == "true"
	gpus, err := v.Need("gpus", jsontree.List)
	if err != nil {
		return err
	}
	if len(gpus.Items) == 0 || len(gpus.Items) > maxRanks {
		return gpus.Fault(fmt.Sprintf("expected 1 to %d", maxRanks), "%d gpus", len(gpus.Items))
	}
	p.ranks = make([]rank, len(gpus.Items))
	for id := range gpus.Items {
		if err := p.readRank(id, &gpus.Items[id]); err != nil {
			return err
		}
	}
	if err := p.survey(gpus); err != nil {
		return err
	}
	if err := p.judgeChunks(); err != nil {
		return err
	}
	for id := range p.ranks {
		for k := range p.ranks[id].threads {
			if err := p.readOperations(id, &p.ranks[id].threads[k], &gpus.Items[id].Field("threadblocks").Items[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxRanks bounds the ranks of a plan.
const maxRanks = 1 << 12

func (p *plan) readRank(id int, v *jsontree.Value) error {
	r := &p.ranks[id]
	r.line = v.Line
	if _, err := v.Int("id", id, id); err != nil {
		return err
	}
	for _, number := range []struct {
		name string
		to   *int
	}{{"input_chunks", &r.input}, {"output_chunks", &r.output}, {"scratch_chunks", &r.scratch}} {
		n, err := v.Int(number.name, 0, maxNumber)
		if err != nil {
			return err
		}
		*number.to = n
	}
	if err := p.readChannels(id, v); err != nil {
		return err
	}
	if err := p.readRemotes(id, v); err != nil {
		return err
	}
	blocks, err := v.Need("threadblocks", jsontree.List)
	if err != nil {
		return err
	}
	for k := range blocks.Items {
		t, err := p.readThread(r, k, &blocks.Items[k])
		if err != nil {
			return err
		}
		r.threads = append(r.threads, t)
	}
	return nil
}

// readChannels reads the memory channels of a rank; those of other kinds serve operations that are refused.
func (p *plan) readChannels(id int, v *jsontree.Value) error {
	list, err := v.Need("channels", jsontree.List)
	if err != nil {
		return err
	}
	count := map[int]int{}
	for i := range list.Items {
		kind, err := list.Items[i].Need("channel_type", jsontree.String)
		if err != nil {
			return err
		}
		if kind.Text != "memory" {
			continue
		}
		peers, err := list.Items[i].Need("connected_to", jsontree.List)
		if err != nil {
			return err
		}
		for k := range peers.Items {
			peer, err := p.peer(id, &peers.Items[k])
			if err != nil {
				return err
			}
			p.ranks[id].channels = append(p.ranks[id].channels, channel{peer, count[peer]})
			count[peer]++
		}
	}
	return nil
}

// peer returns the number of another rank.
func (p *plan) peer(id int, v *jsontree.Value) (int, error) {
	peer, err := v.Whole(0, len(p.ranks)-1)
	if err == nil && peer == id {
		err = v.Fault("expected another rank", "rank %d is connected to itself", id)
	}
	return peer, err
}

func (p *plan) readRemotes(id int, v *jsontree.Value) error {
	list := v.Field("remote_buffers")
	if list == nil {
		return nil
	}
	for i := range list.Items {
		at := &list.Items[i]
		owner, err := at.Need("rank", jsontree.Number)
		if err != nil {
			return err
		}
		var b remote
		if b.rank, err = p.peer(id, owner); err != nil {
			return err
		}
		if b.buffer, err = buffer(at); err != nil {
			return err
		}
		kinds, err := at.Need("access_channel_types", jsontree.List)
		if err != nil {
			return err
		}
		b.reachable = slices.ContainsFunc(kinds.Items, func(k jsontree.Value) bool { return k.Text == "memory" })
		p.ranks[id].remotes = append(p.ranks[id].remotes, b)
	}
	return nil
}

// buffer returns the type of a buffer.
func buffer(v *jsontree.Value) (byte, error) {
	kind, err := v.Need("type", jsontree.String)
	if err != nil {
		return 0, err
	}
	if kind.Text != "i" && kind.Text != "o" && kind.Text != "s" {
		return 0, kind.Fault("expected i, o or s", "type %q", input.Clip(kind.Text))
	}
	return kind.Text[0], nil
}

func (p *plan) readThread(r *rank, id int, v *jsontree.Value) (thread, error) {
	t := thread{line: v.Line}
	if _, err := v.Int("id", id, id); err != nil {
		return t, err
	}
	if _, err := v.Need("ops", jsontree.List); err != nil {
		return t, err
	}
	err := references(v, "channels", "channel_type", "channel_ids", "memory channels", len(r.channels), func(k int) { t.channels = append(t.channels, k) })
	if err != nil {
		return t, err
	}
	err = references(v, "remote_buffer_refs", "access_channel_type", "remote_buffer_ids", "remote buffers", len(r.remotes), func(k int) { t.remotes = append(t.remotes, r.remotes[k]) })
	return t, err
}

// references reads the numbers that a threadblock gives those of its rank that are for memory channels.
func references(v *jsontree.Value, list, kind, ids, of string, most int, see func(int)) error {
	entries := v.Field(list)
	if entries == nil {
		return nil
	}
	for i := range entries.Items {
		at := &entries.Items[i]
		use, err := at.Need(kind, jsontree.String)
		if err != nil {
			return err
		}
		numbers, err := at.Need(ids, jsontree.List)
		if err != nil {
			return err
		}
		for k := range numbers.Items {
			if use.Text != "memory" {
				continue
			}
			n, err := entry(&numbers.Items[k], ids, "gpu", of, most)
			if err != nil {
				return err
			}
			see(n)
		}
	}
	return nil
}

// judgeChunks compares the buffers of the ranks with the collective.
func (p *plan) judgeChunks() error {
	all, total := p.all(), 0
	for id := range p.ranks {
		r := &p.ranks[id]
		if total += (r.input + r.output + r.scratch) * p.parts; total > maxNumber {
			return input.At(p.file, r.line, fmt.Sprintf("expected at most %d parts of chunks in all", maxNumber), "gpu %d: too many chunks", id)
		}
		in, out := all, all
		switch p.collective {
		case "allgather":
			in = all / len(p.ranks)
		case "reducescatter":
			out = all / len(p.ranks)
		}
		if p.collective != "allreduce" && all%len(p.ranks) != 0 || all == 0 {
			return input.At(p.file, r.line, fmt.Sprintf("expected a multiple of %d, the number of ranks", len(p.ranks)), "%s of %s", p.collective, input.Count(all, "chunk"))
		}
		if r.input != in || r.output != out {
			return input.At(p.file, r.line, fmt.Sprintf("expected %d and %d: %s of %s among %s", in, out, p.collective, input.Count(all, "chunk"), input.Count(len(p.ranks), "rank")),
				"gpu %d has %d input_chunks and %d output_chunks", id, r.input, r.output)
		}
	}
	return nil
}

// all returns the chunks of the larger of input and output.
func (p *plan) all() int { return max(p.ranks[0].input, p.ranks[0].output) }

// survey finds the parts of a chunk, and whether there are packets.
func (p *plan) survey(gpus *jsontree.Value) error {
	for id := range gpus.Items {
		blocks := gpus.Items[id].Field("threadblocks").Items
		for k := range blocks {
			ops := blocks[k].Field("ops").Items
			for i := range ops {
				name, err := ops[i].Need("name", jsontree.String)
				if err != nil {
					return err
				}
				if err := known(&ops[i], name.Text); err != nil {
					return err
				}
				p.packets = p.packets || strings.HasSuffix(name.Text, "pkt")
				_, size, err := group(&ops[i])
				if err != nil {
					return err
				}
				if p.parts = lcm(p.parts, size); p.parts > maxParts {
					return ops[i].Fault(fmt.Sprintf("expected groups that can share at most %d parts equally", maxParts), "tbg_size %d", size)
				}
			}
		}
	}
	return nil
}

// group returns the number of a threadblock in its group, and the size of the group.
func group(v *jsontree.Value) (number, size int, err error) {
	info := v.Field("tbg_info")
	if info == nil {
		return 0, 1, nil
	}
	if size, err = info.Int("tbg_size", 1, maxParts); err != nil {
		return
	}
	number, err = info.Int("tb_id", 0, size-1)
	return
}

func lcm(a, b int) int {
	x, y := a, b
	for y > 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// entry returns a number of one of the things that a gpu or a threadblock has, which may be none.
func entry(v *jsontree.Value, name, owner, of string, number int) (int, error) {
	if number == 0 {
		return 0, v.Fault("expected a "+owner+" with "+of, "%s %s: the %s has no %s", name, input.Clip(v.Text), owner, of)
	}
	return v.Whole(0, number-1)
}
