// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"math/bits"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
	"meshwright/fabric/topology/star"
	"meshwright/firmware/collective/tolerant"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/schedule/bound"
)

// starFlags ask how star graphs compare with hypercubes.
type starFlags struct {
	symbols  []int
	messages int
	copies   int
	json     bool
}

// starRow is one network; its JSON names are a contract.
type starRow struct {
	Topology     string      `json:"topology"`
	Nodes        int         `json:"nodes"`
	Links        int         `json:"links_per_node"`
	Diameter     int         `json:"diameter"`
	MeanDistance float64     `json:"mean_distance"`
	TreeDepth    int         `json:"tree_depth"`
	Broadcast    stepsAnswer `json:"broadcast"`
	Gossip       stepsAnswer `json:"gossip"`
	Scatter      stepsAnswer `json:"scatter"`
	Exchange     stepsAnswer `json:"exchange"`

	GossipSteps   *int `json:"gossip_time_steps"` // of edst; null: too large
	ExchangeSteps *int `json:"exchange_time_steps"`
}

// stepsAnswer are the lower bounds of one collective.
type stepsAnswer struct {
	Time          int `json:"steps"`
	Transmissions int `json:"transmissions"`
}

func newPlanStar() *cobra.Command {
	f := starFlags{symbols: []int{3, 4, 5, 6, 7, 8, 9}, messages: 1, copies: 1}
	cmd := &cobra.Command{
		Use:   "star",
		Short: "Compare star graphs with hypercubes: lower bounds of collectives in steps",
		Long: `Compares each star graph with the smallest hypercube that has as many nodes, by lower bounds for
machines that count in steps (Fragopoulou and Akl): store-and-forward, all ports at work, and
each directed link carries one message in a step. Every node broadcasts M messages, or sends
M messages to each other node. With --copies X each message reaches its destination over X routes
without a common link, so that X-1 faults cannot stop it.

The second table shows the least steps of a broadcast, all-gather, scatter and all-to-all, and the
least transmissions: messages over links. Behind the bounds of all-gather and all-to-all stand the steps
of the schedules of algorithm edst; large ones are left out. An all-gather needs as many transmissions
for each node as a broadcast, and an all-to-all as many for each node as a scatter.
"tree depth" is the depth of the disjoint spanning trees, as many as a node has links: on these a
broadcast takes ceil(M X / links) + tree depth - 1 steps.`,
		Example: "  meshwright plan star\n  meshwright plan star --symbols 4,5 --messages 100 --copies 3",
		Args:    arguments(0),
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.IntSliceVar(&f.symbols, "symbols", f.symbols, "symbols of the star graphs, 2 to 9 (a list)")
		flags.IntVar(&f.messages, "messages", f.messages, "messages of every node, or for every node")
		flags.IntVar(&f.copies, "copies", f.copies, "routes without a common link by which each message arrives")
	})
	addJSON(cmd, &f.json)
	return cmd
}

// mostStepMessages bounds --messages, so that no bound overflows.
const mostStepMessages = 10_000

func (f *starFlags) run(cmd *cobra.Command) error {
	if f.messages < 1 || f.messages > mostStepMessages {
		return input.At("--messages", 0, fmt.Sprintf("expected 1 to %d", mostStepMessages), "%d", f.messages)
	}
	var list []starRow
	for _, n := range f.symbols {
		if n < star.MinSymbols || n > star.MaxSymbols {
			return input.At("--symbols", 0, fmt.Sprintf("expected %d to %d", star.MinSymbols, star.MaxSymbols), "%d", n)
		}
		if f.copies < 1 || f.copies > n-1 {
			return input.At("--copies", 0, fmt.Sprintf("expected 1 to %d, the links of a node of star:%d", n-1, n), "%d", f.copies)
		}
		p := bound.StarProfile(n)
		d := bits.Len(uint(p.Nodes() - 1))
		for _, r := range []starRow{
			f.row(fmt.Sprintf("star:%d", n), p, star.TreeDepth(n)),
			f.row(fmt.Sprintf("hypercube:%d", d), bound.HypercubeProfile(d), cover.BinomialDepth(d)),
		} {
			if err := f.schedule(cmd.Context(), &r); err != nil {
				return err
			}
			list = append(list, r)
		}
	}
	if f.json {
		return printJSON(cmd.OutOrStdout(), list)
	}
	return f.print(cmd.OutOrStdout(), list)
}

func (f *starFlags) row(spec string, p bound.Profile, treeDepth int) starRow {
	return starRow{
		Topology: spec, Nodes: p.Nodes(), Links: p.Links, Diameter: p.Diameter(), TreeDepth: treeDepth,
		MeanDistance: float64(p.Distances()) / float64(p.Nodes()),
		Broadcast:    stepsAnswer(p.Broadcast(f.messages, f.copies)), Gossip: stepsAnswer(p.Gossip(f.messages, f.copies)),
		Scatter: stepsAnswer(p.Scatter(f.messages, f.copies)), Exchange: stepsAnswer(p.Exchange(f.messages, f.copies)),
	}
}

// mostScheduled bounds the nodes times links, messages and copies of a schedule.
const mostScheduled = 1 << 18

// schedule adds the steps of schedules that are not too large.
func (f *starFlags) schedule(ctx context.Context, r *starRow) error {
	if r.Nodes*r.Links*f.messages*f.copies > mostScheduled {
		return nil
	}
	t, err := topology.Parse(r.Topology)
	if err != nil {
		return err
	}
	for kind, steps := range map[string]**int{plan.Gossip: &r.GossipSteps, plan.Exchange: &r.ExchangeSteps} {
		count, err := tolerant.Steps(ctx, t, kind, f.messages, f.copies)
		if err != nil {
			return err
		}
		*steps = &count
	}
	return nil
}

func (f *starFlags) print(w io.Writer, list []starRow) error {
	var networks, steps [][]string
	for _, r := range list {
		networks = append(networks, []string{r.Topology, itoa(r.Nodes), itoa(r.Links), itoa(r.Diameter), fmt.Sprintf("%.2f", r.MeanDistance), itoa(r.TreeDepth)})
		steps = append(steps, []string{
			r.Topology, itoa(r.Broadcast.Time), itoa(r.Gossip.Time), itoaOf(r.GossipSteps), itoa(r.Scatter.Time), itoa(r.Exchange.Time), itoaOf(r.ExchangeSteps),
			itoa(r.Broadcast.Transmissions), itoa(r.Scatter.Transmissions),
		})
	}
	if err := printRows(w, "Star graphs, and the smallest hypercubes with as many nodes", []string{"network", "nodes", "links a node", "diameter", "mean distance", "tree depth"}, networks); err != nil {
		return err
	}
	title := fmt.Sprintf("Lower bounds in steps: %s, %s", input.Count(f.messages, "message"), input.Count(f.copies, "disjoint route"))
	header := []string{"network", "broadcast", "all-gather", "edst", "scatter", "all-to-all", "edst", "transmissions of a broadcast", "of a scatter"}
	return printRows(w, title, header, steps)
}

// itoaOf is a cell of a number that may be missing.
func itoaOf(n *int) string {
	if n == nil {
		return ""
	}
	return itoa(*n)
}
