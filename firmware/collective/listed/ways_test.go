// SPDX-License-Identifier: Apache-2.0

package listed_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/firmware/collective/listed"
	"meshwright/router"
	"meshwright/schedule/bound"
)

// exchange lists the messages of an all-to-all, of so many words each.
func exchange(nodes, words int) (list []listed.Message) {
	for from := range router.NodeID(nodes) {
		for to := range router.NodeID(nodes) {
			if from != to {
				list = append(list, listed.Message{From: from, To: to, Words: words})
			}
		}
	}
	return list
}

// Routes lead to their destinations, and their busiest link or port is not much busier than the bound of the all-to-all says that one is. Here the bound counts a hop besides.
func TestWays(t *testing.T) {
	for _, row := range []struct {
		spec  string
		keys  []string
		words int
	}{
		{"ring:8", []string{"ports", "single"}, 1},
		{"ring:7", []string{"ports", "all", "nic.channels", "links"}, 2},
		{"mesh:3x3", []string{"ports", "all", "nic.channels", "links"}, 1},
		{"hypercube:3", []string{"ports", "single", "flit", "2"}, 3},
		{"path:4", []string{"ports", "single"}, 1},
		{"hub:5", []string{"ports", "all", "nic.channels", "links"}, 4},
		{"random:24,3", []string{"ports", "single"}, 1},
	} {
		t.Run(row.spec, func(t *testing.T) {
			topo, m, _ := on(t, row.spec, row.keys...)
			messages := exchange(topo.Nodes(), row.words)
			list, most, work := listed.Routes(topo, m, messages)
			require.Positive(t, work)
			for i, way := range list {
				at := messages[i].From
				for _, p := range way {
					at = topo.Neighbor(at, p)
				}
				require.Equal(t, messages[i].To, at)
			}
			lengths := make([]int, topo.Nodes())
			for n := range lengths {
				lengths[n] = row.words
			}
			least := bound.Exchange(topo, m, lengths).Cycles
			require.GreaterOrEqual(t, most+router.Cycle(m.Hop), least)
			require.LessOrEqual(t, float64(most), 1.15*float64(least))
		})
	}
}

// A route that is crowded is left, even for a longer one.
func TestWaysAvoidCrowds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	topo, m, _ := on(t, "ring:6", "ports", "all", "nic.channels", "links")
	var messages []listed.Message
	for range 6 { // all from 0 to 1: half of the words go the other way around
		messages = append(messages, listed.Message{From: 0, To: 1, Words: 1 + random.IntN(2)})
	}
	list, most, _ := listed.Routes(topo, m, messages)
	words, long := 0, 0
	for i, way := range list {
		words += messages[i].Words
		if len(way) == 5 {
			long += messages[i].Words
		}
	}
	require.Positive(t, long)
	require.Less(t, int(most), words)
}
