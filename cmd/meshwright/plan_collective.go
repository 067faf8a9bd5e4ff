// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/internal/escape"
	"meshwright/internal/input"
	"meshwright/schedule/bound"
	"meshwright/study"
)

// collectivePlanFlags ask which algorithm of a collective is the fastest, and what would make the machine faster.
type collectivePlanFlags struct {
	jobFlags
	keys  []string
	sizes []string
	json  bool
}

// add declares the flags.
func (f *collectivePlanFlags) add(cmd *cobra.Command) {
	f.addCollective(cmd)
	groupMachine.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringSliceVar(&f.keys, "keys", nil, "keys of the machine to change, such as startup,ports; or none (default: all)")
	})
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringSliceVar(&f.sizes, "sizes", nil, "compare messages of several lengths, a column each: flits, or bytes with a unit, such as 16,256,64KiB; without the table of keys")
	})
	addJSON(cmd, &f.json)
}

// noKeys is the value of --keys without keys.
const noKeys = "none"

// keysOfPlan are the keys that a plan may change.
func keysOfPlan() []string {
	all := []string{study.FaultsKey}
	for _, k := range machine.Keys() {
		all = append(all, k.Name)
	}
	return all
}

// chosenKeys are the keys of --keys.
func (f *collectivePlanFlags) chosenKeys() ([]string, error) {
	all := keysOfPlan()
	switch {
	case f.keys == nil:
		return all, nil
	case len(f.keys) == 1 && f.keys[0] == noKeys:
		return nil, nil
	}
	for _, key := range f.keys {
		if !slices.Contains(all, key) {
			return nil, input.At("--keys", 0, input.Suggest(key, all), "unknown key %q", input.Clip(key))
		}
	}
	return f.keys, nil
}

func (f *collectivePlanFlags) run(cmd *cobra.Command, name string) error {
	keys, err := f.chosenKeys()
	if err != nil {
		return err
	}
	if f.limit < 0 {
		return input.At("--limit", 0, "expected a time such as 10s", "%s", f.limit)
	}
	if f.sizes != nil {
		return f.runSizes(cmd, name)
	}
	j, report, err := f.compare(cmd, name)
	if err != nil {
		return err
	}
	delivers := report.delivers()
	out, whatIf := cmd.OutOrStdout(), len(keys) > 0 && delivers
	if !f.json {
		if err := report.print(out, withFaults(f.named, &j.Machine)); err != nil {
			return err
		}
	}
	if whatIf {
		if report.Sensitivity, err = f.sensitivity(cmd, name, j, keys); err != nil {
			return err
		}
	}
	switch {
	case f.json:
		err = printJSON(out, report)
	case whatIf:
		err = report.Sensitivity.print(out)
	}
	if err == nil && !delivers {
		return errFailed
	}
	return err
}

// compare plans the job by all algorithms.
func (f *collectivePlanFlags) compare(cmd *cobra.Command, name string) (collective.Job, *planReport, error) {
	j, _, err := f.load(cmd, name)
	if err != nil {
		return j, nil, err
	}
	if _, err := collective.Named(name, f.algorithm); err != nil {
		return j, nil, input.Locate(err, "--algorithm", 0)
	}
	kind, err := plan.KindOf(name)
	if err != nil {
		return j, nil, err
	}
	j.TimeOnly = j.Machine.Faults == nil && j.RunTooLarge(cmd.Context(), kind)
	times, err := study.CompareAlgorithms(cmd.Context(), study.Comparison{Collective: name, Algorithm: f.algorithm, Limit: f.limit}, j)
	if err != nil {
		return j, nil, err
	}
	report := newPlanReport(name, j, times)
	report.limited = f.limit > 0
	return j, report, nil
}

// delivers reports whether an algorithm takes the job, and no run of the fastest showed that words are missing.
func (r *planReport) delivers() bool { return len(r.Algorithms) > 0 && r.Algorithms[0].takesJob() }

// sensitivity plans the job again on machines that differ in a key.
func (f *collectivePlanFlags) sensitivity(cmd *cobra.Command, name string, j collective.Job, keys []string) (*sensitivityReport, error) {
	s := &study.Sensitivity{Collective: name, Algorithm: f.algorithm, Job: j, Keys: keys, Limit: f.limit}
	s.Machine = func(key, value string) (machine.Machine, error) {
		return f.with(cmd, j.Topology, &j.Machine, key, value)
	}
	now, effects, err := s.Effects(cmd.Context())
	if err != nil {
		return nil, err
	}
	r := newSensitivityReport(&now, effects)
	if r.Effort = s.Effort(); r.Effort != f.effort {
		r.with = fmt.Sprintf(", planned with effort %g", r.Effort)
	}
	if f.limit > 0 {
		r.each = fmt.Sprintf(", if each plan is made within %s", f.limit)
	}
	return r, nil
}

