// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/router"
)

func parse(t testing.TB, spec string) *Topology {
	topo, err := Parse(spec)
	require.NoError(t, err)
	return topo
}

func TestSizes(t *testing.T) {
	for _, row := range []struct {
		spec         string
		nodes, links int
	}{
		{"path:1", 1, 0}, {"path:6", 6, 10}, {"ring:3", 3, 6}, {"ring:2", 2, 2}, {"mesh:4x3", 12, 34},
		{"torus:4x4", 16, 64}, {"torus:2x4", 8, 8 + 16}, {"hypercube:4", 16, 64}, {"mesh:2x3x4", 24, 2 * (12 + 16 + 18)},
		{"hypercube:1", 2, 2}, {"hub:5", 5, 8}, {"hub:1", 1, 0}, {"binary:3", 15, 28}, {"comb:3x4", 15, 28}, {"random-tree:9", 9, 16},
		{"random-tree:1", 1, 0}, {"random-tree:2,5", 2, 2}, {"recursive-tree:9,3", 9, 16}, {"complete:6", 6, 30}, {"complete:1", 1, 0},
		{"debruijn:1", 2, 2}, {"debruijn:3", 8, 26}, {"debruijn:4", 16, 58}, {"random:10,3", 10, 30}, {"random:10,3.2,7", 10, 32},
		{"random:10,1.8", 10, 18}, {"random:10,9", 10, 90}, {"random:1,0", 1, 0}, {"random:2,1", 2, 2}, {"twisted-torus:4x8", 32, 128}, {"twisted-torus:3x2", 6, 24}, {"star:2", 2, 2}, {"star:3", 6, 12}, {"star:5", 120, 480},
	} {
		topo := parse(t, row.spec)
		require.Equal(t, row.nodes, topo.Nodes(), row.spec)
		require.Len(t, topo.Links(), row.links, row.spec)
	}
}

func TestLinksLeadBack(t *testing.T) {
	tree := write(t, "node,parent\n0,\n1,0\n2,0\n3,1\n4,1\n")
	for _, spec := range []string{"path:5", "ring:5", "mesh:3x4", "torus:3x4x5", "hypercube:3", "tree:" + tree, "debruijn:5", "random:40,5", "random-tree:50", "complete:7", "comb:3x2", "star:2", "star:5", "twisted-torus:4x8", "twisted-torus:5x2,3"} {
		topo := parse(t, spec)
		for _, link := range topo.Links() {
			require.Equal(t, link.From, topo.Neighbor(link.To, link.ToPort), spec)
			require.Equal(t, link.FromPort, topo.BackPort(link.To, link.ToPort), spec)
			p, ok := topo.PortTo(link.From, link.To)
			require.True(t, ok)
			require.Equal(t, link.FromPort, p)
		}
	}
}

func TestFirstDimensionIsFastest(t *testing.T) {
	topo := parse(t, "mesh:4x3x2")
	require.Equal(t, []int{1, 2, 1}, topo.Coordinates(1+4*2+12*1))
	require.Equal(t, router.NodeID(1), topo.Neighbor(0, 0))
	require.Equal(t, router.NodeID(4), topo.Neighbor(0, 2))
	require.Equal(t, router.NodeID(12), topo.Neighbor(0, 4))
	require.Equal(t, router.None, topo.Neighbor(0, 1))
	require.Equal(t, router.NodeID(3), parse(t, "torus:4x3").Neighbor(0, 1))
}

