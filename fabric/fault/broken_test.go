// SPDX-License-Identifier: Apache-2.0

package fault_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/fault"
	"meshwright/router"
)

// Dead nodes and links are named and counted once each, whatever the order of the list.
func TestBrokenIsNamedAndCounted(t *testing.T) {
	many := ""
	for n := range 12 {
		many += fmt.Sprintf("link,%d-%d\n", n, n+1)
	}
	for _, row := range []struct{ rows, text, counts string }{
		{"node,5\n", "node 5", "1 dead node, 0 dead links"},
		{"link,4>3\nlink,3>4\nlink,3>4\n", "link 3-4", "0 dead nodes, 1 dead link, both ways"},
		{"link,4>3\n", "link 4>3", "0 dead nodes, 1 dead link, one way"},
		{"link,4-3,100\nnode,9\nnode,2,7,9\nlink,0>1,5,6\ndrop,1>2,3\n", "nodes 2 in cycles 7 to 8, 9; links 0>1 in cycle 5, 3-4 from cycle 100 on", "2 dead nodes, 2 dead links, 1 of them one way"},
		{"link,3>4\nlink,4>3,9\n", "links 3>4, 4>3 from cycle 9 on", "0 dead nodes, 1 dead link, both ways"},
		{"node,1\n" + many, "node 1; links 0-1, 1-2, 2-3, 3-4, 4-5, 5-6, 6-7, 7-8, 8-9 and 3 more", "1 dead node, 12 dead links, both ways"},
		{"drop,1>2,3\n", "none", "0 dead nodes, 0 dead links"},
	} {
		faults, err := fault.ParseFile("f.csv", []byte(row.rows))
		require.NoError(t, err)
		broken := fault.BrokenOf(faults)
		require.Equal(t, []string{row.text, row.counts}, []string{fault.BrokenText(parse(t, "path:14"), broken), fault.BrokenCounts(broken)}, row.rows)
	}
}

// On a star graph the permutations stand beside the numbers.
func TestBrokenHasPermutations(t *testing.T) {
	faults, err := fault.ParseFile("f.csv", []byte("node,14\nlink,7-13,3,9\nlink,0>6\n"))
	require.NoError(t, err)
	require.Equal(t, "node 14 (3214); links 0>6 (1234>2134), 7-13 (2143-3142) in cycles 3 to 8", fault.BrokenText(parse(t, "star:4"), fault.BrokenOf(faults)))
}

// The names of what is dead are those of the effects on a network: links that are named lose all heads, others none.
func TestBrokenIsWhatLosesMessages(t *testing.T) {
	for seed := range 20 {
		list, err := fault.Parse(strings.Fields(fmt.Sprintf("random:2,nodes random:4,links seed:%d", seed)), 1)
		require.NoError(t, err)
		topo := parse(t, "torus:4x4")
		on, err := list.On(topo, 1, 32, 32)
		require.NoError(t, err)
		text := ", " + strings.NewReplacer("; links ", ", ", "nodes ", "").Replace(fault.BrokenText(topo, on.Broken())) + ","
		require.Len(t, on.Broken(), 6)
		for _, l := range topo.Links() {
			named := false
			for _, name := range []string{fmt.Sprint(l.From), fmt.Sprint(l.To), fmt.Sprintf("%d-%d", min(l.From, l.To), max(l.From, l.To))} {
				named = named || strings.Contains(text, ", "+name+",")
			}
			require.Equal(t, named, on.Loses(l.From, l.To, 0) == fault.Dead, "%s, %v", text, l)
		}
	}
}

// Nodes of a star graph may be named by permutations, whatever asks for the list.
func TestNodesNamedByPermutations(t *testing.T) {
	topo := parse(t, "star:4")
	list, err := fault.Parse([]string{write(t, "node,4321\nlink,1234>2134\nlink,0-14\n")}, 1)
	require.NoError(t, err)
	on, err := list.On(topo, 1, 32, 32)
	require.NoError(t, err)
	require.Equal(t, "node 23 (4321); links 0>6 (1234>2134), 0-14 (1234-3214)", fault.BrokenText(topo, on.Broken()))
	list.Known = true
	left, err := list.Survivors(topo, router.None)
	require.NoError(t, err)
	require.Len(t, left.Node, 23)
	for n := range router.NodeID(topo.Nodes()) {
		require.Equal(t, n, topo.Star().Named(topo.Star().Name(n)))
	}
	for _, bad := range []string{"", "123", "12345", "1135", "0123", "1239", "12a4"} {
		require.Equal(t, router.None, topo.Star().Named(bad), bad)
	}
}