// with is the machine of the flags with another value of a key.
func (f *machineFlags) with(cmd *cobra.Command, t *topology.Topology, now *machine.Machine, key, value string) (machine.Machine, error) {
	m, err := f.unresolved(cmd, key, value)
	if err != nil {
		return m, err
	}
	if m.Faults = now.Faults; key == study.FaultsKey {
		m.Faults = nil
	}
	return resolve(m, t)
}

// planReport is the JSON of a plan; its names are a contract.
type planReport struct {
	Collective string            `json:"collective"`
	Topology   string            `json:"topology"`
	Machine    map[string]string `json:"machine"`
	jobRecord
	Bound       *duration          `json:"lower_bound"`
	BoundBy     bound.Proof        `json:"lower_bound_by,omitempty"`
	Algorithms  []algorithmTime    `json:"algorithms"`
	Sensitivity *sensitivityReport `json:"sensitivity,omitempty"`
	Version     string             `json:"version"`

	limited bool   // there was a limit on time
	slow    string // that buffers are too small for the full rate of links
}

// algorithmTime is one algorithm of the report.
type algorithmTime struct {
	Algorithm string    `json:"algorithm"`
	Predicted *duration `json:"predicted"`
	Exact     bool      `json:"exact"`
	Cycles    *duration `json:"cycles"`
	Ratio     *float64  `json:"ratio"`
	Optimal   bool      `json:"optimal"`
	How       string    `json:"how"`
	Delivered *bool     `json:"delivered"` // nil: it was not run
	Stopped   bool      `json:"stopped,omitempty"`
	Refusal   string    `json:"refusal,omitempty"`
}

// takesJob reports whether there is a plan, and no run showed that words are missing.
func (a *algorithmTime) takesJob() bool {
	return a.How == howPredicted || a.Delivered != nil && *a.Delivered
}

// The values of how.
const (
	howPredicted = "predicted"
	howSimulated = "simulated"
	howRefused   = "refused"
)

func newPlanReport(name string, j collective.Job, times []study.AlgorithmTime) *planReport {
	ticks := j.Machine.Ticks()
	report := &planReport{Collective: name, Topology: j.Topology.String(), Machine: machineSettings(j.Machine), jobRecord: recordOf(name, &j), Version: version(), slow: j.Machine.BelowFullRate(j.Topology)}
	for _, x := range times {
		row := algorithmTime{Algorithm: x.Algorithm, How: howPredicted, Exact: x.Predicted.Exact, Stopped: x.Stopped}
		if x.Predicted.Exact || x.Predicted.Least > 0 {
			row.Predicted = &duration{x.Predicted.Least, ticks}
		}
		switch {
		case x.Refused != nil:
			if x.Bound > 0 {
				report.Bound, report.BoundBy = &duration{x.Bound, ticks}, x.BoundBy
			}
			row.How, row.Refusal = howRefused, located(x.Refused).Error()
			report.Algorithms = append(report.Algorithms, row)
			continue
		case x.Ran:
			row.How, row.Delivered = howSimulated, &x.Delivered
		}
		row.Cycles = &duration{x.Cycles, ticks}
		if x.Bound > 0 || x.Cycles == 0 {
			ratio := 1.0
			if x.Bound > 0 {
				ratio = float64(x.Cycles) / float64(x.Bound)
			}
			row.Ratio, row.Optimal = &ratio, x.Delivered && x.Bound > 0 && x.Cycles == x.Bound
		}
		report.Bound, report.BoundBy = &duration{x.Bound, ticks}, x.BoundBy
		report.Algorithms = append(report.Algorithms, row)
	}
	return report
}

