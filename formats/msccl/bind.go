// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"fmt"

	"meshwright/internal/input"
)

// maxSteps bounds the steps of an algorithm.
const maxSteps = 1 << 22

func (a *Algorithm) fault(line int, want, format string, args ...any) error {
	return input.At(a.File, line, want, format, args...)
}

// Bind makes an algorithm of one that was put together rather than read: its steps are within their buffers.
// It numbers the steps, and finds the dependences of each step and the send of each receive.
func (a *Algorithm) Bind() error {
	if err := a.judgeChunks(); err != nil {
		return err
	}
	column := 0
	for rank := range a.GPUs {
		for block := range a.GPUs[rank].Blocks {
			steps := a.GPUs[rank].Blocks[block].Steps
			for i := range steps {
				next := int32(-1)
				if i+1 < len(steps) {
					next = int32(len(a.ops) + 1)
				}
				a.ops = append(a.ops, op{Step: &steps[i], rank: rank, block: block, index: i, column: column, number: int32(len(a.ops)), next: next, after: -1, sender: -1, receiver: -1})
			}
			column++
		}
	}
	if len(a.ops) == 0 {
		return a.fault(0, "expected gpus with tbs with steps", "no steps")
	}
	if len(a.ops) > maxSteps {
		return a.fault(0, "expected at most "+itoa(maxSteps), "%d steps", len(a.ops))
	}
	if err := a.bindDependences(); err != nil {
		return err
	}
	return a.bindConnections()
}

// judgeChunks compares the buffers of all ranks with nchunksperloop.
func (a *Algorithm) judgeChunks() error {
	total := 0
	for rank := range a.GPUs {
		g := &a.GPUs[rank]
		in, out, err := a.buffers(rank)
		if err != nil {
			return err
		}
		if g.Input != 0 && g.Input != in {
			return a.fault(g.Line, fmt.Sprintf("expected 0 or %d: %s of %s among %s", in, a.Collective, input.Count(a.ChunksPerLoop, "chunk"), input.Count(a.Ranks, "rank")), "gpu %d: i_chunks %d", rank, g.Input)
		}
		if g.Output != 0 && g.Output != out {
			return a.fault(g.Line, fmt.Sprintf("expected 0 or %d: %s of %s among %s", out, a.Collective, input.Count(a.ChunksPerLoop, "chunk"), input.Count(a.Ranks, "rank")), "gpu %d: o_chunks %d", rank, g.Output)
		}
		if total += in + out + g.Scratch; total > maxTotal {
			return a.fault(g.Line, "expected at most "+itoa(maxTotal)+" chunks in all", "gpu %d: too many chunks", rank)
		}
	}
	return nil
}

// maxTotal bounds the chunks of all ranks.
const maxTotal = 1 << 22

// bindDependences finds the step that each step waits for.
func (a *Algorithm) bindDependences() error {
	first := make([][]int32, len(a.GPUs)) // of each threadblock
	k := int32(0)
	for rank := range a.GPUs {
		for block := range a.GPUs[rank].Blocks {
			first[rank] = append(first[rank], k)
			k += int32(len(a.GPUs[rank].Blocks[block].Steps))
		}
	}
	for i := range a.ops {
		o := &a.ops[i]
		if o.DependsBlock < 0 {
			continue
		}
		blocks := a.GPUs[o.rank].Blocks
		if o.DependsBlock >= len(blocks) {
			return a.fault(o.Line, "expected 0 to "+itoa(len(blocks)-1), "step depid %d: gpu %d has no such tb", o.DependsBlock, o.rank)
		}
		steps := blocks[o.DependsBlock].Steps
		if len(steps) == 0 {
			return a.fault(o.Line, "expected a tb with steps", "step depid %d: tb %d of gpu %d has no steps", o.DependsBlock, o.DependsBlock, o.rank)
		}
		if o.DependsOn >= len(steps) {
			return a.fault(o.Line, "expected 0 to "+itoa(len(steps)-1), "step deps %d: tb %d of gpu %d has no such step", o.DependsOn, o.DependsBlock, o.rank)
		}
		if o.DependsBlock == o.block && o.DependsOn >= o.index {
			return a.fault(o.Line, "expected an earlier step, or one of another tb", "step %d depends on step %d of its own tb", o.index, o.DependsOn)
		}
		if on := &steps[o.DependsOn]; !on.HasDependents {
			return a.fault(on.Line, "expected hasdep 1", "step hasdep 0, but step %d of tb %d (line %d) depends on it", o.index, o.block, o.Line)
		}
		o.after = first[o.rank][o.DependsBlock] + int32(o.DependsOn)
	}
	return nil
}

// connection is a channel from one rank to another.
type connection struct{ from, to, channel int }

// ends are the threadblocks at a connection, nil: none, and their steps.
type ends struct {
	sender, receiver *Block
	sends, receives  []int32
}

// bindConnections pairs sends and receives.
func (a *Algorithm) bindConnections() error {
	all := map[connection]*ends{}
	var order []connection
	at := func(c connection) *ends {
		if all[c] == nil {
			all[c] = &ends{}
			order = append(order, c)
		}
		return all[c]
	}
	for rank := range a.GPUs {
		for k := range a.GPUs[rank].Blocks {
			b := &a.GPUs[rank].Blocks[k]
			if b.Send >= 0 {
				e := at(connection{rank, b.Send, b.Channel})
				if e.sender != nil {
					return a.fault(b.Line, "expected a channel of its own for each", "tb %d of gpu %d sends to rank %d on channel %d, as the tb of line %d does", k, rank, b.Send, b.Channel, e.sender.Line)
				}
				e.sender = b
			}
			if b.Receive >= 0 {
				e := at(connection{b.Receive, rank, b.Channel})
				if e.receiver != nil {
					return a.fault(b.Line, "expected a channel of its own for each", "tb %d of gpu %d receives from rank %d on channel %d, as the tb of line %d does", k, rank, b.Receive, b.Channel, e.receiver.Line)
				}
				e.receiver = b
			}
		}
	}
	for i := range a.ops {
		o := &a.ops[i]
		b := &a.GPUs[o.rank].Blocks[o.block]
		if o.Kind.sends() {
			e := all[connection{o.rank, b.Send, b.Channel}]
			e.sends = append(e.sends, int32(i))
		}
		if o.Kind.receives() {
			e := all[connection{b.Receive, o.rank, b.Channel}]
			e.receives = append(e.receives, int32(i))
		}
	}
	for _, c := range order {
		if err := a.pair(c, all[c]); err != nil {
			return err
		}
	}
	return nil
}

// pair binds the k-th send of a connection to its k-th receive.
func (a *Algorithm) pair(c connection, e *ends) error {
	for k := range min(len(e.sends), len(e.receives)) {
		s, r := &a.ops[e.sends[k]], &a.ops[e.receives[k]]
		s.receiver, r.sender = e.receives[k], e.sends[k]
		if s.Count != r.Count {
			return a.fault(s.Line, "expected as many", "%s sends %s, of which %s (line %d) receives %d", s.name(), input.Count(s.Count, "chunk"), r.name(), r.Line, r.Count)
		}
	}
	if len(e.sends) == len(e.receives) {
		return nil
	}
	line := 0
	if e.sender != nil {
		line = e.sender.Line
	} else {
		line = e.receiver.Line
	}
	return a.fault(line, "expected as many receives", "rank %d sends %s to rank %d on channel %d, which receives %d", c.from, input.Count(len(e.sends), "time"), c.to, c.channel, len(e.receives))
}
