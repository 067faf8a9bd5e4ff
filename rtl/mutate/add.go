// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"context"
	"slices"
)

// Trial is what other vectors for the same chips find.
type Trial struct {
	Cycles int
	Found  map[int]int // by the number of a mutant that the vectors of the design do not kill: the cycle that shows it
}

// Try runs all mutants that are not killed under the vectors in a folder, equivalent ones too: their proofs speak of
// states that may follow the vectors of the design. It changes no state.
func (w *Work) Try(ctx context.Context, dir string, cycles int) (*Trial, error) {
	t := &Trial{Cycles: cycles, Found: map[int]int{}}
	v, err := readVectors(dir, w.opt.Design)
	if err != nil {
		return nil, err
	}
	var copies []*Mutant
	for _, m := range w.Mutants {
		if m.State != Killed {
			copies = append(copies, &Mutant{Number: m.Number})
		}
	}
	if err := newBench(w.bench.design, w.opt.Design, v, cycles).simulate(ctx, copies, func(int) {}); err != nil {
		return nil, err
	}
	for _, m := range copies {
		if m.State == Killed {
			t.Found[m.Number] = m.Cycle
		}
	}
	return t, nil
}

// Choose returns places in a list of trials that find together all that any of them finds: those first that find most
// in the fewest cycles, and none that the others make superfluous.
func Choose(trials []*Trial) []int {
	var chosen []int
	found := map[int]int{} // how many of the chosen ones find a mutant
	for {
		best, most := -1, 0.0
		for i, t := range trials {
			fresh := 0
			for number := range t.Found {
				if found[number] == 0 {
					fresh++
				}
			}
			if rate := float64(fresh) / float64(max(1, t.Cycles)); rate > most {
				best, most = i, rate
			}
		}
		if best < 0 {
			break
		}
		chosen = append(chosen, best)
		for number := range trials[best].Found {
			found[number]++
		}
	}
	for k := len(chosen) - 1; k >= 0; k-- {
		t := trials[chosen[k]]
		needed := false
		for number := range t.Found {
			needed = needed || found[number] == 1
		}
		if needed {
			continue
		}
		for number := range t.Found {
			found[number]--
		}
		chosen = slices.Delete(chosen, k, k+1)
	}
	return chosen
}

// Add counts what trials find as killed, each mutant by the first that finds it.
func (w *Work) Add(trials []*Trial) {
	for i, t := range trials {
		for _, m := range w.Mutants {
			if cycle, ok := t.Found[m.Number]; ok && m.State != Killed {
				m.State, m.Cycle, m.By = Killed, cycle, i+1
			}
		}
	}
}
