// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"meshwright/router"
)

// Probe is a signal of a waveform. The bench compares all of them in every cycle.
type Probe struct {
	Chip  router.NodeID
	Port  string // p0, p1 … of the links, pe or pe0, pe1 … of the channels; "": a signal of the whole network
	Name  string
	Width int // bits

	rtl, model string // what the chips show and what the vectors expect, for a module around the bench
}

// Path returns the scopes of the probe, and its name.
func (p *Probe) Path() []string {
	if p.Port == "" {
		return []string{p.Name}
	}
	return []string{fmt.Sprintf("n%d", p.Chip), p.Port, p.Name}
}

// Waves are the probes of some chips of a design.
type Waves struct {
	Probes []Probe

	design   *Design
	outputs  map[int]int // by output of the bench: its first probe
	buffers  map[int]int // by buffer of the bench: its probe
	channels map[int]int // by injection channel: its first probe
	losses   map[router.NodeID]int
}

// Places of the probes of the whole network; and of others behind the valid of their output or channel.
const (
	probeCycle, probeReset = 0, 1
	behindFlit, behindFire = 1, 2
)

// Waves lists the signals of the chips that shown accepts; nil: all.
func (d *Design) Waves(shown func(router.NodeID) bool) *Waves {
	w := &Waves{design: d, outputs: map[int]int{}, buffers: map[int]int{}, channels: map[int]int{}, losses: map[router.NodeID]int{}}
	w.add(Probe{Name: "cycle", Width: 32, rtl: "bench.i_bench.cycle", model: "bench.i_bench.cycle"})
	w.add(Probe{Name: "reset", Width: 1, rtl: "bench.i_bench.i_stimuli.resetting", model: "bench.i_bench.i_stimuli.resetting"})
	for n := range router.NodeID(d.Chips) {
		if shown == nil || shown(n) {
			w.addChip(n)
		}
	}
	return w
}

// add returns the place of the probe.
func (w *Waves) add(p Probe) int {
	w.Probes = append(w.Probes, p)
	return len(w.Probes) - 1
}

func (w *Waves) addChip(n router.NodeID) {
	d := w.design
	out, into := d.portLinks(n)
	for p := range out {
		port := fmt.Sprintf("p%d", p)
		if out[p] >= 0 {
			w.addLink(n, port, out[p])
		}
		if into[p] >= 0 && !d.Bufferless {
			w.addBuffers(n, port, p)
		}
	}
	for c := range d.channels(n) {
		port := "pe"
		if d.channels(n) > 1 {
			port = fmt.Sprintf("pe%d", c)
		}
		w.addChannel(n, port, d.firstChannel[n]+c)
	}
	if d.Bufferless {
		w.losses[n] = w.add(Probe{n, "pe", "collision", 1, fmt.Sprintf("bench.i_bench.collision_i[%d]", n), fmt.Sprintf("bench.i_bench.i_buffers.want_lost[%d]", n)})
	}
}

// addLink adds what an output shows to its link.
func (w *Waves) addLink(n router.NodeID, port string, link int) {
	w.outputs[link] = w.add(w.offer(n, port, "valid", link, "valid"))
	w.add(Probe{n, port, "flit", w.design.FlitWidth, fmt.Sprintf("bench.i_bench.i_outputs.flit[%d]", link), fmt.Sprintf("want_flit[%d]", link)})
	w.add(w.offer(n, port, "fire", link, "fire"))
}

// offer is a bit of an output of the bench.
func (w *Waves) offer(n router.NodeID, port, name string, output int, vector string) Probe {
	return Probe{n, port, name, 1, fmt.Sprintf("bench.i_bench.i_outputs.%s[%d]", vector, output), fmt.Sprintf("bench.i_bench.i_outputs.want_%s[%d]", vector, output)}
}

