// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/capture"
	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/traffic"
	"meshwright/internal/atomicfile"
	"meshwright/internal/input"
	"meshwright/internal/teardown"
	"meshwright/study"
	"meshwright/study/point"
)

// trafficFlags describe synthetic load and its measurement.
type trafficFlags struct {
	machineFlags
	pattern, rate, flits, reply string
	warmUp                      string
	cycles, drain, seeds        int
	injection                   traffic.Injection
	seed                        uint64
	saturation                  bool
	resolution, mostLatency     float64
	network                     *fabric.Network   // of the only run; nil: there are several
	measured                    *capture.Measured // what the only run has measured; nil before, and of a trace
	outputs                     []string          // the curve, as rows or as a picture
	perNode, perPair, histogram string
	perLink, activity           string
	json                        bool
	trace                       traceFlags
	wave                        waveFlags
	saves                       checkpointFlags
	watch                       watchFlags // of watch traffic
}

// autoWarmUp lets the measurement find the end of the warm-up.
const autoWarmUp = "auto"

func newTraffic() *cobra.Command {
	cmd, _ := trafficCommand()
	return cmd
}

// trafficCommand makes the verb and its flags.
func trafficCommand() (*cobra.Command, *trafficFlags) {
	f := &trafficFlags{pattern: "uniform", flits: point.DefaultFlits, warmUp: autoWarmUp, cycles: point.DefaultCycles, drain: point.DefaultDrain, seeds: 1, resolution: point.DefaultResolution}
	f.injection.OnRate = 1
	cmd := &cobra.Command{
		Use:        "traffic --topology T --rate R [--pattern P]",
		SuggestFor: []string{"load", "latency", "throughput", "saturation"},
		Short:      "Measure latency and throughput under synthetic traffic, and find the load that saturates a network",
		Long: `Lets nodes send packets to one another at random, and measures how long the packets take and how
many flits the network accepts. A rate is in flits per source and cycle, replies included; the
injection rate of BookSim is in packets. Several rates give the load-latency curve, and --saturation
searches for the highest rate that the network sustains. Packets wait at their source in a
queue without bound.

A measurement has three phases: a warm-up, the measurement proper, and a drain. Only packets
that are generated in the measurement are measured; the load goes on until all of them have been
delivered. The load is stable if the flits in flight grow in the measurement by at most 1 % of the
flits generated, no node falls behind in both halves of it, all measured packets are delivered in
the drain, and the mean latency rises by at most 50 % from the first half to the second; with
--latency-limit it is also at most that. The exit code is 1 after a deadlock.

With --faults known the routings updown and table go around dead nodes and links, and dead nodes
neither send nor receive.

A trace shows all three phases, the figures are of the measurement alone; --from and --until choose
the cycles that a trace shows.

docs/traffic.md defines every figure.`,
		Example: `  meshwright traffic --topology mesh:8x8 --rate 0.1
  meshwright traffic --topology mesh:8x8 --pattern transpose --rate 0.02:0.3:0.02 --out curve.svg
  meshwright traffic --topology mesh:8x8 --rate 0.1 --warmup 100 --cycles 200 --trace run.html
  meshwright traffic --topology torus:8x8 --pattern hotspot:27@0.1 --flits 1@0.5,8@0.5 --saturation --json`,
		Args: arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	f.addTraffic(cmd)
	f.machineFlags.add(cmd)
	f.simulates = true
	addJSON(cmd, &f.json)
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringArrayVarP(&f.outputs, "out", "o", nil, "write the curve, a row for each rate, or draw latencies over rates: `FILE`.csv, .svg or .pdf (may be repeated)")
		flags.StringVar(&f.perNode, "per-node", "", "write the throughput of every node that sends: `FILE.csv`")
		flags.StringVar(&f.perPair, "per-pair", "", "write the throughput of every pair of nodes between which packets went: `FILE.csv`")
		flags.StringVar(&f.perLink, "per-link", "", "write the flits, packets, busy share and blocked cycles of every link: `FILE.csv`")
		flags.StringVar(&f.activity, "activity", "", "write how many flits every router wrote into buffers, read from them, and sent through its crossbar and over links: `FILE.csv`")
		flags.StringVar(&f.histogram, "histogram", "", "write how many packets had each packet latency: `FILE.csv`")
	})
	f.trace.add(cmd)
	f.wave.add(cmd)
	f.saves.add(cmd)
	return cmd, f
}

