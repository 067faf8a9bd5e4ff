// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"meshwright/internal/progress"
	"meshwright/rtl/gate"
)

// A group is a program with a mutant in each lane but the first, whose lane is the sound design.

// group is a program and what it has done.
type group struct {
	program *gate.Program
	mutants []*Mutant // by lane; nil: the sound design
	wrong   gate.Word
	found   []int // by lane: the cycle in which the bench failed; -1: not yet
}

// groupSize is how many mutants a group has.
const groupSize = gate.Lanes - 1

// regroup is how many cycles groups run until the mutants that are left move together.
const regroup = 64

// Simulate runs every mutant that has no state yet under all vectors. The sound design must pass.
func (w *Work) Simulate(ctx context.Context) error {
	var todo []*Mutant
	for _, m := range w.Mutants {
		if m.State == "" {
			todo = append(todo, m)
		}
	}
	phase := progress.Begin(ctx, "simulate mutants", w.bench.cycles)
	defer phase.End()
	if err := w.bench.simulate(ctx, todo, func(cycle int) { phase.Set(cycle, w.bench.cycles) }); err != nil {
		return err
	}
	return w.save()
}

// simulate runs mutants until each is found or the vectors end. It tells how far it has come.
func (b *bench) simulate(ctx context.Context, todo []*Mutant, tell func(cycle int)) error {
	if len(todo) == 0 {
		return nil
	}
	groups := b.groups(todo, nil)
	for _, g := range groups {
		b.powerUp(g.program)
	}
	for at := b.begin(); int(at.cycle) < b.cycles; {
		next, err := b.together(ctx, groups, at, min(regroup, b.cycles-int(at.cycle)))
		if err != nil {
			return err
		}
		at = next
		tell(int(at.cycle))
		left := settle(groups)
		if len(left) == 0 {
			return nil
		}
		if need := (len(left) + groupSize - 1) / groupSize; need < len(groups) {
			groups = b.groups(left, groups)
		}
	}
	for _, m := range todo {
		if m.State == "" {
			m.State = Survived
		}
	}
	return nil
}

// groups puts mutants into programs. They go on in the state in which the groups before have left them.
func (b *bench) groups(mutants []*Mutant, before []*group) []*group {
	var groups []*group
	for list := range slices.Chunk(mutants, groupSize) {
		g := &group{mutants: append([]*Mutant{nil}, list...)}
		numbers := make([]int, len(g.mutants))
		g.found = make([]int, len(g.mutants))
		for lane, m := range g.mutants {
			if g.found[lane] = -1; m != nil {
				numbers[lane] = m.Number
			}
		}
		g.program = b.compile(numbers)
		for _, old := range before {
			var from, to []int
			for lane, m := range g.mutants {
				if at := slices.Index(old.mutants, m); at >= 0 {
					from, to = append(from, at), append(to, lane)
				}
			}
			g.program.Resume(old.program, from, to)
		}
		groups = append(groups, g)
	}
	return groups
}

// together advances all groups from a place by some cycles, each on a core, and returns where they are then.
func (b *bench) together(ctx context.Context, groups []*group, at *place, cycles int) (*place, error) {
	places, faults := make([]*place, len(groups)), make([]error, len(groups))
	var running sync.WaitGroup
	for i, g := range groups {
		places[i] = at.clone()
		running.Go(func() { faults[i] = b.advance(ctx, g, places[i], cycles) })
	}
	running.Wait()
	return places[0], errors.Join(faults...)
}

// advance runs a group.
func (b *bench) advance(ctx context.Context, g *group, at *place, cycles int) error {
	for range cycles {
		if err := ctx.Err(); err != nil {
			return err
		}
		cycle := int(at.cycle)
		wrong := b.step(g.program, at)
		if wrong == g.wrong {
			continue
		}
		for lane := range g.mutants {
			if wrong.Lane(lane) && g.found[lane] < 0 {
				g.found[lane] = cycle
			}
		}
		for k := range wrong {
			g.wrong[k] |= wrong[k]
		}
		if g.found[0] >= 0 {
			return fmt.Errorf("mutate: the sound design fails in cycle %d", g.found[0])
		}
	}
	return nil
}

// settle notes the mutants that were found, and returns the others.
func settle(groups []*group) []*Mutant {
	var left []*Mutant
	for _, g := range groups {
		for lane, m := range g.mutants {
			switch {
			case m == nil || m.State == Killed:
			case g.found[lane] >= 0:
				m.State, m.Cycle = Killed, g.found[lane]
			default:
				left = append(left, m)
			}
		}
	}
	return left
}

// kept is what a file keeps of the mutants' states.
type kept struct {
	Key     string
	Mutants []*Mutant
}

// key names the mutants and the vectors.
func (w *Work) key() (string, error) {
	sum := sha256.New()
	for _, name := range append([]string{folder + "/gates.json", folder + "/mutants.txt"}, vectorFiles[:]...) {
		text, err := os.ReadFile(filepath.Join(w.dir, name))
		if errors.Is(err, os.ErrNotExist) && slices.Contains(vectorFiles[compulsory:], name) {
			continue
		}
		if err != nil {
			return "", err
		}
		sum.Write(text)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// save writes the states of the mutants beside the netlist.
func (w *Work) save() error {
	key, err := w.key()
	if err != nil {
		return err
	}
	text, err := json.Marshal(kept{key, w.Mutants})
	if err != nil {
		return err
	}
	return os.WriteFile(w.path("states.json"), text, 0o666)
}

// restore takes up the states of an earlier call, if it was of the same mutants and vectors.
func (w *Work) restore() error {
	text, err := os.ReadFile(w.path("states.json"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	key, err := w.key()
	if err != nil {
		return err
	}
	var k kept
	if json.Unmarshal(text, &k) == nil && k.Key == key && len(k.Mutants) == len(w.Mutants) {
		w.Mutants = k.Mutants
	}
	return nil
}
