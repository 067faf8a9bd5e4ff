// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"context"
	"slices"
	"strings"

	"meshwright/internal/parallel"
	"meshwright/internal/progress"
	"meshwright/rtl"
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
	chip, tied, err := w.netlist.Instance("top", w.opt.instance())
	if err != nil {
		return err
	}
	prover, err := w.prover(ctx, chip, tied)
	if err != nil {
		return err
	}
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

// lastStates is how many states of a run proofs look at, at its end: then each place of a buffer has held a flit.
const lastStates = 100

// prover prepares proofs for the chip.
func (w *Work) prover(ctx context.Context, chip *gate.Design, tied map[gate.Net]bool) (*gate.Prover, error) {
	phase := progress.Begin(ctx, "find what holds in every state", w.opt.Cycles)
	defer phase.End()
	for _, name := range []string{"tick_i"} {
		tied[chip.Inputs[name][0]] = true
	}
	known := gate.Known{Tied: tied, Shown: w.shown(chip), Never: w.rules(chip)}
	if links, _ := w.opt.Design.Arrivals(w.opt.Node); len(links) > 0 && links[0].Bits <= 8 {
		known.Window = links[0].Bits
	}
	registers := w.bench.design.Registers("top."+w.opt.instance(), chip)
	p := w.bench.compile([]int{0}, registers...)
	w.bench.powerUp(p)
	for at := w.bench.begin(); int(at.cycle) < w.opt.Cycles; phase.Set(int(at.cycle), w.opt.Cycles) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.bench.step(p, at)
		if int(at.cycle) < w.opt.Cycles-lastStates {
			continue
		}
		state := make([]bool, len(registers))
		for i, r := range registers {
			state[i] = p.Value(r).Lane(0)
		}
		known.States = append(known.States, state)
	}
	return gate.NewProver(ctx, chip, known)
}

// rules lists what does not happen at the inputs of a chip: a flit for a buffer that is full, a flit by a way that its
// route does not take, a neighbour that does not take a flit although it has room.
func (w *Work) rules(chip *gate.Design) [][]gate.Term {
	d := w.opt.Design
	count, flit, valid := chip.Outputs["count_o"], chip.Inputs["flit_i"], chip.Inputs["valid_i"]
	if d.Bufferless || d.Packets || len(valid) == 0 {
		return nil
	}
	rules := slices.Concat(w.routes(chip), w.shifted(chip), w.heads(chip))
	if !d.SinglePort {
		for _, net := range chip.Inputs["take_i"] {
			rules = append(rules, []gate.Term{{Net: net}})
		}
	}
	for p, net := range valid {
		for v := range d.VCs {
			row := []gate.Term{{Net: net, Value: true}}
			for i := range d.CountWidth {
				row = append(row, gate.Term{Net: count[(p*d.VCs+v)*d.CountWidth+i], Value: d.Buffer>>i&1 == 1})
			}
			for i := range d.VCWidth {
				if d.VCs > 1 {
					row = append(row, gate.Term{Net: flit[(p+1)*d.FlitWidth-d.VCWidth+i], Value: v>>i&1 == 1})
				}
			}
			rules = append(rules, row)
		}
	}
	return rules
}

// routes lists the flits that do not come to a chip: their destination is behind another link. An input that shows no flit
// shows the bits of one that may come.
func (w *Work) routes(chip *gate.Design) [][]gate.Term {
	d := w.opt.Design
	var rules [][]gate.Term
	forbid := func(flit []gate.Net, fields []rtl.Field) {
		for i, f := range fields {
			for value := range uint64(1) << f.Bits {
				if f.Values[value] || len(f.Values) == 0 {
					continue
				}
				row := make([]gate.Term, f.Bits)
				for k := range row {
					row[k] = gate.Term{Net: flit[i*d.FlitWidth+f.At+k], Value: value>>k&1 == 1}
				}
				rules = append(rules, row)
			}
		}
	}
	links, channels := d.Arrivals(w.opt.Node)
	forbid(chip.Inputs["flit_i"], links)
	forbid(chip.Inputs["inj_flit_i"], channels)
	return rules
}

// shifted lists the bits of routes that are zero on links.
func (w *Work) shifted(chip *gate.Design) [][]gate.Term {
	d, flit := w.opt.Design, chip.Inputs["flit_i"]
	at, bits := d.ShiftedIn()
	var rules [][]gate.Term
	for p := range chip.Inputs["valid_i"] {
		for k := range bits {
			rules = append(rules, []gate.Term{{Net: flit[p*d.FlitWidth+at+k], Value: true}})
		}
	}
	return rules
}

// heads lists heads that a link shows and that do not cross, although there is room.
func (w *Work) heads(chip *gate.Design) [][]gate.Term {
	d := w.opt.Design
	if !d.HeadsCross() {
		return nil
	}
	count, flit := chip.Outputs["count_o"], chip.Inputs["flit_i"]
	var rules [][]gate.Term
	for p, valid := range chip.Inputs["valid_i"] {
		for held := range 1 << d.CountWidth {
			if held == d.Buffer {
				continue
			}
			row := []gate.Term{{Net: valid}, {Net: flit[(p+1)*d.FlitWidth-d.VCWidth-1], Value: true}}
			for i := range d.CountWidth {
				row = append(row, gate.Term{Net: count[p*d.CountWidth+i], Value: held>>i&1 == 1})
			}
			rules = append(rules, row)
		}
	}
	return rules
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
