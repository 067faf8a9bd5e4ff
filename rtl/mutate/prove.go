// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"meshwright/internal/parallel"
	"meshwright/internal/progress"
	"meshwright/router"
	"meshwright/rtl/gate"
)

// Prove tries to prove that survivors are equivalent. What cannot be proved stays a survivor. A fault is in all chips that have
// its module, and each has constants of its own, so that each needs a proof. The mutated chip comes first: few faults that show
// in a chip do not show there.
func (w *Work) Prove(ctx context.Context) error {
	var todo []*Mutant
	for _, m := range w.Mutants {
		if m.State == Survived {
			todo = append(todo, m)
		}
	}
	if len(todo) == 0 {
		return nil
	}
	chips, err := w.chips(ctx)
	if err != nil {
		return err
	}
	differs := make([]atomic.Bool, len(todo))
	if err := w.atOwnChip(ctx, chips[w.opt.Node], todo, differs); err != nil {
		return err
	}
	if err := w.atOthers(ctx, chips, todo, differs); err != nil {
		return err
	}
	for i, m := range todo {
		if !differs[i].Load() {
			m.State = Equivalent
		}
	}
	return nil
}

// together is how many proofs of the mutated chip share a search. What a search finds depends on what it has found before, so this
// number must not depend on the computer.
const together = 32

// atOwnChip tries proofs for the mutated chip, and notes the mutants that have none.
func (w *Work) atOwnChip(ctx context.Context, c *chip, todo []*Mutant, differs []atomic.Bool) error {
	prover, err := w.prover(ctx, c)
	if err != nil {
		return err
	}
	phase := progress.Begin(ctx, "prove that survivors are equivalent", len(todo))
	defer phase.End()
	chunks := slices.Collect(slices.Chunk(todo, together))
	return parallel.Each(ctx, phase, parallel.Workers(), len(chunks), func() func(int) error {
		return func(n int) error {
			proofs := prover.Proofs()
			for i, m := range chunks[n] {
				if err := ctx.Err(); err != nil {
					return err
				}
				differs[n*together+i].Store(!proofs.Equal(m.Number))
			}
			return nil
		}
	})
}

// atOthers tries proofs for all other chips that have the faults. Chips share nothing but the notes: what one has noted, the others
// need not try, and the notes at the end are the same in any order.
func (w *Work) atOthers(ctx context.Context, chips []*chip, todo []*Mutant, differs []atomic.Bool) error {
	phase := progress.Begin(ctx, "prove the same of the other chips", len(chips))
	defer phase.End()
	return parallel.Each(ctx, phase, parallel.Workers(), len(chips), func() func(int) error {
		return func(n int) error {
			var proofs *gate.Proofs
			for i, m := range todo {
				if router.NodeID(n) == w.opt.Node || differs[i].Load() || !chips[n].design.Has(m.Number) {
					continue
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				if proofs == nil {
					prover, err := w.prover(ctx, chips[n])
					if err != nil {
						return err
					}
					proofs = prover.Proofs()
				}
				if !proofs.Equal(m.Number) {
					differs[i].Store(true)
				}
			}
			return nil
		}
	})
}

// chip is a chip of the network by itself.
type chip struct {
	node      router.NodeID
	design    *gate.Design
	tied      map[gate.Net]bool     // inputs that are constants at its place
	never     [][]gate.Term         // what does not happen at its ports, see rules
	around    map[gate.Net]gate.Net // its ports in the network
	registers []gate.Net            // in the network
	states    [][]bool              // the last ones of the run, by register
}

// lastStates is how many states of a run proofs look at, at its end: then each place of a buffer has held a flit.
const lastStates = 100

// chips returns the chips of the network by node, with the states into which they come.
func (w *Work) chips(ctx context.Context) ([]*chip, error) {
	chips := make([]*chip, w.opt.Design.Chips)
	var watched []gate.Net
	for n := range chips {
		name := instance(router.NodeID(n))
		design, tied, err := w.netlist.Instance("top", name)
		if err != nil {
			return nil, err
		}
		tied[design.Inputs["tick_i"][0]] = true
		c := &chip{node: router.NodeID(n), design: design, tied: tied, around: w.netlist.Around(w.bench.design, "top", name, design)}
		c.never, c.registers = w.rules(c), w.bench.design.Registers("top."+name, design)
		chips[n] = c
		watched = append(watched, c.registers...)
		for _, row := range c.never {
			for _, t := range row {
				watched = append(watched, c.around[t.Net])
			}
		}
	}
	return chips, w.watch(ctx, chips, w.bench.compile([]int{0}, watched...))
}

// watch runs the sound network. Its chips must keep the rules that proofs assume.
func (w *Work) watch(ctx context.Context, chips []*chip, p *gate.Program) error {
	phase := progress.Begin(ctx, "find what holds in every state", w.opt.Cycles)
	defer phase.End()
	w.bench.powerUp(p)
	for at := w.bench.begin(); int(at.cycle) < w.opt.Cycles; phase.Set(int(at.cycle), w.opt.Cycles) {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.bench.show(p, at)
		for _, c := range chips {
			if c.broken(p) {
				return fmt.Errorf("mutate: node %d breaks a rule that proofs assume, in cycle %d", c.node, at.cycle)
			}
		}
		p.Clock()
		at.cycle++
		if int(at.cycle) <= w.opt.Cycles-lastStates {
			continue
		}
		for _, c := range chips {
			state := make([]bool, len(c.registers))
			for i, r := range c.registers {
				state[i] = p.Value(r).Lane(0)
			}
			c.states = append(c.states, state)
		}
	}
	return nil
}

// broken reports whether a chip breaks a rule.
func (c *chip) broken(p *gate.Program) bool {
	return slices.ContainsFunc(c.never, func(row []gate.Term) bool {
		return !slices.ContainsFunc(row, func(t gate.Term) bool { return p.Value(c.around[t.Net]).Lane(0) != t.Value })
	})
}

// prover prepares proofs for a chip.
func (w *Work) prover(ctx context.Context, c *chip) (*gate.Prover, error) {
	known := gate.Known{Tied: c.tied, Shown: w.shown(c.design), Never: c.never, States: c.states}
	if links, _ := w.opt.Design.Arrivals(c.node); len(links) > 0 && links[0].Bits <= 8 {
		known.Window = links[0].Bits
	}
	p, err := gate.NewProver(ctx, c.design, known)
	if err != nil {
		return nil, fmt.Errorf("node %d: %w", c.node, err)
	}
	return p, nil
}
