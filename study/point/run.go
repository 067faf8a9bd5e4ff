// SPDX-License-Identifier: Apache-2.0

package point

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"meshwright/fabric"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/traffic"
	"meshwright/firmware/collective"
	"meshwright/internal/input"
	"meshwright/rtl"
	"meshwright/rtl/synth"
	"meshwright/schedule/bound"
	"meshwright/study"
)

// Runner runs points. Several goroutines may use it.
type Runner struct {
	networks memo[*topology.Topology]
	chips    memo[*synth.Result]
	curves   memo[*study.LoadCurve]
	bounds   memo[bound.Proven]
	files    memo[string] // digests
}

// Run does what a point needs, and returns all measures of it. The error says why there are none: an *input.Error, the
// context's, or what went wrong in the run.
func (r *Runner) Run(ctx context.Context, s Settings, need Need) (Figures, error) {
	if err := s.valid(need); err != nil {
		return nil, err
	}
	t, m, err := r.machine(ctx, s)
	if err != nil {
		return nil, err
	}
	f := Figures{}
	if need&Collective != 0 {
		if err := r.collective(ctx, s, t, m, f); err != nil {
			return nil, err
		}
	}
	if need&Load != 0 {
		if err := s.load(ctx, t, m, f); err != nil {
			return nil, err
		}
	}
	if need&Saturation != 0 {
		curve, err := r.curves.get(s.saturated(), func() (*study.LoadCurve, error) { return s.saturation(ctx, t, m) })
		if err != nil {
			return nil, err
		}
		f.addCurve(curve)
	}
	if need&(Area|Clock) != 0 {
		chip, err := r.chips.get(s.chip(need), func() (*synth.Result, error) { return s.hardware(ctx, t, m, need) })
		if err != nil {
			return nil, err
		}
		f.addHardware(chip)
	}
	return f, nil
}

// Refusal is the error of a point whose job no algorithm takes, or the algorithm of the point does not take: nothing has gone wrong.
type Refusal struct{ Why *input.Error }

// Error is the reason.
func (r *Refusal) Error() string { return r.Why.Error() }

// Unwrap returns the reason.
func (r *Refusal) Unwrap() error { return r.Why }

// refusal makes the *input.Error of a plan a Refusal.
func refusal(err error) error {
	var why *input.Error
	if errors.As(err, &why) {
		return &Refusal{why}
	}
	return err
}

// Misfit refuses keys that do not go together, and those on which nothing measured depends. It returns the key, and why.
func (s Settings) Misfit(need Need) (key string, err error) {
	for _, of := range []struct {
		keys    []Key
		need    Need
		measure string
	}{
		{rateKeys, Load, "a measure of traffic at a rate such as accepted"},
		{searchKeys, Saturation, "a measure of a search such as saturation.highest_stable_rate"},
		{loadKeys, Load | Saturation, "a measure of traffic such as accepted"},
		{jobKeys, Collective, "a measure of a run such as cycles"},
		{hardwareKeys, Area | Clock, "a measure of hardware such as lut4"},
	} {
		if key := s.foreign(of.keys); need&of.need == 0 && key != "" {
			return key, input.Errorf("expected "+of.measure, "%s: nothing measured depends on it", key)
		}
	}
	if key, err := s.misfitTrace(need); err != nil {
		return key, err
	}
	given := ""
	for _, key := range []string{keyLength, keyBytes, keyLengths} {
		if _, ok := s[key]; ok && given != "" {
			return key, input.Errorf("expected one of "+keyLength+", "+keyBytes+" and "+keyLengths, "both %s and %s", given, key)
		} else if ok {
			given = key
		}
	}
	return "", nil
}

// misfitTrace returns a key that does not go together with a trace, which has packets and cycles of its own, and why; or a pattern
// that needs a rate.
func (s Settings) misfitTrace(need Need) (key string, err error) {
	_, traced := traffic.TraceFile(s[keyPattern])
	switch _, rated := s[keyRate]; {
	case need&(Load|Saturation) == 0:
		return "", nil
	case !traced && !rated && need&Load != 0:
		return keyPattern, input.Errorf("expected rate: 0.1, or another", "pattern %s without a rate", cmp.Or(input.Clip(s[keyPattern]), defaultPattern))
	case traced && need&Saturation != 0:
		return keyPattern, input.Errorf("expected a pattern: a trace has no rate to search for", "%q is a list of packets", input.Clip(s[keyPattern]))
	}
	for _, keys := range [][]Key{rateKeys, loadKeys} {
		for _, k := range keys {
			if _, ok := s[k.Name]; traced && ok && k.Name != keyPattern {
				return k.Name, input.Errorf("expected none: the trace says which packets there are, and all of them are measured", "%s: given with a trace", k.Name)
			}
		}
	}
	return "", nil
}

