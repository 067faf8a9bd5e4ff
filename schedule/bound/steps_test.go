// SPDX-License-Identifier: Apache-2.0

package bound

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/internal/maxflow"
	"meshwright/router"
)

// profileOf counts the nodes of a network by their distance from node 0.
func profileOf(t *testing.T, spec string) (*topology.Topology, Profile) {
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	s := topology.BreadthFirst(topo, 0)
	p := Profile{Links: topo.Degree(0), At: make([]int, s.MaxDepth()+1)}
	for _, depth := range s.Depth {
		p.At[depth]++
	}
	return topo, p
}

func withoutWays(p Profile) Profile {
	p.Ways = nil
	return p
}

func TestProfilesAreThoseOfTheNetworks(t *testing.T) {
	for n := 2; n <= 8; n++ {
		_, p := profileOf(t, fmt.Sprintf("star:%d", n))
		require.Equal(t, p, withoutWays(StarProfile(n)))
	}
	for d := 1; d <= 10; d++ {
		_, p := profileOf(t, fmt.Sprintf("hypercube:%d", d))
		require.Equal(t, p, withoutWays(HypercubeProfile(d)))
	}
	require.Equal(t, 362880, StarProfile(9).Nodes())
	require.Equal(t, 12, StarProfile(9).Diameter())
	for _, p := range []Profile{StarProfile(1), StarProfile(10), HypercubeProfile(21), HypercubeProfile(-1), HypercubeProfile(0)} {
		require.Zero(t, p.Exchange(1, 1))
		require.Zero(t, p.Gossip(1, 1))
	}
	require.Zero(t, StarProfile(4).Broadcast(0, 1))
	require.Zero(t, StarProfile(4).Broadcast(1, 4))
	require.Zero(t, StarProfile(4).Gossip(0, 1))
	require.Zero(t, StarProfile(4).Scatter(10_001, 1))
}

// leastLinks returns the least links of 1, 2, .. routes from node 0 to another node that have no link in common: a
// flow of least cost, route by route along the shortest route in what the routes before have left (Bellman and Ford).
func leastLinks(topo *topology.Topology, to router.NodeID) []int {
	const never = 1 << 20
	used := map[topology.Link]bool{}
	var sums []int
	for sum := 0; ; sums = append(sums, sum) {
		length := slices.Repeat([]int{never}, topo.Nodes())
		by := make([]topology.Link, topo.Nodes())
		length[0] = 0
		for again := true; again; {
			again = false
			for _, l := range topo.Links() {
				from, end, cost := l.From, l.To, 1
				if used[l] { // may be given back
					from, end, cost = l.To, l.From, -1
				}
				if length[from]+cost < length[end] {
					length[end], by[end], again = length[from]+cost, l, true
				}
			}
		}
		if length[to] >= never/2 {
			return sums
		}
		sum += length[to]
		for n := to; n != 0; {
			l := by[n]
			n = l.From + l.To - n
			used[l] = !used[l]
		}
	}
}

// The links of routes without a common link against the flow of least cost to every node. The bound has its sum on
// hypercubes, and on star graphs up to one per cent less.
func TestLinksOfDisjointWays(t *testing.T) {
	for _, row := range []struct {
		spec string
		p    Profile
		less []int // by routes: links below the least
	}{
		{"hypercube:2", HypercubeProfile(2), []int{0, 0}},
		{"hypercube:3", HypercubeProfile(3), []int{0, 0, 0}},
		{"hypercube:5", HypercubeProfile(5), []int{0, 0, 0, 0, 0}},
		{"star:2", StarProfile(2), []int{0}},
		{"star:3", StarProfile(3), []int{0, 0}},
		{"star:4", StarProfile(4), []int{0, 0, 0}},
		{"star:5", StarProfile(5), []int{0, 0, 0, 24}},
	} {
		topo, _ := profileOf(t, row.spec)
		sums := make([]int, topo.Degree(0))
		for n := router.NodeID(1); int(n) < topo.Nodes(); n++ {
			for i, sum := range leastLinks(topo, n) {
				sums[i] += sum
			}
		}
		for i := range sums {
			require.Equal(t, row.less[i], sums[i]-row.p.Ways[i], "%s, %d ways", row.spec, i+1)
		}
	}
}

// leastScatter returns the least steps of a scatter: the first T for which the network unrolled in
// time carries all messages, by the maximum flow.
func leastScatter(topo *topology.Topology, messages int) int {
	nodes := topo.Nodes()
	for steps := 1; ; steps++ {
		f := maxflow.New((steps+1)*nodes+1, 0)
		sink := int32((steps + 1) * nodes)
		for step := range steps {
			for n := range nodes {
				f.Arc(int32(step*nodes+n), int32((step+1)*nodes+n), maxflow.Unlimited)
			}
			for _, l := range topo.Links() {
				f.Arc(int32(step*nodes+int(l.From)), int32((step+1)*nodes+int(l.To)), 1)
			}
		}
		for n := 1; n < nodes; n++ {
			f.Arc(int32(steps*nodes+n), sink, int64(messages))
		}
		if want := int64(messages * (nodes - 1)); f.Send(0, sink, want) == want {
			return steps
		}
	}
}

// The bound of a scatter is its least time: with one source the messages are a flow.
func TestScatterInStepsIsTheLeastTime(t *testing.T) {
	for _, row := range []struct {
		spec     string
		messages int
	}{
		{"star:2", 3}, {"star:3", 1}, {"star:3", 2}, {"star:3", 5}, {"star:4", 1}, {"star:4", 2}, {"star:4", 3}, {"star:5", 1},
		{"hypercube:1", 2}, {"hypercube:2", 1}, {"hypercube:3", 1}, {"hypercube:3", 4}, {"hypercube:4", 1}, {"hypercube:4", 3}, {"hypercube:5", 1},
	} {
		topo, p := profileOf(t, row.spec)
		require.Equal(t, leastScatter(topo, row.messages), p.Scatter(row.messages, 1).Time, "%s %d", row.spec, row.messages)
	}
}