// print prints the algorithms. What the machine's keys do takes longer, and is printed behind them.
func (r *planReport) print(w io.Writer, machine string) error {
	var rows [][]string
	var refused refusedGroups
	for _, a := range r.Algorithms {
		if a.How == howRefused {
			refused.add(a.Algorithm, "", a.Refusal)
		} else {
			rows = append(rows, a.cells())
		}
	}
	title := fmt.Sprintf("%s on %s, machine %s", r.Collective, r.on(r.Topology), machine)
	if r.Bound != nil {
		title += fmt.Sprintf("; lower bound %s", r.Bound)
		if r.BoundBy != "" {
			title += fmt.Sprintf(" (%s)", r.BoundBy)
		}
	}
	var err error
	if len(rows) > 0 {
		err = printRows(w, title, noted([]string{"algorithm", "predicted", "measured", "ratio", "note"}, rows), rows)
	} else {
		_, err = fmt.Fprintln(w, escape.Line(title))
	}
	if err != nil {
		return err
	}
	if r.slow != "" {
		if _, err := fmt.Fprintln(w, r.slow); err != nil {
			return err
		}
	}
	if err := refused.print(w, []string{"algorithm", "refusal"}); err != nil {
		return err
	}
	switch {
	case len(rows) == 0:
		why := "takes this job"
		if r.limited {
			why += ", or plans it within the limit"
		}
		_, err := fmt.Fprintf(w, "No algorithm %s.\n", why)
		return err
	case !r.delivers():
		_, err := fmt.Fprintln(w, "No algorithm delivers every word. With --faults known plans avoid dead nodes and links.")
		return err
	}
	return nil
}

// noted drops the last column, notes, of a heading and of rows without one. It returns the heading.
func noted(heading []string, rows [][]string) []string {
	last := len(heading) - 1
	if slices.ContainsFunc(rows, func(row []string) bool { return row[last] != "" }) {
		return heading
	}
	for i := range rows {
		rows[i] = rows[i][:last]
	}
	return heading[:last]
}

// cells is the row of an algorithm that takes the job.
func (a *algorithmTime) cells() []string {
	cells := []string{a.Algorithm, "", "", "", ""}
	if a.Predicted != nil {
		cells[1] = a.Predicted.String()
		if !a.Exact {
			cells[1] = "at least " + cells[1]
		}
	}
	if a.How == howSimulated {
		cells[2] = a.Cycles.String()
		if !a.takesJob() {
			cells[4] = "not every word arrives"
		}
	}
	if a.Ratio != nil {
		cells[3] = fmt.Sprintf("%.3f", *a.Ratio)
		switch {
		case a.Optimal:
			cells[4] = "optimal"
		case a.Stopped:
			cells[4] = stoppedText
		}
	}
	return cells
}

// sensitivityReport says what another machine would bring; its JSON names are a contract.
type sensitivityReport struct {
	Algorithm string      `json:"algorithm"`
	Cycles    duration    `json:"cycles"`
	Effort    float64     `json:"effort"`
	Keys      []keyEffect `json:"keys"`
	Advice    string      `json:"advice"`

	with string // what is said of the effort
	each string // and of the time for a plan
}

// keyEffect is a key of the machine.
type keyEffect struct {
	Key        string      `json:"key"`
	Now        string      `json:"now"`
	Faster     *float64    `json:"faster"`
	Elasticity *float64    `json:"elasticity"`
	Changes    []keyChange `json:"changes,omitempty"`
	LeftOut    string      `json:"left_out,omitempty"`
}

// keyChange is a machine that differs in one key.
type keyChange struct {
	Value     string    `json:"value"`
	Algorithm string    `json:"algorithm,omitempty"`
	Cycles    *duration `json:"cycles"`
	Refusal   string    `json:"refusal,omitempty"`
}

func newSensitivityReport(now *study.Timed, effects []study.Effect) *sensitivityReport {
	r := &sensitivityReport{Algorithm: now.Algorithm, Cycles: duration{now.Cycles, now.Ticks}}
	for i := range effects {
		e := &effects[i]
		row := keyEffect{Key: e.Key, Now: e.Now}
		if !math.IsNaN(e.Elasticity) {
			row.Elasticity = &e.Elasticity
		}
		if e.LeftOut != nil {
			row.LeftOut = e.LeftOut.Error()
		} else {
			row.Faster = &e.Faster
		}
		for _, c := range e.Changes {
			change := keyChange{Value: c.Value, Algorithm: c.Algorithm}
			if c.Refused != nil {
				change.Algorithm, change.Refusal = "", located(c.Refused).Error()
			} else {
				change.Cycles = &duration{c.Cycles, c.Ticks}
			}
			row.Changes = append(row.Changes, change)
		}
		r.Keys = append(r.Keys, row)
	}
	r.Advice = r.advice()
	return r
}

// advice says in a sentence what to change first.
func (r *sensitivityReport) advice() string {
	i := slices.IndexFunc(r.Keys, func(k keyEffect) bool { return !k.lucky() })
	if i < 0 || r.Keys[i].LeftOut != "" || *r.Keys[i].Faster <= 1 {
		return "No change of one key makes this faster."
	}
	k := &r.Keys[i]
	first := &k.Changes[0]
	return fmt.Sprintf("Change %s first: with %s instead of %s, %s takes %s cycles, %.2f times faster than %s now.",
		k.Key, first.Value, k.Now, first.Algorithm, first.Cycles, *k.Faster, r.Cycles)
}

