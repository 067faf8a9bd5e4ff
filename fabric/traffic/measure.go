// SPDX-License-Identifier: Apache-2.0

package traffic

import (
	"context"
	"errors"
	"fmt"
	"math"

	"meshwright/fabric"
	"meshwright/internal/input"
	"meshwright/internal/progress"
	"meshwright/router"
)

// Phases are the three parts of a measurement, in cycles of the machine. Only the packets that are
// generated in the second part are measured; the load goes on until the last of them has been delivered.
type Phases struct {
	WarmUp  int // at least 0, or AutoWarmUp: until the load is steady
	Measure int // at least 1; 0: all packets, only of a trace
	Drain   int // at most so many, at least 0
}

// mostPhase bounds each phase, in cycles.
const mostPhase = maxTraceCycle

// valid refuses phases that a source cannot have. Random traffic never ends, so that its measurement needs a length.
func (p *Phases) valid(s *Source) error {
	_, trace := s.gen.(*replay)
	switch {
	case (p.WarmUp < 0 || p.WarmUp > mostPhase) && p.WarmUp != AutoWarmUp:
		return input.Errorf(fmt.Sprintf("expected 0 to %d, or AutoWarmUp", mostPhase), "a warm-up of %s", input.Count(p.WarmUp, "cycle"))
	case p.Measure == 0 && !trace:
		return input.Errorf("expected at least 1; only a trace has all its packets measured", "a measurement of 0 cycles")
	case p.Measure < 0 || p.Measure > mostPhase:
		return input.Errorf(fmt.Sprintf("expected 1 to %d, or 0 of a trace", mostPhase), "a measurement of %s", input.Count(p.Measure, "cycle"))
	case p.Drain < 0 || p.Drain > mostPhase:
		return input.Errorf(fmt.Sprintf("expected 0 to %d", mostPhase), "a drain of %s", input.Count(p.Drain, "cycle"))
	}
	return nil
}

// AutoWarmUp lets the warm-up last until two batches of cycles differ by little.
const AutoWarmUp = -1

// The automatic warm-up, and the test of a steady state.
const (
	batch        = 1000 // cycles of a batch
	mostBatches  = 20
	batchChange  = 0.05 // of the mean latency and of the flits delivered, from batch to batch
	mostGrowth   = 0.01 // of the flits generated: how many more of them may be in flight at the end of the measurement
	mostRise     = 0.5  // of the mean latency, from the first half of the measurement to the second
	fewestInHalf = 100  // packets, so that a rise is more than noise
)

// Flow counts the packets of a node or pair.
type Flow struct {
	Generated uint64       // flits generated in the measurement
	Delivered uint64       // flits of packets delivered in the measurement, whenever they were generated
	Packets   uint64       // measured and delivered
	Latency   router.Cycle // sum of their packet latencies
}

// Pair is a source with a destination.
type Pair struct{ Source, Destination router.NodeID }

// Keep says what a measurement keeps beside its histograms.
type Keep struct {
	Nodes, Pairs bool
	LinkUse      bool // what every link did, without its packets and virtual channels
	Activity     bool // what every chip and every link did, all of it: each flit is looked at
}

// Fairness compares the flits of the sources that were delivered in the measurement, replies left out.
type Fairness struct {
	Fewest, Most uint64
	Jain         float64 // Jain's index: 1 if all are equal, 1/n if one of n sources has all; 0 if none has any
}

// Result is what a measurement found. Times are in ticks of the network's clock.
type Result struct {
	Summary
	Packet    Histogram // from the generation of a packet to its delivery
	Network   Histogram // from the dispatch
	Head      Histogram // from the dispatch to the arrival of the head
	Request   Histogram // packet latencies of requests, if they are answered
	Reply     Histogram // packet latencies of replies
	RoundTrip Histogram // from the generation of a request to the delivery of its reply
}