// addBuffers adds the occupancies of the buffers of a link port.
func (w *Waves) addBuffers(n router.NodeID, port string, p int) {
	d := w.design
	for vc := range d.VCs {
		buffer := (d.firstPort[n]+p)*d.VCs + vc
		name := "count"
		if d.VCs > 1 {
			name = fmt.Sprintf("count%d", vc)
		}
		part := func(net string) string {
			return fmt.Sprintf("bench.i_bench.i_buffers.%s[%d+:%d]", net, buffer*d.CountWidth, d.CountWidth)
		}
		w.buffers[buffer] = w.add(Probe{n, port, name, d.CountWidth, part("count"), part("want_count")})
	}
}

// addChannel adds an injection channel and the ejection channel of the same number.
func (w *Waves) addChannel(n router.NodeID, port string, channel int) {
	d := w.design
	driven := fmt.Sprintf("bench.i_bench.i_stimuli.next_valid[%d]", channel)
	w.channels[channel] = w.add(Probe{n, port, "inj_valid", 1, driven, driven})
	flit := slice("bench.i_bench.i_stimuli.next_flit", channel*d.FlitWidth, d.FlitWidth, "")
	w.add(Probe{n, port, "inj_flit", d.FlitWidth, flit, flit})
	w.buffers[d.linkBuffers()+channel] = w.add(Probe{n, port, "inj_ready", 1, fmt.Sprintf("bench.i_bench.inj_ready_i[%d]", channel), fmt.Sprintf("~bench.i_bench.i_buffers.want_full[%d]", channel)})
	ejection := len(d.Links) + channel
	w.outputs[ejection] = w.add(w.offer(n, port, "ej_valid", ejection, "valid"))
	w.add(Probe{n, port, "ej_flit", d.FlitWidth, fmt.Sprintf("bench.i_bench.i_outputs.flit[%d]", ejection), fmt.Sprintf("want_flit[%d]", ejection)})
}

// Change is a new value of a probe, from a cycle on. Value has a binary digit for each bit, the highest first.
type Change struct {
	Cycle router.Cycle
	Probe int
	Value string
	Label FlitLabel // of a flit of the model
}

// FlitLabel is the message of a flit and the flit's place in it, from 1 on, as in traces. It does not travel with the flit. The zero
// value is no flit's.
type FlitLabel struct {
	Message int64
	Flit    uint32
}

// Window is the cycles from the first to the last, inclusive, in clock cycles of the bench.
type Window struct{ First, Last router.Cycle }

// Model ranges over the changes of the probes as the model saw them, in the order of cycles. All probes begin with 0. A flit
// keeps its value while it is not valid; in a cycle of reset every probe does.
func (w *Waves) Model(r *Recorder, window Window) iter.Seq[Change] {
	return func(yield func(Change) bool) {
		m := &modelWave{Waves: w, window: window, yield: yield, flit: newBitWriter(w.design.FlitWidth), touched: map[int]bool{}}
		for _, p := range w.Probes {
			m.sent = append(m.sent, strings.Repeat("0", p.Width))
		}
		m.now = slices.Clone(m.sent)
		m.labels, m.told = make([]FlitLabel, len(m.now)), make([]FlitLabel, len(m.now))
		for start, part := range r.parts() {
			if start > 0 && !m.reset(start-1) || !m.part(start, part) {
				return
			}
		}
	}
}

// modelWave turns records into changes.
type modelWave struct {
	*Waves
	window  Window
	yield   func(Change) bool
	flit    *bitWriter
	now     []string     // values in this cycle,
	sent    []string     // and as they have been told
	labels  []FlitLabel  // of the flits in this cycle,
	told    []FlitLabel  // and as they have been told
	touched map[int]bool // probes that may have changed since
	falling []int        // probes that are 1 for a cycle
}

// reset is the cycle before a part; it reports whether more are wanted.
func (m *modelWave) reset(at router.Cycle) bool {
	m.set(probeReset, "1")
	return m.end(at)
}

