// SPDX-License-Identifier: Apache-2.0

package mutate

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"meshwright/internal/parallel"
	"meshwright/internal/progress"
)

// A proof cuts the chip at its registers: what they hold becomes an input, what they will hold an output. Two copies
// of the cut chip, the sound one and the mutant, share all inputs. If no input tells them apart, then from the same
// state they show the same and come into the same state, for ever. Flits count only while they are valid, and registers
// only if an output depends on them.

// proofTime bounds the search of one proof, in seconds.
const proofTime = 20

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
	if err := w.cut(ctx); err != nil {
		return err
	}
	phase := progress.Begin(ctx, "prove that survivors are equivalent", len(todo))
	defer phase.End()
	const batch = 8 // proofs of one process: it reads the netlist once
	batches := slices.Collect(slices.Chunk(todo, batch))
	return parallel.Each(ctx, phase, parallel.Workers(), len(batches), func() func(int) error {
		return func(i int) error { return w.prove(ctx, i, batches[i]) }
	})
}

// prove tries some proofs in one process.
func (w *Work) prove(ctx context.Context, batch int, list []*Mutant) error {
	script := []string{"read_rtlil " + folder + "/miter.il"}
	for _, m := range list {
		script = append(script, "design -push-copy", fmt.Sprintf("connect -set which 16'd%d", m.Number), "opt_expr", "opt_merge", "opt_clean",
			fmt.Sprintf("tee -o %s/proof%d.txt sat -timeout %d -prove differ 0 miter", folder, m.Number, proofTime), "design -pop")
	}
	name := fmt.Sprintf("%s/prove%d.ys", folder, batch)
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(strings.Join(script, "\n")+"\n"), 0o666); err != nil {
		return err
	}
	if err := w.yosys(ctx, "script "+name); err != nil {
		return err
	}
	for _, m := range list {
		text, err := os.ReadFile(w.path(fmt.Sprintf("proof%d.txt", m.Number)))
		if err != nil {
			return err
		}
		if strings.Contains(string(text), "SUCCESS!") {
			m.State = Equivalent
		}
	}
	return nil
}

// cut writes the miter: two copies of the chip without registers, and a net that is 1 when they differ.
func (w *Work) cut(ctx context.Context) error {
	unit, err := w.unit()
	if err != nil {
		return err
	}
	flat := []string{"read_rtlil " + folder + "/mutated.il", "hierarchy -top " + unit[0], "flatten", "rename -top chip", "opt_expr", "opt_clean", "memory_map", "dffunmap", "simplemap", "opt_expr", "opt_clean",
		"write_json " + folder + "/chip.json"}
	if err := os.WriteFile(w.path("flatten.ys"), []byte(strings.Join(flat, "\n")+"\n"), 0o666); err != nil {
		return err
	}
	if err := w.yosys(ctx, "script "+folder+"/flatten.ys"); err != nil {
		return err
	}
	n, err := w.read("chip.json")
	if err != nil {
		return err
	}
	chip := n.Modules["chip"]
	for _, name := range w.opt.Unread {
		delete(chip.Ports, name)
	}
	if err := chip.openRegisters(); err != nil {
		return err
	}
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := os.WriteFile(w.path("cut.json"), text, 0o666); err != nil {
		return err
	}
	if err := os.WriteFile(w.path("miter.v"), []byte(chip.miter(w.fixed)), 0o666); err != nil {
		return err
	}
	return w.yosys(ctx, "read_json "+folder+"/cut.json", "read_verilog "+folder+"/miter.v", "hierarchy -top miter", "flatten", "opt_expr", "opt_clean", "write_rtlil "+folder+"/miter.il")
}

// miter is the Verilog around the two copies. A port NAMEflit_o means something, part by part, under NAMEvalid_o.
func (m *module) miter(fixed map[string][]string) string {
	var nets, differ []string
	inputs, sound, mutant := "", "", ""
	for _, name := range slices.Sorted(maps.Keys(m.Ports)) {
		p := m.Ports[name]
		width := len(p.Bits)
		switch {
		case name == "mutant":
			sound += "    .mutant(16'd0),\n"
			mutant += "    .mutant(which),\n"
			continue
		case p.Direction == "input":
			inputs += fmt.Sprintf(",\n  input wire [%d:0] %s", width-1, name)
			connection := fmt.Sprintf("    .%s({%s}),\n", name, strings.Join(inputBits(name, width, fixed[name]), ", "))
			sound, mutant = sound+connection, mutant+connection
			continue
		}
		nets = append(nets, fmt.Sprintf("  wire [%d:0] a_%s;\n  wire [%d:0] b_%s;\n", width-1, name, width-1, name))
		sound += fmt.Sprintf("    .%s(a_%s),\n", name, name)
		mutant += fmt.Sprintf("    .%s(b_%s),\n", name, name)
		difference := fmt.Sprintf("(a_%s ^ b_%s)", name, name)
		if valid := strings.TrimSuffix(name, "flit_o") + "valid_o"; strings.HasSuffix(name, "flit_o") && m.Ports[valid] != nil {
			var mask []string
			count := len(m.Ports[valid].Bits)
			for i := range count {
				mask = append(mask, fmt.Sprintf("{%d{a_%s[%d]}}", width/count, valid, count-1-i))
			}
			difference = fmt.Sprintf("(%s & {%s})", difference, strings.Join(mask, ", "))
		}
		differ = append(differ, "|"+difference)
	}
	return "module miter (\n  output wire differ" + inputs + "\n);\n  wire [15:0] which;\n" + strings.Join(nets, "") +
		"  chip i_sound (\n" + strings.TrimSuffix(sound, ",\n") + "\n  );\n  chip i_mutant (\n" + strings.TrimSuffix(mutant, ",\n") + "\n  );\n" +
		"  assign differ = " + strings.Join(differ, " |\n    ") + ";\nendmodule\n"
}

// inputBits lists the bits of an input, the highest first: constants where the chip has them.
func inputBits(name string, width int, fixed []string) []string {
	if fixed == nil {
		return []string{name}
	}
	bits := make([]string, width)
	for i := range bits {
		bits[width-1-i] = fmt.Sprintf("%s[%d]", name, i)
		if fixed[i] != "" {
			bits[width-1-i] = "1'b" + fixed[i]
		}
	}
	return bits
}
