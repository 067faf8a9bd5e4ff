// SPDX-License-Identifier: Apache-2.0

package msccl

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/collective"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// link is a directed link of a network.
type link struct{ from, to int }

func linksOf(t *topology.Topology) (links []link) {
	for n := range router.NodeID(t.Nodes()) {
		for port := range router.Port(t.Ports(n)) {
			if to := t.Neighbor(n, port); to != router.None {
				links = append(links, link{int(n), int(to)})
			}
		}
	}
	return links
}

// roundsOfGossip lets every link carry a block in every round: one that its end lacks, the rarest
// first. rounds[r][l] is the block on links[l], -1: none.
func roundsOfGossip(t *topology.Topology, links []link, random *rand.Rand) (rounds [][]int) {
	nodes := t.Nodes()
	has, copies := make([][]bool, nodes), make([]int, nodes)
	for n := range has {
		has[n] = make([]bool, nodes)
		has[n][n], copies[n] = true, 1
	}
	for left := nodes * (nodes - 1); left > 0; {
		round := make([]int, len(links))
		coming := map[link]bool{} // block to a node
		for l := range round {
			round[l] = -1
		}
		for _, l := range random.Perm(len(links)) {
			for _, block := range random.Perm(nodes) {
				x := links[l]
				if has[x.from][block] && !has[x.to][block] && !coming[link{block, x.to}] && (round[l] < 0 || copies[block] < copies[round[l]]) {
					round[l] = block
				}
			}
			if round[l] >= 0 {
				coming[link{round[l], links[l].to}] = true
				copies[round[l]]++
			}
		}
		for l, block := range round {
			if block >= 0 {
				has[links[l].to][block] = true
				left--
			}
		}
		rounds = append(rounds, round)
	}
	return rounds
}

// gossipXML writes rounds as an algorithm in place. Every link has threadblocks of its own, one at each
// end; what a rank passes on depends on the step that receives it.
func gossipXML(t *topology.Topology, links []link, rounds [][]int) string {
	var w writer
	nodes := t.Nodes()
	w.algo("rounds", "allgather", nodes, nodes, 1, 1)
	for rank := range nodes {
		w.gpu(rank, 0, nodes, 0)
		came := map[int]string{} // block: tb.step that receives it
		for l, x := range links {
			if x.to != rank {
				continue
			}
			w.tb(-1, x.from, 0)
			for _, round := range rounds {
				if block := round[l]; block >= 0 {
					came[block] = fmt.Sprintf("%d.%d", w.block-1, w.step)
					w.do("r", at('o', block), at('o', block), 1, "", true)
				}
			}
			w.endBlock()
		}
		for l, x := range links {
			if x.from != rank {
				continue
			}
			w.tb(x.to, -1, 0)
			for _, round := range rounds {
				if block := round[l]; block >= 0 {
					w.do("s", at('o', block), at('o', block), 1, came[block], false)
				}
			}
			w.endBlock()
		}
		w.endGPU()
	}
	return w.end()
}

// executeOn runs an algorithm on any machine and compares every word.
func executeOn(t *testing.T, a *Algorithm, network *topology.Topology, m machine.Machine, length int) *collective.Result {
	t.Helper()
	f, err := a.Flow(0)
	require.NoError(t, err)
	require.NoError(t, f.Failure)
	l, sizes := f.List(length)
	w, err := f.Words(l, sizes, length, m.Width, 1)
	require.NoError(t, err)
	plan, err := plan.FromTransfers(t.Context(), a.Collective, a.Name, network, m, l, func(n router.NodeID) plan.Block {
		return plan.Block{Words: w.End[n], Start: w.Start[n]}
	})
	require.NoError(t, err)
	r, err := collective.Execute(t.Context(), plan)
	require.NoError(t, err)
	return r
}

// Threadblocks of different links do not wait for each other: an algorithm made of rounds in which
// every link carries a chunk takes the cycles of its rounds and one more. The least steps alone would take 14 cycles
// for the chunks of one flit on the mesh of 4x4, 7 on the hypercube.
func TestIndependentThreadblocksDoNotWait(t *testing.T) {
	for _, row := range []struct {
		spec   string
		seed   uint64
		rounds int
	}{
		{"mesh:4x4", 0, 8}, // the bound: 15 blocks over the two links of a corner
		{"hypercube:4", 2, 4},
		{"torus:4x4", 2, 4},
		{"ring:7", 0, 3}, // here the least steps are as good
		{"mesh:3x5", 0, 7},
	} {
		t.Run(row.spec, func(t *testing.T) {
			network, err := topology.Parse(row.spec)
			require.NoError(t, err)
			links := linksOf(network)
			rounds := roundsOfGossip(network, links, rand.New(rand.NewPCG(row.seed, 1)))
			require.Len(t, rounds, row.rounds)
			a, err := Parse("a.xml", strings.NewReader(gossipXML(network, links, rounds)))
			require.NoError(t, err)
			m, err := machine.Preset("wormhole")
			require.NoError(t, err)
			m.Channels = machine.Links
			for _, length := range []int{1, 3} {
				r := executeOn(t, a, network, m, length)
				require.NoError(t, r.Failure)
				require.EqualValues(t, row.rounds*length+1, r.Cycles)
			}
		})
	}
}
