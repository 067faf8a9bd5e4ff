// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"meshwright/capture/svg"
	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
	"meshwright/firmware/plan"
	"meshwright/internal/input"
	"meshwright/router"
)

// drawFlags ask for the picture of a network.
type drawFlags struct {
	topology, tree, form, title, output string
	root                                int
}

// The forms of a picture with trees.
const (
	onNetwork = "network" // on the nodes of the network
	apart     = "apart"   // beside each other, roots on top
)

func newDraw() *cobra.Command {
	f := drawFlags{form: onNetwork}
	cmd := &cobra.Command{
		Use:   "draw --topology T",
		Short: "Draw a network, and spanning trees of it (SVG)",
		Long: `Draws a network without a run: nodes and links where the pictures of runs have them, and with
--tree the spanning trees along which collectives send, a colour for each tree. Trees are drawn
on the network, or with --form apart beside each other, the roots on top and a colour for each
dimension.`,
		Example: `  meshwright draw --topology mesh:8x8 --tree dimension-order -o mesh.svg
  meshwright draw --topology star:4 --tree star-trees --form apart -o star.svg
  meshwright draw --topology random-tree:30 -o tree.svg`,
		Args: arguments(0),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd) },
	}
	groupMachine.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVarP(&f.topology, "topology", "t", "", "`network`: "+topology.Forms)
	})
	groupJob.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.tree, "tree", "", "spanning trees to draw: "+strings.Join(drawnTrees(), ", "))
		flags.IntVarP(&f.root, "root", "r", 0, "root of the trees (default: 0, or the root of the tree)")
	})
	groupOutput.declare(cmd.Flags(), func(flags *pflag.FlagSet) {
		flags.StringVar(&f.form, "form", f.form, "of --tree: trees on the "+onNetwork+", or "+apart)
		flags.StringVar(&f.title, "title", "", "headline (default: the network and its trees)")
		flags.StringVarP(&f.output, "output", "o", "", "write to `FILE`.svg instead of standard output")
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
	trees, err := f.grow(cmd.Context(), t, root)
	if err != nil {
		return err
	}
	write, err := f.picture(t, root, trees)
	if err != nil {
		return err
	}
	return writeTo(cmd.OutOrStdout(), f.output, write)
}

// check judges the flags.
func (f *drawFlags) check(cmd *cobra.Command) error {
	if f.topology == "" {
		return input.Errorf("expected --topology mesh:8x8", "no topology")
	}
	if f.form != onNetwork && f.form != apart {
		return input.At("--form", 0, "expected "+onNetwork+" or "+apart, "%q", input.Clip(f.form))
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
	if f.output == "" || f.output == toStdout {
		return nil
	}
	return paths.WriteAs("--output", f.output, ".svg")
}

// grow grows the trees that the flags name.
func (f *drawFlags) grow(ctx context.Context, t *topology.Topology, root router.NodeID) ([]*topology.SpanningTree, error) {
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

// picture chooses the form of the picture.
func (f *drawFlags) picture(t *topology.Topology, root router.NodeID, trees []*topology.SpanningTree) (func(io.Writer) error, error) {
	title := f.title
	subtitle := fmt.Sprintf("%s, %s", input.Count(t.Nodes(), "node"), input.Count(len(t.Links())/2, "link"))
	if title == "" {
		title = t.String()
	}
	if len(trees) > 0 {
		subtitle += fmt.Sprintf(", %s (%s), root %d", input.Count(len(trees), "tree"), f.tree, root)
	}
	if f.form == onNetwork {
		p := svg.Network{Title: title, Subtitle: subtitle, Topology: t, Root: root, Trees: trees}
		return p.Write, nil
	}
	drawn := 0
	for _, s := range trees {
		drawn += len(s.Order)
	}
	if drawn > maxPictured {
		return nil, input.At("--form", 0, fmt.Sprintf("expected at most %d", maxPictured), "trees of %d nodes in all", drawn)
	}
	name := func(n router.NodeID) string { return itoa(int(n)) }
	if t.Star() != nil {
		name = t.Star().Name
	}
	p := svg.Trees{Title: title, Subtitle: subtitle, Topology: t, Trees: trees, Names: name}
	return p.Write, nil
}
