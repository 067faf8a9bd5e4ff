// SPDX-License-Identifier: Apache-2.0

package plan

import (
	"embed"
	"fmt"
	"strconv"
	"strings"

	"meshwright/firmware/isa"
)

//go:embed programs/*.s
var programs embed.FS

// role is a program with the layout of its parameters. The layout's one home
// is the program's text: the .equ lines with plain numbers.
type Role struct {
	program *isa.Program
	Index   int32 // in Plan.Programs
	Offset  map[string]int
}

// loadRole assembles programs/name.s. A fault in it is a bug of ours.
func LoadRole(name string) *Role {
	text, err := programs.ReadFile("programs/" + name + ".s")
	if err != nil {
		panic("plan: " + err.Error())
	}
	program, err := isa.Assemble(name+".s", strings.NewReader(string(text)))
	if err != nil {
		panic("plan: " + err.Error())
	}
	return &Role{program: program, Offset: equates(string(text))}
}

// equates returns the names that a text gives to plain numbers.
func equates(text string) map[string]int {
	names := map[string]int{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, ";")
		definition, ok := strings.CutPrefix(line, ".equ ")
		if !ok {
			continue
		}
		name, value, _ := strings.Cut(definition, ",")
		if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil {
			names[strings.TrimSpace(name)] = n
		}
	}
	return names
}

// at returns the value of a name.
func (r *Role) At(name string) int {
	n, ok := r.Offset[name]
	if !ok {
		panic(fmt.Sprintf("plan: %s has no .equ %s", r.program.Name, name))
	}
	return n
}

// parameters are a PE's parameters while they are laid out.
type Parameters struct {
	role  *Role
	Words []uint32
}

// parameters begins the parameters of a PE with their fixed part.
func (r *Role) Parameters() *Parameters {
	return &Parameters{r, make([]uint32, r.At("PARAMETERS"))}
}

// set gives a field of the fixed part its value.
func (p *Parameters) Set(name string, value int) { p.Words[p.role.At(name)] = uint32(value) }

// list sets the field that points to a list which begins here.
func (p *Parameters) List(name string) { p.Set(name, len(p.Words)) }

// record appends a record whose length is named size, all 0.
func (p *Parameters) Record(size string) Record {
	base := len(p.Words)
	p.Words = append(p.Words, make([]uint32, p.role.At(size))...)
	return Record{p, base}
}

// record is one entry of a list in the parameters.
type Record struct {
	p    *Parameters
	base int
}

// set gives a field of the record its value.
func (r Record) Set(name string, value int) { r.p.Words[r.base+r.p.role.At(name)] = uint32(value) }
