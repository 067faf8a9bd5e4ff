// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strings"

	"meshwright/router"
	"meshwright/rtl/verilog"
)

// Files are files of an export: how to write each, by name. A name may have folders.
type Files map[string]func(io.Writer) error

// Printed writes a module.
func Printed(m *verilog.Module) func(io.Writer) error {
	return func(w io.Writer) error { return verilog.Print(w, m) }
}

// Text writes a text.
func Text(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

// Vectors are a design and a recorded run, for files that an extension of an export writes.
type Vectors struct {
	*Design
	run    *Recorder
	counts vectorCounts
}

// Extend has an export call more, for files that it adds, or that replace others.
func (r *Recorder) Extend(more func(*Vectors) (Files, error)) { r.extension = more }

// Cycles returns the cycles that the bench compares.
func (v *Vectors) Cycles() router.Cycle { return v.run.end }

// MaxTag returns the highest tag of a flit.
func (v *Vectors) MaxTag() uint32 { return v.run.maxTag }

// BenchSizes returns the parameters of vector_bench for a network that nobody drives.
func (v *Vectors) BenchSizes() []verilog.Connection { return v.benchSizes(v.run, v.counts) }

// Sample copies what the outputs show into a vector_bench when the network is in an instance, and what it ejects
// in the nets ej_valid and ej_flit of this instance.
func (v *Vectors) Sample(instance string) verilog.Always {
	a := v.sample()
	inside := strings.NewReplacer("i_top.", instance+".i_top.", "ej_valid[", instance+".ej_valid[", "ej_flit[", instance+".ej_flit[")
	for i, line := range a.Lines {
		a.Lines[i] = inside.Replace(line)
	}
	return a
}

// Makefile returns a Makefile that runs a bench of these sources, with rules at its end.
func (v *Vectors) Makefile(benches, rules string) string { return v.makefile(benches, rules) }

// Described returns the lines about the run, as a paragraph of a README.
func (v *Vectors) Described() string { return v.run.described() }

// Failed says of a run that failed why, and how much of it the bench compares, as the first paragraph of a README.
func (v *Vectors) Failed() string { return v.run.failed(v.Design) }

// Differences explains the FAIL lines of vector_bench, as a paragraph of a README.
func (v *Vectors) Differences() string { return v.differences() }

// ByHand says how to use the folder, for its README: the variables of its Makefile, and the synthesis of a top module.
func (v *Vectors) ByHand(top, sources string) string { return byHand(top, sources) }

// Channels returns the number of the first injection channel of chip n, and how many it has; of chip Chips, the number of
// all channels.
func (d *Design) Channels(n router.NodeID) (first, count int) {
	if int(n) == d.Chips {
		return d.allChannels(), 0
	}
	return d.firstChannel[n], d.channels(n)
}

// Route returns the field of a flit for the route of its message as it is injected: a source route, or the node between.
func (d *Design) Route(header *router.Worm) *big.Int {
	width := max(d.RouteWidth, 1)
	b := newBitWriter(width)
	d.encodeWay(b, &flitValue{route: header.Route, via: header.Via})
	field := new(big.Int)
	field.SetString(string(b.appendHex(nil, width)), 16)
	return field
}

// writeFiles writes files into a folder.
func writeFiles(dir string, files Files) error {
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := writeFile(path, text); err != nil {
			return err
		}
	}
	return nil
}
