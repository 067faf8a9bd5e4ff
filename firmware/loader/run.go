// SPDX-License-Identifier: Apache-2.0

package loader

import (
	"context"
	"errors"
	"fmt"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/image"
	"meshwright/firmware/isa"
	"meshwright/firmware/pe"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/router"
)

// What the registers of a PE hold at the start; all others are 0.
const (
	NodesRegister isa.Reg = 14 // number of nodes
	NodeRegister  isa.Reg = 15 // the PE's own number
)

// DefaultWords is the data memory of a PE without a larger image, in words.
const DefaultWords = 1024

// maxWords bounds the data memories of all PEs together, in words.
const maxWords = 1 << 28

// Job has the programs and memories of the PEs of a network.
type Job struct {
	Topology *topology.Topology
	Machine  machine.Machine
	Programs []*isa.Program
	Runs     []int32      // by node: index in Programs, pe.Nothing: the PE is idle
	Memory   Images       // by node: the memory at the start; nil: 0 everywhere
	Expected Images       // by node: what the memory is to hold in the end; nil: not compared
	Words    int          // of data memory of each PE that runs, see DefaultWords; 0: only what its image needs; an image that is larger has as many as it needs
	Limit    router.Cycle // at least 1; a run that takes more cycles (of packets: ticks) fails, and with 0 every run does
}

// Result is the outcome of a run.
type Result struct {
	Network         *fabric.Network // as it is after the run
	Messages, Flits int             // data messages that were sent, and their flits
	Cycles          router.Cycle    // when the last flit had been delivered, see fabric.Network.ArrivalTime
	LastHalt        router.Cycle    // in which the last PE halted; -1: none did
	Halted          int             // PEs that have
	Failure         error           // *pe.Fault, *pe.Stuck, *fabric.TooLong, *fabric.Lost, *router.Deadlock, *Mismatch or *pe.Endless; nil: all PEs halted and the words compared are right
	Collisions      []router.Collision
	CollisionCount  int
	MaxBufferFlits  int
	Unread          int        // messages and control words that no PE took
	FirstUnread     *pe.Unread // the first of them; nil: none
	Memory          [][]uint32 // by node, in the end: the elements of the words
	ComparedPEs     int        // PEs of which words were compared
	ComparedWords   int        // words that were compared
}

// Mismatch is the first word of a memory that differs from its expected value, and how many do.
type Mismatch struct {
	Node              router.NodeID
	Address           int
	Element, Elements int // of the word: the first that differs, and how many it has
	Expected, Got     uint32
	Position          string // file and line of the expected word
	Words, PEs        int    // all words that differ, and the PEs that hold them
}

// Error names PE, address, both words, and where the expected one stands; of words of several elements the element. It counts the wrong words
// if there are several.
func (m *Mismatch) Error() string {
	element := ""
	if m.Elements > 1 {
		element = fmt.Sprintf(" in element %d", m.Element)
	}
	text := fmt.Sprintf("%s: PE %d holds %08x%s at address %d, expected %08x", m.Position, m.Node, m.Got, element, m.Address, m.Expected)
	if m.Words > 1 {
		text += fmt.Sprintf("; %d words of %s are wrong", m.Words, input.Count(m.PEs, "PE"))
	}
	return text
}

// Execute runs a job. Each attach is called with the network before the first cycle. A run
// that fails is a Result. An error is the context's, an attach's, a *memory.TooLarge when the
// context has a limit and the run needs more, or an *input.Error when there is no such
// network.
func Execute(ctx context.Context, j *Job, attach ...func(*fabric.Network) error) (*Result, error) {
	if err := j.valid(); err != nil {
		return nil, err
	}
	load, err := j.load(ctx)
	if err != nil {
		return nil, err
	}
	network, err := fabric.New(j.Topology, j.Machine)
	if err != nil {
		return nil, err
	}
	network.KeepLog()
	array, err := pe.New(load)
	if err != nil {
		return nil, err
	}
	for n := range load.Runs {
		array.SetRegister(router.NodeID(n), NodesRegister, uint32(len(load.Runs)))
		array.SetRegister(router.NodeID(n), NodeRegister, uint32(n))
	}
	network.Attach(array)
	meter := fabric.NewMeter(network)
	for _, f := range attach {
		if err := f(network); err != nil {
			return nil, err
		}
	}
	err = network.Run(ctx, j.Limit)
	if cause := network.Stopped(ctx); cause != nil {
		return nil, cause
	}
	r := &Result{Network: network, Cycles: meter.Cycles, LastHalt: array.LastHalt(), Halted: array.CountHalted(), MaxBufferFlits: meter.MaxBufferFlits, Memory: load.Memory}
	r.Collisions, r.CollisionCount = network.NumberedCollisions()
	r.count(array)
	r.Failure = j.audit(r, array, err)
	return r, nil
}

// imageOf is a node's memory at the start, nil: 0 everywhere.
func (j *Job) imageOf(n int) *image.Image {
	if j.Memory == nil {
		return nil
	}
	return j.Memory[n]
}

