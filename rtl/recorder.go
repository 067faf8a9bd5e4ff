// SPDX-License-Identifier: Apache-2.0

package rtl

import (
	"math"
	"math/rand/v2"

	"meshwright/fabric"
	"meshwright/router"
)

// Recorder is a component that records a run: the flits that entered the network, every
// output and the fill level of every buffer, in every cycle.
type Recorder struct {
	net     *fabric.Network
	stimuli []record
	events  []record
	levels  []level
	strikes []struck
	errors  []errorCount
	counts  map[router.NodeID][2]uint64 // the last counters of chips with errors
	held    []int32                     // occupancy of every link buffer, ports uniform
	full    []bool                      // injection registers
	ports   int
	maxTag  uint32
	maxHops int
	end     router.Cycle             // cycles that the bench compares: 0 to end-1
	flits   uint64                   // ejected
	litter  bool                     // bits behind the end of a route are random; else zero
	phases  []*Recorder              // of the stress behind the run, see Stress
	streams bool                     // the export has AXI4-Stream ports
	name    string                   // of the top module, and before those of the library; "": as always
	shown   func(router.NodeID) bool // chips of the export's waves; nil: all
	trimmed bool                     // the export has no turns that no message takes
	about   []string                 // what the run is, for README
	failure string                   // why the run failed; "": it did not
	isCut   bool                     // the run went on behind the record, see CutAtCollision

	keep      Window                        // cycles to keep
	extension func(*Vectors) (Files, error) // nil: none
}

// record is a flit seen at a channel or an output.
type record struct {
	cycle router.Cycle
	node  router.NodeID
	port  router.Port // output port, or the channel of a stimulus
	fired bool
	flit  flitValue
}

// level is a change of an occupancy, at the start of a cycle.
type level struct {
	cycle    router.Cycle
	node     router.NodeID
	port, vc int // port -1: injection channel vc; lossPort: a flit that the chip loses
	count    int
}

// NewRecorder attaches a recorder to a network that has not run yet.
func NewRecorder(n *fabric.Network) *Recorder {
	r := &Recorder{net: n, ports: max(1, n.Topology.MaxPorts()), keep: Window{0, math.MaxInt64}}
	r.maxHops = 1 // the stress needs routes, also behind a run without messages
	r.held = make([]int32, n.Topology.Nodes()*r.ports*n.Machine.VCs)
	r.full = make([]bool, n.Topology.Nodes()*r.ports)
	n.KeepBlocked()
	n.Attach(r)
	return r
}

// Keep lets the recorder forget what is outside a window. It is for waves: vectors need all cycles.
func (r *Recorder) Keep(w Window) { r.keep = w }

// Kept returns the window that Keep set.
func (r *Recorder) Kept() Window { return r.keep }

// Flits returns the number of flits that PEs have begun to take.
func (r *Recorder) Flits() uint64 { return r.flits }

// End returns the cycle behind the run, in which a stress phase begins.
func (r *Recorder) End() router.Cycle { return r.end }

// Describe says what run it is, in lines for the README of an export. They must not depend on the time or the machine of the
// export, so that the same run gives the same files.
func (r *Recorder) Describe(lines []string) { r.about = lines }

// Fail says why the run failed, for the README of an export.
func (r *Recorder) Fail(why string) { r.failure = why }

// Show limits the waves of an export to the chips that shown accepts.
func (r *Recorder) Show(shown func(router.NodeID) bool) { r.shown = shown }

// Design returns the hardware of the network after the run, or an *input.Error where a flit has no room for its header.
func (r *Recorder) Design() (*Design, error) {
	if err := r.net.Machine.FitsHeader(r.net.Topology, r.maxTag, r.maxHops); err != nil {
		return nil, err
	}
	return newDesign(r.net, r.maxTag, r.maxHops), nil
}

// Wakes implements fabric.Sleeper: a recorder only watches.
func (r *Recorder) Wakes() router.Cycle { return fabric.Never }

// Evaluate implements fabric.Component; at this point buffers hold what they
// held at the start of the cycle.
func (r *Recorder) Evaluate(s fabric.Signals) {
	if !r.keeps(s.Now()) {
		return
	}
	t, bank, vcs := r.net.Topology, r.net.Bank(), r.net.Machine.VCs
	for n := range router.NodeID(t.Nodes()) {
		for p := range router.Port(t.Ports(n)) {
			for vc := range vcs {
				at := (int(n)*r.ports+int(p))*vcs + vc
				if count := bank.Occupancy(n, p, router.VC(vc)); count != int(r.held[at]) {
					r.held[at] = int32(count)
					r.levels = append(r.levels, level{s.Now(), n, int(p), vc, count})
				}
			}
		}
		for c := range bank.Channels(n) {
			at := int(n)*r.ports + int(c)
			if full := !bank.Ready(n, c); full != r.full[at] {
				r.full[at] = full
				r.levels = append(r.levels, level{s.Now(), n, -1, int(c), int(bit(full))})
			}
		}
	}
}

// Update implements fabric.Component.
func (r *Recorder) Update(s fabric.Signals) {
	if !r.keeps(s.Now()) {
		r.measure(s)
		return
	}
	for _, p := range s.Placed() {
		r.stimuli = append(r.stimuli, record{s.Now(), p.Node, router.Port(p.Channel), true, r.value(s, p.Flit, false)})
	}
	r.recordStrikes(s)
	r.recordErrors(s)
	r.end = s.Now() + 1
	for o := range s.Offers() {
		link := int(o.Port) < r.net.Topology.Ports(o.Node)
		r.events = append(r.events, record{s.Now(), o.Node, o.Port, o.Fired, r.value(s, o.Flit, link)})
		if !link {
			r.flits++
		}
	}
}

// keeps reports whether a cycle is in the window.
func (r *Recorder) keeps(c router.Cycle) bool { return c >= r.keep.First && c <= r.keep.Last }

// measure keeps of a cycle what decides the widths of a flit.
func (r *Recorder) measure(s fabric.Signals) {
	for _, p := range s.Placed() {
		w := s.Worm(p.Flit)
		r.maxTag, r.maxHops = max(r.maxTag, w.Tag), max(r.maxHops, len(w.Route))
	}
	r.end = s.Now() + 1
}

func (r *Recorder) value(s fabric.Signals, f router.Flit, link bool) flitValue {
	w := s.Worm(f)
	r.maxTag = max(r.maxTag, w.Tag)
	r.maxHops = max(r.maxHops, len(w.Route))
	word := s.Word(f)
	rest := uint64(0)
	if r.litter {
		rest = rand.New(rand.NewPCG(uint64(w.Message), 0)).Uint64() // the same in all flits of a message
	}
	return flitValue{
		vc: uint8(f.VC), kind: uint8(w.Kind), head: f.Flags&router.Head != 0, tail: f.Flags&router.Tail != 0,
		tag: w.Tag, source: w.Source, destination: w.Destination, payload: word[0], upper: append([]uint32(nil), word[1:]...),
		hop: int(f.Hop), shift: link, route: w.Route, via: w.Via, rest: rest, label: FlitLabel{r.net.Number(w.Message), f.Seq + 1},
	}
}