// Summary is a Result without its histograms.
type Summary struct {
	Sources  int          // nodes that generate packets
	WarmUp   router.Cycle // how long it lasted
	Measure  router.Cycle
	Drain    router.Cycle
	Packets  uint64  // generated in the measurement
	Missing  uint64  // of them, not delivered in the drain
	Vanished uint64  // of these, lost to faults
	Offered  float64 // flits generated per source and tick of the measurement
	Accepted float64 // flits delivered per source and tick of the measurement, whenever they were generated
	Cause    Cause   // why the load is not steady; "" if it is
	Unstable string  // the cause, with figures
	Deadlock error   // a *router.Deadlock that ended the measurement; nil: none
	Lost     int     // packets lost to faults
	Fairness Fairness
	Links    LinkLoads
	Nodes    []Flow // by the node that sends; nil unless kept
	Pairs    map[Pair]Flow
	LinkFlow []LinkFlow // by index in Topology.Links; nil unless kept
	Activity []Activity // by node; nil unless kept
}

// Measure attaches a source to a network that has not run yet, and measures the load. Each prepare is
// called before the first cycle; it may restore a checkpoint of this measurement.
//
// A deadlock is no error: Result.Deadlock has it. Errors are *input.Error for phases, or a source, that do not fit, what
// prepare returns, and the errors of fabric.Network.Run. If Run fails, or the context ends, the Result is not nil: it has what was measured until then.
func Measure(ctx context.Context, n *fabric.Network, s *Source, phases Phases, keep Keep, prepare ...func(*fabric.Network) error) (*Result, error) {
	if err := s.fits(n.Topology); err != nil {
		return nil, err
	}
	if err := phases.valid(s); err != nil {
		return nil, err
	}
	m := &meter{
		net: n, source: s, phases: phases, ticks: router.Cycle(n.Machine.Ticks()), from: fabric.Never, until: fabric.Never,
		r: &Result{Summary: Summary{Sources: s.count()}}, delivered: make([]uint64, n.Topology.Nodes()),
		balances: [2][]balance{make([]balance, n.Topology.Nodes()), make([]balance, n.Topology.Nodes())},
	}
	if keep.Nodes {
		m.r.Nodes = make([]Flow, n.Topology.Nodes())
	}
	if keep.Pairs {
		m.r.Pairs = map[Pair]Flow{}
	}
	m.keepLinks = keep.LinkUse || keep.Activity
	s.meter = m
	n.KeepTimes()
	n.Attach(s)
	if n.Faults() != nil {
		n.Attach(&lossMonitor{s})
	}
	if keep.Activity {
		m.watcher = newWatcher(m)
		n.Attach(m.watcher)
	}
	for _, f := range prepare {
		if err := f(n); err != nil {
			return nil, err
		}
	}
	m.phase = progress.Begin(ctx, "traffic on "+n.Topology.String(), 0)
	defer m.phase.End()
	m.ctx = progress.With(ctx, nil) // the phases of the clock are parts of this one
	err := m.run()
	var locked *router.Deadlock
	if errors.As(err, &locked) {
		m.r.Deadlock, m.r.Cause, m.r.Unstable, err = err, Deadlocked, "the network is in a deadlock", nil
	}
	m.close()
	return m.r, err
}

// meter watches the packets of a measurement.
type meter struct {
	ctx    context.Context `snapshot:"-"`
	phase  *progress.Phase `snapshot:"-"`
	last   passed          `snapshot:"-"` // when the last part of a replay began
	part   router.Cycle    `snapshot:"-"` // its length
	phases Phases          `snapshot:"start"`
	net    *fabric.Network
	source *Source
	ticks  router.Cycle
	r      *Result

	stage   stage
	start   router.Cycle // of the stage
	limit   router.Cycle // in which the present part of the stage ends
	batches int          // of the warm-up
	latency float64      // mean of the last batch
	taken   float64      // flits delivered in the last batch
	earlier uint64       // flits delivered before the present batch

	from, until router.Cycle // packets generated from from to until-1 are measured
	missing     uint64       // measured, and neither delivered nor lost
	vanished    uint64       // measured and lost
	made        uint64       // flits generated, measured or not
	lost        uint64       // flits of packets that faults lost, measured or not
	batch       half         // latencies of the packets delivered since the batch began
	delivered   []uint64     // flits delivered in the measurement, by source; replies left out
	balances    [2][]balance // by the half of the measurement and the node that sends
	halves      [2]half      // latencies of measured packets, by the half in which they were generated

	before, after passed   // at the begin of the measurement, and at its end
	used          []uint64 // by link, the ticks in which it was busy before the measurement

	keepLinks bool             `snapshot:"start"`
	uses      []fabric.LinkUse // by link, what it had done before the measurement; nil unless links are kept
	watcher   *watcher         // nil: nobody counts flits one by one
}

