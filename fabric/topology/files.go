// SPDX-License-Identifier: Apache-2.0

package topology

import (
	"strconv"

	"meshwright/internal/input"
	"meshwright/router"
)

// pair is a row of a tree or graph file.
type pair struct {
	a, b router.NodeID
	line int
}

// readTree makes a topology from a CSV of node,parent. The root's parent is
// empty or -1, or the root has no row of its own.
func readTree(file string) (*Topology, error) {
	rows, nodes, err := readPairs(file, treeForm)
	if err != nil {
		return nil, err
	}
	parent, lineOf, err := parents(file, rows, nodes)
	if err != nil {
		return nil, err
	}
	root, err := findRoot(file, parent, lineOf)
	if err != nil {
		return nil, err
	}
	if err := checkAcyclic(file, parent, lineOf); err != nil {
		return nil, err
	}
	return newTree(parent, root), nil
}

// parents turns rows into a parent per node and the line that said so (0: no row).
func parents(file string, rows []pair, nodes int) ([]router.NodeID, []int, error) {
	parent := make([]router.NodeID, nodes)
	lineOf := make([]int, nodes)
	for n := range parent {
		parent[n] = router.None
	}
	for _, r := range rows {
		switch {
		case r.a == router.None:
			return nil, nil, input.At(file, r.line, "expected node,parent", "no node")
		case lineOf[r.a] != 0:
			return nil, nil, input.At(file, r.line, "expected one row a node", "node %d has a row already, in line %d", r.a, lineOf[r.a])
		case r.a == r.b:
			return nil, nil, input.At(file, r.line, "expected a tree", "node %d is its own parent: a cycle", r.a)
		}
		parent[r.a], lineOf[r.a] = r.b, r.line
	}
	return parent, lineOf, nil
}

func findRoot(file string, parent []router.NodeID, lineOf []int) (router.NodeID, error) {
	root := router.None
	for n, p := range parent {
		if p != router.None {
			continue
		}
		if root != router.None {
			return root, input.At(file, max(lineOf[n], lineOf[root]), "expected one root", "two roots: nodes %d and %d have no parent", root, n)
		}
		root = router.NodeID(n)
	}
	if root == router.None {
		return root, input.At(file, lineOf[0], "expected a node with an empty parent", "a cycle: every node has a parent")
	}
	return root, nil
}

// checkAcyclic climbs from every node; a climb that meets its own trail is a cycle.
func checkAcyclic(file string, parent []router.NodeID, lineOf []int) error {
	trail := make([]int, len(parent)) // the climb that passed here, from 1
	for n := range parent {
		for at := router.NodeID(n); at != router.None && trail[at] <= 0; at = parent[at] {
			trail[at] = n + 1
			if p := parent[at]; p != router.None && trail[p] == n+1 {
				return input.At(file, lineOf[at], "expected a tree", "a cycle: node %d is its own ancestor", p)
			}
		}
	}
	return nil
}

// readGraph makes a topology from a CSV of undirected edges, node,node.
func readGraph(file string) (*Topology, error) {
	rows, nodes, err := readPairs(file, "node,node")
	if err != nil {
		return nil, err
	}
	edges := make([]edge, 0, len(rows))
	seen := make(map[[2]router.NodeID]int, len(rows))
	for _, r := range rows {
		key := [2]router.NodeID{min(r.a, r.b), max(r.a, r.b)}
		switch {
		case key[0] == router.None:
			return nil, input.At(file, r.line, "expected node,node", "an edge with one end")
		case r.a == r.b:
			return nil, input.At(file, r.line, "expected two different nodes", "edge %d,%d is a loop", r.a, r.b)
		case seen[key] != 0:
			return nil, input.At(file, r.line, "expected each edge once", "edge %d,%d stands in line %d already", r.a, r.b, seen[key])
		}
		seen[key] = r.line
		edges = append(edges, edge{r.a, r.b})
	}
	t := newAdjacency(Graph, nodes, edges)
	if lost := BreadthFirst(t, 0).Unreached(); lost != router.None {
		return nil, input.At(file, 0, "expected a connected network", "node %d cannot be reached from node 0", lost)
	}
	return t, nil
}

// treeForm names the columns of a tree's rows.
const treeForm = "node,parent"

// readPairs reads rows of two node numbers; an empty one is None, and in a tree -1, too.
// It returns the rows and the node count.
func readPairs(file, form string) ([]pair, int, error) {
	text, err := input.ReadFile(file)
	if err != nil {
		return nil, 0, err
	}
	return parsePairs(text, file, form)
}

func parsePairs(text []byte, file, form string) ([]pair, int, error) {
	var rows []pair
	last := router.None
	err := input.Rows(file, text, form, func(fields []string, line int) error {
		row, err := parsePair(fields, line, form == treeForm)
		rows = append(rows, row)
		last = max(last, row.a, row.b)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	if last == router.None {
		return nil, 0, input.At(file, 0, "expected rows of "+form, "no nodes")
	}
	return rows, int(last) + 1, checkDense(file, rows, int(last)+1)
}

// parsePair reads a row. In a tree -1 is a parent that does not exist.
func parsePair(fields []string, line int, tree bool) (pair, error) {
	var ids [2]router.NodeID
	for i, field := range fields {
		if field == "" || tree && field == "-1" {
			ids[i] = router.None
			continue
		}
		id, err := strconv.Atoi(field)
		if err != nil || id < 0 || id >= MaxNodes {
			return pair{}, input.Errorf("expected a node number from 0 to "+strconv.Itoa(MaxNodes-1), "%q is not a node", field)
		}
		ids[i] = router.NodeID(id)
	}
	return pair{ids[0], ids[1], line}, nil
}

// checkDense reports the first node number below the largest that no row names.
func checkDense(file string, rows []pair, nodes int) error {
	named := make([]bool, nodes)
	for _, r := range rows {
		if r.a != router.None {
			named[r.a] = true
		}
		if r.b != router.None {
			named[r.b] = true
		}
	}
	for n, ok := range named {
		if !ok {
			return input.At(file, 0, "expected nodes 0 to "+strconv.Itoa(nodes-1)+" without gaps", "node %d is missing", n)
		}
	}
	return nil
}
