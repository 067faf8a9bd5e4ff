// SPDX-License-Identifier: Apache-2.0

package capture

import (
	"cmp"
	"encoding/binary"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// A record of a run is a sequence of numbers, each as a varint of Go's package encoding/binary, zigzag where it
// may be negative. For each tick in which something happens:
//
//	ticks since the last one
//	number of messages that are new; each: number (zigzag), source, destination, flits, kind
//	number of events; each: where*8 + what, message (zigzag, less that of the event before), flit
//
// Messages are counted from 0 in the order of the record, and flits from 0. What happens, and where:
const (
	flitPlaced  = iota // it enters the injection register of a node
	flitCrosses        // it begins to cross a link: index of the link times virtual channels, plus the virtual channel behind the link
	flitTaken          // the PE of a node takes it
	flitLost           // it is lost at a node: nothing was free for it
	flitDropped        // it is lost on a link, by a fault; where as when it crosses
	whats
)

// happening is an event of a tick.
type happening struct {
	what  int
	where int
	flit  router.Flit
}

// recorder makes the record of a run.
type recorder struct {
	*observer
	links  []topology.Link `snapshot:"-"`
	index  map[int32]int32 // by serial number: place in the record, of messages in flight
	count  int32           // of messages
	last   router.Cycle    // tick of the last part
	events int64

	crossings int64         // of the last tick
	present   [][]happening // bufferless: flits that arrive, by tick modulo the time of a hop

	now    []happening `snapshot:"-"` // of this tick
	fresh  []byte      `snapshot:"-"`
	record []byte      `snapshot:"-"`
}

func newRecorder(o *observer) *recorder {
	return &recorder{observer: o, links: o.net.Topology.Links(), index: map[int32]int32{}, present: make([][]happening, o.net.Machine.Hop)}
}

// of returns the record of a tick, in Update; it is empty where nothing happens, and valid until the next call.
func (r *recorder) of(s fabric.Signals) []byte {
	r.now, r.crossings = r.now[:0], 0
	for _, p := range s.Placed() {
		r.now = append(r.now, happening{flitPlaced, int(p.Node), p.Flit})
	}
	for offer := range s.Offers() {
		if offer.Fired {
			r.leave(s, offer)
		}
	}
	if r.net.Machine.Switching == machine.Bufferless {
		r.lose(s.Now())
	}
	if !r.opts.inWindow(s.Now()) {
		return nil
	}
	r.now = slices.DeleteFunc(r.now, func(h happening) bool { return !r.shows(h) })
	return r.encode(s)
}

// leave enters a flit that leaves a node.
func (r *recorder) leave(s fabric.Signals, o router.Offer) {
	if int(o.Port) >= r.net.Topology.Ports(o.Node) {
		r.now = append(r.now, happening{flitTaken, int(o.Node), o.Flit})
		return
	}
	what := flitCrosses
	if r.net.Faults() != nil && r.net.Bank().Loses(o) {
		what = flitDropped
	}
	r.now = append(r.now, happening{what, r.link(o)*r.net.Machine.VCs + int(o.Flit.VC), o.Flit})
}

// lose enters the flits that were at a node at the start of the tick, or were placed in it, and did not leave. A machine
// without buffers has lost them.
func (r *recorder) lose(now router.Cycle) {
	type flit struct{ worm, seq uint32 }
	left := map[flit]bool{}
	for _, h := range r.now {
		if h.what != flitPlaced {
			left[flit{h.flit.Worm, h.flit.Seq}] = true
		}
	}
	slot := &r.present[int(now)%len(r.present)]
	for _, h := range r.now {
		if h.what == flitPlaced {
			*slot = append(*slot, h)
		}
	}
	for _, h := range *slot {
		if !left[flit{h.flit.Worm, h.flit.Seq}] {
			r.now = append(r.now, happening{flitLost, h.where, h.flit})
		}
	}
	*slot = (*slot)[:0]
	for _, h := range r.now {
		if h.what == flitCrosses {
			*slot = append(*slot, happening{flitPlaced, int(r.links[h.where/r.net.Machine.VCs].To), h.flit})
		}
	}
}

// shows reports whether an event is in the window.
func (r *recorder) shows(h happening) bool {
	if r.opts.Nodes == nil {
		return true
	}
	if h.what == flitCrosses || h.what == flitDropped {
		link := r.links[h.where/r.net.Machine.VCs]
		return r.opts.ofInterest(link.From) || r.opts.ofInterest(link.To)
	}
	return r.opts.ofInterest(router.NodeID(h.where))
}

// encode returns the events of the tick as numbers.
func (r *recorder) encode(s fabric.Signals) []byte {
	if len(r.now) == 0 {
		return nil
	}
	slices.SortStableFunc(r.now, func(a, b happening) int { return cmp.Or(cmp.Compare(a.what, b.what), cmp.Compare(a.where, b.where)) })
	r.fresh = r.fresh[:0]
	fresh, before := 0, int64(0)
	events := []byte(nil)
	for _, h := range r.now {
		w := s.Worm(h.flit)
		k, known := r.index[w.Message]
		if !known {
			k = r.count
			r.index[w.Message] = k
			r.count++
			fresh++
			r.fresh = binary.AppendVarint(r.fresh, r.opts.Label(w))
			for _, v := range [...]uint64{uint64(w.Source), uint64(w.Destination), uint64(w.Length), uint64(w.Kind)} {
				r.fresh = binary.AppendUvarint(r.fresh, v)
			}
		}
		events = binary.AppendUvarint(events, uint64(h.where*8+h.what))
		events = binary.AppendVarint(events, int64(k)-before)
		events = binary.AppendUvarint(events, uint64(h.flit.Seq))
		before = int64(k)
	}
	for _, h := range r.now {
		if h.what == flitTaken && h.flit.Flags&router.Tail != 0 {
			delete(r.index, s.Worm(h.flit).Message)
		}
	}
	r.record = binary.AppendUvarint(r.record[:0], uint64(s.Now()-r.last))
	r.record = binary.AppendUvarint(r.record, uint64(fresh))
	r.record = append(r.record, r.fresh...)
	r.record = binary.AppendUvarint(r.record, uint64(len(r.now)))
	r.record = append(r.record, events...)
	for _, h := range r.now {
		if h.what == flitCrosses || h.what == flitDropped {
			r.crossings++
		}
	}
	r.last = s.Now()
	r.events += int64(len(r.now))
	return r.record
}