// passed counts flits up to a cycle.
type passed struct{ made, taken, lost uint64 }

// passed counts the flits up to now.
func (m *meter) passed() passed { return passed{m.made, m.net.Delivered(), m.lost} }

// inMeasurement counts the flits of the measurement.
func (m *meter) inMeasurement() passed {
	return passed{m.after.made - m.before.made, m.after.taken - m.before.taken, m.after.lost - m.before.lost}
}

// end counts what the measurement has done, at its end.
func (m *meter) end() {
	m.after = m.passed()
	m.r.Links = m.linkLoads()
	if m.uses != nil {
		m.r.LinkFlow = m.linkFlows()
	}
	if m.watcher != nil {
		m.r.Activity = m.watcher.nodes
	}
}

// half is a mean in the making.
type half struct {
	count uint64
	sum   float64
}

func (h *half) add(t router.Cycle) { h.count++; h.sum += float64(t) }
func (h *half) mean() float64      { return h.sum / float64(h.count) }

// balance is what a node generates in half of the measurement, replies included.
type balance struct {
	made  uint64 // flits
	grown int64  // these less its flits that were delivered or lost, whenever they were generated
}

// half is the half of the measurement in which a cycle is: 0 or 1.
func (m *meter) half(at router.Cycle) int {
	if at-m.from >= (m.until-m.from)/2 {
		return 1
	}
	return 0
}

// gone counts a packet that has been delivered or lost in the measurement.
func (m *meter) gone(p *packet, at router.Cycle) {
	m.balances[m.half(at)][p.source].grown -= int64(m.flitsOf(p))
}

// generated counts a packet that is generated.
func (m *meter) generated(p *packet) {
	m.made += m.flitsOf(p)
	if !m.measures(p) {
		return
	}
	m.missing++
	m.r.Packets++
	b := &m.balances[m.half(p.generated)][p.source]
	b.made += m.flitsOf(p)
	b.grown += int64(m.flitsOf(p))
	m.tally(p, Flow{Generated: m.flitsOf(p)})
}

// flitsOf returns the flits of a packet on the links. All loads count them.
func (m *meter) flitsOf(p *packet) uint64 { return uint64(m.net.Machine.WithHeader(int(p.flits))) }

// measures reports whether a packet is measured. A reply belongs to the time of its own generation.
func (m *meter) measures(p *packet) bool { return p.generated >= m.from && p.generated < m.until }

// received counts a packet that has been delivered at a time.
func (m *meter) received(p *packet, t fabric.Times, at router.Cycle) {
	latency := at - p.generated
	m.batch.add(latency)
	if at > m.from && at <= m.until {
		if !p.reply {
			m.delivered[p.source] += m.flitsOf(p)
		}
		m.gone(p, at)
		m.tally(p, Flow{Delivered: m.flitsOf(p)})
	}
	if !m.measures(p) {
		return
	}
	m.missing--
	r := m.r
	r.Packet.add(latency)
	r.Network.add(at - t.Dispatch)
	r.Head.add(t.Head - t.Dispatch)
	switch {
	case p.reply:
		r.Reply.add(latency)
		r.RoundTrip.add(at - p.asked)
	case m.source.replies.Largest() > 0:
		r.Request.add(latency)
	}
	m.halves[m.half(p.generated)].add(latency)
	m.tally(p, Flow{Packets: 1, Latency: latency})
}

// losing counts a packet that faults lose.
func (m *meter) losing(p *packet) {
	m.lost += m.flitsOf(p)
	if now := m.net.Now(); now >= m.from && now < m.until {
		m.gone(p, now)
	}
	if m.measures(p) {
		m.missing--
		m.vanished++
	}
}

// tally adds to the counts of a packet's node and pair, if they are kept.
func (m *meter) tally(p *packet, more Flow) {
	if m.r.Nodes != nil {
		m.r.Nodes[p.source] = m.r.Nodes[p.source].plus(more)
	}
	if m.r.Pairs != nil {
		pair := Pair{p.source, p.destination}
		m.r.Pairs[pair] = m.r.Pairs[pair].plus(more)
	}
}

func (f Flow) plus(g Flow) Flow {
	return Flow{f.Generated + g.Generated, f.Delivered + g.Delivered, f.Packets + g.Packets, f.Latency + g.Latency}
}

