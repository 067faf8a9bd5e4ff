// SPDX-License-Identifier: Apache-2.0

package point

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"meshwright/fabric"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/internal/memory"
	"meshwright/internal/rational"
	"meshwright/router"
	"meshwright/rtl/synth"
	"meshwright/schedule/workload"
	"meshwright/study"
)

// machine returns the network and its machine: the preset or file first, then single keys.
func (r *Runner) machine(ctx context.Context, s Settings) (*topology.Topology, machine.Machine, error) {
	file, err := machine.Open(cmp.Or(s[KeyMachine], string(machine.Wormhole)))
	if err != nil {
		return nil, machine.Machine{}, err
	}
	m := file.Machine
	for _, k := range machine.Keys() {
		if value, ok := s[k.Name]; ok {
			if err := m.SetGiven(k.Name, value); err != nil {
				return nil, m, err
			}
		}
	}
	if specs, ok := s[keyFaults]; ok {
		seed, err := s.seed()
		if err != nil {
			return nil, m, err
		}
		if m.Faults, err = fault.Parse(strings.Fields(specs), seed); err != nil {
			return nil, m, err
		}
	}
	t, err := r.network(ctx, cmp.Or(s[keyTopology], file.Topology), m)
	if err != nil {
		return nil, m, err
	}
	if m, err = m.Resolve(t); err != nil {
		return nil, m, err
	}
	if m.Faults != nil {
		_, err = m.Faults.On(t, m.Ticks(), m.Width, m.StoredBits())
	}
	return t, m, err
}

// network returns a network that has room in the memory.
func (r *Runner) network(ctx context.Context, spec string, m machine.Machine) (*topology.Topology, error) {
	if spec == "" {
		return nil, input.Errorf("expected topology: mesh:8x8, or another", "no topology")
	}
	if err := memory.Need(ctx, "the network "+spec, fabric.MemoryOf(spec, m)); err != nil {
		return nil, err
	}
	return r.networks.get(spec, func() (*topology.Topology, error) { return topology.ParseWithin(ctx, spec) })
}

// number returns a whole number; the default if the key is not set.
func (s Settings) number(key string, missing, least, most int) (int, error) {
	text, ok := s[key]
	if !ok {
		return missing, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, input.Errorf(fmt.Sprintf("expected a whole number from %d to %d", least, most), "%s: %q", key, input.Clip(text))
	}
	return n, nil
}

// float returns a number; the default if the key is not set.
func (s Settings) float(key string, missing float64) (float64, error) {
	text, ok := s[key]
	if !ok {
		return missing, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, input.Errorf("expected a number", "%s: %q", key, input.Clip(text))
	}
	return x, nil
}

func (s Settings) seed() (uint64, error) {
	text, ok := s[Seed]
	if !ok {
		return fault.DefaultSeed, nil
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, input.Errorf("expected a whole number from 0 to 18446744073709551615", "%s: %q", Seed, input.Clip(text))
	}
	return seed, nil
}

// job makes the job of a collective.
func (s Settings) job(t *topology.Topology, m machine.Machine) (collective.Job, error) {
	j := collective.Job{Topology: t, Machine: m, Root: t.Root}
	kind, err := plan.KindOf(s[keyCollective])
	if err != nil {
		return j, err
	}
	if j.Seed, err = s.seed(); err != nil {
		return j, err
	}
	if text, ok := s[keyLimit]; ok {
		if j.Limit, err = limitOf(text); err != nil {
			return j, err
		}
	}
	if text, ok := s[keyEffort]; ok {
		if j.Effort, err = effortOf(text); err != nil {
			return j, err
		}
	}
	for _, o := range collective.Options() {
		text, ok := s[o.Name]
		if !ok {
			continue
		}
		if err := o.Set(&j, text); err != nil {
			return j, fmt.Errorf("%s: %w", o.Name, err)
		}
	}
	root, err := s.number(KeyRoot, int(t.Root), 0, t.Nodes()-1)
	if err != nil {
		return j, err
	}
	j.Root = router.NodeID(root)
	without := router.None
	if kind.Holders == plan.AllButRoot {
		without = j.Root
	}
	return j, s.lengths(&j, without)
}

