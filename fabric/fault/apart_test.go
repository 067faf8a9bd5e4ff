// SPDX-License-Identifier: Apache-2.0

package fault_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/fault"
	"meshwright/fabric/topology"
	"meshwright/router"
)

// slowReach says which live node reaches which, by closing the relation of neighbours.
func slowReach(t *topology.Topology, faults []fault.Fault) (live []router.NodeID, reaches map[[2]router.NodeID]bool) {
	reaches = map[[2]router.NodeID]bool{}
	dead := func(kind fault.Kind, from, to router.NodeID) bool {
		return slices.ContainsFunc(faults, func(f fault.Fault) bool { return f.Kind == kind && f.From == from && f.To == to })
	}
	for n := range router.NodeID(t.Nodes()) {
		if !dead(fault.Node, n, n) {
			live = append(live, n)
			reaches[[2]router.NodeID{n, n}] = true
		}
	}
	for _, l := range t.Links() {
		if !dead(fault.Link, l.From, l.To) && slices.Contains(live, l.From) && slices.Contains(live, l.To) {
			reaches[[2]router.NodeID{l.From, l.To}] = true
		}
	}
	for _, k := range live {
		for _, i := range live {
			for _, j := range live {
				if reaches[[2]router.NodeID{i, k}] && reaches[[2]router.NodeID{k, j}] {
					reaches[[2]router.NodeID{i, j}] = true
				}
			}
		}
	}
	return live, reaches
}

func TestApart(t *testing.T) {
	cuts := 0
	for _, spec := range []string{"mesh:3x3", "ring:6", "star:3", "path:5", "random:9,3", "debruijn:3"} {
		topo := parse(t, spec)
		for seed := range uint64(60) {
			random := rand.New(rand.NewPCG(seed, 1))
			root := []router.NodeID{router.None, router.NodeID(random.IntN(topo.Nodes()))}[seed%2]
			all := fault.Candidates(topo, fault.Random{Nodes: true, Links: true}, root)
			var faults []fault.Fault
			for range 1 + random.IntN(4) {
				faults = append(faults, all[random.IntN(len(all))])
			}
			if seed%3 > 0 {
				faults = fault.BothWays(faults)
			}
			live, reaches := slowReach(topo, faults)
			apart := fault.Apart(topo, faults, root)
			if root != router.None {
				want := slices.DeleteFunc(live, func(n router.NodeID) bool { return reaches[[2]router.NodeID{root, n}] })
				require.Equal(t, want, append([]router.NodeID{}, apart...), "%s seed %d", spec, seed)
				continue
			}
			whole := true
			for _, i := range live {
				for _, j := range live {
					whole = whole && reaches[[2]router.NodeID{i, j}]
				}
			}
			require.Equal(t, whole, apart == nil, "%s seed %d", spec, seed)
			if apart == nil {
				continue
			}
			cuts++
			require.LessOrEqual(t, 2*len(apart), len(live))
			for _, i := range apart { // no way in, or no way out
				for _, j := range live {
					if !slices.Contains(apart, j) {
						require.False(t, reaches[[2]router.NodeID{i, j}] && reaches[[2]router.NodeID{j, i}], "%s seed %d", spec, seed)
					}
				}
			}
		}
	}
	require.Greater(t, cuts, 20)
}

func TestFaultsWithoutHope(t *testing.T) {
	for _, row := range []struct {
		name, spec, faults string
		root               router.NodeID
		want               string
	}{
		{"a dead root", "star:3", "link,0-1\nnode,2", 2, "f.csv:2: root 2 is dead (expected a live root: nothing can be promised without it)"},
		{"a root that dies later", "star:3", "node,2,5", 2, ""},
		{"no root", "star:3", "node,2", router.None, ""},
		{"links around a node", "mesh:3x3", "link,0-1\nlink,0-3", 4, "the faults cut node 0 off from root 4 (expected a network that holds together)"},
		{"links around the root", "mesh:3x3", "link,0-1\nlink,0-3", 0, "the faults cut nodes 1-8 off from root 0 (expected a network that holds together)"},
		{"the smaller part", "mesh:3x3", "link,0-1\nlink,0-3", router.None, "the faults cut node 0 off (expected a network that holds together)"},
		{"no way out", "ring:4", "link,1>0\nlink,1>2", router.None, "the faults cut node 1 off (expected a network that holds together)"},
		{"no way out to the root", "ring:4", "link,1>0\nlink,1>2", 0, ""},
		{"links that come back", "mesh:3x3", "link,0-1,0,9\nlink,0-3", 4, ""},
		{"many runs", "hub:40", "node,0\nnode,2\nnode,4\nnode,6\nnode,8\nnode,10\nnode,12\nnode,14\nnode,16", 1, "the faults cut nodes 3, 5, 7, 9, 11, 13, 15, 17-39 off from root 1 (expected a network that holds together)"},
		{"more runs", "hub:40", "node,0\nnode,2\nnode,4\nnode,6\nnode,8\nnode,10\nnode,12\nnode,14\nnode,16\nnode,19", 1, "the faults cut nodes 3, 5, 7, 9, 11, 13, 15, 17-18 and 20 more off from root 1 (expected a network that holds together)"},
	} {
		t.Run(row.name, func(t *testing.T) {
			faults, err := fault.ParseFile("f.csv", []byte(row.faults))
			require.NoError(t, err)
			err = (&fault.List{Faults: faults}).Refuse(parse(t, row.spec), row.root)
			if row.want == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, row.want)
		})
	}
	var none *fault.List
	require.NoError(t, none.Refuse(parse(t, "path:2"), 0))
}

// A file that is written is read back as the same faults.
func TestFilesOfFaultsAreReadBack(t *testing.T) {
	all := fault.Candidates(parse(t, "mesh:3x2"), fault.Random{Nodes: true, Links: true}, 4)
	var text strings.Builder
	require.NoError(t, fault.Write(&text, all))
	require.True(t, strings.HasPrefix(text.String(), "fault,where\nnode,0\n"))
	read, err := fault.ParseFile("f.csv", []byte(text.String()))
	require.NoError(t, err)
	require.Equal(t, describe(fault.BothWays(all)), describe(read))
}
