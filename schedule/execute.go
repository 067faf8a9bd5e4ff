// SPDX-License-Identifier: Apache-2.0

package schedule

import (
	"context"
	"fmt"
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/router"
)

// maxContent bounds a message that runs, in flits: its words are in memory.
const maxContent = 1 << 28

// Result is the outcome of a schedule's run.
type Result struct {
	Network         *fabric.Network
	Messages, Flits int
	Cycles          router.Cycle // when the last flit had been delivered, see fabric.Network.ArrivalTime
	Delivered       bool         // every word of every message was compared and is right
	Failure         error        // why not: *Wrong, *Undelivered, *router.Deadlock or fabric.ErrLimit
	Collisions      []router.Collision
	CollisionCount  int
	MaxBufferFlits  int
	Late            int // messages that were dispatched later than their rows say; 0 when bufferless

	player *Player
}

// Times returns by row when the first flit of a message stood in the injection register, by its row if it never did, and when the message had
// been delivered, see fabric.Network.ArrivalTime, -1: never.
func (r *Result) Times() (entered, arrived []router.Cycle) {
	if r.player == nil {
		return nil, nil
	}
	p := r.player
	for i := range p.schedule.Rows {
		entered, arrived = append(entered, p.schedule.Rows[i].Dispatch), append(arrived, -1)
	}
	for _, sent := range r.Network.Log() {
		if int(sent.Serial) >= len(p.rowOf) || p.rowOf[sent.Serial] < 0 || sent.Dispatch < 0 {
			continue
		}
		row := p.rowOf[sent.Serial]
		if entered[row] = sent.Dispatch; sent.Arrival > 0 {
			arrived[row] = sent.Arrival
		}
	}
	return entered, arrived
}

// Unsent counts the messages among the collisions that could not enter in their cycle.
func (r *Result) Unsent() int {
	if r.player == nil {
		return 0
	}
	return len(r.player.late)
}

// Wrong is a message that arrived with another content, at another node, or twice.
type Wrong struct {
	Message int32
	What    string
}

// Error names the message.
func (w *Wrong) Error() string { return fmt.Sprintf("message %d %s", w.Message, w.What) }

// Undelivered is a message that did not arrive.
type Undelivered struct {
	Message int32
	Others  int
}

// Error names the first message and counts the others.
func (u *Undelivered) Error() string {
	if u.Others == 0 {
		return fmt.Sprintf("message %d did not arrive", u.Message)
	}
	return fmt.Sprintf("message %d and %s did not arrive", u.Message, input.Count(u.Others, "other"))
}

// Execute runs a schedule on a machine, with its own content in every flit, and compares
// the flits that arrive. Rows with routes set the machine's routing to "source". On a
// machine that switches packets every row is a packet, and the longest row is the largest
// packet. Each attach is called with the network before the first cycle. An error is the
// context's, an error of attach, a *memory.TooLarge or an *input.Error. A run that does
// not deliver is a Result.
func Execute(ctx context.Context, s *Schedule, t *topology.Topology, m machine.Machine, attach ...func(*fabric.Network) error) (*Result, error) {
	if err := s.Validate(t); err != nil {
		return nil, err
	}
	for i := range s.Rows {
		if flits := s.Rows[i].Flits; flits > maxContent {
			return nil, s.locate(i, input.Errorf("expected at most "+decimal(maxContent)+" in a run", "flits %d", flits))
		}
	}
	if s.HasRoutes() {
		m.Routing = machine.Source
	}
	m, err := m.FitPackets(s.Longest())
	if err != nil {
		return nil, err
	}
	if err := memory.Need(ctx, fmt.Sprintf("a schedule of %s on %s", input.Count(len(s.Rows), "message"), t), s.memory(t, m)); err != nil {
		return nil, err
	}
	n, err := fabric.New(t, m)
	if err != nil {
		return nil, err
	}
	n.KeepLog()
	player, err := newPlayer(n, s)
	if err != nil {
		return nil, err
	}
	player.mask = uint32(1)<<n.Machine.Width - 1
	audit := &auditor{player: player, arrived: make([]bool, len(s.Rows))}
	n.Attach(player)
	n.Attach(audit)
	meter := fabric.NewMeter(n)
	for _, f := range attach {
		if err := f(n); err != nil {
			return nil, err
		}
	}
	err = n.Run(ctx, limit(s, n))
	if cause := n.Stopped(ctx); cause != nil {
		return nil, cause
	}
	r := &Result{Network: n, Messages: len(s.Rows), Cycles: meter.Cycles, MaxBufferFlits: meter.MaxBufferFlits, player: player}
	r.Collisions, r.CollisionCount = player.Collisions()
	r.Failure = audit.verdict(s, err)
	r.Delivered = r.Failure == nil
	for i := range s.Rows {
		r.Flits += s.Rows[i].Flits
	}
	r.Late = late(s, player, n)
	return r, nil
}

