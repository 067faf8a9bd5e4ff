// SPDX-License-Identifier: Apache-2.0

package msccl

import "fmt"

// maxRaceWork bounds steps times threadblocks for which races are looked for.
const maxRaceWork = 1 << 31

// races finds pairs of steps that use a chunk, one of them writing, of which
// neither must happen before the other. Every threadblock has a vector clock:
// how many steps of each other one surely come before its next step.
type races struct {
	w       *walk
	skipped bool
	clocks  [][]int32    // by threadblock
	kept    [][]int32    // by op that others wait for: the clock behind it
	uses    [][]chunkUse // by rank and chunk
	count   int
	first   *Race
}

// chunkUse is who used a chunk last: the op that wrote it and those that read
// it since, -1 and none.
type chunkUse struct {
	writer  int32
	readers []int32
}

func newRaces(w *walk) *races {
	blocks := 0
	for rank := range w.a.GPUs {
		blocks += len(w.a.GPUs[rank].Blocks)
	}
	r := &races{w: w}
	if r.skipped = len(w.a.ops)*blocks > maxRaceWork; r.skipped {
		return r
	}
	r.clocks, r.kept = make([][]int32, blocks), make([][]int32, len(w.a.ops))
	for k := range r.clocks {
		r.clocks[k] = make([]int32, blocks)
	}
	r.uses = make([][]chunkUse, len(w.memory))
	for rank, memory := range w.memory {
		r.uses[rank] = make([]chunkUse, len(memory))
		for k := range r.uses[rank] {
			r.uses[rank][k].writer = -1
		}
	}
	return r
}

// enter joins the clocks of the steps that op i waited for.
func (r *races) enter(i int32) {
	if r.skipped {
		return
	}
	o := &r.w.a.ops[i]
	clock := r.clocks[o.column]
	for _, k := range [2]int32{o.after, o.sender} {
		if k < 0 {
			continue
		}
		for column, steps := range r.kept[k] {
			clock[column] = max(clock[column], steps)
		}
	}
	if o.sender >= 0 && len(r.w.waiting[o.sender]) == 0 {
		r.kept[o.sender] = nil
	}
}

// leave counts op i and keeps its clock for those that wait for it.
func (r *races) leave(i int32) {
	if r.skipped {
		return
	}
	o := &r.w.a.ops[i]
	clock := r.clocks[o.column]
	clock[o.column] = int32(o.index + 1)
	if o.receiver >= 0 || len(r.w.waiting[i]) > 0 {
		r.kept[i] = append([]int32(nil), clock...)
	}
}

// surely reports whether op i happens before the step that is happening in o's
// threadblock.
func (r *races) surely(i int32, o *op) bool {
	before := &r.w.a.ops[i]
	return before.column == o.column || r.clocks[o.column][before.column] > int32(before.index)
}

func (r *races) read(o *op, chunk int) {
	if r.skipped {
		return
	}
	use := &r.uses[o.rank][chunk]
	if use.writer >= 0 && !r.surely(use.writer, o) {
		r.found(use.writer, o, chunk)
	}
	use.readers = append(use.readers, o.number)
}

func (r *races) write(o *op, chunk int) {
	if r.skipped {
		return
	}
	use := &r.uses[o.rank][chunk]
	if use.writer >= 0 && !r.surely(use.writer, o) {
		r.found(use.writer, o, chunk)
	}
	for _, reader := range use.readers {
		if !r.surely(reader, o) {
			r.found(reader, o, chunk)
		}
	}
	use.writer, use.readers = o.number, use.readers[:0]
}

func (r *races) found(i int32, o *op, chunk int) {
	if r.count++; r.first != nil {
		return
	}
	before := &r.w.a.ops[i]
	r.first = &Race{Chunk: r.w.chunkName(o.rank, chunk), First: before.name(), Second: o.name(), Lines: [2]int{before.Line, o.Line}}
}

// chunkName names chunk k of a rank's memory.
func (w *walk) chunkName(rank, k int) string {
	l := &w.layouts[rank]
	in, out, _ := w.a.buffers(rank)
	input, output := Place{'i', k - l.input}, Place{'o', k - l.output}
	isInput, isOutput := input.Offset >= 0 && input.Offset < in, output.Offset >= 0 && output.Offset < out
	switch {
	case isInput && isOutput:
		return fmt.Sprintf("%s of rank %d, in place the same as %s", output, rank, input)
	case isOutput:
		return fmt.Sprintf("%s of rank %d", output, rank)
	case isInput:
		return fmt.Sprintf("%s of rank %d", input, rank)
	}
	return fmt.Sprintf("%s of rank %d", Place{'s', k - l.scratch}, rank)
}
