// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"meshwright/fabric"
	"meshwright/fabric/code"
	"meshwright/router"
	"meshwright/rtl/verilog"
)

// This file is what an export has besides when its buffers have a code, or upsets:
// a second driver of faults tells the buffers which stored bits to invert, and
// error_check compares the chips' counters of errors with those of the run, and
// code_check tests the code behind the run.

// Where the modules of the bench are put.
const (
	errorCheck = "bench/error_check.v"
	codeCheck  = "bench/code_check.v"
)

// counterBits is the width of a chip's counters of errors.
const counterBits = 16

// errorCount is a line of errors.mem: the counters of a chip from a cycle on.
type errorCount struct {
	cycle  router.Cycle
	node   router.NodeID
	counts [2]uint64 // corrected, detected
}

// recordErrors keeps what the counters of chips show in the next cycle.
func (r *Recorder) recordErrors(s fabric.Signals) {
	for _, e := range s.Decoded() {
		if r.counts == nil {
			r.counts = map[router.NodeID][2]uint64{}
		}
		counts := r.counts[e.Node]
		k := 0
		if e.Verdict == code.Detected {
			k = 1
		}
		counts[k] = min(counts[k]+1, 1<<counterBits-1)
		r.counts[e.Node] = counts
		r.errors = append(r.errors, errorCount{s.Now() + 1, e.Node, counts})
	}
}

// coded reports whether the buffers have a code.
func (d *Design) coded() bool { return d.Code > 0 }

// addUpsets notes the buffers with upsets, and the lines of upsets.mem. A flit on a link when its part of the record ends never comes to a buffer.
func (r *Recorder) addUpsets(d *Design) {
	d.struckOf = map[int]int{}
	for start, part := range r.parts() {
		for i := range part.strikes {
			s := &part.strikes[i]
			link := d.linkFrom(s.Offer.Node, s.Offer.Port)
			cycle := s.cycle + router.Cycle(d.hop(link)) - 1
			if !s.Upset.Any() || cycle >= part.end {
				continue
			}
			k, known := d.struckOf[link]
			if !known {
				k = len(d.struck)
				d.struckOf[link], d.struck = k, append(d.struck, link)
			}
			d.upsetEvents = append(d.upsetEvents, faultEvent{cycle: start + cycle, link: k, flip: s.Upset})
		}
	}
	slices.SortFunc(d.upsetEvents, compareEvents)
}

// counted lists what the counters show in all parts of the record. A reset clears them.
func (r *Recorder) counted() (list []errorCount) {
	shown := map[router.NodeID]bool{}
	for start, part := range r.parts() {
		for _, n := range slices.Sorted(maps.Keys(shown)) {
			list = append(list, errorCount{start, n, [2]uint64{}})
		}
		clear(shown)
		for _, e := range part.errors {
			if e.cycle <= part.end {
				list = append(list, errorCount{start + e.cycle, e.node, e.counts})
				shown[e.node] = true
			}
		}
	}
	return list
}

// writeUpsets writes upsets.mem and errors.mem, and the modules that read them.
func (d *Design) writeUpsets(dir string, errors []errorCount) error {
	if len(d.struck) > 0 && !d.extended {
		if err := copySources(dir, faultDriver); err != nil {
			return err
		}
		if err := writeFaultEvents(filepath.Join(dir, "upsets.mem"), d.upsetEvents, d.Word); err != nil {
			return err
		}
	}
	if !d.coded() {
		return nil
	}
	if err := copySources(dir, errorCheck); err != nil {
		return err
	}
	if !d.extended {
		if err := copySources(dir, codeCheck); err != nil {
			return err
		}
	}
	return writeFile(filepath.Join(dir, "errors.mem"), func(w io.Writer) error {
		v := newVectorFile(w, 64+2*counterBits)
		for _, e := range errors {
			b := v.start()
			b.put(e.counts[1], counterBits)
			b.put(e.counts[0], counterBits)
			b.put(uint64(e.node), 32)
			b.put(uint64(e.cycle), 32)
			v.end()
		}
		v.last(32 + 2*counterBits)
		return v.close()
	})
}

// addCode adds the parameters of chips about what their buffers store.
func (d *Design) addCode(add func(name string, value any)) {
	if d.coded() {
		add("Code", d.Code)
		add("Word", d.Word)
	}
	if len(d.struck) > 0 {
		add("Upsets", 1)
	}
}

// codeNets declares the counters of chip n.
func (d *Design) codeNets(n router.NodeID) []verilog.Item {
	if d.Bufferless {
		return nil
	}
	bits := fmt.Sprint(counterBits)
	return []verilog.Item{verilog.Wire{Width: bits, Name: counterNet(n, "corrected")}, verilog.Wire{Width: bits, Name: counterNet(n, "detected")}}
}

func counterNet(n router.NodeID, name string) string { return fmt.Sprintf("n%d_%s", n, name) }

// codePorts connects the counters of chip n, and the upsets of its buffers.
func (d *Design) codePorts(n router.NodeID) []verilog.Connection {
	if d.Bufferless {
		return nil
	}
	upsets := fmt.Sprintf("%d'b0", d.ports(n)*d.Word)
	if len(d.struck) > 0 {
		_, into := d.portLinks(n)
		upsets = join(into, fmt.Sprintf("%d'b0", d.Word), d.upsetNet)
	}
	return []verilog.Connection{
		{Name: "upset_i", Value: upsets},
		{Name: "corrected_o", Value: counterNet(n, "corrected")}, {Name: "detected_o", Value: counterNet(n, "detected")},
	}
}