// limitOf is the time that a search for a plan has.
func limitOf(text string) (time.Duration, error) {
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 {
		return 0, input.Errorf("expected a time such as 10s or 500ms", "%s: %q", keyLimit, input.Clip(text))
	}
	return limit, nil
}

// effortOf is how much searches for a plan do.
func effortOf(text string) (float64, error) {
	effort, err := strconv.ParseFloat(text, 64)
	if err != nil || plan.CheckEffort(effort) != nil {
		return 0, input.Errorf(plan.EffortWants(), "%s: %q", keyEffort, input.Clip(text))
	}
	return effort, nil
}

// lengths sets the lengths of the blocks and their packets.
func (s Settings) lengths(j *collective.Job, without router.NodeID) (err error) {
	if text, ok := s[keyLengths]; ok {
		j.Lengths, err = workload.ParseLengths(text, j.Topology.Nodes(), without)
	} else {
		var length int
		if length, err = s.length(&j.Machine); err == nil {
			j.Lengths, err = workload.EqualLengths(length, j.Topology.Nodes(), without)
		}
	}
	if err != nil {
		return err
	}
	switch packets := s[keyPackets]; packets {
	case "":
	case plan.BestSplit:
		j.Split = packets
	default:
		j.Packets, err = workload.ParsePackets(packets, j.Lengths, without)
	}
	return err
}

// mostFlits bounds a message.
const mostFlits = 1 << 28

// length returns the flits of every message on a machine.
func (s Settings) length(m *machine.Machine) (int, error) {
	if _, ok := s[keyBytes]; !ok {
		return s.number(keyLength, DefaultLength, 0, mostFlits)
	}
	bytes, err := ParseBytes(s[keyBytes])
	err = input.Locate(err, keyBytes, 0)
	return m.FlitsOf(bytes), err
}

// keySetup is the key of the machine whose values may be fractions.
const keySetup = "setup"

// NumberOf returns the number that a value of a key stands for: itself, the bytes of 64KiB, the quotient of 3/2 as a setup, or the seconds of
// a limit. Key "" has plain numbers alone; ok is false of a value that is no finite number.
func NumberOf(key, value string) (x float64, ok bool) {
	if x, err := strconv.ParseFloat(value, 64); err == nil {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return 0, false
		}
		return x, true
	}
	switch key {
	case keyBytes:
		bytes, err := ParseBytes(value)
		return float64(bytes), err == nil
	case keySetup:
		setup, err := rational.Parse(value)
		return float64(setup.Num()) / float64(setup.Den()), err == nil
	case keyLimit:
		limit, err := time.ParseDuration(value)
		return limit.Seconds(), err == nil
	}
	return 0, false
}

// ParseBytes reads a number of bytes, with a unit such as KiB or MB, or without. The error is an *input.Error.
func ParseBytes(text string) (int, error) {
	bytes, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		var size memory.Bytes
		if size, err = memory.Parse(text); err == nil {
			bytes = int64(size)
		}
	}
	if bytes > mostBytes {
		return 0, input.Errorf("expected at most "+strconv.Itoa(mostBytes), "%s", input.Clip(text))
	}
	if err != nil || bytes < 0 {
		return 0, input.Errorf("expected bytes such as 4096, 64KiB or 1MB", "%q", input.Clip(text))
	}
	return int(bytes), nil
}

// mostCycles bounds the phases of a measurement under load.
const mostCycles = 1_000_000_000

// traffic makes the study of a load.
func (s Settings) traffic(t *topology.Topology, m machine.Machine) (l *study.LoadStudy, err error) {
	if m.Switching == machine.Bufferless {
		return nil, input.Errorf("expected a machine with buffers", "packets of random traffic collide on machine %s", m.Title())
	}
	l = &study.LoadStudy{Topology: t, Seeds: 1, Workers: 1, Cores: 1}
	if l.Load.Seed, err = s.seed(); err != nil {
		return nil, err
	}
	if file, ok := traffic.TraceFile(s[keyPattern]); ok {
		return l, s.replay(l, m, file)
	}
	if l.Load.Pattern, err = traffic.ParsePattern(cmp.Or(s[keyPattern], defaultPattern), t); err != nil {
		return nil, err
	}
	if l.Load.Requests, err = traffic.ParseSizes(cmp.Or(s["flits"], DefaultFlits)); err != nil {
		return nil, err
	}
	if reply, ok := s["reply"]; ok {
		if l.Load.Replies, err = traffic.ParseSizes(reply); err != nil {
			return nil, err
		}
	}
	if _, ok := s["burst"]; ok {
		if l.Load.Injection.Burst, err = s.float("burst", 0); err != nil {
			return nil, err
		}
		if l.Load.Injection.OnRate, err = s.float("burst-rate", 1); err != nil {
			return nil, err
		}
	}
	if l.MostLatency, err = s.mostLatency(); err != nil {
		return nil, err
	}
	if l.Phases, err = s.phases(); err != nil {
		return nil, err
	}
	l.Machine, err = m.FitPackets(max(l.Load.Requests.Largest(), l.Load.Replies.Largest()))
	return l, err
}

