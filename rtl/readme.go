// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"fmt"
	"strings"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/router"
)

// readme says what is in the folder, and what the bench prints.
func (d *Design) readme(r *Recorder) string {
	top := d.network()
	return r.failed(d) + fmt.Sprintf(`%s: %d chips, %d links, flits of %d bits, as Verilog, with the vectors of one run
%s. "make", in this folder, runs the bench in Icarus Verilog and in
Verilator, whichever is installed; it prints PASS, or FAIL with the cycle, node and
port of the first difference.

%s%s
lib      chips and links, written by hand, Verilog-2005
%-8s the network: instances and wires only
bench    drives stimuli.mem and compares with events.mem and levels.mem; each
         of its parts has the layout of its file at its top
%s`, escape.Line(d.net.Topology.String()), d.Chips, len(d.Links), d.FlitWidth, d.spent(r), d.meanings(r), r.described(), top+".v",
		byHand(top, top+".v lib/*.v"))
}

// meanings say what PASS means, and what the bits of a flit are.
func (d *Design) meanings(r *Recorder) string {
	var b strings.Builder
	b.WriteString("PASS cycles=N flits=M: every output and buffer was as recorded, in each cycle; the last\nflit of data was delivered N cycles after the start.\n")
	if done, quiet := r.delivered(d); quiet != done {
		b.WriteString("quiet=Q: the last control word was delivered Q cycles after the start.\n")
	}
	if r.isCut {
		fmt.Fprintf(&b, "cut=%d: of the run only the cycles before cycle %d were compared.\n", r.end, r.end)
	}
	if r.Cycles() > r.end {
		b.WriteString("stress=S: so were they in S cycles of random contention behind the run.\n")
	}
	switch {
	case r.IdleFaults():
		b.WriteString("The machine has faults, but none of them changed this run.\n")
	case len(d.faulty) > 0:
		b.WriteString("Links go wrong as faults.mem says. PASS means that the network does what the model did,\nalso where a word arrives wrong, or never.\n")
	}
	if d.coded() {
		b.WriteString("Behind the run the bench inverts bits of stored flits, to test the code of the buffers:\nFAIL code=C part=P width=W word=X bits=I,J names the code word and its wrong bits.\n")
	}
	b.WriteString("\n" + d.differences() + "\n")
	fmt.Fprintf(&b, "The bits of a flit, highest first:\nvc %d, head 1, tail 1, ", d.VCWidth)
	addresses := fmt.Sprintf("kind 2, tag %d, source %d, destination %d", d.TagWidth, d.NodeWidth, d.NodeWidth)
	if d.HeadFlit {
		fmt.Fprintf(&b, "payload %d. In the payload of a head, at its lowest bits:\nroute %d, %s.\n", d.Width, d.RouteWidth, addresses)
	} else {
		fmt.Fprintf(&b, "%s, route %d, payload %d.\n", addresses, d.RouteWidth, d.Width)
	}
	return b.String()
}

// failed says of a run that failed why, and how much of it the bench compares, as a paragraph; "" of other runs.
func (r *Recorder) failed(d *Design) string {
	if r.failure == "" {
		return ""
	}
	text := fmt.Sprintf("This run failed: %s.\nThe bench compares its cycles before %s %d", escape.Line(r.failure), d.clock(), r.end)
	if r.isCut {
		return text + fmt.Sprintf(" only, and says cut=%d: from then on\nchips may lose other flits than the model.\n\n", r.end)
	}
	return text + ": the model ran no further.\n\n"
}

// differences explains the FAIL line of a difference, as a paragraph.
func (d *Design) differences() string {
	rows := [][2]string{
		{"valid:1", "output P of chip N, a link or an ejection channel, offers a flit"},
		{"fire:1", "this flit crosses"},
		{"digits", "the flit"},
	}
	if d.Bufferless {
		rows = append(rows, [2]string{"flits:1", "injection register P holds a flit"})
		rows = append(rows, [2]string{"collision", "the chip loses a flit; port=-"})
	} else {
		rows = append(rows, [2]string{"flits:F", "with vc=V: F flits are in input buffer P, or in injection register P"})
	}
	if d.coded() {
		rows = append(rows, [2]string{"corrected:K,detected:L", "the chip's counters of errors; port=-"})
	}
	var b strings.Builder
	b.WriteString("FAIL cycle=C node=N port=P expected=E got=G: the first difference. E and G say\n")
	for _, row := range rows {
		fmt.Fprintf(&b, "  %-9s  %s\n", row[0], row[1])
	}
	return b.String() + d.portNames() + "\n"
}

