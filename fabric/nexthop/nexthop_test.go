// SPDX-License-Identifier: Apache-2.0

package nexthop_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/nexthop"
	"meshwright/fabric/topology"
	"meshwright/internal/input"
	"meshwright/internal/soak"
	"meshwright/router"
)

func parse(t testing.TB, spec string) *topology.Topology {
	at, err := topology.Parse(spec)
	require.NoError(t, err)
	return at
}

// fileOf writes a table in which each node sends to a neighbour.
func fileOf(next [][]router.NodeID, random *rand.Rand) string {
	var rows []string
	for n := range next {
		for to := range next {
			if n != to {
				rows = append(rows, fmt.Sprintf("%d,%d,%d\n", n, to, next[n][to]))
			}
		}
	}
	random.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return strings.Join(rows, "")
}

// Tables of random neighbours are taken if, and only if, all routes arrive; those that are have the ports of the file.
func TestTablesAreTakenIfAllWaysArrive(t *testing.T) {
	taken, refused := 0, 0
	networks := []string{"path:3", "ring:3", "mesh:2x2", "star:3", "complete:4", "random-tree:5,2", "torus:3x2", "random:6,3,1"}
	for seed := range soak.Number[uint64](400, 20000) {
		random := rand.New(rand.NewPCG(seed, 3))
		at := parse(t, networks[seed%uint64(len(networks))])
		nodes := at.Nodes()
		next := make([][]router.NodeID, nodes)
		for n := range next {
			next[n] = make([]router.NodeID, nodes)
		}
		for to := range nodes { // along a random tree, of which a few nodes then leave
			in := map[router.NodeID]bool{router.NodeID(to): true}
			for len(in) < nodes {
				links := at.Links()
				l := links[random.IntN(len(links))]
				if in[l.To] && !in[l.From] {
					in[l.From], next[l.From][to] = true, l.To
				}
			}
		}
		for range random.IntN(3) {
			links := at.Links()
			l := links[random.IntN(len(links))]
			next[l.From][random.IntN(nodes)] = l.To
		}
		arrive := true
		for from := range nodes {
			for to := range nodes {
				at := router.NodeID(from)
				for steps := 0; int(at) != to && steps <= nodes; steps++ {
					at = next[at][to]
				}
				arrive = arrive && int(at) == to
			}
		}
		table, err := nexthop.Parse("t.csv", []byte(fileOf(next, random)))
		require.NoError(t, err)
		got, err := table.On(at)
		if !arrive {
			require.ErrorContains(t, err, "go round in a circle", "seed %d", seed)
			refused++
			continue
		}
		require.NoError(t, err, "seed %d", seed)
		taken++
		for from := range router.NodeID(nodes) {
			for to := range router.NodeID(nodes) {
				if from != to {
					p := got.Next(from, &router.Worm{Destination: to}, 0)
					require.Equal(t, next[from][to], at.Neighbor(from, p), "seed %d", seed)
				}
			}
		}
	}
	require.Greater(t, taken, 100)
	require.Greater(t, refused, 50)
}

