// SPDX-License-Identifier: Apache-2.0

// Package live serves the page of a run that goes on: how far it is, loads of links, fullest buffers, and buttons that hold
// the run, let it go on by some cycles, and stop it.
//
// A [Watch] is a fabric.Overseer. Between cycles it only looks whether a page asks for something. While the run is held, a
// recording is on the clock, so that the page shows each flit of the cycles that the run goes on by.
package live

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"meshwright/capture"
	"meshwright/capture/player"
	"meshwright/fabric"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// State is what a page asks for, again and again. Its JSON names are those of the page's script.
type State struct {
	Cycle  float64 `json:"cycle"` // that comes next
	Tick   int64   `json:"tick"`
	Done   uint64  `json:"done"`  // flits delivered
	Total  int     `json:"total"` // flits to deliver; 0: not known
	Sent   int     `json:"sent"`  // messages
	Rate   float64 `json:"rate"`  // cycles per second since the last question
	Left   float64 `json:"left"`  // seconds, by the flits; -1: not known
	Paused bool    `json:"paused"`
	Ended  bool    `json:"ended"`

	Load    []int    `json:"load"`    // by link: busy ticks of a thousand since the last question
	Full    [][2]int `json:"full"`    // buffers that hold flits: link times virtual channels plus virtual channel, flits
	Fullest []string `json:"fullest"` // buffers in words, the fullest first
	Hottest []string `json:"hottest"`

	Part   int    `json:"part"`   // number of the recording, from 1
	Record []byte `json:"record"` // of this recording, from the byte on that the page asked for
}

// listed is how many buffers and links a state names.
const listed = 5

// mostRecorded bounds a recording, in bytes.
const mostRecorded = 16 << 20

// order is what a page wants of the run.
type order struct {
	hold  *bool // nil: as it is
	steps int   // cycles to go on by
	part  int   // recording and bytes that the page has
	have  int
	reply chan State
}

// Watch oversees a run and answers the questions of pages.
type Watch struct {
	about   *player.About
	orders  chan order
	asking  atomic.Int32
	ended   chan struct{}
	last    State // after the run; the close of ended publishes it
	seen    atomic.Bool
	visited atomic.Int64 // time of the last question, in nanoseconds
	links   []topology.Link

	// of the run's goroutine
	paused    bool
	until     router.Cycle // goes on up to this tick while paused
	recording *capture.Recording
	part      int
	carried   []uint64
	asked     time.Time // the last question
	tick      router.Cycle
	began     time.Time // without the time in which it was held
	heldAt    time.Time
}

// New puts a run under a watch. A paused run waits before its first cycle.
func New(n *fabric.Network, title string, paused bool) (*Watch, error) {
	w := &Watch{
		about: capture.About(n, title), orders: make(chan order), ended: make(chan struct{}),
		links: n.Topology.Links(), began: time.Now(), asked: time.Now(),
	}
	w.carried = make([]uint64, len(w.links))
	n.Oversee(w)
	if paused {
		return w, w.hold(n)
	}
	return w, nil
}