// listedPorts bounds the ports that are named one by one.
const listedPorts = 8

// portNames says where the ports of a chip lead: the numbers in the messages of the bench.
func (d *Design) portNames() string {
	t := d.net.Topology
	perLink := d.net.Machine.Channels == machine.Links
	if t.Kind == topology.Tree || t.Kind == topology.Graph {
		if perLink {
			return "Ports: from 0 on the links to the neighbours, lowest node first; then the channels of the PE,\nin this order."
		}
		return "Ports: from 0 on the links to the neighbours, lowest node first; then the channel of the PE."
	}
	ports := t.MaxPorts()
	channels := fmt.Sprintf("%d is the channel of the PE", ports)
	if perLink && ports > 1 {
		channels = fmt.Sprintf("%d to %d are the channels of the PE, in this order", ports, 2*ports-1)
	}
	var links []string
	switch {
	case ports <= listedPorts:
		for p := range router.Port(ports) {
			links = append(links, fmt.Sprintf("%d %s", p, t.PortName(0, p)))
		}
	case t.Kind == topology.Star:
		links = []string{"k is dimension k+2"}
	default:
		links = []string{"2k leads in + direction of dimension k", "2k+1 in - direction"}
	}
	return fmt.Sprintf("Ports: %s; %s.", strings.Join(links, ", "), channels)
}

// described are the lines about the run, as a paragraph.
func (r *Recorder) described() string {
	var b strings.Builder
	for i, line := range r.about {
		if i == 0 {
			b.WriteByte('\n')
		}
		b.WriteString(escape.Line(line) + "\n")
	}
	return b.String()
}

// byHand says how to use a folder: the variables of its Makefile, and synthesis of a top module.
func byHand(top, sources string) string {
	return fmt.Sprintf(`
make WAVE=run.vcd    also writes a waveform (.vcd or .fst); CYCLES=A-B: of these cycles
make LOG=1           also writes every flit to build/icarus.log or build/verilator.log, in lines
                     that bench/vector_bench.v explains
make LAST=N          compares the cycles before cycle N only
make lint            asks Verilator for its warnings of the Verilog: it has none
make synth           asks Yosys for its gates and registers; SYNTH=synth_ice40: for cells of an FPGA
"make help" lists all targets and variables. A bench that is started by hand runs in
this folder, too: it reads its files by their names here.

Synthesis by hand, with Yosys, here for generic cells:
yosys -p 'read_verilog %s; hierarchy -check -top %s; synth -top %s; stat'
`, sources, top, top)
}

// clock names a clock cycle of the bench.
func (d *Design) clock() string {
	if d.net.Machine.Ticks() > 1 {
		return "tick"
	}
	return "cycle"
}

// spent says how long the run took, in the words of the bench's PASS; of a run that failed only that it did.
func (d *Design) spent(r *Recorder) string {
	done, quiet := r.delivered(d)
	switch {
	case r.failure != "":
		return "that failed"
	case quiet != done:
		return fmt.Sprintf("of %s, with the network quiet after %d (quiet=%[2]d)", d.duration(done), quiet)
	}
	return "of " + d.duration(done)
}

// delivered returns when the last flit of data had been delivered, and when the last flit of any kind had been; see output_check.
func (r *Recorder) delivered(d *Design) (done, quiet router.Cycle) {
	for i := range r.events {
		e := &r.events[i]
		if !e.fired || int(e.port) < r.net.Topology.Ports(e.node) {
			continue
		}
		quiet = e.cycle + router.Cycle(d.rest())
		if router.Kind(e.flit.kind) == router.Data {
			done = quiet
		}
	}
	return done, quiet
}

// duration writes a number of clock cycles in the machine's units.
func (d *Design) duration(cycles router.Cycle) string {
	if ticks := d.net.Machine.Ticks(); ticks > 1 {
		return fmt.Sprintf("%d ticks, %d to a cycle", cycles, ticks)
	}
	return input.Count(int(cycles), "cycle")
}
