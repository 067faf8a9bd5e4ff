// SPDX-License-Identifier: Apache-2.0

package tolerant

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/internal/soak"
	"meshwright/router"
)

// builderOf makes the builder of a collective of one word from every node, to every node or to each.
func builderOf(t testing.TB, kind, spec string, copies int) *builder {
	t.Helper()
	task := taskOf(t, kind, spec, 0, 1, copies)
	b := &builder{Task: task, roots: everyNode(task), copies: copies}
	require.NoError(t, b.grow())
	require.True(t, b.translates())
	return b
}

// The steps for 1, 2, .. copies, and the bounds of package bound. Every gossip takes the bound, and so does every
// exchange of one copy.
var translated = []struct {
	kind, spec   string
	steps, least []int
}{
	{plan.Gossip, "star:3", []int{3, 5}, []int{3, 5}},
	{plan.Gossip, "star:4", []int{8, 16, 23}, []int{8, 16, 23}},
	{plan.Gossip, "star:5", []int{30, 60, 90, 119}, []int{30, 60, 90, 119}},
	{plan.Gossip, "hypercube:2", []int{2, 3}, []int{2, 3}},
	{plan.Gossip, "hypercube:3", []int{3, 5, 7}, []int{3, 5, 7}},
	{plan.Gossip, "hypercube:4", []int{4, 8, 12, 15}, []int{4, 8, 12, 15}},
	{plan.Gossip, "hypercube:5", []int{7, 13, 19, 25, 31}, []int{7, 13, 19, 25, 31}},
	{plan.Gossip, "hypercube:6", []int{11, 21, 32, 42, 53, 63}, []int{11, 21, 32, 42, 53, 63}},
	{plan.Gossip, "ring:8", []int{4, 7}, []int{4, 7}},
	{plan.Gossip, "torus:6x6", []int{9, 18, 27, 35}, []int{9, 18, 27, 35}},
	{plan.Gossip, "complete:5", []int{1, 2, 3, 4}, []int{1, 2, 3, 4}},
	{plan.Exchange, "star:3", []int{5, 15}, []int{5, 15}},
	{plan.Exchange, "star:4", []int{21, 54, 96}, []int{21, 54, 94}},
	{plan.Exchange, "star:5", []int{111, 261, 445, 648}, []int{111, 255, 425, 610}},
	{plan.Exchange, "hypercube:2", []int{2, 6}, []int{2, 6}},
	{plan.Exchange, "hypercube:3", []int{4, 10, 18}, []int{4, 10, 18}},
	{plan.Exchange, "hypercube:4", []int{8, 18, 32, 46}, []int{8, 18, 31, 46}},
	{plan.Exchange, "hypercube:5", []int{16, 34, 56, 82, 110}, []int{16, 34, 56, 82, 110}},
	{plan.Exchange, "hypercube:6", []int{32, 66, 106, 152, 202, 254}, []int{32, 66, 105, 151, 202, 254}},
}

// Every collective takes at most 1.15 times its bound, and its schedule is right at each of the three places
// where it could fail.
func TestTranslatedSchedules(t *testing.T) {
	for _, row := range translated {
		for i, steps := range row.steps {
			b := builderOf(t, row.kind, row.spec, i+1)
			s := b.schedule(1)
			require.Equal(t, steps, s.steps(), "%s %s, %d copies", row.kind, row.spec, i+1)
			require.Equal(t, row.least[i], b.leastSteps(s), "%s %s, %d copies", row.kind, row.spec, i+1)
			require.LessOrEqual(t, steps*100, row.least[i]*115, "%s %s, %d copies", row.kind, row.spec, i+1)
			requireGenerators(t, s)
			requireLinks(t, s)
			requireCopies(t, b, s)
		}
	}
}

// requireGenerators demands that the hops of node 0's messages use each generator at most once in a step.
func requireGenerators(t *testing.T, s *schedule) {
	t.Helper()
	used := map[[2]int]bool{}
	for _, h := range s.hops {
		if s.messages[h.message].source == 0 {
			port, isLink := s.Topology.PortTo(h.from, h.to)
			require.True(t, isLink, "%v", h)
			at := [2]int{int(h.step), s.Topology.Generator(h.from, port)}
			require.False(t, used[at], "%v", h)
			used[at] = true
		}
	}
}