// stage is how far a measurement is. All that it has to remember is in the meter, so that a
// checkpoint has it.
type stage uint8

const (
	notBegun stage = iota
	warmingUp
	measuring
	replaying // all packets of a trace
	draining
	ended
)

// run goes through the stages, part by part.
func (m *meter) run() error {
	if m.stage == notBegun {
		m.warmUp()
	}
	for m.stage != ended {
		err := m.goOn(m.limit)
		idle := m.stage == replaying && errors.Is(err, fabric.ErrIdle)
		if err != nil && !idle {
			return err
		}
		switch m.stage {
		case warmingUp:
			m.warmedUp()
		case measuring:
			m.measured()
		case replaying:
			m.replay(idle)
		case draining:
			m.drain()
		}
	}
	return nil
}

// warmUp begins the warm-up.
func (m *meter) warmUp() {
	m.stage, m.start = warmingUp, m.net.Now()
	m.limit = m.start + router.Cycle(m.phases.WarmUp)*m.ticks
	if m.phases.WarmUp == AutoWarmUp {
		m.latency, m.taken = math.NaN(), math.NaN() // near nothing
		m.nextBatch()
	}
}

// nextBatch begins a batch of an automatic warm-up.
func (m *meter) nextBatch() {
	m.batch, m.earlier = half{}, m.net.Delivered()
	m.limit = m.net.Now() + batch*m.ticks
}

// warmedUp ends the warm-up, or begins another batch of it.
func (m *meter) warmedUp() {
	if m.phases.WarmUp == AutoWarmUp {
		latency, taken := m.batch.mean(), float64(m.net.Delivered()-m.earlier)
		m.batches++
		if m.batches < mostBatches && !(near(m.latency, latency, batchChange) && near(m.taken, taken, batchChange)) {
			m.latency, m.taken = latency, taken
			m.nextBatch()
			return
		}
	}
	m.from = m.net.Now()
	m.r.WarmUp = m.from - m.start
	m.before = m.passed()
	for _, u := range m.net.LinkUses() {
		m.used = append(m.used, u.Busy)
	}
	if m.keepLinks {
		m.uses = m.net.LinkUse()
	}
	if m.phases.Measure == 0 {
		m.stage = replaying
		m.replay(false)
		return
	}
	m.stage, m.until = measuring, m.from+router.Cycle(m.phases.Measure)*m.ticks
	m.limit = m.until
}

// replay goes on with all packets that the source has, and ends the measurement after them.
func (m *meter) replay(idle bool) {
	if !idle && !m.source.Finished() {
		m.limit = m.net.Now() + m.stride()
		return
	}
	m.stage, m.until = ended, max(m.from+1, m.net.LastTaken())
	m.end()
}

// stride is how long a part of a replay lasts: more and more while no packet is generated or delivered, so that long gaps of a trace take few parts.
func (m *meter) stride() router.Cycle {
	moved := m.passed()
	if moved != m.last || m.part == 0 {
		m.last, m.part = moved, batch*m.ticks
	} else {
		m.part = min(2*m.part, longestPart)
	}
	return m.part
}

// longestPart bounds the ticks of a part.
const longestPart = 1 << 40

// measured ends the measurement proper.
func (m *meter) measured() {
	m.end()
	if m.r.Cause, m.r.Unstable = m.growing(); m.r.Cause != "" {
		m.stage = ended
		return
	}
	m.stage = draining
	m.drain()
}

// drain lets the load go on until all measured packets have been delivered or lost.
func (m *meter) drain() {
	most := m.until + router.Cycle(m.phases.Drain)*m.ticks
	if m.missing > 0 && m.net.Now() < most {
		m.limit = min(most, m.net.Now()+batch*m.ticks)
		return
	}
	m.stage, m.r.Drain = ended, m.net.Now()-m.until
	m.r.Cause, m.r.Unstable = m.rising()
}

// goOn runs the clock until a cycle, or the end of a trace.
func (m *meter) goOn(until router.Cycle) error {
	for m.net.Now() < until {
		if m.phase.Due() {
			m.phase.Set(int(m.net.Now()/m.ticks), 0)
			m.phase.Describe(fmt.Sprintf("cycle %d", m.net.Now()/m.ticks))
		}
		err := m.net.Run(m.ctx, min(until, m.net.Now()+max(batch*m.ticks, m.part)))
		if err == nil {
			return nil // the trace has ended
		}
		if !errors.Is(err, fabric.ErrLimit) {
			return err
		}
	}
	return nil
}

