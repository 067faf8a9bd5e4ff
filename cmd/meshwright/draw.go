// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/capture/svg"
	"meshwright/fabric/fault"
	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
	"meshwright/firmware/collective/stages"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// drawFlags ask for the picture of a network.
type drawFlags struct {
	topology, machine, links          string
	tree, form, labels, title, output string
	root                              int
	faults                            []string
	ring                              bool
	bridgeheads                       int
}

// The forms of a picture with trees.
const (
	onNetwork = "network" // on the nodes of the network
	apart     = "apart"   // beside each other, roots on top
)

// The labels of nodes.
const (
	byNumber      = "numbers"
	byPermutation = "permutations" // of star graphs
)

func newDraw() *cobra.Command {
	f := drawFlags{form: onNetwork, machine: string(machine.Wormhole)}
	cmd := &cobra.Command{
		Use:        "draw --topology T",
		SuggestFor: []string{"plot", "picture", "svg", "show"},
		Short:      "Draw a network, and on it spanning trees, a ring or bridgeheads (SVG)",
		Long: `Draws a network without a run: nodes and links where the pictures of runs have them, and with
--tree the spanning trees along which collectives send, a colour for each tree. Trees are drawn
on the network, or with --form apart beside each other, the roots on top and a colour for each
dimension. --labels chooses whether the nodes of a star graph show their numbers or their permutations.

--ring draws a ring through all nodes, on which the algorithm ring works, and on a grid gossips with
--start ring; on a grid without such a ring it is a path. --bridgeheads colours the nodes of a grid
by the round in which torgos and cubgos make them bridgeheads.

--faults draws dead nodes and dead links. With --faults known the trees grow on what is left.

--links draws a band behind the links that are slower than others, and --machine those of a machine
file, with its topology and faults. The legend names their times.`,
		Example: `  meshwright draw --topology mesh:8x8 --tree dimension-order -o mesh.svg
  meshwright draw --topology star:4 --tree star-trees --form apart -o star.svg
  meshwright draw --topology torus:9x9 --bridgeheads 3 -o bridgeheads.svg
  meshwright draw -t mesh:6x6 --tree breadth-first --faults random:3 --faults known -o left.svg
  meshwright draw --machine examples/machines/chiplets.yaml -o chiplets.svg`,
		Args: arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	groupMachine.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVarP(&f.topology, "topology", "t", "", "`network`: "+topology.Forms)
		flags.StringVarP(&f.machine, "machine", "m", f.machine, "`preset` or YAML file, for its topology, its faults and its slower links")
		flags.StringVar(&f.links, machine.LinksKey, "", "links that are slower than others: "+machine.LinkForms)
		flags.StringArrayVar(&f.faults, "faults", nil, "what is dead, drawn red and dashed: "+fault.Forms+"; with known trees avoid it (may be repeated)")
	})
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.tree, "tree", "", "spanning trees to draw: "+strings.Join(drawnTrees(), ", "))
		flags.BoolVar(&f.ring, "ring", false, "draw a ring through all nodes; on a grid without one, a path")
		flags.IntVar(&f.bridgeheads, "bridgeheads", 0, "colour the bridgeheads of torgos and cubgos with this `a`, of a mesh or torus")
		flags.IntVarP(&f.root, "root", "r", 0, "root of the trees (default: 0, or the root of the tree)")
	})
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.form, "form", f.form, "of --tree: trees on the "+onNetwork+", or "+apart)
		flags.StringVar(&f.labels, "labels", "", "labels of the nodes of a star graph: "+byNumber+" or "+byPermutation+" (default: "+byNumber+", with --form apart "+byPermutation+")")
		flags.StringVar(&f.title, "title", "", "headline (default: the network and its trees)")
		flags.StringVarP(&f.output, "out", "o", "", "write to `FILE`.svg instead of standard output")
	})
	return cmd
}

