// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"fmt"
	"io"
	"slices"

	"meshwright/capture/perfetto"
	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/pe"
	"meshwright/internal/escape"
	"meshwright/router"
)

// perfettoTrace writes a run for Perfetto. A tick is a nanosecond. These are the tracks:
//
//	links     by virtual channel: a slice for each message, from its first flit to its last
//	PEs       a slice for each wait of a program, with the instruction that waits
//	buffers   the flits in each buffer
//
// The slices of a message are joined by a flow, from hop to hop.
type perfettoTrace struct {
	*observer
	out       *perfetto.Writer `snapshot:"-"`
	described map[perfetto.Track]bool
	vcs       int             `snapshot:"-"`
	links     []topology.Link `snapshot:"-"`

	open  []onLink // by link and virtual channel
	first bool     // no cycle of the window has been seen

	array *pe.Array    `snapshot:"-"` // nil: the run has no PEs
	waits []pe.Wait    // by PE: what its open slice says
	until router.Cycle // the end of the window, as far as it has been seen
	stops []fault.Stop // PEs that are still to die

	buffers bool `snapshot:"-"` // the machine has some
	touched [][]bufferAt
	held    []int32 // by link and virtual channel: the flits that the counter shows
}

// onLink is the message whose slice is open on a virtual channel of a link.
type onLink struct {
	message int32        // serial number + 1; 0: none
	until   router.Cycle // when its last flit so far has crossed
}

// bufferAt is a buffer that may hold another number of flits from a tick on.
type bufferAt struct {
	at      router.Cycle
	channel int // link and virtual channel
}

// The groups of tracks. Other tracks have numbers from firstTrack on.
const (
	linkGroup perfetto.Track = 1 + iota
	peGroup
	bufferGroup
	firstTrack
)

func newPerfetto(o *observer, w io.Writer) (sink, error) {
	m := &o.net.Machine
	links := o.net.Topology.Links()
	channels := len(links) * m.VCs
	t := &perfettoTrace{
		observer: o, out: perfetto.NewWriter(w), described: map[perfetto.Track]bool{}, vcs: m.VCs, links: links, first: true,
		open: make([]onLink, channels), buffers: m.Switching != machine.Bufferless, touched: make([][]bufferAt, 2),
	}
	if t.buffers {
		t.held = make([]int32, channels)
	}
	for _, c := range o.net.Components() {
		if array, ok := c.(*pe.Array); ok {
			t.array, t.waits = array, make([]pe.Wait, array.Nodes())
		}
	}
	if f := o.net.Faults(); f != nil {
		t.stops = slices.Clone(f.Stops())
	}
	about := escape.Line(o.net.Topology.String()) + ", a cycle is 1 ns"
	if ticks := m.Ticks(); ticks > 1 {
		about = fmt.Sprintf("%s, a cycle is %d ns", escape.Line(o.net.Topology.String()), ticks)
	}
	t.out.Describe(linkGroup, 0, perfetto.Group, "links of "+about, 0)
	if t.array != nil {
		t.out.Describe(peGroup, 0, perfetto.Group, "PEs", 1)
	}
	if t.buffers {
		t.out.Describe(bufferGroup, 0, perfetto.Group, "buffers", 2)
	}
	return t, nil
}

// Evaluate counts the flits in the buffers that may hold others than before.
func (t *perfettoTrace) Evaluate(s fabric.Signals) { t.count(s.Now()) }

// Update writes what begins and ends in the cycle. A failed write is reported by finish.
func (t *perfettoTrace) Update(s fabric.Signals) {
	now := s.Now()
	if t.buffers {
		t.noteBuffers(s)
	}
	t.lookAtLinks(s)
	if !t.opts.inWindow(now) {
		return
	}
	t.until = now + 1
	for i := range t.crossings {
		t.cross(&t.crossings[i], now)
	}
	t.lookAtPEs(now)
}

// cross enters a flit that crosses a link.
func (t *perfettoTrace) cross(c *crossing, now router.Cycle) {
	channel := c.Link*t.vcs + int(c.VC)
	track, on := trackOfLink(channel), &t.open[channel]
	from, until := t.holds(now, c)
	if on.message != 0 && on.message != c.Serial+1 { // its tail was lost, or left before the window
		t.out.End(track, int64(on.until))
		on.message = 0
	}
	if on.message == 0 {
		if !t.described[track] {
			t.described[track] = true
			t.out.Describe(track, linkGroup, perfetto.Slices, fmt.Sprintf("%d>%d", c.From, c.To)+t.ofChannel(channel), channel)
		}
		t.out.Begin(track, int64(from), c.slice())
	}
	on.message, on.until = c.Serial+1, until
	if c.Tail {
		t.out.End(track, int64(until))
		on.message = 0
	}
}

// slice is the time of a message on a link.
func (c *crossing) slice() perfetto.Slice {
	name := fmt.Sprintf("m%d %d→%d", c.Message, c.Source, c.Destination)
	if c.Kind != router.Data {
		name = c.Kind.String() + " " + name
	}
	return perfetto.Slice{
		Name: name, Flow: uint64(c.Serial) + 1,
		Notes: []perfetto.Note{
			{Name: "message", Number: c.Message}, {Name: "source", Number: int64(c.Source)}, {Name: "destination", Number: int64(c.Destination)},
			{Name: "flits", Number: int64(c.Length)}, {Name: "kind", Text: c.Kind.String()},
		},
	}
}

