// SPDX-License-Identifier: Apache-2.0

package pe

import "meshwright/firmware/isa"

// within executes the instructions that concern a PE alone, up to the first one that does not, or
// that cannot be done with the memory in its two parts. It executes at most left of them, and
// returns how many of these are left. Programs spend their instructions here, so registers,
// program counter and memory are local variables.
func (x *execution) within(code []isa.Instruction, left int) int {
	r, pc := &x.regs, int(x.pc)
	shared, own := x.shared, x.own
	behind := int64(len(shared))
	for ; left > 0 && uint(pc) < uint(len(code)); left-- {
		i := &code[pc]
		a, b := r[i.Ra&last], r[i.Rb&last]
		d := &r[i.Rd&last]
		pc++
		switch i.Op {
		case isa.Li:
			*d = uint32(i.Imm)
		case isa.Lih:
			*d = *d&0xffff | uint32(i.Imm)<<16
		case isa.Mov:
			*d = a
		case isa.Add:
			*d = a + b
		case isa.Addi:
			*d = a + uint32(i.Imm)
		case isa.Sub:
			*d = a - b
		case isa.Min:
			*d = uint32(min(int32(a), int32(b)))
		case isa.Max:
			*d = uint32(max(int32(a), int32(b)))
		case isa.Ld:
			address := int64(int32(a + uint32(i.Imm)))
			if k := address - behind; uint64(k) < uint64(len(own)) {
				*d = own[k]
			} else if uint64(address) < uint64(len(shared)) {
				*d = shared[address]
			} else {
				x.pc = int32(pc - 1)
				return left
			}
		case isa.St:
			k := int64(int32(a+uint32(i.Imm))) - behind
			if uint64(k) >= uint64(len(own)) {
				x.pc = int32(pc - 1)
				return left
			}
			own[k] = b
		case isa.Beq:
			if a == b {
				pc += int(i.Imm) - 1
			}
		case isa.Bne:
			if a != b {
				pc += int(i.Imm) - 1
			}
		case isa.Blt:
			if int32(a) < int32(b) {
				pc += int(i.Imm) - 1
			}
		case isa.Bge:
			if int32(a) >= int32(b) {
				pc += int(i.Imm) - 1
			}
		case isa.Jmp:
			pc += int(i.Imm) - 1
		case isa.Copy:
			to, from, count := int64(int32(a))-behind, int64(int32(b))-behind, int64(int32(r[i.Rc&last]))
			if size := int64(len(own)); count < 0 || from < 0 || to < 0 || from+count > size || to+count > size {
				x.pc = int32(pc - 1)
				return left
			}
			copy(own[to:to+count], own[from:from+count])
		default:
			x.pc = int32(pc - 1)
			return left
		}
	}
	x.pc = int32(pc)
	return left
}

// last is the number of the last register. A number of a register has no other bits, which saves
// checks of bounds.
const last = isa.Registers - 1
