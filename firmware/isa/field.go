// SPDX-License-Identifier: Apache-2.0

package isa

import "fmt"

// mask returns the bits that the field covers.
func (f Field) mask() uint32 { return (1<<(f.High-f.Low+1) - 1) << f.Low }

// insert places a value that check has passed.
func (f Field) insert(v int32) uint32 { return uint32(v) << f.Low & f.mask() }

// extract reads the value back, sign extended if the field has negative values.
func (f Field) extract(word uint32) int32 {
	up := 31 - f.High
	if f.Min < 0 {
		return int32(word<<up) >> (up + f.Low)
	}
	return int32((word & f.mask()) >> f.Low)
}

func (f Field) check(op Opcode, v int64) error {
	if v < int64(f.Min) || v > int64(f.Max) {
		return outOfRange(op.String(), f.Name, v, int64(f.Min), int64(f.Max))
	}
	return nil
}

func outOfRange(where, what string, v, least, most int64) error {
	return &Fault{fmt.Sprintf("%s: %s %d is out of range", where, what, v), fmt.Sprintf("expected %d..%d", least, most), ErrRange}
}

// load returns the member of i that holds the field.
func (i *Instruction) load(f Field) int32 {
	if f.slot == inImm {
		return i.Imm
	}
	return int32(*i.register(f))
}

// store sets the member of i that holds the field.
func (i *Instruction) store(f Field, v int32) {
	if f.slot == inImm {
		i.Imm = v
		return
	}
	*i.register(f) = Reg(v)
}

func (i *Instruction) register(f Field) *Reg {
	switch f.slot {
	case inRd:
		return &i.Rd
	case inRa:
		return &i.Ra
	case inRb:
		return &i.Rb
	case inRc:
		return &i.Rc
	default:
		return &i.Re
	}
}