func (r *sensitivityReport) print(w io.Writer) error {
	var rows [][]string
	var without, lucky, leftOut []string
	for i := range r.Keys {
		k := &r.Keys[i]
		switch {
		case k.LeftOut != "":
			leftOut = append(leftOut, k.Key+": "+k.LeftOut)
			continue
		case k.idle(r.Cycles):
			without = append(without, k.Key+k.values())
		default:
			if k.lucky() {
				lucky = append(lucky, k.Key+" "+k.Changes[0].Value)
			}
			rows = append(rows, k.cells())
		}
		leftOut = append(leftOut, k.refusals()...)
	}
	if rows != nil {
		title := fmt.Sprintf("The machine with another value of one key%s; %s takes %s cycles now%s", r.with, r.Algorithm, r.Cycles, r.each)
		header := []string{"key", "now", "best", "cycles", "faster", "algorithm", "elasticity", "others"}
		if err := printRows(w, title, header, rows); err != nil {
			return err
		}
	}
	lines := []string{r.Advice}
	if without != nil {
		lines = append(lines, "Without effect: "+strings.Join(without, ", ")+".")
	}
	if lucky != nil {
		lines = append(lines, "Faster, although the machine is slower with it: "+strings.Join(lucky, ", ")+". There a search has found a better plan, which more --effort may find on the machine as it is, or messages wait for others less.")
	}
	for _, line := range leftOut {
		lines = append(lines, "Left out: "+line)
	}
	_, err := fmt.Fprintln(w, strings.Join(lines, "\n"))
	return err
}

// refusals says why some values were left out, in a line for each reason.
func (k *keyEffect) refusals() (lines []string) {
	var reasons []string
	values := map[string][]string{}
	for _, c := range k.Changes {
		reason, ofValue := strings.CutPrefix(c.Refusal, k.Key+" "+c.Value+": ")
		switch {
		case c.Refusal == "":
			continue
		case !ofValue && strings.HasPrefix(reason, k.Key+" "+c.Value): // a sentence about the value
			lines = append(lines, reason)
			continue
		}
		if values[reason] == nil {
			reasons = append(reasons, reason)
		}
		values[reason] = append(values[reason], c.Value)
	}
	for _, reason := range reasons {
		lines = append(lines, k.Key+" "+strings.Join(values[reason], ", ")+": "+reason)
	}
	return lines
}

// idle reports whether no change of the key changes the time.
func (k *keyEffect) idle(now duration) bool {
	return !slices.ContainsFunc(k.Changes, func(c keyChange) bool { return c.Cycles != nil && c.Cycles.exact().Cmp(now.exact()) != 0 })
}

// values lists those with which the key was tried.
func (k *keyEffect) values() string {
	var tried []string
	for _, c := range k.Changes {
		if c.Cycles != nil {
			tried = append(tried, c.Value)
		}
	}
	if tried == nil {
		return ""
	}
	return " (" + strings.Join(tried, ", ") + ")"
}

// lucky reports whether the best value makes a slower machine, on which a search has found a better plan or messages wait for others less: the machine as it is could send the same messages at the same times.
func (k *keyEffect) lucky() bool {
	if k.LeftOut != "" || *k.Faster <= 1 {
		return false
	}
	best := k.Changes[0].Value
	switch k.Key {
	case "startup", "hop", "flit", "claim":
		return above(best, k.Now)
	case "buffer":
		return best != "0" && above(k.Now, best) // 0 is room for two packets
	case "ports", "nic.duplex", "header", "nic.channels":
		return slices.Contains([]string{"single", "half", "flit", "1"}, best)
	}
	return false
}

// above reports whether a number is larger than another one.
func above(a, b string) bool {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	return err1 == nil && err2 == nil && x > y
}

// cells is the row of a key.
func (k *keyEffect) cells() []string {
	elasticity := ""
	if k.Elasticity != nil {
		elasticity = fmt.Sprintf("%.2f", *k.Elasticity)
	}
	var others []string
	for _, c := range k.Changes[1:] {
		if c.Cycles != nil {
			others = append(others, c.Value+": "+c.Cycles.String())
		}
	}
	first := &k.Changes[0]
	return []string{k.Key, k.Now, first.Value, first.Cycles.String(), fmt.Sprintf("%.2f", *k.Faster), first.Algorithm, elasticity, strings.Join(others, ", ")}
}
