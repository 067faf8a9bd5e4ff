// SPDX-License-Identifier: Apache-2.0

package emulator

import (
	"fmt"
	"slices"
	"strings"

	"meshwright/firmware/isa"
	"meshwright/rtl/verilog"
)

// decoder generates the module that takes an instruction apart, from the table of instructions. Instructions that no
// program has are never there, so that synthesis removes what they need.
func (d *design) decoder() *verilog.Module {
	m := &verilog.Module{
		Name: "pe_decoder",
		Comment: []string{
			"Takes an instruction apart. Generated from the table of instructions; those that no program of this run has are",
			"constants, so that synthesis removes what they need.",
		},
		Ports: []verilog.Port{{Name: "word_i", Width: "32"}},
	}
	rows := isa.Table()
	for _, r := range registerFields(rows) {
		m.Ports = append(m.Ports, verilog.Port{Name: r.Name + "_o", Width: fmt.Sprint(r.High - r.Low + 1), Output: true})
		m.Items = append(m.Items, verilog.Assign{Target: r.Name + "_o", Value: bitsOf(r)})
	}
	m.Ports = append(m.Ports, verilog.Port{Name: "imm_o", Width: fmt.Sprint(d.elementBits()), Output: true})
	m.Items = append(m.Items, verilog.Note(""), verilog.Wire{Width: "6", Name: "opcode"}, verilog.Assign{Target: "opcode", Value: "word_i[31:26]"}, verilog.Note(""))
	for _, r := range rows {
		m.Ports = append(m.Ports, verilog.Port{Name: r.Mnemonic + "_o", Output: true, Comment: r.Operands})
		value := fmt.Sprintf("opcode == 6'd%d", r.Op)
		if !d.uses[r.Op] {
			value = "1'b0"
		}
		m.Items = append(m.Items, verilog.Assign{Target: r.Mnemonic + "_o", Value: value})
	}
	m.Items = append(m.Items, verilog.Note(""), verilog.Assign{Target: "imm_o", Value: d.immediate(rows)})
	return m
}

// registerFields lists the fields that name registers: their names are those of the table, such as rd.
func registerFields(rows []isa.Row) []isa.Field {
	var fields []isa.Field
	for _, r := range rows {
		for _, f := range r.Fields {
			if isRegister(f) && !slices.ContainsFunc(fields, func(g isa.Field) bool { return g.Name == f.Name }) {
				fields = append(fields, f)
			}
		}
	}
	return fields
}

func isRegister(f isa.Field) bool { return f.Max == isa.Registers-1 && f.High-f.Low == 3 }

func bitsOf(f isa.Field) string { return fmt.Sprintf("word_i[%d:%d]", f.High, f.Low) }

// immediate selects the number in the instruction by the field that the instruction has.
func (d *design) immediate(rows []isa.Row) string {
	var names []string
	fields, users := map[string]isa.Field{}, map[string][]string{}
	for _, r := range rows {
		for _, f := range r.Fields {
			if isRegister(f) || !d.uses[r.Op] {
				continue
			}
			if users[f.Name] == nil {
				names = append(names, f.Name)
			}
			fields[f.Name] = f
			users[f.Name] = append(users[f.Name], r.Mnemonic+"_o")
		}
	}
	if len(names) == 0 {
		return fmt.Sprintf("{%d{1'b0}}", d.elementBits())
	}
	var b strings.Builder
	for _, name := range names[1:] {
		fmt.Fprintf(&b, "(%s) ? %s : ", strings.Join(users[name], " | "), d.extended(fields[name]))
	}
	return b.String() + d.extended(fields[names[0]])
}

// extended writes a field as a number.
func (d *design) extended(f isa.Field) string {
	have, want := int(f.High-f.Low)+1, d.elementBits()
	switch {
	case have >= want:
		return fmt.Sprintf("word_i[%d:%d]", int(f.Low)+want-1, f.Low)
	case f.Min < 0:
		return fmt.Sprintf("{{%d{word_i[%d]}}, %s}", want-have, f.High, bitsOf(f))
	}
	return fmt.Sprintf("{%d'd0, %s}", want-have, bitsOf(f))
}
