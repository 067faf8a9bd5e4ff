// SPDX-License-Identifier: Apache-2.0

package tolerant

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"meshwright/fabric/machine"
	"meshwright/fabric/topology"
	"meshwright/firmware/plan"
	"meshwright/router"
)

// taskOf makes a task on a machine without buffers whose links all work at once.
func taskOf(t testing.TB, kind, spec string, root router.NodeID, words, copies int) *plan.Task {
	t.Helper()
	topo, err := topology.Parse(spec)
	require.NoError(t, err)
	m, err := machine.Preset("bufferless")
	require.NoError(t, err)
	m.Ports, m.Channels = machine.AllPort, machine.Links
	k, err := plan.KindOf(kind)
	require.NoError(t, err)
	lengths := make([]int, topo.Nodes())
	for n := range lengths {
		lengths[n] = words
	}
	task, err := plan.NewTask(t.Context(), plan.Job{Topology: topo, Machine: m, Root: root, Lengths: lengths, Copies: copies}, k)
	require.NoError(t, err)
	return task
}

// broadcastsOf schedules the fastest broadcast over the trees of each cover.
func broadcastsOf(t testing.TB, task *plan.Task) []*schedule {
	t.Helper()
	covers, err := coversFor(task, max(1, task.Copies))
	require.NoError(t, err)
	require.NotEmpty(t, covers)
	var list []*schedule
	for _, c := range covers {
		p, _, err := fastest(task, c, max(1, task.Copies))
		require.NoError(t, err)
		s := p.schedule(task)
		require.Equal(t, p.steps(), s.steps())
		list = append(list, s)
	}
	return list
}

// arc is a directed link.
type arc struct{ from, to router.NodeID }

// carried follows a schedule step by step without the nodes that are dead: what each node gets of each
// message, by copy, and whether it keeps the copy. It demands that hops are links and that none carries two messages in a step.
func carried(t testing.TB, s *schedule, dead map[router.NodeID]bool) []map[copyOf]bool {
	t.Helper()
	has := make([]map[copyOf]bool, s.Topology.Nodes())
	for n := range has {
		has[n] = map[copyOf]bool{}
	}
	for step := range int32(s.steps()) {
		used := map[arc]bool{}
		var arrived []hop
		for _, h := range s.hops {
			if h.step != step {
				continue
			}
			_, isLink := s.Topology.PortTo(h.from, h.to)
			require.True(t, isLink, "%v", h)
			require.False(t, used[arc{h.from, h.to}], "two messages on a link: %v", h)
			used[arc{h.from, h.to}] = true
			_, got := has[h.from][copyOf{h.message, h.copy}]
			if !dead[h.from] && !dead[h.to] && (got || s.messages[h.message].source == h.from) {
				arrived = append(arrived, h)
			}
		}
		for _, h := range arrived {
			key := copyOf{h.message, h.copy}
			_, again := has[h.to][key]
			require.False(t, again, "a copy comes twice: %v", h)
			has[h.to][key] = !h.passes
		}
	}
	return has
}

// copiesOf counts the copies of each message that a node keeps.
func copiesOf(got map[copyOf]bool) map[int32]int {
	count := map[int32]int{}
	for key, kept := range got {
		if kept {
			count[key.message]++
		}
	}
	return count
}

var specs = []string{"path:2", "path:5", "ring:6", "mesh:3x4", "torus:4x3", "torus:3x3x3", "hypercube:1", "hypercube:4", "star:3", "star:4", "star:5", "complete:5", "debruijn:3", "random:9,3", "binary:2"}

// Every node gets every copy, over links that carry one message in a step.
func TestBroadcastsInSteps(t *testing.T) {
	for _, spec := range specs {
		for copies := 1; ; copies++ {
			task := taskOf(t, plan.Broadcast, spec, 1, 7, copies)
			if _, err := coversFor(task, copies); err != nil {
				require.Greater(t, copies, 1, spec)
				require.ErrorContains(t, err, fmt.Sprintf("%d copies on %s (expected at most %d", copies, spec, copies-1))
				break
			}
			for _, s := range broadcastsOf(t, task) {
				least := profileOf(task).Broadcast(len(s.messages), copies).Time
				require.GreaterOrEqual(t, s.steps(), least, spec)
				for n, got := range carried(t, s, nil) {
					if router.NodeID(n) == task.Root {
						continue
					}
					require.Len(t, copiesOf(got), len(s.messages), "%s node %d", spec, n)
					for m, count := range copiesOf(got) {
						require.Equal(t, copies, count, "%s node %d message %d", spec, n, m)
					}
				}
			}
		}
	}
}

