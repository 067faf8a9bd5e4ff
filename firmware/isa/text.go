// SPDX-License-Identifier: Apache-2.0

package isa

import (
	"fmt"
	"strings"

	"meshwright/router"
)

// String returns the instruction as assembler text; if it can be encoded, Assemble makes the same word of it.
func (i Instruction) String() string {
	return i.text(func(offset int32) string {
		if offset == 0 {
			return "."
		}
		return fmt.Sprintf(".%+d", offset)
	})
}

// text returns the instruction as assembler text with branch targets as the function writes them.
func (i Instruction) text(target func(offset int32) string) string {
	if int(i.Op) >= len(table) {
		return i.Op.String()
	}
	b := strings.Builder{}
	b.WriteString(i.Op.String())
	separator := " "
	for _, o := range table[i.Op].operands {
		if o.optional && i.load(o.fields[0]) == 0 {
			continue
		}
		b.WriteString(separator + i.operand(o, target))
		separator = ", "
	}
	return b.String()
}

func (i Instruction) operand(o operand, target func(offset int32) string) string {
	value := i.load(o.fields[0])
	switch o.form {
	case asRegister:
		return Reg(value).String()
	case asMemory:
		if i.Imm == 0 {
			return fmt.Sprintf("[%v]", Reg(value))
		}
		return fmt.Sprintf("[%v%+d]", Reg(value), i.Imm)
	case asTarget:
		return target(value)
	case asKind:
		return router.Kind(value).String()
	default:
		return fmt.Sprint(value)
	}
}