func TestBadSpecs(t *testing.T) {
	forms := " (" + specForms + ")"
	for _, row := range []struct{ spec, want string }{
		{"mash:8x8", `unknown topology "mash" (` + specForms + "; did you mean mesh?)"},
		{"blob:8", `unknown topology "blob"` + forms},
		{"mesh", `topology "mesh" has no size (expected mesh:AxB[xC..])`},
		{"mesh:", `topology "mesh:" has no size (expected mesh:AxB[xC..])`},
		{"path:0", `topology "path:0": size 0 (expected at least 1)`},
		{"mesh:8x-1", `topology "mesh:8x-1": size -1 (expected at least 1)`},
		{"mesh:8xx8", `topology "mesh:8xx8": "" is not a size (expected mesh:AxB[xC..])`},
		{"path:x", `topology "path:x": "x" is not a size (expected path:N)`},
		{"ring:3x3", `topology "ring:3x3" has 2 sizes (expected ring:N)`},
		{"mesh:100000x100000", `topology "mesh:100000x100000" is too large (expected at most 4194304 nodes)`},
		{"hypercube:3x3", `topology "hypercube:3x3" has 2 sizes (expected hypercube:D)`},
		{"hypercube:40", `topology "hypercube:40" is too large (expected at most 22 dimensions)`},
		{"hub:0", `topology "hub:0": size 0 (expected 1 to 4194304)`},
		{"hub:3,4", `topology "hub:3,4" has 2 numbers (expected hub:N)`},
		{"hud:3", `unknown topology "hud" (` + specForms + "; did you mean hub?)"},
		{"binary:22", `topology "binary:22": size 22 (expected 1 to 21)`},
		{"comb:3", `topology "comb:3" has 1 size (expected comb:AxB)`},
		{"comb:4194304x1", `topology "comb:4194304x1" is too large (expected at most 4194304 nodes)`},
		{"random-tree:3,x", `topology "random-tree:3,x": "x" is not a seed (expected random-tree:N[,SEED])`},
		{"random-tree:3,1,2", `topology "random-tree:3,1,2" has 3 numbers (expected random-tree:N[,SEED])`},
		{"recursive-tree:x", `topology "recursive-tree:x": "x" is not a size (expected recursive-tree:N[,SEED])`},
		{"complete:5000", `topology "complete:5000": size 5000 (expected 1 to 4096)`},
		{"twisted-torus:4", `topology "twisted-torus:4" has 1 size (expected twisted-torus:AxB[,T])`},
		{"twisted-torus:2x3x4", `topology "twisted-torus:2x3x4" has 3 sizes (expected twisted-torus:AxB[,T])`},
		{"twisted-torus:4x", `topology "twisted-torus:4x": "" is not a size (expected twisted-torus:AxB[,T])`},
		{"twisted-torus:2x2", `topology "twisted-torus:2x2" is too small for a twist (expected sides of at least 2 and 3)`},
		{"twisted-torus:1x9", `topology "twisted-torus:1x9" is too small for a twist (expected sides of at least 2 and 3)`},
		{"twisted-torus:4x4", `topology "twisted-torus:4x4" has equal sides and no twist (expected twisted-torus:AxB[,T], with T from 1 to 3)`},
		{"twisted-torus:4x8,0", `topology "twisted-torus:4x8,0": twist 0 (expected 1 to 7)`},
		{"twisted-torus:4x8,8", `topology "twisted-torus:4x8,8": twist 8 (expected 1 to 7)`},
		{"twisted-torus:4x8,x", `topology "twisted-torus:4x8,x": "x" is not a twist (expected twisted-torus:AxB[,T])`},
		{"twisted-torus:4x8,2,3", `topology "twisted-torus:4x8,2,3": "2,3" is not a twist (expected twisted-torus:AxB[,T])`},
		{"star:1", `topology "star:1": size 1 (expected 2 to 9)`},
		{"star:10", `topology "star:10": size 10 (expected 2 to 9)`},
		{"star:x", `topology "star:x": "x" is not a size (expected star:N)`},
		{"star:4,1", `topology "star:4,1" has 2 numbers (expected star:N)`},
		{"debruijn:x", `topology "debruijn:x": "x" is not a size (expected debruijn:D)`},
		{"random:10", `topology "random:10" has 1 number (expected random:N,D[,SEED])`},
		{"random:10,z", `topology "random:10,z": "z" is not an average degree (expected random:N,D[,SEED])`},
		{"random:10,1", `topology "random:10,1": average degree 1 (expected 1.8 to 9 for a connected graph)`},
		{"random:10,9.5", `topology "random:10,9.5": average degree 9.5 (expected 1.8 to 9 for a connected graph)`},
		{"random:1000000,40", `topology "random:1000000,40": average degree 40 (expected 1.999998 to 16.77312 for a connected graph)`},
		{"tree:nowhere.csv", `nowhere.csv: no such file or directory (expected a file that can be read)`},
	} {
		_, err := Parse(row.spec)
		require.EqualError(t, err, row.want)
	}
}

