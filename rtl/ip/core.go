// SPDX-License-Identifier: Apache-2.0

// Package ip describes a Verilog module with AXI4-Stream ports to the tools that
// put cores together: FuseSoC, IP-XACT (IEEE 1685-2014), JSON, and SDC for the clock. All
// descriptions come from the module itself, so that none can differ from it.
package ip

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"meshwright/rtl/verilog"
)

// Core is a module and what tools must know besides its text.
type Core struct {
	Name, Description string
	Module            *verilog.Module // widths of ports are numbers
	Clock, Reset      string          // ports; the reset is synchronous and active low
	Streams           []Stream
	Facts             []Fact
	Files             []File
	Bench             string // the top of the bench
}

// Stream is an AXI4-Stream interface: the ports whose names begin with a prefix.
type Stream struct {
	Prefix string
	Master bool
}

// label returns the interface's name: the prefix without its last underscore.
func (s *Stream) label() string { return strings.TrimSuffix(s.Prefix, "_") }

// Fact is a size of the core that its user may want to know.
type Fact struct {
	Name  string `json:"name"`
	Value int    `json:"value"`
}

// Use says what a file is for.
type Use int

// The uses of files.
const (
	Design Use = iota
	Bench
	Constraint
)

// File is a file of the core; its name is relative to the folder of the description.
type File struct {
	Name string
	Use  Use
}

// files lists the names of the files of a use.
func (c *Core) files(use Use) []string {
	var names []string
	for _, f := range c.Files {
		if f.Use == use {
			names = append(names, f.Name)
		}
	}
	return names
}

// signal is a port of a stream with its name in AXI4-Stream, such as TVALID.
type signal struct{ logical, port string }

// signals lists the ports of a stream.
func (c *Core) signals(s *Stream) []signal {
	var list []signal
	for _, p := range c.Module.Ports {
		if name, ok := strings.CutPrefix(p.Name, s.Prefix); ok {
			list = append(list, signal{strings.ToUpper(name), p.Name})
		}
	}
	return list
}

// bits returns the width of a port, and whether it is a vector.
func bits(p *verilog.Port) (int, bool) {
	if p.Width == "" {
		return 1, false
	}
	n, err := strconv.Atoi(p.Width)
	if err != nil {
		panic("ip: the width of port " + p.Name + " is no number: " + p.Width)
	}
	return n, true
}

// description is the core as JSON.
type description struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Clock       string          `json:"clock"`
	Reset       resetJSON       `json:"reset"`
	Parameters  []parameterJSON `json:"parameters"`
	Facts       []Fact          `json:"facts"`
	Interfaces  []interfaceJSON `json:"interfaces"`
	Ports       []portJSON      `json:"ports"`
	Files       []string        `json:"files"`
	BenchFiles  []string        `json:"bench_files"`
}

type resetJSON struct {
	Port        string `json:"port"`
	ActiveLow   bool   `json:"active_low"`
	Synchronous bool   `json:"synchronous"`
}

type parameterJSON struct {
	Name    string `json:"name"`
	Default string `json:"default"`
	Meaning string `json:"meaning"`
}

type interfaceJSON struct {
	Name     string            `json:"name"`
	Protocol string            `json:"protocol"`
	Role     string            `json:"role"`
	Ports    map[string]string `json:"ports"`
}

type portJSON struct {
	Name      string `json:"name"`
	Direction string `json:"direction"`
	Bits      int    `json:"bits"`
	Meaning   string `json:"meaning,omitempty"`
}