// requireLinks counts the messages on every link in every step.
func requireLinks(t *testing.T, s *schedule) {
	t.Helper()
	ports := s.Topology.MaxPorts()
	used := make([]bool, s.steps()*s.Topology.Nodes()*ports)
	collisions := 0
	for _, h := range s.hops {
		port, isLink := s.Topology.PortTo(h.from, h.to)
		if at := (int(h.step)*s.Topology.Nodes()+int(h.from))*ports + int(port); !isLink || used[at] {
			collisions++
		} else {
			used[at] = true
		}
	}
	require.Zero(t, collisions)
}

// route is the nodes that a copy of a message passes on its way to a node, the ends included.
type route []router.NodeID

// routesOf follows the copies that node 0 sends, step by step: the routes of the kept copies by message and
// node. It demands that a copy is where it is sent from.
func routesOf(t *testing.T, s *schedule) map[int32]map[router.NodeID][]route {
	t.Helper()
	type place struct {
		copyOf
		at router.NodeID
	}
	come, when := map[place]route{}, map[place]int32{}
	kept := map[int32]map[router.NodeID][]route{}
	for _, h := range s.hops { // by steps
		if s.messages[h.message].source != 0 {
			continue
		}
		from := place{copyOf{h.message, h.copy}, h.from}
		if h.from == 0 {
			come[from], when[from] = route{0}, -1
		}
		to := place{from.copyOf, h.to}
		require.True(t, come[from] != nil && when[from] < h.step, "%v is not there", h)
		require.Nil(t, come[to], "%v comes twice", h)
		come[to], when[to] = append(slices.Clone(come[from]), h.to), h.step
		if _, _, keeps := s.place(h.message, h.to); keeps && !h.passes {
			if kept[h.message] == nil {
				kept[h.message] = map[router.NodeID][]route{}
			}
			kept[h.message][h.to] = append(kept[h.message][h.to], come[to])
		}
	}
	return kept
}

// requireCopies demands that each destination of node 0's messages keeps every copy, and that the
// copies came over disjoint routes: without a common link, and where the trees are known in closed form without a
// common inner node. So any copies-1 dead links or nodes leave one copy.
func requireCopies(t *testing.T, b *builder, s *schedule) {
	t.Helper()
	nodes := b.Topology.Nodes()
	closed := b.Topology.Star() != nil || b.Topology.Kind == "hypercube"
	pairs := 0
	for m, byNode := range routesOf(t, s) {
		for n, routes := range byNode {
			require.True(t, b.to[m] == n || b.to[m] == router.None)
			require.Len(t, routes, b.copies, "message %d at node %d", m, n)
			links, inner := map[arc]bool{}, map[router.NodeID]bool{}
			for _, r := range routes {
				for i := 1; i < len(r); i++ {
					require.False(t, links[arc{r[i-1], r[i]}], "%v", routes)
					links[arc{r[i-1], r[i]}] = true
					if i+1 < len(r) {
						require.False(t, closed && inner[r[i]], "%v", routes)
						inner[r[i]] = true
					}
				}
			}
			pairs++
		}
	}
	require.Equal(t, nodes-1, pairs)
}

// All sets of x-1 dead nodes and links of star:4 leave a copy of every message of node 0 to every live node. As
// translations move node 0's schedule to every other node, that holds for the messages of all nodes.
func TestTranslatedSchedulesSurviveAllFaults(t *testing.T) {
	for _, kind := range []string{plan.Gossip, plan.Exchange} {
		for copies := 1; copies <= 3; copies++ {
			b := builderOf(t, kind, "star:4", copies)
			routes := routesOf(t, b.schedule(1))
			for faults := range setsOf(1+23+72, copies-1) {
				for _, byNode := range routes {
					for n, list := range byNode {
						require.True(t, faults[n] || slices.ContainsFunc(list, func(r route) bool { return survives(b, r, faults) }), "%v: node %d", faults, n)
					}
				}
			}
		}
	}
}

// survives reports whether a copy comes through. Faults 1 to 23 are nodes, those from 24 on links.
func survives(b *builder, r route, faults map[router.NodeID]bool) bool {
	for i := 1; i < len(r); i++ {
		port, _ := b.Topology.PortTo(r[i-1], r[i])
		if faults[r[i]] || faults[24+r[i-1]*3+router.NodeID(port)] {
			return false
		}
	}
	return true
}

