// SPDX-License-Identifier: Apache-2.0

package gate_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/rtl/gate"
)

// chip is a random netlist with one fault: registers, some with a reset, gates, and one output.
type chip struct {
	registers, inputs int
	kinds             []string
	in                [][]int // of each gate
	resets            int     // registers with a reset, the first ones
	next              []int   // by register: the net before the reset
	out               int
	fault             int // the gate whose output the fault inverts
}

// Nets: 2 is rst_i, then inputs, registers, gates.
func (c *chip) register(i int) int { return 3 + c.inputs + i }
func (c *chip) gate(i int) int     { return 3 + c.inputs + c.registers + i }

func randomChip(rng *rand.Rand) *chip {
	c := &chip{registers: 1 + rng.IntN(4), inputs: 1 + rng.IntN(2)}
	kinds := []string{"$_NOT_", "$_AND_", "$_NAND_", "$_ANDNOT_", "$_OR_", "$_NOR_", "$_ORNOT_", "$_XOR_", "$_XNOR_", "$_MUX_"}
	for i := range 4 + rng.IntN(8) {
		c.kinds = append(c.kinds, kinds[rng.IntN(len(kinds))])
		c.in = append(c.in, []int{3 + rng.IntN(c.gate(i)-3), 3 + rng.IntN(c.gate(i)-3), 3 + rng.IntN(c.gate(i)-3)})
	}
	c.resets, c.fault = rng.IntN(c.registers+1), rng.IntN(len(c.kinds))
	for range c.registers {
		c.next = append(c.next, 3+rng.IntN(c.gate(len(c.kinds))-3))
	}
	c.out = c.gate(len(c.kinds) - 1)
	return c
}

// step computes the output and the next registers, the first one in the lowest bit.
func (c *chip) step(faulty, reset bool, inputs, registers int) (out bool, next int) {
	v := make([]bool, c.gate(len(c.kinds)))
	for i := range c.inputs {
		v[3+i] = inputs>>i&1 == 1
	}
	for i := range c.registers {
		v[c.register(i)] = registers>>i&1 == 1
	}
	for i, kind := range c.kinds {
		a, b, s := v[c.in[i][0]], v[c.in[i][1]], v[c.in[i][2]]
		v[c.gate(i)] = map[string]bool{
			"$_NOT_": !a, "$_AND_": a && b, "$_NAND_": !(a && b), "$_ANDNOT_": a && !b, "$_OR_": a || b, "$_NOR_": !(a || b),
			"$_ORNOT_": a || !b, "$_XOR_": a != b, "$_XNOR_": a == b, "$_MUX_": s && b || !s && a,
		}[kind] != (faulty && i == c.fault)
	}
	for i, net := range c.next {
		if v[net] && !(reset && i < c.resets) {
			next |= 1 << i
		}
	}
	return v[c.out], next
}

// netlist writes the chip as Yosys does. The fault has number 7.
func (c *chip) netlist(t *testing.T) []byte {
	type object = map[string]any
	cells, fresh := object{}, c.gate(len(c.kinds))
	net := func() int { fresh++; return fresh - 1 }
	add := func(kind string, connections object) {
		cells[fmt.Sprintf("$cell$%d", len(cells))] = object{"type": kind, "connections": connections}
	}
	mutant := make([]int, 4)
	for i := range mutant {
		mutant[i] = net()
	}
	for i, kind := range c.kinds {
		y := c.gate(i)
		if i == c.fault {
			sound, chosen := net(), net()
			add("$eq", object{"A": mutant, "B": []string{"1", "1", "1", "0"}, "Y": []int{chosen}})
			add("$_XOR_", object{"A": []int{sound}, "B": []int{chosen}, "Y": []int{y}})
			y = sound
		}
		add(kind, object{"A": c.in[i][:1], "B": c.in[i][1:2], "S": c.in[i][2:], "Y": []int{y}})
	}
	for i, d := range c.next {
		if i < c.resets {
			masked := net()
			add("$_ANDNOT_", object{"A": []int{d}, "B": []int{2}, "Y": []int{masked}})
			d = masked
		}
		add("$_DFF_P_", object{"D": []int{d}, "Q": []int{c.register(i)}})
	}
	inputs := make([]int, c.inputs)
	for i := range inputs {
		inputs[i] = 3 + i
	}
	ports := object{
		"rst_i": object{"direction": "input", "bits": []int{2}}, "in_i": object{"direction": "input", "bits": inputs},
		"mutant": object{"direction": "input", "bits": mutant}, "out_o": object{"direction": "output", "bits": []int{c.out}},
	}
	text, err := json.Marshal(object{"modules": object{"chip": object{"ports": ports, "cells": cells}}})
	require.NoError(t, err)
	return text
}

func bits(number, count int) []bool {
	list := make([]bool, count)
	for i := range list {
		list[i] = number>>i&1 == 1
	}
	return list
}