// In collectives whose hops are booked every copy reaches its destinations, and no link carries two messages in a
// step.
func TestBookedSteps(t *testing.T) {
	for _, spec := range []string{"path:4", "ring:6", "mesh:3x4", "hypercube:3", "star:4", "random:9,3"} {
		for kind, in := range map[string]func(*builder, int){plan.Gossip: gossipIn, plan.Scatter: scatterIn, plan.Exchange: exchangeIn} {
			for copies := 1; copies <= 3; copies++ {
				task := taskOf(t, kind, spec, 1, 2, copies)
				roots := everyNode(task)
				if kind == plan.Scatter {
					roots = []router.NodeID{task.Root}
				}
				b := &builder{Task: task, roots: roots, copies: copies, in: in}
				if b.grow() != nil {
					require.Greater(t, copies, 1)
					continue
				}
				s := b.schedule(2)
				require.GreaterOrEqual(t, s.steps(), b.leastSteps(s))
				for n, got := range carried(t, s, nil) {
					counts := copiesOf(got)
					for m, to := range b.to {
						if node := router.NodeID(n); to == node || to == router.None && s.messages[m].source != node {
							require.Equal(t, copies, counts[int32(m)], "%s %s message %d node %d", kind, spec, m, n)
						}
					}
				}
			}
		}
	}
}

// slowSteps is the least number of steps by trying all ways to deal the copies out.
func slowSteps(depths []int, messages, copies int) int {
	best := -1
	taken := make([]int, len(depths))
	var deal func(tree, left int)
	deal = func(tree, left int) {
		if tree == len(depths) {
			if left > 0 {
				return
			}
			time := 0
			for i, k := range taken {
				if k > 0 {
					time = max(time, k+depths[i]-1)
				}
			}
			if best < 0 || time < best {
				best = time
			}
			return
		}
		for k := range min(left, messages) + 1 {
			taken[tree] = k
			deal(tree+1, left-k)
		}
	}
	deal(0, messages*copies)
	return best
}

func TestCopiesAreDealtOutBest(t *testing.T) {
	for _, spec := range []string{"mesh:3x4", "hypercube:3", "star:4", "random:9,3", "torus:4x3"} {
		task := taskOf(t, plan.Broadcast, spec, 1, 7, 1)
		covers, err := coversFor(task, 1)
		require.NoError(t, err)
		for _, c := range covers {
			for copies := 1; copies <= len(c.Trees); copies++ {
				for messages := 1; messages <= 7; messages++ {
					task.Parts = messages
					p, _, err := fastest(task, c, copies)
					require.NoError(t, err)
					var depths []int
					for _, s := range p.trees {
						depths = append(depths, s.MaxDepth())
					}
					require.Equal(t, slowSteps(depths, messages, copies), p.steps(), "%s %s %d %d", spec, c.Name, messages, copies)
					for _, queue := range p.queues() {
						seen := map[int32]bool{}
						for _, m := range queue {
							require.False(t, seen[m])
							seen[m] = true
						}
					}
				}
			}
		}
	}
}

// On star graphs and hypercubes the trees' paths to a node have no inner node in common, so
// that x copies survive the loss of any x-1 nodes. All sets of dead nodes are tried.
func TestCopiesSurviveDeadNodes(t *testing.T) {
	for _, spec := range []string{"star:4", "hypercube:3", "star:3"} {
		most := taskOf(t, plan.Broadcast, spec, 0, 3, 1).Topology.Degree(0)
		for copies := 1; copies <= most; copies++ {
			task := taskOf(t, plan.Broadcast, spec, 0, 3, copies)
			for _, s := range broadcastsOf(t, task) {
				for dead := range setsOf(task.Topology.Nodes(), copies-1) {
					requireAlive(t, s, dead)
				}
			}
		}
	}
}

// setsOf yields all sets of so many nodes but the first.
func setsOf(nodes, size int) func(yield func(map[router.NodeID]bool) bool) {
	return func(yield func(map[router.NodeID]bool) bool) {
		var extend func(from int, list []int) bool
		extend = func(from int, list []int) bool {
			if len(list) == size {
				set := map[router.NodeID]bool{}
				for _, n := range list {
					set[router.NodeID(n)] = true
				}
				return yield(set)
			}
			for n := from; n < nodes; n++ {
				if !extend(n+1, append(list, n)) {
					return false
				}
			}
			return true
		}
		extend(1, nil)
	}
}

// requireAlive demands that every live node gets every message.
func requireAlive(t *testing.T, s *schedule, dead map[router.NodeID]bool) {
	t.Helper()
	for n, got := range carried(t, s, dead) {
		if node := router.NodeID(n); node != s.Root && !dead[node] {
			require.Len(t, copiesOf(got), len(s.messages), "%s, dead %v: node %d", s.Topology, dead, n)
		}
	}
}