// addTraffic adds the flags of the load.
func (f *trafficFlags) addTraffic(cmd *cobra.Command) {
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVarP(&f.pattern, "pattern", "p", f.pattern, "`pattern` of destinations: "+traffic.PatternForms()+" (permutation: a CSV file source,destination; matrix: a CSV file source,destination,weight; trace: a CSV file cycle,source,destination,flits)")
		flags.StringVar(&f.rate, "rate", "", "flits per source and cycle, above 0, at most 1; a list 0.1,0.2 or FROM:TO:STEP gives a curve")
		flags.BoolVar(&f.saturation, "saturation", false, "search for the highest rate that is stable; with --seeds also for each seed alone")
		flags.Float64Var(&f.resolution, "resolution", f.resolution, "of --saturation: how close the search comes, in flits per source and cycle")
		flags.Float64Var(&f.mostLatency, "latency-limit", 0, "a load with a higher mean packet latency, in `cycles`, counts as not stable (default: no limit)")
		flags.StringVar(&f.flits, "flits", f.flits, "flits of a packet: a number, or a mix with weights such as 1@0.6,8@0.4")
		flags.StringVar(&f.reply, "reply", "", "every packet is a request, and its receiver answers, in the cycle in which it takes the tail, with a packet of this size, or mix of sizes as with --flits")
		flags.Float64Var(&f.injection.Burst, "burst", 0, "mean `cycles` of a burst: sources are on or off, and send only while on (default: a Bernoulli process)")
		flags.Float64Var(&f.injection.OnRate, "burst-rate", f.injection.OnRate, "of --burst: flits per cycle of a source that is on")
		flags.StringVar(&f.warmUp, "warmup", f.warmUp, "cycles before the measurement, or auto: until two batches of 1000 cycles differ by at most 5 % in latency and throughput, at most 20 batches")
		flags.IntVar(&f.cycles, "cycles", f.cycles, "cycles of the measurement")
		flags.IntVar(&f.drain, "drain", f.drain, "most cycles until the measured packets have been delivered")
		flags.Uint64Var(&f.seed, "seed", 1, "seed of the random packets")
		flags.IntVar(&f.seeds, "seeds", f.seeds, "runs at each rate, with seeds from --seed on; figures get intervals of 95 % confidence")
	})
}

// keep is what the files need that were asked for.
func (f *trafficFlags) keep() traffic.Keep {
	return traffic.Keep{
		Nodes: f.perNode != "", Pairs: f.perPair != "", LinkUse: f.trace.draws(), Activity: f.perLink != "" || f.activity != "",
	}
}

// load makes the study, and the rates to measure; none of a trace, or of a search.
func (f *trafficFlags) load(cmd *cobra.Command) (*study.LoadStudy, []float64, error) {
	s := &study.LoadStudy{Seeds: f.seeds, Keep: f.keep(), KeepLatencies: f.histogram != ""}
	rates, err := f.check(cmd, s)
	if err != nil {
		return nil, nil, err
	}
	if err := f.files(cmd); err != nil {
		return nil, nil, err
	}
	if s.Topology, s.Machine, err = f.machineFlags.load(cmd); err != nil {
		return nil, nil, err
	}
	if s.Machine.Switching == machine.Bufferless {
		return nil, nil, input.At("--machine", 0, "expected a machine with buffers: wormhole, cut-through or store-forward", "packets of random traffic collide on machine %s", s.Machine.Title())
	}
	largest := max(s.Load.Requests.Largest(), s.Load.Replies.Largest())
	if file, ok := traffic.TraceFile(f.pattern); ok {
		if s.Trace, err = traffic.ReadTrace(file, s.Topology.Nodes()); err != nil {
			return nil, nil, err
		}
		largest = s.Trace.Largest()
	} else if s.Load.Pattern, err = traffic.ParsePattern(f.pattern, s.Topology); err != nil {
		return nil, nil, input.Locate(err, "--pattern", 0)
	}
	if s.Machine, err = s.Machine.FitPackets(largest); err != nil {
		return nil, nil, err
	}
	_, err = s.GoAround()
	return s, rates, input.Locate(err, "--faults", 0)
}

