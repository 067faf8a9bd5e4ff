// SPDX-License-Identifier: Apache-2.0

package transfer

import (
	"context"

	"meshwright/fabric/machine"
	"meshwright/fabric/timing"
	"meshwright/fabric/topology"
	"meshwright/internal/progress"
	"meshwright/router"
)

// Prediction is when the transfers of a list happen. Those without words, and
// moves within a PE, are never handed over: -1.
type Prediction struct {
	Cycles  router.Cycle   // time of the operation
	Handed  []router.Cycle // by transfer: given to its channel
	Arrived []router.Cycle // by transfer: whole at the receiver
}

// Predict says when everything happens as long as no two messages want a link
// or an ejection channel at the same time; then it is exact. It follows the
// PEs through their parts, not the flits through the network. With half duplex
// it is exact as long as no PE is sent to while it sends. No list makes PEs
// wait for one another in a circle: all go by the same steps, in which they send
// before they take, or by one clock, on which a message is due after its start
// (List.Check). Its errors are *input.Error.
func Predict(t *topology.Topology, m machine.Machine, l *List) (*Prediction, error) {
	return PredictContext(context.Background(), t, m, l)
}

// PredictContext is Predict; it ends with the context, with its error.
func PredictContext(ctx context.Context, t *topology.Topology, m machine.Machine, l *List) (*Prediction, error) {
	w, err := newWays(t, m, l)
	if err != nil {
		return nil, err
	}
	return w.predict(ctx, l)
}

// Least returns a time that no run takes less than: what the operation would take if buffers had room for the full rate, and no message waited for another. Stalls of small buffers
// may have gone by when the next message needs the link, so that Predict may count too many of them. Its errors are those of PredictContext.
func Least(ctx context.Context, t *topology.Topology, m machine.Machine, l *List) (router.Cycle, error) {
	w, err := newWays(t, m, l)
	if err != nil {
		return 0, err
	}
	w.model = timing.Of(&w.net.Machine)
	p, err := w.predict(ctx, l)
	if err != nil {
		return 0, err
	}
	return p.Cycles, nil
}

func (w *ways) predict(ctx context.Context, l *List) (*Prediction, error) {
	o := newPredictor(w, l)
	for n := range router.NodeID(l.Nodes) {
		o.ready = append(o.ready, n)
	}
	phase := progress.Begin(ctx, "follow the PEs", 0)
	defer phase.End()
	for len(o.ready) > 0 {
		if err := phase.Step(); err != nil {
			return nil, err
		}
		n := o.ready[len(o.ready)-1]
		o.ready = o.ready[:len(o.ready)-1]
		o.follow(n)
	}
	return &o.Prediction, nil
}

// predictor follows all PEs through their parts.
type predictor struct {
	Prediction
	*ways
	l       *List
	parts   [][]Action
	granted []router.Cycle // by transfer: its token is with the sender; -1: not yet
	members []member
	ready   []router.NodeID // PEs that may go on
}

// member is a PE on its way through its part.
type member struct {
	now      router.Cycle
	next     int   // action
	waits    int32 // transfer for which it waits, -1: none
	channels []timing.Channel
}

func newPredictor(w *ways, l *List) *predictor {
	o := &predictor{ways: w, l: l, parts: l.Parts(), members: make([]member, l.Nodes)}
	unknown := make([]router.Cycle, 3*len(l.Transfers))
	for i := range unknown {
		unknown[i] = -1
	}
	count := len(l.Transfers)
	o.Handed, o.Arrived, o.granted = unknown[:count:count], unknown[count:2*count:2*count], unknown[2*count:]
	all := 0
	for n := range o.members {
		all += w.channels(router.NodeID(n))
	}
	free := make([]timing.Channel, all)
	for n := range o.members {
		own := w.channels(router.NodeID(n))
		o.members[n] = member{waits: -1, channels: free[:own:own]}
		free = free[own:]
	}
	return o
}

// follow takes a PE as far as it gets.
func (o *predictor) follow(n router.NodeID) {
	p := &o.members[n]
	for part := o.parts[n]; p.next < len(part); p.next++ {
		a := part[p.next]
		t := &o.l.Transfers[a.Transfer]
		switch a.Kind {
		case Grant:
			_, o.granted[a.Transfer] = o.hand(p, n, t.From, nil, 1)
			o.wake(t.From, a.Transfer)
		case Send:
			if o.l.Sync {
				if o.granted[a.Transfer] < 0 {
					p.waits = a.Transfer
					return
				}
				p.now = max(p.now, o.granted[a.Transfer])
			}
			p.now = max(p.now, t.Start)
			o.Handed[a.Transfer], o.Arrived[a.Transfer] = o.hand(p, n, t.To, t.Route, t.Out.Words())
			o.wake(t.To, a.Transfer)
		case Take:
			if o.Arrived[a.Transfer] < 0 {
				p.waits = a.Transfer
				return
			}
			p.now = max(p.now, o.Arrived[a.Transfer])
		}
	}
}

func (o *predictor) wake(n router.NodeID, transfer int32) {
	if p := &o.members[n]; p.waits == transfer {
		p.waits = -1
		o.ready = append(o.ready, n)
	}
}

// hand gives a message to its channel as soon as that is free. It returns the
// cycle, and the one in which the message is whole at the other end.
func (o *predictor) hand(p *member, from, to router.NodeID, route []router.Port, words int) (handed, whole router.Cycle) {
	port, links := o.first(from, to, route)
	var last router.Cycle
	p.now, last = o.model.Hand(&p.channels[o.channel(port)], p.now, words)
	whole = o.model.WholeAfter(last, links)
	o.Cycles = max(o.Cycles, whole+1)
	return p.now, whole
}
