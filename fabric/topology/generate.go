// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"meshwright/fabric/topology/star"
	"meshwright/internal/input"
	"meshwright/router"
)

// generate makes the trees and graphs that follow from sizes and a seed; it
// returns nothing for another name.
func generate(name, rest, spec string) (*Topology, error) {
	a := arguments{name: name, spec: spec, parts: strings.Split(rest, ",")}
	switch name {
	case "hub":
		return a.tree(a.form("N"), hub)
	case "binary":
		depth, err := a.size(a.form("D"), 0, 1, 21)
		if err != nil {
			return nil, err
		}
		return newTree(parentsBy(1<<(depth+1)-1, func(n int) int { return (n - 1) / 2 }), 0), nil
	case "comb":
		return newComb(rest, spec)
	case "random-tree":
		return a.tree(a.form("N[,SEED]"), randomTree)
	case "recursive-tree":
		return a.tree(a.form("N[,SEED]"), recursiveTree)
	case "star":
		symbols, err := a.size(a.form("N"), 0, star.MinSymbols, star.MaxSymbols)
		if err != nil {
			return nil, err
		}
		return newStar(symbols)
	case "complete":
		nodes, err := a.size(a.form("N"), 0, 1, maxComplete)
		if err != nil {
			return nil, err
		}
		return newAdjacency(Graph, nodes, allPairs(nodes)), nil
	case "debruijn":
		depth, err := a.size(a.form("D"), 0, 1, 22)
		if err != nil {
			return nil, err
		}
		return newDeBruijn(depth), nil
	case "random":
		return a.randomGraph(a.form("N,D[,SEED]"))
	}
	return nil, nil
}

// arguments are the parts of a spec between commas.
type arguments struct {
	name, spec string
	parts      []string
}

// form returns the form of the spec, and checks nothing.
func (a *arguments) form(arguments string) string { return "expected " + a.name + ":" + arguments }

// count wants from least to most arguments.
func (a *arguments) count(form string, least, most int) error {
	if n := len(a.parts); n < least || n > most {
		return input.Errorf(form, "topology %q has %s", a.spec, input.Count(n, "number"))
	}
	return nil
}

// size reads argument i, from least to most.
func (a *arguments) size(form string, i, least, most int) (int, error) {
	if strings.Count(form, ",") == 0 {
		if err := a.count(form, 1, 1); err != nil {
			return 0, err
		}
	}
	size, err := strconv.Atoi(a.parts[i])
	if err != nil {
		return 0, input.Errorf(form, "topology %q: %q is not a size", a.spec, a.parts[i])
	}
	if size < least || size > most {
		return 0, input.Errorf("expected "+strconv.Itoa(least)+" to "+strconv.Itoa(most), "topology %q: size %d", a.spec, size)
	}
	return size, nil
}

// random makes the random source of the seed in argument i, 1 when there is none.
func (a *arguments) random(form string, i int) (*rand.Rand, error) {
	seed := uint64(1)
	if i < len(a.parts) {
		var err error
		if seed, err = strconv.ParseUint(a.parts[i], 10, 64); err != nil {
			return nil, input.Errorf(form, "topology %q: %q is not a seed", a.spec, a.parts[i])
		}
	}
	return rand.New(rand.NewPCG(seed, 0x746f706f)), nil
}

// tree makes a tree of N nodes rooted at 0.
func (a *arguments) tree(form string, parents func(int, *rand.Rand) []router.NodeID) (*Topology, error) {
	if err := a.count(form, 1, 1+strings.Count(form, ",")); err != nil {
		return nil, err
	}
	nodes, err := a.size(form, 0, 1, MaxNodes)
	if err != nil {
		return nil, err
	}
	rng, err := a.random(form, 1)
	if err != nil {
		return nil, err
	}
	return newTree(parents(nodes, rng), 0), nil
}

// newTree wires a tree.
func newTree(parent []router.NodeID, root router.NodeID) *Topology {
	t := newAdjacency(Tree, len(parent), treeEdges(parent))
	t.Root = root
	return t
}

func treeEdges(parent []router.NodeID) []edge {
	edges := make([]edge, 0, len(parent))
	for n, p := range parent {
		if p != router.None {
			edges = append(edges, edge{p, router.NodeID(n)})
		}
	}
	return edges
}

// parentsBy lists the parents that a function gives to all nodes but 0.
func parentsBy(nodes int, of func(int) int) []router.NodeID {
	parent := make([]router.NodeID, nodes)
	parent[0] = router.None
	for n := 1; n < nodes; n++ {
		parent[n] = router.NodeID(of(n))
	}
	return parent
}

func hub(nodes int, _ *rand.Rand) []router.NodeID {
	return parentsBy(nodes, func(int) int { return 0 })
}

func recursiveTree(nodes int, rng *rand.Rand) []router.NodeID {
	return parentsBy(nodes, rng.IntN)
}