// Bytes of a run: of a message its record in the log and in the player's lists, of a
// network twice its state, as garbage may be as much.
const (
	perMessage = 700
	perNetwork = 2.2
	perWord    = 16 // of the longest message: sent, in flight, taken, compared
)

// memory estimates the bytes of a run.
func (s *Schedule) memory(t *topology.Topology, m machine.Machine) memory.Bytes {
	return memory.Of(perNetwork*float64(fabric.Memory(t, m)) + perMessage*float64(len(s.Rows)) + perWord*float64(m.Elements())*float64(s.Longest()))
}

// Longest returns the flits of the longest message.
func (s *Schedule) Longest() int {
	longest := 0
	for i := range s.Rows {
		longest = max(longest, s.Rows[i].Flits)
	}
	return longest
}

// maxLimit bounds a run whose limit would be beyond all clocks.
const maxLimit = 1 << 62

// limit is a number of cycles that no sound run needs.
func limit(s *Schedule, n *fabric.Network) router.Cycle {
	last, sum := router.Cycle(0), 0.0
	for i := range s.Rows {
		r := &s.Rows[i]
		last = max(last, r.Dispatch)
		sum += alone(r, n)
	}
	if sum > maxLimit/8 {
		return maxLimit
	}
	return last + 4*router.Cycle(sum) + 1000
}

// alone is a time in which a message that meets no other surely arrives. Times
// of packets, which pay for each link one after the other, may exceed a Cycle.
func alone(r *Row, n *fabric.Network) float64 {
	m := &n.Machine
	links := max(n.Topology.Nodes(), len(r.Route))
	if m.PacketSwitched() {
		return float64(m.StartupTicks()) + float64(links)*(float64(m.SetupTicks())+float64(m.WithHeader(r.Flits))*float64(m.FlitTicks()))
	}
	slowest := n.Slowest()
	return float64(m.Startup) + float64(m.WithHeader(r.Flits))*float64(slowest.Flit+slowest.Hop) + float64(slowest.Hop*n.Topology.Nodes())
}

// late counts the messages whose first flit entered after its row's dispatch.
func late(s *Schedule, p *Player, n *fabric.Network) int {
	count := 0
	for _, sent := range n.Log() {
		if int(sent.Serial) < len(p.rowOf) && p.rowOf[sent.Serial] >= 0 && sent.Dispatch > s.Rows[p.rowOf[sent.Serial]].Dispatch {
			count++
		}
	}
	return count
}

// appendContent appends the words of a row, of so many elements each: a mix of message and position, so
// that no two flits of a run are easily taken for each other.
func appendContent(words []uint32, r *Row, elements int, mask uint32) []uint32 {
	words = slices.Grow(words, r.Flits*elements)
	for i := range r.Flits * elements {
		words = append(words, content(r.Message, i)&mask)
	}
	return words
}

// content scatters its arguments over a word (Knuth's multiplicative hash).
func content(message int32, i int) uint32 {
	x := (uint32(message)*2654435761 ^ uint32(i)) * 2246822519
	return x ^ x>>15
}

// auditor compares what arrives.
type auditor struct {
	player  *Player
	arrived []bool
	fault   *Wrong
}

// Evaluate implements fabric.Component.
func (a *auditor) Evaluate(s fabric.Signals) {
	for _, m := range s.Received() {
		if wrong := a.take(m); wrong != nil && a.fault == nil {
			a.fault = wrong
		}
	}
}

func (a *auditor) take(m fabric.Received) *Wrong {
	row := a.player.rowOf[m.Serial]
	r, elements := &a.player.schedule.Rows[row], a.player.elements
	switch {
	case a.arrived[row]:
		return &Wrong{r.Message, "arrived twice"}
	case m.Destination != r.Destination || m.Source != r.Source:
		return &Wrong{r.Message, fmt.Sprintf("arrived at node %d", m.Destination)}
	case len(m.Words) != r.Flits*elements:
		return &Wrong{r.Message, "arrived with " + input.Count(len(m.Words)/elements, "word")}
	}
	for i, element := range m.Words {
		if element != content(r.Message, i)&a.player.mask {
			return &Wrong{r.Message, fmt.Sprintf("has a wrong word %d", i/elements)}
		}
	}
	a.arrived[row] = true
	return nil
}

// Update implements fabric.Component.
func (a *auditor) Update(fabric.Signals) {}

// OnlyMessages marks a fabric.Messenger.
func (a *auditor) OnlyMessages() {}

// Wakes implements fabric.Sleeper.
func (a *auditor) Wakes() router.Cycle { return fabric.Never }

// verdict returns the fault of a run that ended with err, or nil.
func (a *auditor) verdict(s *Schedule, err error) error {
	if a.fault != nil {
		return a.fault
	}
	if err != nil {
		return err
	}
	var missing *Undelivered
	for i, ok := range a.arrived {
		switch {
		case ok:
		case missing == nil:
			missing = &Undelivered{Message: s.Rows[i].Message}
		default:
			missing.Others++
		}
	}
	if missing != nil {
		return missing
	}
	return nil
}
