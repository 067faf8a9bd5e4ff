// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
	"meshwright/study"
)

// aroundFlags describe a sweep over single known faults.
type aroundFlags struct {
	machineFlags
	among  string
	length int
	within float64
	seed   uint64
	json   bool
}

// aroundReport is the JSON of a sweep over single known faults; its names are a contract.
type aroundReport struct {
	Topology    string             `json:"topology"`
	Machine     map[string]string  `json:"machine"`
	Length      int                `json:"length"`
	Within      float64            `json:"within"`
	Collectives []aroundCollective `json:"collectives"`
	Version     string             `json:"version"`
}

// aroundCollective is one collective of the report.
type aroundCollective struct {
	Collective  string       `json:"collective"`
	Cases       int          `json:"cases"`
	Right       int          `json:"right"`
	Apart       int          `json:"cut_apart"`
	Median      float64      `json:"median_ratio"`
	Worst       float64      `json:"worst_ratio"`
	WithinCount int          `json:"within_count"`
	Beyond      []aroundCase `json:"beyond"`
	Wrong       []aroundCase `json:"wrong"`
}

// aroundCase is one fault.
type aroundCase struct {
	Fault     string       `json:"fault"`
	Algorithm string       `json:"algorithm"`
	Cycles    router.Cycle `json:"cycles"`
	Bound     router.Cycle `json:"lower_bound"`
	Ratio     float64      `json:"ratio"`
	Failure   string       `json:"failure,omitempty"`
}

// The values of --faults-of.
const (
	failingNodes = "nodes"
	failingLinks = "links"
	failingBoth  = "both"
)

func newSweepAround() *cobra.Command {
	f := aroundFlags{among: failingBoth, length: 1, within: 1.15, seed: 1}
	cmd := &cobra.Command{
		Use:   "around [COLLECTIVE ...] --topology T",
		Short: "Plan collectives around each single fault of a network, run them with the fault, and compare with the lower bound",
		Long: `Takes each node, and each link in both directions, as dead from cycle 0 on, one at a time. Every
collective is planned around the fault, and runs in the cycle model with it. Every word of every live PE is compared.
Faults that disconnect the network are counted, but nothing is planned around them. The lower bound is that of the
network without the dead node or link. The root is node 0, or node 1 when node 0 is dead.

Without arguments the collectives are scatter, gather, gossip, broadcast, allreduce and exchange.
The exit code is 1 if a word is wrong somewhere.`,
		Example: `  meshwright sweep around scatter gossip --topology torus:4x4 --machine bufferless --ports all --nic.channels links
  meshwright sweep around broadcast exchange --topology mesh:3x3 --ports all --nic.channels links --faults-of nodes --json`,
		Args: aroundable,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	f.machineFlags.add(cmd)
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.IntVarP(&f.length, "length", "l", f.length, "flits of every message")
		flags.StringVar(&f.among, "faults-of", f.among, "what may fail: nodes, links or both")
		flags.Float64Var(&f.within, "within", f.within, "list the faults with which a collective takes longer than this number of lower bounds")
		flags.Uint64Var(&f.seed, "seed", f.seed, "seed of the random words")
	})
	addJSON(cmd, &f.json)
	return cmd
}

// aroundCollectives are the collectives that are planned around faults if none is named.
var aroundCollectives = []string{plan.Scatter, plan.Gather, plan.Gossip, plan.Broadcast, plan.Allreduce, plan.Exchange}

// aroundable demands collectives.
func aroundable(cmd *cobra.Command, args []string) error {
	for i, name := range args {
		if err := noTopology(cmd, args, i); err != nil {
			return err
		}
		if err := oneOf(i, "collective", append(aroundCollectives[:len(aroundCollectives):len(aroundCollectives)], plan.Reduce))(cmd, append(args[:i:i], ownName(name))); err != nil {
			return err
		}
	}
	return nil
}

