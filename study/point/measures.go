// SPDX-License-Identifier: Apache-2.0

package point

import (
	"slices"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/firmware/collective"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/rtl/synth"
	"meshwright/study"
)

// Need says what has to be done for a measure. Needs add up.
type Need uint8

// The needs.
const (
	Collective Need = 1 << iota // a run
	Load                        // random traffic
	Area                        // synthesis
	Clock                       // synthesis and placement
	Saturation                  // a search for the load that is too much
)

// Measure is a figure of a point.
type Measure struct {
	Name, Help string
	Unit       string // "": a count, a quotient or a text
	Of         Need
	Text       bool // its figures are texts
	Truth      bool // its figures are 1 and 0, for yes and no
	Most       bool // the greatest figure is the best one; else the least
	Chance     bool // as long as networks keep up with the load, they differ by chance alone

	run      func(*collective.Result) Figure
	load     func(*study.LoadRun) Figure
	curve    func(*study.LoadCurve) Figure
	latency  func(*study.LoadRun) *study.Latency // of a load: only a load that all packets survive has it
	hardware func(*synth.Result) float64
}

// Measures lists all measures.
func Measures() []Measure {
	return slices.Concat(runMeasures(), predictionMeasures(), loadMeasures(), saturationMeasures(), hardwareMeasures())
}

// MeasureOf returns the measure with a name. The error is an *input.Error.
func MeasureOf(name string) (Measure, error) {
	var names []string
	for _, m := range Measures() {
		if m.Name == name {
			return m, nil
		}
		names = append(names, m.Name)
	}
	return Measure{}, input.Errorf(input.Suggest(name, names), "unknown measure %q", input.Clip(name))
}

// perCycle is the unit of loads.
const perCycle = "flits per source and cycle"

// most is a measure whose greatest figure is the best one.
func most(m Measure) Measure {
	m.Most = true
	return m
}

// truth is a measure whose figures are 1 and 0.
func truth(m Measure) Measure {
	m.Truth = true
	return m
}

// chance is a measure that follows the load.
func chance(m Measure) Measure {
	m.Chance = true
	return m
}

func runMeasures() []Measure {
	ticks := func(r *collective.Result, t router.Cycle) float64 { return inCycles(r.Network.Machine, t) }
	of := func(name, unit, help string, f func(*collective.Result) float64) Measure {
		return Measure{Name: name, Help: help, Unit: unit, Of: Collective, run: func(r *collective.Result) Figure { return Number(f(r)) }}
	}
	text := func(name, help string, f func(*collective.Result) string) Measure {
		return Measure{Name: name, Help: help, Of: Collective, Text: true, run: func(r *collective.Result) Figure { return Text(f(r)) }}
	}
	hottest := func(r *collective.Result) fabric.LinkUse {
		_, u, _ := r.Network.Hottest()
		return u
	}
	return []Measure{
		text("chosen", "algorithm that ran: the one that auto chose", func(r *collective.Result) string { return r.Plan.Algorithm }),
		of("cycles", "cycles", "time of the collective", func(r *collective.Result) float64 { return ticks(r, r.Cycles) }),
		of("lower_bound", "cycles", "time that no algorithm beats", func(r *collective.Result) float64 { return ticks(r, r.Plan.LowerBound()) }),
		text("lower_bound_by", "argument of the lower bound", func(r *collective.Result) string { return string(r.Plan.Bound().Proof) }),
		of("ratio", "", "time by lower bound", (*collective.Result).Ratio),
		of("quiet_cycles", "cycles", "time until the network is quiet", func(r *collective.Result) float64 { return ticks(r, r.Network.Quiet()) }),
		of("messages", "", "messages, or packets", func(r *collective.Result) float64 { return float64(r.Plan.Messages) }),
		of("flits", "flits", "flits of data", func(r *collective.Result) float64 { return float64(r.Plan.Flits) }),
		of("max_buffer_flits", "flits", "flits in the fullest buffer", func(r *collective.Result) float64 { return float64(r.MaxBufferFlits) }),
		of("hottest_link.flits", "flits", "flits over the busiest link", func(r *collective.Result) float64 { return float64(hottest(r).Flits) }),
		of("hottest_link.busy_fraction", "", "part of the time in which the busiest link is busy", func(r *collective.Result) float64 { return r.Network.BusyShare(hottest(r)) }),
	}
}

// inCycles converts a time of the model.
func inCycles(m machine.Machine, t router.Cycle) float64 { return float64(t) / float64(m.Ticks()) }

// The names of what predict finds.
const (
	formulaName = "formula"
	// Simulated is 1 if a collective ran, and 0 if its time is predicted.
	Simulated = "simulated"
)

// predictionMeasures are the measures of all-gathers on machines with one half-duplex channel, and of what has run.
func predictionMeasures() []Measure {
	return []Measure{
		{Name: formulaName, Help: "time by the algorithm's formula, on machines with nic.channels 1 and nic.duplex half", Unit: "cycles", Of: Collective},
		{Name: Simulated, Truth: true, Help: "1 if the collective ran and every word was compared, 0 if its time is predicted", Of: Collective},
	}
}

