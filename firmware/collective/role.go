// SPDX-License-Identifier: Apache-2.0

package collective

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
type role struct {
	program *isa.Program
	index   int32 // in Plan.Programs
	offset  map[string]int
}

// loadRole assembles programs/name.s. A fault in it is a bug of ours.
func loadRole(name string) *role {
	text, err := programs.ReadFile("programs/" + name + ".s")
	if err != nil {
		panic("collective: " + err.Error())
	}
	program, err := isa.Assemble(name+".s", strings.NewReader(string(text)))
	if err != nil {
		panic("collective: " + err.Error())
	}
	return &role{program: program, offset: equates(string(text))}
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
func (r *role) at(name string) int {
	n, ok := r.offset[name]
	if !ok {
		panic(fmt.Sprintf("collective: %s has no .equ %s", r.program.Name, name))
	}
	return n
}

// parameters are a PE's parameters while they are laid out.
type parameters struct {
	role  *role
	words []uint32
}

// parameters begins the parameters of a PE with their fixed part.
func (r *role) parameters() *parameters {
	return &parameters{r, make([]uint32, r.at("PARAMETERS"))}
}

// set gives a field of the fixed part its value.
func (p *parameters) set(name string, value int) { p.words[p.role.at(name)] = uint32(value) }

// list sets the field that points to a list which begins here.
func (p *parameters) list(name string) { p.set(name, len(p.words)) }

// record appends a record whose length is named size, all 0.
func (p *parameters) record(size string) record {
	base := len(p.words)
	p.words = append(p.words, make([]uint32, p.role.at(size))...)
	return record{p, base}
}

// record is one entry of a list in the parameters.
type record struct {
	p    *parameters
	base int
}

// set gives a field of the record its value.
func (r record) set(name string, value int) { r.p.words[r.base+r.p.role.at(name)] = uint32(value) }
