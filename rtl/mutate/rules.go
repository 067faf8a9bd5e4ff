// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"maps"
	"slices"
	"strings"

	"meshwright/rtl"
	"meshwright/rtl/gate"
)

// This file is what proofs know of the inputs and outputs of a chip.

// rules lists what does not happen at the inputs of a chip: a flit for a buffer that is full, a flit by a route that its
// route does not take, and, where links lose nothing, a neighbour that does not take a flit although it has room.
func (w *Work) rules(c *chip) [][]gate.Term {
	d, chip := w.opt.Design, c.design
	count, flit, valid := chip.Outputs["count_o"], chip.Inputs["flit_i"], chip.Inputs["valid_i"]
	if d.Bufferless || d.Packets || len(valid) == 0 {
		return nil
	}
	rules := slices.Concat(w.routes(c), w.shifted(chip), w.heads(chip))
	if !d.SinglePort && !d.HasLinkFaults() {
		for _, net := range chip.Inputs["take_i"] {
			if _, tied := c.tied[net]; !tied { // a port without a link takes nothing
				rules = append(rules, []gate.Term{{Net: net}})
			}
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

// routes lists the flits that do not come to a chip: their destination is behind another link.
func (w *Work) routes(c *chip) [][]gate.Term {
	d, chip := w.opt.Design, c.design
	var rules [][]gate.Term
	forbid := func(valid, flit []gate.Net, fields []rtl.Field) {
		for i, f := range fields {
			for value := range uint64(1) << f.Bits {
				if f.Values[value] || len(f.Values) == 0 {
					continue
				}
				row := []gate.Term{{Net: valid[i], Value: true}}
				for k := range f.Bits {
					row = append(row, gate.Term{Net: flit[i*d.FlitWidth+f.At+k], Value: value>>k&1 == 1})
				}
				rules = append(rules, row)
			}
		}
	}
	links, channels := d.Arrivals(c.node)
	forbid(chip.Inputs["valid_i"], chip.Inputs["flit_i"], links)
	forbid(chip.Inputs["inj_valid_i"], chip.Inputs["inj_flit_i"], channels)
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
	if !d.HeadsCross() || d.HasLinkFaults() {
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
	for _, name := range slices.Sorted(maps.Keys(chip.Outputs)) { // what a bounded search finds depends on the order
		nets := chip.Outputs[name]
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