// valid refuses keys that do not go together, and a point without a key that it needs.
func (s Settings) valid(need Need) error {
	if _, err := s.Misfit(need); err != nil {
		return err
	}
	if _, ok := s[keyCollective]; need&Collective != 0 && !ok {
		return input.Errorf("expected collective: gossip, or another", "no collective")
	}
	return nil
}

// collective runs a collective, and wants every word delivered. The bound of a job is found once for all algorithms that plan without it.
func (r *Runner) collective(ctx context.Context, s Settings, t *topology.Topology, m machine.Machine, f Figures) error {
	j, err := s.job(t, m)
	if err != nil {
		return err
	}
	if predicted, err := s.predict(&j, f); predicted || err != nil {
		return err
	}
	p, err := collective.Generate(ctx, s[keyCollective], s[keyAlgorithm], j)
	if err != nil {
		return refusal(err)
	}
	result, err := collective.Execute(ctx, p, func(n *fabric.Network) error { n.DropLog(); return nil })
	switch {
	case err != nil:
		return err
	case result.Failure != nil:
		return result.Failure
	case result.CollisionCount > 0:
		return fmt.Errorf("%s", input.Count(result.CollisionCount, "collision"))
	}
	least, err := r.bounds.get(s.bounded(), func() (bound.Proven, error) { return p.Bound(), nil })
	if err != nil {
		return err
	}
	p.SetBound(least)
	f.addRun(result)
	return nil
}

// predict predicts the time where a formula gives it, and reports whether that must do: the job has more words than shall run.
func (s Settings) predict(j *collective.Job, f Figures) (bool, error) {
	most, err := s.number(keyWords, math.MaxInt, 0, math.MaxInt)
	if err != nil {
		return false, err
	}
	formula, err := collective.Formula(s[keyCollective], s[keyAlgorithm], *j)
	if err == nil {
		f[formulaName] = Number(inCycles(j.Machine, formula.Formula))
	}
	words := 0
	for _, length := range j.Lengths {
		words += length * j.Topology.Nodes()
	}
	if f[Simulated] = Number(1); words <= most {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	// Without tokens PEs send and receive at once, which takes longer than following the messages says.
	f[Simulated], f["cycles"] = Number(0), f[formulaName]
	if j.Sync {
		followed, err := collective.Predict(s[keyCollective], s[keyAlgorithm], *j)
		if err != nil {
			return false, err
		}
		f["cycles"] = Number(inCycles(j.Machine, followed.Predicted))
	}
	return true, nil
}

// load measures random traffic at a rate.
func (s Settings) load(ctx context.Context, t *topology.Topology, m machine.Machine, f Figures) error {
	rate, err := s.float(keyRate, 0)
	if err != nil {
		return err
	}
	l, err := s.traffic(t, m)
	if err != nil {
		return err
	}
	curve, err := l.Curve(ctx, []float64{rate})
	if err != nil {
		return err
	}
	p := &curve.Points[0]
	if err := p.Deadlock(); err != nil {
		return err
	}
	f.addLoad(p)
	return nil
}

// saturation searches for the load that saturates the network. A rate at which it is in a deadlock is too much.
func (s Settings) saturation(ctx context.Context, t *topology.Topology, m machine.Machine) (*study.LoadCurve, error) {
	resolution, err := s.resolution()
	if err != nil {
		return nil, err
	}
	l, err := s.traffic(t, m)
	if err != nil {
		return nil, err
	}
	return l.Saturation(ctx, resolution)
}

// hardware synthesizes a chip from the middle of the network.
func (s Settings) hardware(ctx context.Context, t *topology.Topology, m machine.Machine, need Need) (*synth.Result, error) {
	m, err := m.FitPackets(1)
	if err != nil {
		return nil, err
	}
	opt, err := s.synthesis(need)
	if err != nil {
		return nil, err
	}
	n, err := fabric.New(t, m)
	if err != nil {
		return nil, err
	}
	unit, err := rtl.NewUnit(n, rtl.Middle(t), 1)
	if err != nil {
		return nil, err
	}
	return synth.Measure(ctx, synth.Source{Module: rtl.UnitName, Clock: "clk_i", Write: unit.Write}, opt)
}

// mostKept bounds what a memo keeps: a study may have a million jobs.
const mostKept = 1 << 14

// memo keeps what is made once for each key. When it is full it begins anew.
type memo[T any] struct {
	lock sync.Mutex
	made map[string]*kept[T]
}

type kept[T any] struct {
	once  sync.Once
	value T
	err   error
}

// get returns what there is for a key; the first call makes it, others wait meanwhile.
func (m *memo[T]) get(key string, make func() (T, error)) (T, error) {
	m.lock.Lock()
	if m.made == nil || len(m.made) >= mostKept && m.made[key] == nil {
		m.made = map[string]*kept[T]{}
	}
	k := m.made[key]
	if k == nil {
		k = &kept[T]{}
		m.made[key] = k
	}
	m.lock.Unlock()
	k.once.Do(func() { k.value, k.err = make() })
	return k.value, k.err
}
