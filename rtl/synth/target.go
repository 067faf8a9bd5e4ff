// SPDX-License-Identifier: Apache-2.0

package synth

import (
	"regexp"
	"strings"
	"sync"
)

// Target is what a module is synthesized for.
type Target string

// The targets. Only iCE40 has a clock, because only there Debian has the tools that place and route.
const (
	ICE40   Target = "ice40"
	Generic Target = "generic"
	ECP5    Target = "ecp5"
	Xilinx  Target = "xilinx"
)

// Targets returns all targets.
func Targets() []Target { return []Target{ICE40, Generic, ECP5, Xilinx} }

// Area is the number of cells of each kind; a target has only some of the kinds.
type Area struct {
	LUT4   int // tables of four inputs (ice40, ecp5)
	LUT6   int // tables of up to six inputs (xilinx)
	Gates  int // NAND, NOR and inverters (generic)
	FF     int // flip-flops
	BRAM   int // block RAMs
	LUTRAM int // cells of distributed RAM (ecp5, xilinx)
	Carry  int // cells of carry chains, which take no table by themselves (ice40, xilinx)
}

// kind is how many of a count the cells of a type are.
type kind struct {
	cells func() *regexp.Regexp
	count func(a *Area) *int
	each  int
}

func cells(pattern string, each int, count func(a *Area) *int) kind {
	compile := func() *regexp.Regexp { return regexp.MustCompile(`^(?:` + pattern + `)$`) }
	return kind{sync.OnceValue(compile), count, each} // together they would take a share of the program's start
}

func lut4(a *Area) *int   { return &a.LUT4 }
func lut6(a *Area) *int   { return &a.LUT6 }
func gates(a *Area) *int  { return &a.Gates }
func ff(a *Area) *int     { return &a.FF }
func bram(a *Area) *int   { return &a.BRAM }
func lutram(a *Area) *int { return &a.LUTRAM }
func carry(a *Area) *int  { return &a.Carry }

// flow is how Yosys makes cells of a target, and what the cells are.
type flow struct {
	synthesize string
	kinds      []kind
}

var flows = map[Target]flow{
	ICE40: {"synth_ice40", []kind{
		cells("SB_LUT4", 1, lut4), cells("SB_DFF.*", 1, ff), cells("SB_RAM40_4K.*", 1, bram), cells("SB_CARRY", 1, carry),
	}},
	// NAND, NOR and inverters are what the smallest libraries of ASICs have.
	Generic: {"synth -flatten; abc -g cmos2; opt_clean", []kind{
		cells(`\$_(NOT|NAND|NOR)_`, 1, gates), cells(`\$_S?DFF.*`, 1, ff),
	}},
	ECP5: {"synth_ecp5", []kind{
		cells("LUT4", 1, lut4), cells("CCU2C", 2, lut4), cells("TRELLIS_FF", 1, ff), cells("DP16KD|PDPW16KD", 1, bram), cells("TRELLIS_DPR16X4", 1, lutram),
	}},
	Xilinx: {"synth_xilinx -flatten -noiopad -noclkbuf", []kind{
		cells("LUT[1-6]|INV", 1, lut6), cells("FD[RSCP]E", 1, ff), cells("RAMB(18|36)E1", 1, bram), cells("RAM[0-9]+.*|SRL.*", 1, lutram), cells("CARRY4", 1, carry),
	}},
}

// area counts the cells of a netlist.
func (t Target) area(n *netlist) Area {
	var a Area
	for _, c := range n.Cells {
		for _, k := range flows[t].kinds {
			if k.cells().MatchString(strings.TrimPrefix(c.Type, `\`)) {
				*k.count(&a) += k.each
			}
		}
	}
	return a
}