// randomTree decodes a random Pruefer code, so that each of the N^(N-2)
// labelled trees is as likely (Cayley's theorem); the parents are towards 0.
func randomTree(nodes int, rng *rand.Rand) []router.NodeID {
	parent := make([]router.NodeID, nodes)
	parent[0] = router.None
	if nodes == 1 {
		return parent
	}
	// Node 0 takes the part of the largest number, which the decoding never
	// removes: every leaf is joined to what becomes its parent.
	code := make([]router.NodeID, nodes-1) // the last entry is always the root
	left := make([]int32, nodes)           // occurrences in the rest of the code
	for i := range nodes - 2 {
		code[i] = router.NodeID(rng.IntN(nodes))
	}
	for _, c := range code {
		left[c]++
	}
	smallest := router.NodeID(1) // no unused leaf is smaller
	for left[smallest] > 0 {
		smallest++
	}
	leaf := smallest
	for _, c := range code {
		parent[leaf] = c
		if left[c]--; left[c] == 0 && c != 0 && c < smallest {
			leaf = c
			continue
		}
		for smallest++; int(smallest) < nodes && left[smallest] > 0; smallest++ {
		}
		leaf = smallest
	}
	return parent
}

// newComb joins a tooth of b nodes to each of a spine of a nodes.
func newComb(rest, spec string) (*Topology, error) {
	dims, err := parseDims(rest, spec)
	switch {
	case err != nil:
		return nil, err
	case len(dims) != 2:
		return nil, input.Errorf("expected comb:AxB", "topology %q has %s", spec, input.Count(len(dims), "size"))
	case dims[0]*(dims[1]+1) > MaxNodes:
		return nil, input.Errorf("expected at most "+strconv.Itoa(MaxNodes)+" nodes", "topology %q is too large", spec)
	}
	spine, tooth := dims[0], dims[1]
	return newTree(parentsBy(spine*(tooth+1), func(n int) int {
		switch {
		case n < spine:
			return n - 1
		case (n-spine)%tooth == 0:
			return (n - spine) / tooth
		}
		return n - 1
	}), 0), nil
}

// maxComplete and maxEdges keep generated graphs below some 100 MB.
const (
	maxComplete = 4096
	maxEdges    = maxComplete * (maxComplete - 1) / 2
)

func allPairs(nodes int) []edge {
	edges := make([]edge, 0, nodes*(nodes-1)/2)
	for a := range router.NodeID(nodes) {
		for b := a + 1; int(b) < nodes; b++ {
			edges = append(edges, edge{a, b})
		}
	}
	return edges
}

// newDeBruijn is the undirected binary de Bruijn graph.
func newDeBruijn(depth int) *Topology {
	nodes := 1 << depth
	edges := make([]edge, 0, 2*nodes)
	for n := range nodes {
		for bit := range 2 {
			to := (2*n + bit) % nodes
			if to != n {
				edges = append(edges, edge{router.NodeID(min(n, to)), router.NodeID(max(n, to))})
			}
		}
	}
	return newAdjacency(Graph, nodes, distinct(edges))
}

// distinct sorts edges and drops those that stand twice.
func distinct(edges []edge) []edge {
	slices.SortFunc(edges, func(x, y edge) int {
		return cmp.Or(cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b))
	})
	return slices.Compact(edges)
}

// randomGraph makes a connected graph: a uniform random tree, and then random
// other pairs of nodes until there are round(N D / 2) edges.
func (a *arguments) randomGraph(form string) (*Topology, error) {
	if err := a.count(form, 2, 3); err != nil {
		return nil, err
	}
	nodes, err := a.size(form, 0, 1, MaxNodes)
	if err != nil {
		return nil, err
	}
	degree, err := strconv.ParseFloat(a.parts[1], 64)
	if err != nil || math.IsNaN(degree) {
		return nil, input.Errorf(form, "topology %q: %q is not an average degree", a.spec, a.parts[1])
	}
	most := min(nodes*(nodes-1)/2, maxEdges)
	edges := math.Round(float64(nodes) * degree / 2)
	if edges < float64(nodes-1) || edges > float64(most) {
		scale := 2 / float64(nodes)
		return nil, input.Errorf("expected "+short(math.Ceil(float64(nodes-1)*scale*1e6)/1e6)+" to "+short(float64(most)*scale)+" for a connected graph",
			"topology %q: average degree %s", a.spec, a.parts[1])
	}
	rng, err := a.random(form, 2)
	if err != nil {
		return nil, err
	}
	return newAdjacency(Graph, nodes, randomEdges(nodes, int(edges), rng)), nil
}

func short(x float64) string { return strconv.FormatFloat(x, 'g', 7, 64) }

// randomEdges returns count edges that join all nodes.
func randomEdges(nodes, count int, rng *rand.Rand) []edge {
	edges := treeEdges(randomTree(nodes, rng))
	for i, e := range edges {
		edges[i] = edge{min(e.a, e.b), max(e.a, e.b)}
	}
	if 2*count > nodes*(nodes-1)/2 {
		others := without(allPairs(nodes), distinct(edges))
		rng.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
		return append(edges, others[:count-len(edges)]...)
	}
	// Fewer than half of all pairs are taken: each round halves what is missing.
	for len(edges) < count {
		for range count - len(edges) {
			x, y := router.NodeID(rng.IntN(nodes)), router.NodeID(rng.IntN(nodes-1))
			if y >= x {
				y++
			}
			edges = append(edges, edge{min(x, y), max(x, y)})
		}
		edges = distinct(edges)
	}
	return edges
}

// without returns the edges of all that are not in some; both are sorted.
func without(all, some []edge) []edge {
	return slices.DeleteFunc(all, func(e edge) bool {
		if len(some) > 0 && some[0] == e {
			some = some[1:]
			return true
		}
		return false
	})
}
