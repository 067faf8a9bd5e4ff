// SPDX-License-Identifier: Apache-2.0

package combine

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/firmware/transfer"
	"meshwright/router"
)

func parse(t testing.TB, spec string) *topology.Topology {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	return topo
}

// layoutOf puts what a node sends, by rising node, before what it gets.
func layoutOf(lengths []int) Layout {
	others := func(at router.NodeID, words func(n int) int) []int {
		offset := []int{0}
		for n := range lengths {
			add := 0
			if n != int(at) {
				add = words(n)
			}
			offset = append(offset, offset[n]+add)
		}
		return offset
	}
	out := func(at router.NodeID) []int { return others(at, func(int) int { return lengths[at] }) }
	in := func(at router.NodeID) []int { return others(at, func(n int) int { return lengths[n] }) }
	return Layout{
		Out: func(at, other router.NodeID) transfer.Range {
			o := out(at)
			return transfer.Range{From: o[other], To: o[other+1]}
		},
		In: func(at, other router.NodeID) transfer.Range {
			before, i := out(at)[len(lengths)], in(at)
			return transfer.Range{From: before + i[other], To: before + i[other+1]}
		},
		Words: func(at router.NodeID) int { return out(at)[len(lengths)] + in(at)[len(lengths)] },
	}
}

// ways are all ways to go onward on a network.
func ways(t *topology.Topology) map[string]Onward {
	order := make([]router.NodeID, t.Nodes())
	for n := range order {
		order[n] = router.NodeID(len(order) - 1 - n)
	}
	list := map[string]Onward{"direct": Direct(), "halving": Halving(t, order, 1)}
	if t.IsGrid() {
		list["dimensions"], list["bruck"] = Dimensions(t, 1), Bruck(t, 1)
		for colours := 2; colours <= len(t.Dims); colours++ {
			list[fmt.Sprint("dimensions ", colours)], list[fmt.Sprint("bruck ", colours)] = Dimensions(t, colours), Bruck(t, colours)
			list[fmt.Sprint("halving ", colours)] = Halving(t, nil, colours)
		}
	}
	return list
}

var networks = []string{
	"path:1", "path:2", "path:5", "path:8", "ring:3", "ring:4", "ring:9", "ring:10", "ring:14", "mesh:3x4", "mesh:5x1x3", "torus:3x3", "torus:5x4", "torus:2x7",
	"hypercube:4", "complete:7", "binary:3", "torus:3x4x2",
}

// Every word comes to its node, whatever the lengths, and nothing is sent or
// overwritten at the wrong time: the list is carried out step by step.
func TestBlocksArrive(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, spec := range networks {
		topo := parse(t, spec)
		for name, o := range ways(topo) {
			t.Run(spec+"/"+name, func(t *testing.T) {
				lengths := make([]int, topo.Nodes())
				for n := range lengths {
					lengths[n] = max(0, random.IntN(6)-1)
				}
				layout := layoutOf(lengths)
				l, extra := Plan(lengths, layout, o, func(a, b router.NodeID) int { return 1 })
				areas := make([][]string, len(lengths))
				for n := range areas {
					at := router.NodeID(n)
					areas[n] = make([]string, layout.Words(at)+extra[n])
					for to := range lengths {
						if to != n {
							r := layout.Out(at, router.NodeID(to))
							for k := r.From; k < r.To; k++ {
								areas[n][k] = fmt.Sprint(n, to, k-r.From)
							}
						}
					}
				}
				carry(t, l, areas)
				for n := range areas {
					for from := range lengths {
						if from != n {
							r := layout.In(router.NodeID(n), router.NodeID(from))
							require.Equal(t, lengths[from], r.To-r.From)
							for k := r.From; k < r.To; k++ {
								require.Equal(t, fmt.Sprint(from, n, k-r.From), areas[n][k])
							}
						}
					}
				}
			})
		}
	}
}

// carry carries a list out, all sends of a step before all takes.
func carry(t *testing.T, l *transfer.List, areas [][]string) {
	last := 0
	for _, x := range l.Transfers {
		last = max(last, x.Step)
	}
	for step := range last + 1 {
		sent := map[int][]string{}
		for i, x := range l.Transfers {
			if x.Step == step {
				for _, r := range x.Out {
					sent[i] = append(sent[i], areas[x.From][r.From:r.To]...)
				}
				require.NotContains(t, sent[i], "", "a word is sent that is not there")
			}
		}
		for i, words := range sent {
			x := l.Transfers[i]
			require.Len(t, words, x.Places().Words())
			for _, r := range x.Places() {
				words = words[copy(areas[x.To][r.From:r.To], words):]
			}
		}
	}
}

// Each node sends as many messages as its way of combining needs.
func TestMessagesOfANode(t *testing.T) {
	for _, row := range []struct {
		spec, name string
		most       int
	}{
		{"torus:5x4", "direct", 19}, {"torus:5x4", "dimensions", 4 + 3}, {"mesh:3x4", "dimensions", 2 + 3}, {"hypercube:4", "dimensions", 4},
		{"ring:8", "halving", 3}, {"path:9", "halving", 4}, {"torus:4x8", "halving", 2 + 3}, {"complete:7", "halving", 3}, {"hypercube:4", "bruck", 4},
		{"ring:9", "bruck", 4}, {"ring:27", "bruck", 6}, {"torus:9x3", "bruck", 4 + 2}, {"ring:10", "bruck", 5},
	} {
		topo := parse(t, row.spec)
		lengths := make([]int, topo.Nodes())
		for n := range lengths {
			lengths[n] = 1
		}
		l, _ := Plan(lengths, layoutOf(lengths), ways(topo)[row.name], func(a, b router.NodeID) int { return 1 })
		count := make([]int, len(lengths))
		most := 0
		for _, x := range l.Transfers {
			count[x.From]++
			most = max(most, count[x.From])
		}
		require.Equal(t, row.most, most, "%s %s", row.spec, row.name)
	}
}

func TestBalancedDigits(t *testing.T) {
	for number := -200; number <= 200; number++ {
		sum, power := 0, 1
		for place := range 6 {
			sum, power = sum+power*digit(number, place), power*3
		}
		require.Equal(t, number, sum)
	}
}