// wordsOf is the size of a node's data memory.
func (j *Job) wordsOf(n int) int {
	words := 0
	if j.Runs[n] != pe.Nothing {
		words = j.Words
	}
	if img := j.imageOf(n); img != nil {
		words = max(words, img.Size())
	}
	return words
}

// tooLarge refuses data memories of so many words up to a node's; it names the image that makes the node's so large.
func (j *Job) tooLarge(n, total int) error {
	err := input.Errorf("expected at most 2^28", "%d words of data memory in PEs 0 to %d together", total, n)
	if img := j.imageOf(n); img != nil && img.Size() == j.wordsOf(n) {
		return input.Locate(err, img.File, img.LastLine())
	}
	return err
}

// perPE is the memory of a PE besides its data memory, in bytes; perWide that of its registers for each further
// element of a word.
const perPE, perWide = 160, 64

// fits bounds the data memories, and asks for the memory of the run; that of
// the messages nobody knows before it.
func (j *Job) fits(ctx context.Context) error {
	total := 0
	for n := range j.Runs {
		if total += j.wordsOf(n); total > maxWords {
			return j.tooLarge(n, total)
		}
	}
	elements := float64(j.Machine.Elements())
	bytes := float64(fabric.Memory(j.Topology, j.Machine)) + perPE*float64(len(j.Runs)) + elements*4*float64(total) + (elements-1)*perWide*float64(len(j.Runs))
	return memory.Need(ctx, fmt.Sprintf("firmware on %s", j.Topology), memory.Of(bytes))
}

// load lays the programs and memories out.
func (j *Job) load(ctx context.Context) (pe.Load, error) {
	nodes := j.Topology.Nodes()
	load := pe.Load{Runs: j.Runs, Memory: make([][]uint32, nodes)}
	for _, source := range j.Programs {
		program, err := pe.Decode(source)
		if err != nil {
			return load, err
		}
		load.Programs = append(load.Programs, program)
	}
	if err := j.fits(ctx); err != nil {
		return load, err
	}
	elements := j.Machine.Elements()
	for n := range load.Memory {
		load.Memory[n] = make([]uint32, j.wordsOf(n)*elements)
		if img := j.imageOf(n); img != nil {
			img.CopyTo(load.Memory[n], elements)
		}
	}
	return load, nil
}

// count counts what was sent and what was not taken.
func (r *Result) count(array *pe.Array) {
	for _, m := range r.Network.Log() {
		if m.Kind == router.Data {
			r.Messages++
			r.Flits += m.Length
		}
	}
	for u := range array.Unread() {
		if r.Unread++; r.FirstUnread == nil {
			r.FirstUnread = &u
		}
	}
}

// audit returns the fault of a run that ended with err, or nil.
func (j *Job) audit(r *Result, array *pe.Array, err error) error {
	if fault := array.Err(); fault != nil {
		return fault
	}
	switch {
	case errors.Is(err, fabric.ErrIdle):
		return pe.NewStuck(array)
	case errors.Is(err, fabric.ErrLimit):
		return pe.NewEndless(array, j.Limit)
	case err != nil:
		return err
	}
	var wrong *Mismatch
	for n := range j.Expected {
		if wrong, err = j.compare(r, n, wrong); err != nil {
			return err
		}
	}
	if wrong != nil {
		return wrong
	}
	if r.CollisionCount > 0 {
		return &fabric.Lost{Count: r.CollisionCount, First: r.Collisions[0]}
	}
	return nil
}

// compare compares every word that a PE is expected to hold. It adds those that differ to what is wrong before, nil: nothing.
func (j *Job) compare(r *Result, n int, wrong *Mismatch) (*Mismatch, error) {
	expected := j.Expected[n]
	if expected == nil {
		return wrong, nil
	}
	elements := j.Machine.Elements()
	if size := expected.Size(); size > len(r.Memory[n])/elements {
		return nil, fmt.Errorf("%s: a word at address %d is expected, PE %d has %s", input.Name(expected.File), size-1, n, input.Count(len(r.Memory[n])/elements, "word"))
	}
	r.ComparedPEs++
	words := 0 // wrong ones
	for _, s := range expected.Segments {
		for k := range s.Words {
			e := differs(r.Memory[n][(s.Address+k)*elements:][:elements], &s, k)
			if e < 0 {
				continue
			}
			words++
			if wrong == nil {
				wrong = &Mismatch{
					Node: router.NodeID(n), Address: s.Address + k, Element: e, Elements: elements, Expected: s.Element(k, e),
					Got: r.Memory[n][(s.Address+k)*elements+e], Position: fmt.Sprintf("%s:%d", input.Name(expected.File), s.Line(k)),
				}
			}
		}
		r.ComparedWords += len(s.Words)
	}
	if words > 0 {
		wrong.Words, wrong.PEs = wrong.Words+words, wrong.PEs+1
	}
	return wrong, nil
}

// differs returns the first element in which a word differs from word k of a segment, -1: it is equal.
func differs(word []uint32, s *image.Segment, k int) int {
	for e, element := range word {
		if element != s.Element(k, e) {
			return e
		}
	}
	return -1
}
