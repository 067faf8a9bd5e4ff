// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"embed"
	"fmt"
	"io/fs"

	"meshwright/firmware/isa"
)

//go:embed programs
var embedded embed.FS

// programs has every program as NAME.s, and what several of them include below passages.
var programs = func() fs.FS {
	sub, err := fs.Sub(embedded, "programs")
	if err != nil {
		panic("plan: " + err.Error())
	}
	return sub
}()

// Role is a program with the layout of its parameters. The layout's one home
// is the program's text: its .equ lines.
type Role struct {
	program *isa.Program
	Index   int32 // in Plan.Programs
	Offset  map[string]int
}

// LoadRole assembles programs/NAME.s. A fault in it is a bug of ours.
func LoadRole(name string) *Role {
	program, err := isa.AssembleFS(programs, name+".s")
	if err != nil {
		panic("plan: " + err.Error())
	}
	offset := make(map[string]int, len(program.Values))
	for name, value := range program.Values {
		offset[name] = int(value)
	}
	return &Role{program: program, Offset: offset}
}

// At returns the value of a name.
func (r *Role) At(name string) int {
	n, ok := r.Offset[name]
	if !ok {
		panic(fmt.Sprintf("plan: %s has no .equ %s", r.program.Name, name))
	}
	return n
}

// Parameters are a PE's parameters while they are laid out.
type Parameters struct {
	role  *Role
	Words []uint32
}

// Parameters begins the parameters of a PE with their fixed part.
func (r *Role) Parameters() *Parameters {
	return &Parameters{r, make([]uint32, r.At("PARAMETERS"))}
}

// Set gives a field of the fixed part its value.
func (p *Parameters) Set(name string, value int) { p.Words[p.role.At(name)] = uint32(value) }

// List sets the field that points to a list which begins here.
func (p *Parameters) List(name string) { p.Set(name, len(p.Words)) }

// Record appends a record whose length is named size, all 0.
func (p *Parameters) Record(size string) Record {
	base := len(p.Words)
	p.Words = append(p.Words, make([]uint32, p.role.At(size))...)
	return Record{p, base}
}

// Record is one entry of a list in the parameters.
type Record struct {
	p    *Parameters
	base int
}

// Set gives a field of the record its value.
func (r Record) Set(name string, value int) { r.p.Words[r.base+r.p.role.At(name)] = uint32(value) }
