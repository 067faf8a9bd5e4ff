// SPDX-License-Identifier: Apache-2.0

package pe

import (
	"slices"

	"meshwright/firmware/isa"
)

// Words of more than 32 bits have several elements of 32 bits. The rest of this package computes with element 0 of the
// registers, which is all that other machines have; this file is what the other elements do. They are 0 until a
// program loads a wide word.

// withinWide is within on a machine of several elements a word. The shared part of the memory has one number a word.
func (x *execution) withinWide(code []isa.Instruction, left int) int {
	r := &x.regs
	for ; left > 0 && uint(x.pc) < uint(len(code)); left-- {
		i := &code[x.pc]
		switch i.Op {
		case isa.Ld, isa.St:
			if !x.access(i) {
				return left
			}
			x.pc++
		case isa.Beq, isa.Bne:
			if same := r[i.Ra] == r[i.Rb] && slices.Equal(x.rest(i.Ra), x.rest(i.Rb)); same == (i.Op == isa.Beq) {
				x.pc += i.Imm
			} else {
				x.pc++
			}
		case isa.Copy:
			to, from, count := int64(int32(r[i.Ra])), int64(int32(r[i.Rb])), int64(int32(r[i.Rc]))
			source, target := x.ownWords(from, count), x.ownWords(to, count)
			if source == nil || target == nil {
				return left
			}
			copy(target, source)
			x.pc++
		default:
			if x.within(code[:x.pc+1], 1) == 1 {
				return left
			}
			x.widen(i)
		}
	}
	return left
}

// access loads or stores a word; false when it is not in a part of the memory where that can be done.
func (x *execution) access(i *isa.Instruction) bool {
	address := int64(int32(x.regs[i.Ra] + uint32(i.Imm)))
	word := x.ownWords(address, 1)
	switch {
	case word != nil && i.Op == isa.St:
		word[0] = x.regs[i.Rb]
		copy(word[1:], x.rest(i.Rb))
	case word != nil:
		x.regs[i.Rd] = word[0]
		x.setRest(i.Rd, word[1:])
	case i.Op == isa.Ld && uint64(address) < uint64(len(x.shared)):
		x.regs[i.Rd] = x.shared[address]
		clear(x.rest(i.Rd))
	default:
		return false
	}
	return true
}

// ownWords returns the elements of words of the PE's own part of the memory; nil when they are not all there.
func (x *execution) ownWords(address, count int64) []uint32 {
	from, elements := address-int64(len(x.shared)), int64(x.elements)
	if from < 0 || count < 0 || (from+count)*elements > int64(len(x.own)) {
		return nil
	}
	return x.own[from*elements : (from+count)*elements]
}

// rest returns elements 1 and up of a register.
func (x *execution) rest(r isa.Reg) []uint32 {
	more := x.elements - 1
	return x.upper[(int(x.node)*isa.Registers+int(r))*more:][:more]
}

// setRest gives a register elements 1 and up.
func (x *execution) setRest(r isa.Reg, elements []uint32) { copy(x.rest(r), elements) }

// wordsOf counts the words of a message.
func (a *Array) wordsOf(m *message) int { return len(m.words) / a.elements }

// spread returns the elements of words that have one number each.
func (a *Array) spread(words []uint32) []uint32 {
	all := make([]uint32, len(words)*a.elements)
	for i, word := range words {
		all[i*a.elements] = word
	}
	return all
}

// widen executes an instruction on elements 1 and up of the registers that it writes: arithmetic goes element by
// element, and a number that the PE makes itself has only element 0.
func (x *execution) widen(i *isa.Instruction) {
	switch i.Op {
	case isa.Mov, isa.Addi:
		x.setRest(i.Rd, x.rest(i.Ra))
	case isa.Add, isa.Sub, isa.Min, isa.Max:
		d, a, b := x.rest(i.Rd), x.rest(i.Ra), x.rest(i.Rb)
		for k := range d {
			d[k] = compute(i.Op, a[k], b[k])
		}
	case isa.Li, isa.Now, isa.Recv, isa.Poll, isa.Probe:
		clear(x.rest(i.Rd))
	}
}

// compute is the arithmetic of an element.
func compute(op isa.Opcode, a, b uint32) uint32 {
	switch op {
	case isa.Add:
		return a + b
	case isa.Sub:
		return a - b
	case isa.Min:
		return uint32(min(int32(a), int32(b)))
	default:
		return uint32(max(int32(a), int32(b)))
	}
}