// drawnTrees are the names of trees, single ones first.
func drawnTrees() []string {
	names := plan.TreeNames()
	for _, name := range cover.Names() {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func (f *drawFlags) run(cmd *cobra.Command) error {
	m, err := f.open(cmd.Flags())
	if err != nil {
		return err
	}
	if err := f.check(cmd); err != nil {
		return err
	}
	t, err := topology.ParseWithin(cmd.Context(), f.topology)
	if err != nil {
		return err
	}
	root := t.Root
	if cmd.Flags().Changed("root") {
		if root, err = rootOf(t, f.root); err != nil {
			return err
		}
	}
	faults, err := f.faultsOn(t, root)
	if err != nil {
		return err
	}
	trees, err := f.grow(cmd.Context(), t, root, &faults)
	if err != nil {
		return err
	}
	names, err := f.names(t)
	if err != nil {
		return err
	}
	slow, err := f.slowLinks(t, m)
	if err != nil {
		return err
	}
	title, subtitle := f.headlines(t, names(root), trees)
	write, err := f.picture(cmd.Flags(), svg.Network{Title: title, Subtitle: subtitle, Topology: t, Root: root, Trees: trees, Names: names, Slow: slow}, &faults)
	if err != nil {
		return err
	}
	return writeTo(cmd.OutOrStdout(), f.output, write)
}

// check judges the flags.
func (f *drawFlags) check(cmd *cobra.Command) error {
	if f.topology == "" {
		return input.Errorf("expected --topology mesh:8x8, or a machine file that names one", "no topology")
	}
	if f.form != onNetwork && f.form != apart {
		return input.At("--form", 0, "expected "+onNetwork+" or "+apart, "%q", input.Clip(f.form))
	}
	if f.labels != "" && f.labels != byNumber && f.labels != byPermutation {
		return input.At("--labels", 0, "expected "+byNumber+" or "+byPermutation, "%q", input.Clip(f.labels))
	}
	drawn := 0
	for _, flag := range []string{"tree", "ring", "bridgeheads"} {
		if cmd.Flags().Changed(flag) {
			drawn++
		}
	}
	if drawn > 1 {
		return input.Errorf("expected one of --tree, --ring and --bridgeheads", "several of them are given")
	}
	for _, flag := range []string{"root", "form"} {
		if f.tree == "" && cmd.Flags().Changed(flag) {
			return input.At("--"+flag, 0, "expected --tree", "no trees to draw")
		}
	}
	if f.tree != "" && !slices.Contains(drawnTrees(), f.tree) {
		return input.At("--tree", 0, input.Suggest(f.tree, drawnTrees()), "unknown tree %q", input.Clip(f.tree))
	}
	var paths input.Paths
	if _, file, ok := strings.Cut(f.topology, ":"); ok {
		paths.Read("--topology", file)
	}
	paths.Read("--machine", f.machine)
	for _, file := range machine.LinkFiles(f.links) {
		paths.Read("--"+machine.LinksKey, file)
	}
	for _, spec := range f.faults {
		if fault.IsFile(spec) {
			paths.Read("--faults", spec)
		}
	}
	if f.output == "" || f.output == toStdout {
		return nil
	}
	return paths.WriteAs(outFlag, f.output, ".svg")
}

// grow grows the trees that the flags name, on what known faults leave of the network.
func (f *drawFlags) grow(ctx context.Context, t *topology.Topology, root router.NodeID, faults *drawnFaults) ([]*topology.SpanningTree, error) {
	if f.tree == "" || faults.left == nil {
		return f.growOn(ctx, t, root)
	}
	trees, err := f.growOn(ctx, faults.left.Topology, faults.left.Place[root])
	for i, s := range trees {
		trees[i] = faults.whole(s)
	}
	return trees, err
}

// growOn grows the trees on a network.
func (f *drawFlags) growOn(ctx context.Context, t *topology.Topology, root router.NodeID) ([]*topology.SpanningTree, error) {
	if f.tree == "" {
		return nil, nil
	}
	if slices.Contains(plan.TreeNames(), f.tree) {
		s, err := plan.GrowTree(ctx, t, root, f.tree)
		if err != nil {
			return nil, input.Locate(err, "--tree", 0)
		}
		return []*topology.SpanningTree{s}, nil
	}
	c, err := cover.Named(ctx, f.tree, t, root, 0)
	if err != nil {
		return nil, input.Locate(err, "--tree", 0)
	}
	return c.Trees, nil
}

// names returns what the nodes are called in the picture.
func (f *drawFlags) names(t *topology.Topology) (func(router.NodeID) string, error) {
	star := t.Star()
	switch {
	case f.labels == byPermutation && star == nil:
		return nil, input.At("--labels", 0, "expected "+byNumber+", or a star graph", "%s on %s", byPermutation, t)
	case star != nil && (f.labels == byPermutation || f.labels == "" && f.form == apart):
		return star.Name, nil
	}
	return func(n router.NodeID) string { return itoa(int(n)) }, nil
}

// headlines are the title of the picture, and what stands below it.
func (f *drawFlags) headlines(t *topology.Topology, root string, trees []*topology.SpanningTree) (title, subtitle string) {
	subtitle = fmt.Sprintf("%s, %s (%s of neighbours)", input.Count(t.Nodes(), "node"), input.Count(len(t.Links()), "link"), input.Count(pairs(t), "pair"))
	if len(trees) > 0 {
		subtitle += fmt.Sprintf(", %s (%s), root %s", input.Count(len(trees), "tree"), f.tree, root)
	}
	return cmp.Or(f.title, t.String()), subtitle
}

// pairs counts the neighbours that a network joins: a line of a picture each, and a link in each direction that there is.
func pairs(t *topology.Topology) int {
	joined := map[[2]router.NodeID]bool{}
	for _, l := range t.Links() {
		joined[[2]router.NodeID{min(l.From, l.To), max(l.From, l.To)}] = true
	}
	return len(joined)
}

// picture chooses the form of the picture.
func (f *drawFlags) picture(flags *pflag.FlagSet, p svg.Network, faults *drawnFaults) (func(io.Writer) error, error) {
	signs, counts, notes := faults.signs(p.Topology)
	p.Faults, p.Notes = signs, notes
	p.Subtitle += counts
	if f.form == apart {
		if faults.left != nil && len(faults.left.Node) < p.Topology.Nodes() {
			notes = append(notes, "Dead nodes are in none of the trees.")
		}
		if len(p.Slow) > 0 {
			notes = append(notes, "Slower links are drawn with --form "+onNetwork+" alone.")
		}
		return pictureApart(svg.Trees{Title: p.Title, Subtitle: p.Subtitle, Topology: p.Topology, Trees: p.Trees, Names: p.Names, Faults: signs, Notes: notes})
	}
	return f.pictureOnNetwork(flags, p)
}

// pictureOnNetwork adds to the picture of a network what the flags ask for.
func (f *drawFlags) pictureOnNetwork(flags *pflag.FlagSet, p svg.Network) (func(io.Writer) error, error) {
	if f.ring {
		if err := addRing(&p); err != nil {
			return nil, err
		}
	}
	if flags.Changed("bridgeheads") {
		if err := addBridgeheads(&p, f.bridgeheads); err != nil {
			return nil, err
		}
	}
	return p.Write, nil
}

// pictureApart draws trees beside each other, as far as there is room.
func pictureApart(p svg.Trees) (func(io.Writer) error, error) {
	drawn := 0
	for _, s := range p.Trees {
		drawn += len(s.Order)
	}
	if drawn > maxPictured {
		return nil, input.At("--form", 0, fmt.Sprintf("expected at most %d", maxPictured), "trees of %d nodes in all", drawn)
	}
	return p.Write, nil
}

// addRing adds a ring through all nodes; on a grid without one, a path.
func addRing(p *svg.Network) error {
	if ring := topology.HamiltonianCycle(p.Topology); len(ring) > 1 {
		p.Arrows, p.Subtitle = steps(append(ring, ring[0])), p.Subtitle+", ring through all nodes"
		return nil
	}
	if !p.Topology.IsGrid() {
		return input.At("--ring", 0, "expected a grid, or a network in which a ring through all nodes is found", "%s", p.Topology)
	}
	p.Arrows, p.Subtitle = steps(topology.HamiltonianPath(p.Topology)), p.Subtitle+", path through all nodes"
	return nil
}

// steps are the arrows of a route: a sequence of neighbours.
func steps(route []router.NodeID) (list []svg.Arrow) {
	for i := 1; i < len(route); i++ {
		list = append(list, svg.Arrow{From: route[i-1], To: route[i], Words: fmt.Sprintf("step %d", i)})
	}
	return list
}

// addBridgeheads adds a group for each round that makes bridgeheads, but for the last one, which makes all other
// nodes bridgeheads.
func addBridgeheads(p *svg.Network, a int) error {
	since, rounds, err := stages.Diagonal{A: a, B: a}.Bridgeheads(stages.GridOf(p.Topology))
	if err != nil {
		return input.Locate(err, "--bridgeheads", 0)
	}
	p.Groups = []svg.Group{{Name: "bridgeheads at the start"}}
	for round := 1; round < rounds; round++ {
		p.Groups = append(p.Groups, svg.Group{Name: fmt.Sprintf("from round %d on", round)})
	}
	for n, round := range since {
		if round < len(p.Groups) {
			p.Groups[round].Nodes = append(p.Groups[round].Nodes, router.NodeID(n))
		}
	}
	p.Subtitle += fmt.Sprintf(", bridgeheads with a = %d, %s", a, input.Count(rounds, "round"))
	return nil
}