// What is meant is said where it is clear, and can be made.
func TestMeantSpecs(t *testing.T) {
	for spec, want := range map[string]string{
		"mesh 4x4": "mesh:4x4", "mesh4x4": "mesh:4x4", "4x4": "mesh:4x4", "mesh:4X4": "mesh:4x4", "mesh: 4x4": "mesh:4x4", "Mesh:4x4": "mesh:4x4",
		"mesh:4*4": "mesh:4x4", "mesh-4x4": "mesh:4x4", "mesh=4x4": "mesh:4x4", "2x3x4": "mesh:2x3x4", "hypercube3": "hypercube:3", "PATH:6 ": "path:6",
		"twisted-torus 4x8, 2": "twisted-torus:4x8,2", "random-tree50": "random-tree:50", "random 10,3": "random:10,3", "De Bruijn:3": "debruijn:3",
	} {
		_, err := Parse(spec)
		require.EqualError(t, err, fmt.Sprintf("unknown topology %q (did you mean %s?)", spec, want))
		require.Equal(t, want, Meant(want))
	}
	for _, spec := range []string{"mesh0x0", "star:4x4", "Hypercube:40", "Complete:4000", "4", "4x", "x4", "mesh", "path 3x3", "Tree:4x4", "mesh:-4x4", "mesh::4x4", "graph 4", "twisted-torus4"} {
		_, err := Parse(spec)
		require.Error(t, err)
		require.NotRegexp(t, `did you mean \S+:`, err.Error(), spec)
	}
}

func write(t testing.TB, text string) string {
	file := filepath.Join(t.TempDir(), "net.csv")
	require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	return file
}

func TestBadTreeAndGraphFiles(t *testing.T) {
	for _, row := range []struct{ name, kind, text, want string }{
		{"two roots", "tree", "0,\n1,0\n2,-1\n", "3: two roots: nodes 0 and 2 have no parent (expected one root)"},
		{"cycle beside a root", "tree", "0,\n1,2\n2,3\n3,1\n", "4: a cycle: node 1 is its own ancestor (expected a tree)"},
		{"cycle without a root", "tree", "0,1\n1,0\n", "1: a cycle: every node has a parent (expected a node with an empty parent)"},
		{"own parent", "tree", "node,parent\n0,\n1,1\n", "3: node 1 is its own parent: a cycle (expected a tree)"},
		{"two rows", "tree", "0,\n1,0\n1,0\n", "3: node 1 has a row already, in line 2 (expected one row a node)"},
		{"one column", "tree", "0\n", "1: 1 column (expected node,parent)"},
		{"no number", "tree", "0,\nx,0\n", `2: "x" is not a node (expected a node number from 0 to 4194303)`},
		{"gap", "tree", "0,\n2,0\n", " node 1 is missing (expected nodes 0 to 2 without gaps)"},
		{"empty", "tree", "# nothing\n", " no nodes (expected rows of node,parent)"},
		{"loop", "graph", "0,1\n1,1\n", "2: edge 1,1 is a loop (expected two different nodes)"},
		{"edge twice", "graph", "0,1\n1,0\n", "2: edge 1,0 stands in line 1 already (expected each edge once)"},
		{"one end", "graph", "0,1\n1,\n", "2: an edge with one end (expected node,node)"},
		{"disconnected", "graph", "0,1\n2,3\n", " node 2 cannot be reached from node 0 (expected a connected network)"},
		{"bare quote", "graph", "0,\"1\n", `1: a field that begins with a quotation mark does not end with one (expected node,node)`},
		{"no node", "graph", "-1,-1\n", `1: "-1" is not a node (expected a node number from 0 to 4194303)`},
	} {
		t.Run(row.name, func(t *testing.T) {
			file := write(t, row.text)
			_, err := Parse(row.kind + ":" + file)
			require.EqualError(t, err, file+":"+row.want)
		})
	}
}