// upsetNet names the bits that change in the buffers behind a link.
func (d *Design) upsetNet(link int) string {
	if k, struck := d.struckOf[link]; struck {
		return slice("upset_i", k*d.Word, d.Word, "")
	}
	return fmt.Sprintf("%d'b0", d.Word)
}

// unusedCounters lists the counters of chip n if nobody reads them.
func (d *Design) unusedCounters(n router.NodeID) []string {
	if d.Bufferless || d.coded() {
		return nil
	}
	return []string{counterNet(n, "corrected"), counterNet(n, "detected")}
}

// codeTopPorts are the ports of top for upsets and counters.
func (d *Design) codeTopPorts() []verilog.Port {
	var ports []verilog.Port
	if len(d.struck) > 0 {
		ports = append(ports, verilog.Port{Name: "upset_i", Width: fmt.Sprint(len(d.struck) * d.Word), Comment: "bits that change in the stored payloads of flits that come in"})
	}
	if d.coded() {
		bits := fmt.Sprint(d.Chips * counterBits)
		ports = append(ports,
			verilog.Port{Name: "corrected_o", Width: bits, Output: true, Comment: "by chip: flits that a buffer's code corrected"},
			verilog.Port{Name: "detected_o", Width: bits, Output: true, Comment: "by chip: flits whose errors it only detected"})
	}
	return ports
}

// counters joins the chips' counters at the ports of top.
func (d *Design) counters() []verilog.Item {
	if !d.coded() {
		return nil
	}
	var items []verilog.Item
	for _, name := range []string{"corrected", "detected"} {
		nets := make([]string, d.Chips)
		for n := range router.NodeID(d.Chips) {
			nets[d.Chips-1-int(n)] = counterNet(n, name)
		}
		items = append(items, verilog.Assign{Target: name + "_o", Value: "{" + strings.Join(nets, ", ") + "}"})
	}
	return items
}

// benchCode joins the driver of upsets and the check of the counters to the network.
func (d *Design) benchCode(top *verilog.Instance, errors int) []verilog.Item {
	var items []verilog.Item
	if len(d.struck) > 0 {
		driver := faultDriverOf{name: "i_upsets", file: "upsets.mem", links: len(d.struck), width: d.Word, events: len(d.upsetEvents), lose: "unused_lose", flip: "upset"}
		top.Ports = append(top.Ports, verilog.Connection{Name: "upset_i", Value: "upset"})
		items = append(items, driver.items()...)
	}
	if !d.coded() {
		return items
	}
	top.Ports = append(top.Ports, verilog.Connection{Name: "corrected_o", Value: "corrected"}, verilog.Connection{Name: "detected_o", Value: "detected"})
	bits := fmt.Sprint(d.Chips * counterBits)
	items = append(items, verilog.Wire{Name: "corrected", Width: bits}, verilog.Wire{Name: "detected", Width: bits})
	items = append(items, d.counterCheck(errors, "corrected", "detected")...)
	return append(items, verilog.Wire{Name: "code_ended"}, verilog.Wire{Name: "code_wrong"}, d.codeCheck())
}

// benchEnds are the ports of the bench about what is checked behind the run.
func (d *Design) benchEnds() []verilog.Connection {
	ended, wrong := "1'b1", "1'b0"
	if d.coded() {
		ended, wrong = "code_ended", "code_wrong"
	}
	return []verilog.Connection{
		{Name: "settled_i", Value: "1'b1"}, {Name: "compared_o", Value: d.comparedNet()}, {Name: "cut_o", Value: "unused_cut"},
		{Name: "ended_i", Value: ended}, {Name: "wrong_i", Value: wrong},
	}
}

// comparedNet is the net by which the bench says that all cycles are compared.
func (d *Design) comparedNet() string {
	if d.coded() {
		return "compared"
	}
	return "unused_compared"
}

// codeCheck tests the code with the widths of the buffers.
func (d *Design) codeCheck() verilog.Instance {
	width := d.FlitWidth - d.VCWidth
	if d.Packets && !d.SinglePort {
		width += d.Ports // stored with the port by which the flit leaves
	}
	check := verilog.Instance{Module: "code_check", Name: "i_code", Ports: []verilog.Connection{
		{Name: "start_i", Value: d.comparedNet()}, {Name: "ended_o", Value: "code_ended"}, {Name: "wrong_o", Value: "code_wrong"},
	}}
	for _, p := range []struct {
		name  string
		value int
	}{
		{"Code", d.Code}, {"Width", width}, {"Payload", d.Width}, {"Word", d.Word}, {"Inputs", d.Ports * d.VCs},
	} {
		check.Parameters = append(check.Parameters, verilog.Connection{Name: p.name, Value: fmt.Sprint(p.value)})
	}
	return check
}

// counterCheck compares what two nets show with the counters of the run, which changed so many times.
func (d *Design) counterCheck(errors int, corrected, detected string) []verilog.Item {
	return []verilog.Item{
		verilog.Instance{
			Module: "error_check", Name: "i_errors",
			Parameters: []verilog.Connection{{Name: "Chips", Value: fmt.Sprint(d.Chips)}, {Name: "Events", Value: fmt.Sprint(errors + 1)}},
			Ports: []verilog.Connection{
				{Name: "sample_i", Value: "i_bench.sample"}, {Name: "cycle_i", Value: "i_bench.cycle"},
				{Name: "corrected_i", Value: corrected}, {Name: "detected_i", Value: detected},
			},
		},
		verilog.Always{Event: "posedge i_errors.failed", Lines: []string{"i_bench.failed = 1'b1;"}},
	}
}