// check judges the flags that do not depend on the network.
func (f *trafficFlags) check(cmd *cobra.Command, s *study.LoadStudy) ([]float64, error) {
	if _, ok := traffic.TraceFile(f.pattern); ok {
		return nil, f.checkTrace(cmd, s)
	}
	var rates []float64
	var err error
	switch {
	case f.saturation && f.rate != "":
		return nil, input.Errorf("expected one of them", "--rate and --saturation")
	case !f.saturation && cmd.Flags().Changed("resolution"):
		return nil, input.At("--resolution", 0, "expected --saturation", "given without a search")
	case f.saturation:
		if err := study.CheckResolution(f.resolution); err != nil {
			return nil, input.Locate(err, "--resolution", 0)
		}
	case !f.saturation:
		if rates, err = study.ParseRates(f.rate); err != nil {
			return nil, input.Locate(err, "--rate", 0)
		}
	}
	if s.Load.Requests, err = traffic.ParseSizes(f.flits); err != nil {
		return nil, input.Locate(err, "--flits", 0)
	}
	if f.reply != "" {
		if s.Load.Replies, err = traffic.ParseSizes(f.reply); err != nil {
			return nil, input.Locate(err, "--reply", 0)
		}
	}
	if s.MostLatency = f.mostLatency; cmd.Flags().Changed("latency-limit") {
		if err := study.CheckLatency(f.mostLatency); err != nil {
			return nil, input.Locate(err, "--latency-limit", 0)
		}
	}
	s.Load.Seed = f.seed
	if err := f.checkBurst(cmd, s, rates); err != nil {
		return nil, err
	}
	return rates, f.checkPhases(s)
}

// checkBurst judges the injection process.
func (f *trafficFlags) checkBurst(cmd *cobra.Command, s *study.LoadStudy, rates []float64) error {
	if !cmd.Flags().Changed("burst") {
		if cmd.Flags().Changed("burst-rate") {
			return input.At("--burst-rate", 0, "expected --burst", "given without bursts")
		}
		return nil
	}
	if !(f.injection.Burst >= 1) {
		return input.At("--burst", 0, "expected at least 1", "%g", f.injection.Burst)
	}
	s.Load.Injection = f.injection
	for _, rate := range append([]float64{0}, rates...) {
		if err := f.injection.Valid(rate); err != nil {
			return input.Locate(err, "--burst", 0)
		}
	}
	return nil
}

// mostCycles bounds the phases.
const mostCycles = 1_000_000_000

func (f *trafficFlags) checkPhases(s *study.LoadStudy) error {
	s.Phases = traffic.Phases{WarmUp: traffic.AutoWarmUp, Measure: f.cycles, Drain: f.drain}
	if f.warmUp != autoWarmUp {
		cycles, err := strconv.Atoi(f.warmUp)
		if err != nil || cycles < 0 || cycles > mostCycles {
			return input.At("--warmup", 0, fmt.Sprintf("expected 0 to %d, or auto", mostCycles), "%q", input.Clip(f.warmUp))
		}
		s.Phases.WarmUp = cycles
	}
	for _, number := range []struct {
		flag              string
		value, least, top int
	}{{"--cycles", f.cycles, 1, mostCycles}, {"--drain", f.drain, 0, mostCycles}, {"--seeds", f.seeds, 1, study.MostSeeds}} {
		if number.value < number.least || number.value > number.top {
			return input.At(number.flag, 0, fmt.Sprintf("expected %d to %d", number.least, number.top), "%d", number.value)
		}
	}
	return nil
}

