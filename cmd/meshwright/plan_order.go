// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/internal/rational"
	"meshwright/router"
	"meshwright/schedule/bound"
	"meshwright/schedule/packet"
	"meshwright/schedule/workload"
)

// orderFlags ask for order and packets of a scatter on a tree.
type orderFlags struct {
	topology, lengths, setup string
	root, length, steps      int
	seed                     uint64
	json                     bool
}

func newPlanOrder() *cobra.Command {
	var f orderFlags
	cmd := &cobra.Command{
		Use:   "order --topology T --lengths L --setup BETA",
		Short: "Search for the best order and packets of a scatter on a store-forward tree",
		Long: fmt.Sprintf(`Searches for the best order and packets of a scatter's messages in a store-forward network
with set-ups, along the breadth-first tree. Packets do not mix messages.

A result is shown as the optimum only if it is proved: it is as fast as the lower bound for
such packets (uncombined), or it is the result of an exact search over all orders and all splits.
The exact search accepts at most %d messages whose lengths, each plus 1, have a product of at most
%d, and gives up after some seconds. Any other result comes from a local search, and is
shown as found, not proved, with the bounds below it.

Furthest-first is the best of several splits: whole messages, one packet size for all, or each
message as is best for it alone. meshwright run scatter --algorithm search searches in the same
way, along the tree of the machine's routes or --tree.`, packet.OptimumMessages, packet.OptimumStates),
		Example: "  meshwright plan order --topology tree:examples/trees/fork.csv --lengths 0,0,3,0,0,0,1 --setup 2",
		Args:    arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.run(cmd); err != nil {
				return err
			}
			return cmd.Context().Err() // a search that is interrupted prints the best so far
		},
	}
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.IntVarP(&f.root, "root", "r", 0, "root node (default: 0, or the root of the tree)")
		flags.IntVarP(&f.length, "length", "l", 8, "flits of every message")
		flags.StringVar(&f.lengths, "lengths", "", "flits of each node's message, by node number and without the root; or @FILE (CSV node,flits)")
		flags.Uint64Var(&f.seed, "seed", 1, "seed of the local search")
	})
	groupAlgorithm.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		steps := declaredOption("steps")
		flags.IntVar(&f.steps, steps.Name, 0, steps.Help+" (default: "+steps.Default+")")
	})
	groupMachine.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVarP(&f.topology, "topology", "t", "", "`network`")
		flags.StringVar(&f.setup, "setup", "1", "cycles that a packet pays on every link before its first flit: 2, 1.5, 3/2")
	})
	addJSON(cmd, &f.json)
	return cmd
}

// orderAnswer is the result of a search; its JSON names are a contract.
type orderAnswer struct {
	Topology      string          `json:"topology"`
	Setup         string          `json:"setup"`
	FurthestFirst json.RawMessage `json:"furthest_first"`
	WholeMessages json.RawMessage `json:"whole_messages,omitempty"`
	Best          json.RawMessage `json:"best"`
	Exact         string          `json:"best_exact"`
	Optimal       bool            `json:"optimal"`
	Tree          string          `json:"tree,omitempty"` // that the optimum is of, where the network has several
	LowerBound    json.RawMessage `json:"lower_bound"`
	Uncombined    json.RawMessage `json:"uncombined_bound"`
	Order         []burst         `json:"order"`
	Version       string          `json:"version"`
}

// burst is packets of one node's message in a row.
type burst struct {
	Node    int `json:"node"`
	Flits   int `json:"flits"`
	Packets int `json:"packets"`
}

func (f *orderFlags) run(cmd *cobra.Command) error {
	t, lengths, parent, err := f.load(cmd)
	if err != nil {
		return err
	}
	beta, err := rational.Parse(f.setup)
	if err != nil {
		return input.Locate(err, "--setup", 0)
	}
	tree, err := packet.NewTree(parent)
	if err != nil {
		return err
	}
	first, err := packet.FurthestFirstContext(cmd.Context(), tree, lengths, beta)
	if err != nil {
		return err
	}
	unbroken, found, err := f.search(cmd, tree, lengths, beta)
	if err == nil {
		err = cmd.Context().Err() // a search that is stopped returns what it has
	}
	if err != nil {
		return err
	}
	least, err := leastTimes(t, parent, lengths, beta)
	if err != nil {
		return err
	}
	if !f.json {
		return f.print(cmd.OutOrStdout(), t, first, unbroken, found, least)
	}
	answer := orderAnswer{
		Topology: t.String(), Setup: beta.String(), FurthestFirst: jsonNumber(first.Time()), Best: jsonNumber(found.Time()),
		Exact: found.Time().RatString(), Optimal: found.Optimal, LowerBound: jsonNumber(least.all), Uncombined: jsonNumber(least.uncombined), Version: version(),
	}
	if !isTree(t) {
		answer.Tree = "breadth-first"
	}
	if unbroken != nil {
		answer.WholeMessages = jsonNumber(unbroken.Time())
	}
	for _, b := range found.Bursts {
		answer.Order = append(answer.Order, burst{b.Node, b.Flits, b.Packets})
	}
	return printJSON(cmd.OutOrStdout(), answer)
}