// ofChannel names a virtual channel where there are several.
func (t *perfettoTrace) ofChannel(channel int) string {
	if t.vcs == 1 {
		return ""
	}
	return fmt.Sprintf(" vc %d", channel%t.vcs)
}

// lookAtPEs enters the waits of the PEs that have acted in the cycle, and in the first cycle of the window of all.
func (t *perfettoTrace) lookAtPEs(now router.Cycle) {
	if t.array == nil {
		return
	}
	for ; len(t.stops) > 0 && t.stops[0].At <= now; t.stops = t.stops[1:] {
		t.lookAtPE(t.stops[0].Node, now)
	}
	if t.first {
		t.first = false
		for n := range t.array.Nodes() {
			t.lookAtPE(router.NodeID(n), now)
		}
		return
	}
	for _, n := range t.array.Acted() {
		t.lookAtPE(router.NodeID(n), now)
	}
}

func (t *perfettoTrace) lookAtPE(n router.NodeID, now router.Cycle) {
	if !t.opts.ofInterest(n) {
		return
	}
	w, waits := t.array.WaitOf(n)
	track := trackOfPE(n)
	switch before := t.waits[n]; {
	case waits && w == before && !t.array.Progressed(n):
		return // still the same stall
	case before.For != "":
		t.out.End(track, int64(now))
	}
	t.waits[n] = pe.Wait{}
	if !waits {
		return
	}
	if !t.described[track] {
		t.described[track] = true
		t.out.Describe(track, peGroup, perfetto.Slices, fmt.Sprintf("PE %d", n), int(n))
	}
	t.waits[n] = w
	t.out.Begin(track, int64(now), perfetto.Slice{Name: w.For, Notes: []perfetto.Note{{Name: "instruction", Text: w.Position}}})
}

// noteBuffers notes which buffers flits leave in this cycle, and which get some a hop later.
func (t *perfettoTrace) noteBuffers(s fabric.Signals) {
	now, topology := s.Now(), t.net.Topology
	for offer := range s.Offers() {
		if !offer.Fired {
			continue
		}
		if ports := topology.Ports(offer.Node); int(offer.Input) < ports*t.vcs {
			port, vc := router.Port(int(offer.Input)/t.vcs), int(offer.Input)%t.vcs
			from, back := topology.Neighbor(offer.Node, port), topology.BackPort(offer.Node, port)
			t.touch(0, now+1, int(t.linkAt[t.portBase[from]+int32(back)])*t.vcs+vc)
		}
		if int(offer.Port) < topology.Ports(offer.Node) {
			t.touch(1, now+t.hop(offer), t.link(offer)*t.vcs+int(offer.Flit.VC))
		}
	}
}

// touch notes a buffer in one of the lists, each of which rises by time. Flits come later by links with long hops than others
// that leave after them.
func (t *perfettoTrace) touch(list int, at router.Cycle, channel int) {
	if !t.opts.ofInterest(t.links[channel/t.vcs].To) {
		return
	}
	place := len(t.touched[list])
	for ; place > 0 && t.touched[list][place-1].at > at; place-- {
	}
	t.touched[list] = slices.Insert(t.touched[list], place, bufferAt{at, channel})
}

// count sets the counters of the buffers that have been noted, up to a tick.
func (t *perfettoTrace) count(now router.Cycle) {
	for k := range t.touched {
		list := t.touched[k]
		done := 0
		for ; done < len(list) && list[done].at <= now; done++ {
			t.countBuffer(list[done])
		}
		t.touched[k] = slices.Delete(list, 0, done)
	}
}

func (t *perfettoTrace) countBuffer(b bufferAt) {
	link := t.links[b.channel/t.vcs]
	held := int32(t.net.Bank().Occupancy(link.To, link.ToPort, router.VC(b.channel%t.vcs)))
	if held == t.held[b.channel] || !t.opts.inWindow(b.at) {
		return
	}
	track := trackOfBuffer(b.channel)
	if !t.described[track] {
		t.described[track] = true
		name := fmt.Sprintf("%d from %d", link.To, link.From) + t.ofChannel(b.channel)
		t.out.Describe(track, bufferGroup, perfetto.Counter, name, b.channel)
		t.out.Count(track, int64(t.opts.From), int64(t.held[b.channel]))
	}
	t.held[b.channel] = held
	t.out.Count(track, int64(b.at), int64(held))
}

func trackOfLink(channel int) perfetto.Track   { return firstTrack + perfetto.Track(3*channel) }
func trackOfBuffer(channel int) perfetto.Track { return firstTrack + perfetto.Track(3*channel+1) }
func trackOfPE(n router.NodeID) perfetto.Track { return firstTrack + perfetto.Track(3*n+2) }

// finish ends the slices that are open.
func (t *perfettoTrace) finish() error {
	if t.buffers {
		t.count(t.net.Now())
	}
	for channel, on := range t.open {
		if on.message != 0 {
			t.out.End(trackOfLink(channel), int64(on.until))
		}
	}
	for n, w := range t.waits {
		if w.For != "" {
			t.out.End(trackOfPE(router.NodeID(n)), int64(t.until))
		}
	}
	return t.flush()
}

func (t *perfettoTrace) flush() error { return t.out.Flush() }