// Between answers questions, and holds the run while it is paused.
func (w *Watch) Between(ctx context.Context, n *fabric.Network) error {
	if !w.paused && w.asking.Load() == 0 {
		return nil
	}
	for {
		if w.paused && n.Now() >= w.until {
			select {
			case o := <-w.orders:
				if err := w.obey(n, &o); err != nil {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
			continue
		}
		select {
		case o := <-w.orders:
			if err := w.obey(n, &o); err != nil {
				return err
			}
		default:
			return nil
		}
	}
}

// obey carries out an order and answers it.
func (w *Watch) obey(n *fabric.Network, o *order) error {
	w.asking.Add(-1)
	var err error
	switch {
	case o.hold != nil && *o.hold && !w.paused:
		err = w.hold(n)
	case o.hold != nil && !*o.hold && w.paused:
		w.release(n)
	}
	if w.paused && o.steps > 0 {
		w.until = max(w.until, n.Now()) + router.Cycle(o.steps*n.Machine.Ticks())
	}
	o.reply <- w.state(n, o)
	return err
}

// hold holds the run before the next cycle, and records those that it goes on by.
func (w *Watch) hold(n *fabric.Network) error {
	r, err := capture.NewRecording(n, mostRecorded)
	if err != nil {
		return err
	}
	w.paused, w.until, w.recording = true, n.Now(), r
	w.part++
	w.heldAt = time.Now()
	n.Attach(r)
	return nil
}

// release lets the run go on by itself.
func (w *Watch) release(n *fabric.Network) {
	w.paused = false
	w.began = w.began.Add(time.Since(w.heldAt))
	n.Detach(w.recording)
	w.recording = nil
}

// state looks at the network.
func (w *Watch) state(n *fabric.Network, o *order) State {
	now, ticks := time.Now(), float64(n.Machine.Ticks())
	s := State{
		Cycle: float64(n.Now()) / ticks, Tick: int64(n.Now()), Done: n.Delivered(), Total: n.Expected, Sent: n.Sent(), Paused: w.paused, Left: -1,
		Part: w.part, Load: make([]int, len(w.links)), Full: [][2]int{}, Fullest: []string{}, Hottest: []string{},
	}
	if since := now.Sub(w.asked).Seconds(); since > 0 {
		s.Rate = float64(n.Now()-w.tick) / ticks / since
	}
	gone := now.Sub(w.began).Seconds()
	if w.paused {
		gone = w.heldAt.Sub(w.began).Seconds()
	}
	if s.Total > 0 && s.Done > 0 {
		s.Left = gone / float64(s.Done) * max(0, float64(s.Total)-float64(s.Done))
	}
	w.loads(n, &s)
	w.buffers(n, &s)
	w.asked, w.tick = now, n.Now()
	if w.recording != nil {
		from := o.have
		if o.part != w.part {
			from = 0
		}
		if all := w.recording.Record(); from >= 0 && from <= len(all) {
			s.Record = bytes.Clone(all[from:])
		}
	}
	return s
}

// loads compares what links have carried with what they had carried at the last question.
func (w *Watch) loads(n *fabric.Network, s *State) {
	span := max(1, n.Now()-w.tick)
	for i, link := range w.links {
		all := n.Bank().Carried(link.From, link.FromPort)
		busy := (all - min(all, w.carried[i])) * uint64(n.FlitTime(link.From, link.FromPort))
		s.Load[i] = int(min(1000, busy*1000/uint64(span)))
		w.carried[i] = all
	}
	for _, i := range most(s.Load) {
		s.Hottest = append(s.Hottest, fmt.Sprintf("%d → %d\t%.1f %%", w.links[i].From, w.links[i].To, float64(s.Load[i])/10))
	}
}

// buffers counts the flits in the buffers.
func (w *Watch) buffers(n *fabric.Network, s *State) {
	if w.about.Depth == 0 {
		return
	}
	held := make([]int, len(w.links)*n.Machine.VCs)
	for i, link := range w.links {
		for vc := range n.Machine.VCs {
			channel := i*n.Machine.VCs + vc
			if held[channel] = n.Bank().Occupancy(link.To, link.ToPort, router.VC(vc)); held[channel] > 0 {
				s.Full = append(s.Full, [2]int{channel, held[channel]})
			}
		}
	}
	for _, channel := range most(held) {
		link := w.links[channel/n.Machine.VCs]
		name := fmt.Sprintf("%d from %d", link.To, link.From)
		if n.Machine.VCs > 1 {
			name += fmt.Sprintf(" vc %d", channel%n.Machine.VCs)
		}
		s.Fullest = append(s.Fullest, name+fmt.Sprintf("\t%d of %d", held[channel], w.about.Depth))
	}
}

// most returns the places of the largest numbers above 0.
func most(list []int) (places []int) {
	for i, v := range list {
		if v > 0 && (len(places) < listed || v > list[places[len(places)-1]]) {
			places = append(places, i)
			slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(list[b], list[a]) })
			places = places[:min(len(places), listed)]
		}
	}
	return places
}

// End publishes the last state: the run has ended. It waits, but not long, until a page that has asked lately has seen it.
func (w *Watch) End(n *fabric.Network) {
	w.last = w.state(n, &order{part: w.part})
	w.last.Ended, w.last.Paused, w.last.Record = true, false, nil
	close(w.ended)
	for wait := time.Now().Add(patience); time.Now().Before(wait) && !w.seen.Load() && time.Since(time.Unix(0, w.visited.Load())) < patience; {
		time.Sleep(5 * time.Millisecond)
	}
}

// patience is how long the end of a run waits for a page.
const patience = 2 * time.Second

// ask gives an order to the run.
func (w *Watch) ask(ctx context.Context, o order) (State, bool) {
	o.reply = make(chan State, 1)
	w.visited.Store(time.Now().UnixNano())
	w.asking.Add(1)
	select {
	case w.orders <- o:
		return <-o.reply, true
	case <-w.ended:
		w.asking.Add(-1)
		w.seen.Store(true)
		return w.last, true
	case <-ctx.Done():
		w.asking.Add(-1)
		return State{}, false
	}
}
