// SPDX-License-Identifier: Apache-2.0

package study

import (
	"cmp"
	"context"
	"fmt"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/internal/parallel"
	"meshwright/internal/progress"
)

// LoadStudy measures a network under synthetic load, at several rates and with several seeds.
type LoadStudy struct {
	Topology *topology.Topology
	Machine  machine.Machine
	Load     traffic.Load   // Seed is that of the first run; Rate and Headers are ignored: they are the point's and the machine's
	Trace    *traffic.Trace // instead of a load; nil: none
	Phases   traffic.Phases
	Keep     traffic.Keep
	Seeds    int // runs at each rate, 1 to 1000

	// MostLatency is the mean packet latency, in cycles, above which a run counts as not steady; 0: there is no limit.
	MostLatency float64

	KeepLatencies bool // each run has LoadRun.Latencies

	Workers int // goroutines; 0: one for each core
	Cores   int // of each run; 0: its share of all cores

	around *fabric.Around // see GoAround
	fitted bool           // GoAround has been called

	// Prepare is called with the network of each run before the first cycle; nil: nothing is.
	Prepare func(*fabric.Network) error
}

// MostLatency bounds the limit of the latency, in cycles.
const MostLatency = 1e9

// MostSeeds bounds the runs of a LoadStudy at a rate.
const MostSeeds = 1000

// valid refuses a study that has no runs, and one that nothing could end.
func (s *LoadStudy) valid(ctx context.Context, rates []float64) error {
	if ctx == nil {
		return input.Errorf("expected a context", "no context")
	}
	if s.MostLatency != 0 {
		if err := CheckLatency(s.MostLatency); err != nil {
			return input.Locate(err, "latency limit", 0)
		}
	}
	if err := s.Topology.Valid(); err != nil {
		return err
	}
	switch {
	case s.Seeds < 1 || s.Seeds > MostSeeds:
		return input.Errorf(fmt.Sprintf("expected 1 to %d", MostSeeds), "%s at each rate", input.Count(s.Seeds, "seed"))
	case len(rates) == 0:
		return input.Errorf("expected at least one", "no rates")
	case len(rates) > maxRates:
		return input.Errorf(fmt.Sprintf("expected at most %d", maxRates), "%d rates", len(rates))
	}
	return s.Machine.Valid()
}

// GoAround leaves out packets from and to nodes that are known to be dead, and returns what the routes go around; nil if no faults are known. The
// study calls it before its first run. The error, an *input.Error, refuses routes that do not go around known faults, and faults
// that leave no route between two live nodes, or no packets.
func (s *LoadStudy) GoAround() (*fabric.Around, error) {
	if s.fitted {
		return s.around, nil
	}
	m, err := s.Machine.Resolve(s.Topology)
	if err != nil {
		return nil, err
	}
	if err := m.KnowsFaults(s.Topology); err != nil {
		return nil, err
	}
	if s.around, err = fabric.NewAround(s.Topology, m); err != nil {
		return nil, err
	}
	switch {
	case s.around == nil:
	case s.Trace != nil:
		s.Trace, err = s.Trace.Among(s.around.Live)
	case s.Load.Pattern != nil:
		s.Load.Pattern, err = traffic.Among(s.Load.Pattern, s.Topology, s.around.Live)
	}
	s.fitted = err == nil
	return s.around, err
}

// Latency is the distribution of a time of packets, in cycles.
type Latency struct{ Count, Mean, Median, P95, P99, Max float64 }

// LoadRun is the measurement with one seed. The times that stand here are in cycles of the
// machine, and hide the fields of the same name in the summary.
type LoadRun struct {
	traffic.Summary           // in ticks of the network's clock
	Seed                      uint64
	Ticks                     float64 // of a cycle
	Packet, Network, Head     Latency
	Request, Reply, RoundTrip Latency // Count 0 without replies
	Offered, Accepted         float64 // flits per source and cycle
	WarmUp, Measure, Drain    float64 // how long the phases lasted
	Fewest, Most              float64 // flits per cycle that were delivered of a source, replies left out

	Latencies *traffic.Histogram // packet latencies, in ticks; nil unless kept
}

// Empty reports whether nobody can say if the load is steady: a run had no packets to judge by, and no other run was unstable.
func (p *LoadPoint) Empty() bool { return p.Stable() && (len(p.Runs) == 0 || p.EmptyRuns() > 0) }

