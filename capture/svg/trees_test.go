// SPDX-License-Identifier: Apache-2.0

package svg

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/fabric/topology/cover"
)

func drawTrees(t *testing.T, spec, construction string) string {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	c, err := cover.Named(t.Context(), construction, topo, 0, 0)
	require.NoError(t, err)
	p := Trees{Title: spec, Topology: topo, Trees: c.Trees}
	if topo.Star() != nil {
		p.Names = topo.Star().Name
	}
	var b bytes.Buffer
	require.NoError(t, p.Write(&b))
	return b.String()
}

// Every node stands once in each tree, and nodes do not lie on each other.
func TestTreesShowEveryNodeOnce(t *testing.T) {
	for _, row := range []struct {
		spec, construction string
		trees, nodes       int
	}{
		{"star:2", "star-trees", 1, 2}, {"star:4", "star-trees", 3, 24}, {"hypercube:4", "rotated-binomials", 4, 16},
		{"torus:3x3", "arborescences", 4, 9}, {"debruijn:3", "arborescences", 2, 8},
	} {
		text := drawTrees(t, row.spec, row.construction)
		decoder := xml.NewDecoder(strings.NewReader(text))
		for {
			if _, err := decoder.Token(); errors.Is(err, io.EOF) {
				break
			} else {
				require.NoError(t, err)
			}
		}
		nodes := regexp.MustCompile(`class="n" x="([0-9.]+)" y="([0-9.]+)"`).FindAllString(text, -1)
		require.Len(t, nodes, row.trees*row.nodes, row.spec)
		seen := map[string]bool{}
		for _, at := range nodes {
			require.False(t, seen[at], at)
			seen[at] = true
		}
	}
	require.Equal(t, 3, strings.Count(drawTrees(t, "star:4", "star-trees"), ">4321</text>"))
}

// The trees of a star graph are rotations of one another: they have the same shape.
func TestRotatedTreesHaveTheSameShape(t *testing.T) {
	for _, row := range []struct{ spec, construction string }{{"star:4", "star-trees"}, {"hypercube:4", "rotated-binomials"}} {
		topo, err := topology.Parse(row.spec)
		require.NoError(t, err)
		c, err := cover.Named(t.Context(), row.construction, topo, 0, 0)
		require.NoError(t, err)
		var shape []string // of the first tree
		for i, s := range c.Trees {
			var b canvas
			p := Trees{Topology: topo}
			p.draw(&b, i, s, &deadSigns{topology: topo}, 0, 0)
			lines := regexp.MustCompile(`d="M.*"`).FindAllString(b.String(), -1)
			slices.Sort(lines)
			if i == 0 {
				shape = lines
			}
			require.Equal(t, shape, lines, row.spec)
		}
	}
}

func TestTreesOfAnotherNetworkAreRefused(t *testing.T) {
	topo, err := topology.Parse("star:3")
	require.NoError(t, err)
	other, err := topology.Parse("ring:7")
	require.NoError(t, err)
	p := Trees{Topology: topo, Trees: []*topology.SpanningTree{topology.BreadthFirst(other, 0)}}
	require.ErrorContains(t, p.Write(io.Discard), "a tree of another network (expected a tree of star:3)")
	require.ErrorContains(t, (&Trees{}).Write(io.Discard), "no topology")
}
