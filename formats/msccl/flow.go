// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"fmt"
	"slices"
	"strings"

	"meshwright/internal/input"
)

// Flow is the data flow of an algorithm: the content of its chunks.
type Flow struct {
	Algorithm *Algorithm
	Root      int
	Failure   error // why the collective is not done: *Unset, *Race or *Wrong; nil: it is
	Races     int   // pairs of steps in no order of which one writes what the other uses; -1: too many steps to look

	memory [][]content // by rank, at the end
	order  []int32     // the ops in an order in which they may happen
	most   int32       // largest number of inputs in one sum
}

// Unset is a step that reads a chunk in which there is nothing.
type Unset struct {
	Step string
	Line int
	At   Place
	Rank int
}

// Error names step and chunk.
func (u *Unset) Error() string {
	return fmt.Sprintf("%s (line %d) reads %s of rank %d, in which there is nothing yet", u.Step, u.Line, u.At, u.Rank)
}

// Wrong is an output whose content differs from the content that the collective promises.
type Wrong struct {
	Rank, Chunk int
	What        string
	Step        string // that wrote it last; "": none did
	Line        int    // of the step
	Others      int    // further wrong chunks
}

// Error names the first chunk and the step that wrote it, and counts the others.
func (w *Wrong) Error() string {
	text := fmt.Sprintf("rank %d: o[%d] %s", w.Rank, w.Chunk, w.What)
	if w.Step != "" {
		text += fmt.Sprintf("; %s (line %d) wrote it", w.Step, w.Line)
	}
	if w.Others > 0 {
		text += "; " + input.Count(w.Others, "other chunk") + " wrong"
	}
	return text
}

// Race is a chunk that two steps use in no order, one of them writing.
type Race struct {
	Chunk         string
	First, Second string
	Lines         [2]int
	Others        int
}

// Error names chunk and steps.
func (r *Race) Error() string {
	text := fmt.Sprintf("race for %s: %s (line %d) and %s (line %d) are in no order", r.Chunk, r.First, r.Lines[0], r.Second, r.Lines[1])
	if r.Others > 0 {
		text += "; " + input.Count(r.Others, "other race")
	}
	return text
}

// Flow follows the chunks through the algorithm; root is the collective's, if
// it has one. Steps happen as soon as they may; as long as there are no races,
// every other order comes to the same. An algorithm for buffers in place that
// is meant for separate ones, too, must do with both. The errors are *input.Error: a
// root that is no rank, and threadblocks that wait for each other.
func (a *Algorithm) Flow(root int) (*Flow, error) {
	f, err := a.follow(root)
	if err != nil || f.Failure != nil || !a.InPlace || !a.OutOfPlace {
		return f, err
	}
	apart, err := a.With(Separate).follow(root)
	if err != nil {
		return nil, err
	}
	if apart.Failure != nil {
		f.Failure = fmt.Errorf("with separate buffers: %w", apart.Failure)
	}
	return f, nil
}

// The ways to give an algorithm its buffers.
const (
	InPlace  = "in-place" // input and output share their memory
	Separate = "separate"
)

// With returns the algorithm for buffers given one way, whatever the file says.
func (a *Algorithm) With(buffers string) *Algorithm {
	b := *a
	b.InPlace, b.OutOfPlace = buffers == InPlace, buffers == Separate
	return &b
}

func (a *Algorithm) follow(root int) (*Flow, error) {
	if a.Rooted() {
		if err := a.judgeRoot(root); err != nil {
			return nil, err
		}
	}
	w := newWalk(a)
	if err := w.run(); err != nil {
		return nil, err
	}
	f := &Flow{Algorithm: a, Root: root, memory: w.memory, order: w.order, most: w.most, Races: w.races.count}
	if w.races.skipped {
		f.Races = -1
	}
	switch {
	case w.unset != nil:
		f.Failure = w.unset
	case w.races.first != nil:
		w.races.first.Others = w.races.count - 1
		f.Failure = w.races.first
	default:
		f.Failure = f.judge(w.writers)
	}
	return f, nil
}

// judge compares the outputs with the promise. The writers are the steps that wrote each chunk last.
func (f *Flow) judge(writers [][]int32) error {
	a := f.Algorithm
	if a.Collective == "custom" {
		return nil
	}
	var first *Wrong
	for rank := range a.GPUs {
		l := a.layout(rank)
		_, out, _ := a.buffers(rank)
		for k := range out {
			want := a.promise(rank, k, f.Root)
			got := f.memory[rank][l.output+k]
			if want == nil || got.is(want) {
				continue
			}
			if first == nil {
				first = &Wrong{Rank: rank, Chunk: k, What: got.difference(want)}
				if by := writers[rank][l.output+k]; by >= 0 {
					first.Step, first.Line = a.ops[by].name(), a.ops[by].Line
				}
			} else {
				first.Others++
			}
		}
	}
	if first == nil {
		return nil
	}
	return first
}

// walk is the state of following the chunks.
type walk struct {
	a       *Algorithm
	layouts []layout
	memory  [][]content
	writers [][]int32 // by chunk: the op that wrote it last, -1: none
	done    []bool
	sent    [][]content // by op that sends: what is under way
	waiting [][]int32   // by op: those that depend on it
	order   []int32
	unset   *Unset
	most    int32
	races   *races
}

