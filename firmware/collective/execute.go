// SPDX-License-Identifier: Apache-2.0

package collective

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/firmware/pe"
	"meshwright/firmware/plan"
	"meshwright/internal/memory"
	"meshwright/internal/parallel"
	"meshwright/router"
)

// Result is the outcome of a plan's run.
type Result struct {
	Plan           *plan.Plan
	Network        *fabric.Network // as it is after the run
	Cycles         router.Cycle    // when the last flit of data had been delivered, see fabric.Network.ArrivalTime; ticks on machines that switch packets
	Delivered      bool            // every word of every PE was compared and is right
	Failure        error           // why not: *Mismatch, *Stuck, *Leftover, *Incomplete, *Lost, *Crowded, *pe.Fault, *router.Deadlock or fabric.ErrLimit
	Arrivals       *Arrivals       // with faults, of plans whose messages travel in copies; else nil
	Collisions     []router.Collision
	CollisionCount int           // all of them; Collisions has the first ones
	MaxBufferFlits int           // most flits in one input buffer at the start of a cycle; 0 in a bufferless machine
	Log            []fabric.Sent // messages and orders, in the order of sending
}

// Ratio returns time by lower bound; 1 when there is nothing to do, no plan, or no bound of it is known, see plan.FromTransfers.
func (r *Result) Ratio() float64 {
	if r.Plan == nil || r.Plan.LowerBound() == 0 {
		return 1
	}
	return float64(r.Cycles) / float64(r.Plan.LowerBound())
}

// Execute runs a plan and compares every word. Each attach is called with the network before
// the first cycle, to put monitors on the clock behind the PEs. A run that does not deliver is
// a Result, not an error. An error is the context's, an attach's, a *memory.TooLarge when the
// context has a limit and the run needs more, or an *input.Error when there is no such
// network.
func Execute(ctx context.Context, p *plan.Plan, attach ...func(*fabric.Network) error) (*Result, error) {
	if err := p.Valid(); err != nil {
		return nil, err
	}
	bytes := p.Memory()
	if err := memory.Need(ctx, fmt.Sprintf("%s %s on %s", p.Collective, p.Algorithm, p.Topology), bytes); err != nil {
		return nil, err
	}
	if bytes > muchMemory {
		runtime.GC() // the memories take the place of all that was needed for planning
	}
	network, array, err := p.Network(ctx)
	if err != nil {
		return nil, err
	}
	network.KeepLogOf(p.Messages)
	meter := fabric.NewMeter(network)
	for _, f := range attach {
		if err := f(network); err != nil {
			return nil, err
		}
	}
	network.Expected = p.Flits
	dismiss := network.Employ(parallel.Workers())
	err = network.Run(ctx, limit(p, network.Slowest()))
	dismiss()
	if cause := network.Stopped(ctx); cause != nil {
		return nil, cause
	}
	r := &Result{Plan: p, Network: network, Cycles: meter.Cycles, MaxBufferFlits: meter.MaxBufferFlits, Log: network.Log()}
	r.Collisions, r.CollisionCount = network.NumberedCollisions()
	r.judge(ctx, array, err)
	if cause := ctx.Err(); cause != nil {
		return nil, cause
	}
	if r.Failure == nil && r.CollisionCount > 0 {
		r.Failure = &Lost{Count: r.CollisionCount, First: r.Collisions[0]}
	}
	if r.Failure == nil {
		r.Failure = crowded(p, meter)
	}
	r.Delivered = r.Failure == nil
	return r, nil
}

// muchMemory is worth a collection of garbage before it is allocated.
const muchMemory = 256 * memory.MB

// limit is a number of cycles that no sound run needs: every message on its
// own, over the longest route, at a quarter of the speed of the slowest links.
func limit(p *plan.Plan, links machine.LinkTime) router.Cycle {
	m := p.Machine
	if m.PacketSwitched() {
		return packetLimit(p)
	}
	messages := router.Cycle(p.Messages + 2*len(p.PEs))
	flits := router.Cycle(p.Flits) + 2*messages
	return 1000 + 4*(messages*router.Cycle(m.Startup+1+len(p.PEs)*links.Hop)+flits*router.Cycle(links.Flit+links.Hop))
}

// packetLimit is limit in ticks, on machines that switch packets: every packet
// on its own, as large as the largest, over the longest route.
func packetLimit(p *plan.Plan) router.Cycle {
	m := p.Machine
	hop := float64(m.SetupTicks()) + float64(m.LargestPacket())*float64(m.FlitTicks())
	packets := float64(p.Messages + 4*len(p.PEs))
	ticks := 1000*float64(m.Ticks()) + 4*packets*(float64(m.StartupTicks())+1+float64(len(p.PEs))*hop)
	return router.Cycle(min(ticks, math.MaxInt64/2))
}