// checkTrace refuses the flags of random traffic.
func (f *trafficFlags) checkTrace(cmd *cobra.Command, s *study.LoadStudy) error {
	for _, name := range []string{"rate", "saturation", "resolution", "latency-limit", "flits", "reply", "burst", "burst-rate", "warmup", "cycles", "drain", "seeds"} {
		if cmd.Flags().Changed(name) {
			return input.At("--"+name, 0, "expected none: the trace says which packets there are, and all of them are measured", "given with a trace")
		}
	}
	s.Phases = traffic.Phases{}
	return nil
}

// loadTable is a table of a curve that a flag asks for.
type loadTable struct {
	flag, path string // no path: not asked for
	write      func(*study.LoadCurve, io.Writer) error
}

// tables are those besides the curve itself.
func (f *trafficFlags) tables() []loadTable {
	return []loadTable{
		{"--per-node", f.perNode, (*study.LoadCurve).WriteNodes},
		{"--per-pair", f.perPair, (*study.LoadCurve).WritePairs},
		{"--per-link", f.perLink, (*study.LoadCurve).WriteLinks},
		{"--activity", f.activity, (*study.LoadCurve).WriteActivity},
		{"--histogram", f.histogram, (*study.LoadCurve).WriteLatencies},
	}
}

// files refuses names before any work is done.
func (f *trafficFlags) files(cmd *cobra.Command) error {
	var paths input.Paths
	f.inputs(&paths)
	if file, ok := traffic.PatternFile(f.pattern); ok {
		paths.Read("--pattern", file)
	}
	for _, path := range f.outputs {
		if err := paths.WriteAs(outFlag, path, append([]string{".csv"}, study.PlotFormats()...)...); err != nil {
			return err
		}
	}
	for _, file := range f.tables() {
		if file.path == "" {
			continue
		}
		if err := paths.WriteAs(file.flag, file.path, ".csv"); err != nil {
			return err
		}
	}
	if err := f.trace.check(&paths); err != nil {
		return err
	}
	if err := f.trace.window.check(cmd, "--trace", f.trace.any()); err != nil {
		return err
	}
	if err := f.wave.check(cmd, &paths); err != nil {
		return err
	}
	if err := f.wave.without(&f.saves); err != nil {
		return err
	}
	if err := f.trace.without(&f.saves); err != nil {
		return err
	}
	return f.saves.check(cmd, &paths)
}

// prepare lets the run of a study write captures, a waveform or checkpoints, or serve a page; several runs have no
// common ones.
func (f *trafficFlags) prepare(cmd *cobra.Command, s *study.LoadStudy, rates []float64, title string) error {
	if f.saturation || len(rates) > 1 || f.seeds > 1 {
		return f.refuseSeveral()
	}
	s.Prepare = func(n *fabric.Network) error {
		f.network = n
		opts, err := f.trace.window.options(n.Topology, title)
		if err != nil {
			return err
		}
		opts.Measured = func() *capture.Measured { return f.measured }
		if err := f.trace.open(n, opts); err != nil {
			return err
		}
		if err := f.wave.open(n); err != nil {
			return err
		}
		if err := f.saves.open(cmd, n, append(jobFacts(cmd, "traffic"), f.trace.facts()...)); err != nil {
			return err
		}
		return f.watch.open(n)
	}
	return f.watch.listen(cmd, f.pattern)
}