// EmptyRuns counts the runs without a measured packet. A run that a deadlock has ended is none of them.
func (p *LoadPoint) EmptyRuns() int {
	empty := 0
	for i := range p.Runs {
		if r := &p.Runs[i]; r.Packets == 0 && r.Deadlock == nil {
			empty++
		}
	}
	return empty
}

// LoadPoint is the runs at one rate, one for each seed.
type LoadPoint struct {
	Rate float64 // 0 of a trace
	Runs []LoadRun
}

// Stable reports whether the load was steady in all runs.
func (p *LoadPoint) Stable() bool {
	cause, _ := p.Unstable()
	return cause == ""
}

// Unstable says why the load was not steady in a run, without and with figures; "" if it was in all. A deadlock comes
// before the other causes.
func (p *LoadPoint) Unstable() (cause traffic.Cause, figures string) {
	for i := range p.Runs {
		r := &p.Runs[i]
		if r.Cause == traffic.Deadlocked {
			return r.Cause, r.Unstable
		}
		if cause == "" {
			cause, figures = r.Cause, r.Unstable
		}
	}
	return cause, figures
}

// Deadlock returns the deadlock that ended a run; nil if none did.
func (p *LoadPoint) Deadlock() error {
	for i := range p.Runs {
		if p.Runs[i].Deadlock != nil {
			return p.Runs[i].Deadlock
		}
	}
	return nil
}

// Latent reports whether the point has latencies: all measured packets were delivered in all runs, unless they were
// lost to faults. The packets that were delivered alone are the lucky ones, whose latencies say nothing of the load.
func (p *LoadPoint) Latent() bool {
	for i := range p.Runs {
		if r := &p.Runs[i]; r.Missing > r.Vanished || r.Packet.Count == 0 {
			return false
		}
	}
	return true
}

// Measured reports whether the measurement has begun in all runs. A deadlock in the warm-up leaves nothing measured, and
// a point without runs has nothing.
func (p *LoadPoint) Measured() bool {
	for i := range p.Runs {
		if p.Runs[i].Measure == 0 {
			return false
		}
	}
	return len(p.Runs) > 0
}

// Figure estimates a figure from the runs of a point; without runs, or without a figure, it is the estimate of nothing.
func (p *LoadPoint) Figure(of func(*LoadRun) float64) Estimate {
	if of == nil {
		return NewEstimate(nil)
	}
	values := make([]float64, len(p.Runs))
	for i := range p.Runs {
		values[i] = of(&p.Runs[i])
	}
	return NewEstimate(values)
}

// points measures all rates, each with all seeds, on all cores. The result does not depend on the number of workers.
func (s *LoadStudy) points(ctx context.Context, rates []float64) ([]LoadPoint, error) {
	if err := s.valid(ctx, rates); err != nil {
		return nil, err
	}
	if _, err := s.GoAround(); err != nil {
		return nil, err
	}
	workers, err := s.workers(ctx)
	if err != nil {
		return nil, err
	}
	var jobs []loadJob
	for _, rate := range rates {
		for k := range s.Seeds {
			jobs = append(jobs, loadJob{rate, k})
		}
	}
	runs, err := s.measure(ctx, workers, jobs)
	points := make([]LoadPoint, len(rates))
	for i, rate := range rates {
		points[i] = LoadPoint{Rate: rate, Runs: runs[i*s.Seeds : (i+1)*s.Seeds : (i+1)*s.Seeds]}
	}
	return points, err
}

// loadJob is a run to measure, by its rate and the place of its seed.
type loadJob struct {
	rate float64
	seed int
}

// measure measures runs on all cores, in the order of the jobs.
func (s *LoadStudy) measure(ctx context.Context, workers int, jobs []loadJob) ([]LoadRun, error) {
	runs := make([]LoadRun, len(jobs))
	phase := progress.Begin(ctx, "measure "+input.Count(len(jobs), "run")+" on "+s.Topology.String(), len(jobs))
	defer phase.End()
	inner := ctx // a single run shows how far it is
	if len(jobs) > 1 {
		inner = progress.With(ctx, nil)
	}
	cores := cmp.Or(s.Cores, parallel.Workers()/min(workers, len(jobs)))
	err := parallel.Each(ctx, phase, workers, len(jobs), func() func(int) error {
		return func(i int) (err error) {
			runs[i], err = s.run(inner, jobs[i].rate, s.Load.Seed+uint64(jobs[i].seed), cores)
			return err
		}
	})
	return runs, err
}

