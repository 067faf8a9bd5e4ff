// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/capture"
	"meshwright/fabric"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/router"
)

// windowFlags choose the part of a run that traces, tables and pictures show.
type windowFlags struct {
	from, until int64
	nodes       string
	ranges      []nodeRange // of nodes, read by check
}

// nodeRange is the nodes from first to last.
type nodeRange struct{ first, last int }

func (f *windowFlags) add(cmd *cobra.Command) {
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.Int64Var(&f.from, "from", 0, "first cycle that traces, tables and pictures show")
		flags.Int64Var(&f.until, "until", 0, "first cycle that traces, tables and pictures no longer show (default: the end of the run)")
		flags.StringVar(&f.nodes, "nodes", "", "nodes that traces, tables and pictures show, such as 0-7,12: their columns, and the links that begin or end at them (default: all)")
	})
}

// check judges the window before any work is done; shown reports whether there is a file of some flag
// to which it applies.
func (f *windowFlags) check(cmd *cobra.Command, flag string, shown bool) error {
	flags := cmd.Flags()
	for _, name := range []string{"from", "until", "nodes"} {
		if flags.Changed(name) && !shown {
			return input.At("--"+name, 0, "expected "+flag, "no file to show a part of")
		}
	}
	if f.from < 0 {
		return input.At("--from", 0, "expected a cycle from 0", "%d", f.from)
	}
	if flags.Changed("until") && f.until <= f.from {
		return input.At("--until", 0, "expected a cycle after "+strconv.FormatInt(f.from, 10)+", the first shown", "%d", f.until)
	}
	if !flags.Changed("nodes") {
		return nil
	}
	var err error
	f.ranges, err = parseNodeRanges(f.nodes)
	return input.Locate(err, "--nodes", 0)
}

// options returns the window on a network; title is the headline of pictures.
func (f *windowFlags) options(t *topology.Topology, title string) (capture.Options, error) {
	o := capture.Options{From: router.Cycle(f.from), Until: router.Cycle(f.until), Title: title}
	next := 0 // ranges may overlap
	for _, r := range slices.SortedFunc(slices.Values(f.ranges), func(a, b nodeRange) int { return cmp.Compare(a.first, b.first) }) {
		if r.last >= t.Nodes() {
			return o, input.At("--nodes", 0, "expected nodes from 0 to "+strconv.Itoa(t.Nodes()-1), "node %d is not in %s", r.last, t)
		}
		for next = max(next, r.first); next <= r.last; next++ {
			o.Nodes = append(o.Nodes, router.NodeID(next))
		}
	}
	return o, nil
}

// sayBeyond says that a run ended before the window; without a file there is no window.
func (f *windowFlags) sayBeyond(w io.Writer, n *fabric.Network) {
	sayBeyond(w, "--from", strconv.FormatInt(f.from, 10), router.Cycle(f.from), n, 0)
}

// sayBeyond says that a run, with the stress phase behind it, had ended before the first cycle that a flag wants to see, so that the files show nothing.
func sayBeyond(w io.Writer, flag, value string, first router.Cycle, n *fabric.Network, stress router.Cycle) {
	per := router.Cycle(n.Machine.Ticks())
	cycles, all := (n.Quiet()+per-1)/per, (n.Quiet()+stress+per-1)/per
	if first == 0 || first < all {
		return
	}
	has := input.Count(int(cycles), "cycle")
	if stress > 0 {
		has += fmt.Sprintf(" and %d of stress", all-cycles)
	}
	fmt.Fprintf(w, "meshwright: %s %s: the run has %s, so its files show nothing\n", flag, value, has)
}

// parseNodeRanges reads 0-7,12: numbers and rising ranges.
func parseNodeRanges(text string) ([]nodeRange, error) {
	var ranges []nodeRange
	for _, part := range strings.Split(text, ",") {
		from, to, found := strings.Cut(part, "-")
		if !found {
			to = from
		}
		first, err1 := strconv.ParseUint(from, 10, 31)
		last, err2 := strconv.ParseUint(to, 10, 31)
		if err1 != nil || err2 != nil || last < first {
			return nil, input.Errorf("expected nodes such as 0-7,12", "%q", input.Clip(part))
		}
		ranges = append(ranges, nodeRange{int(first), int(last)})
	}
	return ranges, nil
}