// part ranges over the cycles of the run, or of a stress phase.
func (m *modelWave) part(start router.Cycle, r *Recorder) bool {
	m.set(probeReset, "0")
	m.empty()
	levels := r.withLosses()
	stimulus, event, level := 0, 0, 0
	for cycle := range r.end {
		m.fall()
		for ; stimulus < len(r.stimuli) && r.stimuli[stimulus].cycle == cycle; stimulus++ {
			m.inject(start+cycle, &r.stimuli[stimulus])
		}
		for ; event < len(r.events) && r.events[event].cycle == cycle; event++ {
			m.offer(start+cycle, &r.events[event])
		}
		for ; level < len(levels) && levels[level].cycle == cycle; level++ {
			m.count(&levels[level])
		}
		if !m.end(start + cycle) {
			return false
		}
	}
	return true
}

// empty sets the buffers and injection registers as a reset leaves them.
func (m *modelWave) empty() {
	for buffer, probe := range m.buffers {
		if buffer >= m.design.linkBuffers() {
			m.set(probe, "1") // ready
		} else {
			m.set(probe, m.number(probe, 0))
		}
	}
}

// fall ends what lasts one cycle.
func (m *modelWave) fall() {
	for _, probe := range m.falling {
		m.set(probe, "0")
	}
	m.falling = m.falling[:0]
}

func (m *modelWave) set(probe int, value string) {
	m.now[probe] = value
	m.touched[probe] = true
}

// rise sets a probe for this cycle.
func (m *modelWave) rise(probe int) {
	m.set(probe, "1")
	m.falling = append(m.falling, probe)
}

// show sets a flit, which encode packs.
func (m *modelWave) show(at router.Cycle, probe int, label FlitLabel, encode func(*bitWriter)) {
	if at < m.window.First {
		return
	}
	clear(m.flit.words)
	m.flit.at = 0
	encode(m.flit)
	m.set(probe, m.flit.binary(m.design.FlitWidth))
	m.labels[probe] = label
}

func (m *modelWave) inject(at router.Cycle, r *record) {
	if probe, shown := m.channels[m.design.firstChannel[r.node]+int(r.port)]; shown {
		m.rise(probe)
		m.show(at, probe+behindFlit, r.flit.label, func(b *bitWriter) { m.design.encode(b, &r.flit) })
	}
}

func (m *modelWave) offer(at router.Cycle, r *record) {
	probe, shown := m.outputs[m.design.outputIndex(r.node, r.port)]
	if !shown {
		return
	}
	m.rise(probe)
	if r.fired && r.flit.shift {
		m.rise(probe + behindFire)
	}
	m.show(at, probe+behindFlit, r.flit.label, func(b *bitWriter) { m.design.encodeEvent(b, r) })
}

func (m *modelWave) count(l *level) {
	if l.port == lossPort {
		if probe, shown := m.losses[l.node]; shown {
			m.rise(probe)
		}
		return
	}
	probe, shown := m.buffers[m.design.bufferIndex(l)]
	switch {
	case !shown:
	case l.port < 0:
		m.set(probe, m.number(probe, 1-l.count))
	default:
		m.set(probe, m.number(probe, l.count))
	}
}

// number is a value of a probe.
func (m *modelWave) number(probe, value int) string {
	return fmt.Sprintf("%0*b", m.Probes[probe].Width, value)
}

// end tells what changed in a cycle; it reports whether more is wanted.
func (m *modelWave) end(at router.Cycle) bool {
	if at < m.window.First {
		return true
	}
	if at > m.window.Last {
		return false
	}
	m.set(probeCycle, fmt.Sprintf("%032b", at))
	probes := slices.Sorted(maps.Keys(m.touched))
	clear(m.touched)
	for _, probe := range probes {
		if m.now[probe] == m.sent[probe] && m.labels[probe] == m.told[probe] {
			continue
		}
		m.sent[probe], m.told[probe] = m.now[probe], m.labels[probe]
		if !m.yield(Change{at, probe, m.now[probe], m.labels[probe]}) {
			return false
		}
	}
	return true
}
