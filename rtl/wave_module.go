// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"fmt"
	"io"
	"strings"
)

// waveFile is the file of an export with the module that shows waves.
const waveFile = "waves.v"

// The trees of the module: what the chips show, and what the vectors expect.
const (
	WaveRTL   = "rtl"
	WaveModel = "model"
)

// module writes the module that shows the probes to viewers of waveforms: two trees of registers around the bench. They
// change when the bench has compared a cycle, so that they show neither the clock's edges nor what settles in between.
func (w *Waves) module(out io.Writer) error {
	d := w.design
	var b strings.Builder
	fmt.Fprintf(&b, `// SPDX-License-Identifier: Apache-2.0
// What the bench compares, as signals for viewers of waveforms: %[1]s has what the chips show, %[2]s has what the vectors
// expect. In each cycle they change when the bench has compared it. Flits keep their value while they are not valid, and
// all signals do while the chips are reset. Generated; "make WAVE=FILE" compiles it around the bench.
// +wave=FILE writes the signals, +wave_first=A and +wave_last=B those of cycles A to B.
// Ten steps of the bench are a cycle, and a nanosecond of the file.
`+"`timescale 100ps/100ps\n`default_nettype none"+`

module waves;
  bench bench ();
  // verilator tracing_off
  reg [31:0] first;
  reg [31:0] last;
  reg [8*256-1:0] name;
  integer seen = 0; // events
  reg [%[3]d:0] want_flit [0:%[4]d];
  // verilator tracing_on

`, WaveRTL, WaveModel, d.FlitWidth-1, d.outputCount()-1)
	for _, tree := range []string{WaveRTL, WaveModel} {
		w.tree(&b, tree)
	}
	fmt.Fprintf(&b, `
  initial begin
    if (!$value$plusargs("wave_first=%%d", first)) first = 0;
    if (!$value$plusargs("wave_last=%%d", last)) last = 32'hffffffff;
    if ($value$plusargs("wave=%%s", name)) begin
      $dumpfile(name);
      $dumpvars(0, %[1]s, %[2]s);
    end
    #2;  // the bench knows its last cycle
    if (first >= bench.i_bench.last) $display("NOTE the waveform is empty: the bench compares cycles 0 to %%0d", bench.i_bench.last - 1);
  end

  initial forever begin
    @(negedge bench.i_bench.sample);
    while (seen < bench.i_bench.i_outputs.event_) begin
      want_flit[bench.i_bench.i_outputs.events[seen][%[3]d+:%[5]d]] = bench.i_bench.i_outputs.events[seen][%[4]d:0];
      seen = seen + 1;
    end
    if (bench.i_bench.cycle >= first && bench.i_bench.cycle <= last) begin
`, WaveRTL, WaveModel, d.FlitWidth, d.FlitWidth-1, width(d.outputCount()))
	w.copies(&b, w.Probes[:probeReset+1], "      ")
	b.WriteString("      if (!bench.i_bench.i_stimuli.resetting) begin\n")
	w.copies(&b, w.Probes[probeReset+1:], "        ")
	b.WriteString("      end\n    end\n  end\nendmodule\n\n`default_nettype wire\n")
	_, err := io.WriteString(out, b.String())
	return err
}

// tree declares the registers of a tree, in a block for each chip and port.
func (w *Waves) tree(b *strings.Builder, name string) {
	fmt.Fprintf(b, "  if (1) begin : %s\n", name)
	var open []string
	for i := range w.Probes {
		path := w.Probes[i].Path()
		scopes := path[:len(path)-1]
		same := 0
		for same < min(len(open), len(scopes)) && open[same] == scopes[same] {
			same++
		}
		closeScopes(b, len(open), same)
		for depth := same; depth < len(scopes); depth++ {
			fmt.Fprintf(b, "%sif (1) begin : %s\n", indent(depth), scopes[depth])
		}
		open = scopes
		fmt.Fprintf(b, "%sreg %s%s = 0;\n", indent(len(open)), bitRange(w.Probes[i].Width), path[len(path)-1])
	}
	closeScopes(b, len(open), 0)
	b.WriteString("  end\n")
}

func closeScopes(b *strings.Builder, from, to int) {
	for depth := from; depth > to; depth-- {
		fmt.Fprintf(b, "%send\n", indent(depth-1))
	}
}

func indent(depth int) string { return strings.Repeat("  ", depth+2) }

func bitRange(width int) string {
	if width == 1 {
		return ""
	}
	return fmt.Sprintf("[%d:0] ", width-1)
}

// copies assigns the present values to registers of both trees. Flits change only while they are valid.
func (w *Waves) copies(b *strings.Builder, probes []Probe, margin string) {
	for _, p := range probes {
		for _, side := range []struct{ tree, value string }{{WaveRTL, p.rtl}, {WaveModel, p.model}} {
			valid := ""
			if path := p.Path(); strings.HasSuffix(p.Name, "flit") {
				path[len(path)-1] = strings.Replace(p.Name, "flit", "valid", 1)
				valid = fmt.Sprintf("if (%s.%s) ", side.tree, strings.Join(path, "."))
			}
			fmt.Fprintf(b, "%s%s%s.%s = %s;\n", margin, valid, side.tree, strings.Join(p.Path(), "."), side.value)
		}
	}
}