func (f *aroundFlags) run(cmd *cobra.Command, names []string) error {
	if f.length < 0 {
		return input.At("--length", 0, "expected at least 0", "%d", f.length)
	}
	if !(f.within >= 1) {
		return input.At("--within", 0, "expected at least 1", "%g", f.within)
	}
	t, m, err := f.machineFlags.load(cmd)
	if err != nil {
		return err
	}
	if m.Faults != nil {
		return input.At("--faults", 0, "expected none: the sweep tries each single fault", "%s", m.Faults)
	}
	a := &study.Around{Topology: t, Machine: m, Collectives: names, Length: f.length, Seed: f.seed}
	switch f.among {
	case failingNodes:
		a.Nodes = true
	case failingLinks:
		a.Links = true
	case failingBoth:
		a.Nodes, a.Links = true, true
	default:
		return input.At("--faults-of", 0, "expected nodes, links or both", "%q", input.Clip(f.among))
	}
	if len(names) == 0 {
		a.Collectives = aroundCollectives
	}
	rows, err := a.Run(cmd.Context())
	if err != nil {
		return err
	}
	report := f.report(a, rows)
	if f.json {
		err = printJSON(cmd.OutOrStdout(), report)
	} else {
		err = report.print(cmd.OutOrStdout(), f.named)
	}
	if err != nil {
		return err
	}
	for _, c := range report.Collectives {
		if len(c.Wrong) > 0 {
			return errFailed
		}
	}
	return nil
}

func (f *aroundFlags) report(a *study.Around, rows []study.AroundRow) aroundReport {
	r := aroundReport{Topology: a.Topology.String(), Machine: machineSettings(a.Machine), Length: a.Length, Within: f.within, Version: version()}
	for i := range rows {
		row := &rows[i]
		c := aroundCollective{Collective: row.Collective, Cases: len(row.Cases), Right: row.Right(), Apart: row.Apart, Beyond: []aroundCase{}, Wrong: []aroundCase{}}
		if ratios := row.Ratios(); len(ratios) > 0 {
			c.Median, c.Worst = ratios[len(ratios)/2], ratios[len(ratios)-1]
		}
		for _, one := range row.Cases {
			x := aroundCase{Fault: one.Fault, Algorithm: one.Algorithm, Cycles: one.Cycles, Bound: one.Bound, Ratio: one.Ratio}
			if one.Failure != nil {
				x.Failure = one.Failure.Error()
				c.Wrong = append(c.Wrong, x)
			}
			if one.Ratio > f.within {
				c.Beyond = append(c.Beyond, x)
			} else {
				c.WithinCount++
			}
		}
		r.Collectives = append(r.Collectives, c)
	}
	return r
}

// maxBeyond bounds the faults that a table names.
const maxBeyond = 4

// print writes the tables; the heading names the machine.
func (r *aroundReport) print(w io.Writer, machine string) error {
	var rows [][]string
	for _, c := range r.Collectives {
		var beyond []string
		for i, x := range c.Beyond {
			if i == maxBeyond {
				beyond = append(beyond, fmt.Sprintf("%d more", len(c.Beyond)-i))
				break
			}
			beyond = append(beyond, fmt.Sprintf("%s: %d of %d", x.Fault, x.Cycles, x.Bound))
		}
		rows = append(rows, []string{
			c.Collective, itoa(c.Cases), itoa(c.Right), fmt.Sprintf("%.3f", c.Median), fmt.Sprintf("%.3f", c.Worst),
			itoa(c.WithinCount), strings.Join(beyond, ", "),
		})
	}
	apart := ""
	if len(r.Collectives) > 0 && r.Collectives[0].Apart > 0 {
		apart = "; " + input.Count(r.Collectives[0].Apart, "other") + " disconnect the network"
	}
	title := fmt.Sprintf("around each single fault of %s, machine %s; %s a message: time by the lower bound of what is left%s", r.Topology, machine, input.Count(r.Length, "flit"), apart)
	if err := printRows(w, title, []string{"collective", "faults", "right", "median ratio", "worst ratio", fmt.Sprintf("within %g", r.Within), "beyond: cycles of bound"}, rows); err != nil {
		return err
	}
	for _, c := range r.Collectives {
		for _, x := range c.Wrong {
			if _, err := fmt.Fprintf(w, "FAIL %s around %s: %s\n", c.Collective, x.Fault, x.Failure); err != nil {
				return err
			}
		}
	}
	return nil
}