// load reads network and lengths, and the parents in the breadth-first tree.
func (f *orderFlags) load(cmd *cobra.Command) (*topology.Topology, []int, []int, error) {
	if f.topology == "" {
		return nil, nil, nil, input.Errorf("expected --topology tree:FILE", "no topology")
	}
	if f.steps < 0 {
		return nil, nil, nil, input.At("--steps", 0, "expected at least 0", "%d", f.steps)
	}
	if err := exclusive(cmd, "length", "lengths"); err != nil {
		return nil, nil, nil, err
	}
	t, err := topology.ParseWithin(cmd.Context(), f.topology)
	if err != nil {
		return nil, nil, nil, err
	}
	root := t.Root
	if cmd.Flags().Changed("root") {
		if root, err = rootOf(t, f.root); err != nil {
			return nil, nil, nil, err
		}
	}
	var lengths []int
	if f.lengths != "" {
		lengths, err = workload.ParseLengths(f.lengths, t.Nodes(), root)
		err = input.Locate(err, "--lengths", 0)
	} else {
		lengths, err = workload.EqualLengths(f.length, t.Nodes(), root)
		err = input.Locate(err, "--length", 0)
	}
	parent := make([]int, t.Nodes())
	for n, p := range topology.BreadthFirst(t, root).Parent {
		parent[n] = int(p)
	}
	return t, lengths, parent, err
}

// isTree tells whether a network has no tree but itself.
func isTree(t *topology.Topology) bool { return len(t.Links()) == 2*(t.Nodes()-1) }

// least are times that no scatter on the network can beat, by any tree: of all, and
// of those whose packets do not mix messages, among which the search looks.
type least struct{ all, uncombined *big.Rat }

func leastTimes(t *topology.Topology, parent, lengths []int, beta rational.Rational) (*least, error) {
	setup, flit := router.Cycle(beta.Num()), router.Cycle(beta.Den())
	root := router.NodeID(slices.Index(parent, -1))
	all, err := bound.MixedPackets(t, root, lengths, bound.PacketLinks{Setup: setup, Flit: flit})
	if err != nil {
		return nil, err
	}
	var low router.Cycle
	if isTree(t) {
		low, err = bound.PacketTree(parent, lengths, setup, flit)
	} else {
		low, err = bound.PacketScatter(topology.BreadthFirst(t, root).Depth, lengths, setup, flit)
	}
	return &least{big.NewRat(int64(all), beta.Den()), big.NewRat(int64(max(all, low)), beta.Den())}, err
}

// search also returns the best order in which no message is interrupted, where
// that too can be found for sure.
func (f *orderFlags) search(cmd *cobra.Command, tree *packet.Tree, lengths []int, beta rational.Rational) (unbroken, found *packet.Plan, err error) {
	found, err = packet.Find(cmd.Context(), tree, lengths, beta, packet.Effort{Seed: f.seed, Steps: f.steps})
	if err != nil {
		return nil, nil, err
	}
	unbroken, err = packet.FindUnbroken(cmd.Context(), tree, lengths, beta, found)
	return unbroken, found, err
}

func (f *orderFlags) print(w io.Writer, t *topology.Topology, first, unbroken, found *packet.Plan, least *least) error {
	rows := [][]string{{"furthest-first, best split", exactly(first.Time()), burstText(first.Bursts)}}
	if unbroken != nil {
		rows = append(rows, []string{"best order of whole messages", exactly(unbroken.Time()), burstText(unbroken.Bursts)})
	}
	name := "found, not proved"
	if found.Optimal {
		name = "optimum"
	}
	where := t.String()
	if !isTree(t) {
		name, where = name+" (on this tree)", where+" along its breadth-first tree"
	}
	rows = append(rows, []string{name, exactly(found.Time()), burstText(found.Bursts)}, []string{"lower bound, uncombined", exactly(least.uncombined), ""}, []string{"lower bound", exactly(least.all), ""})
	return printRows(w, fmt.Sprintf("scatter on %s, setup %s", where, f.setup), []string{"", "cycles", "node: flits(packets)"}, rows)
}

// maxBursts bounds the bursts of an order that a table shows.
const maxBursts = 12

func burstText(bursts []packet.Burst) string {
	var parts []string
	for i, b := range bursts {
		if i == maxBursts {
			parts = append(parts, fmt.Sprintf("and %d more", len(bursts)-i))
			break
		}
		parts = append(parts, fmt.Sprintf("%d: %d(%d)", b.Node, b.Flits, b.Packets))
	}
	return strings.Join(parts, ", ")
}