// The routes of node 0's copies are disjoint on larger star graphs, too, and translations move them to all other
// sources. So any copies-1 faults are survived there, where a gossip or exchange of all nodes needs too much memory to
// try sets of faults one by one.
func TestRoutesOnLargeStarsAreDisjoint(t *testing.T) {
	for _, spec := range soak.Some(2, []string{"star:6", "star:7"}) {
		for _, kind := range []string{plan.Gossip, plan.Exchange} {
			b := builderOf(t, kind, spec, 1)
			for copies := 1; copies <= len(b.trees[0]); copies++ {
				b.copies, b.to = copies, destinations(b.Topology, kind)
				first := newOrigin(b.Topology, b.trees[0], copies)
				first.schedule(b.to, 1)
				s := &schedule{Task: b.Task, copies: copies, hops: first.hops, messages: make([]message, len(b.to))}
				s.place = func(m int32, n router.NodeID) (int, int, bool) {
					return 0, 0, n != 0 && (b.to[m] == router.None || b.to[m] == n)
				}
				requireGenerators(t, s)
				requireCopies(t, b, s)
			}
		}
	}
}

// Parts of blocks share the generators, too, and blocks of different lengths are booked link by link.
func TestTranslatedParts(t *testing.T) {
	for _, kind := range []string{plan.Gossip, plan.Exchange} {
		task := taskOf(t, kind, "star:4", 0, 5, 2)
		b := &builder{Task: task, roots: everyNode(task), copies: 2}
		require.NoError(t, b.grow())
		s := b.schedule(3)
		requireGenerators(t, s)
		requireLinks(t, s)
		require.LessOrEqual(t, s.steps(), 1+b.leastSteps(s)*105/100)
		task.Lengths[1] = 4
		require.False(t, b.translates())
	}
}

// A network of one node has nothing to send.
func TestOneNode(t *testing.T) {
	for kind, planned := range map[string]func(*plan.Task) (*plan.Plan, error){plan.Gossip: Gossip, plan.Exchange: Exchange} {
		p, err := planned(taskOf(t, kind, "path:1", 0, 1, 1))
		require.NoError(t, err)
		require.Zero(t, p.Messages)
	}
}

// The steps of larger networks, without the hops of all nodes.
func TestStepsOfLargeNetworks(t *testing.T) {
	for _, row := range []struct {
		kind, spec   string
		steps, least []int
	}{
		{plan.Gossip, "star:6", []int{144, 297, 442, 583, 719}, []int{144, 288, 432, 576, 719}},
		{plan.Gossip, "star:7", []int{840}, []int{840}},
		{plan.Gossip, "hypercube:10", []int{103, 205, 307}, []int{103, 205, 307}},
		{plan.Exchange, "star:6", []int{689, 1574, 2597, 3680, 4838}, []int{689, 1510, 2447, 3416, 4462}},
		{plan.Exchange, "star:7", []int{4938}, []int{4938}},
		{plan.Exchange, "hypercube:10", []int{512, 1026, 1550}, []int{512, 1026, 1549}},
	} {
		topo, err := topology.Parse(row.spec)
		require.NoError(t, err)
		profile := profileOf(&plan.Task{Job: plan.Job{Topology: topo}})
		for i, steps := range row.steps {
			got, err := Steps(t.Context(), topo, row.kind, 1, i+1)
			require.NoError(t, err)
			require.Equal(t, steps, got, "%s %s, %d copies", row.kind, row.spec, i+1)
			least := profile.Gossip(1, i+1)
			if row.kind == plan.Exchange {
				least = profile.Exchange(1, i+1)
			}
			require.Equal(t, row.least[i], least.Time, "%s %s, %d copies", row.kind, row.spec, i+1)
		}
	}
	for _, row := range []struct {
		spec   string
		copies int
	}{{"mesh:3x3", 1}, {"torus:4x4", 1}, {"star:4", 4}, {"star:4", 0}} {
		topo, err := topology.Parse(row.spec)
		require.NoError(t, err)
		steps, err := Steps(t.Context(), topo, plan.Gossip, 1, row.copies)
		require.NoError(t, err)
		require.Zero(t, steps)
	}
}

// Trees are searched for so many nodes at most.
func TestTooManyNodes(t *testing.T) {
	_, err := Gossip(taskOf(t, plan.Gossip, "hub:1025", 0, 1, 1))
	require.EqualError(t, err, "gossip edst on hub:1025: trees for 1025 nodes (expected at most 1024, or a hypercube or star graph, or equal blocks on a ring, torus or complete graph)")
}