// replay makes the packets of a trace the load.
func (s Settings) replay(l *study.LoadStudy, m machine.Machine, file string) (err error) {
	if l.Trace, err = traffic.ReadTrace(file, l.Topology.Nodes()); err != nil {
		return err
	}
	l.Machine, err = m.FitPackets(l.Trace.Largest())
	return err
}

// mostLatency returns the mean latency above which a load is not steady; 0: any may be.
func (s Settings) mostLatency() (float64, error) {
	x, err := s.float(keyMost, 0)
	if _, ok := s[keyMost]; ok && err == nil {
		err = input.Locate(study.CheckLatency(x), keyMost, 0)
	}
	return x, err
}

// resolution returns how close a search for the load that saturates comes.
func (s Settings) resolution() (float64, error) {
	x, err := s.float(keyResolution, DefaultResolution)
	if err == nil {
		err = input.Locate(study.CheckResolution(x), keyResolution, 0)
	}
	return x, err
}

func (s Settings) phases() (p traffic.Phases, err error) {
	p.WarmUp = traffic.AutoWarmUp
	if text := s["warmup"]; text != "auto" {
		if p.WarmUp, err = s.number("warmup", traffic.AutoWarmUp, 0, mostCycles); err != nil {
			return p, err
		}
	}
	if p.Measure, err = s.number(keyCycles, DefaultCycles, 1, mostCycles); err != nil {
		return p, err
	}
	p.Drain, err = s.number(keyDrain, DefaultDrain, 0, mostCycles)
	return p, err
}

// synthesis says how to measure the hardware.
func (s Settings) synthesis(need Need) (synth.Options, error) {
	opt := synth.Options{Target: synth.Target(cmp.Or(s["target"], string(synth.ICE40)))}
	if !slices.Contains(synth.Targets(), opt.Target) {
		return opt, input.Errorf(fmt.Sprintf("expected one of %v", synth.Targets()), "target: %q", input.Clip(s["target"]))
	}
	if need&Clock == 0 {
		return opt, nil
	}
	if opt.Target != synth.ICE40 {
		return opt, input.Errorf("expected target ice40, or no measure mhz", "target %s has no clock", opt.Target)
	}
	var err error
	opt.Seeds, err = synth.ParseSeeds(cmp.Or(s["seeds"], DefaultSeeds))
	return opt, err
}

// chip names the chip of a point: all settings that synthesis depends on.
func (s Settings) chip(need Need) string {
	return s.without(jobKeys, rateKeys, searchKeys, loadKeys, []Key{{Name: Seed}}).text() + fmt.Sprint(need&Clock)
}

// without returns the settings without some keys, and without the options of algorithms.
func (s Settings) without(lists ...[]Key) Settings {
	rest := maps.Clone(s)
	for _, k := range slices.Concat(lists...) {
		delete(rest, k.Name)
	}
	for _, o := range collective.Options() {
		delete(rest, o.Name)
	}
	return rest
}

// bounded writes the settings on which the bound of a job depends: not those that say how a plan is found.
func (s Settings) bounded() string {
	job := maps.Clone(s)
	for _, key := range []string{keyAlgorithm, keyStart, keyLimit, keyEffort} {
		delete(job, key)
	}
	return job.text()
}

// saturated writes the settings on which a search over all rates depends.
func (s Settings) saturated() string {
	return s.without(jobKeys, rateKeys, hardwareKeys).text()
}

// text writes the settings in the order of their keys.
func (s Settings) text() string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&b, "%q=%q\n", key, s[key])
	}
	return b.String()
}