// refuseSeveral refuses what only one run has.
func (f *trafficFlags) refuseSeveral() error {
	const want = "expected one rate and one seed"
	switch flag := f.saves.given(); {
	case flag != "":
		return input.At(flag, 0, want, "a checkpoint is of one run")
	case f.trace.stream != nil:
		return input.Errorf(want, "a capture is of one run")
	case f.trace.any():
		return input.At("--trace", 0, want, "a trace is of one run")
	case f.wave.path != "":
		return input.At("--wave", 0, want, "a waveform is of one run")
	case f.watch.on():
		return input.Errorf(want, "watch is of one run")
	}
	return nil
}

// run measures and prints.
func (f *trafficFlags) run(cmd *cobra.Command) error {
	s, rates, err := f.load(cmd)
	if err != nil {
		return err
	}
	defer f.watch.close()
	defer f.trace.abort()
	report := newTrafficReport(f, s)
	report.judge(cmd, s)
	if err := f.prepare(cmd, s, rates, report.title); err != nil {
		return err
	}
	var curve *study.LoadCurve
	switch {
	case f.saturation:
		curve, err = s.Saturation(cmd.Context(), f.resolution)
	case s.Trace != nil:
		curve, err = s.Curve(cmd.Context(), []float64{0})
	default:
		curve, err = s.Curve(cmd.Context(), rates)
	}
	if err != nil {
		return err
	}
	report.add(curve)
	if f.network != nil && s.Trace == nil {
		f.measured = measuredPart(&curve.Points[0].Runs[0])
	}
	if err := f.write(curve, report.title); err != nil {
		return err
	}
	if err := f.writeViews(cmd.Context(), report.title); err != nil {
		return err
	}
	if f.network != nil {
		f.trace.window.sayBeyond(cmd.ErrOrStderr(), f.network)
		f.wave.sayBeyond(cmd.ErrOrStderr(), f.network, 0)
	}
	if f.json {
		err = printJSON(cmd.OutOrStdout(), report)
	} else {
		err = report.print(cmd.OutOrStdout())
	}
	if err == nil && report.Deadlocked {
		err = errFailed
	}
	return err
}

// measuredPart is the part of a run whose packets are measured; nil if the measurement has not begun.
func measuredPart(r *study.LoadRun) *capture.Measured {
	if r.Measure == 0 {
		return nil
	}
	m := &capture.Measured{From: r.Summary.WarmUp, Until: r.Summary.WarmUp + r.Summary.Measure}
	for i := range r.LinkFlow {
		f := &r.LinkFlow[i]
		m.Links = append(m.Links, fabric.LinkUse{Link: i, Flits: f.Flits, Busy: f.Busy, Blocked: f.Blocked})
	}
	return m
}

// write writes the files that were asked for.
func (f *trafficFlags) write(c *study.LoadCurve, title string) error {
	for _, path := range f.outputs {
		curve := func(w io.Writer) error { return c.WriteCSV(w, title) }
		if format := strings.ToLower(filepath.Ext(path)); slices.Contains(study.PlotFormats(), format) {
			curve = func(w io.Writer) error { return c.Plot(w, title, format) }
		}
		if err := atomicfile.Write(path, curve); err != nil {
			return err
		}
	}
	for _, file := range f.tables() {
		if file.path == "" {
			continue
		}
		if err := atomicfile.Write(file.path, func(w io.Writer) error { return file.write(c, w) }); err != nil {
			return err
		}
	}
	return nil
}

// writeViews completes the captures and the waveform that were asked for, and only then puts them at their paths.
func (f *trafficFlags) writeViews(ctx context.Context, title string) error {
	if err := f.trace.finish(); err != nil {
		return err
	}
	files, err := f.wave.write(ctx, title)
	defer files.Abort()
	if err != nil {
		return err
	}
	if files != nil {
		if err := files.Finish(); err != nil {
			return err
		}
	}
	defer teardown.Process.Hold()() // all of them or none
	if files != nil {
		if err := files.Commit(); err != nil {
			return err
		}
	}
	return f.trace.commit()
}