// Mismatch is a word that differs from its expected value.
type Mismatch struct {
	Node              router.NodeID
	Address           int
	Element, Elements int // of the word: the first that differs, and how many it has
	Expected, Got     uint32

	Word      int    // of the PE's plan.Block; -1: it is a parameter
	Block     string // of the collective, as schedules name it, to which the word belongs; "": not known
	OfBlock   int    // which word of Block
	Untouched bool   // it is as it was at the start: nothing was stored there
}

// Error names PE, address and both words; of words of several elements, the element. Then it says what the word is.
func (m *Mismatch) Error() string {
	element := ""
	if m.Elements > 1 {
		element = fmt.Sprintf(" in element %d", m.Element)
	}
	text := fmt.Sprintf("PE %d holds 0x%08x%s at address %d, expected 0x%08x: ", m.Node, m.Got, element, m.Address, m.Expected)
	switch {
	case m.Word < 0:
		text += "a parameter"
	case m.Block != "":
		text += fmt.Sprintf("word %d of block %s", m.OfBlock, m.Block)
	default:
		text += fmt.Sprintf("word %d of its block", m.Word)
	}
	if m.Untouched {
		text += ", where nothing was stored"
	}
	return text
}

// Stuck is a run that ended with PEs waiting for what never comes.
type Stuck = pe.Stuck

// Leftover is a message that no PE asked for.
type Leftover struct{ pe.Unread }

// Error names PE and message.
func (l *Leftover) Error() string { return l.String() }

// Lost is a run in which flits were lost to collisions that nobody waited for.
type Lost = fabric.Lost

// judge compares the words after a run that ended with err: with faults those of the live PEs, if
// messages travel in copies.
func (r *Result) judge(ctx context.Context, array *pe.Array, err error) {
	if r.Network.Faults() == nil || !inCopies(r.Plan) || err != nil || array.Err() != nil {
		r.Failure = audit(ctx, r.Plan, array, err)
		return
	}
	if r.Arrivals, r.Failure = arrivals(r.Plan, r.Network.Faults(), array); r.Failure == nil && len(r.Arrivals.Short()) > 0 {
		r.Failure = &Incomplete{*r.Arrivals}
	}
}

// audit returns the fault of a run that ended with err, or nil.
func audit(ctx context.Context, p *plan.Plan, array *pe.Array, err error) error {
	if fault := array.Err(); fault != nil {
		return fault
	}
	if errors.Is(err, fabric.ErrIdle) {
		return pe.NewStuck(array)
	}
	if err != nil {
		return err
	}
	err = p.EachPE(ctx, "compare every word", func(n router.NodeID) error { return compare(p, n, array) })
	if err != nil {
		return err
	}
	for u := range array.Unread() {
		return &Leftover{u}
	}
	return nil
}

// compare checks every word of a PE's memory but the scratch ones.
func compare(p *plan.Plan, n router.NodeID, array *pe.Array) error {
	e := &p.PEs[n]
	elements := p.Machine.Elements()
	shared, own := array.Parts(n)
	wrong := compareWords(1, e.Parameters, shared)
	if len(shared) == 0 {
		parameters := len(e.Parameters) * elements
		wrong = compareWords(elements, p.Parameters(n), own[:parameters])
		own = own[parameters:]
	}
	if wrong != nil {
		wrong.Node, wrong.Address, wrong.Word = n, wrong.Word, -1
		return wrong
	}
	if wrong = compareWords(elements, e.Block.Words, own[:len(own)-e.Scratch*elements]); wrong == nil {
		return nil
	}
	wrong.Node, wrong.Address = n, len(e.Parameters)+wrong.Word
	wrong.Block, wrong.OfBlock = p.NameWord(n, wrong.Word)
	given := e.Block.Given.From <= wrong.Word && wrong.Word < e.Block.Given.To
	wrong.Untouched = !given && p.Start(n)[wrong.Address*elements+wrong.Element] == wrong.Got
	return wrong
}

// compareWords compares words of so many elements each. It returns the first that differs, by its place in Word.
func compareWords(elements int, expected, got []uint32) *Mismatch {
	for k, element := range got {
		if element != expected[k] {
			return &Mismatch{Word: k / elements, Element: k % elements, Elements: elements, Expected: expected[k], Got: element}
		}
	}
	return nil
}