// stable is the name of the measure of steadiness.
const stable = "stable"

func loadMeasures() []Measure {
	of := func(name, unit, help string, f func(*study.LoadRun) float64) Measure {
		return Measure{Name: name, Help: help, Unit: unit, Of: Load, load: func(r *study.LoadRun) Figure { return Number(f(r)) }}
	}
	list := []Measure{
		chance(most(of("accepted", perCycle, "flits accepted per source and cycle", func(r *study.LoadRun) float64 { return r.Accepted }))),
		chance(most(of("offered", perCycle, "flits offered per source and cycle", func(r *study.LoadRun) float64 { return r.Offered }))),
		most(of("fairness", "", "Jain's index over the sources", func(r *study.LoadRun) float64 { return r.Fairness.Jain })),
		of("links.busy_max", "", "part of the measurement in which the busiest link is busy", func(r *study.LoadRun) float64 { return r.Links.Most }),
		of("links.busy_mean", "", "the same, the mean of all links", func(r *study.LoadRun) float64 { return r.Links.Mean }),
		truth(most(of(stable, "", "1 if the load is steady, else 0", func(r *study.LoadRun) float64 {
			if r.Cause == "" {
				return 1
			}
			return 0
		}))),
		{
			Name: "unstable_cause", Help: "why the load is not steady", Of: Load, Text: true,
			load: func(r *study.LoadRun) Figure { return Text(string(r.Cause)) },
		},
	}
	for _, l := range []struct {
		name, help string
		of         func(*study.LoadRun) *study.Latency
	}{
		{"packet_latency", "from the generation of a packet to its delivery", func(r *study.LoadRun) *study.Latency { return &r.Packet }},
		{"network_latency", "from the first flit in the network to the delivery", func(r *study.LoadRun) *study.Latency { return &r.Network }},
		{"head_latency", "until the head is at its destination", func(r *study.LoadRun) *study.Latency { return &r.Head }},
		{"request_latency", "the packet latency of requests that are answered", func(r *study.LoadRun) *study.Latency { return &r.Request }},
		{"reply_latency", "the packet latency of replies", func(r *study.LoadRun) *study.Latency { return &r.Reply }},
		{"round_trip", "from the generation of a request to the delivery of its reply", func(r *study.LoadRun) *study.Latency { return &r.RoundTrip }},
	} {
		for _, figure := range []struct {
			name string
			of   func(*study.Latency) float64
		}{
			{"mean", func(l *study.Latency) float64 { return l.Mean }}, {"median", func(l *study.Latency) float64 { return l.Median }},
			{"p95", func(l *study.Latency) float64 { return l.P95 }}, {"p99", func(l *study.Latency) float64 { return l.P99 }},
			{"max", func(l *study.Latency) float64 { return l.Max }},
		} {
			m := of(l.name+"."+figure.name, "cycles", l.help+", "+figure.name, func(r *study.LoadRun) float64 { return figure.of(l.of(r)) })
			m.latency = l.of
			list = append(list, m)
		}
	}
	return list
}

// saturationMeasures are found by a search over the rates of a load.
func saturationMeasures() []Measure {
	of := func(name, unit, help string, f func(*study.LoadCurve) float64) Measure {
		return Measure{Name: name, Help: help, Unit: unit, Of: Saturation, curve: func(c *study.LoadCurve) Figure { return Number(f(c)) }}
	}
	return []Measure{
		most(of("saturation.highest_stable_rate", perCycle, "most flits per source and cycle that are steady, found by a search; 0 if no rate is", func(c *study.LoadCurve) float64 { return c.Stable })),
		most(of("saturation.highest_accepted", perCycle, "most flits accepted per source and cycle at any rate of the search", func(c *study.LoadCurve) float64 {
			most, _ := c.Accepted()
			return most
		})),
	}
}

func hardwareMeasures() []Measure {
	area := func(name, help string, f func(*synth.Area) int) Measure {
		return Measure{Name: name, Help: help, Of: Area, hardware: func(r *synth.Result) float64 { return float64(f(&r.Area)) }}
	}
	return []Measure{
		area("lut4", "look-up tables with four inputs", func(a *synth.Area) int { return a.LUT4 }),
		area("lut6", "look-up tables with six inputs", func(a *synth.Area) int { return a.LUT6 }),
		area("gates", "NAND, NOR and inverters", func(a *synth.Area) int { return a.Gates }),
		area("ff", "flip-flops", func(a *synth.Area) int { return a.FF }),
		area("bram", "block RAMs", func(a *synth.Area) int { return a.BRAM }),
		most(Measure{Name: "mhz", Help: "clock of the slowest placement", Unit: "MHz", Of: Clock, hardware: (*synth.Result).Slowest}),
	}
}