func TestRootMayHaveNoRow(t *testing.T) {
	topo := parse(t, "tree:"+write(t, "1,2\n0,2\n"))
	require.Equal(t, router.NodeID(2), topo.Root)
}

func TestSpanningTreesReachEveryNodeOnShortestPaths(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, spec := range []string{"mesh:5x4", "torus:5x4", "ring:8", "path:9", "hypercube:4", "torus:3x4x5"} {
		topo := parse(t, spec)
		root := router.NodeID(rng.IntN(topo.Nodes()))
		breadth, order := BreadthFirst(topo, root), DimensionOrder(topo, root)
		require.Equal(t, router.None, order.Unreached(), spec)
		require.Equal(t, breadth.Depth, order.Depth, spec)
		for _, n := range order.Order[1:] {
			_, ok := topo.PortTo(order.Parent[n], n)
			require.True(t, ok)
		}
	}
}

func FuzzTreeFile(f *testing.F) {
	for _, seed := range []string{"0,\n1,0\n", "node,parent\n0,-1\n1,0\n2,1\n", "0,1\n1,2\n2,0\n", "# c\n\n3,\"\n", "parent,node\n,0\n0,1\n", "parent,parent\n0,1\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rows, nodes, err := parsePairs([]byte(text), "f.csv", "node,parent")
		if err != nil || nodes > 5000 {
			return
		}
		parent, lineOf, err := parents("f.csv", rows, nodes)
		if err != nil {
			return
		}
		root, err := findRoot("f.csv", parent, lineOf)
		if err != nil || checkAcyclic("f.csv", parent, lineOf) != nil {
			return
		}
		for n := range parent {
			steps := 0
			for at := router.NodeID(n); at != root; at = parent[at] {
				steps++
				require.LessOrEqual(t, steps, nodes)
			}
		}
	})
}

func ExampleParse() {
	t, _ := Parse("mesh:4x3")
	fmt.Println(t.Nodes(), "nodes,", len(t.Links()), "links")
	fmt.Println(t.Coordinates(6), t.PortName(6, 0), "leads to", t.Neighbor(6, 0))
	// Output:
	// 12 nodes, 34 links
	// [2 1] +x leads to 7
}

func FuzzGraphFile(f *testing.F) {
	f.Add("0,1\n1,2\n")
	f.Add("node,node\n0,1\n1,2\n")
	f.Add("node,from\n0,1\n")
	f.Fuzz(func(t *testing.T, text string) {
		file := write(t, text)
		topo, err := Parse("graph:" + file)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		for _, link := range topo.Links() {
			require.Equal(t, link.From, topo.Neighbor(link.To, link.ToPort))
		}
	})
}

func FuzzSpec(f *testing.F) {
	for _, seed := range []string{"mesh:3x3", "random-tree:5,2", "random:6,3", "comb:2x3", "debruijn:3", "twisted-torus:3x6", "twisted-torus:4x4,2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, spec string) {
		if strings.HasPrefix(spec, "tree:") || strings.HasPrefix(spec, "graph:") || len(spec) > 40 {
			return
		}
		topo, err := Parse(spec)
		if err == nil {
			require.Positive(t, topo.Nodes())
			require.LessOrEqual(t, topo.Nodes(), MaxNodes)
		}
	})
}
