// SPDX-License-Identifier: Apache-2.0

package readback

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"unsafe"

	"github.com/google/gopacket"
	"github.com/google/gopacket/pcapgo"

	"meshwright/capture/flitlayer"
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/router"
	"meshwright/schedule"
)

func itoa(n int) string { return strconv.Itoa(n) }

// Run is a run as its capture tells it.
type Run struct {
	File  string
	About *flitlayer.About // machine and topology; nil: the capture does not tell, as another program has written it

	messages []message // by dispatch, then by number
}

// message is a message of the run.
type message struct {
	flitlayer.Flit                 // its first flit on its first link
	dispatch       router.Cycle    // of packets a tick
	way            []router.NodeID // of its first flit
	packets, sum   uint64          // packets of its flits, and the sum of their positions in the message
	end            router.NodeID   // of its last flit
}

// Read reads a capture until the context ends. Its errors are *input.Error, the context's, and a
// *memory.TooLarge when the messages go beyond the context's limit.
func Read(ctx context.Context, file string) (*Run, error) {
	f, err := input.OpenOnce(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Parse(ctx, file, f)
}

// Parse reads a capture; file is for errors, which are those of Read.
func Parse(ctx context.Context, file string, r io.Reader) (*Run, error) {
	p := reader{ctx: ctx, file: file, index: map[int64]int{}}
	packets, err := pcapgo.NewNgReader(newGuard(file, r), pcapgo.NgReaderOptions{WantMixedLinkType: true})
	if err == io.EOF {
		return nil, input.At(file, 0, "expected a capture in the form pcapng", "the file is empty")
	}
	if err != nil {
		return nil, input.Locate(err, file, 0)
	}
	run := &Run{File: file}
	about, told, err := flitlayer.ParseAbout(packets.SectionInfo().Hardware)
	if err != nil {
		return nil, input.Locate(err, file, 0)
	}
	if told {
		if about.Window {
			return nil, input.At(file, 0, "expected a capture without --from, --until and --nodes", "the capture has a window of the run, and not all messages")
		}
		run.About = &about
	}
	for {
		data, info, err := packets.ZeroCopyReadPacketData()
		if err == io.EOF {
			break
		}
		if err == nil {
			err = p.take(data, info)
		}
		if err != nil {
			return nil, input.Locate(err, file, 0)
		}
	}
	if run.messages, err = p.whole(); err != nil {
		return nil, err
	}
	return run, nil
}

// reader follows the flits of all messages.
type reader struct {
	ctx      context.Context
	file     string
	count    int           // of packets
	now      int64         // time of the last packet
	index    map[int64]int // of messages by number
	messages []message
}

// fault is wrong in the packet that was read last; Wireshark gives it the same number.
func (r *reader) fault(want, format string, args ...any) error {
	return input.At(r.file, 0, want, "packet %d: %s", r.count, fmt.Sprintf(format, args...))
}

// take follows the flit of a packet.
func (r *reader) take(data []byte, info gopacket.CaptureInfo) error {
	r.count++
	if r.count&4095 == 0 && r.ctx.Err() != nil {
		return r.ctx.Err()
	}
	var f flitlayer.Flit
	if err := f.DecodeFromBytes(data, gopacket.NilDecodeFeedback); err != nil {
		return r.fault("expected a flit as --trace FILE.pcapng writes it", "%s", err)
	}
	f.BaseLayer.Contents, f.BaseLayer.Payload, f.Upper = nil, nil, nil
	now := info.Timestamp.UnixNano()
	switch {
	case now < r.now:
		return r.fault("expected packets in the order of their times", "time %d comes after time %d", now, r.now)
	case f.Message < 0 || f.Message > math.MaxInt32:
		return r.fault("expected 0 to 2147483647", "message number %d", f.Message)
	case f.Head != (f.Index == 1) || f.Tail != (f.Index == f.Length):
		return r.fault("expected the flag head on the first flit alone, and tail on the last", "flit %d of %d of message %d has other flags", f.Index, f.Length, f.Message)
	}
	r.now = now
	k, known := r.index[f.Message]
	if !known {
		var err error
		if k, err = r.begin(&f); err != nil {
			return err
		}
	}
	return r.follow(&r.messages[k], &f)
}

// begin enters a message, which begins with its first flit on its first link.
func (r *reader) begin(f *flitlayer.Flit) (int, error) {
	if !f.Head || f.From != f.Source {
		return 0, r.fault("expected the capture of a whole run, in which each message begins with its first flit at its source",
			"message %d, from %d, begins with flit %d at node %d", f.Message, f.Source, f.Index, f.From)
	}
	if f.Waited > uint64(r.now) {
		return 0, r.fault("expected at most "+strconv.FormatInt(r.now, 10), "message %d has waited for %d cycles", f.Message, f.Waited)
	}
	if len(r.messages) == cap(r.messages) {
		const first = 1 << 10
		more := max(first, len(r.messages))
		if err := memory.Need(r.ctx, "the capture "+r.file, memory.Bytes(more)*memory.Bytes(3*unsafe.Sizeof(message{}))); err != nil {
			return 0, err
		}
		r.messages = slices.Grow(r.messages, more)
	}
	k := len(r.messages)
	r.index[f.Message] = k
	r.messages = append(r.messages, message{
		Flit: *f, dispatch: router.Cycle(r.now) - router.Cycle(f.Waited), way: []router.NodeID{f.Source}, end: f.Source,
	})
	return k, nil
}

// follow enters that a flit of a message crosses a link.
func (r *reader) follow(m *message, f *flitlayer.Flit) error {
	if f.Source != m.Source || f.Destination != m.Destination || f.Length != m.Length || f.Kind != m.Kind {
		return r.fault("expected the capture of one run, in which a number is one message",
			"message %d is %s %d -> %d of %s, and was %s %d -> %d of %s", f.Message,
			f.Kind, f.Source, f.Destination, input.Count(int(f.Length), "flit"), m.Kind, m.Source, m.Destination, input.Count(int(m.Length), "flit"))
	}
	m.packets, m.sum = m.packets+1, m.sum+uint64(f.Index)
	if f.Head {
		if at := m.way[len(m.way)-1]; f.From != at {
			return r.fault("expected every link of its route", "the first flit of message %d leaves node %d, and was last at node %d", f.Message, f.From, at)
		}
		m.way = append(m.way, f.To)
	}
	if f.Tail {
		if f.From != m.end {
			return r.fault("expected every link of its route", "the last flit of message %d leaves node %d, and was last at node %d", f.Message, f.From, m.end)
		}
		m.end = f.To
	}
	return nil
}

// whole returns the messages in the order of their dispatch, and refuses one of which flits are missing.
func (r *reader) whole() ([]message, error) {
	const want = "expected all flits on all links: a capture of the whole run, in which no flit was lost"
	if len(r.messages) == 0 {
		return nil, input.At(r.file, 0, "expected the flits of a run", "no packets")
	}
	for i := range r.messages {
		m := &r.messages[i]
		if at := m.way[len(m.way)-1]; at != m.Destination {
			return nil, input.At(r.file, 0, want, "the first flit of message %d was last at node %d, and its destination is node %d", m.Message, at, m.Destination)
		}
		links, flits := uint64(len(m.way)-1), uint64(m.Length)
		if m.end != m.Destination || m.packets != links*flits || m.sum != links*(flits*(flits+1)/2) {
			return nil, input.At(r.file, 0, want, "message %d, of %s over %s, has %s", m.Message,
				input.Count(int(flits), "flit"), input.Count(int(links), "link"), input.Count(int(m.packets), "packet"))
		}
	}
	slices.SortFunc(r.messages, func(a, b message) int {
		return cmp.Or(cmp.Compare(a.dispatch, b.dispatch), cmp.Compare(a.Message, b.Message))
	})
	return r.messages, nil
}

// Schedule returns the messages as a schedule for a network of machine m, which is resolved. Rows have routes where
// the machine takes its routes from sources, or where a message did not take the route that the machine itself chooses. A
// machine that chooses among several routes (o1turn, valiant, adaptive, turn models) chooses again. The errors are *input.Error.
func (r *Run) Schedule(t *topology.Topology, m machine.Machine) (*schedule.Schedule, error) {
	s := &schedule.Schedule{File: r.File, Rows: make([]schedule.Row, len(r.messages))}
	header := m.HeaderFlits()
	for i := range r.messages {
		x := &r.messages[i]
		flits := int(x.Length) - header
		if flits < 1 {
			return nil, input.At(r.File, 0, "expected a flit more than its header", "message %d has %s on a machine of header %s", x.Message, input.Count(int(x.Length), "flit"), m.Header)
		}
		s.Rows[i] = schedule.Row{
			Message: int32(x.Message), Source: x.Source, Destination: x.Destination, Control: x.Kind != router.Data,
			Flits: flits, Dispatch: x.dispatch, Route: x.way,
		}
	}
	if err := s.Validate(t); err != nil {
		return nil, err
	}
	with, err := r.needsRoutes(t, m)
	if err != nil || with {
		return s, err
	}
	for i := range s.Rows {
		s.Rows[i].Route = nil
	}
	return s, nil
}

// needsRoutes reports whether the rows must have the routes.
func (r *Run) needsRoutes(t *topology.Topology, m machine.Machine) (bool, error) {
	switch {
	case m.Routing == machine.Source:
		return true, nil
	case m.Routing.Classes() > 1, m.Routing.Reorders():
		return false, nil
	}
	routes, err := fabric.NewRoutes(t, m)
	if err != nil {
		return false, err
	}
	for i := range r.messages {
		x := &r.messages[i]
		at := x.Source
		for _, next := range x.way[1:] {
			if at == x.Destination || t.Neighbor(at, routes.Next(at, x.Destination)) != next {
				return true, nil
			}
			at = next
		}
	}
	return false, nil
}
