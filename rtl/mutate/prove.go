// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"context"
	"slices"
	"strings"

	"meshwright/internal/parallel"
	"meshwright/internal/progress"
	"meshwright/rtl/gate"
)

// Prove tries to prove that survivors are equivalent. What cannot be proved stays a survivor.
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
	chip, tied, err := w.netlist.Instance("top", w.opt.Instance)
	if err != nil {
		return err
	}
	prover := gate.NewProver(chip, tied, w.shown(chip), nil)
	phase := progress.Begin(ctx, "prove that survivors are equivalent", len(todo))
	defer phase.End()
	return parallel.Each(ctx, phase, parallel.Workers(), len(todo), func() func(int) error {
		return func(i int) error {
			if prover.Equal(todo[i].Number) {
				todo[i].State = Equivalent
			}
			return nil
		}
	})
}

// shown lists what the network reads of a chip. A port NAMEflit_o means something, part by part, under NAMEvalid_o.
func (w *Work) shown(chip *gate.Design) []gate.Shown {
	var list []gate.Shown
	for name, nets := range chip.Outputs {
		if slices.Contains(w.opt.Design.Unread(), name) {
			continue
		}
		valid := chip.Outputs[strings.TrimSuffix(name, "flit_o")+"valid_o"]
		for i, net := range nets {
			under := gate.One
			if strings.HasSuffix(name, "flit_o") && len(valid) > 0 {
				under = valid[i*len(valid)/len(nets)]
			}
			list = append(list, gate.Shown{Output: net, Under: under})
		}
	}
	return list
}