func TestWrongTables(t *testing.T) {
	const path = "0,1,1\n0,2,1\n1,0,0\n1,2,2\n2,0,1\n2,1,1\n"
	for _, c := range []struct{ spec, text, want string }{
		{"path:3", path, ""},
		{"path:3", "node,destination,next\n" + path, ""},
		{"path:3", "next, destination, node\n1,1,0\n1,2,0\n0,0,1\n2,2,1\n1,0,2\n1,1,2\n", ""},
		{"path:3", "# routes\n" + path, ""},
		{"path:3", "", "t.csv: no rows (expected rows of node,destination,next)"},
		{"path:3", "node,destination,next\n", "t.csv: no rows (expected rows of node,destination,next)"},
		{"path:3", "node,destination,port\n" + path, `t.csv:1: unknown column "port" (expected one of node, destination, next)`},
		{"path:3", "0,1,1,7\n" + path, "t.csv:1: 4 columns (expected node,destination,next)"},
		{"path:3", "0,1\n", "t.csv:1: 2 columns (expected node,destination,next)"},
		{"path:3", "0;1;1\n", "t.csv:1: 1 column (expected node,destination,next, separated by commas)"},
		{"path:3", "0,one,1\n", `t.csv:1: "one" is not a node (expected a node number from 0 to 4095)`},
		{"path:3", "0,-1,1\n", `t.csv:1: "-1" is not a node (expected a node number from 0 to 4095)`},
		{"path:3", path + "0,4096,1\n", `t.csv:7: "4096" is not a node (expected a node number from 0 to 4095)`},
		{"path:3", path + "2,2,1\n", "t.csv:7: node 2 is its own destination (expected two nodes)"},
		{"path:3", path + "0,3,1\n", "t.csv:7: node 3 is not a node of path:3 (expected 0 to 2)"},
		{"path:3", strings.Replace(path, "0,2,1", "0,2,2", 1), "t.csv:2: next 2 is not a neighbour of node 0 (expected 1)"},
		{"path:3", strings.Replace(path, "0,2,1", "0,2,0", 1), "t.csv:2: next 0 is not a neighbour of node 0 (expected 1)"},
		{"path:3", path + "0,1,1\n", "t.csv:7: node 0 has a row for destination 1 already, in line 1 (expected one row for each pair)"},
		{"path:3", strings.Replace(path, "1,2,2\n", "", 1), "t.csv:5: the table ends without a row for node 1 and destination 2 (expected one row for each pair of nodes)"},
		{"path:3", strings.Replace(path, "1,2,2", "1,2,0", 1), "t.csv:2: messages from node 0 to node 2 go round in a circle: 0>1>0 (expected a route that arrives)"},
		{"path:5000", path, "t.csv: a routing table for path:5000 with 5000 nodes (expected at most 4096 nodes)"},
	} {
		table, err := nexthop.Parse("t.csv", []byte(c.text))
		if err == nil {
			_, err = table.On(parse(t, c.spec))
		}
		if c.want == "" {
			require.NoError(t, err, c.text)
			continue
		}
		require.EqualError(t, err, c.want, c.text)
	}
}

// Plans of collectives want neighbours to send over their links.
func TestDirectTables(t *testing.T) {
	ring := "0,1,1\n0,2,1\n1,0,0\n1,2,2\n2,0,0\n2,1,1\n"
	table, err := nexthop.Parse("t.csv", []byte(ring))
	require.NoError(t, err)
	require.EqualError(t, table.Direct(parse(t, "ring:3")), "t.csv:2: node 0 sends to its neighbour 2 by way of 1 (expected the link between them, on which plans of collectives rely)")
	table, err = nexthop.Parse("t.csv", []byte(strings.Replace(ring, "0,2,1", "0,2,2", 1)))
	require.NoError(t, err)
	require.NoError(t, table.Direct(parse(t, "ring:3")))
}

// Whatever a file has, it is read or refused with one line, and a table that a network takes has only routes that arrive.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "0,1,1\n0,2,1\n1,0,0\n1,2,2\n2,0,1\n2,1,1\n", "node,destination,next\n0,1,1\n1,0,0\n", "next,node,destination\n1,0,1\n0,1,0\n", "0,1,1\n0,1,1\n", "0;1;2\n", "\"0\",1,1\n", "#\n"} {
		f.Add(text)
	}
	at := []*topology.Topology{parse(f, "path:2"), parse(f, "path:3"), parse(f, "ring:3"), parse(f, "mesh:2x2")}
	f.Fuzz(func(t *testing.T, text string) {
		table, err := nexthop.Parse("t.csv", []byte(text))
		for _, at := range at {
			var next *router.Table
			if err == nil {
				next, err = table.On(at)
			}
			if err != nil {
				var wrong *input.Error
				require.True(t, errors.As(err, &wrong))
				require.NotContains(t, err.Error(), "\n")
				if table == nil {
					return
				}
				err = nil
				continue
			}
			for from := range router.NodeID(at.Nodes()) {
				for to := range router.NodeID(at.Nodes()) {
					n := from
					for steps := 0; n != to; steps++ {
						require.Less(t, steps, at.Nodes())
						n = at.Neighbor(n, next.Next(n, &router.Worm{Destination: to}, 0))
					}
				}
			}
		}
	})
}