func newWalk(a *Algorithm) *walk {
	w := &walk{a: a, done: make([]bool, len(a.ops)), sent: make([][]content, len(a.ops)), waiting: make([][]int32, len(a.ops)), most: 1}
	for rank := range a.GPUs {
		l := a.layout(rank)
		memory := make([]content, l.end)
		in, _, _ := a.buffers(rank)
		for k := range in {
			memory[l.input+k] = content{{source{rank, k}, 1}}
		}
		w.layouts, w.memory = append(w.layouts, l), append(w.memory, memory)
		w.writers = append(w.writers, slices.Repeat([]int32{-1}, l.end))
	}
	for i := range a.ops {
		if on := a.ops[i].after; on >= 0 {
			w.waiting[on] = append(w.waiting[on], int32(i))
		}
	}
	w.races = newRaces(w)
	return w
}

// run lets every step happen as soon as it may.
func (w *walk) run() error {
	var ready []int32
	for i := range w.a.ops {
		if w.a.ops[i].index == 0 && w.may(int32(i)) {
			ready = append(ready, int32(i))
		}
	}
	for head := 0; head < len(ready); head++ {
		i := ready[head]
		if w.done[i] {
			continue
		}
		o := &w.a.ops[i]
		w.races.enter(i)
		w.perform(i, o)
		w.races.leave(i)
		w.done[i] = true
		w.order = append(w.order, i)
		for _, k := range append(w.waiting[i], o.next, o.receiver) {
			if k >= 0 && !w.done[k] && w.may(k) {
				ready = append(ready, k)
			}
		}
	}
	if len(w.order) < len(w.a.ops) {
		return w.circle()
	}
	return nil
}

// before returns a step that must happen before op i and has not, -1: none.
func (w *walk) before(i int32) int32 {
	o := &w.a.ops[i]
	if o.index > 0 && !w.done[i-1] {
		return i - 1
	}
	for _, k := range [2]int32{o.after, o.sender} {
		if k >= 0 && !w.done[k] {
			return k
		}
	}
	return -1
}

func (w *walk) may(i int32) bool { return w.before(i) < 0 }

// circle names steps that wait for each other.
func (w *walk) circle() error {
	i := int32(slices.Index(w.done, false))
	seen := map[int32]int{}
	var path []int32
	for {
		if at, again := seen[i]; again {
			path = path[at:]
			break
		}
		seen[i] = len(path)
		path = append(path, i)
		i = w.before(i)
	}
	first := slices.Index(path, slices.Min(path)) // the same circle is always told the same way
	path = append(path[first:], path[:first]...)
	var b strings.Builder
	b.WriteString(w.a.ops[path[0]].name())
	const most = 6
	for k := 1; k <= len(path); k++ {
		if k == most {
			fmt.Fprintf(&b, ", and so on in a circle of %d", len(path))
			break
		}
		if k > 1 {
			b.WriteString(", which")
		}
		o := &w.a.ops[path[k%len(path)]]
		fmt.Fprintf(&b, " waits for %s (line %d)", o.name(), o.Line)
	}
	return w.a.fault(w.a.ops[path[0]].Line, "expected an order without circles", "%s", &b)
}

// perform applies a step to the chunks.
func (w *walk) perform(i int32, o *op) {
	var arrived []content
	if o.sender >= 0 {
		arrived = w.sent[o.sender]
		w.sent[o.sender] = nil
	}
	switch o.Kind {
	case Nop:
	case Send:
		w.sent[i] = w.read(o, o.Source)
	case Receive:
		w.write(i, o, arrived)
	case ReceiveCopySend:
		w.write(i, o, arrived)
		w.sent[i] = arrived
	case ReceiveReduceCopy:
		w.write(i, o, w.sum(arrived, w.read(o, o.Source)))
	case ReceiveReduceSend:
		w.sent[i] = w.sum(arrived, w.read(o, o.Source))
	case ReceiveReduceCopySend:
		sum := w.sum(arrived, w.read(o, o.Source))
		w.write(i, o, sum)
		w.sent[i] = sum
	case Copy:
		w.write(i, o, w.read(o, o.Source))
	case Reduce:
		w.write(i, o, w.sum(w.read(o, o.Target), w.read(o, o.Source)))
	}
}

// read returns the chunks of a step at a place.
func (w *walk) read(o *op, p Place) []content {
	memory, l := w.memory[o.rank], &w.layouts[o.rank]
	from := l.at(p, 0)
	for k := range o.Count {
		if memory[from+k] == nil && w.unset == nil {
			w.unset = &Unset{o.name(), o.Line, Place{p.Buffer, p.Offset + k}, o.rank}
		}
		w.races.read(o, from+k)
	}
	return slices.Clone(memory[from : from+o.Count])
}

// write stores chunks at a step's target.
func (w *walk) write(i int32, o *op, chunks []content) {
	memory, to := w.memory[o.rank], w.layouts[o.rank].at(o.Target, 0)
	copy(memory[to:], chunks)
	for k := range chunks {
		w.races.write(o, to+k)
		w.writers[o.rank][to+k] = i
	}
}

// sum adds chunk by chunk.
func (w *walk) sum(x, y []content) []content {
	sums := make([]content, len(x))
	for k := range sums {
		if sums[k] = x[k].plus(y[k]); x[k] == nil || y[k] == nil {
			sums[k] = nil // reported as read before it was written
			continue
		}
		total := int32(0)
		for _, t := range sums[k] {
			total += t.times
		}
		w.most = max(w.most, total)
	}
	return sums
}