// leastStepBroadcast tries everything that all links can carry in every step.
func leastStepBroadcast(topo *topology.Topology, messages int) int {
	links := topo.Links()
	full := uint64(1)<<(messages*topo.Nodes()) - 1
	have := map[uint64]bool{uint64(1)<<messages - 1: true} // bit n*messages+i: node n has message i
	for steps := 0; ; steps++ {
		if have[full] {
			return steps
		}
		next := map[uint64]bool{}
		for state := range have {
			var carry func(link int, then uint64)
			carry = func(link int, then uint64) {
				if link == len(links) {
					next[then] = true
					return
				}
				idle := true
				from, to := int(links[link].From)*messages, int(links[link].To)*messages
				for i := range messages {
					if state>>(from+i)&1 == 1 && then>>(to+i)&1 == 0 {
						idle = false
						carry(link+1, then|1<<(to+i))
					}
				}
				if idle { // a link that can carry something new gains nothing by carrying nothing
					carry(link+1, then)
				}
			}
			carry(0, state)
		}
		have = next
	}
}

func TestBroadcastInStepsAgainstAllSchedules(t *testing.T) {
	for _, row := range []struct {
		spec     string
		messages int
	}{
		{"star:2", 1}, {"star:2", 3}, {"star:3", 1}, {"star:3", 2}, {"hypercube:2", 1}, {"hypercube:2", 2}, {"hypercube:2", 3}, {"hypercube:3", 1},
	} {
		topo, p := profileOf(t, row.spec)
		require.Equal(t, p.Broadcast(row.messages, 1).Time, leastStepBroadcast(topo, row.messages), "%s %d", row.spec, row.messages)
	}
}

// tried returns the steps of the best of many random schedules in which every node has a message for
// each other one (exchange), or one for all (gossip): a message moves on a shortest route whenever its link is free.
func tried(topo *topology.Topology, exchange bool, random *rand.Rand) int {
	nodes := topo.Nodes()
	distance := make([][]int32, nodes)
	for n := range distance {
		distance[n] = topology.BreadthFirst(topo, router.NodeID(n)).Depth
	}
	best := 1 << 30
	for range 2000 {
		best = min(best, oneTry(topo, distance, exchange, random))
	}
	return best
}

func oneTry(topo *topology.Topology, distance [][]int32, exchange bool, random *rand.Rand) int {
	nodes := topo.Nodes()
	type message struct{ source, to int } // to is -1 in a gossip
	held := make([]map[message]bool, nodes)
	left := nodes * (nodes - 1)
	for n := range nodes {
		held[n] = map[message]bool{}
		for to := range nodes {
			if to != n && exchange {
				held[n][message{n, to}] = true
			}
		}
		if !exchange {
			held[n][message{n, -1}] = true
		}
	}
	links := topo.Links()
	for steps := 1; ; steps++ {
		type move struct {
			from, to int
			m        message
		}
		var moves []move
		taken := map[move]bool{}
		random.Shuffle(len(links), func(i, j int) { links[i], links[j] = links[j], links[i] })
		for _, l := range links {
			var able []message
			for m := range held[l.From] {
				switch {
				case exchange && distance[l.To][m.to] < distance[l.From][m.to] && !taken[move{int(l.From), -1, m}]:
					able = append(able, m)
				case !exchange && !held[l.To][m] && !taken[move{-1, int(l.To), m}]:
					able = append(able, m)
				}
			}
			if len(able) == 0 {
				continue
			}
			slices.SortFunc(able, func(a, b message) int { return a.source*nodes + a.to - b.source*nodes - b.to })
			m := able[random.IntN(len(able))]
			moves = append(moves, move{int(l.From), int(l.To), m})
			taken[move{int(l.From), -1, m}], taken[move{-1, int(l.To), m}] = true, true
		}
		for _, v := range moves {
			if exchange {
				delete(held[v.from], v.m)
			}
			if !exchange || v.m.to != v.to {
				held[v.to][v.m] = true
			}
			if !exchange || v.m.to == v.to {
				left--
			}
		}
		if left == 0 {
			return steps
		}
	}
}

func TestGossipAndExchangeInStepsAgainstSchedules(t *testing.T) {
	random := rand.New(rand.NewPCG(31, 32))
	for _, row := range []struct {
		spec string
		// Whether the best schedule that was found takes as long as the bound.
		gossip, exchange bool
	}{{"star:2", true, true}, {"star:3", true, true}, {"hypercube:2", true, true}, {"hypercube:3", true, false}} {
		topo, p := profileOf(t, row.spec)
		gossip, exchange := tried(topo, false, random), tried(topo, true, random)
		require.GreaterOrEqual(t, gossip, p.Gossip(1, 1).Time, row.spec)
		require.GreaterOrEqual(t, exchange, p.Exchange(1, 1).Time, row.spec)
		require.Equal(t, row.gossip, gossip == p.Gossip(1, 1).Time, row.spec)
		require.Equal(t, row.exchange, exchange == p.Exchange(1, 1).Time, row.spec)
	}
}

// The sum of the distances in closed form (Akers and Krishnamurthy).
func TestMeanDistanceOfStarGraphs(t *testing.T) {
	for n := 2; n <= 9; n++ {
		harmonic := 0.0
		for i := 1; i <= n; i++ {
			harmonic += 1 / float64(i)
		}
		p := StarProfile(n)
		require.InDelta(t, float64(n)-4+2/float64(n)+harmonic, float64(p.Distances())/float64(p.Nodes()), 1e-9)
	}
}