// near reports whether a figure differs from the last one by at most a share of it.
func near(last, now, share float64) bool { return math.Abs(now-last) <= share*last }

// Cause is why a load is not steady.
type Cause string

// The causes.
const (
	PiledUp      Cause = "flits pile up"
	NotDelivered Cause = "packets are not delivered"
	Rising       Cause = "the latency rises"
	Deadlocked   Cause = "deadlock"
	TooSlow      Cause = "the latency is above the limit" // which the user has set
)

// growing says why the queues grow; "" if they do not. Lost packets are no longer in them.
func (m *meter) growing() (Cause, string) {
	flits, packets := m.inMeasurement(), float64(m.r.Packets)
	made, gone := float64(flits.made), float64(flits.taken+flits.lost)
	if packets == 0 {
		return "", ""
	}
	slack := made / packets * float64(m.r.Sources) // a packet of each source is noise
	if made-gone > mostGrowth*made+slack {
		return PiledUp, fmt.Sprintf("%.1f%% of the flits generated in the measurement have piled up", 100*(made-gone)/made)
	}
	return m.behind(made / packets)
}

// behind says which node falls behind the most; "" if none does. Few nodes that share an overloaded link are a small part of the load. The queue of a node that is not overloaded does not grow in both halves of the
// measurement by more than chance: by more than the deviation of what the node generates, where a link is never idle by half of it.
func (m *meter) behind(perPacket float64) (Cause, string) {
	deviations := 1.5
	if m.r.Links.Most >= 1 {
		deviations = 0.5
	}
	worst, most := -1, int64(0)
	for node := range m.balances[0] {
		grows := true
		for half := range m.balances {
			b := &m.balances[half][node]
			made := float64(b.made)
			grows = grows && float64(b.grown) > mostGrowth*made+deviations*math.Sqrt(made*max(perPacket, m.source.burst))
		}
		if grown := m.balances[0][node].grown + m.balances[1][node].grown; grows && grown > most {
			worst, most = node, grown
		}
	}
	if worst < 0 {
		return "", ""
	}
	return PiledUp, fmt.Sprintf("%d flits of node %d have piled up, in both halves of the measurement", most, worst)
}

// rising says why the latencies are not those of a steady load; "" if they are. Latencies that fall are no sign of
// overload: the queues drain.
func (m *meter) rising() (Cause, string) {
	if m.missing > 0 {
		return NotDelivered, fmt.Sprintf("%d measured packets were not delivered in the drain", m.missing)
	}
	first, second := &m.halves[0], &m.halves[1]
	if min(first.count, second.count) >= fewestInHalf && second.mean() > (1+mostRise)*first.mean() {
		return Rising, fmt.Sprintf("the mean latency rose from %.1f cycles in the first half of the measurement to %.1f in the second",
			first.mean()/float64(m.ticks), second.mean()/float64(m.ticks))
	}
	return "", ""
}

// close sums up, also after a deadlock.
func (m *meter) close() {
	r := m.r
	r.Missing, r.Vanished = m.missing+m.vanished, m.vanished
	lost := m.net.Losses()
	r.Lost = lost.Messages()
	if m.from == fabric.Never {
		return
	}
	end := min(m.until, m.net.Now())
	if m.net.Now() < m.until {
		m.end()
	}
	if r.Measure = end - m.from; r.Measure > 0 {
		per := float64(r.Measure) * float64(r.Sources)
		flits := m.inMeasurement()
		r.Offered, r.Accepted = float64(flits.made)/per, float64(flits.taken)/per
	}
	r.Fairness = m.fairness()
}

// fairness compares the sources.
func (m *meter) fairness() Fairness {
	f := Fairness{Fewest: math.MaxUint64}
	sum, squares := 0.0, 0.0
	for node := range m.source.senders() {
		flits := m.delivered[node]
		f.Fewest, f.Most = min(f.Fewest, flits), max(f.Most, flits)
		sum += float64(flits)
		squares += float64(flits) * float64(flits)
	}
	if squares > 0 {
		f.Jain = sum * sum / squares / float64(m.source.count())
	}
	return f
}