// workers returns how many networks fit into the memory at the same time.
func (s *LoadStudy) workers(ctx context.Context) (int, error) {
	most := s.Workers
	if most == 0 {
		most = parallel.Workers()
	}
	one := fabric.Memory(s.Topology, s.Machine) + memory.Bytes(perSource*s.Topology.Nodes())
	if s.Keep.LinkUse || s.Keep.Activity {
		one += memory.Bytes((perLink + perVC*s.Machine.VCs) * s.Topology.AllPorts())
	}
	what := "traffic on " + s.Topology.String()
	for ; most > 1; most-- {
		if memory.Need(ctx, what, memory.Of(float64(most)*float64(one))) == nil {
			return most, nil
		}
	}
	return 1, memory.Need(ctx, what, one)
}

// perSource is the bytes of a node's queue, with a packet, and of the counts of its links.
const perSource = 100

// What a link takes whose counts are kept, and each of its virtual channels, in bytes.
const (
	perLink = 200
	perVC   = 8
)

// run measures one rate with one seed, on so many cores.
func (s *LoadStudy) run(ctx context.Context, rate float64, seed uint64, cores int) (LoadRun, error) {
	n, err := fabric.New(s.Topology, s.Machine)
	if err != nil {
		return LoadRun{}, err
	}
	defer n.Employ(cores)()
	var source *traffic.Source
	if s.Trace != nil {
		source = s.Trace.Source(n.Machine.Ticks())
	} else {
		load := s.Load
		load.Rate, load.Seed, load.Headers = rate, seed, s.Machine.HeaderFlits()
		if source, err = load.Source(s.Topology, n.Machine.Ticks()); err != nil {
			return LoadRun{}, err
		}
	}
	var prepare []func(*fabric.Network) error
	if s.Prepare != nil {
		prepare = append(prepare, s.Prepare)
	}
	r, err := traffic.Measure(ctx, n, source, s.Phases, s.Keep, prepare...)
	if err != nil {
		return LoadRun{}, err
	}
	run := newLoadRun(r, seed, float64(n.Machine.Ticks()))
	run.limit(s.MostLatency)
	if s.KeepLatencies {
		latencies := r.Packet // a copy, so that the other histograms are not kept
		run.Latencies = &latencies
	}
	return run, nil
}

// limit makes a steady run with a higher mean packet latency one that is not; 0 is no limit.
func (r *LoadRun) limit(cycles float64) {
	if cycles > 0 && r.Cause == "" && r.Packet.Mean > cycles {
		r.Cause = traffic.TooSlow
		r.Unstable = fmt.Sprintf("packets take %.2f cycles on average, the limit is %s", r.Packet.Mean, number(cycles))
	}
}

// CheckLatency refuses what no limit of the latency can be.
func CheckLatency(cycles float64) error {
	if !(cycles > 0 && cycles <= MostLatency) {
		return input.Errorf(fmt.Sprintf("expected a number of cycles above 0, at most %d", int(MostLatency)), "%g", cycles)
	}
	return nil
}

// newLoadRun takes the figures from a result, not its histograms.
func newLoadRun(r *traffic.Result, seed uint64, ticks float64) LoadRun {
	run := LoadRun{
		Summary: r.Summary, Seed: seed, Ticks: ticks, Offered: r.Offered * ticks, Accepted: r.Accepted * ticks,
		WarmUp: float64(r.WarmUp) / ticks, Measure: float64(r.Measure) / ticks, Drain: float64(r.Drain) / ticks,
	}
	for _, h := range []struct {
		of *traffic.Histogram
		to *Latency
	}{{&r.Packet, &run.Packet}, {&r.Network, &run.Network}, {&r.Head, &run.Head}, {&r.Request, &run.Request}, {&r.Reply, &run.Reply}, {&r.RoundTrip, &run.RoundTrip}} {
		*h.to = newLatency(h.of, ticks)
	}
	if run.Measure > 0 {
		run.Fewest, run.Most = float64(r.Fairness.Fewest)/run.Measure, float64(r.Fairness.Most)/run.Measure
	}
	return run
}

func newLatency(h *traffic.Histogram, ticks float64) Latency {
	if h.Count() == 0 {
		return Latency{}
	}
	in := func(share float64) float64 { return float64(h.Quantile(share)) / ticks }
	return Latency{
		Count: float64(h.Count()), Mean: h.Mean() / ticks, Median: in(0.5), P95: in(0.95), P99: in(0.99), Max: float64(h.Max()) / ticks,
	}
}
