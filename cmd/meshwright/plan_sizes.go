// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"meshwright/internal/input"
	"meshwright/study/point"
)

// mostSizes bounds the columns of plan --sizes.
const mostSizes = 64

const wantSizes = "expected flits, or bytes with a unit, such as 16,256,64KiB"

// runSizes plans a collective for messages of several lengths. It fails if no algorithm delivers every word of one of them.
func (f *collectivePlanFlags) runSizes(cmd *cobra.Command, name string) error {
	if err := exclusive(cmd, "sizes", "length", "bytes", "lengths", "payload"); err != nil {
		return err
	}
	if err := exclusive(cmd, "sizes", "keys"); err != nil {
		return err
	}
	switch {
	case len(f.sizes) == 0:
		return input.At("--sizes", 0, wantSizes, "no length")
	case len(f.sizes) > mostSizes:
		return input.At("--sizes", 0, fmt.Sprintf("expected at most %d", mostSizes), "%s", input.Count(len(f.sizes), "length"))
	}
	_, m, err := f.machineFlags.load(cmd)
	if err != nil {
		return err
	}
	var lengths []int
	for i, size := range f.sizes {
		length, err := lengthOf(size, m.FlitsOf)
		if err != nil {
			return input.Locate(err, "--sizes", 0)
		}
		if at := slices.Index(lengths, length); at >= 0 {
			return input.At("--sizes", 0, "expected each length once", "%s and %s are both %s", f.sizes[at], f.sizes[i], input.Count(length, "flit"))
		}
		lengths = append(lengths, length)
	}
	var reports []*planReport
	failed := false
	for _, length := range lengths {
		f.length = length
		_, report, err := f.compare(cmd, name)
		if err != nil {
			return ofSizes(err)
		}
		reports, failed = append(reports, report), failed || !report.delivers()
	}
	if f.json {
		err = printJSON(cmd.OutOrStdout(), reports)
	} else {
		err = printSizes(cmd.OutOrStdout(), withFaults(f.named, &m), f.sizes, lengths, reports)
	}
	if err == nil && failed {
		return errFailed
	}
	return err
}

// ofSizes names --sizes as the flag that an error is about.
func ofSizes(err error) error {
	var wrong *input.Error
	if errors.As(err, &wrong) && wrong.File == "--length" {
		return input.At("--sizes", 0, wrong.Want, "%s", wrong.What)
	}
	return err
}

// lengthOf reads a length: flits, or bytes with a unit.
func lengthOf(size string, flitsOf func(bytes int) int) (flits int, err error) {
	if flits, err = strconv.Atoi(size); err == nil && flits >= 0 {
		return flits, nil
	}
	bytes, err := point.ParseBytes(size)
	if err != nil || flits < 0 {
		return 0, input.Errorf(wantSizes, "%q", input.Clip(size))
	}
	return flitsOf(bytes), nil
}

// printSizes prints a row for each algorithm, the fastest of the last length first, and the lower bounds. A star is at the fastest of each length. Behind it stands who does not take the job, and why.
func printSizes(w io.Writer, machine string, sizes []string, lengths []int, reports []*planReport) error {
	last := reports[len(reports)-1]
	header, inFlits := []string{"algorithm"}, ""
	for i, size := range sizes {
		if flits := itoa(lengths[i]); flits != size {
			size, inFlits = fmt.Sprintf("%s (%s)", size, flits), " (flits in parentheses)"
		}
		header = append(header, size)
	}
	var rows [][]string
	var refused refusedGroups
	for _, a := range last.Algorithms {
		row := []string{a.Algorithm}
		for _, r := range reports {
			row = append(row, r.cell(a.Algorithm))
		}
		if strings.Join(row[1:], "") != "" {
			rows = append(rows, row)
		}
		for _, x := range refusals(a.Algorithm, sizes, reports) {
			refused.add(a.Algorithm, x[0], x[1])
		}
	}
	bounds := []string{"lower bound"}
	for _, r := range reports {
		bounds = append(bounds, textOrNone(r.Bound))
	}
	first := reports[0]
	title := fmt.Sprintf("%s on %s, machine %s: cycles by length of a message%s, * the fastest", first.Collective, first.Topology, machine, inFlits)
	if len(rows) > 0 {
		if err := printRows(w, title, header, append(rows, bounds)); err != nil {
			return err
		}
	}
	return refused.print(w, []string{"algorithm", "lengths", "refusal"})
}

// refusals are the lengths at which an algorithm does not take the job, for each reason, and the reason.
func refusals(algorithm string, sizes []string, reports []*planReport) (rows [][]string) {
	for i, r := range reports {
		why := r.refusal(algorithm)
		at := slices.IndexFunc(rows, func(row []string) bool { return row[1] == why })
		switch {
		case why == "":
		case at < 0:
			rows = append(rows, []string{sizes[i], why})
		default:
			rows[at][0] += ", " + sizes[i]
		}
	}
	if len(rows) == 1 && strings.Count(rows[0][0], ",") == len(sizes)-1 {
		rows[0][0] = "all"
	}
	return rows
}

// find returns an algorithm of the report; nil if it is not there.
func (r *planReport) find(algorithm string) *algorithmTime {
	at := slices.IndexFunc(r.Algorithms, func(a algorithmTime) bool { return a.Algorithm == algorithm })
	if at < 0 {
		return nil
	}
	return &r.Algorithms[at]
}

// refusal says why there is no time of an algorithm; "" if there is one.
func (r *planReport) refusal(algorithm string) string {
	switch a := r.find(algorithm); {
	case a == nil:
		return "not planned"
	case a.How == howRefused:
		return a.Refusal
	case !a.takesJob():
		return "not every word arrives"
	}
	return ""
}

// cell is the time of an algorithm, with a star if none is faster; "" without one.
func (r *planReport) cell(algorithm string) string {
	if r.refusal(algorithm) != "" {
		return ""
	}
	cycles := r.find(algorithm).Cycles.String()
	if cycles == r.Algorithms[0].Cycles.String() {
		return "*" + cycles // before the figure, so that the digits stand below one another
	}
	return cycles
}

// textOrNone is a time as text; "" of none.
func textOrNone(d *duration) string {
	if d == nil {
		return ""
	}
	return d.String()
}