// Programs compute what the gates do one by one. A fault with a proof never shows, whatever follows; a fault that changes nothing in
// any state has a proof.
func TestProgramsAndProofsAgreeWithAllStates(t *testing.T) {
	proved, different := 0, 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 2))
		c := randomChip(rng)
		n, err := gate.Read(c.netlist(t))
		require.NoError(t, err)
		d, err := n.Design("chip")
		require.NoError(t, err)
		out := d.Outputs["out_o"][0]
		p := d.Compile([]int{0, 7}, nil, []gate.Net{out})
		sound, faulty := 0, 0
		for cycle := range 20 {
			reset, in := cycle == 0 || rng.IntN(5) == 0, rng.IntN(1<<c.inputs)
			p.Drive(d.Inputs["rst_i"][0], reset)
			for i, value := range bits(in, c.inputs) {
				p.Drive(d.Inputs["in_i"][i], value)
			}
			p.Evaluate()
			shown := []bool{p.Value(out).Lane(0), p.Value(out).Lane(1)}
			p.Clock()
			var a, b bool
			a, sound = c.step(false, reset, in, sound)
			b, faulty = c.step(true, reset, in, faulty)
			require.Equal(t, []bool{a, b}, shown, "seed %d, cycle %d", seed, cycle)
		}
		prover, err := gate.NewProver(t.Context(), d, gate.Known{Shown: []gate.Shown{{Output: out, Under: gate.One}}, States: [][]bool{bits(sound, c.registers)}, Window: 2})
		require.NoError(t, err)
		equal := prover.Proofs().Equal(7)
		require.False(t, equal && c.shows(sound), "seed %d: a proof of what is wrong", seed)
		if !equal {
			every := map[int]bool{}
			for state := range 1 << c.registers {
				every[state] = true
			}
			require.True(t, c.differs(every), "seed %d: no proof", seed)
			different++
		} else {
			proved++
		}
	}
	require.Greater(t, proved, 30)
	require.Greater(t, different, 30)
}

// Whatever one likes follows from a contradiction, so a prover that is told one is refused.
func TestContradictionsAreRefused(t *testing.T) {
	c := randomChip(rand.New(rand.NewPCG(1, 2)))
	n, err := gate.Read(c.netlist(t))
	require.NoError(t, err)
	d, err := n.Design("chip")
	require.NoError(t, err)
	shown, in := []gate.Shown{{Output: d.Outputs["out_o"][0], Under: gate.One}}, d.Inputs["in_i"][0]
	for _, row := range []struct {
		name  string
		known gate.Known
		fine  bool
	}{
		{"an input that is never 1", gate.Known{Never: [][]gate.Term{{{Net: in, Value: true}}}}, true},
		{"an input that is never 1, and never 0", gate.Known{Never: [][]gate.Term{{{Net: in, Value: true}}, {{Net: in}}}}, false},
		{"a constant of 0 that is never 0", gate.Known{Tied: map[gate.Net]bool{in: false}, Never: [][]gate.Term{{{Net: in}}}}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.known.Shown = shown
			_, err := gate.NewProver(t.Context(), d, row.known)
			if row.fine {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, "gate: what is known of inputs and states contradicts itself")
		})
	}
}

// shows tells whether the fault ever shows in the output, in two copies of the chip that begin in the same state.
func (c *chip) shows(from int) bool {
	begin := [2]int{from, from}
	seen := map[[2]int]bool{begin: true}
	for todo := [][2]int{begin}; len(todo) > 0; todo = todo[1:] {
		for in := range 2 << c.inputs {
			a, sound := c.step(false, in&1 == 1, in>>1, todo[0][0])
			b, faulty := c.step(true, in&1 == 1, in>>1, todo[0][1])
			if a != b {
				return true
			}
			if next := [2]int{sound, faulty}; !seen[next] {
				seen[next] = true
				todo = append(todo, next)
			}
		}
	}
	return false
}

// differs tells whether the fault shows in the output, or in the next value of a register, in one of the states.
func (c *chip) differs(states map[int]bool) bool {
	needed := c.needed()
	for state := range states {
		for in := range 2 << c.inputs {
			a, next := c.step(false, in&1 == 1, in>>1, state)
			b, other := c.step(true, in&1 == 1, in>>1, state)
			if a != b || (next^other)&needed != 0 {
				return true
			}
		}
	}
	return false
}

// needed returns the registers on which the output depends, by the wires.
func (c *chip) needed() int {
	seen, registers := map[int]bool{}, 0
	var visit func(net int)
	visit = func(net int) {
		switch {
		case seen[net] || net < c.register(0):
		case net < c.gate(0):
			seen[net] = true
			registers |= 1 << (net - c.register(0))
			visit(c.next[net-c.register(0)])
		default:
			seen[net] = true
			for _, in := range c.in[net-c.gate(0)] {
				visit(in)
			}
		}
	}
	visit(c.out)
	return registers
}