// WriteJSON describes parameters, ports and interfaces for scripts.
func (c *Core) WriteJSON(w io.Writer) error {
	d := description{
		Name: c.Name, Description: c.Description, Clock: c.Clock, Reset: resetJSON{c.Reset, true, true},
		Facts: c.Facts, Files: c.files(Design), BenchFiles: c.files(Bench),
	}
	for _, p := range c.Module.Locals {
		d.Parameters = append(d.Parameters, parameterJSON{p.Name, p.Value, p.Comment})
	}
	for i := range c.Streams {
		s := &c.Streams[i]
		ports := map[string]string{}
		for _, signal := range c.signals(s) {
			ports[signal.logical] = signal.port
		}
		d.Interfaces = append(d.Interfaces, interfaceJSON{s.label(), "AXI4-Stream", role(s), ports})
	}
	for i := range c.Module.Ports {
		p := &c.Module.Ports[i]
		width, _ := bits(p)
		d.Ports = append(d.Ports, portJSON{p.Name, direction(p), width, p.Comment})
	}
	text, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", text)
	return err
}

func role(s *Stream) string {
	if s.Master {
		return "master"
	}
	return "slave"
}

func direction(p *verilog.Port) string {
	if p.Output {
		return "out"
	}
	return "in"
}

// WriteFuseSoC writes the core file of FuseSoC, in its second format.
func (c *Core) WriteFuseSoC(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "CAPI=2:\n# SPDX-License-Identifier: Apache-2.0\nname: meshwright:fabric:%s:1.0\ndescription: %q\n\nfilesets:\n", c.Name, c.Description)
	for _, set := range []struct {
		name, kind string
		use        Use
	}{{"rtl", "verilogSource-2005", Design}, {"bench", "verilogSource-2005", Bench}, {"constraints", "SDC", Constraint}} {
		fmt.Fprintf(&b, "  %s:\n    file_type: %s\n    files:\n", set.name, set.kind)
		for _, name := range c.files(set.use) {
			fmt.Fprintf(&b, "      - %s\n", name)
		}
	}
	fmt.Fprintf(&b, `
targets:
  default:
    description: the network
    filesets: [rtl]
    toplevel: %[1]s
  synth:
    description: the network and the constraints of its clock
    filesets: [rtl, constraints]
    toplevel: %[1]s
  lint:
    description: what Verilator says about the network
    default_tool: verilator
    filesets: [rtl]
    tools:
      verilator:
        mode: lint-only
        verilator_options: [-Wall]
    toplevel: %[1]s
  sim:
    description: frames through all streams
    default_tool: icarus
    filesets: [rtl, bench]
    parameters: [frames, seed]
    tools:
      icarus:
        iverilog_options: [-g2005]
    toplevel: %[2]s

parameters:
  frames:
    datatype: int
    default: 10000
    description: frames to send
    paramtype: plusarg
  seed:
    datatype: int
    default: 1
    description: seed of the frames
    paramtype: plusarg
`, c.Name, c.Bench)
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteSDC writes the constraints of the only clock, in commands that every tool has: the ports are listed by name.
func (c *Core) WriteSDC(w io.Writer) error {
	_, err := fmt.Fprintf(w, `# SPDX-License-Identifier: Apache-2.0
# The only clock of %[1]s. All other ports belong to it, the reset included, which is synchronous.
set period 10.0
create_clock -name %[2]s -period $period [get_ports %[2]s]
# A fifth of the cycle is outside. Streams begin and end at registers, so the rest is for short paths.
set inputs {
%[3]s}
set outputs {
%[4]s}
set_input_delay -clock %[2]s [expr 0.2 * $period] [get_ports $inputs]
set_output_delay -clock %[2]s [expr 0.2 * $period] [get_ports $outputs]
`, c.Name, c.Clock, c.patterns(false), c.patterns(true))
	return err
}

// patterns are the lines with the ports of a direction but the clock, as get_ports takes them: of a vector all bits.
func (c *Core) patterns(output bool) string {
	var b strings.Builder
	for _, p := range c.Module.Ports {
		if p.Output != output || p.Name == c.Clock {
			continue
		}
		b.WriteString("  " + p.Name)
		if p.Width != "" {
			b.WriteString("[*]")
		}
		b.WriteByte('\n')
	}
	return b.String()
}
